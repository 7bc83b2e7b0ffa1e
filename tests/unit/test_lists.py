"""Items of lists that count up, told from headings and sentences that begin with a number."""

import pytest

from pagetide.document import Line
from pagetide.geometry import polygon_of
from pagetide.structure import structure

WIDTH, HEIGHT = 1000, 1400


def _rows(*texts: str, left: float = 100, top: float = 300) -> list[Line]:
    return [
        Line(
            text=text,
            polygon=polygon_of(
                (left, top + 25 * at, left + 10.0 * len(text), top + 25 * at + 20)
            ),
        )
        for at, text in enumerate(texts)
    ]


def _kinds(lines: list[Line]) -> list[tuple[str, str]]:
    blocks = structure(lines, WIDTH, HEIGHT)[1]
    return [(block.kind, block.text) for block in blocks]


def test_what_stands_far_below_the_last_item_is_none_of_it() -> None:
    items = [f"{mark}) Open the valve" for mark in (1, 2, 3)]
    note = _rows("Note: this is set in as the text of an item is", left=120, top=400)
    again = _rows("1. Close the valve", "2. Stop the pump", top=450)
    found = _kinds([*_rows(*items), *note, *again])
    assert found[:2] == [("list", "\n".join(items)), ("text", note[0].text)]


def test_the_last_of_items_right_below_each_other_heads_nothing() -> None:
    items = ["1) Open the valve", "2) Start the pump"]
    prose = _rows(*["What follows is a line of a paragraph that goes on"] * 4, top=350)
    assert _kinds([*_rows(*items), *prose])[0] == ("list", "\n".join(items))


@pytest.mark.parametrize(
    "marks",
    [
        ("1.", "2.", "3."),
        ("(a)", "(b)", "(c)"),
        ("i.", "ii.", "iii."),
        ("1)", "2)", "3)"),
        ("（一）", "（二）", "（三）"),
    ],
)
def test_items_that_count_up_are_a_list(marks: tuple[str, ...]) -> None:
    items = [f"{mark} Open the valve before the pump is started" for mark in marks]
    [(kind, text)] = _kinds(_rows(*items))
    assert kind == "list" and text.count("\n") == 2


def test_a_mark_without_a_space_behind_its_brackets_is_one_too() -> None:
    rows = _rows("(a) Open the left valve now", "(b)Close the right valve now")
    assert [kind for kind, _ in _kinds(rows)] == ["list"]


def test_numbers_that_do_not_count_up_are_none() -> None:
    rows = _rows("7. Open the left valve now", "3. Close the right valve now")
    assert "list" not in [kind for kind, _ in _kinds(rows)]


def test_a_short_numbered_row_over_flush_prose_is_no_item() -> None:
    prose = "The valve is opened before the pump is started, and closed again after it."
    rows = _rows("1. Scope", prose, prose, "2. Terms", prose, prose)
    assert not any(kind == "list" for kind, _ in _kinds(rows))


def test_items_count_up_past_those_that_stand_below_one() -> None:
    items = [
        "1. Open the valve",
        "a) the left one",
        "b) the right one",
        "2. Start the pump now",
    ]
    [(kind, text)] = _kinds(_rows(*items))
    assert kind == "list" and text.count("\n") == 3


def test_initials_of_names_start_no_items() -> None:
    names = [*_rows("J. R. Penhallow", left=420), *_rows("T. Adeyemi", left=445, top=330)]
    assert [kind for kind, _ in _kinds(names)] == ["text"]
