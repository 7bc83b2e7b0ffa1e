"""Two blocks side by side that look like one table: an address beside dates and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from statistics import median

from pagetide.layout.addresses import is_address
from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.pieces import Piece, has_figures

Rows = Sequence[Sequence[Piece]]

LEAST = 2  # lines of a block from the top
LEAST_LOW = (
    4  # of one that starts lower, has an empty line, or is longer; beside colons one less
)
LEAST_UNLEVEL = 3  # rows of both sides
PAST = 2  # lines of a longer block that are below the other side's last
MOST_NAMES = 10  # single-piece lines that are examined
MOST_GUTTERS = 50  # gaps that are examined: a page has about twenty
SENTENCE, MOSTLY_PROSE = 5, 0.6  # words of its lines, and share of its rows
FAR = 6.0  # line heights between two side-by-side blocks
UNLEVEL_FAR = 3.0  # if their lines are not level
NEAREST = 1.0  # and from an address to whatever is beside it
FAR_FROM_PROSE = 1.5  # line heights: text in the next column may be nearer
HONORIFICS = ("御中", "様", "殿")  # after the addressee's name, in Japanese
LEVEL = 0.15  # line heights: the middles of pieces on one line
LEAST_NAMED = 3  # lines of a block below a name in larger letters, or introduced by a colon
LARGER = 1.25  # times as high
SUM = 2  # texts of a sum: its name and its amount
ENDS_BEFORE = 0.7  # of the other side's rows


def above_name(rows: Rows) -> tuple[Rows, Rows, Rows] | None:
    """Both sides of a wide gap, one an address, above a single line, and what is below.

    The line names what follows, which has other columns.

    Args:
        rows: From the top, each from left to right.
    """
    names = (place for place in range(LEAST_LOW, len(rows)) if len(rows[place]) == 1)
    for place in islice(names, MOST_NAMES):
        if sides := beside(rows[:place], addressed=True):
            return *sides, rows[place:]
    return None


def beside(rows: Rows, *, addressed: bool = False) -> tuple[Rows, Rows] | None:
    """The left and right side of a wide gap, if one side is an independent block.

    An address beside dates: one column of words that ends before the other side's rows do, or
    rows that are not level with them, or a side with a postal code next to its town.

    Args:
        rows: From the top, each from left to right.
        addressed: Whether only an address is such a block.
    """
    line = median(piece.y1 - piece.y0 for row in rows for piece in row)
    for gutter in islice(_gutters(rows, NEAREST * line), MOST_GUTTERS):
        sides = [[piece for piece in row if piece.center < gutter] for row in rows]
        others = [[piece for piece in row if piece.center >= gutter] for row in rows]
        ends = [piece.x1 for row in sides for piece in row]
        starts = [piece.x0 for row in others for piece in row]
        if not ends or not starts:
            continue
        room, far = min(starts) - max(ends), FAR_FROM_PROSE if _is_prose(others) else FAR
        if _is_addressed(sides, others) or _is_addressed(others, sides):
            return _both(sides, others)
        if addressed:
            continue
        apart = room >= far * line and (
            _is_title(sides, others)
            or _is_block(sides, others)
            or _is_block(others, sides)
            or _is_named(sides, others)
            or _is_introduced(others)
        )
        near = room >= min(far, UNLEVEL_FAR) * line
        if apart or (near and (_are_unlevel(sides, others, line) or _has_sums(sides, others))):
            return _both(sides, others)
    return None


def _both(side: Rows, other: Rows) -> tuple[Rows, Rows]:
    return [row for row in side if row], [row for row in other if row]


def _gutters(rows: Rows, least: float) -> Iterator[float]:
    """The middles of gaps this wide in which no row has anything."""
    spans = sorted((piece.x0, piece.x1) for row in rows for piece in row)
    right = spans[0][1]
    for x0, x1 in spans:
        if x0 - right >= least:
            yield (right + x0) / 2
        right = max(right, x1)


def _is_prose(side: Rows) -> bool:
    """Whether most rows of a side are one long piece: text in a separate column."""
    filled = [row for row in side if row]
    long = sum(len(row) == 1 and len(row[0].text.split()) >= SENTENCE for row in filled)
    return MOSTLY_PROSE * len(filled) <= long


def _is_title(side: Rows, other: Rows) -> bool:
    """Whether only a phrase is on the left, level with a name and its figure."""
    first, *below = side
    level = other[0]
    return (
        len(first) == 1
        and not any(below)
        and not has_figures(first[0].text)
        and len(level) > 1
        and is_number(level[-1].text)
    )


def _is_addressed(side: Rows, other: Rows) -> bool:
    """Whether a side is one column with an address, and the other has more than one column."""
    filled = [row for row in side if row]
    alone = all(len(row) == 1 or row[-1].text in HONORIFICS for row in filled)
    several = 2 * sum(len(row) > 1 for row in other) > sum(map(bool, other))
    if not (alone and several):
        return False
    # In an envelope window, the sender's address is above the recipient's, in one line.
    lines = [" ".join(piece.text for piece in row) for row in filled]
    return is_address(lines) or is_address(lines[1:]) or lines[0].endswith(HONORIFICS)


def _is_block(side: Rows, other: Rows) -> bool:
    """Whether a side is one column of words, clearly shorter than the other side, or longer.

    Or it starts and ends lower. It may contain one empty line, as before an address's town. A
    table column may have empty cells: fewer lines, or such lines beside figures without names,
    are not a block.
    """
    filled, rows = (
        [place for place, row in enumerate(side) if row],
        [row for row in other if row],
    )
    figures = sum(is_number(piece.text) for row in side for piece in row)
    is_whole = filled == [*range(len(filled))]
    named = 2 * sum(is_number(row[0].text) for row in rows) < len(rows)
    colons = sum(row[0].text.rstrip().endswith((":", "：")) for row in rows)
    least = LEAST_LOW - (2 * colons > len(rows))
    is_short = (LEAST if is_whole else least) <= len(filled) <= ENDS_BEFORE * len(rows)
    is_long = len(filled) >= LEAST_LOW and named and not any(other[filled[-PAST] :])
    is_lower = (
        len(filled) >= LEAST_LOW and not other[filled[-1]] and filled[0] > 0 and bool(other[0])
    )
    return (
        (is_short or is_long or is_lower)
        and all(len(row) <= 1 for row in side)
        and filled[-1] - filled[0] <= len(filled)
        and 2 * figures < len(filled)
    )


def _is_named(side: Rows, other: Rows) -> bool:
    """Whether a side is a company and its details: a name in larger letters, and lines."""
    names = [row[0] for row in side if row]
    is_whole = all(side[: len(names)]) and all(len(row) <= 1 for row in side)
    if len(names) < LEAST_NAMED or not is_whole:
        return False
    usual = median(p.y1 - p.y0 for row in (*side[1:], *other) for p in row)
    return names[0].y1 - names[0].y0 > LARGER * usual


def _is_introduced(side: Rows) -> bool:
    """Whether a side is lines below one that ends in a colon, such as payment details."""
    texts = [row[0].text.rstrip() for row in side if row]
    alone = all(len(row) == 1 for row in side if row)
    colons = [text.endswith((":", "：")) for text in texts]
    return alone and len(texts) >= LEAST_NAMED and colons[0] and not any(colons[1:])


def _has_sums(side: Rows, other: Rows) -> bool:
    """Whether a side has headers, and the other names with an amount each from there on."""
    heads, filled = side[0], [row for row in other if row]
    named = not any(has_figures(piece.text) for piece in heads)
    below = any(is_number(piece.text) for row in side[1:] for piece in row)
    return (
        len(heads) > 1
        and named
        and below
        and len(filled) >= LEAST
        and bool(other[0])
        and all(len(row) == SUM and is_number(row[1].text) for row in filled)
    )


def _are_unlevel(side: Rows, other: Rows, line: float) -> bool:
    """Whether most rows of both sides are not level with any of the other's."""
    one, two = ([row[0].middle for row in rows if row] for rows in (side, other))
    if min(len(one), len(two)) < LEAST_UNLEVEL:
        return False
    return all(
        sum(any(abs(y - z) <= LEVEL * line for z in ends) for y in own) < len(own) / 2
        for own, ends in ((one, two), (two, one))
    )
