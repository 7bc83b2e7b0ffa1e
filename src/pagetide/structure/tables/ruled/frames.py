"""Groups rules into frames in which there may be tables."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from pagetide.geometry import Box, union
from pagetide.layout import Rule

MOST_RULES = 1000  # a page with more is a map or a plot; its rules say nothing about tables
TOUCH = 0.5  # line heights: ends this close to a rule meet it
SAME_END = 1.0  # line heights: rules whose ends differ less have the same extent
SLANT = 0.03  # a rule slopes at most this share of its length
INSIDE = 0.25  # of a word's height: a rule farther from both its edges runs through it
SIDES = 2  # horizontal rules, and vertical ones, around a box
SHADES = 2  # fewer are not rows with alternate shading
WHOLE = 0.9  # of a frame's side: a rule this long is drawn from one end to the other
STRUCK = 0.5  # of a rule
LEADER = 0.6  # line heights between a word and its leader, at most
LEAST_LEADERS = 3


class Stroke(NamedTuple):
    """A rule's position across its direction, and its two ends along it."""

    at: float
    start: float
    end: float
    thickness: float = 1.0


@dataclass(frozen=True)
class Frame:
    """Rules that meet, or lie above one another with the same ends.

    Attributes:
        across: Horizontal rules, from the top.
        down: Vertical rules, from the left.
    """

    box: Box
    across: tuple[Stroke, ...]
    down: tuple[Stroke, ...]


def strokes_of(rules: Sequence[Rule], line: float) -> tuple[list[Stroke], list[Stroke]] | None:
    """The horizontal and the vertical rules; None if there are too many.

    Args:
        rules: Upright.
        line: The page's typical line height; shorter rules are dashes or parts of letters.
    """
    across, down = [], []
    for rule in rules:
        (x0, y0), (x1, y1) = rule.start, rule.end
        wide, high = abs(x1 - x0), abs(y1 - y0)
        if wide >= line and high <= max(line / 8, SLANT * wide):
            across.append(Stroke((y0 + y1) / 2, min(x0, x1), max(x0, x1), rule.thickness))
        elif high >= 0.6 * line and wide <= max(line / 8, SLANT * high):
            down.append(Stroke((x0 + x1) / 2, min(y0, y1), max(y0, y1), rule.thickness))
    if len(across) + len(down) > MOST_RULES:
        return None
    return sorted(across), sorted(down)


def beside_text(across: Sequence[Stroke], words: Iterable[Box]) -> list[Stroke]:
    """The rules that do not run through words: those that do are strokes of letters.

    Args:
        across: Horizontal rules.
        words: Boxes of all words.
    """
    ordered = sorted(words, key=lambda box: box[1] + box[3])
    middles = [(box[1] + box[3]) / 2 for box in ordered]
    tallest = max((box[3] - box[1] for box in ordered), default=0.0)
    kept = []
    for stroke in across:
        low = bisect_left(middles, stroke.at - tallest / 2)
        high = bisect_right(middles, stroke.at + tallest / 2)
        covered = 0.0
        for x0, y0, x1, y1 in ordered[low:high]:
            inset = INSIDE * (y1 - y0)
            if y0 + inset < stroke.at < y1 - inset:
                covered += max(0.0, min(x1, stroke.end) - max(x0, stroke.start))
        if covered < STRUCK * (stroke.end - stroke.start):
            kept.append(stroke)
    return kept


def leaders_of(across: Sequence[Stroke], words: Iterable[Box], line: float) -> set[Stroke]:
    """The rules that are leaders: each starts right after a word, level with its foot.

    Several of them end at the same x, like leaders to a column of figures, or before words.

    Args:
        across: Horizontal rules.
        words: Boxes of all words.
        line: The page's typical line height.
    """
    ordered = sorted(words, key=lambda box: box[2])
    ends = [box[2] for box in ordered]
    leaders = [stroke for stroke in across if _is_behind_word(stroke, ordered, ends, line)]
    level = Counter(round(stroke.end / line) for stroke in leaders)
    found = {s for s in leaders if level[round(s.end / line)] >= LEAST_LEADERS}
    if len(leaders) < LEAST_LEADERS:
        return found
    behind = sorted(ordered)
    starts = [box[0] for box in behind]
    parting = {s for s in leaders if _is_before_word(s, behind, starts, line)}
    return found | parting if len(parting) >= LEAST_LEADERS else found


def _is_before_word(
    stroke: Stroke, ordered: Sequence[Box], starts: Sequence[float], line: float
) -> bool:
    low = bisect_left(starts, stroke.end - line / 8)
    return any(
        (y0 + y1) / 2 < stroke.at < y1 + line / 8
        for _, y0, _, y1 in ordered[low : bisect_right(starts, stroke.end + LEADER * line)]
    )


def _is_behind_word(
    stroke: Stroke, ordered: Sequence[Box], ends: Sequence[float], line: float
) -> bool:
    low = bisect_left(ends, stroke.start - LEADER * line)
    return any(
        (y0 + y1) / 2 < stroke.at < y1 + line / 8
        for _, y0, _, y1 in ordered[low : bisect_right(ends, stroke.start + line / 8)]
    )


def frames_of(
    across: Sequence[Stroke], down: Sequence[Stroke], line: float, touch: float = TOUCH
) -> list[Frame]:
    """Rules that meet one another, in groups; a single rule is a group too."""
    reach = touch * line
    parent = list(range(len(across) + len(down)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    xs = [stroke.at for stroke in down]
    for i, flat in enumerate(across):
        low = bisect_left(xs, flat.start - reach)
        for j in range(low, bisect_right(xs, flat.end + reach)):
            steep = down[j]
            if steep.start - reach <= flat.at <= steep.end + reach:
                parent[root(len(across) + j)] = root(i)
    groups: dict[int, tuple[list[Stroke], list[Stroke]]] = {}
    for index in range(len(parent)):
        flats, steeps = groups.setdefault(root(index), ([], []))
        if index < len(across):
            flats.append(across[index])
        else:
            steeps.append(down[index - len(across)])
    found = []
    for flats, steeps in groups.values():
        hanging = _hanging(flats, steeps, reach)
        found += [framed([flat], []) for flat in hanging]
        found.append(framed((flat for flat in flats if flat not in hanging), steeps))
    return found


def _hanging(flats: Sequence[Stroke], steeps: Sequence[Stroke], reach: float) -> list[Stroke]:
    """Rules that only touch a closed box from outside, such as one under a heading beside it.

    None continues inside the box at its height: they enclose nothing with it.
    """
    left = min((stroke.at for stroke in steeps), default=0.0)
    right = max((stroke.at for stroke in steeps), default=0.0)
    within = [s for s in flats if s.start < left + reach and s.end > right - reach]
    if len(within) < SHADES:
        return []
    height = within[-1].at - within[0].at
    ends = {round(s.at) for s in steeps if s.end - s.start > height - reach}
    if not {round(left), round(right)} <= ends:
        return []
    return [
        flat
        for flat in flats
        if (flat.end < left + reach or flat.start > right - reach)
        and not any(
            abs(flat.at - other.at) < reach
            for other in flats
            if other.start < right - reach and other.end > left + reach
        )
    ]


def framed(across: Iterable[Stroke], down: Iterable[Stroke]) -> Frame:
    """Rules as one frame."""
    flats, steeps = sorted(across), sorted(down)
    boxes = [(s.start, s.at, s.end, s.at) for s in flats]
    boxes += [(s.at, s.start, s.at, s.end) for s in steeps]
    return Frame(union(boxes), tuple(flats), tuple(steeps))


def joined(frames: Iterable[Frame]) -> Frame:
    """All of them as one."""
    every = list(frames)
    return framed((s for f in every for s in f.across), (s for f in every for s in f.down))


def same_width(a: Frame, b: Frame, line: float) -> bool:
    """Whether both have the same left and right ends."""
    near = SAME_END * line
    return abs(a.box[0] - b.box[0]) <= near and abs(a.box[2] - b.box[2]) <= near


def is_plain(frame: Frame, line: float) -> bool:
    """Whether a frame is a box around something, without a rule between columns."""
    return len(frame.down) > 1 and is_undivided(frame, line)


def is_closed_box(frame: Frame) -> bool:
    """Whether rules run along a frame's four sides, with none inside."""
    drawn = [stroke for stroke in (*frame.across, *frame.down) if stroke.thickness > 0]
    return len(frame.across) == len(frame.down) == SIDES and len(drawn) == 2 * SIDES


def is_undivided(frame: Frame, line: float) -> bool:
    """Whether no vertical rule is between a frame's sides, as in a shaded row."""
    edges = (frame.box[0], frame.box[2])
    return all(min(abs(stroke.at - edge) for edge in edges) < line for stroke in frame.down)


def is_lattice(frame: Frame) -> bool:
    """Whether rules surround all of its cells, from one side to the other."""
    x0, y0, x1, y1 = frame.box
    whole = [
        *(
            stroke.thickness > 0 and stroke.end - stroke.start >= WHOLE * (x1 - x0)
            for stroke in frame.across
        ),
        *(
            stroke.thickness > 0 and stroke.end - stroke.start >= WHOLE * (y1 - y0)
            for stroke in frame.down
        ),
    ]
    return min(len(frame.across), len(frame.down)) > SHADES and all(whole)


def shade_pitch(frame: Frame) -> float:
    """The distance of rows with alternate shading; 0 if other rules are drawn too."""
    return 0.0 if any(s.thickness > 0 for s in frame.across) else row_pitch(frame)


def row_pitch(frame: Frame) -> float:
    """The distance of horizontal rules, including shade edges; 0 if there are few."""
    if len(frame.across) < 2 * SHADES:
        return 0.0
    places = [stroke.at for stroke in frame.across]
    return median(below - above for above, below in pairwise(places))


def clipped(
    strokes: Iterable[Stroke], at: tuple[float, float], along: tuple[float, float]
) -> list[Stroke]:
    """Strokes within a range, cut to another range along their direction."""
    return [
        stroke._replace(start=max(stroke.start, along[0]), end=min(stroke.end, along[1]))
        for stroke in strokes
        if at[0] <= stroke.at <= at[1]
        and min(stroke.end, along[1]) - max(stroke.start, along[0])
        > 0.5 * (stroke.end - stroke.start)
    ]
