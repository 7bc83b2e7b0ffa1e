"""Which pieces of a reading match which blocks of the truth, as OmniDocBench matches them.

Neighbouring pieces that are closer to a block together than alone are joined; blocks that are
one piece's parts are matched by it together; the rest on both sides is paired as well as
possible, however bad that is. Texts are in the form that is compared.

Source: `quick_match` of https://github.com/opendatalab/OmniDocBench, the edition of 2025-09-25
(v1.5); the code is our own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.public.assignment import assigned
from bench.public.near import apart, within

SURE = 0.25  # closer than this: these two and no others
LOOSE = 0.7  # further apart than this: not a pair
PART = 0.4  # of a block's letters: a piece contains it
JOINED = 0.6  # of a piece's letters: a block contains it

Run = tuple[int, ...]


@dataclass(frozen=True)
class Match:
    """Blocks and the pieces that match them, by their places; no pieces if none is left."""

    blocks: Run
    pieces: Run


def matched(blocks: Sequence[str], pieces: Sequence[str]) -> list[Match]:
    """Every block in one match; pieces without a block are in none.

    Args:
        blocks: Texts of the truth, none empty.
        pieces: Texts of the reading, none empty.
    """
    told: dict[Run, list[int]] = defaultdict(list)
    runs = _runs(blocks, pieces)
    texts = [" ".join(pieces[place] for place in run) for run in runs]
    costs = costs_of(blocks, texts)
    for block, place in assigned(costs):
        if costs[block, place] <= LOOSE:
            told[runs[place]].append(block)
    _parts_of_pieces(told, blocks, pieces)
    _leftovers(told, blocks, pieces)
    done = {block for some in told.values() for block in some}
    missing = [Match((block,), ()) for block in range(len(blocks)) if block not in done]
    return [Match(tuple(sorted(some)), run) for run, some in told.items() if some] + missing


def _parts_of_pieces(
    told: dict[Run, list[int]], blocks: Sequence[str], pieces: Sequence[str]
) -> None:
    """Assign unmatched blocks to the first piece that contains them."""
    done = {block for some in told.values() for block in some}
    left = [block for block in range(len(blocks)) if block not in done]
    for place, piece in enumerate(pieces):
        held = [block for block in left if within(piece, blocks[block], PART)]
        if held:  # the piece counts as used, though others may have matched its blocks
            told[(place,)] += [block for block in held if block not in done]
            done.update(held)


def _leftovers(
    told: dict[Run, list[int]], blocks: Sequence[str], pieces: Sequence[str]
) -> None:
    used = {place for run in told for place in run}
    done = {block for some in told.values() for block in some}
    free = [place for place in range(len(pieces)) if place not in used]
    left = [block for block in range(len(blocks)) if block not in done]
    costs = costs_of([blocks[block] for block in left], [pieces[place] for place in free])
    for row, column in assigned(costs):
        told[(free[column],)].append(left[row])


def costs_of(blocks: Sequence[str], pieces: Sequence[str]) -> NDArray[np.float64]:
    """The distance of each block from each piece, 0–1."""
    costs = [[apart(block, piece) for piece in pieces] for block in blocks]
    return np.array(costs, float).reshape(len(blocks), len(pieces))


def _runs(blocks: Sequence[str], pieces: Sequence[str]) -> list[Run]:
    """The pieces, with those joined that belong to one block."""
    sure = np.argwhere(costs_of(blocks, pieces) < SURE)
    taken_blocks, taken = {int(i) for i, _ in sure}, {int(j) for _, j in sure}
    candidates: list[tuple[Run, float]] = []
    for place, block in enumerate(blocks):
        if place not in taken_blocks:
            runs = [
                _grown(block, pieces, j, taken) for j in range(len(pieces)) if j not in taken
            ]
            if runs:
                candidates.append(min(runs, key=lambda run: run[1]))
    joined = {run[0]: run for run in _disjoint(candidates)}
    within_run = {place for run in joined.values() for place in run}
    return [
        joined.get(place, (place,))
        for place in range(len(pieces))
        if place in joined or place not in within_run
    ]


def _grown(block: str, pieces: Sequence[str], start: int, taken: set[int]) -> tuple[Run, float]:
    """The run of pieces from a start that matches the block best, and its distance."""
    end, text = start + 1, pieces[start]
    if not within(block, text, JOINED + 1e-9):  # of the first one just as much will do
        return (start,), apart(block, text)
    while end < len(pieces) and end not in taken and within(block, pieces[end], JOINED):
        longer = f"{text} {pieces[end]}"
        if apart(block, longer) > apart(block, text):
            break
        end, text = end + 1, longer
        if len(text) > len(block):
            break
    return tuple(range(start, end)), apart(block, text)


def _disjoint(candidates: Sequence[tuple[Run, float]]) -> list[Run]:
    """Runs without a piece in common: of those that overlap, the set nearest on average."""
    clusters: list[list[tuple[Run, float]]] = []
    for each in sorted(candidates, key=lambda one: one[0][0]):
        if clusters and any(set(each[0]) & set(run) for run, _ in clusters[-1]):
            clusters[-1].append(each)
        else:
            clusters.append([each])
    return [run for cluster in clusters for run in _nearest(cluster)]


def _nearest(cluster: Sequence[tuple[Run, float]]) -> list[Run]:
    ways: list[dict[Run, float]] = []
    for run, cost in cluster:
        placed = False
        for way in ways:
            if run in way:
                way[run] = min(way[run], cost)
                placed = True
            elif not any(set(run) & set(other) for other in way):
                way[run] = cost
                placed = True
        if not placed:
            ways.append({run: cost})
    return [*min(ways, key=lambda way: sum(way.values()) / len(way))]
