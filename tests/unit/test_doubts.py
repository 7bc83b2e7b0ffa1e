"""What a person is shown of a document, and what becomes of it once they have corrected it."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Block, Cell, Document, Line, Table, Word
from pagetide.exports.corrected import NOT_PLACED, corrected
from pagetide.exports.doubts import doubts, every_line
from pagetide.geometry import part_of, polygon_of
from pagetide.server.jobs.review import Correction
from tests.documents import document_of, page_of

HEIGHT = 16


def line(place: int, text: str, *confidences: float) -> Line:
    """A line; its words have these confidences, or all 0.99."""
    names = text.split()
    polygon = polygon_of((0, place * 20, 300, place * 20 + HEIGHT))
    told = confidences or (0.99,) * len(names)
    words = tuple(
        Word(
            text=name,
            polygon=part_of(polygon, i / len(names), (i + 1) / len(names)),
            confidence=confidence,
        )
        for i, (name, confidence) in enumerate(zip(names, told, strict=True))
    )
    return Line(text=text, polygon=polygon, confidence=0.99, words=words)


def read(*lines: Line, blocks: tuple[Block, ...] | None = None) -> Document:
    whole = Block(
        kind="text",
        polygon=polygon_of((0, 0, 300, 200)),
        order=0,
        text="\n".join(one.text for one in lines),
        line_indexes=tuple(range(len(lines))),
    )
    return document_of(page_of(list(lines), blocks=(whole,) if blocks is None else blocks))


def correction(line: int | None, old: str, new: str) -> Correction:
    polygon = polygon_of((0, 0, 1, 1))
    return Correction(page=1, line=line, old=old, new=new, polygon=polygon, dpi=144)


BILL = read(
    line(0, "Invoice"),
    line(1, "Invoice no.: A-17"),
    line(2, "Subtotal: EUR 100.00"),
    line(3, "Tax: EUR 19.00"),
    line(4, "Total: EUR 191.00"),
)


def test_a_line_is_doubtful_for_its_worst_word() -> None:
    document = read(line(0, "all is well"), line(1, "or not", 0.9, 0.42))
    [doubt] = doubts(document, 0.8, sums=False)
    assert (doubt.reason, doubt.line, doubt.text) == ("confidence", 1, "or not")
    assert doubt.confidence == 0.42
    assert doubt.polygon == document.pages[0].lines[1].polygon


def test_without_a_threshold_nothing_is() -> None:
    assert doubts(read(line(0, "or not", 0.0, 0.0)), 0.0, sums=False) == ()


def test_a_sum_that_does_not_come_out_is_shown_with_all_its_parts() -> None:
    found = doubts(BILL, 0.0, sums=True)
    assert [(each.reason, each.name, each.line) for each in found] == [
        ("sum", "subtotal", 2),
        ("sum", "tax", 3),
        ("sum", "total", 4),
    ]


def test_one_that_comes_out_is_not() -> None:
    mended = corrected(BILL, [correction(4, "191.00", "119.00")])
    bill = mended.fields().bill
    assert bill
    assert [check.holds for check in bill.checks] == [True]
    assert doubts(mended, 0.0, sums=True) == ()


def test_a_line_that_is_doubtful_twice_is_shown_once() -> None:
    document = read(*BILL.pages[0].lines[:4], line(4, "Total: EUR 191.00", 0.9, 0.9, 0.3))
    found = doubts(document, 0.5, sums=True)
    assert [(each.reason, each.line) for each in found] == [("sum", 2), ("sum", 3), ("sum", 4)]


def test_all_lines_are_shown_in_their_order() -> None:
    assert [each.text for each in every_line(BILL)] == [one.text for one in BILL.pages[0].lines]


def test_a_correction_is_in_the_line_its_words_and_its_block() -> None:
    document = read(line(0, "a l2 b"), line(1, "a l2 b"))
    page = corrected(document, [correction(1, "l2", "12")]).pages[0]
    assert [one.text for one in page.lines] == ["a l2 b", "a 12 b"]
    assert page.blocks[0].text == "a l2 b\na 12 b"
    assert [word.text for word in page.lines[1].words] == ["a", "12", "b"]
    assert page.lines[1].words[0] == document.pages[0].lines[1].words[0]
    assert page.lines[1].words[1].confidence is None
    assert page.warnings == ()


def test_a_correction_of_a_cell_is_in_its_table() -> None:
    cells = (
        Cell(row=0, column=0, text="l2", line_indexes=(0,)),
        Cell(row=0, column=1, text="l2", line_indexes=(1,)),
    )
    table = Block(
        kind="table",
        polygon=polygon_of((0, 0, 300, 200)),
        order=0,
        text="l2\tl2",
        line_indexes=(0, 1),
        table=Table(rows=1, columns=2, cells=cells),
    )
    document = read(line(0, "l2"), line(1, "l2"), blocks=(table,))
    page = corrected(document, [correction(1, "l2", "12")]).pages[0]
    assert page.blocks[0].text == "l2\t12"
    assert [cell.text for cell in page.tables[0].cells] == ["l2", "12"]


def test_what_stands_in_no_text_of_a_block_is_told() -> None:
    apart = Block(
        kind="text",
        polygon=polygon_of((0, 0, 9, 9)),
        order=0,
        text="as a model wrote it",
        line_indexes=(0,),
    )
    document = read(line(0, "as it was read"), blocks=(apart,))
    page = corrected(document, [correction(0, "read", "red")]).pages[0]
    assert page.lines[0].text == "as it was red"
    assert [notice.code for notice in page.warnings] == [NOT_PLACED]


@given(
    st.lists(st.text("ab 1", min_size=1).filter(str.strip), min_size=1, max_size=5),
    st.data(),
)
def test_a_corrected_document_keeps_what_holds_of_every_one(
    texts: list[str], data: st.DataObject
) -> None:
    """Words hold all of a line's characters; a line that is in a block's text stays in it."""
    texts = [" ".join(text.split()) for text in texts]
    document = read(*(line(place, text) for place, text in enumerate(texts)))
    place = data.draw(st.integers(0, len(texts) - 1))
    new = " ".join(data.draw(st.text("xyz ")).split())
    page = corrected(document, [correction(place, texts[place], new)]).pages[0]
    expected = [*texts[:place], new, *texts[place + 1 :]]
    assert [one.text for one in page.lines] == expected
    assert page.blocks[0].text == "\n".join(expected)
    for one in page.lines:
        assert "".join(word.text for word in one.words) == one.text.replace(" ", "")


def test_a_correction_of_nothing_leaves_the_document_as_it_was() -> None:
    assert msgspec.json.encode(corrected(BILL, [])) == msgspec.json.encode(BILL)
