"""Labels of notes in drawn boxes: they head the box's text only, and no section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pagetide.geometry import Box, area, center, contains, union
from pagetide.structure.draft import Draft
from pagetide.structure.headings.outline import STATED
from pagetide.structure.margins.edges import MARGINAL

HEADS = ("heading", "title")
NOTES = ("text", "list")
MOST = 12  # rows of a note; a box with more has sections of its own
LARGER = 1.1  # the type of a section's heading, relative to a label's
NEXT = 3.0  # heights of a row, from a label's box to the one of its text


def with_boxed(drafts: Sequence[Draft], boxes: Sequence[Box]) -> list[Draft]:
    """The drafts; a heading in a box becomes text if the box ends before the section does.

    What comes after the box is no part of it. A box that another one follows, or a heading no
    larger than its own, may be a section, such as a form's or a card.

    Args:
        drafts: In reading order, with their kinds.
        boxes: Those drawn around something.
    """
    own = [draft for draft in drafts if draft.kind not in MARGINAL]
    labels = {
        id(draft)
        for place, draft in enumerate(own)
        if draft.kind == "heading" and draft.label != STATED and _is_label(place, own, boxes)
    }
    return [replace(d, kind="text", level=None) if id(d) in labels else d for d in drafts]


def _is_label(place: int, own: Sequence[Draft], boxes: Sequence[Box]) -> bool:
    """Whether it is the first in a box that holds its text too, and nothing else's."""
    draft = own[place]
    around = sorted((box for box in boxes if contains(box, center(draft.box))), key=area)
    for box in [*around, *_beside(around, draft, boxes)]:
        after = place + 1
        while after < len(own) and contains(box, center(own[after].box)):
            after += 1
        if after > place + 1:
            return _is_note(own, place, after, box, boxes)
    return False


def _beside(around: Sequence[Box], draft: Draft, boxes: Sequence[Box]) -> list[Box]:
    """The label's box together with each that starts right of it at its height."""
    if not around:
        return []
    _, top, right, _ = around[0]
    near = draft.line_height
    return [
        union([around[0], box])
        for box in boxes
        if abs(box[1] - top) < near / 2 and right - near / 2 < box[0] < right + NEXT * near
    ]


def _is_note(
    own: Sequence[Draft], place: int, after: int, box: Box, boxes: Sequence[Box]
) -> bool:
    """Whether a box holds a label with its text, and other text follows it."""
    held = own[place + 1 : after]
    if place == 0 or contains(box, center(own[place - 1].box)):  # a letterhead comes first
        return False
    if after == len(own) or any(draft.kind not in NOTES for draft in held):
        return False
    if own[after].kind in HEADS and own[after].size < LARGER * own[place].size:
        return False
    following = center(own[after].box)
    is_boxed = any(contains(other, following) for other in boxes)
    return not is_boxed and sum(len(each.rows) for each in held) <= MOST
