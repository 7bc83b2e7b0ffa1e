"""Words that were read stand in the result once, whatever tables make of their lines."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Block, Line
from pagetide.layout import Drawn, Rule
from pagetide.structure import amiss, structure
from tests.unit.tables_drawn import HEIGHT, WIDTH, across, down, row, text


def _structured(
    lines: Sequence[Line], rules: Sequence[Rule]
) -> tuple[tuple[Line, ...], tuple[Block, ...]]:
    ordered, blocks = structure(lines, WIDTH, HEIGHT, drawn=Drawn(rules=tuple(rules)))
    assert amiss(lines, blocks) == (0, 0)
    assert sorted(i for b in blocks for i in b.line_indexes) == list(range(len(ordered)))
    return ordered, blocks


def _frame(top: float, xs: Sequence[float], *, rows: int = 3, step: float = 40) -> list[Rule]:
    bottom = top + rows * step
    return [
        *(across(top + step * place, xs[0], xs[-1]) for place in range(rows + 1)),
        *(down(x, top, bottom) for x in xs),
    ]


def _cells(top: float, xs: Sequence[float], *, rows: int = 3, step: float = 40) -> list[Line]:
    return [
        line
        for place in range(rows)
        for line in row(["ab", "12", "34"], [x + 10 for x in xs[:3]], top + step * place + 10)
    ]


XS = (400.0, 550.0, 700.0, 850.0)


def test_what_a_tables_frame_does_not_hold_of_a_line_stays_on_the_page() -> None:
    note = text("Address: 1 Quay Street", 100, 310, gap=6)
    cell = text("ab", 410, 310)
    both = Line(
        text=f"{note.text} {cell.text}",
        polygon=(note.polygon[0], cell.polygon[1], cell.polygon[2], note.polygon[3]),
        confidence=0.9,
        words=(*note.words, *cell.words),
    )
    others = [line for line in _cells(300, XS) if line.polygon[0] != cell.polygon[0]]
    ordered, blocks = _structured([both, *others], _frame(300, XS))
    (table,) = [block for block in blocks if block.table]
    assert "Address" not in table.text
    assert [block.text for block in blocks if not block.table] == ["Address: 1 Quay Street"]
    (part,) = [line for line in ordered if line.text == "Address: 1 Quay Street"]
    assert part.confidence == 0.9
    assert part.polygon[1][0] == note.polygon[1][0]  # as far as its own words go


def test_a_phrase_that_a_table_cuts_is_of_one_of_both() -> None:
    phrase = text("words that reach far out of the frame they begin in", 720, 390)
    _, blocks = _structured([*_cells(300, XS), phrase], _frame(300, XS))
    assert sum(phrase.text in block.text for block in blocks) == 1


def test_a_sentence_between_two_frames_is_of_none() -> None:
    between = text(
        "The following shows what was landed in the other harbours of the county", 100, 450
    )
    lines = [*_cells(300, XS), between, *_cells(500, XS)]
    _, blocks = _structured(lines, [*_frame(300, XS), *_frame(500, XS)])
    assert [bool(block.table) for block in blocks] == [True, False, True]
    assert blocks[1].text == between.text


def test_tables_that_overlap_share_no_word() -> None:
    inner = _frame(300, XS)
    outer = _frame(380, (100.0, 300.0, 470.0), rows=2)
    lines = [
        *_cells(300, XS),
        *row(["x", "y"], [110, 310], 390),
        *row(["z", "7"], [110, 310], 430),
    ]
    _structured(lines, [*inner, *outer])


def test_a_line_with_more_corners_is_parted_too() -> None:
    note, cell = text("Address: 1 Quay Street", 100, 310), text("ab", 410, 310)
    (left, top), right = note.polygon[0], cell.polygon[1][0]
    both = Line(
        text=f"{note.text} {cell.text}",
        polygon=(
            (left, top),
            (right, top),
            (right, 330.0),
            ((left + right) / 2, 331.0),
            (left, 330.0),
        ),
        words=(*note.words, *cell.words),
    )
    others = [line for line in _cells(300, XS) if line.polygon[0] != cell.polygon[0]]
    _, blocks = _structured([both, *others], _frame(300, XS))
    assert [block.text for block in blocks if not block.table] == ["Address: 1 Quay Street"]
