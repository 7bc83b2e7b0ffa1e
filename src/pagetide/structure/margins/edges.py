"""Page edges: headers, footers of one or several rows, page numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from pagetide.document import BlockKind
from pagetide.geometry import Box
from pagetide.structure.draft import Draft
from pagetide.structure.figures.captions import caption_begins

MARGIN = 0.08  # of the page's height: where headers and footers are
SLIDE = 0.1  # the same on a page wider than high
MARGIN_LINES = 3.0  # typical line heights: the same for small print, as on slides
APART = 1.2  # typical line heights between a header or footer and the text
APART_SMALL = 0.6  # the same if it is in small print
LARGE = 1.3  # typical line heights: of type larger than that of a header or footer
LINE = 0.65  # of the page's width: a header is shorter, or in several pieces
PHRASE = 0.33  # of its width: a name or a date at the foot is shorter
SMALL_PRINT = 0.85
SMALL = 0.95  # a footnote's line height, relative to the page's typical one
FOOT_ROWS = 8  # of a company's address at the foot of its letters
FOOT = 0.14  # of the page's height: where that is
FOOT_GUTTER = 0.8  # line heights between the columns of a page foot
FOOT_ROOM = 2.0  # typical line heights above a foot in columns
LONGEST_NUMBER = 40  # letters of a page number
FOOT_PRINT = 0.92  # typical line heights

MARGINAL: frozenset[BlockKind] = frozenset({"header", "footer", "page_number", "footnote"})
# `7.3` numbers a clause, not a note.
NOTE = re.compile(r"(?!\d+[.,]\d)([*†‡§¶]+|\d{1,2}[.)]?|[a-z][.)])\s*\S")

_PAGE = (
    r"(page|seite|pagina|página|sida|sivu|strona|strana|stránka|oldal|sayfa|σελίδα|страница"
    r"|صفحة|第)"
)
_PAGE_NUMBER = re.compile(
    rf"[-–—|\s]*(({_PAGE}|side|(p|pg|pag|pág|str|σελ|стр)\.)\s*)?(\d{{1,4}}|[ivxl]{{1,6}})\s*[页頁]?"
    r"([，,\s]*(/|of|von|van|de|di|din|sur|av|af|z|ze|od|από|из|من|共)\s*\d{1,4}\s*[页頁]?)?[-–—|\s]*",
    re.IGNORECASE,
)
_DASHED = re.compile(r"([-–—])\s?\d{1,4}\s?\1")
_NAMES_PAGE = re.compile(rf"[-–—|\s]*{_PAGE}", re.IGNORECASE)


def is_page_number(text: str) -> bool:
    """Whether a text is a page number, in words or alone."""
    text = text.strip()
    return len(text) <= LONGEST_NUMBER and bool(_PAGE_NUMBER.fullmatch(text))


def is_sure_number(text: str) -> bool:
    """Whether a text is certainly a page number, because of a word, a total or two dashes."""
    is_bare = text.strip("-–—| \n").isalnum() and not is_dashed_number(text)
    return is_page_number(text) and not is_bare


def says_page(text: str) -> bool:
    """Whether a text is a page number after the word for it: `Page 2 of 3`."""
    return is_page_number(text) and _NAMES_PAGE.match(text) is not None


def is_dashed_number(text: str) -> bool:
    """Whether a text is a page number between dashes: no list item starts like that."""
    return bool(_DASHED.fullmatch(text.strip()))


def named_numbers(drafts: Sequence[Draft]) -> list[Draft]:
    """Names the single block that is a page number in words, wherever it is.

    A page has one; of several, the one in the margin counts, and others refer to pages.
    """
    found = [
        draft
        for draft in drafts
        if draft.table is None and len(draft.rows) == 1 and says_page(draft.text)
    ]
    return found if len(found) == 1 else []


def margin_kind(draft: Draft, drafts: Sequence[Draft], usual: float, page: Box) -> BlockKind:
    """The kind of a single row at the page's edge, if only rows like it are beside it."""
    top, bottom = draft.box[1], draft.box[3]
    margin = _margin(page)
    if draft.line_height <= SMALL_PRINT * usual:
        margin = max(margin, MARGIN_LINES * usual)
    if len(draft.rows) > 1:
        return "footer" if _is_foot(draft, drafts, usual, page) else draft.kind
    kind: BlockKind
    if bottom < page[1] + margin:
        kind = "header"
        gaps = [_text(d)[0] - bottom for d in drafts if d.box[3] > bottom + usual / 2]
    elif top > page[3] - margin:
        kind = "footer"
        gaps = [top - _text(d)[1] for d in drafts if d.box[1] < top - usual / 2]
    elif top > page[3] - FOOT * (page[3] - page[1]) and is_sure_number(draft.text):
        return "page_number"
    else:
        return draft.kind
    if _beside_number(draft, drafts):
        return "page_number" if is_sure_number(draft.text) else kind
    if _is_content(draft, drafts, usual, page, foot=kind == "footer"):
        return draft.kind
    apart = APART_SMALL if draft.line_height <= SMALL_PRINT * usual else APART
    if min(gaps, default=0.0) <= apart * usual:
        return draft.kind
    return "page_number" if is_page_number(draft.text) else kind


def _is_content(
    draft: Draft, drafts: Sequence[Draft], usual: float, page: Box, *, foot: bool
) -> bool:
    """Whether a row is a caption, a note or a line of text, although it is at the edge."""
    if caption_begins(draft.text) is not None or (foot and is_note(draft, usual)):
        return True
    width = draft.box[2] - draft.box[0] if _is_phrase(draft) else 0.0
    return (not foot and width > LINE * (page[2] - page[0])) or any(
        (room >= 0 and each.line_height > LARGE * usual)
        or (room > APART * usual and width > PHRASE * (page[2] - page[0]))
        for each in drafts
        for room in [each.box[1] - draft.box[3] if foot else draft.box[1] - each.box[3]]
    )


def _is_phrase(draft: Draft) -> bool:
    """Whether a row is one piece, and neither begins nor ends with a page's number."""
    words = draft.text.split()
    is_numbered = any(word.isdecimal() for word in (*words[:1], *words[-1:]))
    return len(draft.rows[0].lines) == 1 and not is_numbered


def _margin(page: Box) -> float:
    """The depth of headers and footers from a page's edge; larger on a slide."""
    high = page[3] - page[1]
    return (SLIDE if page[2] - page[0] > high else MARGIN) * high


def _text(draft: Draft) -> tuple[float, float]:
    """The top and bottom of a block's text; a table's edge is further out."""
    boxes = [row.box for row in draft.rows] if draft.kind == "table" else []
    boxes = boxes or [draft.box]
    return min(box[1] for box in boxes), max(box[3] for box in boxes)


def _beside_number(draft: Draft, drafts: Sequence[Draft]) -> bool:
    """Whether a page number is the whole row, or on it."""
    return any(
        is_sure_number(each.text) and each.box[1] < draft.box[3] and draft.box[1] < each.box[3]
        for each in drafts
        if len(each.rows) == 1
    )


def is_note(draft: Draft, usual: float) -> bool:
    """Whether small print starts like a footnote and ends like a sentence."""
    small = draft.line_height <= SMALL * usual
    return small and bool(NOTE.match(draft.text)) and draft.text.rstrip().endswith((".", "。"))


def _is_foot(draft: Draft, drafts: Sequence[Draft], usual: float, page: Box) -> bool:
    """Whether rows are everything at the page's foot: a company address.

    They are in small print, or in columns, far below all else.
    """
    foot = page[3] - FOOT * (page[3] - page[1])
    if draft.box[1] <= foot or len(draft.rows) > FOOT_ROWS:
        return False
    lower = [d for d in drafts if d.box[1] >= draft.box[3]]
    level = [d for d in drafts if abs(d.box[1] - draft.box[1]) < usual / 2 and d is not draft]
    room = _room_above(_head_of(draft, drafts, foot) if level else draft, drafts)
    in_columns = bool(level) and room > FOOT_ROOM * usual
    return (
        (in_columns or draft.line_height <= FOOT_PRINT * usual)
        and not NOTE.match(draft.text)
        and caption_begins(draft.text) is None
        and room > APART_SMALL * usual
        and all(d.line_height <= draft.line_height for d in lower)
    )


def _head_of(draft: Draft, drafts: Sequence[Draft], foot: float) -> Draft:
    """The block that heads a column of a foot, such as its name in bold type."""
    over = [
        d
        for d in drafts
        if foot < d.box[1] < draft.box[1]
        and abs(d.box[0] - draft.box[0]) < draft.line_height / 2
        and abs(draft.box[1] - d.box[3]) < APART_SMALL * draft.line_height
    ]
    return over[0] if len(over) == 1 and len(over[0].rows) == 1 else draft


def edges_parted(drafts: Sequence[Draft], usual: float, page: Box) -> list[Draft]:
    """The drafts, with the page number separate, and a foot in columns split by column.

    Args:
        drafts: In reading order.
        usual: The page's typical line height.
        page: Its box.
    """
    return _feet_parted(_numbers_parted(drafts, page), usual, page)


def _numbers_parted(drafts: Sequence[Draft], page: Box) -> list[Draft]:
    """The drafts, with a page number at the edge separate, whatever else is on its row."""
    edge = _margin(page)
    found: list[Draft] = []
    for draft in drafts:
        at_edge = draft.box[3] < page[1] + edge or draft.box[1] > page[3] - edge
        single = len(draft.rows) == 1 and draft.table is None and len(draft.rows[0].lines) > 1
        found += _by_number(draft) if at_edge and single else [draft]
    return found


def _feet_parted(drafts: Sequence[Draft], usual: float, page: Box) -> list[Draft]:
    """The drafts, with a multi-row foot in columns split by column."""
    foot = page[3] - FOOT * (page[3] - page[1])
    found: list[Draft] = []
    for draft in drafts:
        is_foot = draft.kind == "text" and draft.box[1] > foot and len(draft.rows) > 1
        apart = is_foot and _room_above(draft, drafts) > FOOT_ROOM * usual
        found += _by_column(draft) if apart else [draft]
    return found


def _room_above(draft: Draft, drafts: Sequence[Draft]) -> float:
    """The distance below everything higher on the page; 0 if there is nothing."""
    above = (draft.box[1] - d.box[3] for d in drafts if d.box[3] <= draft.box[1])
    return min(above, default=0.0)


def _by_column(draft: Draft) -> list[Draft]:
    """A draft's columns, if space is left between them in all rows."""
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
