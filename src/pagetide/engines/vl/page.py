"""A page's reading, made of its plan and of what the server answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import msgspec
import numpy as np
from msgspec import Raw

from pagetide.document import Block, Line, Notice
from pagetide.engine import PageReading
from pagetide.engines.vl.crops import Pixels
from pagetide.engines.vl.plan import Piece, Plan
from pagetide.engines.vl.server.answered import Meaning, meaning
from pagetide.engines.vl.server.client import Answer, BlockUnread
from pagetide.errors import EngineFailed
from pagetide.geometry import Polygon
from pagetide.structure.figures.captions import tied

ReadLines = Callable[[Pixels], Sequence[Line]]

MARGIN = 16  # white pixels around a crop: a detector loses letters at the very edge
READ_BY_OTHER = Notice(
    code="read_by_other_model", message="pp-ocrv6 read it, because paddleocr-vl could not."
)
NO_LAYOUT = Notice(
    code="no_layout", message="No area was found on the page; it was read as one block of text."
)
# What a page says of its blocks, by their notices' codes.
_COUNTED = {
    "block_failed": "could not be read",
    "block_truncated": "were cut at the model's limit",
    "block_repeats": "ended in a repetition, which was cut",
    "block_without_cells": "are tables without cells",
    "read_by_other_model": "were read by pp-ocrv6 instead",
}
_WANTS_OTHER = frozenset({"block_failed", "block_truncated", "block_repeats"})


@dataclass(kw_only=True)
class _Written:
    """What is known of an area's block."""

    text: str = ""
    lines: list[Line] = field(default_factory=list)
    meaning: Meaning | None = None
    continues: int | None = None
    notices: tuple[Notice, ...] = ()


def page_reading(
    plan: Plan, outcomes: Sequence[Answer | BlockUnread], other: ReadLines | None
) -> PageReading:
    """The page's reading.

    Args:
        plan: The page's.
        outcomes: One for each of its pieces.
        other: Reads the lines on a picture that the model could not read, in its pixels.

    Raises:
        EngineFailed: There were blocks to read, and not one could be.
        PagetideError: The other model failed.
    """
    written = [_Written() for _ in plan.areas]
    for piece, outcome in zip(plan.pieces, outcomes, strict=True):
        _write(written, piece, outcome, other)
    failed = [outcome for outcome in outcomes if isinstance(outcome, BlockUnread)]
    if failed and len(failed) == len(outcomes) and other is None:
        raise EngineFailed(
            f"None of the page's {len(failed)} blocks could be read: {failed[0]}"
        )
    lines, blocks = _blocks(plan, written)
    return PageReading(
        lines=tuple(lines),
        areas=plan.found,
        blocks=tuple(tied(blocks)),
        warnings=((NO_LAYOUT,) if plan.no_layout else ()) + tuple(_counted(blocks)),
        raw=_raw(plan, outcomes),
    )


def _write(
    written: list[_Written],
    piece: Piece,
    outcome: Answer | BlockUnread,
    other: ReadLines | None,
) -> None:
    first = piece.places[0].area
    meaning = _meaning(outcome, piece)
    own = written[first]
    own.meaning, own.text, own.notices = meaning, meaning.text, meaning.notices
    if other and {notice.code for notice in meaning.notices} & _WANTS_OTHER:
        for place, lines in zip(piece.places, _other_lines(piece, other), strict=True):
            into = written[place.area]
            into.lines, into.meaning = lines, None
            into.text = "\n".join(line.text for line in lines)
            into.notices = (*meaning.notices, READ_BY_OTHER)
        return
    for place in piece.places[1:]:
        written[place.area].continues = first


def _meaning(outcome: Answer | BlockUnread, piece: Piece) -> Meaning:
    if isinstance(outcome, Answer):
        return meaning(outcome, piece.task)
    return Meaning(text="", notices=(Notice(code="block_failed", message=str(outcome)),))


def _other_lines(piece: Piece, other: ReadLines) -> list[list[Line]]:
    """The other model's lines in page pixels, for each of the piece's places."""
    picture = cv2.imdecode(np.frombuffer(piece.picture, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None  # noqa: S101 - we wrote it
    framed = cv2.copyMakeBorder(
        picture, MARGIN, MARGIN, MARGIN, MARGIN, cv2.BORDER_CONSTANT, value=(255, 255, 255)
    )
    across = piece.width / picture.shape[1]
    down = piece.height / picture.shape[0]
    found: list[list[Line]] = [[] for _ in piece.places]
    for line in other(framed):
        middle = down * (sum(y for _, y in line.polygon) / len(line.polygon) - MARGIN)
        number = next(
            (i for i, place in enumerate(piece.places) if middle < place.end),
            len(piece.places) - 1,
        )
        place = piece.places[number]
        left, top = place.left, place.top - place.start
        found[number].append(_moved(line, across, down, left, top))
    return found


def _moved(line: Line, across: float, down: float, left: float, top: float) -> Line:
    def moved(polygon: Polygon) -> Polygon:
        return tuple(
            ((x - MARGIN) * across + left, (y - MARGIN) * down + top) for x, y in polygon
        )

    words = tuple(
        msgspec.structs.replace(word, polygon=moved(word.polygon)) for word in line.words
    )
    return msgspec.structs.replace(line, polygon=moved(line.polygon), words=words)


def _blocks(plan: Plan, written: Sequence[_Written]) -> tuple[list[Line], list[Block]]:
    lines: list[Line] = []
    blocks = []
    for order, (area, own) in enumerate(zip(plan.areas, written, strict=True)):
        indexes = tuple(range(len(lines), len(lines) + len(own.lines)))
        lines += own.lines
        blocks.append(
            Block(
                kind=area.kind,
                polygon=area.polygon,
                order=order,
                text=own.text,
                label=area.label or None,
                confidence=area.confidence,
                line_indexes=indexes,
                table=own.meaning.table if own.meaning else None,
                continues=own.continues,
                warnings=own.notices,
            )
        )
    return lines, blocks


def _counted(blocks: Sequence[Block]) -> list[Notice]:
    counts = Counter(notice.code for block in blocks for notice in block.warnings)
    return [
        Notice(code=code, message=f"{counts[code]} of {len(blocks)} blocks {what}.")
        for code, what in _COUNTED.items()
        if counts[code]
    ]


def _raw(plan: Plan, outcomes: Sequence[Answer | BlockUnread]) -> bytes:
    asked = []
    for piece, outcome in zip(plan.pieces, outcomes, strict=True):
        question = {
            "blocks": [place.area for place in piece.places],
            "prompt": piece.task.prompt,
            "min_pixels": piece.task.min_pixels,
            "max_pixels": piece.task.max_pixels,
        }
        if isinstance(outcome, Answer):
            answer: dict[str, str | Raw] = {
                "text": outcome.text,
                "finish_reason": outcome.finish_reason,
                "usage": outcome.usage,
            }
        else:
            answer = {"error": str(outcome)}
        asked.append({**question, **answer})
    return msgspec.json.encode({"areas": plan.areas, "answers": asked})
