"""Whatever marks its items, a list is told with each of its words once, everywhere."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from bench import exported_words
from pagetide.document import Block, Line
from pagetide.exports.text import markdown
from pagetide.geometry import polygon_of
from pagetide.structure import structure
from tests.documents import document_of, line, page_of

MARKS = "1. 2. 3. 7. 12. 13. 15. 01. 0. 1) 2) (a) a) iv. - •"
ROWS = st.lists(
    st.tuples(st.sampled_from(("", *MARKS.split())), st.sampled_from((0, 30))),
    min_size=1,
    max_size=7,
)


@given(ROWS)
@example([("12.", 0), ("", 0), ("15.", 0)])
@example([("01.", 0), ("02.", 0)])
@example([("1.", 0), ("7.", 30), ("12.", 30), ("3.", 0)])
def test_a_lists_words_are_told_once(rows: list[tuple[str, int]]) -> None:
    texts = [f"{mark} word {place}".strip() for place, (mark, _) in enumerate(rows)]
    lines = [
        line(text, (50 + indent, 40 * place, 300, 40 * place + 20))
        for place, (text, (_, indent)) in enumerate(zip(texts, rows, strict=True))
    ]
    block = Block(
        kind="list",
        polygon=polygon_of((50, 0, 300, 40 * len(rows))),
        order=0,
        text="\n".join(texts),
        line_indexes=tuple(range(len(rows))),
    )
    assert exported_words.amiss(page_of(lines, blocks=(block,))) == {}


def told(*rows: tuple[str, int]) -> str:
    """The Markdown of a list whose rows begin so far to the right."""
    lines = [
        line(text, (50 + indent, 40 * place, 300 + indent, 40 * place + 20))
        for place, (text, indent) in enumerate(rows)
    ]
    block = Block(
        kind="list",
        polygon=polygon_of((50, 0, 600, 40 * len(rows))),
        order=0,
        text="\n".join(text for text, _ in rows),
        line_indexes=tuple(range(len(rows))),
    )
    text = markdown.write(document_of(page_of(lines, blocks=(block,))))
    return text.partition("-->\n\n")[2].rstrip("\n").replace("\n\n", "\n")


def test_items_stand_below_what_they_are_set_in_from() -> None:
    rows = [("• a", 0), ("– b", 20), ("1. c", 40), ("2. d", 40), ("– e", 20), ("• f", 0)]
    shown = "- a\n  - b\n    1. c\n    2. d\n  - e\n- f"
    assert told(*rows) == shown


def test_items_of_another_kind_stand_below_one_whose_own_kind_goes_on() -> None:
    rows = ["1. a", "a) b", "b) c", "2. d", "a) e", "3. f"]
    shown = "1. a\n   - a) b\n   - b) c\n2. d\n   - a) e\n3. f"
    assert told(*[(row, 0) for row in rows]) == shown
    assert told(("1. a", 0), ("• b", 0), ("• c", 0)) == "1. a\n- b\n- c"


def test_bullets_that_look_otherwise_are_of_one_kind() -> None:
    assert told(("• a", 0), ("– b", 0), ("• c", 0)) == "- a\n- b\n- c"
    assert told(("\ufffd a", 0), ("\uf0b7 b", 0)) == "- a\n- b"


def test_a_list_is_told_in_six_levels_at_most() -> None:
    shown = told(*[("• a", 15 * level) for level in range(2000)])
    assert max(len(row) - len(row.lstrip()) for row in shown.split("\n")) == 2 * 5
    assert shown.count("- a") == 2000


@given(st.integers(2, 9))
def test_letters_that_count_up_begin_items_without_a_sign(count: int) -> None:
    letters = [f"{chr(ord('a') + n)} boat came" for n in range(count)]
    rows = [("1. The harbour.", 0), *((row, 30) for row in letters), ("2. The quay.", 0)]
    below = "".join(f"\n   - {row}" for row in letters)
    assert told(*rows) == f"1. The harbour.{below}\n2. The quay."


def test_a_letter_alone_is_a_word() -> None:
    found = told(("1. There was", 0), ("a boat.", 30), ("2. I saw it.", 0))
    assert "- a boat" not in found


@given(st.sampled_from("•◦▪‣●"), st.sampled_from((2, 5, 12, 20, 36)), st.booleans())
@example("•", 5, True)
def test_bullets_stand_with_their_items_however_these_start(
    mark: str, gap: int, small: bool
) -> None:
    texts = ["A long first item, whose words fill most of the row", "another item", "the last"]
    texts = [text if small else text.capitalize() for text in texts]
    lines = list[Line]()
    for n, text in enumerate(texts):
        top, left = 100 + 26 * n, 110 + gap
        lines.append(line(mark, (100, top, 110, top + 20)))
        lines.append(line(text, (left, top, left + 9 * len(text), top + 20)))
    _, blocks = structure(lines, 1000, 1400)
    assert [block.text.split("\n") for block in blocks if block.kind == "list"] == [
        [f"{mark} {text}" if gap < 30 else f"{mark}\t{text}" for text in texts]
    ]
