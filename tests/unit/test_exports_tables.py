"""Tables as rows, CSV and workbooks; figures as pictures; many files as one."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pagetide.document import Block, Cell, Document, Page, Table
from pagetide.engine import PageImage
from pagetide.errors import BadOption, PagetideError
from pagetide.exports import FORMATS, Origin, export, grid, packed
from pagetide.exports.tables import numerals
from pagetide.exports.tables.cells import header_rows, tidy
from pagetide.exports.tables.numerals import Numeral
from pagetide.exports.tables.tables_csv import text_of
from pagetide.exports.tables.tables_xlsx import number_format
from pagetide.exports.text import markup
from pagetide.geometry import Polygon, polygon_of
from tests.documents import document_of, page_of

_BOX = polygon_of((0, 0, 10, 10))
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def table_of(*rows: Sequence[str], headers: int = 0) -> Table:
    cells = tuple(
        Cell(row=r, column=c, text=text, header=r < headers)
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    )
    return Table(rows=len(rows), columns=len(rows[0]), cells=cells)


def block(kind: str, order: int, table: Table | None = None, **more: Any) -> Block:
    fields = {"polygon": _BOX, "order": order, "table": table, **more}
    return Block(kind=kind, **fields)  # type: ignore[arg-type]


def document(*tables: Table) -> Document:
    blocks = tuple(block("table", i, table) for i, table in enumerate(tables))
    return document_of(page_of([], number=3, blocks=blocks))


def spanned() -> Table:
    cells = (
        Cell(row=0, column=0, row_span=2, text="Port", header=True),
        Cell(row=0, column=1, column_span=2, text="Height", header=True),
        Cell(row=1, column=1, text="low", header=True),
        Cell(row=1, column=2, text="high", header=True),
        Cell(row=2, column=0, text="Dover"),
        Cell(row=2, column=2, text="6.7"),
    )
    return Table(rows=3, columns=3, cells=cells)


def test_a_table_is_rows_of_texts() -> None:
    assert grid(spanned()) == [
        ["Port", "Height", ""],
        ["", "low", "high"],
        ["Dover", "", "6.7"],
    ]
    assert grid(Table(rows=0, columns=0, cells=())) == []
    assert header_rows(spanned()) == 2


cells = st.builds(
    Cell,
    row=st.integers(0, 4),
    column=st.integers(0, 4),
    row_span=st.integers(0, 9),
    column_span=st.integers(0, 9),
    header=st.booleans(),
)
tables = st.builds(
    lambda rows, columns, found: Table(
        rows=rows,
        columns=columns,
        cells=tuple(
            msgspec.structs.replace(cell, text=f"text{i};") for i, cell in enumerate(found)
        ),
    ),
    st.integers(0, 5),
    st.integers(0, 5),
    st.lists(cells, max_size=8),
)


@given(tables)
def test_a_tidy_table_loses_no_text_and_holds_together(table: Table) -> None:
    kept = tidy(table)
    assert sorted("\n".join(cell.text for cell in kept.cells).split()) == sorted(
        cell.text for cell in table.cells
    )
    places = [
        (row, column)
        for cell in kept.cells
        for row in range(cell.row, cell.row + cell.row_span)
        for column in range(cell.column, cell.column + cell.column_span)
    ]
    assert len(places) == len(set(places))
    assert all(row < kept.rows and column < kept.columns for row, column in places)
    assert tidy(kept) == kept
    assert 0 <= header_rows(kept) <= kept.rows


@given(tables)
def test_every_format_holds_every_text_of_a_table_once(table: Table) -> None:
    assume(table.cells)
    (_, workbook), *_ = export(document(table), "xlsx")
    in_all = (
        "".join(text for row in grid(table) for text in row),
        text_of(table),
        markup.table(table),
        "".join(str(value) for value in values(sheets(workbook)["p3 t1"])),
    )
    for text in in_all:
        assert sorted(re.findall(r"text\d+;", text)) == sorted(c.text for c in table.cells)


def test_csv_is_a_file_for_each_table_of_each_page() -> None:
    chart = block("chart", 0, table_of(["c"]))
    later = block("table", 5, table_of(["d,e", 'f"g', "h\ni", "é"]))
    text = block("table", 6, Table(rows=0, columns=0, cells=()), text="a table without cells")
    pages = (page_of([], number=1), page_of([], number=3, blocks=(later, chart, text)))
    files = dict(export(document_of(*pages), "csv"))
    assert files == {
        "-p3-t1.csv": b"c\r\n",
        "-p3-t2.csv": '"d,e","f""g","h\ni",é\r\n'.encode(),
    }


@pytest.mark.parametrize(
    "text",
    ["-5", "+3.2 %", "-1,234.50", "-", "--", "- 5", "+49 (0)30/123-4", "-€ 5", "-5 – -3", "−5"],
)
def test_an_amount_stays_as_it_is_in_csv(text: str) -> None:
    assert text_of(table_of([text])) in (f"{text}\r\n", f'"{text}"\r\n')


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        '=HYPERLINK("http://x")',
        "+cmd|' /C calc'!A0",
        "-2+3+cmd|' /C calc'!A0",
        "@SUM(1)",
        "\t=1",
        " =1",
        "\r=1",
        "＝1+1",
        "-A1",
    ],
)
def test_a_formula_is_text_in_csv(text: str) -> None:
    ((cell,),) = csv.reader(io.StringIO(text_of(table_of([text])), newline=""))
    assert cell == "'" + text.strip()


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), min_size=1, max_size=4))
def test_csv_gives_back_what_went_in(rows: list[list[str]]) -> None:
    read = list(csv.reader(io.StringIO(text_of(table_of(*rows)), newline="")))
    for before, after in zip(rows, read, strict=True):
        for text, found in zip(before, after, strict=True):
            wanted = markup.plain(text).replace("\r\n", "\n").replace("\r", "\n").strip()
            assert found.removeprefix("'") == wanted.removeprefix("'")
            # What a spreadsheet program would run has letters; all of that is held back.
            assert not re.match(r"[=@]|[+\-].*[A-Za-z]", found)


@pytest.mark.parametrize(
    ("text", "value", "form"),
    [
        ("0", 0, "0"),
        ("2024", 2024, "0"),
        ("-5", -5, "0"),
        ("−5.50", -5.5, "0.00"),
        ("–0.3", -0.3, "0.0"),
        ("+3.2", 3.2, "+0.0;-0.0"),
        ("12,5", 12.5, "0.0"),
        ("0.125", 0.125, "0.000"),
        ("0,125", 0.125, "0.000"),
        ("1.2345", 1.2345, "0.0000"),
        ("1,234.50", 1234.5, "#,##0.00"),
        ("1.234,5", 1234.5, "#,##0.0"),
        ("1,234,567", 1234567, "#,##0"),
        ("1.234.567", 1234567, "#,##0"),
        ("12%", 0.12, "0%"),
        ("-3.5 %", -0.035, "0.0%"),
        ("123456789012345", 123456789012345, "0"),
    ],
)
def test_what_can_only_be_a_number_is_one(text: str, value: float, form: str) -> None:
    numeral = numerals.read(text)
    assert numeral
    assert (numeral.value, number_format(numeral)) == (value, form)


@pytest.mark.parametrize(
    "text",
    [
        *("1,234", "1.234", "12.345", "-1,234", "007", "00", "1 234", "(5)", "$5", "5-", "--5"),
        *(
            "1,23,456",
            "1.2.3",
            "12.11.2026",
            "1,234,56",
            "1.234.56",
            "1,2,3",
            "1..2",
            ".5",
            "5.",
        ),
        *(
            "1234567890123456",
            "1e5",
            "",
            "-",
            "%",
            "x",
            "٣",
            "1,234.5.6",
            "12/5",
            "5 %%",
            "0,1,2",
        ),
        "01.5",
    ],
)
def test_what_may_be_something_else_is_no_number(text: str) -> None:
    assert numerals.read(text) is None


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["1,234", "5", "x", "1.234"], None),
        (["1,234", "12.5"], "."),
        (["1,234,567"], "."),
        (["1.234", "-0,125 %"], ","),
        (["1.234.567", "12.5"], None),
        (["1,234.5", "3.25"], "."),
    ],
)
def test_numbers_that_leave_no_doubt_tell_the_decimal_mark(
    texts: list[str], mark: str | None
) -> None:
    assert numerals.decimal_mark_of(texts) == mark


@pytest.mark.parametrize(
    ("text", "mark", "value"),
    [
        ("1,234", ".", 1234),
        ("1.234", ".", 1.234),
        ("1,234", ",", 1.234),
        ("-12.345", ",", -12345),
        ("0,123", ".", None),
        ("1,23", ".", None),
        ("1234,567", ".", None),
    ],
)
def test_a_known_decimal_mark_ends_the_doubt(text: str, mark: str, value: float | None) -> None:
    numeral = numerals.read(text, mark)
    assert (numeral and numeral.value) == value


def test_a_table_tells_what_its_numbers_are() -> None:
    sure, unsure = table_of(["291,099", "18.7"]), table_of(["291,099", "7"])
    book = workbook_of(sure, unsure)
    assert values(book["p3 t1"]) == [291099, 18.7]
    assert values(book["p3 t2"]) == ["291,099", 7]


@given(st.decimals(-(10**9), 10**9, allow_nan=False, places=2), st.sampled_from(["{:,}", "{}"]))
def test_a_number_with_two_decimals_is_read_back(number: Any, shape: str) -> None:
    found = numerals.read(shape.format(number))
    assert found == Numeral(
        value=float(number), decimals=2, grouped=shape == "{:,}" and abs(number) >= 1000
    )


def _xml(archive: zipfile.ZipFile, name: str) -> ElementTree.Element:
    return ElementTree.fromstring(archive.read(f"xl/{name}"))  # noqa: S314 - our own


def sheets(workbook: bytes) -> dict[str, ElementTree.Element]:
    """The sheets of a workbook by their names."""
    archive = zipfile.ZipFile(io.BytesIO(workbook))
    book = _xml(archive, "workbook.xml")
    names = [sheet.attrib["name"] for sheet in book.iter(f"{_SHEET}sheet")]
    shared = []
    if "xl/sharedStrings.xml" in archive.namelist():
        strings = _xml(archive, "sharedStrings.xml")
        shared = ["".join(item.itertext()) for item in strings.iter(f"{_SHEET}si")]
    found = {}
    for i, name in enumerate(names, 1):
        found[name] = _xml(archive, f"worksheets/sheet{i}.xml")
        for cell in found[name].iter(f"{_SHEET}c"):
            value = cell.find(f"{_SHEET}v")
            if value is not None and cell.get("t") == "s":
                value.text = shared[int(value.text or "")]
    return found


def values(sheet: ElementTree.Element) -> list[str | float]:
    """A sheet's texts and numbers, in order."""
    found: list[str | float] = []
    for cell in sheet.iter(f"{_SHEET}c"):
        value = cell.find(f"{_SHEET}v")
        if value is not None:
            found.append(
                (value.text or "") if cell.get("t") == "s" else float(value.text or "")
            )
    return found


def workbook_of(*tables: Table) -> dict[str, ElementTree.Element]:
    ((suffix, content),) = export(document(*tables), "xlsx")
    assert suffix == ".xlsx"
    return sheets(content)


def test_a_workbook_has_a_sheet_for_each_table_with_its_spans() -> None:
    book = workbook_of(table_of(["a"]), spanned())
    assert list(book) == ["p3 t1", "p3 t2"]
    sheet = book["p3 t2"]
    merged = [cell.attrib["ref"] for cell in sheet.iter(f"{_SHEET}mergeCell")]
    assert sorted(merged) == ["A1:A2", "B1:C1"]
    assert values(sheet) == ["Port", "Height", "low", "high", "Dover", 6.7]
    (pane,) = sheet.iter(f"{_SHEET}pane")
    assert pane.attrib["ySplit"] == "2"
    styles = {cell.attrib["r"]: cell.get("s") for cell in sheet.iter(f"{_SHEET}c")}
    assert styles["B2"] != styles["A3"]  # bold, and not


def test_no_text_of_a_workbook_is_a_formula_or_a_link() -> None:
    hostile = [
        "=1+1",
        "@SUM(A1)",
        "+cmd|' /C calc'!A0",
        "http://x.example",
        "{=1}",
        "-A1",
        "-5",
    ]
    sheet = workbook_of(table_of(hostile))["p3 t1"]
    assert values(sheet) == [*hostile[:-1], -5]
    assert list(sheet.iter(f"{_SHEET}f")) == []
    assert list(sheet.iter(f"{_SHEET}hyperlink")) == []


def test_a_text_that_no_cell_holds_is_cut_and_says_so() -> None:
    (text,) = values(workbook_of(table_of(["ab😀" * 20_000]))["p3 t1"])
    assert isinstance(text, str)
    assert len(text.encode("utf-16-le")) // 2 <= 32_767
    assert text.startswith("ab😀ab")
    assert text.endswith("… [cut: cell limit reached]")


@given(st.text())
def test_any_text_makes_a_workbook_that_can_be_read(text: str) -> None:
    assume(numerals.read(text) is None)
    wanted = markup.plain(text).replace("\r", "\n").strip()
    found = values(workbook_of(table_of([text, "end"]))["p3 t1"])
    told = [str(value) for value in found]
    if not re.search("_x[0-9A-Fa-f]{4}_", wanted):  # which stands for a letter in workbooks
        assert told == [wanted, "end"][not wanted :]


def test_a_workbook_of_no_tables_says_so() -> None:
    assert values(workbook_of()["No tables"]) == ["The document has no tables."]


def test_a_workbook_is_the_same_whenever_it_is_made() -> None:
    first, second = (list(export(document(spanned()), "xlsx")) for _ in range(2))
    assert first == second


class Pages:
    """Gives pictures of parts of pages, and counts them."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, Polygon, float]] = []

    def displayed(self, number: int, *, dpi: float = 144) -> PageImage:
        raise AssertionError("no whole page is wanted")

    def page_picture(self, number: int, *, dpi: float = 144, ending: str = "png") -> bytes:
        raise AssertionError("no page is wanted as a file")

    def figure_png(self, number: int, polygon: Polygon, *, dpi: float = 144) -> bytes:
        self.asked.append((number, polygon, dpi))
        return b"\x89PNG %d" % len(self.asked)


class NoChild:
    def call(self, *args: object, timeout_s: float | None = None) -> object:
        raise AssertionError("figures parse nothing")


def illustrated() -> Document:
    away = polygon_of((-50, 0, 0, 20))
    blocks = (
        block("seal", 12),
        block("figure", 3, polygon=polygon_of((1, 2, 3, 4))),
        block("chart", 4),
        block("table", 5),
        block("figure", 6, polygon=away),
    )
    pages: tuple[Page, ...] = (page_of([], number=7, blocks=blocks), page_of([], number=8))
    return document_of(*pages, content=b"%PDF", page_count=12)


def origin(pages: Pages, source: bytes = b"%PDF") -> Origin:
    return Origin(source=source, pages=pages, child=NoChild())


def test_a_figure_is_cut_only_when_it_is_taken() -> None:
    pages = Pages()
    files = export(illustrated(), "figures", origin(pages))
    assert next(files) == ("-figures/p0007-b3.png", b"\x89PNG 1")
    assert pages.asked == [(7, polygon_of((1, 2, 3, 4)), 144)]
    assert [ending for ending, _ in files] == [
        "-figures/p0007-b4.png",
        "-figures/p0007-b12.png",
    ]


def test_figures_are_not_cut_from_another_document() -> None:
    with pytest.raises(BadOption, match="has changed"):
        list(export(illustrated(), "figures", origin(Pages(), b"other")))


def unpacked(parts: Iterator[bytes]) -> dict[str, bytes]:
    archive = zipfile.ZipFile(io.BytesIO(b"".join(parts)))
    assert archive.testzip() is None
    return {name: archive.read(name) for name in archive.namelist()}


def test_many_files_are_one_archive_and_one_file_is_itself() -> None:
    found = unpacked(packed(illustrated(), "figures", origin(Pages())))
    assert list(found) == [f"figures/p0007-b{order}.png" for order in (3, 4, 12)]
    assert unpacked(packed(document(table_of(["a"])), "csv")) == {"p3-t1.csv": b"a\r\n"}
    assert unpacked(packed(document(), "csv")) == {}
    ((_, text),) = export(document(), "md")
    assert b"".join(packed(document(), "md")) == text
    suffixes = {name: form.packed_suffix for name, form in FORMATS.items() if form.many}
    assert suffixes == {"csv": ".csv.zip", "figures": ".figures.zip", "png": ".png.zip"}
    assert {FORMATS[name].packed_media_type for name in suffixes} == {"application/zip"}


def test_an_archive_is_made_as_it_is_taken() -> None:
    pages = Pages()
    parts = packed(illustrated(), "figures", origin(pages))
    assert b"PNG 1" in next(parts)
    assert len(pages.asked) == 1
    assert list(packed(illustrated(), "figures", origin(Pages()))) == [
        *packed(illustrated(), "figures", origin(Pages()))
    ]


def test_a_figure_that_cannot_be_cut_ends_the_archive() -> None:
    class Broken(Pages):
        def figure_png(self, number: int, polygon: Polygon, *, dpi: float = 144) -> bytes:
            raise PagetideError("No.")

    with pytest.raises(PagetideError, match="No"):
        list(packed(illustrated(), "figures", origin(Broken())))
