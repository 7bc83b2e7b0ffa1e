"""Rows of text at given left edges, as a file sets them, and the blocks they form."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import BlockKind, Line
from pagetide.geometry import polygon_of
from pagetide.structure import structure

HEIGHT, LETTER, PITCH = 20, 10, 26  # pixels

Rows = list[tuple[float, str]]
"""Left edges and texts; one further right than the last one's end is level with it, and one
without text is left out."""


def blocks_of(rows: Sequence[tuple[float, str]]) -> list[tuple[BlockKind, str]]:
    """The kinds and texts of the blocks, in reading order; each letter is equally wide."""
    lines: list[Line] = []
    top, end = 100.0, 0.0
    for left, text in rows:
        top += 0 if text and end and left > end else PITCH
        end = left + LETTER * len(text)
        if not text:
            continue
        box = (left, top, end, top + HEIGHT)
        lines.append(
            Line(text=text, polygon=polygon_of(box), confidence=1.0, source="text_layer")
        )
    _, blocks = structure(lines, 1200, 1600)
    return [(block.kind, block.text) for block in blocks]
