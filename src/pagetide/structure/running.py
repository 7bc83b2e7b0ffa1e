"""Blocks of a page without layout model areas: an XY-cut, then the paragraph rules.

Tables and figures are separate boxes in the cut, so that they are placed among the paragraphs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pagetide.document import Line
from pagetide.geometry import Box, union
from pagetide.structure.draft import Draft
from pagetide.structure.grids import apart, bands_of, baselines, is_listing
from pagetide.structure.headings.numbers import with_numbers
from pagetide.structure.lists.items import goes_on, items, joined_lists, starts_item
from pagetide.structure.lists.speech import returns, spoken
from pagetide.structure.order.reading_order import Segment, segments
from pagetide.structure.order.sides import Starts
from pagetide.structure.paragraphs import paragraphs
from pagetide.structure.rows import Row, is_mark, joined, starts_anew
from pagetide.structure.tables.pieces import has_figures, line_height

FAR = 3.0  # line heights: no list continues this far below
FRAMED = 4  # lines of a frame; text beside it is not a row of it
APART = 6.0  # line heights between rows in columns that are one block


class RowsOf:
    """Rows of some of a page's lines.

    Args:
        lines: All lines of the page.
        members: The indexes of the lines that places refer to.
        boxes: Their upright boxes.
    """

    def __init__(
        self, lines: Sequence[Line], members: Sequence[int], boxes: Sequence[Box]
    ) -> None:
        self.lines, self.members, self.boxes = lines, members, boxes

    def row(self, places: Sequence[int]) -> Row:
        """The row made of the lines at these places."""
        indexes = tuple(self.members[place] for place in places)
        return Row.of(
            indexes,
            tuple(self.lines[index] for index in indexes),
            tuple(self.boxes[place] for place in places),
        )


def running_drafts(rows: RowsOf, places: Sequence[int], solids: Sequence[Draft]) -> list[Draft]:
    """Blocks in reading order.

    Args:
        rows: The lines.
        places: Those that are in no table and no figure.
        solids: Tables and figures; each is read as one.
    """
    lines = [rows.lines[rows.members[place]] for place in places]
    found = with_numbers(lines, [rows.boxes[place] for place in places])
    units = [tuple(places[n] for n in unit) for unit in found]
    lined = [union([rows.boxes[place] for place in unit]) for unit in units]
    boxes = [*lined, *(solid.box for solid in solids)]
    framed = [row.box for solid in solids if solid.parts for row in solid.rows]
    line = line_height([*lined, *framed])
    tables = {
        n
        for n, solid in enumerate(solids, len(lined))
        if solid.kind == "table" or len(solid.rows) >= FRAMED
    }
    starts = _starts([rows.row(unit) for unit in units])
    return [
        draft
        for segment in segments(boxes, line, tables, starts, with_labels=True)
        for draft in with_label(
            _of_segment(_with_solids(segment.rows, rows, units, solids), segment),
            _with_solids([segment.label], rows, units, solids),
        )
    ]


def with_label(drafts: Iterable[Draft], label: Sequence[Row | Draft]) -> list[Draft]:
    """The blocks, the first of which starts with the label beside it, if there is one."""
    found = list(drafts)
    solids = [each for each in label if isinstance(each, Draft)]
    own = [each for each in label if isinstance(each, Row)]
    if not own:
        return [*solids, *found]
    if not found or not _is_running(found[0]):
        return [*solids, Draft(rows=(joined(own),)), *found]
    first, *rows = found[0].rows
    return [*solids, replace(found[0], rows=(joined([*own, first]), *rows)), *found[1:]]


def _is_running(draft: Draft) -> bool:
    return draft.kind in ("text", "list") and not (draft.table or draft.area or draft.parts)


def _starts(rows: Sequence[Row]) -> Starts:
    """How the text of rows starts."""
    return Starts(
        items=frozenset(n for n, row in enumerate(rows) if row.bulleted),
        inside=frozenset(n for n, row in enumerate(rows) if row.text[:1].islower()),
        anew=frozenset(n for n, row in enumerate(rows) if starts_anew(row.text)),
        figures=frozenset(n for n, row in enumerate(rows) if has_figures(row.text)),
    )


def _with_solids(
    ordered: Sequence[Sequence[int]],
    rows: RowsOf,
    units: Sequence[tuple[int, ...]],
    solids: Sequence[Draft],
) -> list[Row | Draft]:
    """A segment's rows, split where a table or figure is in one."""
    items: list[Row | Draft] = []
    for row in ordered:
        for is_solid, run in itertools.groupby(row, key=lambda item: item >= len(units)):
            if is_solid:
                items += [solids[item - len(units)] for item in run]
            else:
                items.append(rows.row([place for item in run for place in units[item]]))
    return items


def _of_segment(items: list[Row | Draft], segment: Segment) -> Iterator[Draft]:
    for is_solid, run in itertools.groupby(items, key=lambda item: isinstance(item, Draft)):
        if is_solid:
            yield from (item for item in run if isinstance(item, Draft))
            continue
        yield from row_drafts([item for item in run if isinstance(item, Row)], segment.gutters)


def row_drafts(rows: Sequence[Row], gutters: Sequence[float]) -> Iterator[Draft]:
    """The blocks of a segment's rows, in columns or not."""
    if not gutters:
        yield from _paragraphs(rows)
    elif is_listing(rows, gutters):
        yield from _paragraphs([line for row in rows for line in baselines(row)])
    else:
        yield from _of_grid(rows, gutters)


def _of_grid(part: Sequence[Row], gutters: Sequence[float]) -> Iterator[Draft]:
    """Rows in columns: unchanged, or as separate side-by-side blocks."""
    grid: list[Row] = []
    for band in bands_of(part):
        if grid and band[0].box[1] - grid[-1].box[3] > APART * grid[-1].height:
            yield from _grid(grid)
            grid = []
        blocks = apart(band, gutters)
        if blocks is None and _has_columns(band):
            grid += band
            continue
        yield from _grid(grid)
        grid = []
        for block in blocks or [band]:
            yield from _paragraphs(block)
    yield from _grid(grid)


def _grid(rows: Sequence[Row]) -> Iterator[Draft]:
    """Rows in columns as one block; what is between rows of check boxes is separate."""
    has_options = any(row.are_options for row in rows)
    for _, run in itertools.groupby(rows, key=lambda row: has_options and row.are_options):
        own = list(run)
        if has_options and not _has_columns(own) and not own[0].are_options:
            yield from _paragraphs(own)
        else:
            yield Draft(rows=tuple(own))


def _has_columns(band: Sequence[Row]) -> bool:
    """Whether half of the rows have several pieces, ignoring a list's mark."""
    several = [len(row.lines) - is_mark(row.lines[0].text) > 1 for row in band]
    return 2 * sum(several) >= len(band)


def _paragraphs(rows: Sequence[Row]) -> list[Draft]:
    """Running text as a draft for each paragraph or list."""
    runs = [(paragraphs(run), is_item) for run, is_item in items(list(rows))]
    said = spoken([part for parts, _ in runs for part in parts])
    found: list[Draft] = []
    for parts, is_item in runs:
        first = item = above = parts[0][0]
        listed = is_item
        for part in parts:
            is_said = len(found) in said
            starts = starts_item(part[0]) and not is_said and not _is_head(part, rows)
            near = part[0].box[1] - above.box[3] < FAR * above.height
            item = part[0] if starts and not listed else item
            within = goes_on(first, part) and not returns(item, part[0])
            # A bold paragraph below an item that is not bold heads something else.
            within |= goes_on(item, part) and part[0].bold <= item.bold
            listed = starts or (listed and near and not is_said and within)
            above = part[-1]
            found.append(Draft(kind="list" if listed else "text", rows=tuple(part)))
    return joined_lists(found)


def _is_head(part: Sequence[Row], rows: Sequence[Row]) -> bool:
    """Whether a single numbered row is bold, while some others are not."""
    row = part[0]
    alone = len(rows) == 1 or not all(each.bold for each in rows)
    return len(part) == 1 and row.bold and not row.bulleted and alone
