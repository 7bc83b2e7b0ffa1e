"""Pages end to end through a real server: transformers', with a tiny random PaddleOCR-VL.

On first use it creates an environment of its own, `.venv-tiny`, with torch for the CPU: about a
gigabyte and more than a minute, so the test suite does not run it.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from bench.corpus import PROJECT
from bench.rows import Row
from bench.vl_pages import areas_by, page, write_model
from pagetide.engine import PageImage
from pagetide.engines.vl import open_engine
from pagetide.settings import Settings

ENVIRONMENT = PROJECT / ".venv-tiny"
PACKAGES = ("torch==2.13.0", "transformers[serving]==5.23.0", "pillow")
PAGES = 2
START_S = 120


def end_to_end(environment: Path = ENVIRONMENT) -> list[Row]:
    """Every block of two pages, read by the tiny model."""
    python = _made(environment)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_model(folder / "layout")
        script = Path(__file__).parent / "vl_tiny_model.py"
        subprocess.run([python, script, folder / "tiny"], check=True, capture_output=True)
        with _serving(environment, folder / "tiny") as url:
            settings = Settings(
                vl_url=url,
                vl_dialect="openai",
                vl_concurrency=2,
                vl_served_name=str(folder / "tiny"),
            )
            engine = open_engine(
                settings,
                "max_tokens=12&min_pixels=3136&max_pixels=50176&merge=no",
                areas_by(folder / "layout"),
            )
            started = time.perf_counter()
            images = (PageImage(pixels=page(number), dpi=150) for number in range(PAGES))
            readings = list(engine.read(images, "en"))
            seconds = time.perf_counter() - started
            engine.close()
    errors = [reading.error.message for reading in readings if reading.error]
    answers = [
        answer
        for each in readings
        for answer in json.loads(each.raw or b"{}").get("answers", [])
    ]
    told = [answer for answer in answers if answer.get("usage")]
    return [
        Row(
            measure=f"{PAGES} pages, a tiny random model behind `transformers serve`",
            ours=f"{len(told)} of {len(answers)} blocks answered in {seconds:.1f} s",
            peer="",
            value=f"{sum(each['usage']['completion_tokens'] for each in told)} tokens",
            bar="all",
            holds=not errors and len(told) == len(answers) > 0,
            note="; ".join(errors) or f"Such as {told[0]['text'][:40]!r}, which is nonsense.",
        )
    ]


def _made(environment: Path) -> Path:
    """The environment's Python."""
    python = environment / "bin" / "python"
    if not (environment / "ready").exists():
        print(f"… making {environment}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
        (environment / "ready").touch()
    return python


@contextmanager
def _serving(environment: Path, model: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(environment / "bin" / "transformers"), "serve", str(model)]
    with subprocess.Popen(
        [*command, "--device", "cpu", "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(url, trust_env=False).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise AssertionError("the server did not start")
