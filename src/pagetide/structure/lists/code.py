"""Code: rows in a fixed-width font on a page that is not, with their indentation."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from pagetide.document import Block, Line
from pagetide.geometry import Box, box_of, direction, turned
from pagetide.structure.draft import Draft

LEAST_ROWS = 2  # of a single one it is a style of its words
MOST = 0.8  # of a row's letters
SAME_ROW = 0.5  # of the lower line's height
NEXT_ROW = 3.0  # line heights between the middles of two rows: one may be empty
PROSE = 0.97  # of the characters are letters and prose punctuation, and nothing is indented
MOST_SPACES = 200  # before a row or within it: a page is no wider
_OF_PROSE = re.compile(r"[^\W_]|[\s.,;:!?’'\"–-]")


def with_code(lines: Sequence[Line], blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks; text is code if all of its rows have the style and do not read as prose.

    Its text has the spaces of its rows' indentation, and those between their parts.

    Args:
        lines: Of the page; none has the style if most of the page is set like that.
        blocks: In any order.
    """
    if not any(style.kind == "code" for line in lines for style in line.styles):
        return tuple(blocks)
    return tuple(_as_code(lines, block) for block in blocks)


def with_whole_listings(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts, with consecutive ones joined that are all code.

    A layout model splits code at indentation, as it does paragraphs.
    """
    found: list[Draft] = []
    for draft in drafts:
        last = found[-1] if found else None
        if last and _goes_on(last, draft):
            found[-1] = dataclasses.replace(last, rows=(*last.rows, *draft.rows))
        else:
            found.append(draft)
    return found


def _goes_on(last: Draft, draft: Draft) -> bool:
    if not (_is_listing(last) and _is_listing(draft)):
        return False
    room = draft.rows[0].middle - last.rows[-1].middle
    return 0 < room < NEXT_ROW * max(last.line_height, draft.line_height)


def _is_listing(draft: Draft) -> bool:
    lines = [line for row in draft.rows for line in row.lines]
    return draft.kind == "text" and bool(lines) and all(map(_is_code, lines))


def _as_code(lines: Sequence[Line], block: Block) -> Block:
    own = [lines[index] for index in block.line_indexes]
    has_code = any(style.kind == "code" for line in own for style in line.styles)
    if block.kind != "text" or not has_code or not all(map(_is_code, own)):
        return block
    rows = _rows(own, direction(block.polygon))
    text = "\n".join(rows)
    if len(rows) < LEAST_ROWS or _is_prose(text):
        return block
    return replace(block, kind="code", text=text)


def _is_code(line: Line) -> bool:
    """Whether it is code except for its number, or has no letter that could be."""
    covered = sum(style.end - style.start for style in line.styles if style.kind == "code")
    return covered >= MOST * len(line.text) or not any(map(str.isalnum, line.text))


def _rows(own: Sequence[Line], angle: float) -> list[str]:
    """The rows as a typewriter sets them: each part at its column."""
    boxes = [box_of(turned(line.polygon, -angle)) for line in own]
    wide = sum(box[2] - box[0] for box in boxes) / max(sum(len(line.text) for line in own), 1)
    left = min(box[0] for box in boxes)
    rows = [_at(own[0], boxes[0], left, wide, "")]
    for (above, box), line in zip(pairwise(boxes), own[1:], strict=True):
        height = box[3] - box[1]
        is_beside = min(above[3], box[3]) - max(above[1], box[1]) > SAME_ROW * height
        rows += [] if is_beside and above[2] <= box[0] + height / 2 else [""]
        rows[-1] = _at(line, box, left, wide, rows[-1])
    return rows


def _at(line: Line, box: Box, left: float, wide: float, before: str) -> str:
    column = round((box[0] - left) / wide) if wide > 0 else 0
    spaces = max(column - len(before), 1 if before else 0)
    return before + " " * min(spaces, MOST_SPACES) + line.text


def _is_prose(text: str) -> bool:
    signs = len(_OF_PROSE.findall(text))
    return signs >= PROSE * len(text) and not any(row[:1] == " " for row in text.split("\n"))
