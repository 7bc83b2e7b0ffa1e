"""Numbers beside the lines of a manuscript, a statute or a transcript: no part of its text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from pagetide.document import Line
from pagetide.geometry import Box
from pagetide.layout.words import is_unspaced
from pagetide.structure.draft import Draft
from pagetide.structure.paragraphs import ENDS
from pagetide.structure.running import RowsOf
from pagetide.structure.shares import part
from pagetide.structure.upright import Upright

LABEL = "line_numbers"
LEAST = 10  # numbers of a column: the items of a table or a list are fewer, or head no prose
MOST_DIGITS = 4
EVEN = 0.3  # of a number's height: how much the edges of one column differ
FAR = 8.0  # heights of a number, to the text that it numbers
SKIPPED = 0.3  # how much the room of a step differs, where numbers in between were not read
REGULAR = 0.9  # of the steps from one number to the next
BESIDE = 0.8  # of the numbers have a line of text beside them
# Of those lines: that start within a sentence, and that do so or end one. The names of items
# may be long, and end in abbreviations.
INSIDE, SENTENCES = 0.15, 0.4
WIDE, MANY = 12.0, 1 / 3  # heights, at least, of so many of those lines


def with_line_numbers(
    lines: Sequence[Line], members: Sequence[int], upright: Upright
) -> tuple[list[Line], list[int], list[Draft]]:
    """A block for each column of line numbers, and the lines without them.

    Such numbers count up in equal steps at one edge of the text, which crosses them nowhere.

    Args:
        lines: The page's.
        members: The indexes of those in one direction.
        upright: Turns them.

    Returns:
        The lines, those that started with a number cut, with the numbers at the end; the
        members without numbers; and the blocks.
    """
    if sum(_starts_with_number(lines[index]) for index in members) < LEAST:
        return list(lines), list(members), []  # as on most pages: nothing is cut or measured
    pieces = [(index, piece) for index in members for piece in _pieces(lines[index])]
    boxes = [upright.box(piece.polygon) for _, piece in pieces]
    columns = _line_numbers([piece for _, piece in pieces], boxes)
    found, places = list(lines), dict[int, int]()
    for place in (place for column in columns for place in column):
        index, piece = pieces[place]
        places[place] = index
        if piece is not lines[index]:
            places[place] = len(found)
            found[index] = pieces[place + 1][1]
            found.append(piece)
    left = sorted(set(members).difference(places.values()))
    rows = RowsOf(found, list(places.values()), [boxes[place] for place in places])
    order = {place: n for n, place in enumerate(places)}
    drafts = [
        Draft(kind="footer", label=LABEL, rows=tuple(rows.row([order[p]]) for p in column))
        for column in columns
    ]
    return found, left if columns else list(members), drafts


def _pieces(line: Line) -> list[Line]:
    """A line, or the number that it starts with and the rest of it."""
    if len(line.words) < 2 or not _starts_with_number(line):
        return [line]
    return [part(line, [0]), part(line, range(1, len(line.words)))]


def _line_numbers(lines: Sequence[Line], boxes: Sequence[Box]) -> list[list[int]]:
    """The columns of numbers that count the lines of text beside them, each from the top."""
    numbers = [n for n, line in enumerate(lines) if _is_number(line.text)]
    found: list[list[int]] = []
    for edge in (2, 0):
        taken = {place for column in found for place in column}
        free = [place for place in numbers if place not in taken]
        columns = _columns(free, boxes, edge)
        found += [each for each in columns if _counts_lines(each, lines, boxes)]
    return found


def _starts_with_number(line: Line) -> bool:
    return _is_number(line.words[0].text if line.words else line.text)


def _is_number(text: str) -> bool:
    return len(text) <= MOST_DIGITS and text.isascii() and text.isdigit()


def _columns(places: Iterable[int], boxes: Sequence[Box], edge: int) -> list[list[int]]:
    """Those with one edge (0 left, 2 right) at the same position, from the top."""
    columns: list[list[int]] = []
    for place in sorted(places, key=lambda place: boxes[place][edge]):
        last = columns[-1][-1] if columns else None
        height = boxes[place][3] - boxes[place][1]
        if last is None or boxes[place][edge] - boxes[last][edge] > EVEN * height:
            columns.append([])
        columns[-1].append(place)
    return [
        sorted(column, key=lambda place: boxes[place][1])
        for column in columns
        if len(column) >= LEAST
    ]


def _counts_lines(column: Sequence[int], lines: Sequence[Line], boxes: Sequence[Box]) -> bool:
    if not _are_regular(column, lines, boxes) or _is_crossed(column, boxes):
        return False
    return _are_prose(_beside(column, boxes), lines, boxes)


def _are_regular(column: Sequence[int], lines: Sequence[Line], boxes: Sequence[Box]) -> bool:
    """Whether they count up in one step, or skip as many as were not read between them."""
    steps = [int(lines[b].text) - int(lines[a].text) for a, b in pairwise(column)]
    if min(steps) < 1:
        return False
    rooms = [
        (boxes[b][1] - boxes[a][1]) / step
        for (a, b), step in zip(pairwise(column), steps, strict=True)
    ]
    step, room = Counter(steps).most_common(1)[0][0], median(rooms)
    regular = sum(
        each == step or (each % step == 0 and abs(own - room) < SKIPPED * room)
        for each, own in zip(steps, rooms, strict=True)
    )
    return regular >= REGULAR * len(steps)


def _is_crossed(column: Sequence[int], boxes: Sequence[Box]) -> bool:
    """Whether anything between the first number and the last one is above another of them."""
    own = set(column)
    left, right = min(boxes[n][0] for n in own), max(boxes[n][2] for n in own)
    top, bottom = boxes[column[0]][1], boxes[column[-1]][3]
    return any(
        x0 < right and left < x1 and y0 < bottom and top < y1
        for n, (x0, y0, x1, y1) in enumerate(boxes)
        if n not in own
    )


def _beside(column: Sequence[int], boxes: Sequence[Box]) -> list[int]:
    """The lines level with the numbers: those close to the right, or else those to the left.

    The ranks of a table beside a text are close to the names in it.

    Returns:
        Empty if few numbers have a line on either side.
    """
    right, left = list[int](), list[int]()
    order = sorted(set(range(len(boxes))) - set(column), key=lambda n: boxes[n][0])
    for place in column:
        x0, y0, x1, y1 = boxes[place]
        middle, far = (y0 + y1) / 2, FAR * (y1 - y0)
        level = [n for n in order if boxes[n][1] < middle < boxes[n][3]]
        right += [n for n in level if 0 <= boxes[n][0] - x1 < far][:1]
        left += [n for n in level if boxes[n][2] <= x0][-1:]
    least = BESIDE * len(column)
    return next((side for side in (right, left) if len(side) >= least), [])


def _are_prose(places: Sequence[int], lines: Sequence[Line], boxes: Sequence[Box]) -> bool:
    """Whether many are long, some start within a sentence, and most do or end one."""
    texts = [lines[place].text for place in places]
    inside = [text for text in texts if text[:1].islower() or is_unspaced(text)]
    ends = [text for text in texts if text not in inside and ENDS.search(text)]
    shapes = [boxes[place] for place in places]
    wide = sum(x1 - x0 >= WIDE * (y1 - y0) for x0, y0, x1, y1 in shapes)
    count = len(texts)
    return (
        count > 0
        and wide >= MANY * count
        and len(inside) >= INSIDE * count
        and len(inside) + len(ends) >= SENTENCES * count
    )
