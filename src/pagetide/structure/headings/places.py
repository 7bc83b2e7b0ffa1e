"""Text that looks like a heading but has nothing below it to head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from pagetide.geometry import Box
from pagetide.structure.draft import Draft
from pagetide.structure.headings.outline import STATED
from pagetide.structure.margins.edges import MARGINAL

_ROOM_BELOW = 0.2  # of a page's height, in which something would have fitted
_FOOT = 0.85  # of a page's height: below it are footers, whatever their current kind
_RUNNING = 2  # rows of running text
_LABELS = 3  # phrases side by side
_MOST = 1000  # blocks of a page: each heading is compared with all
_APART = 3.0  # line heights between headings side by side
_FOLLOWING = 6  # drafts that they may be above
_ALIKE = 0.05  # of a line's height: how much lines of one size differ
_STEP = 0.25  # line heights: lines of a paragraph are no farther apart than others of it
_NEAR = 2.5  # line heights between a heading and what it heads


def with_own(drafts: Sequence[Draft], page: Box) -> list[Draft]:
    """The drafts; headings that head nothing become text.

    So do side-by-side buttons and picture names, the signer of a letter, and a line of a
    sentence that continues. Headings stated by the document stay.
    """
    own = [draft for draft in drafts if draft.kind not in MARGINAL]
    below = {id(draft): after for draft, after in pairwise(own)}
    single = [draft for draft in own if len(draft.rows) == 1] if len(own) < _MOST else []
    return [
        replace(draft, kind="text")
        if draft.kind == "heading"
        and draft.label != STATED
        and (
            _is_last(draft, own, page)
            or _is_label(draft, single, own)
            or _goes_on(draft, below.get(id(draft)))
        )
        else draft
        for draft in drafts
    ]


def apart(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts; side-by-side bold phrases are split, each before what is below it."""
    found = list(drafts)
    if len(found) > _MOST:
        return found
    for draft in [each for each in drafts if each.kind == "text" and len(each.rows) == 1]:
        row = draft.rows[0]
        if (
            not row.bold
            or len(row.lines) != 2
            or row.boxes[1][0] - row.boxes[0][2] < _APART * row.height
        ):
            continue
        place = next(n for n, each in enumerate(found) if each is draft)
        below = found[place + 1 : place + 1 + _FOLLOWING]
        left, right = (
            _first_under(box, row.boxes[1 - n], below) for n, box in enumerate(row.boxes)
        )
        if left is None or right is None:
            continue
        one, other = (replace(draft, rows=(row.part([n]),), area=None) for n in range(2))
        found[place : place + 1] = [one]
        found.insert(place + 1 + right, other)
    return found


def _first_under(box: Box, beside: Box, below: Sequence[Draft]) -> int | None:
    """The index of the first draft under a heading and not under the one beside it."""

    def is_under(upper: Box, lower: Box) -> bool:
        return lower[1] >= upper[3] - 1 and lower[0] < upper[2] and upper[0] < lower[2]

    own = (
        n for n, d in enumerate(below) if is_under(box, d.box) and not is_under(beside, d.box)
    )
    return next(own, None)


def _goes_on(draft: Draft, below: Draft | None) -> bool:
    """Whether the next line continues its sentence: something is beside the lines above."""
    if below is None or below.kind != "text" or not below.text[:1].islower():
        return False
    last, (first, *others) = draft.rows[-1], below.rows
    height, room = last.height, first.box[1] - last.box[3]
    is_alike = abs(first.height - height) < _ALIKE * height
    is_alike &= (last.bold, last.italic) == (first.bold, first.italic)
    as_close = bool(others) and room - (others[0].box[1] - first.box[3]) < _STEP * height
    return is_alike and as_close and draft.text.rstrip()[-1:].isalnum()


def _is_last(draft: Draft, own: Sequence[Draft], page: Box) -> bool:
    """Whether it ends a text, with space below: at a page's foot its text may follow."""
    height = page[3] - page[1]
    has_room = page[3] - draft.box[3] > _ROOM_BELOW * height
    body = [each for each in own if each.box[1] < page[1] + _FOOT * height]
    is_running = any(each.kind == "text" and len(each.rows) >= _RUNNING for each in body)
    return has_room and is_running and draft is body[-1]


def _is_label(draft: Draft, single: Sequence[Draft], own: Sequence[Draft]) -> bool:
    """Whether it is one of several side-by-side phrases with nothing right below it."""
    x0, y0, x1, y1 = draft.box
    beside = [each for each in single if each.box[1] < (y0 + y1) / 2 < each.box[3]]
    if len(draft.rows) > 1 or len(beside) < _LABELS:
        return False
    return not any(
        0 <= each.box[1] - (y0 + y1) / 2 <= (_NEAR + 0.5) * (y1 - y0)
        and each.box[0] < x1
        and x0 < each.box[2]
        for each in own
        if each.rows
    )
