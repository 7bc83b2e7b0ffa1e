"""Lighthouse's scores of the page: four categories, on a phone and on a desktop.

`make bench-lighthouse` starts a server, has it read the sample, and prints the table; npm
downloads Lighthouse, which drives the Chromium that tests use.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.rows import Row, table
from tests.browser import PROGRAMS
from tests.page_steps import ask
from tests.served import serving

LIGHTHOUSE = "lighthouse@13.5.0"
SAMPLE = Path(__file__).parents[1] / "samples" / "mixed.pdf"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
PRESETS: dict[str, tuple[str, ...]] = {"phone": (), "desk": ("--preset=desktop",)}
LEAST = 95
TIMES = ("largest-contentful-paint", "total-blocking-time")


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), keys=0) as server:
        pages = {"start": "", "a job": f"#/jobs/{_read(server.url)}/1", "requests": "docs"}
        rows = [
            _row(name, preset, _told(f"{server.url}/{address}", preset))
            for name, address in pages.items()
            for preset in PRESETS
        ]
    print(table(rows))


def _read(url: str) -> str:
    """The id of a job whose document has been read, by the program's own command."""
    command = [sys.executable, "-m", "pagetide", "submit", "--server", url, "--wait"]
    with tempfile.TemporaryDirectory() as results:
        subprocess.run([*command, "-o", results, str(SAMPLE)], check=True, capture_output=True)
    identity: str = ask(f"{url}/v1/jobs")["jobs"][0]["id"]
    return identity


def _told(url: str, preset: str) -> dict[str, Any]:
    chromium = next(filter(None, map(shutil.which, PROGRAMS)))
    command = ["npx", "--yes", LIGHTHOUSE, url, "--quiet", "--output=json", *PRESETS[preset]]
    flags = "--chrome-flags=--headless --no-sandbox --disable-gpu"
    ended = subprocess.run(
        [*command, flags],
        check=True,
        capture_output=True,
        env={**os.environ, "CHROME_PATH": str(chromium)},
    )
    told: dict[str, Any] = json.loads(ended.stdout)
    return told


def _row(name: str, preset: str, told: dict[str, Any]) -> Row:
    scores = {each: round(100 * told["categories"][each]["score"]) for each in CATEGORIES}
    return Row(
        measure=f"{name}, {preset}: {', '.join(CATEGORIES)}",
        ours=", ".join(map(str, scores.values())),
        peer="",
        value=", ".join(_costs(told["audits"])),
        bar=f"≥ {LEAST} each",
        holds=min(scores.values()) >= LEAST,
    )


def _costs(audits: dict[str, Any]) -> Iterator[str]:
    for name in TIMES:
        yield f"{name} {audits[name]['displayValue']}".replace("\xa0", " ")
    asked = audits["network-requests"]["details"]["items"]
    sent = sum(request["transferSize"] for request in asked) / 1000
    yield f"{len(asked)} requests, {sent:.0f} KB"


if __name__ == "__main__":
    main()
