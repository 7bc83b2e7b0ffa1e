"""Lines near a page's edge that are neither its header nor its footer."""

from __future__ import annotations

import pytest

from pagetide.document import Line
from pagetide.geometry import polygon_of
from pagetide.structure.draft import Draft
from pagetide.structure.margins.edges import margin_kind
from pagetide.structure.rows import Row

PAGE = (0.0, 0.0, 1000.0, 1400.0)
USUAL = 20.0


def _draft(text: str, top: float, height: float = 16.0, rows: int = 1) -> Draft:
    boxes = [
        (100.0, y, 100 + 0.5 * height * len(text), y + height)
        for y in (top + 1.4 * height * n for n in range(rows))
    ]
    lines = [Line(text=text, polygon=polygon_of(box)) for box in boxes]
    return Draft(
        rows=tuple(
            Row.of((n,), (line,), (box,))
            for n, (line, box) in enumerate(zip(lines, boxes, strict=True))
        )
    )


PROSE = _draft("a sentence of plain words that goes on to the end of its line", 300, 20.0, 8)
FOOT = _draft("The Harrow Gazette", 1370)


def _kind(draft: Draft, *others: Draft) -> str:
    return margin_kind(draft, [draft, PROSE, *others], USUAL, PAGE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Above: the salt ponds before sunrise, seen from the mill", "text"),
        ("The Harrow Gazette, May", "footer"),
    ],
)
def test_a_line_of_text_far_above_the_footer_is_text(text: str, expected: str) -> None:
    draft = _draft(text, 1320)
    assert _kind(draft) == "footer"
    assert _kind(draft, FOOT) == expected


def test_a_date_below_a_title_is_no_header() -> None:
    date = _draft("Valid from 3 June", 88)
    assert _kind(date) == "header"
    assert _kind(date, _draft("Prices", 40, 36.0)) == "text"


def test_the_caption_of_a_table_at_the_top_is_no_header() -> None:
    assert _kind(_draft("Table 2: Ships by harbour", 60)) == "text"


def test_a_whole_line_is_no_header() -> None:
    sentence = "Whoever signs this form states that all of the answers in it are true and whole"
    assert _kind(_draft(sentence, 60, 18.0)) == "text"
    assert _kind(_draft(f"{sentence} 149", 60, 18.0)) == "header"
