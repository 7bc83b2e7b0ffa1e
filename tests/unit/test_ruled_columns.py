"""Columns of text with a rule between are read by themselves; a table's are a table."""

from __future__ import annotations

from pagetide.document import Line
from pagetide.geometry import polygon_of
from pagetide.layout import Drawn, Rule
from pagetide.structure import structure

WIDTH, HEIGHT = 1000, 1400


def _line(text: str, x: float, y: float, *, right: float = 0) -> Line:
    return Line(text=text, polygon=polygon_of((x, y, right or x + 9 * len(text), y + 20)))


def _told(lines: list[Line], *rules: Rule) -> list[str]:
    return [
        block.text for block in structure(lines, WIDTH, HEIGHT, drawn=Drawn(rules=rules))[1]
    ]


def _down(x: float, top: float, bottom: float) -> Rule:
    return Rule(start=(x, top), end=(x, bottom), thickness=3.0)


def test_notes_behind_a_rule_are_read_after_the_text_beside_them() -> None:
    said = [
        "There are forty-one on the outer list and nine on",
        "the inner one, which is closed for new names until",
        "the first of March, as was told before.",
    ]
    text = [
        _line(each, 100, 100 + 27 * n, right=600 - 80 * (n == 2)) for n, each in enumerate(said)
    ]
    notes = [_line("Ann tells", 640, 100), _line("the page", 640, 121)]
    told = _told([*text, *notes], _down(620, 95, 180))
    assert told[0].split("\n") == said and told[1:] == ["Ann tells\nthe page"]


def test_columns_with_rules_between_are_read_one_after_the_other() -> None:
    columns = [
        [
            _line(f"column {c} line {n} of text", x, 100 + 25 * n, right=x + 270)
            for n in range(6)
        ]
        for c, x in enumerate((60, 360, 660))
    ]
    told = _told(
        [line for own in columns for line in own], _down(345, 95, 250), _down(645, 95, 250)
    )
    assert [each.split("\n")[0] for each in told] == [
        f"column {c} line 0 of text" for c in range(3)
    ]


def test_a_rule_between_rows_of_a_table_parts_no_columns() -> None:
    lines = [
        _line(said, x, 100 + 30 * n)
        for n in range(5)
        for said, x in ((f"Name {n}", 100), (f"{n}1.50", 400), (f"{n}7", 520))
    ]
    [table] = _told(lines, _down(380, 95, 245))
    assert table.count("\n") == 4


def test_rules_that_end_at_other_heights_tell_a_line_once() -> None:
    lines = [
        _line(f"column {c} line {n} of text", x, 100 + 25 * n, right=x + 270)
        for c, x in enumerate((60, 360, 660))
        for n in range(20)
    ]
    told = "\n".join(_told(lines, _down(345, 95, 610), _down(645, 95, 500)))
    assert told.count("of text") == len(lines)
