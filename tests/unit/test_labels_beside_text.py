"""Labels in a narrow column: each is read whole, before the text beside it."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Block, Line
from pagetide.exports.text.reflow import reflowed
from pagetide.geometry import polygon_of
from pagetide.structure import structure
from tests.documents import document_of, page_of

WIDTH, HEIGHT = 1000.0, 1400.0
SIZE, LETTER, PITCH = 20.0, 10.0, 26.0
LEFT, TEXT = 100.0, 300.0
GAP = 20.0  # from one label and its text to the next

Entry = tuple[Sequence[str], Sequence[str]]
"""The lines of a label and those of its text."""

MINUTES: list[Entry] = [
    (["Opening"], ["the chair opens the meeting and notes that ten of the", "votes are there"]),
    (
        ["Minutes of", "the last time"],
        ["the minutes of November are approved, and as to point", "five the offer has come"],
    ),
    (["Any other"], ["number eleven complains of bicycles left in the hall and", "a bell"]),
]


def _line(text: str, left: float, top: float) -> Line:
    box = (left, top, left + LETTER * len(text), top + SIZE)
    return Line(text=text, polygon=polygon_of(box), confidence=1.0, source="text_layer")


def _lines(entries: Sequence[Entry], left: float = LEFT) -> list[Line]:
    found, top = list[Line](), 100.0
    for label, text in entries:
        found += [_line(each, left, top + PITCH * n) for n, each in enumerate(label)]
        found += [_line(each, TEXT, top + PITCH * n) for n, each in enumerate(text)]
        top += PITCH * max(len(label), len(text)) + GAP
    return found


def _blocks(lines: Sequence[Line]) -> tuple[tuple[Line, ...], tuple[Block, ...]]:
    return structure(lines, WIDTH, HEIGHT)


def _said(found: Sequence[Line]) -> list[str]:
    lines, blocks = _blocks(found)
    page = page_of(list(lines), blocks=blocks)
    return [block.text for block in reflowed(document_of(page)).pages[0].blocks]


def _told(entries: Sequence[Entry]) -> list[str]:
    return _said(_lines(entries))


def _one(entry: Entry) -> str:
    label, text = (" ".join(each) for each in entry)
    return f"{label}\t{text}"


def test_a_label_of_two_lines_is_read_before_its_text() -> None:
    assert _told(MINUTES) == [_one(entry) for entry in MINUTES]


def test_numbers_left_of_the_labels_are_theirs() -> None:
    lines = _lines(MINUTES)
    tops = [100.0, 172.0, 244.0]
    lines += [_line(f"{n}.", 50, top) for n, top in enumerate(tops, 1)]
    labels = [block.text.split("\t")[0] for block in _blocks(lines)[1]]
    assert labels == ["1. Opening", "2. Minutes of the last time", "3. Any other"]


def test_marks_of_a_list_are_no_labels() -> None:
    items = [([f"{n}."], text) for n, (_, text) in enumerate(MINUTES, 1)]
    [block] = _blocks(_lines(items, left=TEXT - 40))[1]
    assert block.kind == "list"


def test_names_of_values_on_rows_close_together_are_not_one_label() -> None:
    rows: list[Entry] = [
        (["Height", "Width"], ["two feet and a half", "one foot and more than an inch"]),
        (["Weight", "Colour"], ["nine pounds", "blue as the sea is in the south"]),
        (["Price", "Delivery"], ["nine pounds", "a week after the order has come"]),
    ]
    text = "\n".join(block.text for block in _blocks(_lines(rows))[1])
    assert not any(" ".join(names) in text for names, _ in rows)


HEADS = st.lists(st.sampled_from(["Attendance", "Decisions", "Actions"]), max_size=1)


@given(HEADS, HEADS)
def test_headings_in_the_labels_column_take_no_text(above: list[str], below: list[str]) -> None:
    lines = _lines(MINUTES)
    foot = lines[-1].polygon[2][1] + GAP
    lines += [_line(head, LEFT, 100 - SIZE - GAP) for head in above]
    lines += [_line(head, LEFT, foot) for head in below]
    assert _said(lines) == [*above, *map(_one, MINUTES), *below]


_words = st.sampled_from(["boat", "harbour", "rope", "tide", "quay"])


def _filled(words: Sequence[str], width: int) -> list[str]:
    """Words in lines that are as full as they can be."""
    rows = [words[0]]
    for word in words[1:]:
        if len(rows[-1]) + 1 + len(word) <= width:
            rows[-1] += f" {word}"
        else:
            rows.append(word)
    return rows


_entries = st.lists(
    st.tuples(
        st.lists(_words, min_size=1, max_size=5).map(lambda words: _filled(words, 15)),
        st.lists(_words, min_size=24, max_size=50).map(lambda words: _filled(words, 55)),
    ),
    min_size=3,
    max_size=6,
)


@given(_entries)
def test_no_line_of_a_label_is_among_its_text(entries: list[Entry]) -> None:
    text = " ".join(block.text for block in _blocks(_lines(entries))[1]).split()
    assert text == [
        word for entry in entries for part in entry for word in " ".join(part).split()
    ]
