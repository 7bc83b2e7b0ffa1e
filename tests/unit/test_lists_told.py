"""Whatever marks its items, a list is told with each of its words once, everywhere."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from bench import exported_words
from pagetide.document import Block
from pagetide.geometry import polygon_of
from tests.documents import line, page_of

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
