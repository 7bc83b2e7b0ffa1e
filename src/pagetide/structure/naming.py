"""What blocks are, told by size, place and words: titles, headings, margins, footnotes.

A layout model's own word is kept where it has one and nothing speaks against it. A kind
other than `text` is given only where little doubt is left.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median, median_low

import msgspec

from pagetide.document import Block, BlockKind
from pagetide.geometry import Box, box_of
from pagetide.structure.area_lists import heads
from pagetide.structure.captions import caption_begins
from pagetide.structure.draft import Draft
from pagetide.structure.paragraphs import Row

LEAST_ROWS = 3
NEARER = 1.2  # a heading's room above, in that below it
LARGE = 1.25  # a heading's line height, in the page's typical one
MARGIN = 0.08  # of the page's height: where headers and footers stand
MARGIN_LINES = 3.0  # typical line heights: the same for small print, as slides have it
LARGE_LETTERS = 1.1
HEADING_LETTERS = 120
APART = 1.2  # typical line heights between a header or footer and the text
APART_SMALL = 0.6  # the same where it is in small print
SMALL_PRINT = 0.85
FOOT_ROWS = 5  # of a firm's address at the foot of its letters
FOOT = 0.14  # of the page's height: where that stands
TITLE_PART = 0.45  # of the page's height, from the top: where a document's title stands
TITLE_SIZE = 1.2  # in the largest other heading's line height
TITLE_LARGE = 1.6  # and in the page's typical one
SAME_SIZE = 1.12  # OCR boxes of headings of one font differ by less
SMALL = 0.95  # a footnote's line height, in the page's typical one
MOST_LEVELS = 6
MOST_BOLD = 0.5  # of a page's rows: where most are bold it says nothing
DATED = 4  # digits: so many are a date's or a number's, not a heading's
SHADE = 2.5  # of a heading's height: that of its shade, at most
SHADE_WIDTH = 1.2  # of a heading's width: that of its shade, at least
FOOT_GUTTER = 0.8  # line heights between the columns of a foot
FOOT_ROOM = 2.0  # typical line heights above a foot in columns
FOOT_PRINT = 0.92  # typical line heights

MARGINAL: frozenset[BlockKind] = frozenset({"header", "footer", "page_number", "footnote"})

_PAGE_NUMBER = re.compile(
    r"[-–—|\s]*((page|seite|pagina|página|p\.|صفحة|第)\s*)?(\d{1,4}|[ivxl]{1,6})\s*[页頁]?"
    r"([，,\s]*(/|of|von|de|di|sur|من|共)\s*\d{1,4}\s*[页頁]?)?[-–—|\s]*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3}|[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\D")
_NOTE = re.compile(r"([*†‡§¶]+|\d{1,2}[.)]?|[a-z][.)])\s*\S")
_LEADER = re.compile(r"((\.\s?){4}|…)\s*\d{1,4}\s*$")
_REFERENCES = re.compile(
    r"(\d+\.?\s+)?(references|bibliography|works cited|literature cited|literatur"
    r"(verzeichnis)?|références|bibliographie|bibliografía|referencias|riferimenti|参考文献)",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"\[\d{1,3}\]|\d{1,3}[.)]?\s|[^\d\W]")


def named(
    drafts: Sequence[Draft], page: Box | None, shades: Sequence[Box] = (), *, first: bool
) -> list[Draft]:
    """The drafts with their kinds, and headings with their level.

    Args:
        drafts: In reading order.
        page: The page's box; None where the text does not stand upright on it, and so has
            no header or footer.
        shades: Boxes filled with a colour.
        first: Whether a title is looked for.
    """
    rows = [row for draft in drafts for row in draft.rows if draft.kind != "table"]
    if len(rows) < LEAST_ROWS:  # too little text to say what is usual on this page
        return list(drafts)
    usual = median_low(row.height for row in rows)
    letter = median_low(row.letter_width for row in rows)
    if page:
        drafts = _feet_parted(_margins_parted(drafts, page), usual, page)
    found = [replace(d, kind=_kind(d, drafts, usual, letter, page)) for d in drafts]
    found = _headings(found, usual, shades)
    found = _notes(found, usual, page)
    found = _references(found)
    return _levelled(_titled(found, usual, page) if first and page else found)


def is_page_number(text: str) -> bool:
    """Whether a text is a page's number, in words or alone."""
    return bool(_PAGE_NUMBER.fullmatch(text.strip()))


def numbered_level(text: str) -> int | None:
    """The level that a heading's number states: 2 of `3.1 Results`; None without one."""
    numbered = _NUMBERED.match(text)
    return numbered.group(1).count(".") + 1 if numbered else None


def _kind(
    draft: Draft, drafts: Sequence[Draft], usual: float, letter: float, page: Box | None
) -> BlockKind:
    number = len(draft.rows) == 1 and is_page_number(draft.text)
    if number and draft.kind in ("header", "footer"):
        return "page_number"
    if draft.kind != "text" and not (number and draft.kind == "list"):
        return draft.kind
    if draft.label is None and _is_large(draft, usual) and _has_large_letters(draft, letter):
        return "heading"
    if _is_contents(draft.rows):
        return "toc"
    return draft.kind if page is None else _margin_kind(draft, drafts, usual, page)


def _is_large(draft: Draft, usual: float) -> bool:
    """Whether it is as short as a heading, and its lines as tall as one's."""
    return (
        len(draft.rows) <= 2
        and draft.line_height >= LARGE * usual
        and len(draft.text) <= HEADING_LETTERS
        and bool(_WORD.search(draft.text))
        and not _is_formula(draft.text)
    )


def _is_formula(text: str) -> bool:
    return any(unicodedata.category(letter) == "Sm" and letter not in "+|~" for letter in text)


def _has_large_letters(draft: Draft, letter: float) -> bool:
    return median(row.letter_width for row in draft.rows) >= LARGE_LETTERS * letter


def _is_contents(rows: Sequence[Row]) -> bool:
    """Whether most rows end with a leader and a page's number."""
    return len(rows) >= 3 and sum(bool(_LEADER.search(r.text)) for r in rows) > len(rows) / 2


def _margin_kind(draft: Draft, drafts: Sequence[Draft], usual: float, page: Box) -> BlockKind:
    """What a single row at the page's edge is, if only rows like it stand beside it."""
    top, bottom = draft.box[1], draft.box[3]
    margin = MARGIN * (page[3] - page[1])
    if draft.line_height <= SMALL_PRINT * usual:
        margin = max(margin, MARGIN_LINES * usual)
    if len(draft.rows) > 1:
        return "footer" if _is_foot(draft, drafts, usual, page) else draft.kind
    kind: BlockKind
    if bottom < page[1] + margin:
        kind = "header"
        gaps = [d.box[1] - bottom for d in drafts if d.box[3] > bottom + usual / 2]
    elif top > page[3] - margin:
        kind = "footer"
        gaps = [top - d.box[3] for d in drafts if d.box[1] < top - usual / 2]
    elif top > page[3] - FOOT * (page[3] - page[1]) and _is_sure_number(draft):
        return "page_number"
    else:
        return draft.kind
    if _beside_number(draft, drafts):
        return "page_number" if _is_sure_number(draft) else kind
    if kind == "footer" and (_is_note(draft, usual) or caption_begins(draft.text) is not None):
        return draft.kind
    apart = APART_SMALL if draft.line_height <= SMALL_PRINT * usual else APART
    if min(gaps, default=0.0) <= apart * usual:
        return draft.kind
    return "page_number" if is_page_number(draft.text) else kind


def _is_sure_number(draft: Draft) -> bool:
    """Whether it says that it is a page's number, with a word or the count of pages."""
    text = draft.text.strip()
    return is_page_number(text) and not text.strip("-–—| ").isalnum()


def _beside_number(draft: Draft, drafts: Sequence[Draft]) -> bool:
    """Whether a page's number is all of the row, or stands on it."""
    return any(
        _is_sure_number(each) and each.box[1] < draft.box[3] and draft.box[1] < each.box[3]
        for each in drafts
        if len(each.rows) == 1
    )


def _is_note(draft: Draft, usual: float) -> bool:
    """Whether small print begins as a footnote does and ends as a sentence."""
    small = draft.line_height <= SMALL * usual
    return small and bool(_NOTE.match(draft.text)) and draft.text.rstrip().endswith((".", "。"))


def _is_foot(draft: Draft, drafts: Sequence[Draft], usual: float, page: Box) -> bool:
    """Whether rows are all that stands at the page's foot: a firm's address.

    They are in small print, or stand in columns, far below all else.
    """
    room = min(
        (draft.box[1] - d.box[3] for d in drafts if d.box[3] <= draft.box[1]), default=0.0
    )
    lower = [d for d in drafts if d.box[1] >= draft.box[3]]
    level = [d for d in drafts if abs(d.box[1] - draft.box[1]) < usual / 2 and d is not draft]
    in_columns = bool(level) and room > FOOT_ROOM * usual
    return (
        len(draft.rows) <= FOOT_ROWS
        and draft.box[1] > page[3] - FOOT * (page[3] - page[1])
        and (in_columns or draft.line_height <= FOOT_PRINT * usual)
        and not _NOTE.match(draft.text)
        and caption_begins(draft.text) is None
        and room > APART_SMALL * usual
        and all(d.line_height <= draft.line_height for d in lower)
    )


def _margins_parted(drafts: Sequence[Draft], page: Box) -> list[Draft]:
    """The drafts, a page's number at the edge by itself, whatever stands on its row."""
    edge = MARGIN * (page[3] - page[1])
    found: list[Draft] = []
    for draft in drafts:
        at_edge = draft.box[3] < page[1] + edge or draft.box[1] > page[3] - edge
        single = len(draft.rows) == 1 and draft.table is None and len(draft.rows[0].lines) > 1
        found += _by_number(draft) if at_edge and single else [draft]
    return found


def _feet_parted(drafts: Sequence[Draft], usual: float, page: Box) -> list[Draft]:
    """The drafts, a foot of several rows in columns column by column."""
    foot = page[3] - FOOT * (page[3] - page[1])
    found: list[Draft] = []
    for draft in drafts:
        above = [draft.box[1] - d.box[3] for d in drafts if d.box[3] <= draft.box[1]]
        is_foot = draft.kind == "text" and draft.box[1] > foot and len(draft.rows) > 1
        apart = is_foot and min(above, default=0.0) > FOOT_ROOM * usual
        found += _by_column(draft) if apart else [draft]
    return found


def _by_column(draft: Draft) -> list[Draft]:
    """A draft's columns, where room is left between them in all rows."""
    edges = [float("-inf")]
    spans = sorted((box[0], box[2]) for row in draft.rows for box in row.boxes)
    right = spans[0][1]
    for start, end in spans:
        if start - right > FOOT_GUTTER * draft.line_height:
            edges.append((right + start) / 2)
        right = max(right, end)
    parts = []
    for left, end in pairwise([*edges, float("inf")]):
        rows = [
            row.part(places)
            for row in draft.rows
            if (places := [i for i, box in enumerate(row.boxes) if left < box[0] < end])
        ]
        parts.append(replace(draft, rows=tuple(rows)))
    return parts


def _by_number(draft: Draft) -> list[Draft]:
    [row] = draft.rows
    numbers = [is_page_number(line.text) for line in row.lines]
    if numbers.count(True) != 1:
        return [draft]
    at = numbers.index(True)
    parts = [range(at), range(at, at + 1), range(at + 1, len(row.lines))]
    return [replace(draft, rows=(row.part(list(part)),)) for part in parts if part]


def _headings(drafts: list[Draft], usual: float, shades: Sequence[Box]) -> list[Draft]:
    """The drafts, with headings of the text's own size.

    They are in bold or on a shade of their own over something wider, or short and over prose.
    """
    rows = [row for d in drafts for row in d.rows if d.kind in ("text", "list", "table")]
    tells = sum(row.bold for row in rows) <= MOST_BOLD * len(rows)
    found: list[Draft] = []
    for place, draft in enumerate(drafts):
        if draft.kind in ("text", "list") and draft.label is None and _may_head(draft, usual):
            above = next((d for d in found[::-1] if d.box[3] <= draft.box[1] + usual / 2), None)
            below = next((d for d in drafts[place + 1 :] if d.kind not in MARGINAL), None)
            is_bold = tells and all(row.bold for row in draft.rows)
            if below and (
                _is_on_shade(draft, shades)
                or (is_bold and _stands_over(draft, below))
                or (not is_bold and _heads(draft, above, below))
                or (not is_bold and _is_over_table(draft, above, below))
            ):
                draft = replace(draft, kind="heading")
        found.append(draft)
    return found


def _is_on_shade(draft: Draft, shades: Sequence[Box]) -> bool:
    """Whether a phrase has a shade of its own that is wider than it; a sentence is a note."""
    x0, y0, x1, y1 = draft.box
    is_phrase = len(draft.rows) == 1 and not draft.text.rstrip().endswith((".", "。"))
    return is_phrase and any(
        left <= x0
        and top <= y0
        and y1 <= bottom
        and bottom - top < SHADE * (y1 - y0)
        and right - left > SHADE_WIDTH * (x1 - x0)
        for left, top, right, bottom in shades
    )


def _may_head(draft: Draft, usual: float) -> bool:
    """Whether it has a heading's length and letters, whatever its type."""
    text = draft.text.strip()
    return (
        0 < len(draft.rows) <= 2
        and len(text) <= HEADING_LETTERS
        and "\t" not in text
        and bool(_WORD.search(text))
        and not _is_formula(text)
        and draft.line_height >= SMALL_PRINT * usual
        and not text.endswith((",", ";", "，", "、"))
    )


def _stands_over(draft: Draft, below: Draft) -> bool:
    """Whether what follows stands below it, and is wider or a heading as well."""
    wider = below.box[2] - below.box[0] > draft.box[2] - draft.box[0]
    is_below = below.box[1] >= draft.box[3] - draft.line_height / 2
    return is_below and (wider or (bool(below.rows) and below.rows[0].bold))


def _is_over_table(draft: Draft, above: Draft | None, below: Draft) -> bool:
    """Whether a phrase stands at the corner of a table, nearer to it than to what is above."""
    room = below.box[1] - draft.box[3]
    nearer = above is not None and draft.box[1] - above.box[3] > NEARER * max(room, 0.0)
    return (
        below.kind == "table"
        and len(draft.rows) == 1
        and sum(map(str.isdigit, draft.text)) < DATED
        and nearer
        and 0 <= room < draft.line_height
        and abs(draft.box[0] - below.box[0]) < draft.line_height
        and not draft.text[:1].islower()
        and not draft.text.rstrip().endswith((".", ":", ";", "。", "："))
    )


def _heads(draft: Draft, above: Draft | None, below: Draft) -> bool:
    """Whether a single short row stands over prose, nearer to it than to what is above."""
    room = below.box[1] - draft.box[3]
    nearer = above is None or draft.box[1] - above.box[3] > NEARER * max(room, 0.0)
    return (
        len(draft.rows) == 1
        and bool(below.rows)
        and _stands_over(draft, below)
        and nearer
        and room < 2 * draft.line_height
        and heads(draft.rows[0], below.rows)
    )


def _notes(drafts: list[Draft], usual: float, page: Box | None) -> list[Draft]:
    """The drafts, those at the foot in small print that begin with a mark as footnotes."""
    if page is None:
        return drafts
    middle, small = (page[1] + page[3]) / 2, SMALL * usual
    larger = [
        other.box
        for other in drafts
        if other.kind in ("text", "list", "heading", "table", "figure")
        and other.line_height > small
    ]
    return [
        replace(draft, kind="footnote")
        if draft.kind in ("text", "list", "reference")
        and draft.model_order is None  # a model that gives an order knows footnotes
        and draft.box[1] > middle
        and draft.line_height <= small
        and _NOTE.match(draft.text)
        and not is_page_number(draft.text)
        and not any(_is_below(box, draft.box) for box in larger)
        else draft
        for draft in drafts
    ]


def _is_below(box: Box, other: Box) -> bool:
    return box[1] >= other[3] and box[0] < other[2] and other[0] < box[2]


def _references(drafts: list[Draft]) -> list[Draft]:
    """The drafts, the text after a heading that says so as references."""
    found, after = [], False
    for draft in drafts:
        if draft.kind in ("title", "heading"):
            after = bool(_REFERENCES.fullmatch(draft.text.strip().rstrip(":")))
        elif after and draft.kind in ("text", "list") and _ENTRY.match(draft.text):
            draft = replace(draft, kind="reference")
        found.append(draft)
    return found


def _titled(drafts: list[Draft], usual: float, page: Box) -> list[Draft]:
    """The drafts, the heading near the top that is much larger than all else as title."""
    headings = [draft for draft in drafts if draft.kind == "heading"]
    if not headings or any(draft.kind == "title" for draft in drafts):
        return drafts
    largest = max(headings, key=lambda draft: draft.line_height)
    others = [d.line_height for d in headings if d is not largest]
    near_top = largest.box[1] < page[1] + TITLE_PART * (page[3] - page[1])
    least = max(TITLE_SIZE * max(others, default=0.0), TITLE_LARGE * usual)
    if not near_top or largest.line_height < least:
        return drafts
    return [replace(d, kind="title", level=None) if d is largest else d for d in drafts]


def _levelled(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts, headings with a level."""
    headings = [d for d in drafts if d.kind == "heading" and d.level is None]
    levels = iter(_levels([(d.text, d.line_height) for d in headings]))
    return [
        replace(d, level=next(levels)) if d.kind == "heading" and d.level is None else d
        for d in drafts
    ]


def with_levels(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """An engine's own blocks; headings that it gives no level have one."""
    headings = [b for b in blocks if b.kind == "heading" and b.level is None]
    levels = iter(_levels([(b.text, _line_height(b)) for b in headings]))
    return tuple(
        msgspec.structs.replace(b, level=next(levels))
        if b.kind == "heading" and b.level is None
        else b
        for b in blocks
    )


def _line_height(block: Block) -> float:
    box = box_of(block.polygon)
    return (box[3] - box[1]) / (block.text.strip().count("\n") + 1)


def _levels(headings: Sequence[tuple[str, float]]) -> list[int]:
    """The levels of a page's headings, by their number, else by their size.

    Sizes count on this page alone: the largest is level 1.

    Args:
        headings: The text and the line height of each.
    """
    sizes: list[float] = []
    for size in sorted((height for _, height in headings), reverse=True):
        if not sizes or size * SAME_SIZE < sizes[-1]:
            sizes.append(size)
    return [min(_level(text, height, sizes), MOST_LEVELS) for text, height in headings]


def _level(text: str, height: float, sizes: Sequence[float]) -> int:
    return numbered_level(text) or sum(size > height * SAME_SIZE for size in sizes) + 1
