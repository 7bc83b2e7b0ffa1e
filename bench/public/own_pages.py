"""A handful of our own pages in the benchmarks' formats, because their data is not ours.

A notice with a page header and a paragraph that continues in a second column, a price list, and
a lesson with a formula. They show the formats and that everything runs; for measuring anything
they are far too few and too easy.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import pypdfium2

from samples.pdf import text_page
from samples.pdf import write as pdf_of
from samples.sheet import Face, Sheet

DPI = 144
LEFT, MIDDLE = 60.0, 310.0


@dataclass
class Drawn:
    """A page being drawn, with its truth in OmniDocBench's form.

    Attributes:
        facts: Of olmOCR-bench, by their file.
    """

    name: str
    sheet: Sheet = field(default_factory=lambda: Sheet(measure=_measure))
    annotations: list[dict[str, Any]] = field(default_factory=list)
    relations: list[dict[str, Any]] = field(default_factory=list)
    facts: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def block(
        self, kind: str, x: float, y: float, *rows: str, size: float = 11, face: Face = "serif"
    ) -> float:
        """Set rows below one another as one block of the truth; returns the last baseline."""
        for row in rows:
            self.sheet.write(x, y, row, size, face)
            y += size * 1.3
        self.annotate(kind, text=" ".join(rows))
        return y + size

    def annotate(self, kind: str, **content: str) -> int:
        """Add a block to the truth, next in order; returns its `anno_id`."""
        place = len(self.annotations)
        self.annotations.append(
            {"category_type": kind, "anno_id": place, "order": place + 1, **content}
        )
        return place

    def asks(self, file: str, kind: str, **fact: Any) -> None:
        """Add a fact of olmOCR-bench."""
        number = len(self.facts)
        named = {"pdf": f"{self.name}.pdf", "page": 1, "id": f"{self.name}_{number}"}
        self.facts.append((file, {**named, "type": kind, **fact}))

    @property
    def pdf(self) -> bytes:
        """The page as a PDF with its own text."""
        return pdf_of([text_page(self.sheet)], jpeg_quality=90)

    def truth(self, picture: str) -> dict[str, Any]:
        """An entry of `OmniDocBench.json`."""
        return {
            "layout_dets": self.annotations,
            "page_info": {"image_path": picture},
            "extra": {"relation": self.relations},
        }


def pages() -> list[Drawn]:
    """The pages, drawn."""
    return [_notice(), _prices(), _lesson()]


def write(folder: Path) -> None:
    """Write the folders `omnidocbench`, `puredocbench` and `olmocr`."""
    drawn = pages()
    pictures = {page.name: _png(page.pdf) for page in drawn}
    truths = [page.truth(f"{page.name}.png") for page in drawn]
    _save(folder / "omnidocbench" / "OmniDocBench.json", json.dumps(truths, indent=1))
    files: dict[str, list[str]] = {}
    for page, truth in zip(drawn, truths, strict=True):
        _save(folder / "omnidocbench" / "images" / f"{page.name}.png", pictures[page.name])
        _save(folder / "puredocbench" / "gt" / "own" / f"{page.name}.json", json.dumps(truth))
        clean = folder / "puredocbench" / "images" / "clean" / "own"
        _save(clean / f"{page.name}.png", pictures[page.name])
        _save(folder / "olmocr" / "pdfs" / f"{page.name}.pdf", page.pdf)
        for file, fact in page.facts:
            files.setdefault(file, []).append(json.dumps(fact))
    for file, lines in files.items():
        _save(folder / "olmocr" / f"{file}.jsonl", "\n".join(lines) + "\n")
    _manifest(folder / "puredocbench" / "manifests", drawn)


def _notice() -> Drawn:
    page = Drawn("notice")
    header = page.block("header", LEFT, 40, "Harbour Office Gazette 41", size=8, face="sans")
    page.sheet.rule(LEFT, 46, 535, 46)
    top = page.block(
        "title", LEFT, header + 30, "Closing of the north quay", size=18, face="bold"
    )
    first = ("The north quay will be closed to all", "traffic from the third of May, since the")
    page.block("text_block", LEFT, top + 10, *first, "piles below the crane have to be")
    second = ("replaced. Ships that were to berth there", "are shown to the basin of the old")
    end = page.block(
        "text_block", MIDDLE, top + 10, *second, "shipyard, where power is laid on."
    )
    page.relations.append(
        {"source_anno_id": 2, "target_anno_id": 3, "relation_type": "truncated"}
    )
    last = ("Fishermen keep their places at the", "steps, and the market stays open.")
    page.block("text_block", MIDDLE, end, *last)
    page.asks("headers_footers", "absent", text="Harbour Office Gazette 41")
    page.asks(
        "multi_column", "order", before="traffic from the third", after="the basin of the old"
    )
    page.asks("long_tiny_text", "present", text="the market stays open", max_diffs=2)
    return page


def _prices() -> Drawn:
    page = Drawn("prices")
    y = page.block("title", LEFT, 80, "Dues of the harbour", size=18, face="bold") + 20
    rows = [("Vessel", "Day", "Month"), ("Cutter", "12.50", "240"), ("Barge", "18.00", "365")]
    rows += [("Yacht", "9.75", "190"), ("Trawler", "31.20", "610")]
    for row in rows:
        page.sheet.rule(LEFT, y - 15, 460, y - 15)
        for x, cell in zip((LEFT + 6, 220, 360), row, strict=True):
            page.sheet.write(x, y, cell, 11, "sans")
        y += 21
    page.sheet.rule(LEFT, y - 15, 460, y - 15)
    for x in (LEFT, 210, 350, 460):
        page.sheet.rule(x, y - 15 - 21 * len(rows), x, y - 15)
    cells = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    html = "".join(f"<tr>{row}</tr>" for row in cells)
    page.annotate("table", html=f"<table>{html}</table>")
    page.block("text_block", LEFT, y + 20, "Dues are paid at the office before noon.")
    page.asks("table_tests", "table", cell="18.00", left="Barge", up="12.50", right="365")
    page.asks("table_tests", "table", cell="610", top_heading="Month", left_heading="Trawler")
    return page


def _lesson() -> Drawn:
    page = Drawn("lesson")
    y = page.block("title", LEFT, 80, "How far a light is seen", size=18, face="bold")
    y = page.block(
        *("text_block", LEFT, y + 10, "The distance grows with the root of the height of"),
        *("the lamp above the sea, as the tables say:",),
    )
    page.sheet.write(200, y + 10, "d = 2.08 h + e", 13, "serif")
    page.annotate("equation_isolated", latex=r"$$d = 2.08 \sqrt{h} + e$$")
    page.block("text_block", LEFT, y + 50, "where the height is told in metres.")
    page.asks("arxiv_math", "math", math=r"d = 2.08 \sqrt{h} + e")
    return page


def _measure(text: str, face: Face) -> float:
    """The approximate width of a text, which is not used for setting it."""
    return 0.5 * len(text)


def _png(pdf: bytes) -> bytes:
    document = pypdfium2.PdfDocument(pdf)
    buffer = io.BytesIO()
    document[0].render(scale=DPI / 72).to_pil().save(buffer, "PNG", dpi=(DPI, DPI))
    document.close()
    return buffer.getvalue()


def _manifest(folder: Path, drawn: list[Drawn]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "release_manifest_own.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(
            ("page_id", "gt_rel", "html_rel", "clean_rel", "digital_rel", "real_rel")
        )
        for name in (f"own/{page.name}" for page in drawn):
            picture = f"{name}.png"
            lines.writerow((name, f"{name}.json", f"{name}.html", picture, picture, picture))


def _save(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
