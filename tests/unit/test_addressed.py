"""Names above addresses, notes with an asterisk, and titles right above heads."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import BlockKind
from pagetide.geometry import box_of, polygon_of
from pagetide.structure.draft import Draft
from pagetide.structure.headings.addressed import with_addressees
from pagetide.structure.headings.amounts import with_amounts
from pagetide.structure.lists.items import joined_lists
from pagetide.structure.rows import Row
from tests.unit.tables_drawn import across, found, prose, row, text, texts

ADDRESS = ("26 Yobarnie Avenue", "North Richmond NSW 2754")


def _draft(kind: BlockKind, lines: Sequence[str], top: float, height: float = 20.0) -> Draft:
    rows = []
    for n, said in enumerate(lines):
        line = text(said, 60, top + 24 * n)
        x0, y0, x1, _ = box_of(line.polygon)
        rows.append(Row.of((n,), (line,), ((x0, y0, x1, y0 + height),)))
    return Draft(kind=kind, rows=tuple(rows))


@pytest.mark.parametrize(
    ("name", "height", "lines", "is_line"),
    [
        ("Mr Graeme & Mrs Lily Tan", 20.0, ADDRESS, True),
        ("Wattle Creek Veterinary Hospital", 30.0, ADDRESS, False),
        ("Bill to", 20.0, ("Lily Tan", *ADDRESS), False),
        ("Terms", 20.0, ("to be paid at once", "by all who owe"), False),
    ],
)
def test_a_name_above_an_address_is_its_first_line(
    name: str, height: float, lines: Sequence[str], is_line: bool
) -> None:
    heading = _draft("heading", [name], 100 + 20 - height, height)
    below = _draft("text", lines, 124)
    named = with_addressees([heading, below])
    assert [draft.text for draft in named] == (
        ["\n".join((name, *lines))] if is_line else [name, "\n".join(lines)]
    )


def test_an_address_in_large_letters_is_no_heading() -> None:
    large = _draft("heading", ("M. Yann Kervella", "27 Rue des Carmes", "44000 Nantes"), 100)
    [draft] = with_addressees([large])
    assert draft.kind == "text"


def test_a_line_with_an_asterisk_alone_is_a_note() -> None:
    note, item = (_draft("list", [said], 100) for said in ("* with taxes", "• with taxes"))
    other = _draft("list", ["* without"], 130)
    assert [draft.kind for draft in joined_lists([note])] == ["text"]
    assert [draft.kind for draft in joined_lists([item])] == ["list"]
    assert [draft.kind for draft in joined_lists([note, other])] == ["list"]


def test_a_title_in_larger_letters_right_above_heads_is_none_of_them() -> None:
    xs = (100.0, 260.0, 420.0, 760.0)
    rows = [(f"0{n}/12", f"0{n}/13", f"Garden centre {n}", f"{n}4.90") for n in range(1, 6)]
    title = text("Transactions", 94, 176)
    x0, y0, x1, _ = box_of(title.polygon)
    words = tuple(
        type(word)(text=word.text, polygon=polygon_of((x0, y0, x1, y0 + 24)))
        for word in title.words
    )
    large = type(title)(
        text=title.text,
        polygon=polygon_of((x0, y0, x1, y0 + 24)),
        words=words,
        source="text_layer",
    )
    lines = [*prose(40), large, *row(("Made", "Posted", "What", "Amount"), xs, 204)]
    lines += [line for n, each in enumerate(rows) for line in row(each, xs, 244 + 40 * n)]
    (table,) = found(
        lines, [across(230, 90, 850), *(across(272 + 40 * n, 90, 850) for n in range(5))]
    )
    assert texts(table.table)[0] == ["Made", "Posted", "What", "Amount"]


@pytest.mark.parametrize(
    ("label", "amount", "x", "y", "is_one"),
    [
        ("Total to pay", "3,688.80 EUR", 600.0, 100.0, True),
        ("Total to pay", "€ 3.688,80", 60.0, 140.0, True),
        ("Total to pay", "€ 3.688,80", 60.0, 400.0, False),
        ("Sales by year", "2024", 60.0, 140.0, False),
        ("3 Results", "€ 3.688,80", 60.0, 140.0, False),
        ("Total to pay", "€ 3.688,80 until the end of the month", 60.0, 140.0, False),
    ],
)
def test_a_label_in_large_letters_stays_with_its_amount(
    label: str, amount: str, x: float, y: float, *, is_one: bool
) -> None:
    heading, line = _draft("heading", [label], 100), text(amount, x, y)
    below = Draft(rows=(Row.of((1,), (line,), (box_of(line.polygon),)),))
    found_ = with_amounts([heading, below])
    assert [each.kind for each in found_] == (["text"] if is_one else ["heading", "text"])
    assert "\n".join(each.text for each in found_) == f"{label}\n{amount}"
