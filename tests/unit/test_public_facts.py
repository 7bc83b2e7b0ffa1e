"""olmOCR-bench's rules: which facts hold of a page's Markdown."""

from __future__ import annotations

from typing import Any

import pytest

from bench.public import near
from bench.public.facts import Fact, passed
from bench.public.olmocr import result

_TABLE = """<table>
<thead><tr><th colspan="2">Dues</th><th>Note</th></tr></thead>
<tbody>
<tr><td rowspan="2">Barge</td><td>18.00</td><td>day</td></tr>
<tr><td>365</td><td>month</td></tr>
</tbody></table>"""


def _fact(kind: str, **fields: Any) -> Fact:
    return Fact(pdf="a.pdf", page=1, id="a", type=kind, **fields)


@pytest.mark.parametrize(
    ("fields", "markdown", "is_there"),
    [
        ({"text": "kept a light"}, "They **kept** a\nlight.", True),
        ({"text": "kept a light"}, "They kept the light.", False),
        ({"text": "kept a light", "max_diffs": 2}, "They kept a lihgt.", True),
        ({"text": "Kept"}, "kept", False),
        ({"text": "Kept", "case_sensitive": False}, "kept", True),
        ({"text": "“so” – it’s"}, '"so" - it\'s', True),
        ({"text": "7", "last_n": 3}, "7 pages are here", False),
        ({"text": "7", "first_n": 3}, "7 pages are here", True),
        ({"text": "7", "first_n": 2, "last_n": 2}, "all of page 7", True),
        ({"text": "far more than there is"}, "\n", False),
    ],
)
def test_text_that_is_to_be_there_or_not(
    fields: dict[str, Any], markdown: str, is_there: bool
) -> None:
    assert passed(_fact("present", **fields), markdown) is is_there
    assert passed(_fact("absent", **fields), markdown) is not is_there


def test_one_text_is_to_come_before_another() -> None:
    fact = _fact("order", before="first words", after="second words", max_diffs=1)
    assert passed(fact, "The first wards, and the second words.")
    assert not passed(fact, "The second words, and the first words.")
    assert not passed(fact, "The first words alone.")


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({"cell": "18.00"}, True),
        ({"cell": "18.01"}, False),
        ({"cell": "18.01", "max_diffs": 1}, True),
        ({"cell": "18.00", "left": "Barge", "right": "day", "up": "Dues", "down": "365"}, True),
        ({"cell": "18.00", "right": "month"}, False),
        ({"cell": "Barge", "right": "365"}, True),
        ({"cell": "365", "left": "Barge"}, True),
        ({"cell": "month", "top_heading": "Note", "left_heading": "Barge"}, True),
        ({"cell": "365", "top_heading": "Dues"}, True),
        ({"cell": "365", "top_heading": "18.00"}, False),
    ],
)
def test_a_cell_and_what_stands_around_it(fields: dict[str, Any], holds: bool) -> None:
    assert passed(_fact("table", **fields), f"Words.\n\n{_TABLE}\n") is holds


def test_without_headers_the_outermost_cells_are_headings() -> None:
    table = "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>"
    assert passed(_fact("table", cell="d", top_heading="b", left_heading="c"), table)


@pytest.mark.parametrize(
    ("markdown", "holds"),
    [(r"$$ x^2 $$", True), (r"so \(x^2\) is", True), (r"$x^{2}$", False), ("x^2", False)],
)
def test_a_formula_is_to_be_the_same_letter_by_letter(markdown: str, holds: bool) -> None:
    assert passed(_fact("math", math="x^2"), markdown) is holds


def test_dollars_do_not_count_where_a_test_says_so() -> None:
    fact = _fact("math", math="x", ignore_dollar_delimited=True)
    assert passed(fact, r"\(x\)")
    assert not passed(fact, "$x$")


@pytest.mark.parametrize(
    ("fields", "markdown", "holds"),
    [
        ({}, "Words.", True),
        ({}, " \n-- ", False),
        ({}, "Words " + "la " * 31, False),
        ({}, "Words " + "la " * 29, True),
        ({}, "Words 北", False),
        ({"check_disallowed_characters": False}, "Words 北", True),
        ({"max_length": 3}, "abcd", False),
        ({"max_length": 3}, "a b c", True),
        ({"max_length": 3, "max_length_skips_image_alt_tags": True}, "![abcd](e)", True),
    ],
)
def test_a_page_is_to_make_sense(fields: dict[str, Any], markdown: str, holds: bool) -> None:
    assert passed(_fact("baseline", **fields), markdown) is holds


def test_a_type_that_is_not_the_benchmarks_is_neither_held_nor_failed() -> None:
    strange = _fact("footnote")
    assert passed(strange, "words") is None
    told = result([("a", [("tables", strange, None), ("tables", _fact("present"), True)])], ())
    assert told.figures["overall"] == 100
    assert any("1 tests of other types" in note for note in told.notes)


def test_every_file_counts_alike_and_those_with_formulas_are_lower_bounds() -> None:
    fact = _fact("present")
    held = [("multi_column", fact, True)] * 3 + [("multi_column", fact, False)]
    told = result([("a", [*held, ("arxiv_math", fact, False), ("baseline", fact, True)])], ())
    assert told.figures["multi_column"] == 75
    assert told.figures["overall"] == pytest.approx((75 + 0 + 100) / 3)
    assert told.figures["without_math"] == pytest.approx((75 + 100) / 2)
    assert {"overall", "arxiv_math"} <= told.floors


@pytest.mark.parametrize(
    ("text", "piece", "most", "starts"),
    [
        ("hello world hallo", "hello", 1, [0, 12]),
        ("aaaa", "b", 0, []),
        ("one two one", "one", 0, [0, 8]),
        ("xone", "one", 2, [1]),
    ],
)
def test_near_pieces_are_found_where_they_begin(
    text: str, piece: str, most: int, starts: list[int]
) -> None:
    assert near.starts_of(text, piece, most) == starts
