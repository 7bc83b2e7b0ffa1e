"""A page read without errors, built from the ground truth of a drawn one."""

from __future__ import annotations

from itertools import groupby

from bench.drawn.score import as_table
from bench.drawn.truth import DrawnBlock, DrawnPage, DrawnWord
from pagetide.document import Block, Line, Page, TextLayerDecision, Word
from pagetide.geometry import polygon_of, union


def ideal(truth: DrawnPage) -> Page:
    """The output of a reader that makes no mistake; its pixels are CSS pixels."""
    lines: list[Line] = []
    blocks = []
    for block in truth.blocks:
        start = len(lines)
        own = [word for word in truth.words if word.block == block.order]
        lines += [_line(list(row)) for _, row in groupby(own, key=lambda word: word.box[1])]
        blocks.append(_block(block, tuple(range(start, len(lines)))))
    return Page(
        number=truth.number,
        width=round(truth.width),
        height=round(truth.height),
        dpi=96,
        width_pt=truth.width * 0.75,
        height_pt=truth.height * 0.75,
        text_layer=TextLayerDecision(used=True, reason="trusted"),
        lines=tuple(lines),
        blocks=tuple(blocks),
    )


def _line(words: list[DrawnWord]) -> Line:
    parts = tuple(Word(text=word.text, polygon=polygon_of(word.box)) for word in words)
    said = " ".join(word.text for word in words)
    return Line(text=said, polygon=polygon_of(union(w.box for w in words)), words=parts)


def _block(block: DrawnBlock, lines: tuple[int, ...]) -> Block:
    return Block(
        kind=block.kind,
        polygon=polygon_of(block.box),
        order=block.order,
        text=block.text,
        line_indexes=lines,
        level=block.level,
        table=as_table(block.table) if block.table and block.kind == "table" else None,
    )
