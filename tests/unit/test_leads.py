"""Rows that start with a bold name are entries, one after another."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from pagetide.document import Line, TextStyle
from pagetide.exports.text import markdown
from pagetide.structure import structure
from tests.documents import document_of, line, page_of

NAMES = ("Desk", "Wi-Fi", "Dinner", "Contact", "Parking")


def _row(text: str, top: float, *bold: tuple[int, int]) -> Line:
    styles = tuple(TextStyle(kind="bold", start=start, end=end) for start, end in bold)
    box = (100, top, 100 + 8 * len(text), top + 20)
    return replace(line(text, box), styles=styles, source="text_layer")


def _shown(lines: list[Line]) -> list[str]:
    ordered, blocks = structure(lines, 1000, 1400)
    text = markdown.write(document_of(page_of(ordered, blocks=blocks)))
    rows = text.partition("-->\n\n")[2].replace("  \n", "\n").split("\n")
    return [row for row in rows if row]


@given(st.integers(3, 5), st.lists(st.integers(3, 16), min_size=5, max_size=5))
@example(4, [6, 7, 14, 8, 8])
def test_rows_with_bold_names_are_told_row_by_row(count: int, words: list[int]) -> None:
    texts = [
        f"{name} {' '.join(['until'] * many)}" for name, many in zip(NAMES, words, strict=True)
    ][:count]
    lines = [_row(text, 100 + 25 * n, (0, len(NAMES[n]))) for n, text in enumerate(texts)]
    assert _shown(lines) == texts


def test_bold_words_of_a_sentence_start_no_entry() -> None:
    text = "the boats that came in with the tide were unloaded before the evening"
    bold = [[(0, 3)], [(0, 3)], [(0, 3)], [(4, 9)]]
    lines = [_row(text, 100 + 25 * n, *spans) for n, spans in enumerate(bold)]
    assert len(_shown(lines)) == 1


def test_a_value_that_wraps_stays_with_its_bold_name() -> None:
    texts = ["Desk: by the door", "Wi-Fi: the password changes", "every day", "Parking: none"]
    names = {0: 5, 1: 6, 3: 8}
    lines = [
        _row(text, 100 + 25 * n, *([(0, names[n])] if n in names else []))
        for n, text in enumerate(texts)
    ]
    assert _shown(lines) == [texts[0], " ".join(texts[1:3]), texts[3]]
