"""The commands of pages of the documentation, each page run from its top to its end."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parts.postgres import Postgres
from tests.parts.server import free_port

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
STORE = "postgresql://pagetide:SECRET@127.0.0.1/pagetide"
# What is started in the background ends with the page, and a line that fails ends it.
HEAD = """\
set -euo pipefail
set -m
trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
"""


def run(page: str, folder: Path, **replaced: str) -> str:
    """Run what a page shows behind `$`, as one script; gives what it printed."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    script = "\n".join(re.findall(r"^\s*\$ (.+)$", text, re.M))
    assert script
    (folder / "samples").symlink_to(ROOT / "samples")
    port = str(free_port())
    script = script.replace("8000", port)
    for old, new in {STORE: replaced.get("store", STORE)}.items():
        script = script.replace(old, new)
    done = subprocess.run(
        ["bash", "-c", HEAD + script],
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "PAGETIDE_DATA_DIR": str(folder / "data"),
            "PAGETIDE_PORT": port,
            "PAGETIDE_SERVER": f"http://127.0.0.1:{port}",
        },
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def test_those_for_who_comes_from_another_program(tmp_path: Path) -> None:
    shown = run("coming-from.md", tmp_path)
    assert '"schema_version"' in shown
    made = {path.name for path in (tmp_path / "out").iterdir()}
    assert made == {
        *(f"receipt.jpg.{ending}" for ending in ("txt", "hocr", "pdf")),
        *("two_columns.png.md", "two_columns.png.chunks.jsonl"),
    }


@pytest.mark.slow("starts a server, a cluster and seven readings")
def test_those_of_the_tutorial(postgres: Postgres, tmp_path: Path) -> None:
    shown = run("tutorial.md", tmp_path, store=postgres.database())
    assert "| Day | High water |" in shown
    assert {path.suffix for path in (tmp_path / "out" / "all").iterdir()} == {".md", ".pdf"}


@pytest.mark.slow("simulates many months")
def test_those_that_say_what_it_costs(tmp_path: Path) -> None:
    assert "aws-cpu" in run("how-to/where-to-run.md", tmp_path)
