"""Tables as one workbook (Office Open XML): a sheet for each."""

from __future__ import annotations

import datetime
import io
from typing import TYPE_CHECKING, Any

from pagetide.document import Cell, Document, Table
from pagetide.exports.tables import numerals
from pagetide.exports.tables.cells import header_rows, tidy
from pagetide.exports.tables.numerals import Numeral
from pagetide.exports.tables.tables_csv import tables_of
from pagetide.exports.text.markup import plain

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.workbook import Workbook
    from xlsxwriter.worksheet import Worksheet

_MOST_LETTERS = 32_767  # that a cell of a workbook holds, in UTF-16
_CUT = " … [cut: cell limit reached]"
_WIDEST = 400  # pixels
# The same document always produces the same bytes.
_WRITTEN = datetime.datetime(2000, 1, 1)


def write(document: Document) -> bytes:
    """A workbook with a sheet for each table, named `p3 t1` for the first of page 3.

    Spans are merged cells, headers are bold, header rows at the top stay visible. A text that
    can only be a number in this table is one, and looks as it was written; everything else is
    text, and no text is ever a formula or a link.
    """
    from xlsxwriter import Workbook

    out = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with Workbook(out, options) as book:
        book.set_properties({"title": plain(document.source.name), "created": _WRITTEN})
        looks = _Looks(book)
        tables = list(tables_of(document))
        for page, number, table in tables:
            sheet = book.add_worksheet(f"p{page.number} t{number}")
            _fill(sheet, table, looks)
        if not tables:
            book.add_worksheet("No tables").write_string(0, 0, "The document has no tables.")
    return out.getvalue()


class _Looks:
    """The formats of a workbook, each made once."""

    def __init__(self, book: Workbook) -> None:
        self._book = book
        self._made: dict[tuple[tuple[str, Any], ...], Format] = {}

    def of(self, cell: Cell, numeral: Numeral | None) -> Format:
        look: dict[str, Any] = {"valign": "top", "text_wrap": "\n" in cell.text}
        if cell.header:
            look["bold"] = True
        if numeral:
            look["num_format"] = number_format(numeral)
        key = tuple(sorted(look.items()))
        if key not in self._made:
            self._made[key] = self._book.add_format(look)
        return self._made[key]


def number_format(numeral: Numeral) -> str:
    """A spreadsheet's format that shows a number as it was written."""
    shown = "#,##0" if numeral.grouped else "0"
    if numeral.decimals:
        shown += "." + "0" * numeral.decimals
    if numeral.percent:
        shown += "%"
    return f"+{shown};-{shown}" if numeral.signed else shown


def _fill(sheet: Worksheet, table: Table, looks: _Looks) -> None:
    table = tidy(table)
    mark = numerals.decimal_mark_of(cell.text for cell in table.cells)
    for cell in table.cells:
        _put(sheet, cell, looks, mark)
    sheet.freeze_panes(header_rows(table), 0)
    sheet.autofit(_WIDEST)


def _put(sheet: Worksheet, cell: Cell, looks: _Looks, decimal_mark: str | None) -> None:
    text = plain(cell.text).replace("\r", "\n").strip()
    numeral = numerals.read(text, decimal_mark)
    look = looks.of(cell, numeral)
    if cell.row_span > 1 or cell.column_span > 1:
        bottom, right = cell.row + cell.row_span - 1, cell.column + cell.column_span - 1
        sheet.merge_range(cell.row, cell.column, bottom, right, "", look)
    if numeral:
        sheet.write_number(cell.row, cell.column, numeral.value, look)
    elif text:
        sheet.write_string(cell.row, cell.column, _held(text), look)


def _held(text: str) -> str:
    """As much of a text as a cell holds, with a note if that is not all."""
    units = text.encode("utf-16-le")
    if len(units) <= 2 * _MOST_LETTERS:
        return text
    return units[: 2 * (_MOST_LETTERS - len(_CUT))].decode("utf-16-le", "ignore") + _CUT
