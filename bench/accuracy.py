"""Character errors and boxes found, on the corpus's sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.corpus import BenchPage
from bench.metrics import Errors, FoundLine, character_errors, found_share
from bench.peers import RapidOcr, load
from bench.rows import Row
from pagetide.engine import Engine, PageImage
from pagetide.engines.ppocr import open_engine
from pagetide.geometry import box_of
from pagetide.settings import Settings

NO_WORSE_THAN = 0.1  # points of character error rate


def errors(sets: Mapping[str, Sequence[BenchPage]]) -> list[Row]:
    """Character error rates beside RapidOCR's with its classifier off."""
    engine, peer = open_engine(Settings()), RapidOcr(classifier=False)
    rows = []
    for name, pages in sets.items():
        theirs = [peer.read(load(page.path)) for page in pages]
        ours = percent(pages, read_all(engine, pages))
        measure = f"{name}, RapidOCR without classifier"
        rows.append(error_row(measure, ours, percent(pages, theirs), NO_WORSE_THAN))
    engine.close()
    return rows


def boxes(pages: Sequence[BenchPage]) -> list[Row]:
    """Boxes found on table pages, as a share of those found at the pages' full size."""
    full_size = open_engine(Settings(detection_side=4096))
    engine = open_engine(Settings())
    hits = wanted = 0
    for ours, full in zip(read_all(engine, pages), read_all(full_size, pages), strict=True):
        found, there = found_share([line.box for line in full], [line.box for line in ours])
        hits, wanted = hits + found, wanted + there
    engine.close()
    full_size.close()
    share = 100 * hits / wanted
    return [
        Row(
            measure="table pages: boxes found, of those at full size",
            ours=str(hits),
            peer=str(wanted),
            value=f"{share:.1f} %",
            bar="≥ 98 %",
            holds=share >= 98,
        )
    ]


def read_all(engine: Engine, pages: Sequence[BenchPage]) -> list[list[FoundLine]]:
    """The lines found on each page."""
    images = (PageImage(pixels=load(page.path), dpi=144) for page in pages)
    return [
        [FoundLine(text=line.text, box=box_of(line.polygon)) for line in reading.lines]
        for reading in engine.read(images, "en")
    ]


def percent(pages: Sequence[BenchPage], found: Sequence[Sequence[FoundLine]]) -> float:
    """Character errors of all pages, as a percentage of their characters."""
    total = Errors(edits=0, characters=0)
    for page, lines in zip(pages, found, strict=True):
        total += character_errors(page.lines, lines)
    return total.percent


def error_row(measure: str, ours: float, theirs: float, most: float) -> Row:
    """A row for character errors in per cent: ours may be at most `most` points higher."""
    return Row(
        measure=f"character error rate, {measure}",
        ours=f"{ours:.2f} %",
        peer=f"{theirs:.2f} %",
        value=f"{ours - theirs:+.2f} points",
        bar=f"≤ +{most}",
        holds=ours - theirs <= most,
    )
