"""Areas found on pages with known areas: `python -m bench.layout_quality`.

PubLayNet has five classes. The mapping of our kinds to them was fixed before anything
was measured, and applies to the layout model alone as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bench.corpus import CORPUS, BenchPage, pages
from bench.peers import load
from bench.rows import Row, table
from pagetide import ReadOptions, open_reader
from pagetide.document import BlockKind
from pagetide.engines.layout import open_layout
from pagetide.engines.layout.cdla import CdlaLayout
from pagetide.geometry import Box, area, box_of, intersection_area
from pagetide.settings import Settings

CLASSES = ("text", "title", "list", "table", "figure")
# Headers, footers and page numbers are not annotated there, formulas are part of the text
# around them: none of these is counted.
CLASS_OF: Mapping[BlockKind, str] = {
    "title": "title",
    "heading": "title",
    "text": "text",
    "caption": "text",
    "footnote": "text",
    "aside": "text",
    "code": "text",
    "toc": "text",
    "list": "list",
    "reference": "list",
    "table": "table",
    "figure": "figure",
    "chart": "figure",
    "seal": "figure",
}
LEAST = 0.5  # intersection over union
# Every second page, by name, was inspected while the rules were written; the others were
# measured once before they were inspected too.
HALVES = {"pages developed on": slice(0, None, 2), "other pages": slice(1, None, 2)}

Labelled = tuple[str, Box]


@dataclass(frozen=True)
class Tally:
    """Numbers of areas found right, found at all, and present."""

    right: int = 0
    found: int = 0
    there: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.right + other.right, self.found + other.found, self.there + other.there
        )

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, 0–1; 1 if there was nothing to find."""
        return 2 * self.right / (self.found + self.there) if self.found + self.there else 1.0

    def __str__(self) -> str:
        return f"{100 * self.f1:.1f} % ({self.right} right, {self.found}, {self.there})"


def tally(found: Iterable[Labelled], truth: Iterable[Labelled], name: str) -> Tally:
    """Areas of one class, each paired with at most one true area, the best fit first."""
    ours = [box for label, box in found if label == name]
    theirs = [box for label, box in truth if label == name]
    fits = sorted(
        ((overlap(a, b), i, j) for i, a in enumerate(ours) for j, b in enumerate(theirs)),
        reverse=True,
    )
    paired: set[int] = set()
    taken: set[int] = set()
    for fit, i, j in fits:
        if fit >= LEAST and i not in paired and j not in taken:
            paired.add(i)
            taken.add(j)
    return Tally(len(paired), len(ours), len(theirs))


def overlap(a: Box, b: Box) -> float:
    """Intersection over union of two boxes, 0–1."""
    shared = intersection_area(a, b)
    return shared / (area(a) + area(b) - shared) if shared else 0.0


def truth_of(page: BenchPage) -> list[Labelled]:
    """The areas that are on a page."""
    path = CORPUS / "truth" / "publaynet" / f"{page.path.name}.json"
    regions = json.loads(path.read_text())["regions"]
    return [(each["label"], tuple(each["box"])) for each in regions]


def blocks_of(chosen: Sequence[BenchPage]) -> list[list[Labelled]]:
    """What `structure-lite` finds on pictures of pages."""
    with open_reader("structure-lite") as reader:
        options = ReadOptions(text_layer="never")
        documents = [reader.read(page.path, options=options) for page in chosen]
    return [
        _labelled((block.kind, box_of(block.polygon)) for block in document.pages[0].blocks)
        for document in documents
    ]


def areas_of(chosen: Sequence[BenchPage]) -> list[list[Labelled]]:
    """What the layout model finds by itself, decoded as by its authors."""
    layout = open_layout(Settings())
    assert isinstance(layout, CdlaLayout)
    return [
        _labelled(
            (each.kind, box_of(each.polygon))
            for each in layout.find(load(page.path), least=0.5, across=False)
        )
        for page in chosen
    ]


def layout_quality() -> list[Row]:
    """F1 for each class, and over all areas for each half of the pages."""
    chosen = pages("publaynet")
    truth = [truth_of(page) for page in chosen]
    ours, theirs = blocks_of(chosen), areas_of(chosen)

    def row(
        measure: str, names: Sequence[str], part: slice = slice(None), note: str = ""
    ) -> Row:
        mine, peer = (
            sum(
                (
                    tally(a, b, n)
                    for a, b in zip(side[part], truth[part], strict=True)
                    for n in names
                ),
                Tally(),
            )
            for side in (ours, theirs)
        )
        return _row(measure, mine, peer, note)

    return [
        *(row(name, [name]) for name in CLASSES),
        *(row(half, CLASSES, part) for half, part in HALVES.items()),
        row("all", CLASSES, note=NOTE),
    ]


NOTE = (
    "F1 at an intersection over union of 0.5: right, found, present. Peer: the layout model "
    "alone. Kinds are mapped in the same way for both: "
    + ", ".join(f"{kind} → {name}" for kind, name in CLASS_OF.items())
)


def _row(name: str, mine: Tally, peer: Tally, note: str) -> Row:
    return Row(
        measure=f"publaynet, {name}: F1",
        ours=str(mine),
        peer=str(peer),
        value=f"{100 * (mine.f1 - peer.f1):+.1f} points",
        bar="above the layout model alone",
        holds=mine.f1 > peer.f1 or mine.f1 == 1.0,
        note=note,
    )


def _labelled(found: Iterable[tuple[BlockKind, Box]]) -> list[Labelled]:
    return [(CLASS_OF[kind], box) for kind, box in found if kind in CLASS_OF]


if __name__ == "__main__":
    print(table(layout_quality()))
