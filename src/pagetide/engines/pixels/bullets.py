"""Bullets that no recogniser read: small blobs of ink before the lines of a list.

A detector of text takes a bullet for dirt, or leaves so much room between it and its line that
it is cut off; a recogniser that does see it reads a dot or a colon.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from pagetide.document import Line, Word
from pagetide.engines.pixels.strips import strip
from pagetide.geometry import Box, Point, Polygon, box_of, center, contains
from pagetide.layout.words import IS_LEFTWARD

Pixels = NDArray[np.uint8]

# Lengths in line heights; a line that was found is half as high again as its capitals.
REACH = 2.8  # from a line to the left: bullets stand nearer
WITHIN = 1.8  # and from its beginning to the right, for its box may hold the bullet
ALONE = 0.6  # from a bullet to what is left of it, at least
ROOM = 0.25  # and to its text
LEAST = 0.06  # what is smaller is dirt
LETTER = 0.3  # high: what stands after a bullet
ROUND = 0.075, 0.52  # wide and high: a dot, a ring, a small square
LEAST_PIXELS = 3
LEAST_HEIGHT = 18  # pixels, of a line: in smaller ones all dots are dirt
MOST_HEIGHT = 64  # pixels, of what is looked at: larger lines are made smaller
FILLED, SOLID = 0.4, 0.7  # of the box around one; of one as high as a letter
MIDDLE = 0.3, 0.72  # of a line: how high on it one stands
DASH_LENGTH, DASH_WEIGHT = (0.25, 0.9), 0.16
ALIKE, SAME_GAP = 1.4, 0.2  # the sizes of two, one in the other; the gaps to their lines
CONTRAST = 40  # of 255
DARK = 0.35  # of the way from the ground to the letters: a ring is thin, and so is a dash

_READ = re.compile(r"[.:。·,、'`*°º-]")  # what a recogniser makes of one
_LISTED = re.compile(r"(?!\(?\w{1,3}[.)]\s)[\w\"'«„“(]")  # but for what has a mark of its own


class _Bullet(NamedTuple):
    """A blob before a line: its sign, its longer side and the gap, in line heights."""

    sign: str
    size: float
    gap: float
    polygon: Polygon


def with_bullets(lines: Sequence[Line], grey: Pixels) -> tuple[Line, ...]:
    """The lines, those before which bullets stand with these in their text.

    One blob alone may be anything: at least two lines have one alike, as far from its text.

    Args:
        lines: As read from a picture, polygons in its pixels.
        grey: Height × width.
    """
    found = {n: b for n, line in enumerate(lines) if (b := _before(line, grey))}
    alike = {
        n for n, b in found.items() if any(_alike(b, o) for m, o in found.items() if m != n)
    }
    marks = [center(box_of(found[place].polygon)) for place in alike]
    return tuple(
        _with(line, found[place]) if place in alike else line
        for place, line in enumerate(lines)
        if not (_READ.fullmatch(line.text) and _holds(line, marks))
    )


def _holds(line: Line, marks: Sequence[Point]) -> bool:
    """Whether a line is one of the marks, read by itself."""
    box = box_of(line.polygon)
    return any(contains(box, mark) for mark in marks)


def _alike(a: _Bullet, b: _Bullet) -> bool:
    return (
        a.sign == b.sign
        and max(a.size, b.size) <= ALIKE * min(a.size, b.size)
        and abs(a.gap - b.gap) < SAME_GAP
    )


def _misread(line: Line) -> bool:
    """Whether a line's first word is what a recogniser makes of a bullet."""
    return len(line.words) > 1 and bool(_READ.fullmatch(line.words[0].text))


def _before(line: Line, grey: Pixels) -> _Bullet | None:
    """The bullet that stands before a line."""
    misread = _misread(line)
    text = line.text[1:].lstrip() if misread else line.text
    if not _LISTED.match(text) or IS_LEFTWARD.search(text):
        return None
    (x0, y0), (x1, y1), _, (x3, y3) = line.polygon[:4]
    length, height = math.hypot(x1 - x0, y1 - y0), math.hypot(x3 - x0, y3 - y0)
    if height < LEAST_HEIGHT or length < 1.5 * height:
        return None
    scale = max(1.0, height / MOST_HEIGHT)
    along = np.array([x1 - x0, y1 - y0]) / length * scale
    down = np.array([x3 - x0, y3 - y0]) / height * scale
    end = 0.0
    if misread:
        end = float((np.array(line.words[1].polygon[0]) - (x0, y0)) @ along) / scale**2
    height /= scale
    start = np.array([x0, y0]) - REACH * height * along
    size = (round((REACH + WITHIN) * height + end), round(height))
    blob = _blob(strip(grey, start, along, down, size))
    if blob is None:
        return None
    sign, gap, (left, top, right, bottom) = blob
    corners = ((left, 0.0), (right, 0.0), (right, height), (left, height))
    points = [start + x * along + y * down for x, y in corners]
    polygon = tuple((float(x), float(y)) for x, y in points)
    return _Bullet(sign, max(right - left, bottom - top) / height, gap / height, polygon)


def _blob(strip: Pixels) -> tuple[str, float, Box] | None:
    """The blob that stands alone before a strip's letters, if it is shaped as a bullet.

    Args:
        strip: As high as a line, which begins `REACH` of that from the left.

    Returns:
        Its sign, the room to the letters, and its box, in pixels.
    """
    ground, ink = float(np.median(strip)), float(strip.min())
    if ground - ink < CONTRAST:
        return None
    dark = np.asarray(strip < ground - DARK * (ground - ink), np.uint8)
    _, _, stats, _ = cv2.connectedComponentsWithStats(dark, connectivity=8)
    high = strip.shape[0]
    boxes = sorted(
        ((x, y, x + w, y + h, n) for x, y, w, h, n in stats[1:] if max(w, h) >= LEAST * high),
        key=lambda box: box[0],
    )
    begins = (REACH - ROOM) * high
    letters = [
        n for n, b in enumerate(boxes) if b[0] >= begins and b[3] - b[1] >= LETTER * high
    ]
    for place in letters[:2]:  # the first may be a large bullet
        left, top, right, bottom, count = (int(side) for side in boxes[max(place - 1, 0)])
        gap = float(boxes[place][0] - right)
        alone = all(box[2] <= left - ALONE * high for box in boxes[: place - 1])
        sign = _sign(right - left, bottom - top, count, high)
        is_level = MIDDLE[0] < (top + bottom) / 2 / high < MIDDLE[1]
        if sign and alone and is_level and gap >= ROOM * high:
            return sign, gap, (float(left), float(top), float(right), float(bottom))
    return None


def _sign(wide: int, high: int, count: int, line: int) -> str | None:
    """What a blob of so many pixels is, if it is a bullet."""
    low, most = max(ROUND[0] * line, LEAST_PIXELS), ROUND[1] * line
    if low <= wide <= most and low <= high <= most and 0.7 < wide / high < 1.43:
        filled = SOLID if high >= LETTER * line else FILLED
        return "•" if count >= filled * wide * high else None
    shortest, longest = (part * line for part in DASH_LENGTH)
    return "–" if shortest <= wide <= longest and high <= DASH_WEIGHT * line else None


def _with(line: Line, bullet: _Bullet) -> Line:
    misread = _misread(line)
    _, right, low, _ = line.polygon[:4]
    mark = Word(text=bullet.sign, polygon=bullet.polygon, confidence=line.confidence)
    words = line.words[1:] if misread else line.words
    rest = line.text[1:].lstrip() if misread else line.text
    return msgspec.structs.replace(
        line,
        text=f"{bullet.sign} {rest}",
        words=(mark, *words) if words else (),
        polygon=(bullet.polygon[0], right, low, bullet.polygon[3]),
    )
