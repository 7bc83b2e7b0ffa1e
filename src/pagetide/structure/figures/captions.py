"""Captions: which text is one, and which figure or table it belongs to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from pagetide.document import Block, BlockKind
from pagetide.geometry import Box, box_of

MOST_ROWS = 4  # of a caption far from what it belongs to
NEAR = 4.0  # line heights between a caption and what it belongs to

_PICTURED: frozenset[BlockKind] = frozenset({"figure", "chart", "table"})
_NUMBER = r"\s*(?:\.\s*)?(\d{1,3}|[IVXLC]{1,5}|[A-Z]\.?\d{1,3})\b"
_TABLE = re.compile(
    rf"(table|tab|tabelle|tableau|tabla|tabella|tabela|exhibit|таблица|табл|(ال)?جدول)"
    rf"{_NUMBER}",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    rf"(figure|fig|abbildung|abb|figura|bild|chart|graph|plate|scheme|map|photo|diagram"
    rf"|illustration|exhibit|рисунок|рис|(ال)?شكل){_NUMBER}",
    re.IGNORECASE,
)
# Running text that mentions one: its verb is right after the number.
_SENTENCE = re.compile(r"[^\W\d]+\.?\s*[\dA-Z]{1,5}[a-z]?\s+[a-zà-ÿ].*[.;:]", re.DOTALL)
# What is between a caption's number and its words; "Figure 3 shows" is a sentence.
_NAMED = re.compile(r"\s*[^\W\d]+\s*(\.\s*)?[\dA-Z]{1,5}([.:：、–—|]|\s[–—|])(?!\d)")
_EAST = re.compile(r"(?P<table>表)|(?P<figure>图|圖|図|그림)\s*\d|(?P<grid>표)\s*\d")


def tied(blocks: Sequence[Block]) -> list[Block]:
    """The blocks; a caption references the figure, chart or table it belongs to.

    Text that starts like a caption (`Figure 3`, `Tab. 2`) and is right above, below or beside
    one is a caption too, and so is one whose number ends with a full stop or a colon: a line
    drawing is not always detected. A caption that is near none references none.
    """
    pictured = [(box_of(b.polygon), b) for b in blocks if b.kind in _PICTURED]
    return [_tied(block, pictured) for block in blocks]


def with_captions(blocks: Sequence[Block]) -> list[int]:
    """The places of tied blocks in the order used by all exports.

    A caption is right before or right after what it belongs to.
    """
    own: dict[int, list[int]] = defaultdict(list)
    for block in blocks:
        if block.caption_of is not None:
            own[block.caption_of].append(block.order)
    found: list[int] = []
    for block in blocks:
        if block.caption_of is None:
            above = [place for place in own[block.order] if place < block.order]
            below = [place for place in own[block.order] if place > block.order]
            found += [*above, block.order, *below]
    return found


def _tied(block: Block, pictured: Sequence[tuple[Box, Block]]) -> Block:
    about = caption_begins(block.text)
    begins = about is not None and block.kind in ("text", "heading")
    begins = begins and not _SENTENCE.fullmatch(block.text.strip())
    if block.kind != "caption" and not begins:
        return block
    wanted = [
        (box, each)
        for box, each in pictured
        if about is None or (each.kind == "table") == about
    ]
    owner = _nearest(block, wanted) or _nearest(block, pictured)
    if owner is None:
        named = begins and is_numbered_caption(block.text)
        named = named and block.text.count("\n") < MOST_ROWS
        return msgspec.structs.replace(block, kind="caption", level=None) if named else block
    return msgspec.structs.replace(block, kind="caption", level=None, caption_of=owner.order)


def caption_begins(text: str) -> bool | None:
    """Whether a text starts like a table's caption (True), a figure's (False), or neither."""
    east = _EAST.match(text)
    if _TABLE.match(text) or (east and east["figure"] is None):
        return True
    return False if _FIGURE.match(text) or east else None


def is_numbered_caption(text: str) -> bool:
    """Whether a text starts like a caption whose number ends with a full stop or a colon."""
    return caption_begins(text) is not None and bool(_NAMED.match(text))


def _nearest(block: Block, pictured: Sequence[tuple[Box, Block]]) -> Block | None:
    box = box_of(block.polygon)
    lines = max(block.text.count("\n") + 1, 1)
    reach = NEAR * (box[3] - box[1]) / lines
    near = [(_gap(box, other), each.order, each) for other, each in pictured]
    found = min(near, default=None, key=lambda item: item[:2])
    return found[2] if found and found[0] <= reach else None


def _gap(a: Box, b: Box) -> float:
    """The distance of two boxes: 0 if they touch; horizontal and vertical are added."""
    across = max(a[0] - b[2], b[0] - a[2], 0.0)
    down = max(a[1] - b[3], b[1] - a[3], 0.0)
    return across + down
