"""Paragraphs that only an indent marks, and entries whose further rows are indented."""

from __future__ import annotations

import pytest

from tests.set_rows import blocks_of


def _texts(rows: list[tuple[float, str]]) -> list[str]:
    return [text for _, text in blocks_of(rows)]


def test_one_after_another_is_set_in() -> None:
    found = _texts([
        (100, "Whereas the mill has stood idle since the flood, and its owner has no wish to"),
        (100, "rebuild it; and"),
        (150, "Whereas the village needs flour and has offered old stones;"),
        (150, "Now therefore both sides agree on what follows, and sign it in two copies of"),
        (100, "equal force."),
    ])  # fmt: skip
    assert [text.split("\n")[0][:11] for text in found] == [
        "Whereas the", "Whereas the", "Now therefo",
    ]  # fmt: skip


def test_a_small_indent_in_a_narrow_column() -> None:
    found = _texts(
        [
            (100, "The pump was found in a barn."),
            (112, "Nobody knew who had built it."),
            (100, "It ran at the first attempt,"),
            (100, "and has not stopped since it."),
            (112, "Engineers came to look at it,"),
            (100, "and left without a word more."),
        ]
    )
    assert [text.count("\n") for text in found] == [0, 2, 1]


def test_entries_hang() -> None:
    found = _texts([
        (100, "Adler, P. and R. Moen (1987), Tides of the inner fjords and what they carry"),
        (130, "Nautical Press, Bodsund."),
        (100, "Bjelke, T. (1991), Salt, sand and silt: a handbook for harbour engineers in"),
        (130, "Three parts, Tern Books."),
        (100, "Corvo, L. (2002), A short note on gulls."),
        (100, "Dunmore, E. and S. Quist (2005), Moorings that hold: tests of forty anchors"),
        (130, "Anchor Review, 12, 3–44."),
        (100, "Eide, K. (2011), Wrecks, fees and fines along the coast between Ness and"),
        (130, "Harbour Law, 7, 101–119."),
    ])  # fmt: skip
    assert [text[:3] for text in found] == ["Adl", "Bje", "Cor", "Dun", "Eid"]


def test_a_number_far_from_its_paragraph_belongs_to_it() -> None:
    found = _texts([
        (172, "3.2"),
        (230, "The tenant shall keep the sluice free of ice and weed and shall allow"),
        (100, "the warden to pass at any hour."),
    ])  # fmt: skip
    assert len(found) == 1


def test_single_rows_set_in_are_paragraphs_even_if_full() -> None:
    found = _texts([
        (112, "The pump was found in a barn."),
        (100, "It ran at the first attempt,"),
        (100, "and has not stopped since it."),
        (112, "Nobody knew who had made it."),
        (112, "Engineers came to look at it."),
        (112, "They left without one word."),
        (112, "The council then bought it,"),
        (100, "and paid what it was worth."),
        (112, "In May it had built a shed,"),
        (100, "and there the pump is now."),
    ])  # fmt: skip
    assert [text.count("\n") for text in found] == [2, 0, 0, 0, 1, 1]


def test_a_quotation_set_in_stays_one() -> None:
    """Its first row may end a sentence by chance, and others may be single rows."""
    found = _texts([
        (100, "The miller said what he always says when somebody asks him about it:"),
        (140, "The stones are older than the mill."),
        (100, "Nobody believed him, but a visitor from the town wrote that down, too:"),
        (140, "They came with a ship from the south."),
        (100, "The visitor added what the wife of the miller had told him about them:"),
        (140, "They were never meant to grind the flour of anybody at any time."),
        (140, "Whoever brought them wanted to build with them, as one can see."),
        (100, "All of it was printed in the paper on the next day, and forgotten soon."),
    ])  # fmt: skip
    assert "anybody at any time.\nWhoever" in "\n\n".join(found)


@pytest.mark.parametrize("second", ["of tension the council met", "Council and mayor have met"])
def test_a_row_beside_a_large_initial_starts_nothing(second: str) -> None:
    found = _texts([
        (100, "In an atmosphere that was full of expectation and also, as some said,"),
        (145, f"{second} on Tuesday in the old hall to speak about one"),
        (100, "item, which was the bridge over the brook that fell down in the spring"),
        (100, "and has not been built again."),
    ])  # fmt: skip
    assert len(found) == 1


def test_centered_rows_start_nothing_by_their_indents() -> None:
    found = _texts([
        (120, "The harbour is closed to all boats until the ice has"),
        (100, "gone, and whoever enters it nevertheless does so at risk"),
        (110, "that no insurance company will ever cover, and that no"),
        (100, "master of the harbour wants to hear about when a boat is"),
        (110, "lost between the piers and the lighthouse on the rock,"),
        (100, "as it was in the year of the flood and in that after it."),
    ])  # fmt: skip
    assert len(found) == 1
