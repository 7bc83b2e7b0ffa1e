"""A page's headings, detected by size, weight, background shade and what is below them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from pagetide.geometry import Box
from pagetide.structure.areas.lists import heads
from pagetide.structure.draft import Draft
from pagetide.structure.headings.outline import STATED
from pagetide.structure.margins.edges import MARGINAL, SMALL_PRINT
from pagetide.structure.pairs.row_ends import row_ends
from pagetide.structure.rows import has_word, is_bracketed, is_styled, is_sum

NEARER = 1.2  # a heading's space above, relative to that below it
LARGE = 1.25  # a heading's line height, relative to the page's typical one
LARGE_LETTERS = 1.1
HEADING_LETTERS = 120
TITLE_PART = 0.45  # of the page's height, from the top: where a document's title is
TITLE_ROWS = 2  # of what is above it, at most
TITLE_SIZE = 1.15  # relative to the largest other heading
TITLE_LARGE = 1.4  # and to the page's typical one; a box read twice differs by 0.07
MOST_BOLD = 0.5  # of a page's rows: if more are bold, bold means nothing
DATED = 4  # digits: this many are a date's or a number's, not a heading's
SMALLER = 1.15  # how much larger a title's type is than that of a short line below it
LEADER = "...."  # to a page number, in a list of contents
SHADE = 2.5  # of a heading's height: that of its shade, at most
SHADE_WIDTH = 1.2  # of a heading's width: that of its shade, at least

_NUMBERED = re.compile(r"(\d{1,2}(\.\d{1,2})*|[IVXL]{1,6}|[A-Z])[.)]?\s+(?=\w{2})")
_NUMBER_BEFORE = re.compile(r"^([^\t]{1,6})\t")


def is_larger(draft: Draft, usual: float, letter: float) -> bool:
    """Whether a draft is a heading by the size of its type.

    Args:
        draft: Not yet named.
        usual: The page's typical line height.
        letter: Its typical width of a letter.
    """
    return _is_large(draft, usual) and _has_large_letters(draft, letter)


def _is_large(draft: Draft, usual: float) -> bool:
    """Whether it is as short as a heading, with lines as tall as a heading's."""
    return (
        len(draft.rows) <= 2
        and draft.line_height >= LARGE * usual
        and len(draft.text) <= HEADING_LETTERS
        and has_word(draft.text)
        and not is_bracketed(draft.text)
        and not is_sum(draft.text)
        and not _is_formula(draft.text)
    )


def _is_formula(text: str) -> bool:
    return any(unicodedata.category(letter) == "Sm" and letter not in "+|~" for letter in text)


def _has_large_letters(draft: Draft, letter: float) -> bool:
    return median(row.letter_width for row in draft.rows) >= LARGE_LETTERS * letter


def with_headings(drafts: list[Draft], usual: float, shades: Sequence[Box]) -> list[Draft]:
    """The drafts, with headings of the text's own size.

    They are bold or on a shade above something wider, or short and above prose.
    """
    ends = row_ends(drafts)
    rows = [row for d in drafts for row in d.rows if d.kind in ("text", "list", "table")]
    bold_counts = sum(row.bold for row in rows) <= MOST_BOLD * len(rows)
    found: list[Draft] = []
    for place, draft in enumerate(drafts):
        may_head = draft.kind in ("text", "list") and draft.label is None and place not in ends
        if may_head and _has_length(draft, usual):
            above = next((d for d in found[::-1] if d.box[3] <= draft.box[1] + usual / 2), None)
            below = next(
                (
                    d
                    for at, d in enumerate(drafts[place + 1 :], place + 1)
                    if d.kind not in MARGINAL and at not in ends
                ),
                None,
            )
            is_bold = bold_counts and all(row.bold for row in draft.rows)
            if below and (
                _is_on_shade(draft, shades)
                or (is_bold and _stands_over(draft, below))
                or (is_bold and _is_over_all(draft, below, drafts))
                or (not is_bold and _heads(draft, above, below))
                or (not is_bold and _is_numbered(draft) and _stands_over(draft, below))
                or (not is_bold and _is_over_table(draft, above, below))
            ):
                draft = replace(draft, kind="heading")
        found.append(draft)
    return found


def _is_on_shade(draft: Draft, shades: Sequence[Box]) -> bool:
    """Whether a phrase is on a separate shade wider than it; a sentence is a note."""
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


def _has_length(draft: Draft, usual: float) -> bool:
    """Whether it has a heading's length and letters, whatever its type."""
    text = _NUMBER_BEFORE.sub(r"\1 ", draft.text.strip())
    return (
        0 < len(draft.rows) <= 2
        and len(text) <= HEADING_LETTERS
        and "\t" not in text
        and has_word(text)
        and not is_bracketed(text)
        and not is_sum(text)
        and not _is_formula(text)
        and LEADER not in text
        and draft.line_height >= SMALL_PRINT * usual
        and not text.endswith((",", ";", "，", "、"))
    )


def _stands_over(draft: Draft, below: Draft) -> bool:
    """Whether the next draft is below it, and is wider, an answer, or a heading as well."""
    wider = below.box[2] - below.box[0] > draft.box[2] - draft.box[0]
    is_below = below.box[1] >= draft.box[3] - draft.line_height / 2
    leads = any(row.bold or row.is_option for row in below.rows[:1])
    return is_below and (wider or leads)


def _is_over_all(draft: Draft, below: Draft, drafts: Sequence[Draft]) -> bool:
    """Whether it is across the page, before all prose, and what is below it in smaller type.

    That may be narrower, as the date below a title is.
    """
    others = [each for each in drafts if each is not draft and each.kind not in MARGINAL]
    return (
        below.kind in ("text", "heading")
        and below.box[1] >= draft.box[3] - draft.line_height / 2
        and 0 < SMALLER * below.size < draft.size
        and not draft.text.rstrip().endswith((":", "："))
        and not any(
            each.box[1] < draft.box[3]
            and (draft.box[1] < each.box[3] or len(each.rows) > TITLE_ROWS)
            for each in others
        )
    )


def _is_numbered(draft: Draft) -> bool:
    """Whether a row has a number followed by only capitals or italics."""
    number = _NUMBERED.match(draft.text)
    if not number or len(draft.rows) > 1:
        return False
    rest, lines = draft.text[number.end() :], draft.rows[0].lines
    return rest.isupper() or is_styled(lines[-1], "italic")


def _is_over_table(draft: Draft, above: Draft | None, below: Draft) -> bool:
    """Whether a phrase is at the corner of a table, nearer to it than to what is above."""
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
    """Whether a single short row is above prose, nearer to it than to what is above."""
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


def titled(drafts: list[Draft], usual: float, page: Box) -> list[Draft]:
    """The drafts; the heading near the top that is much larger than all else becomes the title.

    Args:
        drafts: With headings among them.
        usual: The page's typical size of type.
        page: Its box.
    """
    headings = [draft for draft in drafts if draft.kind == "heading"]
    if not headings or any(draft.kind == "title" for draft in drafts):
        return drafts
    largest = max(headings, key=lambda draft: draft.size)
    others = [d.size for d in headings if d is not largest]
    near_top = largest.box[1] < page[1] + TITLE_PART * (page[3] - page[1])
    least = max(TITLE_SIZE * max(others, default=0.0), TITLE_LARGE * usual)
    if not near_top or largest.size < least or largest.label == STATED:
        return drafts
    return [replace(d, kind="title", level=None) if d is largest else d for d in drafts]
