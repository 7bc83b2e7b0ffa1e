"""The client of PaddleOCR-VL against the ideal schedule, and against `PaddleOCRVL`.

`python -m bench.vl` needs no weights: the server is `bench.fake_vl_server`, whose answers
take the time that real ones take. The peer needs a Python with `paddleocr[doc-parser]` and
`onnxruntime`, `--peer`; without it its row is left out. `--tiny` reads pages end to end with
a tiny random model behind a server (`bench.vl_tiny`).
"""

from __future__ import annotations

import argparse
import heapq
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np

from bench.corpus import PROJECT
from bench.fake_vl_server import Served
from bench.rows import Row, at_least, table
from bench.vl_pages import Pixels, areas_by, page, write_model
from pagetide.engine import Engine, PageImage
from pagetide.engines.vl import open_engine
from pagetide.settings import Settings
from pagetide.system.cpu import model_name

PEER = PROJECT / ".venv-paddle" / "bin" / "python"
DOCUMENT = 8  # pages of a short document


def main() -> None:
    """Run the requested measures and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.vl", description=__doc__)
    parser.add_argument("--peer", type=Path, default=PEER)
    parser.add_argument("--pages", type=int, default=96)
    parser.add_argument("--slots", type=int, default=64)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--tiny", action="store_true")
    arguments = parser.parse_args()
    if arguments.tiny:
        from bench.vl_tiny import end_to_end

        rows = end_to_end()
    else:
        rows = measured(arguments.peer, arguments.pages, arguments.slots, arguments.runs)
    print(f"\n{table(rows)}\n\n{model_name()}; load {os.getloadavg()[0]:.1f}")


def measured(peer: Path, pages: int, slots: int, runs: int) -> list[Row]:
    """All rows on one set of pages; the sides alternate."""
    with tempfile.TemporaryDirectory() as name, serving(slots) as url:
        folder = Path(name)
        write_model(folder / "layout")
        images = [page(number) for number in range(pages)]
        np.save(folder / "pages.npy", np.stack(images))
        settings = Settings(vl_url=url, vl_concurrency=slots, vl_cache_mb=0)
        engine = open_engine(settings, "merge=no", areas_by(folder / "layout"))
        ours: dict[int, list[_Run]] = {pages: [], DOCUMENT: []}
        theirs: dict[int, list[_Run]] = {pages: [], DOCUMENT: []}
        read(engine, images[:2], url)
        with _peer(peer, folder, url, slots) as other:
            for size in [
                *[pages] * runs,
                DOCUMENT,
            ]:  # short ones once: the peer is slow
                ours[size].append(read(engine, images, url, size))
                if other:
                    theirs[size].append(_read_by(other, url, size))
        engine.close()
    shape = f"{pages} pages, {len(ours[pages][0].served)} blocks, {slots} slots"
    rows = [_busy(shape, ours[pages], slots), _ideal(shape, ours[pages], slots)]
    if peer.exists():
        rows.append(_against(f"one document: {shape}", ours[pages], theirs[pages]))
        split = f"documents of {DOCUMENT} pages, all at once: {shape}"
        rows.append(_against(split, ours[DOCUMENT], theirs[DOCUMENT]))
    return rows


class _Run:
    """One reading of all pages: seconds until the first and the last, and the server's log."""

    def __init__(self, first: float, last: float, served: list[Served]) -> None:
        self.first, self.last, self.served = first, last, served

    def busy(self, slots: int) -> float:
        """The share (0-1) of the slots' time that was used while areas were left to be sent."""
        start = min(each.came for each in self.served)
        end = max(each.came for each in self.served)
        used = sum(
            max(min(each.ended, end) - max(each.began, start), 0) for each in self.served
        )
        return used / (slots * (end - start))

    def ideal(self, slots: int) -> float:
        """Seconds with the same answers in the same order, and nothing else to wait for."""
        free = [0.0] * slots
        for each in sorted(self.served, key=lambda each: each.came):
            heapq.heappush(free, heapq.heappop(free) + each.seconds)
        return max(free)


def read(engine: Engine, images: Sequence[Pixels], url: str, size: int = 0) -> _Run:
    """The pages through our engine, as documents of this many pages, each in a thread."""
    _forget(url)
    size = size or len(images)
    documents = [images[start : start + size] for start in range(0, len(images), size)]
    started = time.perf_counter()
    firsts: list[float] = []

    def read_one(document: Sequence[Pixels]) -> None:
        pictures = (PageImage(pixels=pixels, dpi=150) for pixels in document)
        for reading in engine.read(pictures, "en"):
            firsts.append(time.perf_counter() - started)
            assert reading.error is None and not reading.warnings, reading

    with ThreadPoolExecutor(len(documents)) as pool:
        list(pool.map(read_one, documents))
    return _Run(min(firsts), time.perf_counter() - started, _served(url))


@contextmanager
def serving(slots: int) -> Iterator[str]:
    """The fake server in a process of its own; its base URL."""
    command = [sys.executable, "-m", "bench.fake_vl_server", "--slots", str(slots)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.terminate()


@contextmanager
def _peer(
    python: Path, folder: Path, url: str, slots: int
) -> Iterator[subprocess.Popen[str] | None]:
    if not python.exists():
        print(f"{python} is missing: the peer's row is left out.")
        yield None
        return
    command = [str(python), str(Path(__file__).parent / "vl_peer.py"), str(folder), url]
    with subprocess.Popen(
        [*command, str(slots)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            _line(process, "ready")
            _read_by(process, url, 10**6)  # its first run is slower
            yield process
        finally:
            process.terminate()


def _read_by(process: subprocess.Popen[str], url: str, size: int) -> _Run:
    assert process.stdin
    _forget(url)
    process.stdin.write(f"{size}\n")
    process.stdin.flush()
    first, last = _line(process, "").split()
    return _Run(float(first), float(last), _served(url))


def _line(process: subprocess.Popen[str], wanted: str) -> str:
    """The next line that is not library output."""
    assert process.stdout
    for line in process.stdout:
        if line.strip() == wanted or (not wanted and line[:1].isdigit()):
            return line
    raise AssertionError("the peer ended")


def _served(url: str) -> list[Served]:
    return [Served(*each) for each in httpx.get(f"{url}/served", trust_env=False).json()]


def _forget(url: str) -> None:
    httpx.get(f"{url}/served?forget", trust_env=False)


def _busy(shape: str, runs: Sequence[_Run], slots: int) -> Row:
    shares = [run.busy(slots) for run in runs]
    share = statistics.median(shares)
    return Row(
        measure=f"slots busy while areas wait ({shape})",
        ours=f"{100 * share:.1f} %",
        peer="",
        value=f"{100 * share:.1f} % ({100 * min(shares):.1f}–{100 * max(shares):.1f})",
        bar="≥ 95 %",
        holds=share >= 0.95,
        note="From the first request to the arrival of the last one, the first pages' layout"
        " included. As many requests at once as slots: nothing waits in the server.",
    )


def _ideal(shape: str, runs: Sequence[_Run], slots: int) -> Row:
    ratios = [run.last / run.ideal(slots) for run in runs]
    ratio = statistics.median(ratios)
    return Row(
        measure=f"wall time against the ideal schedule ({shape})",
        ours=f"{statistics.median(run.last for run in runs):.2f} s",
        peer=f"{statistics.median(run.ideal(slots) for run in runs):.2f} s",
        value=f"{ratio:.3f}× ({min(ratios):.3f}–{max(ratios):.3f})",
        bar="≤ 1.1×",
        holds=ratio <= 1.1,
        note="Ideal: the same answers in the same order on the same slots, with no layout, no"
        " picture cropping and no network.",
    )


def _against(shape: str, ours: Sequence[_Run], theirs: Sequence[_Run]) -> Row:
    def summed(run: _Run) -> str:
        return f"{len(run.served)} requests of {sum(s.seconds for s in run.served):.0f} s"

    return at_least(
        f"`PaddleOCRVL`, the same server and areas ({shape})",
        ours=f"{statistics.median(run.last for run in ours):.2f} s",
        peer=f"{statistics.median(run.last for run in theirs):.2f} s",
        ratios=[b.last / a.last for a, b in zip(ours, theirs, strict=True)],
        bar=1.6,
        note=f"All pages; ours {summed(ours[0])}, the peer's {summed(theirs[0])}. First page:"
        f" {statistics.median(run.first for run in ours):.2f} s against"
        f" {statistics.median(run.first for run in theirs):.2f} s. The peer's layout model,"
        " a constant, runs in ours too. The peer has its queues on, and takes one document at"
        " a time, as its instances allow.",
    )


if __name__ == "__main__":
    main()
