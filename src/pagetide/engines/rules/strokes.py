"""Level lines on a grey picture, by morphology: a segment detector alone took 95 ms a page."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.engines.pixels.ink import upper_median
from pagetide.layout.ruling import Piece

Grey = NDArray[np.uint8]

# In heights of a letter.
_THICKEST = 0.55
_THICK = 0.35  # and more has to stand clear, as small letters run into a band so high
_DASHED_RUN = 6.0
_DASH_GAP = 0.7
_LEADER = 1.5  # text so near before a dotted line makes it a leader

_LEAST_CONTRAST = 14
_NOISE = 4.0  # times the usual contrast of neighbouring pixels
_THICK_BROKEN = 0.25  # a line that is broken is thinner than what small letters look like
_DENSE = 0.85  # of a run is ink, in a broken scan
_BRIDGED = 5  # squeezed pixels: a gap in a scan's line
_SQUEEZED = 2  # the rows are made half as wide, which halves the time and hurts no line
_SMALL = 13.0  # pixels: lower letters would run into lines
_FEWEST_DASHES = 8
_FEW_DOTS = 4  # that go on from a line
_DOTTED = 0.6  # of its length is ink
_LONGEST_DASH = 0.62  # letters' heights: a stem is longer, and stems stand below one another
_MOST_PIECES = 4000

# So much of a line's length must have nothing on either side of it, and on both together:
# the feet of letters have nothing below, but stems above. A line that is short, or
# not the same from end to end, has to stand more clear.
_CLEAR, _CLEAR_BOTH = 0.5, 1.3
_SHORT, _CLEAR_STRICT, _WHOLE = 12.0, 0.91, 0.95
_LONG = 25.0  # longer than a figure's hatching
_CLEAR_DASHED, _CLEAR_THICK = 0.9, 0.92
_MOST_CROSSED = 0.25
_BAND = 4  # pixels: a line so high may be small letters
_FLANK = 4  # pixels beside a line that are looked at, but for the nearest two
_NEAR, _FAR = 3, 6  # pixels from a dash, where there must be nothing


def level_strokes(grey: Grey, letter: float, shortest: float) -> list[Piece]:
    """Dark lines that run across a picture, some of them in pieces.

    Args:
        grey: Height × width.
        letter: How high its letters are, in pixels.
        shortest: In letters' heights; shorter ones are not looked for.
    """
    if min(grey.shape) < 2 * _SQUEEZED:
        return []
    width = grey.shape[1] // _SQUEEZED
    if letter < _SMALL:
        looking = _Looking(grey, letter, 1, shortest)
        return looking.pieces()
    # At half the width, linear is the mean of two: the same as by area, in a third of the time.
    squeezed = cv2.resize(grey[:, : width * _SQUEEZED], (width, grey.shape[0]))
    looking = _Looking(np.asarray(squeezed, np.uint8), letter, _SQUEEZED, shortest)
    return [
        (at, start * _SQUEEZED, end * _SQUEEZED, thickness)
        for at, start, end, thickness in looking.pieces()
    ]


class _Looking:
    """Tells lines from what only looks like them."""

    def __init__(self, grey: Grey, letter: float, squeezed: int, shortest: float) -> None:
        self._grey, self._letter = grey, letter
        self._across = letter / squeezed  # a letter's height, measured along the rows
        self._thickest = max(5, round(_THICKEST * letter)) | 1
        hat = cv2.morphologyEx(grey, cv2.MORPH_BLACKHAT, _down(self._thickest + 2))
        usual = float(np.median(hat[::4, ::4]))
        self._ink = _binary(np.asarray(hat, np.uint8), max(_LEAST_CONTRAST, _NOISE * usual))
        self._shortest = shortest * self._across
        self._runs = _dense_runs(self._ink, round(self._shortest) | 1)
        self._about_runs = cv2.dilate(self._runs, _down(3))

    def pieces(self) -> list[Piece]:
        """Whole, dashed and dotted lines, each as far as it goes on in dots."""
        return [self._grown(piece) for piece in [*self.lines(), *self.dashed_lines()]]

    def lines(self) -> list[Piece]:
        """Whole lines."""
        found = [self._line(box) for box in _boxes(self._runs)]
        return [piece for piece in found if piece]

    def dashed_lines(self) -> list[Piece]:
        """Dashed and dotted ones."""
        alone = _alone(self._ink, self._runs)
        found = [self._dashes(box) for box in _boxes(_dashed_runs(alone, self._across))]
        return [piece for piece in found if piece]

    def _line(self, box: tuple[int, int, int, int]) -> Piece | None:
        """A line in a box of `runs`, if it is one."""
        x, y, width, height = box
        thickness = cv2.countNonZero(self._runs[y : y + height, x : x + width]) / width
        if thickness > self._thickest or width < self._shortest:
            return None
        above, below, is_whole = self._clear(box)
        is_thick = thickness > _THICK * self._letter
        is_short = width < _SHORT * self._across
        if is_thick and (is_short or not is_whole or min(above, below) < _CLEAR_THICK):
            return None
        if not is_whole and thickness > _THICK_BROKEN * self._letter:
            return None
        is_strict = not is_whole or is_short
        if min(above, below) < (_CLEAR_STRICT if is_strict else _CLEAR):
            return None
        if above + below < _CLEAR_BOTH:
            return None
        return (y + height / 2, float(x), float(x + width), thickness)

    def _dashes(self, box: tuple[int, int, int, int]) -> Piece | None:
        """A dashed line in a box, if it is one."""
        x, y, width, height = box
        if height > self._thickest or min(self._clear(box, dashed=True)[:2]) < _CLEAR_DASHED:
            return None
        row = self._ink[y : y + height, x : x + width].max(axis=0) > 0
        starts = np.flatnonzero(row[1:] & ~row[:-1])
        if starts.size < _FEWEST_DASHES or self._is_leader(box):
            return None
        if np.count_nonzero(row) > _LONGEST_DASH * self._across * (starts.size + 1):
            return None
        if not _are_regular(starts):
            return None
        return (y + height / 2, float(x), float(x + width), float(height))

    def _grown(self, piece: Piece) -> Piece:
        """A line with the dots that it goes on in at both ends."""
        at, start, end, thickness = piece
        top, height = round(at - thickness / 2) - 1, round(thickness) + 2
        if not _FLANK <= top <= self._ink.shape[0] - height - _FLANK:
            return piece  # at the picture's edge, which may be a sheet's own
        row = self._ink[top : top + height].max(axis=0) > 0
        before, behind = self._dotted(row[: int(start)][::-1]), self._dotted(row[int(end) :])
        boxes = ((int(start) - before, top, before, height), (int(end), top, behind, height))
        is_clear = [
            box[2] > 0 and min(self._clear(box, dashed=True)[:2]) >= _CLEAR_DASHED
            for box in boxes
        ]
        return (at, start - before * is_clear[0], end + behind * is_clear[1], thickness)

    def _dotted(self, row: NDArray[np.bool_]) -> int:
        """How far dots go on from the beginning of a row, without a wider gap."""
        inked = np.flatnonzero(row)
        gaps = np.diff(inked, prepend=-1) - 1
        wide = np.flatnonzero(gaps > _DASH_GAP * self._across)
        dots = inked[: wide[0]] if wide.size else inked
        starts = dots[gaps[: dots.size] > 0]
        if starts.size < _FEW_DOTS:
            return 0
        # Dots at half the size run together at times, and then are dense but not regular.
        is_even = dots.size >= _DOTTED * (dots[-1] + 1) or _are_regular(starts)
        is_broken = dots.size <= _LONGEST_DASH * self._across * (starts.size + 1)
        return int(dots[-1]) + 1 if is_even and is_broken else 0

    def _clear(
        self, box: tuple[int, int, int, int], *, dashed: bool = False
    ) -> tuple[float, float, bool]:
        """How much of a line's length has clear ground above it, and below, 0–1.

        And whether it is about as dark from end to end.
        """
        x, y, width, height = box
        part = self._grey[max(0, y - _FLANK) : y + height + _FLANK, x : x + width].astype(
            np.int16
        )
        top = min(y, _FLANK)
        line = part[top : top + height].min(axis=0)
        rows = part[top : top + height]
        # A band of small letters has ink in every column, but in no row throughout.
        core = rows[int(rows.sum(axis=1).argmin())] if height >= _BAND else line
        depth = upper_median(part.ravel()) - core
        is_whole = np.count_nonzero(2 * depth > upper_median(depth)) >= _WHOLE * width
        if (
            is_whole and width >= _LONG * self._across
        ):  # the other of a double line is no letter
            part[
                self._about_runs[max(0, y - _FLANK) : y + height + _FLANK, x : x + width] > 0
            ] = 255
        if dashed:  # between dashes there is nothing to stand clear of
            line = np.minimum(line, np.partition(line, width // 8)[width // 8])
        clear: list[NDArray[np.bool_]] = []
        for flank in (part[max(0, top - _FLANK) : max(0, top - 2)], part[top + height + 2 :]):
            if not flank.size:
                clear.append(np.ones(width, np.bool_))  # the page ends there
                continue
            darkest = flank.min(axis=0)
            clear.append(2 * darkest > line + upper_median(darkest))
        above, below = clear
        # Where both sides are dark another line crosses, unless that is nearly everywhere.
        crossed = width - np.count_nonzero(above | below)
        counted = width - (crossed if crossed <= _MOST_CROSSED * width else 0)
        shares = (
            float(np.count_nonzero(above) / counted),
            float(np.count_nonzero(below) / counted),
        )
        return *shares, bool(is_whole)

    def _is_leader(self, box: tuple[int, int, int, int]) -> bool:
        """Whether it leads from text to text: something stands before it on its line."""
        x, y, width, _ = box
        letter = self._letter
        top, reach = max(0, round(y - letter)), round(_LEADER * self._across)
        before = self._grey[top : y + 1, max(0, x - reach) : max(0, x - 2)]
        behind = self._grey[top : y + 1, x + width + 2 : x + width + reach]
        ground = float(np.median(self._grey[top : y + 1, x : x + width]))
        return any(
            part.size and float(np.mean(part < ground - 60)) > 0.08 for part in (before, behind)
        )


def _are_regular(starts: NDArray[np.intp]) -> bool:
    """Whether dashes that begin here are about equally far apart."""
    steps = np.diff(starts)
    return bool(np.percentile(steps, 80) <= 1.5 * np.median(steps) + 1)


def _binary(grey: Grey, least: float) -> Grey:
    return np.asarray(cv2.threshold(grey, least, 255, cv2.THRESH_BINARY)[1], np.uint8)


def _alone(ink: Grey, runs: Grey) -> Grey:
    """The ink that has none above or below it and lies in no line that is whole."""
    near = cv2.dilate(runs, _down(3))
    ring = np.ones((2 * _FAR + 1, 1), np.uint8)
    ring[_FAR - _NEAR + 1 : _FAR + _NEAR] = 0
    near = cv2.bitwise_or(near, cv2.dilate(ink, ring))
    return np.asarray(cv2.bitwise_and(ink, cv2.bitwise_not(near)), np.uint8)


def _dense_runs(ink: Grey, run: int) -> Grey:
    """What lies in runs that are ink nearly throughout, small gaps filled."""
    share = cv2.blur(ink, (run, 1), borderType=cv2.BORDER_CONSTANT)
    dense = cv2.dilate(_binary(np.asarray(share, np.uint8), 255 * _DENSE - 1), _across(run))
    closed = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, _across(_BRIDGED))
    return np.asarray(cv2.bitwise_and(closed, dense), np.uint8)


def _dashed_runs(ink: Grey, across: float) -> Grey:
    """What lies in long runs once wider gaps are filled."""
    closed = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, _across(round(_DASH_GAP * across) | 1))
    long = cv2.morphologyEx(closed, cv2.MORPH_OPEN, _across(round(_DASHED_RUN * across) | 1))
    return np.asarray(long, np.uint8)


def _boxes(runs: Grey) -> list[tuple[int, int, int, int]]:
    """`(x, y, width, height)` of what hangs together."""
    contours, _ = cv2.findContours(runs, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    boxes = [cv2.boundingRect(contour) for contour in contours[:_MOST_PIECES]]
    return [(x, y, width, height) for x, y, width, height in boxes]


def _across(length: int) -> Grey:
    return np.ones((1, length), np.uint8)


def _down(length: int) -> Grey:
    return np.ones((length, 1), np.uint8)
