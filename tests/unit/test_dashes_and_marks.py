"""Dashes of speech are no bullets, and lists have more marks than these."""

from __future__ import annotations

import pytest

from pagetide.document import Line
from pagetide.geometry import polygon_of
from pagetide.structure.rows import Row
from pagetide.structure.running import _paragraphs
from tests.set_rows import Rows, blocks_of

_MORE: Rows = [
    (100, "The ferry had been late all winter, and nobody on the quay was surprised"),
    (100, "when the harbour master came out without his cap."),
]


def test_a_paragraph_that_returns_to_the_margin_after_its_dash_is_no_item() -> None:
    found = blocks_of(
        [
            *_MORE,
            (120, "– We have waited since four, and the fish will not wait with us much"),
            (100, "longer, said the oldest of them."),
            (120, "– Nor will we."),
        ]
    )
    assert [kind for kind, _ in found] == ["text"] * len(found)
    assert found[-2][1].endswith("\nlonger, said the oldest of them.")


def test_items_hang_below_their_dash() -> None:
    found = blocks_of(
        [
            *_MORE,
            (100, "– Nets of the old kind, which nobody may use after the end of this year"),
            (120, "without a licence from the county"),
            (100, "– Lamps, ropes and two anchors"),
        ]
    )
    assert [kind for kind, _ in found] == ["text", "list"]


def test_an_item_may_return_to_the_margin() -> None:
    found = blocks_of(
        [
            *_MORE,
            (100, "• nets of the old kind, which nobody may use after the end of this year"),
            (100, "without a licence from the county;"),
            (100, "• lamps, ropes and two anchors."),
        ]
    )
    assert [kind for kind, _ in found] == ["text", "list"]


def test_a_dash_below_a_quotation_names_the_speaker() -> None:
    found = blocks_of(
        [
            (100, "“The sea keeps no books.”"),
            (100, "— pilot, Reykholm"),
        ]
    )
    assert {kind for kind, _ in found} == {"text"}


@pytest.mark.parametrize("marks", ["►►►", "−−−", "▸▸▸", "❖❖❖", "①②③", "⑴⑵⑶", "ⅠⅡ"])
def test_marks_of_items(marks: str) -> None:
    found = blocks_of([(100, f"{mark} oil the hinges twice a year") for mark in marks])
    assert [kind for kind, _ in found] == ["list" if marks != "ⅠⅡ" else "text"]


def test_roman_numbers_count_up() -> None:
    found = blocks_of([
        *_MORE,
        (100, "I."), (160, "The tenant owns the boats."),
        (100, "II."), (160, "The landlord owns the quay."),
        (100, "III."), (160, "Neither owns the sea."),
    ])  # fmt: skip
    assert [kind for kind, _ in found] == ["text", "list"]


def test_a_list_ends_before_a_paragraph_below_its_numbers() -> None:
    found = blocks_of(
        [
            *_MORE,
            (100, "1. by letter;"),
            (100, "2. by calling at the office."),
            (100, "Whoever does neither is taken to agree, and will find the new rates on the"),
            (100, "next bill, which comes in May, with the old ones beside them for the"),
            (100, "comparison that the law asks for."),
        ]
    )
    assert [kind for kind, _ in found] == ["text", "list", "text"]


def test_text_that_counts_on_from_a_list_is_its_item() -> None:
    found = blocks_of([
        *_MORE,
        (100, "1. Drain the tank."),
        (0, ""),
        (100, "2."), (140, "Close both taps and wait until the needle has come to rest,"),
        (140, "which takes a minute."),
        (0, ""),
        (100, "3. Open the lid."),
    ])  # fmt: skip
    assert [kind for kind, _ in found] == ["text", "list"]


def test_rows_below_an_items_text_are_its_own_wherever_the_text_above_starts() -> None:
    found = blocks_of([
        (130, "What the crew may not bring aboard, unless the captain says so in writing:"),
        (100, "• Oil lamps of the old kind, with or without a glass, which nobody may light"),
        (120, "below deck. Ask the mate."),
        (0, ""),
        (120, "He has others."),
        (100, "• Dogs."),
    ])  # fmt: skip
    assert "list" in [kind for kind, _ in found]
    (items,) = [text for kind, text in found if kind == "list"]
    assert items.count("\n") == 3


def test_a_bold_line_below_an_item_that_is_not_is_none_of_it() -> None:
    texts = [(20.0, "An office at the quay."), (100.0, "* Write to us"), (118.0, "Summary")]
    boxes = [
        (x, 30.0 * n, x + 10 * len(text), 30.0 * n + 20) for n, (x, text) in enumerate(texts)
    ]
    rows = [
        Row.of((n,), (Line(text=text, polygon=polygon_of(box), bold=n == 2),), (box,))
        for n, ((_, text), box) in enumerate(zip(texts, boxes, strict=True))
    ]
    assert [len(draft.rows) for draft in _paragraphs(rows)] == [1, 1, 1]


_CUT = [
    "For those cases when an agreement between the licensor of an engine and its",
    "licensee does not apply, the one that has the rights for the type of engine",
]


@pytest.mark.parametrize("dash", ["–", "-", "—", "\ufffd"])
def test_a_sentences_dash_may_start_a_row(dash: str) -> None:
    rows: Rows = [
        (100, row)
        for row in (
            *_CUT,
            f"{dash} or those to whom they were given since then – decides in each case on",
        )
    ]
    for more in ([], [(100, "what may be altered and what may not.")]):
        assert [kind for kind, _ in blocks_of([*rows, *more])] == ["text"]


@pytest.mark.parametrize(
    "rows",
    [
        [
            (100, _CUT[0]),
            (100, "licensee apply:"),
            (100, "– the engines"),
            (100, "– the pumps"),
        ],
        [(100, _CUT[0]), (100, "licensee apply"), (100, "– the engines, which are many")],
        [*((100, row) for row in _CUT), (100, "– the engines in the"), (120, "harbour alone")],
        [*((100, row) for row in _CUT), (120, "– the engines in the harbour")],
        [(100, "– the engines"), *((100, row) for row in _CUT), (100, "– the pumps")],
    ],
    ids=["two", "after a row with room", "hanging", "set in", "below another"],
)
def test_a_dash_that_no_full_row_precedes_is_an_items(rows: Rows) -> None:
    assert blocks_of(rows)[-1][0] == "list"


def test_a_paragraph_that_is_set_in_as_far_as_the_items_above_is_none_of_them() -> None:
    items: Rows = [(100, "• oil the hinges twice a year"), (100, "• look at the ropes")]
    first, *more = [
        "The ferry had been late all winter, and nobody on the quay was surprised to",
        "see the harbour master come out without his cap.",
    ]
    found = blocks_of([*items, (120, first), *((100, row) for row in more)])
    assert [kind for kind, _ in found] == ["list", "text"]
    assert found[1][1] == "\n".join([first, *more])
    # The rest of an item, and a paragraph at the margin below it.
    hanging = "twice a year, for which there is a can below the stairs of the lantern and"
    item = "• oil the hinges of the door and of all the hatches of the tower,"
    found = blocks_of([(100, item), (120, hanging), (100, first)])
    assert found[0][1].endswith(hanging)
