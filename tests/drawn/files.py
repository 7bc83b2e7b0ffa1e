"""PDFs whose pages are of several classes, with their content: digital, scanned, turned.

The ground truth has the corpus's form: for each page its `page`, `class`, `size_pt`, and its
`lines` with `text`; where a line's box is known, its `box` in points as displayed.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pypdf
import pypdfium2
from PIL import Image

from samples import ink, pdf
from samples import words_quay as quay
from samples.pdf import PdfPage
from samples.sheet import Sheet, Text
from tests.drawn.sheets import MONO, columns, form, letter, log, notice
from tests.drawn.tables import PAGES

DPI = 144
Truth = list[dict[str, Any]]


@dataclass(frozen=True)
class Drawn:
    """A file, and what is on its pages."""

    content: bytes
    truth: Truth


def ledger() -> Sheet:
    """A page with a ruled table."""
    return PAGES["all rules"][0]


def mixed() -> Drawn:
    """Digital pages and scans, as an office sends them."""
    pages, classes = [columns(), letter(), form(), ledger()], ["digital", "scan"] * 2
    made = [
        scan(page) if kind == "scan" else pdf.text_page(page)
        for page, kind in zip(pages, classes, strict=True)
    ]
    return Drawn(written(made), _truth(pages, classes))


def flags() -> Drawn:
    """Digital pages with a rotation entry."""
    pages, turns = [log()] * 4, (0, 90, 180, 270)
    reader = pypdf.PdfReader(io.BytesIO(written([pdf.text_page(page) for page in pages])))
    writer = pypdf.PdfWriter()
    for page, turn in zip(reader.pages, turns, strict=True):
        writer.add_page(page).rotate(turn)
    file = io.BytesIO()
    writer.write(file)
    truth = _truth(pages, ["digital", *(f"rotflag{turn}" for turn in turns[1:])])
    for each, turn in zip(truth, turns, strict=True):
        _turn(each, turn)
    return Drawn(file.getvalue(), truth)


def turned_scans() -> Drawn:
    """Scans of pages in the orientation they had on the glass."""
    pages, turns = [notice(*quay.ENGLISH), columns(), form(), letter()], (0, 90, 180, 270)
    made = [scan(page, turn) for page, turn in zip(pages, turns, strict=True)]
    truth = _truth(pages, ["scan", *(f"rotscan{turn}" for turn in turns[1:])])
    for each, turn in zip(truth, turns, strict=True):
        _turn(each, turn)
    return Drawn(written(made), truth)


def blanks() -> Drawn:
    """Scans with an empty page after each."""
    pages = [notice(*quay.ENGLISH), notice(*quay.GERMAN)]
    made = [side for page in pages for side in (scan(page), _empty(page))]
    backs = [side for page in pages for side in (page, replace(page, texts=[]))]
    return Drawn(written(made), _truth(backs, ["scan", "blank"] * len(pages)))


FILES = {
    "mixed": mixed,
    "turned by flags": flags,
    "scanned as they lay": turned_scans,
    "blank backs": blanks,
}


@functools.cache
def drawn(name: str) -> Drawn:
    """One of `FILES`."""
    return FILES[name]()


def picture_of(page: Sheet) -> Image.Image:
    """The sheet as grey pixels, drawn by PDFium with its own fonts."""
    with pypdfium2.PdfDocument(written([pdf.text_page(page)])) as document:
        picture: Image.Image = document[0].render(scale=DPI / 72, grayscale=True).to_pil()
    return picture


def scan(page: Sheet, turn: int = 0) -> PdfPage:
    """The sheet scanned, with its content turned clockwise."""
    scanned = ink.scan(picture_of(page), seed=len(page.texts), skew=0.25)
    return pdf.picture_page(scanned.rotate(-turn, expand=True), DPI)


def _empty(page: Sheet) -> PdfPage:
    return PdfPage(width=page.width, height=page.height, content=b"")


def written(pages: Sequence[PdfPage]) -> bytes:
    """The pages as a PDF."""
    return pdf.write(pages, jpeg_quality=70)


def _truth(pages: Sequence[Sheet], classes: Sequence[str]) -> Truth:
    return [
        {
            "page": number,
            "class": kind,
            "size_pt": [page.width, page.height],
            "lines": [_line(text) for text in page.texts],
        }
        for number, (page, kind) in enumerate(zip(pages, classes, strict=True), 1)
    ]


def _line(text: Text) -> dict[str, Any]:
    wide, size = MONO * text.size * len(text.text), text.size
    box = [text.x, text.y - 0.8 * size, text.x + wide, text.y + 0.25 * size]
    return {"text": text.text} | ({"box": box} if text.face.startswith("mono") else {})


def _turn(page: dict[str, Any], turn: int) -> None:
    """Turn a page's ground truth clockwise."""
    for _ in range(turn // 90):
        width, height = page["size_pt"]
        page["size_pt"] = [height, width]
        for line in page["lines"]:
            if "box" in line:
                x0, y0, x1, y1 = line["box"]
                line["box"] = [height - y1, x0, height - y0, x1]
