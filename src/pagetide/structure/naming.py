"""Names blocks by size, position and words: titles, headings, margins, footnotes.

A layout model's kind is kept unless something contradicts it. A kind other than `text` is given
only if little doubt is left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median_low

from pagetide.document import BlockKind
from pagetide.geometry import Box, intersection_area
from pagetide.structure.draft import Draft
from pagetide.structure.headings.addressed import with_addressees
from pagetide.structure.headings.amounts import with_amounts
from pagetide.structure.headings.boxed import with_boxed
from pagetide.structure.headings.by_look import is_larger, titled, with_headings
from pagetide.structure.headings.decided import decided
from pagetide.structure.headings.levels import levelled
from pagetide.structure.headings.places import apart, with_own
from pagetide.structure.headings.signed import with_signatures
from pagetide.structure.headings.stacks import with_stacks
from pagetide.structure.lists.items import with_counted
from pagetide.structure.lists.speech import with_speeches
from pagetide.structure.margins.edges import (
    NOTE,
    SMALL,
    edges_parted,
    is_note,
    is_page_number,
    margin_kind,
    named_numbers,
)
from pagetide.structure.pairs.row_ends import with_row_ends
from pagetide.structure.rows import Row
from pagetide.structure.tables.ruled.frames import Stroke

LEAST_ROWS = 2
CAPTION_ROWS = 6  # in a narrow column
FAR = 6.0  # line heights: diagrams have space below them

_LEADER = re.compile(r"((\.\s?){4}|…)\s*\d{1,4}\s*$")
_REFERENCES = re.compile(
    r"(\d+\.?\s+)?(references|bibliography|works cited|literature cited|literatur"
    r"(verzeichnis)?|références|bibliographie|bibliografía|referencias|riferimenti|参考文献"
    r"|参考资料|참고문헌|(список )?литератур[аы]|المراجع|المصادر)",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"\[\d{1,3}\]|\d{1,3}[.)]?\s|[^\d\W]")


def named(
    drafts: Sequence[Draft],
    page: Box | None,
    shades: Sequence[Box] = (),
    rules: Sequence[Stroke] = (),
    boxes: Sequence[Box] = (),
    *,
    first: bool,
) -> list[Draft]:
    """The drafts with their kinds, and headings with their level.

    Args:
        drafts: In reading order.
        page: The page's box; None if the text is not upright on it, and so has no header or
            footer.
        shades: Boxes filled with a colour.
        rules: Those across the page that touch no other.
        boxes: Those drawn around something.
        first: Whether to look for a title.
    """
    rows = [row for draft in drafts for row in draft.rows if draft.kind != "table"]
    if len(rows) < LEAST_ROWS:  # too little text to determine what is usual on this page
        return list(drafts)
    usual = median_low(row.height for row in rows)
    letter = median_low(row.letter_width for row in rows)
    drafts = edges_parted(drafts, usual, page) if page else drafts
    drafts = with_row_ends(apart(with_stacks(drafts)))
    numbers = named_numbers(drafts) if page else []
    found = [
        replace(
            d, kind="page_number" if d in numbers else _kind(d, drafts, usual, letter, page)
        )
        for d in drafts
    ]
    found = with_headings(found, usual, shades)
    if page:
        found = with_counted(decided(found, [draft.kind for draft in drafts], page))
    found = _references(_notes(found, usual, page))
    found = _captioned(found, usual)
    if first and page:
        found = titled(found, median_low(row.size for row in rows), page)
    if page:
        found = with_boxed(with_signatures(with_own(found, page), rules, page), boxes)
    return levelled(with_speeches(with_amounts(with_addressees(found))))


def _kind(
    draft: Draft, drafts: Sequence[Draft], usual: float, letter: float, page: Box | None
) -> BlockKind:
    number = len(draft.rows) == 1 and is_page_number(draft.text)
    if number and draft.kind in ("header", "footer"):
        return "page_number"
    if draft.kind != "text" and not (number and draft.kind == "list"):
        return draft.kind
    if draft.label is None and is_larger(draft, usual, letter):
        return "heading"
    if _is_contents(draft.rows):
        return "toc"
    return draft.kind if page is None else margin_kind(draft, drafts, usual, page)


def _is_contents(rows: Sequence[Row]) -> bool:
    """Whether most rows end with a leader and a page number."""
    return len(rows) >= 3 and sum(bool(_LEADER.search(r.text)) for r in rows) > len(rows) / 2


def _notes(drafts: list[Draft], usual: float, page: Box | None) -> list[Draft]:
    """The drafts; those at the foot in small print that start with a mark become footnotes."""
    if page is None:
        return drafts
    middle, small = (page[1] + page[3]) / 2, SMALL * usual
    listed = {id(below) for head, below in pairwise(drafts) if _heads_references(head)}
    larger = [
        other.box
        for other in drafts
        if other.kind in ("text", "list", "heading", "table", "figure")
        and other.line_height > small
    ]
    return [
        replace(draft, kind="footnote")
        if (
            draft.kind in ("text", "list", "reference")
            or (draft.kind == "footer" and is_note(draft, usual))  # as found by a model
        )
        and id(draft) not in listed
        and draft.model_order is None  # a model that gives an order recognises footnotes
        and draft.box[1] > middle
        and draft.line_height <= small
        and NOTE.match(draft.text)
        and not is_page_number(draft.text)
        and not any(_is_below(box, draft.box) for box in larger)
        else draft
        for draft in drafts
    ]


def _is_below(box: Box, other: Box) -> bool:
    return box[1] >= other[3] and box[0] < other[2] and other[0] < box[2]


def _captioned(drafts: list[Draft], usual: float) -> list[Draft]:
    """The drafts; a few rows of small print right below a figure become its caption."""
    figures = [draft.box for draft in drafts if draft.kind in ("figure", "chart")]
    if not figures:
        return drafts
    return [
        replace(draft, kind="caption")
        if draft.kind == "text"
        and len(draft.rows) <= CAPTION_ROWS
        and draft.line_height <= SMALL * usual
        and any(_is_right_below(draft, figure, drafts) for figure in figures)
        else draft
        for draft in drafts
    ]


def _is_right_below(draft: Draft, figure: Box, drafts: Sequence[Draft]) -> bool:
    """Whether a draft is the first below a figure, and hardly wider than it."""
    left, top, right, _ = draft.box
    shared = min(right, figure[2]) - max(left, figure[0])
    gap = top - figure[3]
    if shared < (right - left) / 2 or not -draft.line_height <= gap <= FAR * draft.line_height:
        return False
    between = (left, figure[3], right, top)
    return not any(
        intersection_area(other.box, between) > 0
        for other in drafts
        if other is not draft and other.box != figure
    )


def _heads_references(draft: Draft) -> bool:
    return bool(
        draft.kind in ("title", "heading")
        and _REFERENCES.fullmatch(draft.text.strip().rstrip(":"))
    )


def _references(drafts: list[Draft]) -> list[Draft]:
    """The drafts; the text after a references heading becomes references."""
    found, after = [], False
    for draft in drafts:
        if draft.kind in ("title", "heading"):
            after = _heads_references(draft)
        elif after and draft.kind in ("text", "list") and _ENTRY.match(draft.text):
            draft = replace(draft, kind="reference")
        found.append(draft)
    return found
