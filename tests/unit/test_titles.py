"""A page's title is told by the size of its type: on pictures by the width of letters, too."""

from __future__ import annotations

import pytest

from pagetide.document import Line, TextSource
from pagetide.geometry import polygon_of
from pagetide.structure.draft import Draft
from pagetide.structure.headings.by_look import titled
from pagetide.structure.rows import Row

PAGE = (0.0, 0.0, 1000.0, 1400.0)
USUAL = 20.0  # of a text whose letters are half as wide as it is high


def _heading(height: float, letter: float, source: TextSource, top: float = 100) -> Draft:
    text = "Price list"
    box = (100.0, top, 100 + letter * len(text), top + height)
    line = Line(text=text, polygon=polygon_of(box), source=source)
    return Draft(kind="heading", rows=(Row.of((0,), (line,), (box,)),))


@pytest.mark.parametrize(("source", "kind"), [("ocr", "title"), ("text_layer", "heading")])
def test_letters_twice_as_wide_make_a_title_of_what_was_read(
    source: TextSource, kind: str
) -> None:
    [found] = titled([_heading(27, 19, source)], USUAL, PAGE)
    assert found.kind == kind


def test_a_box_that_is_high_alone_makes_none() -> None:
    [found] = titled([_heading(31, 10, "ocr")], USUAL, PAGE)
    assert found.kind == "heading"


def test_the_title_is_larger_than_all_other_headings() -> None:
    first, second = _heading(40, 20, "ocr"), _heading(38, 19, "ocr", top=300)
    assert [d.kind for d in titled([first, second], USUAL, PAGE)] == ["heading", "heading"]
