"""Tables that go on over pages: told as parts of one, and joined where formats tell them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagetide.document import (
    Block,
    BlockPlace,
    Cell,
    Document,
    Link,
    Page,
    Table,
    TextStyle,
    Word,
)
from pagetide.exports.tables import tables_csv
from pagetide.exports.text import html, markdown
from pagetide.geometry import polygon_of
from pagetide.structure import settled
from tests.documents import document_of, line, page_of

HEAD = ("Date", "Amount")
COLUMNS = ((100.0, 400.0), (500.0, 900.0))
Rows = list[tuple[str, ...]]


def page(
    number: int,
    rows: Rows,
    *,
    top: float = 200,
    headed: bool = True,
    above: tuple[str, ...] = (),
    columns: tuple[tuple[float, float], ...] = COLUMNS,
    height: float = 50,
) -> Page:
    """A page with a table, its first row a head, and lines of text above it."""
    lines, blocks, cells = [], [], []
    for order, text in enumerate(above):
        high = top - 60 * (len(above) - order)
        box = (100.0, high, 500.0, high + 20)
        lines.append(line(text, box))
        blocks.append(
            Block(
                kind="heading" if text.isupper() else "text",
                polygon=polygon_of(box),
                order=order,
                text=text,
                line_indexes=(order,),
            )
        )
    first = len(lines)
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            left, right = columns[column]
            box = (left, top + height * row, right, top + height * row + 20)
            cells.append(
                Cell(
                    row=row,
                    column=column,
                    text=text,
                    header=headed and row == 0,
                    polygon=polygon_of(box),
                    line_indexes=(len(lines),),
                )
            )
            lines.append(line(text, box))
    around = (columns[0][0], top, columns[-1][1], top + height * len(rows))
    blocks.append(
        Block(
            kind="table",
            polygon=polygon_of(around),
            order=len(blocks),
            text="\n".join("\t".join(texts) for texts in rows),
            line_indexes=tuple(range(first, len(lines))),
            table=Table(rows=len(rows), columns=len(columns), cells=tuple(cells)),
        )
    )
    return page_of(lines, number=number, blocks=tuple(blocks), is_text_layer=True)


def rows(first: int, count: int, *, head: tuple[str, ...] = HEAD) -> Rows:
    return [head, *((f"May {n}", f"{n}.00") for n in range(first, first + count))]


def parts(*pages: Page) -> list[BlockPlace | None]:
    return [each.blocks[-1].continued_from for each in settled(pages)]


def whole(*pages: Page) -> Document:
    return document_of(*settled(pages))


LONG = page(1, rows(1, 20))


def test_a_table_with_its_head_repeated_goes_on_over_three_pages() -> None:
    found = parts(LONG, page(2, rows(21, 20)), page(3, rows(41, 3)))
    assert found == [None, BlockPlace(page=1, order=0), BlockPlace(page=2, order=0)]


def test_it_goes_on_without_a_head_too() -> None:
    further = page(2, rows(21, 5)[1:], headed=False)
    assert parts(LONG, further)[1] == BlockPlace(page=1, order=0)


@pytest.mark.parametrize(
    "further",
    [
        page(2, rows(21, 5, head=("Day", "Sum"))),
        page(2, rows(21, 5), above=("FEBRUARY",)),
        page(2, rows(21, 5)[1:], headed=False, above=("And this is what came in later:",)),
        page(2, rows(21, 5), columns=((100.0, 400.0), (500.0, 700.0))),
        page(2, rows(21, 5), top=800),
        page(3, rows(21, 5)),
        page(2, [("Date", "Amount", "Sum")], columns=(*COLUMNS, (910.0, 950.0))),
    ],
    ids=["head", "heading", "text", "width", "low", "far", "more"],
)
def test_another_table_does_not_go_on(further: Page) -> None:
    assert parts(LONG, further)[1] is None


def test_a_table_that_ends_high_on_its_page_does_not_go_on() -> None:
    assert parts(page(1, rows(1, 3)), page(2, rows(4, 3)))[1] is None


def test_a_line_above_its_repeated_head_does_not_end_it() -> None:
    assert parts(LONG, page(2, rows(21, 5), above=("Account 9",)))[1] is not None


def test_joined_it_has_every_row_once_and_its_head_once() -> None:
    document = whole(LONG, page(2, rows(21, 20)), page(3, rows(41, 3)))
    told = markdown.write(document)
    assert told.count("Date") == 1 and all(f"| May {n} |" in told for n in range(1, 44))
    assert told.index("May 43") < told.index("page 2")
    assert told.count("<!-- the table goes on from page") == 2
    shown = html.write(document)
    assert shown.count("<table>") == 1 and shown.count("<td>May ") == 43
    ((name, csv),) = tables_csv.write(document)
    assert name == "-p1-t1.csv" and csv.decode().count("\r\n") == 44


def test_the_parts_stay_on_their_pages() -> None:
    document = whole(LONG, page(2, rows(21, 20)))
    assert [each.blocks[-1].table.rows for each in document.pages if each.blocks[-1].table] == [
        21,
        21,
    ]


def test_a_part_whose_first_part_is_not_there_is_told_by_itself() -> None:
    document = whole(LONG, page(2, rows(21, 20)))
    told = markdown.write(replace(document, pages=document.pages[1:]))
    assert told.count("Date") == 1 and "May 40" in told


def test_parts_that_name_each_other_are_told_where_they_stand() -> None:
    one, other = settled((LONG, page(2, rows(21, 20))))
    turned = replace(one.blocks[-1], continued_from=BlockPlace(page=2, order=0))
    told = markdown.write(document_of(replace(one, blocks=(turned,)), other))
    assert all(told.count(f"May {n} ") == 1 for n in range(1, 41))


def styled(page: Page, row: int, *, address: str) -> Page:
    """The page with a row whose first cell is bold and leads somewhere."""
    place = len(HEAD) * row
    told = page.lines[place]
    bold = TextStyle(kind="bold", start=0, end=len(told.text))
    link = Link(polygon=told.polygon, address=address)
    words = (Word(text=told.text, polygon=told.polygon),)
    told = replace(told, words=words, styles=(bold,))
    lines = (*page.lines[:place], told, *page.lines[place + 1 :])
    return replace(page, lines=lines, links=(*page.links, link))


def test_styles_and_links_of_further_parts_are_kept() -> None:
    pages = (
        styled(LONG, 1, address="https://one.example/"),
        styled(page(2, rows(21, 20)), 1, address="https://two.example/"),
        styled(page(3, rows(41, 3)), 2, address="https://three.example/"),
    )
    told = markdown.write(whole(*pages))
    shown = html.write(whole(*pages))
    for day, name in ((1, "one"), (21, "two"), (42, "three")):
        address = f"https://{name}.example/"
        assert f"| [**May {day}**]({address}) | {day}.00 |" in told
        assert f'<a href="{address}"><strong>May {day}</strong></a>' in shown


HOSTILE = [
    "\ufdd2\U000f0000May\ufdd3\U000f0000",
    "x\ufdd3\U000f0000",
    "\ufdd2\ufdd2\U000f0000\U000f0000",
    "\ufdd2\U00100050a",
]


@pytest.mark.parametrize("said", HOSTILE)
@pytest.mark.parametrize("on", [1, 2, 3])
def test_marks_that_a_page_has_by_itself_make_no_links(said: str, on: int) -> None:
    """A page that means its text for our marks gets none, wherever its rows are told."""
    pages = [
        page(n, [HEAD, ("Sum" if n != on else said, "1.00"), *rows(20 * n, 20)[1:]])
        for n in (1, 2, 3)
    ]
    linked = [
        each if n == on else styled(each, 3, address=f"https://{n}.example/")
        for n, each in enumerate(pages, 1)
    ]
    assert parts(*linked)[2] is not None
    for document in (whole(*linked), whole(*pages)):
        told, shown = markdown.write(document), html.write(document)
        for n in (1, 2, 3):
            address = f"https://{n}.example/"
            assert told.count(address) == shown.count(address) <= 1
        ((_, csv),) = tables_csv.write(document)
        assert said in csv.decode()
        assert len(document.tables) == 1
