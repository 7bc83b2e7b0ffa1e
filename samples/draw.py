"""Draw the samples, with the text they contain: `python -m samples.draw`.

The pictures and PDFs are the project's own and are kept in the repository, so run this
only to change them. It needs the Debian packages fonts-dejavu-core and fonts-noto-cjk; the
same fonts and the same Pillow give the same files.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PIL import Image

from samples import ink, pages, pdf
from samples import words_quay as quay
from samples.sheet import Sheet

HERE = Path(__file__).parent
SCAN_DPI = 144
PICTURE_DPI = 150


def main() -> int:
    """Draw every sample; returns 0, or 1 if a font is missing."""
    if missing := ink.missing_fonts():
        print(
            f"Drawing needs the Debian packages {ink.PACKAGES}; missing: {', '.join(missing)}.",
            file=sys.stderr,
        )
        return 1
    (HERE / "truth").mkdir(exist_ok=True)
    _mixed()
    _receipt()
    for name, sheet in {
        "two_columns": pages.article(),
        "table": pages.tables(),
        "chinese_english": pages.chinese(),
    }.items():
        _picture(name, sheet)
    _self_test()
    _to_try()
    return 0


def _mixed() -> None:
    """A PDF of digital and scanned pages, one scanned sideways and one upside down."""
    sheets: list[tuple[Sheet, str, int]] = [
        (pages.invoice(), "digital", 0),
        (pages.letter(), "scan", 0),
        (pages.report(), "digital", 0),
        (pages.schedule(), "scan", 90),
        (pages.rules(), "scan", 0),
        (pages.notices(), "digital", 0),
        (pages.delivery_note(), "scan", 180),
    ]
    made, truth = [], []
    for number, (sheet, kind, orientation) in enumerate(sheets, 1):
        made.append(pdf.text_page(sheet) if kind == "digital" else _scan(sheet, orientation))
        truth.append(_truth(sheet, number, kind, orientation))
    (HERE / "mixed.pdf").write_bytes(pdf.write(made, jpeg_quality=58))
    _write_truth("mixed", truth)


def _scan(sheet: Sheet, orientation: int) -> pdf.PdfPage:
    picture = ink.scan(ink.draw(sheet, SCAN_DPI), seed=len(sheet.texts), skew=0.25)
    turned = picture.rotate(-orientation, expand=True)  # Pillow counts counter-clockwise
    return pdf.picture_page(turned, SCAN_DPI)


def _receipt() -> None:
    sheet = pages.receipt()
    paper = ink.draw(sheet, 210, paper=246, ink=52)
    photo = ink.photograph(paper, seed=7)
    photo.save(HERE / "receipt.jpg", quality=80, optimize=True)
    _write_truth("receipt", [_truth(sheet, 1, "scan", 0)])


def _picture(name: str, sheet: Sheet) -> None:
    picture = ink.draw(sheet, PICTURE_DPI)
    # Sixteen greys: edges stay smooth and the file is a third of the size.
    few = picture.quantize(16, dither=Image.Dither.NONE)
    few.save(HERE / f"{name}.png", optimize=True, dpi=(PICTURE_DPI, PICTURE_DPI))
    tables = {
        "table": [quay.RULED, quay.OPEN],
        "chinese_english": [quay.CHINESE_TABLE],
    }.get(name)
    _write_truth(name, [_truth(sheet, 1, "scan", 0)], tables)


def _self_test() -> None:
    """The picture that `pagetide doctor` reads; it is inside the package."""
    sheet = pages.self_test()
    few = ink.draw(sheet, PICTURE_DPI).quantize(16, dither=Image.Dither.NONE)
    file = HERE.parent / "src" / "pagetide" / "cli" / "self_test.png"
    few.save(file, optimize=True, dpi=(PICTURE_DPI, PICTURE_DPI))
    file.with_suffix(".txt").write_text("\n".join(sheet.lines) + "\n", encoding="utf-8")


def _to_try() -> None:
    """The document behind the page's one-click sample; it is inside the package."""
    made = [
        pdf.text_page(pages.invoice()),
        _scan(pages.schedule(), 90),
        pdf.text_page(pages.report()),
    ]
    folder = HERE.parent / "src" / "pagetide" / "server" / "api" / "ui"
    (folder / "sample.pdf").write_bytes(pdf.write(made, jpeg_quality=50))


def _truth(sheet: Sheet, number: int, kind: str, orientation: int) -> dict[str, object]:
    return {
        "number": number,
        "class": kind,
        "orientation": orientation,
        "lines": sheet.lines,
    }


def _write_truth(name: str, truth: list[dict[str, object]], tables: object = None) -> None:
    content: dict[str, object] = {"pages": truth}
    if tables:
        content["tables"] = tables
    text = json.dumps(content, ensure_ascii=False, indent=1)
    (HERE / "truth" / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
