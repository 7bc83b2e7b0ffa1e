"""The reading order of blocks that a layout model and the tables have made."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from pagetide.geometry import Box
from pagetide.structure.area_rows import joined
from pagetide.structure.draft import Draft
from pagetide.structure.grids import apart, bands_of
from pagetide.structure.paragraphs import Row
from pagetide.structure.reading_order import Segment, segments

SHORT = 6  # lines: an address


class _Piece(NamedTuple):
    """What is ordered: a row of a draft, or all of one that is no text."""

    owner: int
    box: Box
    row: Row | None


def sorted_drafts(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts in reading order: the model's where it gives one, else by an XY-cut.

    The cut orders the lines, and what has none by its box; a block stands where the middle
    one of its lines does, a short one where its first does. A block that the model gives
    no place follows the one that it follows in the cut.
    """
    cut = _by_cut(drafts)
    if all(draft.model_order is None for draft in cut):
        return cut
    places: list[tuple[int, int, Draft]] = []
    last = -1
    for number, draft in enumerate(cut):
        last = last if draft.model_order is None else draft.model_order
        places.append((last, number if draft.model_order is None else -1, draft))
    return [draft for *_, draft in sorted(places, key=lambda place: place[:2])]


def _by_cut(drafts: Sequence[Draft]) -> list[Draft]:
    pieces = [piece for number, draft in enumerate(drafts) for piece in _pieces(number, draft)]
    ranks: list[list[int]] = [[] for _ in drafts]
    found = segments([piece.box for piece in pieces])
    flat = [piece for segment in found for piece in _ordered(segment, pieces)]
    for rank, piece in enumerate(flat):
        ranks[piece.owner].append(rank)
    return [drafts[n] for n in sorted(range(len(drafts)), key=lambda n: _place(ranks[n]))]


def _pieces(number: int, draft: Draft) -> list[_Piece]:
    """A draft's rows, or one for what is no text."""
    solid = draft.kind in ("table", "figure", "chart") or draft.parts or not draft.rows
    # A curve that was read as a letter reaches out of its figure.
    if solid:
        return [_Piece(number, draft.area or draft.box, None)]
    return [_Piece(number, row.box, row) for row in draft.rows]


def _ordered(segment: Segment, pieces: Sequence[_Piece]) -> list[_Piece]:
    """A segment's pieces; of blocks side by side, such as addresses, one after the other."""
    own = [[pieces[index] for index in row] for row in segment.rows]
    every = [piece for row in own for piece in row]
    rows = [joined(known) for row in own if (known := [p.row for p in row if p.row])]
    if not segment.gutters or any(piece.row is None for piece in every):
        return every
    blocks = [
        block for band in bands_of(rows) for block in apart(band, segment.gutters) or [band]
    ]
    place = {
        index: n for n, block in enumerate(blocks) for row in block for index in row.indexes
    }
    return sorted(every, key=lambda piece: place[piece.row.indexes[0]] if piece.row else 0)


def _place(ranks: Sequence[int]) -> float:
    """Where a block stands that has the lines of these ranks.

    Short blocks side by side are cut line by line, and the longest would come last.
    """
    return ranks[0] if len(ranks) <= SHORT else median(ranks)
