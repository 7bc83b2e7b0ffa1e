"""Text layers: pages a second beside the bare library calls that give the same lines."""

from __future__ import annotations

import time
from pathlib import Path

import pypdfium2

from bench.rows import Row, at_least
from pagetide.inputs import Limits, Sandbox, open_input


def text_pages(document: Path, pages: int = 60, runs: int = 3) -> list[Row]:
    """Text with lines, words and polygons against PDFium's rectangles and their text."""
    ours, bare = [], []
    with Sandbox(Limits()) as sandbox, open_input(document, sandbox=sandbox) as opened:
        count = min(pages, opened.info.page_count)
        for _ in range(runs + 1):
            started = time.perf_counter()
            for number in range(1, count + 1):
                opened.page(number, dpi=144, text_layer="only")
            ours.append(count / (time.perf_counter() - started))
            bare.append(count / _bare(document, count))
    return [
        at_least(
            "text layer with lines, pages/s, bare pypdfium2 calls",
            ours=f"{max(ours[1:]):.0f}",
            peer=f"{max(bare[1:]):.0f}",
            ratios=[a / b for a, b in zip(ours[1:], bare[1:], strict=True)],
            bar=0.6,
            note="Pagetide's pages also have words with polygons, a decision whether the layer "
            "can be trusted, and come from a child process; the bare calls give lines only.",
        )
    ]


def _bare(document: Path, count: int) -> float:
    """Seconds of the bare calls for the lines of the first pages."""
    started = time.perf_counter()
    pdf = pypdfium2.PdfDocument(document)
    for index in range(count):
        page = pdf[index]
        text = page.get_textpage()
        lines = []
        for i in range(text.count_rects()):
            box = text.get_rect(i)
            lines.append((box, text.get_text_bounded(*box)))
        text.close()
        page.close()
    pdf.close()
    return time.perf_counter() - started
