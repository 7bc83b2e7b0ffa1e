"""The service against the library on the same machine: `python -m bench.service [--only …]`."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from bench.corpus import SAMPLES
from bench.processes import repeated
from bench.rows import Row, at_least, table
from bench.served import Server, served, wait_for_all
from pagetide.reading import Reader, ReadOptions
from pagetide.reading.opening import open_reader
from pagetide.settings import Settings
from pagetide.system.cpu import model_name

PICTURES = ("receipt.jpg", "table.png", "two_columns.png", "chinese_english.png")
OFF = {"cache": "no"}  # or the second round would be answered from the first


def main() -> None:
    """Run the requested measures and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.service", description=__doc__)
    parser.add_argument("--only", action="append")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    plan: dict[str, Callable[[int], list[Row]]] = {
        "scan": scan,
        "pictures": pictures,
        "cold": cold,
        "warm": warm,
        "memory": memory,
    }
    rows: list[Row] = []
    for name, run in plan.items():
        if name in (arguments.only or plan):
            print(f"… {name}", flush=True)
            rows += run(arguments.runs)
    print(f"\n{table(rows)}\n\n{model_name()}; load {os.getloadavg()[0]:.1f}")


def scan(runs: int, pages: int = 100) -> list[Row]:
    """A long scan through the warm service against the warm library."""
    with tempfile.TemporaryDirectory() as folder:
        document = repeated(SAMPLES / "mixed.pdf", pages, Path(folder))
        return _side_by_side(
            f"a {pages}-page scan through the service, warm, against the library",
            lambda reader: _drain(reader, [document]),
            lambda server, key: [server.submit(document, key, text_layer="never")],
            bar=0.9,
            runs=runs,
        )


def pictures(runs: int, count: int = 200) -> list[Row]:
    """Many small jobs at once against the library reading the same files as a batch."""
    files = [SAMPLES / PICTURES[i % len(PICTURES)] for i in range(count)]
    return _side_by_side(
        f"{count} single-image jobs at once, against the library reading the same as a batch",
        lambda reader: _drain(reader, files),
        lambda server, key: [server.submit(f, f"{key}-{i}") for i, f in enumerate(files)],
        bar=0.85,
        runs=runs,
    )


def cold(runs: int) -> list[Row]:
    """Submit at zero workers until the first page, against the library's own cold start."""
    picture = SAMPLES / "receipt.jpg"
    command = [sys.executable, "-m", "pagetide", "read", str(picture), "-f", "txt"]
    with served(workers=1, idle_s=0.5, **OFF) as server:
        ours, library = [], []
        for i in range(runs + 1):
            _until(lambda: _workers(server) == 0)
            started = time.perf_counter()
            subprocess.run(command, capture_output=True, check=True)
            library.append(time.perf_counter() - started)
            started = time.perf_counter()
            job_id = server.submit(picture, f"cold-{i}")
            _until(partial(_has_page, server, job_id))
            ours.append(time.perf_counter() - started)
            wait_for_all(server, [job_id])
        server.stop()
    ratios = [a / b for a, b in zip(ours[1:], library[1:], strict=True)]
    ratio, seconds = statistics.median(ratios), statistics.median(ours[1:])
    return [
        Row(
            measure="zero workers: submit to first page, against the library's cold start",
            ours=f"{seconds:.2f} s",
            peer=f"{statistics.median(library[1:]):.2f} s",
            value=f"{ratio:.2f}× ({min(ratios):.2f}–{max(ratios):.2f})",
            bar="≤ 1.6×, ≤ 2.5 s",
            holds=ratio <= 1.6 and seconds <= 2.5,
        )
    ]


def warm(runs: int) -> list[Row]:
    """The time that the warm service adds to one small image."""
    picture = SAMPLES / "receipt.jpg"
    reader = open_reader(settings=Settings())
    with served(workers=1, min_workers=1, **OFF) as server:
        ours, library = [], []
        for i in range(5 * runs + 2):
            started = time.perf_counter()
            reader.read(picture)
            library.append(time.perf_counter() - started)
            started = time.perf_counter()
            job_id = server.submit(picture, f"warm-{i}")
            server.client.get(f"/v1/jobs/{job_id}", params={"wait": "20"})
            ours.append(time.perf_counter() - started)
        server.stop()
    added = 1000 * (statistics.median(ours[2:]) - statistics.median(library[2:]))
    return [
        Row(
            measure="one image through the warm service, against the library: time added",
            ours=f"{1000 * statistics.median(ours[2:]):.0f} ms",
            peer=f"{1000 * statistics.median(library[2:]):.0f} ms",
            value=f"{added:+.0f} ms",
            bar="≤ 60 ms",
            holds=added <= 60,
        )
    ]


def memory(_: int) -> list[Row]:
    """How much the API process grows while a 50 MB upload and a 30 MB result pass."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served(workers=1, test_models="yes") as server,
    ):
        wait_for_all(server, [server.submit(SAMPLES / "receipt.jpg", "first", model="fake")])
        before = _peak_mb(server)
        document = _padded(Path(folder) / "large.pdf", 50_000_000)
        job_id = server.submit(document, "large", model="fake?lines=1700")
        wait_for_all(server, [job_id])
        size = 0
        with server.client.stream("GET", f"/v1/jobs/{job_id}/result") as answer:
            for chunk in answer.iter_bytes():
                size += len(chunk)
        assert size > 30_000_000, size
        growth = _peak_mb(server) - before
        server.stop()
    return [
        Row(
            measure=f"API process: growth while 50 MB go up and {size / 1e6:.0f} MB come down",
            ours=f"{before + growth:.0f} MB",
            peer=f"{before:.0f} MB",
            value=f"{growth:+.0f} MB",
            bar="≤ 60 MB",
            holds=growth <= 60,
        )
    ]


def _side_by_side(
    measure: str,
    library: Callable[[Reader], None],
    submit: Callable[[Server, str], list[str]],
    *,
    bar: float,
    runs: int,
) -> list[Row]:
    ours, theirs = [], []
    reader = open_reader(settings=replace(Settings()))
    with served(workers=1, min_workers=1, **OFF) as server:
        wait_for_all(server, [server.submit(SAMPLES / "receipt.jpg", "first")])
        _drain(reader, [SAMPLES / "receipt.jpg"])
        for i in range(runs):
            started = time.perf_counter()
            library(reader)
            theirs.append(time.perf_counter() - started)
            started = time.perf_counter()
            wait_for_all(server, submit(server, f"run-{i}"))
            ours.append(time.perf_counter() - started)
        server.stop()
    reader.close()
    return [
        at_least(
            measure,
            ours=f"{statistics.median(ours):.1f} s",
            peer=f"{statistics.median(theirs):.1f} s",
            ratios=[b / a for a, b in zip(ours, theirs, strict=True)],
            bar=bar,
        )
    ]


def _drain(reader: Reader, files: list[Path]) -> None:
    for _, document in reader.read_many(files, ReadOptions(text_layer="never")):
        assert not isinstance(document, Exception), document


def _has_page(server: Server, job_id: str) -> bool:
    return server.client.get(f"/v1/jobs/{job_id}/pages/1").is_success


def _workers(server: Server) -> int:
    from bench.chaos import family

    return len(family(server.process.pid)[0])


def _peak_mb(server: Server) -> float:
    from bench.chaos import family

    [api] = family(server.process.pid)[1]
    status = Path(f"/proc/{api}/status").read_text()
    return int(next(s for s in status.splitlines() if "VmHWM" in s).split()[1]) / 1024


def _until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.005)


def _padded(path: Path, size: int) -> Path:
    """A PDF of 100 pages with this many bytes, most of them a stream that no page shows."""
    from pypdf import PdfReader, PdfWriter
    from pypdf.generic import StreamObject

    writer = PdfWriter()
    page = PdfReader(SAMPLES / "mixed.pdf").pages[1]
    for _ in range(100):
        writer.add_page(page)
    filling = StreamObject()
    filling.set_data(os.urandom(size))
    writer._add_object(filling)  # no public way to add an object that nothing refers to
    writer.write(path)
    return path


if __name__ == "__main__":
    main()
