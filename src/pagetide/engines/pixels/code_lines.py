"""Code on a picture: lines one below the other in type of a fixed width, by their words' ends.

In other type letters differ in width. A line of it may look so by chance; lines next to each
other in letters of one width do not, nor does prose have the signs that code has.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from pagetide.document import Line, TextStyle

LETTERS = 12  # of a line that shows the width of a letter, spaces counted in
LINES = 3  # one below the other, that have it
FITTING = 0.8  # of all lines between the first and the last
LEAST_ENDS = 10  # ends of words more than two of each line: these fit any width
OFF = 0.45  # of a letter: as far off a word's ends may be
NEAR = 3.0  # line heights from one such line to the next
ALIKE = 1.6  # the height of two lines, one in the other: letters reach up and down, or not
SIGNS = 0.03  # of their letters are signs that prose has few of
MOST = 0.5  # of the page's letters: of more it is what the page is set in

_NARROW = re.compile("[!-~ -\u052f‐-„†-•…‹›€™]+")  # no Han, no Arabic
_BULLET = re.compile(r"[•◦▪‣●○■□–-]\s")
_SIGN = re.compile(r"[^\w\s.,:;!?’'\"–-]|_")


class _Ends(NamedTuple):
    """Where a line's words begin and end: in letters of its text, and in pixels."""

    letters: tuple[int, ...]
    pixels: tuple[float, ...]

    @property
    def pitch(self) -> float:
        """The width of a letter that fits them best."""
        letters, pixels = self._centred()
        return sum(map(float.__mul__, letters, pixels)) / sum(each * each for each in letters)

    def fit(self, pitch: float) -> bool:
        """Whether all ends are where letters of this width end."""
        letters, pixels = self._centred()
        off = (abs(x - pitch * n) for n, x in zip(letters, pixels, strict=True))
        return max(off) <= OFF * pitch

    def _centred(self) -> tuple[list[float], list[float]]:
        middles = [sum(each) / len(each) for each in self]
        letters, pixels = ([x - m for x in each] for each, m in zip(self, middles, strict=True))
        return letters, pixels


def with_code_lines(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines, those of code with that style, where the page is not set in its type.

    Args:
        lines: As read from a picture, with words.
    """
    found = {place for run in _runs(lines) for place in run}
    letters = sum(len(lines[place].text) for place in found)
    if letters > MOST * sum(len(line.text) for line in lines):
        return tuple(lines)
    return tuple(_as_code(line) if n in found else line for n, line in enumerate(lines))


def _runs(lines: Sequence[Line]) -> Iterator[list[int]]:
    """The places of lines of code, from the first to the last of each listing."""
    ordered = sorted(range(len(lines)), key=lambda n: lines[n].polygon[0][1])
    ends = [_ends(lines[n]) for n in ordered]
    taken = -1
    for seed, own in enumerate(ends):
        if seed <= taken or own is None or own.letters[-1] < LETTERS:
            continue
        pitch = own.pitch
        if not own.fit(pitch):
            continue
        run = [seed]
        for at in range(seed + 1, len(ordered)):
            if not _is_near(lines[ordered[run[-1]]], lines[ordered[at]]):
                break
            other = ends[at]
            if other is not None and other.fit(pitch):
                run.append(at)
        places = [ordered[at] for at in range(run[0], run[-1] + 1)]
        word_ends = sum(len(each.letters) - 2 for at in run if (each := ends[at]))
        sure = len(run) >= max(LINES, FITTING * len(places)) and word_ends >= LEAST_ENDS
        if sure and _has_signs([lines[n].text for n in places]):
            taken = run[-1]
            yield places


def _ends(line: Line) -> _Ends | None:
    """Of a line in narrow letters that is no item; None where a word's place is not known."""
    if not line.words or not _NARROW.fullmatch(line.text) or _BULLET.match(line.text):
        return None
    letters, pixels, at = list[int](), list[float](), 0
    start = line.words[0].polygon[0]
    for word in line.words:
        at = line.text.find(word.text, at)
        if at < 0:
            return None
        letters += [at, at + len(word.text)]
        pixels += [math.dist(start, word.polygon[side]) for side in (0, 1)]
        at += len(word.text)
    return _Ends(tuple(letters), tuple(pixels))


def _is_near(line: Line, below: Line) -> bool:
    """Whether lines of about one height stand right below one another."""
    (_, top), _, _, (_, low) = line.polygon[:4]
    (_, other), _, _, (_, end) = below.polygon[:4]
    short, tall = sorted((low - top, end - other))
    return tall <= ALIKE * short and short / 2 < other - top and other - low < NEAR * tall


def _has_signs(texts: Sequence[str]) -> bool:
    """Whether lines have letters, and more signs than prose has."""
    text = "".join(texts)
    letters = sum(map(str.isalpha, text))
    return 2 * letters > len(text) and len(_SIGN.findall(text)) >= SIGNS * len(text)


def _as_code(line: Line) -> Line:
    style = TextStyle(kind="code", start=0, end=len(line.text))
    return msgspec.structs.replace(line, styles=(*line.styles, style))
