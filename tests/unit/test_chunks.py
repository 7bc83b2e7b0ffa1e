"""Documents in chunks: nothing lost, none too large, each with its headings and its place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import pagetide
from pagetide.document import Block, BlockPlace, Cell, Chunk, Document, Failure, Table
from pagetide.errors import BadOption
from pagetide.exports import Chunking, Style, export
from pagetide.exports.chunks.cutting import Rows, cut, most
from pagetide.geometry import polygon_of
from tests.digital import digital_pdf
from tests.documents import document_of, line, page_of
from tests.unit.test_document_forms import table_of

Told = tuple[str, str] | tuple[str, str, int] | tuple[str, Table]


def made(*blocks: Told, number: int = 1) -> pagetide.Page:
    """A page of blocks, each a kind and a text, a heading with its level, or a table."""
    return page_of([], number=number, blocks=tuple(map(_block, range(len(blocks)), blocks)))


def _block(order: int, told: Told) -> Block:
    kind, says, *level = told
    more: dict[str, Any] = {"table": says} if isinstance(says, Table) else {"text": says}
    if level:
        more["level"] = level[0]
    place = polygon_of((0, 10 * order, 100, 10 * order + 9))
    return Block(kind=kind, order=order, polygon=place, **more)  # type: ignore[arg-type]


def shown(chunks: Sequence[Chunk]) -> list[tuple[tuple[str, ...], str]]:
    return [(each.headings, each.text) for each in chunks]


NOVEL = document_of(
    made(
        ("header", "The Quay, page 1"),
        ("title", "The Quay"),
        ("text", "It lies north."),
        ("heading", "Tides", 1),
        ("heading", "Spring", 2),
        ("text", "High."),
        ("text", "Very high."),
        ("heading", "Neap", 2),
        ("heading", "Dues", 1),
        ("page_number", "1"),
    ),
    made(("text", "Paid in March."), ("heading", "Rules", 1), number=2),
)


def test_a_chunk_has_its_headings_as_a_path() -> None:
    assert shown(NOVEL.chunks()) == [
        (("The Quay",), "It lies north."),
        (("The Quay", "Tides", "Spring"), "High.\n\nVery high."),
        (("The Quay", "Tides"), "Neap"),
        (("The Quay", "Dues"), "Paid in March."),
        (("The Quay",), "Rules"),
    ]


def test_a_chunk_may_end_with_its_page() -> None:
    first = made(("heading", "Dues", 1), ("text", "One."))
    document = document_of(first, made(("text", "Two."), number=2))
    assert shown(document.chunks()) == [(("Dues",), "One.\n\nTwo.")]
    assert document.chunks()[0].pages == (1, 2)
    assert shown(document.chunks(by="page")) == [(("Dues",), "One."), (("Dues",), "Two.")]


def test_each_block_may_have_a_chunk() -> None:
    texts = [each.text for each in NOVEL.chunks(by="block")]
    assert texts == ["It lies north.", "High.", "Very high.", "Neap", "Paid in March.", "Rules"]


def test_a_chunk_says_where_it_stands_and_what_it_is_of() -> None:
    first, *_, last, _ = NOVEL.chunks()
    assert [(each.page, each.order, each.kind) for each in last.places] == [(2, 0, "text")]
    assert last.places[0].polygon == NOVEL.pages[1].blocks[0].polygon
    assert (last.index, last.pages, last.source) == (3, (2,), "scan.pdf")
    assert first.full_text == "The Quay\nIt lies north." and first.tokens == 5


def test_what_is_in_no_block_is_in_a_chunk_and_what_failed_is_not() -> None:
    loose = page_of([line("Loose words", (1, 2, 3, 4))])
    failed = replace(made(("text", "never")), error=Failure(code="damaged", message="No."))
    (chunk,) = document_of(loose, failed).chunks()
    assert (chunk.text, chunk.places[0].order) == ("Loose words", None)
    assert document_of(page_of([])).chunks() == ()


def test_a_figures_caption_and_its_words_are_in_a_chunk() -> None:
    figure, caption = made(("figure", "axis"), ("caption", "Figure 1")).blocks
    page = page_of([], blocks=(figure, replace(caption, caption_of=0)))
    assert document_of(page).chunks()[0].text == "axis\n\nFigure 1"


DUES = table_of(("Berth", "Dues"), *((f"B{n}", f"{n} pounds") for n in range(20)), headers=1)


def test_a_table_stays_whole_where_it_fits() -> None:
    document = document_of(made(("text", "word " * 60), ("table", DUES), ("text", "After.")))
    texts = [each.text for each in document.chunks(max_tokens=150)]
    assert texts == [("word " * 60).strip(), DUES.to_markdown() + "\n\nAfter."]


def test_the_parts_of_a_table_have_its_caption_and_its_head() -> None:
    table, caption = made(("table", DUES), ("caption", "Table 1")).blocks
    page = page_of([], blocks=(table, replace(caption, caption_of=0)))
    chunks = document_of(page).chunks(max_tokens=40)
    assert len(chunks) > 2 and all(chunk.tokens <= 40 for chunk in chunks)
    start = "Table 1\n\n| Berth | Dues |\n| --- | --- |\n| B"
    assert all(chunk.text.startswith(start) for chunk in chunks)
    assert {tuple(place.kind for place in chunk.places) for chunk in chunks} == {
        ("caption", "table")
    }
    rows = [row for chunk in chunks for row in chunk.text.splitlines() if "pounds" in row]
    assert rows == DUES.to_markdown().splitlines()[2:]


def test_a_row_that_leaves_no_room_for_the_head_has_the_columns_names() -> None:
    chunks = document_of(made(("table", DUES))).chunks(max_tokens=12)
    assert chunks[0].text == "Berth: B0; Dues: 0 pounds\nBerth: B1; Dues: 1 pounds"
    assert all(chunk.tokens <= 12 for chunk in chunks)


def test_a_table_over_pages_is_one_and_each_part_names_its_page() -> None:
    rest = replace(made(("table", DUES), number=2).blocks[0])
    rest = replace(rest, continued_from=BlockPlace(page=1, order=0))
    document = document_of(made(("table", DUES)), page_of([], number=2, blocks=(rest,)))
    (whole,) = document.chunks()
    assert whole.pages == (1, 2) and whole.text.count("Berth") == 1
    parts = document.chunks(max_tokens=60)
    rows = [(chunk.pages, chunk.text.count("pounds")) for chunk in parts]
    assert sum(count for _, count in rows) == 40
    assert rows[0][0] == (1,) and rows[-1][0] == (2,)
    assert {pages for pages, _ in rows} <= {(1,), (1, 2), (2,)}


def test_a_cell_that_reaches_over_a_cut_is_in_both_parts() -> None:
    cells = (
        Cell(row=0, column=0, row_span=3, text="Quay"),
        *(Cell(row=row, column=1, text=str(row)) for row in range(3)),
    )
    table = Table(rows=3, columns=2, cells=cells)
    assert Rows(table, 0).part(0, 1).to_rows() == [["Quay", "0"]]
    assert Rows(table, 0).part(1, 2).to_rows() == [["Quay", "1"], ["", "2"]]


def test_a_paragraph_is_cut_between_sentences_then_words_then_letters() -> None:
    text = "One two. Three four five. Six!"
    document = document_of(made(("text", text)))
    cuts = {
        6: ["One two. Three four five. Six!"],
        5: ["One two. Three four five.", "Six!"],
        3: ["One two.", "Three four five.", "Six!"],
        2: ["One two.", "Three four", "five. Six!"],
    }
    for size, texts in cuts.items():
        assert [each.text for each in document.chunks(max_tokens=size)] == texts
    letters = document_of(made(("text", "abcdefg"))).chunks(max_tokens=3, tokenizer=len)
    assert [each.text for each in letters] == ["abc", "def", "g"]


def test_scripts_without_spaces_are_counted_by_letters_and_cut_between_sentences() -> None:
    document = document_of(made(("text", "潮位很高。船在港口。")))
    first, second = document.chunks(max_tokens=6)
    assert (first.text, first.tokens) == ("潮位很高。", 5)
    assert (second.text, second.tokens) == ("船在港口。", 5)


def test_a_chunk_begins_with_the_end_of_the_one_before() -> None:
    text = " ".join(f"w{n}" for n in range(20)) + "."
    document = document_of(made(("heading", "Head", 1), ("text", text), ("text", "End.")))
    first, second, third = document.chunks(max_tokens=10, overlap=2)
    assert first.text.split()[-2:] == second.text.split()[:2]
    assert second.text.split()[-2:] == third.text.split()[:2]
    assert third.text.endswith("w19.\n\nEnd.") and second.places == first.places
    other = document_of(made(("text", "a b c"), ("heading", "Next", 1), ("text", "d")))
    assert other.chunks(max_tokens=4, overlap=2)[1].text == "d"


def test_tokens_are_counted_by_whatever_is_given() -> None:
    document = document_of(made(("text", "one two three four")))
    by_number = document.chunks(max_tokens=9, tokenizer=len)
    by_tokens = document.chunks(max_tokens=9, tokenizer=lambda text: text.encode())
    assert by_number == by_tokens
    assert [each.text for each in by_number] == ["one two", "three", "four"]
    assert all(each.tokens == len(each.full_text) <= 9 for each in by_number)


def test_headings_leave_room_for_the_text() -> None:
    blocks = [("heading", f"{n} {'long ' * 9}", n) for n in (1, 2, 3)]
    document = document_of(made(*blocks, ("text", "word " * 30)))
    (first, *_) = chunks = document.chunks(max_tokens=30)
    assert [heading[0] for heading in first.headings] == ["3"]
    assert all(each.tokens <= 30 for each in chunks)
    (tiny, *_) = document.chunks(max_tokens=4)
    assert tiny.headings in ((), ("3 long",), ("3",)) and tiny.tokens <= 4


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"max_tokens": 0}, "max_tokens must be 1 or more"),
        ({"max_tokens": 10, "overlap": 6}, "overlap must be from 0 to half"),
        ({"overlap": -1}, "overlap"),
        ({"by": "chapter"}, "by must be heading, page, block"),
    ],
)
def test_what_is_not_allowed_is_told(how: dict[str, Any], told: str) -> None:
    with pytest.raises(BadOption, match=told):
        NOVEL.chunks(**how)


def test_a_page_has_chunks_too() -> None:
    assert [each.text for each in NOVEL.pages[1].chunks()] == ["Paid in March.", "Rules"]


def test_they_are_a_format_of_json_lines() -> None:
    ((suffix, content),) = export(NOVEL, "chunks", style=Style(chunking=Chunking(max_tokens=9)))
    rows = [json.loads(row) for row in content.decode().splitlines()]
    assert suffix == ".chunks.jsonl"
    assert msgspec.convert(rows, list[Chunk]) == list(NOVEL.chunks(max_tokens=9))


def test_a_real_document_loses_no_word() -> None:
    document = pagetide.read(digital_pdf(), text_layer="only")
    wanted = sorted(
        word
        for page in document.pages
        for block in page.blocks
        if block.kind not in ("header", "footer", "page_number", "heading", "title")
        for word in block.text.replace("|", " ").split()
    )
    said = " ".join(each.text.replace("\\", "") for each in document.chunks()).replace("|", " ")
    missing = [word for word in wanted if "".join(word.split()) not in said]
    assert len(wanted) > 500 and missing == []


_words = st.lists(st.text("ab潮。. \n", min_size=1, max_size=8), max_size=12).map(" ".join)
_tables = st.lists(st.tuples(_words, _words), min_size=1, max_size=5).flatmap(
    lambda rows: st.integers(0, 2).map(lambda headers: table_of(*rows, headers=headers))
)
_blocks = st.one_of(
    st.tuples(st.sampled_from(["text", "list", "code", "caption"]), _words),
    st.tuples(st.just("heading"), _words, st.integers(1, 4)),
    st.tuples(st.just("table"), _tables),
)
_pages = st.lists(st.lists(_blocks, max_size=6), max_size=3)


@given(_pages, st.integers(1, 40), st.integers(0, 20), st.sampled_from([None, len]))
def test_no_chunk_is_too_large_and_none_empty(
    pages: list[list[Any]], size: int, overlap: int, tokenizer: Any
) -> None:
    document = _document(pages)
    for by in ("heading", "page"):
        chunks = document.chunks(
            max_tokens=size,
            overlap=min(overlap, size // 2),
            by=by,
            tokenizer=tokenizer,
        )
        assert [each.index for each in chunks] == list(range(len(chunks)))
        for each in chunks:
            assert 0 < each.tokens <= size and each.text.strip() and each.places


@given(_pages, st.integers(1, 40))
def test_no_letter_of_a_text_is_lost_or_doubled(pages: list[list[Any]], size: int) -> None:
    document = _document([[b for b in page if b[0] in ("text", "list")] for page in pages])
    wanted = "".join(block.text for page in document.pages for block in page.blocks)
    chunks = document.chunks(max_tokens=size, by="page")
    assert letters("".join(each.text for each in chunks)) == letters(wanted)


def letters(text: str) -> str:
    return "".join(text.split())


def _document(pages: list[list[Any]]) -> Document:
    return document_of(*(made(*blocks, number=n) for n, blocks in enumerate(pages, 1)))


@given(st.text(max_size=60), st.integers(1, 10))
def test_pieces_of_a_text_are_all_of_it(text: str, size: int) -> None:
    pieces = cut(text, lambda piece: len(piece) <= size)
    assert letters("".join(pieces)) == letters(text)
    assert all(len(piece) <= size and piece == piece.strip() for piece in pieces)


@given(st.integers(0, 100), st.integers(0, 100))
def test_most_is_the_largest_that_fits(limit: int, fitting: int) -> None:
    assert most(limit, lambda count: count <= fitting) == min(limit, fitting)
