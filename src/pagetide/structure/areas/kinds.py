"""Corrects the kinds of a layout model's areas, given the lines in them.

The model was trained on papers. On other pages it takes whole bodies for references, titles for
page headers, receipts for figures, and short paragraphs for headings. The lines decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from pagetide.document import BlockKind
from pagetide.geometry import Box, area, center, intersection_area
from pagetide.layout import PICTURED, Area
from pagetide.structure.areas.size_runs import OTHER_SIZE
from pagetide.structure.figures.caption_names import CAPTION
from pagetide.structure.rows import Row, has_word

MARGINAL: frozenset[BlockKind] = frozenset({"header", "footer", "page_number"})
NAMED: frozenset[BlockKind] = frozenset(
    {"title", "heading", "caption", "header", "footer", "page_number", "formula"}
)
TEXT_IN_FIGURE = 0.3  # of a figure's area: with more text in it, it is text
WHOLE_PAGE = 0.8  # of the page's area: with text in it, it is the page
MOST_TEXT = 0.5  # of a page's letters: an area with these is the page, a form or a receipt
LABELS = 10  # lines: a page of fewer may be a drawing
TOP, BOTTOM = 0.12, 0.88  # of the page's height: headers end above, footers start below
HEADING_ROWS = 4
HEADER_ROWS = 2  # in no larger type: with more, it is an address
DATE = 6  # digits
CAPTION_ROWS, CAPTION_GAP = 6, 2.0  # and typical line heights to what it describes
HEADING_LETTERS = 200
HIGH = 0.07  # of the page's height: above it, text called a header is one
TALL = 1.08  # the height of a heading no larger than text, in typical line heights
HUGE = 1.4  # the same where headers are; boxes of small print vary
LARGE = 1.2  # a large row's height, in the page's typical one
SMALL = 0.95  # small print, relative to the page's typical row
TINY = 0.8  # print too small for a heading
FULL = 0.9  # a row that fills its paragraph's width
ENTRIES_WITH_YEAR = 0.3  # of numbered entries: with fewer they are rules, clauses or steps

NUMBERED = re.compile(r"(\d{1,2}(\.\d{1,2}){1,4}\.?|\d{1,2}\.|[IVX]{1,5}\.|[A-Z]\.)\s+[^\W\d_]")
_ENTRY = re.compile(r"\s*(\[\d{1,3}\]|\(\d{1,3}\)|\d{1,3}[.)]?\s)")
# Only words; a formula has signs or single letters.
_WORDS = re.compile(r"[\s.,:;?!_]*[^\W\d_]{3,}(?:[\s.,:;?!_]+[^\W\d_]{3,})+[\s.,:;?!_]*")
_YEAR = re.compile(r"\b(1[89]|20)\d\d[a-z]?\b")


@dataclass
class AreaInWork:
    """An area that is being turned into a block.

    Attributes:
        box: Upright, page pixels.
        area: As the model gave it.
        kind: Its corrected kind.
        rows: Its lines, from the top.
    """

    box: Box
    area: Area
    kind: BlockKind
    rows: list[Row] = field(default_factory=list)

    @property
    def runs(self) -> bool:
        """Whether it holds running text, which is split into paragraphs."""
        return self.kind not in NAMED and self.kind not in PICTURED


@dataclass(frozen=True, kw_only=True)
class Page:
    """What is usual on the page.

    Attributes:
        height: In pixels.
        line: The typical height of a line.
        size: The typical size of a line's type; 0 if unknown.
        pictured: Boxes of its tables and figures.
        gutters: Between its columns.
    """

    height: float
    line: float
    size: float = 0.0
    pictured: tuple[Box, ...] = ()
    gutters: tuple[Box, ...] = ()

    def depth(self, y: float) -> float:
        """The vertical position as a share of the page's height, 0–1."""
        return y / self.height


def is_picture(box: Box, inside: Sequence[Box], page: tuple[float, float], text: float) -> bool:
    """Whether a figure area really is a figure, given the lines in it.

    Args:
        box: The area's.
        inside: Of the lines in it.
        page: The page's width and height.
        text: The share of the page's letters that these lines have, 0–1.
    """
    if not inside:
        return True
    if area(box) > WHOLE_PAGE * page[0] * page[1]:
        return False
    if text > MOST_TEXT and len(inside) >= LABELS:
        return False
    return sum(intersection_area(line, box) for line in inside) < TEXT_IN_FIGURE * area(box)


def corrected(found: AreaInWork, page: Page) -> BlockKind:
    """The area's kind, as far as its rows and its position confirm it."""
    kind, rows = found.kind, found.rows
    if not rows:
        return kind
    if kind in MARGINAL:
        return _at_the_edge(found, page)
    if kind in ("title", "heading"):
        if page.pictured and CAPTION.match(rows[0].text):
            return "caption"
        return kind if _heads(rows, page) and not _is_dated(rows) else "text"
    if kind == "caption":
        is_caption = CAPTION.match(rows[0].text) or (
            has_word(rows[0].text) and _is_beside(found, page)
        )
        return kind if is_caption else "text"
    if kind == "reference":
        return kind if _lists_sources(rows) else "text"
    if kind == "formula":
        text = " ".join(row.text for row in rows)
        return "text" if _WORDS.fullmatch(text) or (len(rows) > 2 and is_prose(rows)) else kind
    if kind == "text" and _counts_sources(rows):
        return "reference"
    return kind


def _is_beside(found: AreaInWork, page: Page) -> bool:
    """Whether a few rows of no large type are right above or below a table or figure."""
    (x0, y0, x1, y1), rows = found.box, found.rows
    near = CAPTION_GAP * page.line
    return (
        len(rows) <= CAPTION_ROWS
        and not rows[0].text[:1].islower()
        and not _is_large(rows, page, HUGE)
        and max(row.height for row in rows) < OTHER_SIZE * min(row.height for row in rows)
        and any(
            min(x1, box[2]) > max(x0, box[0]) and -near < max(box[1] - y1, y0 - box[3]) < near
            for box in page.pictured
        )
    )


def _at_the_edge(found: AreaInWork, page: Page) -> BlockKind:
    """A header or footer only where one can be; otherwise by its size and words."""
    y, rows = page.depth(center(found.box)[1]), found.rows
    if found.kind == "header" and len(rows) > HEADER_ROWS:
        return "text"
    if found.kind == "header" and y < HIGH and not is_title(rows, page):
        return "header"
    if found.kind == "footer":
        return "footer" if y > BOTTOM and len(rows) <= HEADING_ROWS else "text"
    if CAPTION.match(rows[0].text):
        return "caption"
    if not _heads(rows, page) or _is_sentence(rows):
        return "text"
    numbered = bool(NUMBERED.match(rows[0].text))
    tall = is_title(rows, page) or _is_large(rows, page, TALL)
    return "heading" if numbered or tall or y > TOP else "header"


def _heads(rows: Sequence[Row], page: Page) -> bool:
    """Whether rows have a word, are few and short enough, and are not a sentence of prose."""
    letters = sum(len(row.text) for row in rows)
    # A signature is not a heading, however large it is.
    is_worded = any(has_word(row.text) for row in rows)
    if not is_worded or len(rows) > HEADING_ROWS or letters > HEADING_LETTERS:
        return False
    if _is_large(rows, page):
        return True
    return len(rows) == 1 or (len(rows) <= HEADER_ROWS and not _is_sentence(rows))


def _is_dated(rows: Sequence[Row]) -> bool:
    """Whether a row is a place and a date, or a number."""
    digits = sum(map(str.isdigit, rows[0].text))
    return len(rows) == 1 and digits >= DATE and not NUMBERED.match(rows[0].text)


def _is_sentence(rows: Sequence[Row]) -> bool:
    """Whether rows start in the middle of a sentence or end with one."""
    starts_small = rows[0].text.lstrip()[:1].islower()
    return starts_small or rows[-1].text.rstrip().endswith(
        (".", ":", ";", ",", "。", "：", "；", "，")
    )


def _is_large(rows: Sequence[Row], page: Page, least: float = LARGE) -> bool:
    return median(row.height for row in rows) >= least * page.line


def is_title(rows: Sequence[Row], page: Page) -> bool:
    """Whether rows at a page's top are too large for a header; capitals are less tall."""
    capitals = page.size and all(row.text.isupper() for row in rows)
    large = capitals and median(row.size for row in rows) >= LARGE * page.size
    return bool(large) or _is_large(rows, page, HUGE)


def is_prose(rows: Sequence[Row]) -> bool:
    """Whether most rows but the last are full-width."""
    left, right = min(row.box[0] for row in rows), max(row.box[2] for row in rows)
    full = sum(row.box[2] - row.box[0] >= FULL * (right - left) for row in rows[:-1])
    wide = right - left >= 12 * median(row.height for row in rows)
    return wide and len(rows) > 1 and full >= 0.6 * (len(rows) - 1)


def _counts_sources(rows: Sequence[Row]) -> bool:
    """Whether the rows consist of numbered entries with a year."""
    numbered = sum(bool(_ENTRY.match(row.text)) for row in rows)
    years = sum(bool(_YEAR.search(row.text)) for row in rows)
    return (
        bool(_ENTRY.match(rows[0].text))
        and numbered >= max(3, len(rows) / 5)
        and years >= 0.6 * numbered
    )


def _lists_sources(rows: Sequence[Row]) -> bool:
    """Whether rows list sources: numbered entries with years, or a year every few rows."""
    left = min(row.box[0] for row in rows)
    starts = [row for row in rows if row.box[0] - left < row.height / 2]
    numbered = sum(bool(_ENTRY.match(row.text)) for row in rows)
    years = sum(bool(_YEAR.search(row.text)) for row in rows)
    hanging = 1 < len(starts) < len(rows)
    is_numbered = numbered >= max(2, len(rows) / 6) and years >= ENTRIES_WITH_YEAR * numbered
    return is_numbered or (hanging and years >= max(2, len(rows) / 5))
