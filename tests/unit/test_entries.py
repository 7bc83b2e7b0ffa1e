"""Clauses, speeches, and paragraphs a little apart or once set in, are each a block."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pagetide.structure import structure
from tests.set_rows import blocks_of
from tests.unit.tables_drawn import HEIGHT, SIZE, WIDTH, text

LONG = "the boats that came in with the tide were unloaded before the evening and went on"
SHORT = "to the north with the wind."

_speakers = st.sampled_from(["Q.", "A.", "MR. PENN:", "THE COURT:", "Ms. Ode-Hall:", "林:"])


def _texts(rows: list[str]) -> list[str]:
    return [text for _, text in blocks_of([(100, row) for row in rows])]


@given(st.lists(st.booleans(), min_size=2, max_size=6), st.integers(1, 20))
def test_each_clause_is_a_block(wrapped: list[bool], section: int) -> None:
    clauses = [
        f"{section}.{n} The {LONG}\n{SHORT}" if long else f"{section}.{n} The boats went on."
        for n, long in enumerate(wrapped, 1)
    ]
    assert _texts("\n".join(clauses).split("\n")) == clauses


@given(st.integers(2, 5))
def test_clauses_beside_their_numbers_are_blocks(count: int) -> None:
    rows = [
        row
        for n in range(1, count + 1)
        for row in ((100.0, f"7.{n}"), (190.0, f"The {LONG}"), (190.0, SHORT))
    ]
    found = [each.replace("\t", " ") for _, each in blocks_of(rows)]
    assert found == [f"7.{n} The {LONG}\n{SHORT}" for n in range(1, count + 1)]


def test_a_number_inside_a_sentence_starts_no_clause() -> None:
    rows = [f"1.1 The {LONG}", "1.2 miles north of the quay.", "1.2 The end."]
    assert _texts(rows) == ["\n".join(rows[:2]), rows[2]]


def test_figures_with_decimals_are_no_clauses() -> None:
    rows = [f"The {LONG} and", "1.1 of them stayed.", f"The {LONG} and", "2.4 went."]
    assert all(not text.startswith(("1", "2")) for text in _texts(rows))


@given(st.lists(_speakers, min_size=3, max_size=8), st.data())
def test_each_speech_is_a_block(speakers: list[str], data: st.DataObject) -> None:
    turns = [a for a, b in zip(speakers, [*speakers[1:], ""], strict=True) if a != b]
    turns += ["Q.", "A.", "Q."]
    long = data.draw(st.lists(st.booleans(), min_size=len(turns), max_size=len(turns)))
    speeches = [
        f"{who} Yes, and {LONG}\n{SHORT}" if more else f"{who} Yes, it was."
        for who, more in zip(turns, long, strict=True)
    ]
    found = blocks_of([(100, row) for row in "\n".join(speeches).split("\n")])
    assert [text for _, text in found] == speeches
    assert all(kind != "heading" for kind, _ in found)


def test_names_of_values_are_no_speakers() -> None:
    rows = ["Name: Minnow.", "Port: Linford.", "Owner: Maud Fenn.", "Length: Twelve feet."]
    assert _texts(rows) == ["\n".join(rows)]


@given(
    st.lists(
        st.sampled_from([f"The {LONG}\n{SHORT}", "It is agreed:"]), min_size=2, max_size=5
    ),
    st.floats(0.2, 0.5),
)
def test_a_little_space_after_a_sentence_parts_paragraphs(
    told: list[str], space: float
) -> None:
    told = [f"The {LONG}\nand {LONG}\n{SHORT}", *told]
    lines, top = [], 100.0
    for paragraph in told:
        for row in paragraph.split("\n"):
            lines.append(text(row, 80, top, gap=10))
            top += 26
        top += space * SIZE
    found = structure(lines, WIDTH, HEIGHT)[1]
    assert [block.text for block in found] == told


def test_one_row_set_in_after_a_short_one_starts_a_paragraph() -> None:
    rows = [
        (100, "The pump was found in a barn"),
        (100, "near the road."),
        (122, "Nobody knew who built it, or"),
        (100, "what time it had come across"),
        (100, "the river from the old mills."),
    ]
    found = [each for _, each in blocks_of(rows)]
    assert found == ["\n".join(row for _, row in part) for part in (rows[:2], rows[2:])]


@given(st.integers(62, 68), st.integers(6, 40))
def test_a_paragraph_below_a_centered_caption_is_none_of_it(first: int, last: int) -> None:
    prose = ["The boats were unloaded before the evening and went on to the north by"] * 2
    prose += ["way of the old sluice, where the water is deepest at this time of year."]
    centered = [f"Table 1: {'quay ' * 12}"[:first].strip(), f"{'rope ' * 8}"[:last].strip()]
    rows = [(450.0 - 5 * len(row), row) for row in centered]
    rows += [(100.0, f"{row:s<70}"[:70]) for row in prose]
    found = blocks_of(rows)
    assert found[0] == ("caption", "\n".join(centered))
    assert found[1][0] == "text"
