"""Block kinds derived from the position among the others: headers, footers, headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pagetide.document import BlockKind
from pagetide.geometry import Box
from pagetide.structure.areas.kinds import (
    BOTTOM,
    MARGINAL,
    SMALL,
    TINY,
    TOP,
    Page,
    is_title,
)
from pagetide.structure.areas.lists import heads
from pagetide.structure.draft import Draft

MARGIN_ROWS = 3
CLEAR_TOP = 0.09  # of the page's height: where a header outside all areas may be
CLEAR = 0.8  # typical line heights between a page's header or footer and its body
NEAR = 2.0  # typical line heights between a heading and its text
HALF = 0.5  # of the page's height: footnotes are below
_MARKED = re.compile(r"\s*(?!\d+[.,]\d)([*†‡§¶]+|\(?\d{1,3}[.)]?|[¹²³⁴-⁹]+)\s*\S")
_NOTED: frozenset[BlockKind] = frozenset({"text", "list", "reference"})
_UNSURE: frozenset[BlockKind] = frozenset({"text", "reference", "list", "caption"})


def placed(
    drafts: Sequence[Draft], outside: Sequence[Draft], taken: Sequence[Box], page: Page
) -> list[Draft]:
    """The areas' drafts and those outside all areas, with kinds derived from their position."""
    body = [draft.box for draft in drafts if draft.kind not in MARGINAL] + list(taken)
    named = [*drafts, *(_clear_of(body, draft, page) for draft in outside)]
    found = [_above(drafts, draft, page) for draft in named]
    margins = [draft for draft in found if draft.kind in MARGINAL]
    found = [_beside(margins, draft, page) for draft in found]
    return [_note(found, draft, page) for draft in found]


def _above(drafts: Sequence[Draft], draft: Draft, page: Page) -> Draft:
    """A single row: a heading if it is right above prose."""
    small = draft.line_height < TINY * page.line
    if draft.kind != "text" or len(draft.rows) > 1 or small:
        return draft
    for other in drafts:
        gap = other.box[1] - draft.box[3]
        near = other.kind == "text" and -page.line / 2 < gap < NEAR * page.line
        if near and heads(draft.rows[0], other.rows):
            return replace(draft, kind="heading")
    return draft


def _clear_of(body: Sequence[Box], draft: Draft, page: Page) -> Draft:
    """A row outside all areas, apart from the body: a header or footer, or a title."""
    _, top, _, bottom = draft.box
    if not body or len(draft.rows) > 1:
        return draft
    clear = CLEAR * page.line
    if page.depth((top + bottom) / 2) < CLEAR_TOP and bottom + clear < min(
        box[1] for box in body
    ):
        return replace(draft, kind="heading" if is_title(draft.rows, page) else "header")
    if page.depth(top) > BOTTOM and top - clear > max(box[3] for box in body):
        return replace(draft, kind="footer")
    return draft


def _beside(margins: Sequence[Draft], draft: Draft, page: Page) -> Draft:
    """A few rows level with a header or footer are one too."""
    _, top, _, bottom = draft.box
    at_edge = page.depth(bottom) < TOP or page.depth(top) > BOTTOM
    if not at_edge or len(draft.rows) > MARGIN_ROWS or draft.kind not in _UNSURE:
        return draft
    for margin in margins:
        shared = min(bottom, margin.box[3]) - max(top, margin.box[1])
        if shared > min(bottom - top, margin.box[3] - margin.box[1]) / 2:
            return replace(draft, kind=margin.kind)
    return draft


def _note(drafts: Sequence[Draft], draft: Draft, page: Page) -> Draft:
    """A footnote: small print with a mark, low on the page, with nothing larger below it."""
    if (
        draft.kind not in _NOTED
        or not draft.rows
        or draft.line_height > SMALL * page.line
        or page.depth(draft.box[1]) < HALF
        or not _MARKED.match(draft.text)
    ):
        return draft
    for other in drafts:
        below = other.box[1] >= draft.box[3] and other.kind not in MARGINAL
        beside = other.box[0] >= draft.box[2] or other.box[2] <= draft.box[0]
        if below and not beside and not 0 < other.line_height <= SMALL * page.line:
            return draft
    return replace(draft, kind="footnote")
