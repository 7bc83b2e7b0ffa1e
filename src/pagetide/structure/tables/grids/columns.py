"""Gutters: column boundaries inferred from the position of the text."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from statistics import median

from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.grids.units_apart import is_unit
from pagetide.structure.tables.pieces import WORD_GAP, Piece

Span = tuple[float, float]

NARROWEST = 0.35  # line heights; a gutter without a rule
CROSSED = 0.15  # of the rows: this many may have text across a gutter (headers, notes)
FEW_ROWS = 6  # below this, a single row across a gutter closes it
CURRENCIES = frozenset({"$", "€", "£", "¥", "US$", "C$", "A$", "R$", "Rs", "CHF", "EUR", "USD"})
BEFORE = CURRENCIES | {"("}
AFTER = frozenset({"%", ")", ")%", "%)", "€"})
SIGNS = BEFORE | AFTER
SUMMED = 2  # pieces of a sum: its name and its figure
MOST_GUTTERS = 150  # a text with more is not in columns


def gutters_of(
    rows: Sequence[Sequence[Piece]], heads: Sequence[Sequence[Piece]], line: float
) -> list[float]:
    """The middles of the gaps that run through (nearly) all rows, from left to right.

    Args:
        rows: Of the table's body.
        heads: The rows above it; a gutter runs between their pieces if it can.
        line: The page's typical line height.
    """
    telling = _telling_rows(rows)
    allowed = int(CROSSED * len(telling)) if len(telling) >= FEW_ROWS else 0
    gaps = gaps_of((_spans(row) for row in telling), allowed)
    gaps = _around_named(gaps, telling, heads, allowed, NARROWEST * line)
    wide = [gap for gap in gaps if gap[1] - gap[0] >= NARROWEST * line]
    if len(wide) > MOST_GUTTERS:
        return []
    found: list[float] = []
    wide = _with_signs(_supported(wide, rows, heads), rows, heads, line)
    for gap in _without_headless(wide, rows, heads):
        # Rows of few pieces, such as a sum with its name, count where the others leave a
        # choice.
        start, end = _passage(_passage(gap, [*heads, *telling]), rows)
        found.append((start + end) / 2)
    return found


def _around_named(
    gaps: list[Span],
    rows: Sequence[Sequence[Piece]],
    heads: Sequence[Sequence[Piece]],
    allowed: int,
    narrowest: float,
) -> list[Span]:
    """The gaps, split around columns that too few rows fill to block a gap.

    Such a column has a separate header with something below it.
    """
    if not (allowed and heads and rows):
        return gaps
    named = max(heads, key=len)
    edge = sum(abs(x) for row in [*rows, named] for p in row for x in (p.x0, p.x1)) + 1
    beyond = [(-edge - 1, -edge), (edge, edge + 1)]
    found: list[Span] = []
    for start, end in gaps_of(([*_spans(row), *beyond] for row in rows), allowed):
        inside = [p for p in named if start + narrowest < p.x0 and p.x1 < end - narrowest]
        for head in inside if len(inside) < len(named) else ():
            below = [
                p
                for row in rows
                for p in row
                if start < p.x0 and p.x1 < end and p.x0 < head.x1 and p.x1 > head.x0
            ]
            left = min([head.x0, *(p.x0 for p in below)])
            right = max([head.x1, *(p.x1 for p in below)])
            if below and left - start > narrowest and end - right > narrowest:
                found.append((start, left))
                start = right
        found.append((start, end))
    return [gap for gap in found if -edge < gap[0] and gap[1] < edge]


def _telling_rows(rows: Sequence[Sequence[Piece]]) -> list[Sequence[Piece]]:
    """The rows used to find columns: rows with far fewer pieces than most say little.

    Names with their sums at a table's foot are not counted: there may be as many as items.
    """
    body = list(rows)
    while body and len(body[-1]) <= SUMMED:
        body.pop()
    several = [len(row) for row in body or rows if len(row) > 1]
    least = max(2.0, median(several) / 2) if several else 2.0
    return [row for row in rows if len(row) >= least]


def _passage(gap: Span, rows: Sequence[Sequence[Piece]]) -> Span:
    """The part of a gap where the fewest rows, including headers, have text."""
    start, end = gap
    inside = [
        [(max(a, start), min(b, end)) for a, b in _spans(row) if b > start and a < end]
        for row in rows
    ]
    wide = end - start
    edges = [(start - wide, start), (end, end + wide)]
    fewest = _fewest(itertools.chain.from_iterable(inside), gap)
    free = gaps_of([edges] * (fewest + 1) + inside, fewest)
    return max(free, key=lambda stretch: stretch[1] - stretch[0], default=gap)


def _fewest(spans: Iterable[Span], gap: Span) -> int:
    """How many of the spans, all within a gap, cover its emptiest stretch."""
    ends = [event for a, b in spans for event in ((a, 1), (b, -1))]
    events = sorted([(gap[0], 0), *ends, (gap[1], 0)])
    counts = itertools.accumulate(change for _, change in events)
    stretches = zip(itertools.pairwise(events), counts, strict=False)
    return min((n for (a, b), n in stretches if b[0] > a[0]), default=0)


def _supported(
    gaps: list[Span], rows: Sequence[Sequence[Piece]], named: Sequence[Sequence[Piece]]
) -> list[Span]:
    """The gaps without those around a column in which hardly any row has text.

    Its text goes to the side where its row has none, otherwise to the nearer one; in a header
    row each text stays separate.
    """
    least = min(2, len(rows))
    heads = {n for n, row in enumerate(rows) if not any(is_number(p.text) for p in row)}
    names = [word.center for row in named for piece in row for word in piece.words or (piece,)]
    while True:
        edges = [float("-inf"), *((a + b) / 2 for a, b in gaps), float("inf")]
        filled = [
            {n for n, row in enumerate(rows) if any(left < p.center < right for p in row)}
            for left, right in itertools.pairwise(edges)
        ]
        shared = [left & right for left, right in itertools.pairwise(filled)]
        headed = [
            any(left < at < right for at in names) for left, right in itertools.pairwise(edges)
        ]
        weak = [
            (len(filled[column]), len(shared[place]), gap[1] - gap[0], place)
            for place, gap in enumerate(gaps)
            for column in (place, place + 1)
            if len(filled[column]) < least
            and not shared[place] & heads
            and not (filled[column] and headed[place] and headed[place + 1])
        ]
        if not weak:
            return gaps
        gone = min(weak)[-1]
        gaps = [gap for place, gap in enumerate(gaps) if place != gone]


def _with_signs(
    gaps: list[Span],
    rows: Sequence[Sequence[Piece]],
    heads: Sequence[Sequence[Piece]],
    line: float,
) -> list[Span]:
    """The gaps without those between figures and the signs or units set apart from them.

    A currency column is kept if it and the figures beside it have separate headers, units close
    to their figures if they have one.
    """
    edges = [float("-inf"), *((a + b) / 2 for a, b in gaps), float("inf")]
    parts = list(itertools.pairwise(edges))
    names = [piece for row in heads for piece in row if not is_number(piece.text)]
    named = [any(a < name.x0 and name.x1 < b for name in names) for a, b in parts]
    gone = set()
    for place, (left, right) in enumerate(parts):
        texts = {p.text.strip() for row in rows for p in row if left < p.center < right}
        signed = texts <= BEFORE or (
            place < len(gaps) and _are_signed(rows, left, right, edges[place + 2])
        )
        if signed and place < len(gaps) and not all(named[place : place + 2]):
            gone.add(place)
        elif texts <= AFTER and place > 0 and not all(named[place - 1 : place + 1]):
            gone.add(place - 1)
        elif place > 0 and not named[place] and all(map(is_unit, texts)):
            start, end = gaps[place - 1]
            gone |= {place - 1} if end - start <= WORD_GAP * line else set()
    return [gap for place, gap in enumerate(gaps) if place not in gone]


def _are_signed(rows: Sequence[Sequence[Piece]], left: float, right: float, end: float) -> bool:
    """Whether nothing but currency signs is before a column's texts, in the column before it.

    The signs are at the left of cells, and the figures at the right; those without a sign may
    be at the left as well.

    Args:
        rows: Of the table's body.
        left: Where the column before it starts.
        right: Where that column ends, and the one in question starts.
        end: Where this ends.
    """
    before = [
        [p.text.strip() for p in row if left < p.center and p.x0 < right]
        for row in rows
        if any(right < p.x0 and p.center < end for p in row)
    ]
    return any(before) and all(map(BEFORE.issuperset, before))


def _without_headless(
    gaps: list[Span], rows: Sequence[Sequence[Piece]], heads: Sequence[Sequence[Piece]]
) -> list[Span]:
    """The gaps without those left of columns that hold only sums, or lines that continue.

    A sum is only a name and a figure, below rows of more pieces. Lines continue if their row
    has nothing beyond the column and the one before it. A separate column has a header.
    """
    edges = [float("-inf"), *((a + b) / 2 for a, b in gaps), float("inf")]
    gone = set()
    for place, (left, right) in enumerate(itertools.pairwise(edges)):
        inside = [row for row in rows if any(left < p.center < right for p in row)]
        are_sums = all(
            len(row) == SUMMED and row[0].center > left and is_number(row[1].text)
            for row in inside
        )
        before = edges[max(place - 1, 0)]
        go_on = all(before < piece.center < right for row in inside for piece in row)
        headed = any(left < p.center < right for row in heads for p in row)
        is_none = (are_sums or go_on) and not headed and 2 * len(inside) < len(rows)
        if 0 < place < len(gaps) and is_none:
            gone.add(place - 1)
    return [gap for place, gap in enumerate(gaps) if place not in gone]


def gaps_of(rows: Iterable[Iterable[Span]], allowed: int) -> list[Span]:
    """The stretches that at most `allowed` rows cover, between ones that more cover."""
    events = sorted(event for row in rows for a, b in row for event in ((a, 1), (b, -1)))
    found: list[Span] = []
    covered, since = 0, None
    for place, change in events:
        before, covered = covered, covered + change
        if before > allowed >= covered:
            since = place
        elif before <= allowed < covered and since is not None:
            if place > since:
                found.append((since, place))
            since = None
    return found


def _spans(row: Sequence[Piece]) -> list[Span]:
    """The extents of a row's pieces, as disjoint stretches."""
    union: list[Span] = []
    for piece in row:
        if union and piece.x0 <= union[-1][1]:
            union[-1] = (union[-1][0], max(union[-1][1], piece.x1))
        else:
            union.append((piece.x0, piece.x1))
    return union
