"""Reading order on the corpus, against the order in which the pages were written.

A page's truth lists its lines as the PDF draws them, which is mostly, not always, how they
are read: the bars stand a little below what was measured, and above sorting by rows.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagetide.geometry import Box
from tests.golden.test_order import kept_together


def _pages(folder: Path) -> Iterator[list[Box]]:
    for path in sorted(folder.glob("*.json")):
        truth = json.loads(path.read_text())
        for page in truth.get("pages") or [truth]:
            if page.get("lines"):
                yield [tuple(line["box"]) for line in page["lines"]]


# By rows alone: 0.80, 0.89, 0.96.
@pytest.mark.parametrize(
    ("name", "least"), [("digital", 0.82), ("icdar2013", 0.92), ("pdf", 0.96)]
)
def test_lines_stay_together(corpus: Path, name: str, least: float) -> None:
    pages = list(_pages(corpus / "truth" / name))
    pairs = sum(len(boxes) - 1 for boxes in pages)
    assert sum(map(kept_together, pages)) >= least * pairs
