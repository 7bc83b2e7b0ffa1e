"""Names stacked on their values are pairs, and no headings."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Line
from pagetide.geometry import polygon_of
from pagetide.structure.draft import Draft
from pagetide.structure.headings.outline import STATED
from pagetide.structure.headings.stacks import with_stacks
from pagetide.structure.rows import Row

PAIRS = ["Number", "229597", "Date", "22/11/2020", "Contact", "Ruth Oxleigh"]


def _draft(text: str, top: float, *, bold: bool, left: float = 100, label: str = "") -> Draft:
    box = (left, top, left + 10 * len(text), top + 20)
    line = Line(text=text, polygon=polygon_of(box), bold=bold)
    return Draft(rows=(Row.of((0,), (line,), (box,)),), label=label or None)


def _stack(tops: Sequence[float], texts: Sequence[str] = PAIRS, label: str = "") -> list[Draft]:
    """Drafts of a row each, every other one in bold."""
    return [
        _draft(text, top, bold=place % 2 == 0, label=label)
        for place, (text, top) in enumerate(zip(texts, tops, strict=True))
    ]


def _texts(drafts: Sequence[Draft]) -> list[str]:
    return [draft.text for draft in with_stacks(drafts)]


def test_a_stack_of_one_pitch_is_one_text() -> None:
    [stack] = with_stacks(_stack(range(100, 250, 25)))
    assert (stack.kind, stack.text.split("\n")) == ("text", PAIRS)


def test_what_stands_before_and_after_stays_by_itself() -> None:
    before, after = _draft("Harbour", 40, bold=True), _draft("Dear", 400, bold=False)
    stack = _stack(range(100, 250, 25))
    assert _texts([before, *stack, after]) == ["Harbour", "\n".join(PAIRS), "Dear"]


def test_headings_have_more_room_above_than_below() -> None:
    assert _texts(_stack([100, 125, 165, 190, 230, 255])) == PAIRS


def test_one_name_alone_makes_no_stack() -> None:
    assert _texts(_stack([100, 125], PAIRS[:2])) == PAIRS[:2]


def test_neither_do_rows_that_begin_and_end_elsewhere() -> None:
    drafts = _stack(range(100, 250, 25))
    drafts[3] = _draft(PAIRS[3], 175, bold=False, left=400)
    assert _texts(drafts) == PAIRS


def test_what_the_document_itself_calls_a_heading_is_one() -> None:
    assert _texts(_stack(range(100, 250, 25), label=STATED)) == PAIRS
