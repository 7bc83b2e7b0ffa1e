"""How deep items are nested, by where their rows start."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Block, Line, Page, Word
from pagetide.exports.text import markdown
from pagetide.geometry import polygon_of, union
from tests.documents import document_of, page_of

HEIGHT, LETTER = 20, 10


def _list(rows: Sequence[tuple[float, str]]) -> Page:
    """A list of rows at their left edges, each word a box."""
    lines: list[Line] = []
    for place, (left, text) in enumerate(rows):
        top, at, words = 100.0 + 25 * place, left, []
        for word in text.split():
            end = at + LETTER * len(word)
            words.append(Word(text=word, polygon=polygon_of((at, top, end, top + HEIGHT))))
            at = end + LETTER
        box = (left, top, at - LETTER, top + HEIGHT)
        lines.append(Line(text=text, polygon=polygon_of(box), words=tuple(words)))
    boxes = [(line.polygon[0][0], 0.0, line.polygon[2][0], 500.0) for line in lines]
    block = Block(
        kind="list",
        polygon=polygon_of(union(boxes)),
        order=0,
        text="\n".join(line.text for line in lines),
        line_indexes=tuple(range(len(lines))),
    )
    return page_of(lines, blocks=(block,))


def _written(rows: Sequence[tuple[float, str]]) -> list[str]:
    text = markdown.write(document_of(_list(rows)))
    return [line for line in text.split("\n") if line.strip() and "<!--" not in line]


def test_a_small_step_nests_items_of_several_rows() -> None:
    """A row's height counts, not that of an item of several."""
    found = _written([
        (100, "• Open the valve that leads to the tank behind the old mill and"),
        (120, "close it again before the pump is started"),
        (118, "• Close the valve of the other tank, which must be closed in any"),
        (138, "case before the pump is started"),
        (100, "• Start the pump"),
    ])  # fmt: skip
    assert [len(line) - len(line.lstrip()) for line in found] == [0, 2, 0]


def test_numbers_that_end_at_one_place_are_of_one_depth() -> None:
    found = _written([
        (100, "• The first part of the plan"),
        (150, "I. Open the valve"),
        (140, "II. Close the valve"),
        (130, "III. Start the pump"),
        (100, "• The second part of the plan"),
    ])  # fmt: skip
    assert [len(line) - len(line.lstrip()) for line in found] == [0, 2, 2, 2, 0]
