"""Other programs' tables, as HTML. Runs by itself, in an environment with these programs.

Standard input: `{"program": NAME, "pages": [{"path", "page", "words"}, …]}`; standard output:
for each page the list of its tables' HTML. `words` are `[text, confidence, x0, y0, x1, y1,
line]` in the picture's pixels, so that every program reads the same text. With the program
`teds`, `pairs` of HTML come in and their TEDS, with text and of the structure alone, go out.
"""

from __future__ import annotations

import importlib
import json
import logging
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from html import escape
from multiprocessing import Pool
from typing import Any

Page = dict[str, Any]


def main() -> None:
    """Answer one job."""
    logging.disable(logging.WARNING)
    job = json.load(sys.stdin)
    with redirect_stdout(sys.stderr):  # the programs' output is not an answer
        answer: list[Any]
        if job["program"] == "teds":
            with Pool(2) as pool:
                answer = pool.map(_teds, job["pairs"], chunksize=1)
        else:
            program = PROGRAMS[job["program"]]
            answer = [program(page) for page in job["pages"]]
    json.dump(answer, sys.stdout)


def _teds(pair: tuple[str, str]) -> tuple[float, float]:
    metric = importlib.import_module("table_recognition_metric")
    found, truth = (f"<html><body>{table}</body></html>" for table in pair)
    whole, structure = metric.TEDS(), metric.TEDS(structure_only=True)
    return whole(found, truth), structure(found, truth)


def pdfplumber(page: Page, **settings: str) -> list[str]:
    """By pdfplumber: cells with their spans, from their boxes."""
    module = importlib.import_module("pdfplumber")
    with module.open(page["path"]) as document:
        found = document.pages[page["page"] - 1].find_tables(settings)
        return [_of_boxes(table.cells, table.extract(), table.rows) for table in found]


def pdfplumber_any(page: Page) -> list[str]:
    """By pdfplumber's rules, otherwise by its text strategy."""
    text = {"vertical_strategy": "text", "horizontal_strategy": "text"}
    return pdfplumber(page) or pdfplumber(page, **text)


def _of_boxes(cells: Sequence[Any], texts: Sequence[Any], rows: Sequence[Any]) -> str:
    xs = sorted({round(x) for cell in cells for x in (cell[0], cell[2])})
    ys = sorted({round(y) for cell in cells for y in (cell[1], cell[3])})
    lines = []
    for row, of_row in zip(rows, texts, strict=True):
        line = ""
        for box, text in zip(row.cells, of_row, strict=True):
            if box is not None:
                wide = xs.index(round(box[2])) - xs.index(round(box[0]))
                high = ys.index(round(box[3])) - ys.index(round(box[1]))
                line += _cell(text or "", wide, high)
        lines.append(line)
    return _table(lines)


def camelot(page: Page, *flavors: str) -> list[str]:
    """By the first of camelot's flavours that finds something."""
    module = importlib.import_module("camelot")
    for flavor in flavors:
        try:
            found = module.read_pdf(
                page["path"], pages=str(page["page"]), flavor=flavor, suppress_stdout=True
            )
        except Exception:  # noqa: S112 - its stream raises on pages without text
            continue
        if len(found):
            return [_of_camelot(table) for table in found]
    return []


def _of_camelot(table: Any) -> str:
    """Its cells; those of a lattice that no line divides are one."""
    cells, taken, lines = table.cells, set(), []
    lattice = table.flavor == "lattice"
    for row, of_row in enumerate(cells):
        line = ""
        for column in range(len(of_row)):
            if (row, column) in taken:
                continue
            wide = high = 1
            if lattice:
                while column + wide < len(of_row) and not of_row[column + wide - 1].right:
                    wide += 1
                while row + high < len(cells) and not cells[row + high - 1][column].bottom:
                    high += 1
            inside = [
                (r, c) for r in range(row, row + high) for c in range(column, column + wide)
            ]
            taken.update(inside)
            line += _cell(" ".join(cells[r][c].text for r, c in inside), wide, high)
        lines.append(line)
    return _table(lines)


def img2table_pdf(page: Page, **settings: bool) -> list[str]:
    """By img2table from a PDF's page, with the PDF's own text."""
    module = importlib.import_module("img2table.document")
    document = module.PDF(page["path"], pages=[page["page"] - 1])
    found = document.extract_tables(**settings)
    return [table.html for tables in found.values() for table in tables]


def img2table(page: Page, **settings: bool) -> list[str]:
    """By img2table from a picture, with the given words."""
    module = importlib.import_module("img2table.document")
    found = module.Image(page["path"]).extract_tables(ocr=_given(page["words"]), **settings)
    return [table.html for table in found]


def layout_img2table(page: Page, **settings: bool) -> list[str]:
    """By img2table on what rapid-layout calls a table; the whole picture if it finds none."""
    cv2 = importlib.import_module("cv2")
    module = importlib.import_module("img2table.document")
    pixels = cv2.imread(page["path"])
    height, width = pixels.shape[:2]
    seen = _layout()(page["path"])
    areas = [
        box for box, name in zip(seen.boxes, seen.class_names, strict=True) if name == "table"
    ]
    found = []
    for x0, y0, x1, y1 in areas or [(0, 0, width, height)]:
        left, top = max(0, int(x0) - MARGIN), max(0, int(y0) - MARGIN)
        crop = pixels[top : int(y1) + MARGIN, left : int(x1) + MARGIN]
        words = [
            [text, sure, a - left, b - top, c - left, d - top, line]
            for text, sure, a, b, c, d, line in page["words"]
            if left < (a + c) / 2 < x1 + MARGIN and top < (b + d) / 2 < y1 + MARGIN
        ]
        picture = cv2.imencode(".png", crop)[1].tobytes()
        tables = module.Image(picture).extract_tables(ocr=_given(words), **settings)
        found += [table.html for table in tables]
    return found


MARGIN = 8  # pixels around a table's area, so that its outer lines are in the crop
_opened: list[Any] = []


def _layout() -> Any:
    if not _opened:
        _opened.append(importlib.import_module("rapid_layout").RapidLayout())
    return _opened[0]


def _given(words: Sequence[Sequence[Any]]) -> Any:
    """An OCR for img2table that returns what was read before."""
    types = importlib.import_module("img2table.ocr._types")
    records = [
        {
            "id": f"word_1_{number}",
            "parent": f"line_1_{line}",
            "value": text,
            "confidence": min(99, int(100 * sure)),
            "x1": int(x0),
            "y1": int(y0),
            "x2": int(x1),
            "y2": int(y1),
        }
        for number, (text, sure, x0, y0, x1, y1, line) in enumerate(words)
    ]

    def of(self: object, document: object) -> Any:
        return types.OCRData(records={0: records})

    return type("Given", (types.OCRInstance,), {"of": of})()


def _cell(text: str, wide: int, high: int) -> str:
    spans = (f' colspan="{wide}"' if wide > 1 else "") + (
        f' rowspan="{high}"' if high > 1 else ""
    )
    return f"<td{spans}>{escape(text)}</td>"


def _table(rows: Sequence[str]) -> str:
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


_ALL = {"implicit_rows": True, "implicit_columns": True, "borderless_tables": True}
PROGRAMS: dict[str, Callable[[Page], list[str]]] = {
    "pdfplumber": pdfplumber,
    "pdfplumber, lines else text": pdfplumber_any,
    "camelot lattice": lambda page: camelot(page, "lattice"),
    "camelot stream": lambda page: camelot(page, "stream"),
    "camelot lattice, else stream": lambda page: camelot(page, "lattice", "stream"),
    "camelot hybrid": lambda page: camelot(page, "hybrid"),
    "img2table": lambda page: img2table_pdf(page, borderless_tables=True),
    "img2table implicit": lambda page: img2table_pdf(page, **_ALL),
    "img2table picture": lambda page: img2table(page, borderless_tables=True),
    "img2table picture implicit": lambda page: img2table(page, **_ALL),
    "rapid-layout + img2table": lambda page: layout_img2table(page, borderless_tables=True),
    "rapid-layout + img2table implicit": lambda page: layout_img2table(page, **_ALL),
}

if __name__ == "__main__":
    main()
