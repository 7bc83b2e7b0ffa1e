"""What blocks are, told by size, place and words: titles, headings, margins, footnotes.

A layout model's own word is kept where it has one and nothing speaks against it. A kind
other than `text` is given only where little doubt is left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import msgspec

from pagetide.document import Block, BlockKind
from pagetide.geometry import Box, box_of
from pagetide.structure.draft import Draft
from pagetide.structure.paragraphs import Row

LARGE = 1.25  # a heading's line height, in the page's typical one
MARGIN = 0.08  # of the page's height: where headers and footers stand
LARGE_LETTERS = 1.1
HEADING_LETTERS = 120
APART = 1.2  # typical line heights between a header or footer and the text
APART_SMALL = 0.6  # the same where it is in small print
SMALL_PRINT = 0.85
TITLE_PART = 0.45  # of the page's height, from the top: where a document's title stands
TITLE_SIZE = 1.2  # in the largest other heading's line height
TITLE_LARGE = 1.6  # and in the page's typical one
SAME_SIZE = 1.12  # OCR boxes of headings of one font differ by less
SMALL = 0.95  # a footnote's line height, in the page's typical one
MOST_LEVELS = 6

_PAGE_NUMBER = re.compile(
    r"[-–—|\s]*((page|seite|pagina|página|p\.)\s*)?(\d{1,4}|[ivxl]{1,6})"
    r"(\s*(/|of|von|de|di|sur)\s*\d{1,4})?[-–—|\s]*",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\D")
_NOTE = re.compile(r"([*†‡§¶]+|\d{1,2}[.)]?|[a-z][.)])\s*\S")
_LEADER = re.compile(r"((\.\s?){4}|…)\s*\d{1,4}\s*$")
_REFERENCES = re.compile(
    r"(\d+\.?\s+)?(references|bibliography|works cited|literature cited|literatur"
    r"(verzeichnis)?|références|bibliographie|bibliografía|referencias|riferimenti|参考文献)",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"\[\d{1,3}\]|\d{1,3}[.)]?\s|[^\d\W]")


def named(drafts: Sequence[Draft], page: Box | None, *, first: bool) -> list[Draft]:
    """The drafts with their kinds, and headings with their level.

    Args:
        drafts: In reading order.
        page: The page's box; None where the text does not stand upright on it, and so has
            no header or footer.
        first: Whether a title is looked for.
    """
    rows = [row for draft in drafts for row in draft.rows if draft.kind != "table"]
    if len(rows) < 5:  # too little text to say what is usual on this page
        return list(drafts)
    usual = median(row.height for row in rows)
    letter = median(row.letter_width for row in rows)
    found = [replace(d, kind=_kind(d, drafts, usual, letter, page)) for d in drafts]
    found = _notes(found, usual, page)
    found = _references(found)
    return _levelled(_titled(found, usual, page) if first and page else found)


def _kind(
    draft: Draft, drafts: Sequence[Draft], usual: float, letter: float, page: Box | None
) -> BlockKind:
    number = len(draft.rows) == 1 and _PAGE_NUMBER.fullmatch(draft.text.strip())
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
        and sum(letter.isalpha() for letter in draft.text) > 1
    )


def _has_large_letters(draft: Draft, letter: float) -> bool:
    return median(row.letter_width for row in draft.rows) >= LARGE_LETTERS * letter


def _is_contents(rows: Sequence[Row]) -> bool:
    """Whether most rows end with a leader and a page's number."""
    return len(rows) >= 3 and sum(bool(_LEADER.search(r.text)) for r in rows) > len(rows) / 2


def _margin_kind(draft: Draft, drafts: Sequence[Draft], usual: float, page: Box) -> BlockKind:
    """What a single row at the page's edge is, if only rows like it stand beside it."""
    top, bottom = draft.box[1], draft.box[3]
    margin = MARGIN * (page[3] - page[1])
    if len(draft.rows) > 1:
        return draft.kind
    kind: BlockKind
    if bottom < page[1] + margin:
        kind = "header"
        gaps = [d.box[1] - bottom for d in drafts if d.box[3] > bottom + usual / 2]
    elif top > page[3] - margin:
        kind = "footer"
        gaps = [top - d.box[3] for d in drafts if d.box[1] < top - usual / 2]
    else:
        return draft.kind
    apart = APART_SMALL if draft.line_height <= SMALL_PRINT * usual else APART
    if min(gaps, default=0.0) <= apart * usual:
        return draft.kind
    return "page_number" if _PAGE_NUMBER.fullmatch(draft.text.strip()) else kind


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
    return [replace(d, kind="title") if d is largest else d for d in drafts]


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
    numbered = _NUMBERED.match(text)
    if numbered:
        return numbered.group(1).count(".") + 1
    return sum(size > height * SAME_SIZE for size in sizes) + 1
