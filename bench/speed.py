"""Pages a minute and latency, side by side with the peers on the same pages."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bench.peers import Pixels, RapidOcr, Tesseract, load
from bench.rows import Row, at_least
from pagetide.engine import Engine, PageImage
from pagetide.engines.ppocr import open_engine
from pagetide.settings import Settings

CHUNK = 8  # pages: few enough that the machine is the same for both sides of a ratio


def latin(pages: Sequence[Path]) -> list[Row]:
    """Scanned Latin pages against RapidOCR's defaults and against Tesseract."""
    engine, peer = _warm(pages), RapidOcr()
    peer.read(load(pages[0]))
    with tempfile.TemporaryDirectory() as folder:
        tesseract = Tesseract(Path(folder))
        times = _side_by_side(
            pages,
            {
                "ours": lambda chunk: _read(engine, [load(page) for page in chunk], "en"),
                "rapidocr": lambda chunk: [peer.read(load(page)) for page in chunk],
                "tesseract": tesseract.read_files,
            },
        )
    engine.close()
    return [
        _speed_row("scanned Latin pages/min, RapidOCR defaults", pages, times, "rapidocr", 10),
        _speed_row("the same, Tesseract 5, a process per core", pages, times, "tesseract", 1.7),
    ]


def mixed(pages: Sequence[Path]) -> list[Row]:
    """Pages of mixed scripts, every line read with the whole dictionary."""
    engine, peer = _warm(pages, "ch"), RapidOcr()
    peer.read(load(pages[0]))
    times = _side_by_side(
        pages,
        {
            "ours": lambda chunk: _read(engine, [load(page) for page in chunk], "ch"),
            "rapidocr": lambda chunk: [peer.read(load(page)) for page in chunk],
        },
    )
    engine.close()
    measure = "mixed scripts (full head) pages/min, RapidOCR defaults"
    return [_speed_row(measure, pages, times, "rapidocr", 6.5)]


def dense_page(page: Path, runs: int = 3) -> list[Row]:
    """One dense page, warm: the time to read it."""
    engine, peer, pixels = _warm([page]), RapidOcr(), load(page)
    peer.read(pixels)
    ours, theirs = [], []
    for _ in range(runs):
        ours.append(_timed(lambda: _read(engine, [pixels], "en")))
        theirs.append(_timed(lambda: peer.read(pixels)))
    engine.close()
    return [
        at_least(
            "one dense page, warm, latency",
            ours=f"{min(ours):.2f} s",
            peer=f"{min(theirs):.2f} s",
            ratios=[b / a for a, b in zip(ours, theirs, strict=True)],
            bar=6,
        )
    ]


def _warm(pages: Sequence[Path], language: str = "en") -> Engine:
    """An engine that has met every page size once, like one that has run for a while."""
    engine = open_engine(Settings())
    sizes = {load(page).shape: page for page in pages}
    _read(engine, [load(page) for page in sizes.values()], language)
    return engine


def _read(engine: Engine, pages: Sequence[Pixels], language: str) -> None:
    images = (PageImage(pixels=pixels, dpi=144) for pixels in pages)
    assert len(list(engine.read(images, language))) == len(pages)


def _side_by_side(
    pages: Sequence[Path], contenders: dict[str, Callable[[Sequence[Path]], object]]
) -> dict[str, list[float]]:
    """Seconds of each contender on each chunk of the pages, alternating."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for start in range(0, len(pages), CHUNK):
        chunk = pages[start : start + CHUNK]
        for name, read in contenders.items():
            times[name].append(_timed(partial(read, chunk)))
    return times


def _timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def _speed_row(
    measure: str, pages: Sequence[Path], times: dict[str, list[float]], peer: str, bar: float
) -> Row:
    def per_minute(name: str) -> str:
        return f"{60 * len(pages) / sum(times[name]):.1f}"

    return at_least(
        measure,
        ours=per_minute("ours"),
        peer=per_minute(peer),
        ratios=[b / a for a, b in zip(times["ours"], times[peer], strict=True)],
        bar=bar,
    )
