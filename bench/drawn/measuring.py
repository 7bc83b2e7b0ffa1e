"""Draws documents, reads them with Pagetide, and scores every page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from bench.drawn.pictures import Picture, clean, degraded
from bench.drawn.printing import Drawn, documents
from bench.drawn.score import PageScore, page_score
from bench.drawn.totals import SETS, rows
from bench.rows import Row
from pagetide import open_reader
from pagetide.document import Page
from pagetide.geometry import Point
from pagetide.reading import Reader

MEASURING = 1000
"""Seeds from here on are for measuring alone; no document of theirs is looked at."""
DEVELOP, HELD_OUT = range(60), range(MEASURING, MEASURING + 60)

Told = Callable[[Drawn, PageScore, int], None]


def measure(
    seeds: Sequence[int], *, pictures: bool, model: str, tell: Told | None = None
) -> dict[str, dict[str, list[PageScore]]]:
    """For `developed` and `measured`, if their seeds are requested, scores by kind.

    Args:
        seeds: Of the documents.
        pictures: Whether pictures are read: clean and degraded ones alternating.
        model: The model that reads them.
        tell: Called for each page of a development seed: document, score, page number.
    """
    sets: dict[str, dict[str, list[PageScore]]] = {}
    with open_reader(model) as reader:
        for drawn in documents(seeds):
            held = drawn.truth.seed >= MEASURING
            kinds = sets.setdefault(SETS[held], defaultdict(list))
            read = read_pictures if pictures else read_pdf
            for number, score in enumerate(read(reader, drawn), 1):
                kinds[drawn.truth.kind].append(score)
                if tell and not held:
                    tell(drawn, score, number)
    return sets


def read_pdf(reader: Reader, drawn: Drawn) -> Iterator[PageScore]:
    """The scores of a document's pages as a PDF."""
    for page, truth in zip(reader.read(drawn.pdf).pages, drawn.truth.pages, strict=True):
        scale = truth.width / page.width
        yield page_score(drawn.truth.name, truth, page, partial(scaled, by=scale))


def read_pictures(reader: Reader, drawn: Drawn) -> Iterator[PageScore]:
    """The scores of its pages as pictures."""
    for picture, truth in zip(pictures_of(drawn), drawn.truth.pages, strict=True):
        page: Page = reader.read(picture.jpeg).pages[0]
        yield page_score(drawn.truth.name, truth, page, picture.back)


def pictures_of(drawn: Drawn) -> Iterator[Picture]:
    """The pages to measure: if seed plus page index is odd, they are degraded."""
    seed = drawn.truth.seed
    for place, picture in enumerate(clean(drawn.pdf, seed)):
        is_odd = (seed + place) % 2
        yield degraded(picture, seed + 7919 * (place + 1)) if is_odd else picture


def scaled(point: Point, *, by: float) -> Point:
    """A position on a page shown larger or smaller."""
    return point[0] * by, point[1] * by


def drawn_rows() -> list[Row]:
    """The rows of `bench.structure`: PDFs of the seeds for development and for measuring."""
    return rows("PDFs", measure([*DEVELOP, *HELD_OUT], pictures=False, model="structure-lite"))
