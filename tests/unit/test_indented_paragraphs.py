"""Paragraphs that only an indent marks, and entries whose further rows are indented."""

from __future__ import annotations

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
