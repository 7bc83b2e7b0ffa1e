"""Drawings in a frame that a caption below calls a figure: maps, plans, diagrams of boxes.

Nothing in them is curved or slanted, as in other drawings; they have few and short labels.
"""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.geometry import Box, area, center, contains, intersection_area
from pagetide.structure.figures.captions import caption_begins, is_numbered_caption
from pagetide.structure.tables.ruled.frames import Frame

SIDES = 2  # rules across, and down
NEAR = 2.0  # line heights from the frame to its caption
LABEL = 0.4  # of the frame's width: the longest of its labels
TEXT = 0.15  # of the frame: what labels cover

Text = tuple[str, Box]
"""A line's text and its box."""


def framed_figures(
    frames: Sequence[Frame], texts: Sequence[Text], others: Sequence[Box] = ()
) -> list[Box]:
    """The frames that hold a drawing.

    Args:
        frames: The page's rules that meet.
        texts: Lines that are in no table.
        others: Boxes of the tables and figures found.
    """
    captions = [box for text, box in texts if _is_caption(text)]
    return [
        frame.box
        for frame in frames
        if min(len(frame.across), len(frame.down)) >= SIDES
        and any(_is_below(caption, frame.box) for caption in captions)
        and _are_labels([b for _, b in texts if contains(frame.box, center(b))], frame.box)
        and not any(intersection_area(other, frame.box) for other in others)
    ]


def _is_caption(text: str) -> bool:
    return caption_begins(text) is False and is_numbered_caption(text)


def _is_below(caption: Box, frame: Box) -> bool:
    x0, y0, x1, y1 = caption
    is_under = x0 < frame[2] and frame[0] < x1
    return is_under and 0 <= y0 - frame[3] <= NEAR * (y1 - y0)


def _are_labels(boxes: Sequence[Box], frame: Box) -> bool:
    most = LABEL * (frame[2] - frame[0])
    are_short = all(x1 - x0 <= most for x0, _, x1, _ in boxes)
    return are_short and sum(map(area, boxes)) <= TEXT * area(frame)
