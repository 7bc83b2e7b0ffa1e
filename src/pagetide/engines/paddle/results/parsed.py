"""From the JSON of PaddleOCR's pipelines to readings: one parser for each family.

The JSON is the inner part of `result.json`, as `save_to_json` writes it (PaddleOCR 3.7).
"""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.document import Block, BlockKind, Line, Notice
from pagetide.engine import PageReading
from pagetide.engines.paddle.results.block_lines import in_reading_order, members, text_of
from pagetide.engines.paddle.results.ocr_lines import Json, bare_formula, lines_of
from pagetide.engines.paddle.results.result_tables import (
    ResultTable,
    box_at,
    table_for,
    tables_of,
    with_lines,
)
from pagetide.engines.paddle.results.turning import Turning
from pagetide.geometry import Box, area, intersection_area, polygon_of
from pagetide.layout.labels import kind_of
from pagetide.structure.figures.captions import tied
from pagetide.structure.grids import table_text

_SAME = 0.8  # of the larger: a block's box is its layout area's, rounded
TABLE_FAILED = Notice(
    code="block_failed", message="The table's cells could not be found; its lines are kept."
)


def parse_ocr(
    result: Json, width: int, height: int, min_confidence: float = 0.0
) -> PageReading:
    """A reading of `PaddleOCR`: lines; blocks are left to `structure`.

    Args:
        result: The JSON.
        width: Of the page that was given, in pixels; the same for `height`.
        height: As said.
        min_confidence: Lines with less are left out and counted.
    """
    turning = Turning.of(result, width, height)
    found = lines_of(result, *turning.upright, min_confidence)
    return PageReading(
        lines=tuple(map(turning.line, found.lines)),
        orientation=turning.degrees,
        lines_below_confidence=found.below_confidence,
        warnings=turning.warnings,
    )


def parse_structurev3(
    result: Json, width: int, height: int, min_confidence: float = 0.0
) -> PageReading:
    """A reading of `PPStructureV3`: lines in reading order, and blocks; see `parse_ocr`.

    The list of blocks is in PaddleX's reading order, with those that it gives no number (a
    table, a figure, a caption) where its XY-cut puts them; so the place in it is the order.
    """
    turning = Turning.of(result, width, height)
    found = lines_of(
        result["overall_ocr_res"],
        *turning.upright,
        min_confidence,
        formulas=result.get("formula_res_list") or (),
    )
    listed = result["parsing_res_list"]
    boxes = [box_at(block["block_bbox"]) for block in listed]
    owned = members(found.lines, boxes)
    taken = {index for indexes in owned for index in indexes}
    loose = [index for index in range(len(found.lines)) if index not in taken]
    order = [index for indexes in owned for index in indexes]
    order += in_reading_order(found.lines, loose)
    lines = [found.lines[index] for index in order]
    place_of = {index: place for place, index in enumerate(order)}
    tables = tables_of(result.get("table_res_list") or ())
    blocks = []
    for number, (block, box, indexes) in enumerate(zip(listed, boxes, owned, strict=True)):
        mine = [place_of[index] for index in indexes]
        blocks.append(_block(result, block, number, box, lines, mine, tables))
    return PageReading(
        lines=tuple(map(turning.line, lines)),
        orientation=turning.degrees,
        lines_below_confidence=found.below_confidence,
        warnings=turning.warnings,
        blocks=tuple(map(turning.block, _captioned(blocks))),
    )


def _block(
    result: Json,
    block: Json,
    order: int,
    box: Box,
    lines: Sequence[Line],
    indexes: Sequence[int],
    tables: list[ResultTable],
) -> Block:
    label = block["block_label"]
    kind = kind_of("paddle", label)
    table = table_for(box, tables) if kind == "table" else None
    if table:
        table = with_lines(table, lines, indexes)
    wanted = kind == "table" and result["model_settings"].get("use_table_recognition")
    return Block(
        kind=kind,
        polygon=polygon_of(box),
        order=order,
        text=table_text(table) if table else _text(result, block, kind, lines, indexes),
        label=label,
        confidence=_confidence(result, box),
        line_indexes=tuple(indexes),
        table=table,
        warnings=(TABLE_FAILED,) if wanted and not table else (),
    )


def _text(
    result: Json, block: Json, kind: BlockKind, lines: Sequence[Line], indexes: Sequence[int]
) -> str:
    """What a block says: its lines, or what a network of its own read in it."""
    if kind == "formula":
        latex = [lines[i].text for i in indexes if lines[i].confidence is None]
        if latex:
            return "\n".join(map(bare_formula, latex))
    own_network = result["model_settings"].get(f"use_{kind}_recognition", False)
    if kind in ("seal", "chart") and own_network:
        return str(block["block_content"]).strip()
    return text_of(lines, indexes)


def _captioned(blocks: Sequence[Block]) -> list[Block]:
    """The blocks; those that the model calls captions name what they belong to."""
    pairs = zip(blocks, tied(blocks), strict=True)
    return [named if block.kind == "caption" else block for block, named in pairs]


def _confidence(result: Json, box: Box) -> float | None:
    """The layout network's, of the area that a block was made of."""
    best, score = _SAME, None
    for found in (result.get("layout_det_res") or {}).get("boxes") or ():
        place = box_at(found["coordinate"])
        larger = max(area(place), area(box), 1.0)
        share = intersection_area(place, box) / larger
        if share > best:
            best, score = share, min(max(float(found["score"]), 0.0), 1.0)
    return score
