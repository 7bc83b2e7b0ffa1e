"""Whether printed paragraphs come back whole: texts of digital pages, reprinted and read.

A browser prints them in columns of several widths, ragged and justified, with hyphens where it
breaks a word; beside them verses and addresses made of the same words, whose lines should stay.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

from bench.rows import Row
from pagetide import read
from pagetide.document import Document, ModelInfo, Page, SourceInfo
from pagetide.exports.text.markup import runs_right_to_left
from pagetide.exports.text.reflow import reflowed
from tests.browser import chromium

_NO_SOURCE = SourceInfo(name="", sha256="", bytes=0, media_type="", page_count=1)
_NO_MODEL = ModelInfo(name="", engine="", version="", runtime="", language="en")
LEAST, MOST = 200, 1500  # letters of a paragraph that is printed
_ODD = re.compile(r"\t|_{3}|\.{4}|(?:\. ){3}|[•◦▪●■]|\n[-–]")  # not running text after all
PARAGRAPHS = 60  # of a document, of those that are as long
WIDTHS = (260, 420, 680)  # CSS pixels, at 16 pixels a letter's height: 13 to 34 of it
_VOWEL, _OTHER = "[aeiouyäöüáéíóúàè]", "[bcdfghjklmnpqrstvwxz]"
_SYLLABLE = re.compile(rf"(?<=[^\W\d_]{_VOWEL})(?={_OTHER}{_VOWEL}[^\W\d_])")
_STYLE = """\
body {{ font: 16px/1.35 'DejaVu Serif', 'Noto Sans CJK SC'; width: {width}px; margin: 0;
       text-align: {align} }}
p {{ margin: 0 0 14px; break-inside: avoid }}
@page {{ size: A4; margin: 40px }}"""


def paragraphs_of(pages: Iterable[Page]) -> list[str]:
    """Running text of pages: their paragraphs' text, without what cannot be printed."""
    found: dict[str, None] = {}
    document = Document(source=_NO_SOURCE, model=_NO_MODEL, pages=tuple(pages))
    for page in reflowed(document).pages:
        for block in page.blocks:
            text = " ".join(block.text.split())
            if (
                block.kind == "text"
                and LEAST <= len(text) <= MOST
                and not _ODD.search(block.text)
            ):
                found[re.sub("[\u00ad\u2010]", "-", text)] = None
    return list(found)[:PARAGRAPHS]


def measured(half: str, documents: Iterable[Sequence[str]]) -> list[Row]:
    """The outcome for the paragraphs of each document."""
    count: Counter[str] = Counter()
    with chromium() as browser:
        sheet = browser.new_page()
        for texts in documents:
            for width, align in ((w, a) for w in WIDTHS for a in ("left", "justify")):
                truth, kept, markup = _sheet(texts, width, align)
                sheet.set_content(markup)
                _compare(truth, kept, read(sheet.pdf(), text_layer="only"), count)
    whole, of = count["whole"], count["paragraphs"]
    return [
        _row(f"printed paragraphs that come back whole, {half}", whole, of, 0.98),
        _row(f"their hyphenated words that are right, {half}", of - count["hyphens"], of, 0.98),
        _row(
            f"lines of verses and addresses that stay, {half}",
            count["kept"],
            count["lines"],
            0.98,
        ),
    ]


def _sheet(texts: Sequence[str], width: int, align: str) -> tuple[list[str], list[str], str]:
    chance = random.Random(f"{width} {align} {texts[0]}")  # noqa: S311
    words = [word for text in texts for word in text.split()]
    kept, parts = [], []
    for text in texts:
        parts.append(f"<p>{escape(_SYLLABLE.sub(chr(0xAD), text))}</p>")
        if chance.random() < 0.5:
            lines = [
                " ".join(chance.choice(words).title() for _ in range(chance.randint(1, 3)))
                for _ in range(chance.randint(2, 5))
            ]
            kept += lines
            parts.append(f"<p style='text-align: left'>{'<br>'.join(map(escape, lines))}</p>")
    style = _STYLE.format(width=width, align=align)
    way = ' dir="rtl"' if runs_right_to_left(texts[0]) else ""
    return list(texts), kept, f"<html{way}><style>{style}</style>{''.join(parts)}</html>"


def _compare(
    truth: Sequence[str], kept: Sequence[str], document: Document, count: Counter[str]
) -> None:
    rows = [
        row
        for page in reflowed(document).pages
        for block in page.blocks
        for row in block.text.split("\n")
    ]
    there, bare = Counter(rows), Counter(map(_bare, rows))
    for text in truth:
        count["paragraphs"] += 1
        count["whole"] += bare[_bare(text)] > 0
        count["hyphens"] += bare[_bare(text)] > 0 and there[text] == 0
    for line in kept:
        count["lines"] += 1
        count["kept"] += there[line] > 0


def _bare(text: str) -> str:
    return re.sub(r"[-\u2010\s]", "", text)


def _row(measure: str, count: int, of: int, bar: float) -> Row:
    share = count / of if of else 1.0
    return Row(
        measure=f"{measure}, of {of:,}",
        ours=f"{share:.2%}",
        peer="",
        value=f"{share:.4f}",
        bar=f"≥ {bar:.0%}",
        holds=share >= bar,
    )
