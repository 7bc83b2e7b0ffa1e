"""From the recogniser's frames to text and words.

The recogniser gives one class per *frame*, 8 pixels of a 48-pixel-high line. A class that
stands in several frames in a row is one character; blank frames part equal characters
(connectionist temporal classification, Graves et al. 2006, greedy decoding).
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.pixels.ink import upper_median
from pagetide.engines.ppocr.lines.crops import FRAME, Crop
from pagetide.engines.ppocr.lines.gaps import missing_spaces

BLANK = 0
LETTER = 32  # pixels: so far from a letter's middle its ink may reach
LEAST_INK = 5  # pixels of a column; a rule under the text and dots have fewer
INK = 0.25  # of a line's strongest contrast: a column with less is empty


@dataclass(frozen=True, kw_only=True)
class ReadWord:
    """A word and where it lies: `start` and `end` are 0–1 along the line.

    Attributes:
        confidence: The mean of its letters', 0–1.
        least: The least of its letters', 0–1.
    """

    text: str
    confidence: float
    least: float
    start: float
    end: float


@dataclass(frozen=True, kw_only=True)
class ReadLine:
    """A line as it was read.

    Attributes:
        confidence: The mean of its characters', 0–1.
        unread: The share of its ink that no character stands near, 0–1: of text that the
            network knows none, or next to none.
    """

    text: str = ""
    confidence: float = 0.0
    words: tuple[ReadWord, ...] = ()
    unread: float = 0.0


def decode(
    classes: NDArray[np.integer],
    confidences: NDArray[np.float32],
    characters: tuple[str, ...],
    crop: Crop,
) -> ReadLine:
    """Read one line.

    Args:
        classes: The best class of each frame; places in `characters`.
        confidences: Its probability, 0–1.
        characters: What each class stands for; the first is the blank.
        crop: The line's picture: the frames past its end are padding.
    """
    frames = min(len(classes), -(-crop.shape[1] // FRAME))
    classes, confidences = classes[:frames], confidences[:frames]
    fresh = np.flatnonzero(
        (classes != BLANK) & (classes != np.concatenate(([BLANK], classes[:-1])))
    )
    letters = [characters[c] for c in classes[fresh]]
    start, end = _stripped("".join(letters))
    if start == end:
        return ReadLine(unread=_unread(crop, fresh[:0]))
    kept = slice(start, end)
    ink = _ink(crop)
    placed = _Letters(letters[kept], fresh[kept], confidences[fresh[kept]])
    spaced = placed.with_spaces(missing_spaces(placed.texts, placed.frames, ink))
    return ReadLine(
        unread=_unread(crop, fresh[kept]),
        text="".join(spaced.texts),
        confidence=float(confidences[fresh].mean()),
        words=_words(spaced, ink),
    )


@dataclass(frozen=True)
class _Letters:
    """The letters of a line, spaces among them: their frames and confidences."""

    texts: list[str]
    frames: NDArray[np.intp]
    confidences: NDArray[np.float32]

    def with_spaces(self, places: Sequence[int]) -> _Letters:
        """The same with a space before each of these places."""
        if not places:
            return self
        texts = list(self.texts)
        for place in reversed(places):
            texts.insert(place, " ")
        return _Letters(
            texts,
            np.insert(self.frames, places, self.frames[places]),
            np.insert(self.confidences, places, self.confidences[places]),
        )


def _unread(crop: Crop, frames: NDArray[np.intp]) -> float:
    """The share of a line's ink that stands near none of the letters' frames.

    Ink counts where a column holds as much of it as letters have: rules and leaders do not.
    """
    green = crop[6:-6, :, 1].astype(np.int16)
    depth = np.abs(green - upper_median(green[::3, ::4].ravel()))
    inked = np.flatnonzero((depth > INK * max(float(depth.max()), 1)).sum(axis=0) >= LEAST_INK)
    if not inked.size:
        return 0.0
    if not frames.size:
        return 1.0
    middles = (frames + 0.5) * FRAME
    after = np.searchsorted(middles, inked)
    left = inked - middles[np.maximum(after - 1, 0)]
    right = middles[np.minimum(after, len(middles) - 1)] - inked
    away = np.where(
        after == 0, right, np.where(after == len(middles), left, np.minimum(left, right))
    )
    return float((away > LETTER).mean())


def _stripped(text: str) -> tuple[int, int]:
    start = len(text) - len(text.lstrip())
    return start, max(start, len(text.rstrip()))


def stands_alone(character: str) -> bool:
    """Whether the character is of a script that writes no spaces: a word of its own."""
    return is_wide(character) and character.isalpha()


def is_wide(character: str) -> bool:
    """Whether the character takes as much room as it is high."""
    return unicodedata.east_asian_width(character) in "WF"


def _words(letters: _Letters, ink: NDArray[np.bool_]) -> tuple[ReadWord, ...]:
    groups, width = _groups(letters.texts), len(ink)
    middles = _middles(letters.frames, width)
    edges = [_first_ink(ink, middles[0])]
    for (_, end), (start, _) in itertools.pairwise(groups):
        edges += _gap(ink, middles[end - 1], middles[start])
    edges.append(_last_ink(ink, middles[-1]))
    sure = letters.confidences.tolist()
    return tuple(
        ReadWord(
            text="".join(letters.texts[start:end]),
            confidence=sum(sure[start:end]) / (end - start),
            least=min(sure[start:end]),
            start=float(edges[2 * i] / width),
            end=float(edges[2 * i + 1] / width),
        )
        for i, (start, end) in enumerate(groups)
    )


def _middles(frames: NDArray[np.intp], width: int) -> NDArray[np.intp]:
    """The columns of the middles of frames."""
    return np.asarray(np.minimum((frames + 0.5) * FRAME, width - 1), np.intp)


def _groups(letters: list[str]) -> list[tuple[int, int]]:
    """Runs of letters that are one word: (first, past the last)."""
    groups: list[tuple[int, int]] = []
    joins = False
    for i, letter in enumerate(letters):
        if letter.isspace():
            joins = False
            continue
        alone = stands_alone(letter)
        if joins and not alone:
            groups[-1] = (groups[-1][0], i + 1)
        else:
            groups.append((i, i + 1))
        joins = not alone
    return groups


def _ink(crop: Crop) -> NDArray[np.bool_]:
    """Which columns of the line hold ink; the top and bottom rows may hold a rule."""
    green = crop[6:-6, :, 1]
    contrast = green.max(axis=0).astype(np.int16) - green.min(axis=0)
    return np.asarray(contrast > INK * max(int(contrast.max()), 1))


def _gap(ink: NDArray[np.bool_], left: int, right: int) -> list[int]:
    """Where one word ends and the next begins: the widest empty run between two letters."""
    between = ink[left : right + 1]
    bounds = np.flatnonzero(np.diff(np.concatenate(([True], between, [True])).astype(np.int8)))
    if bounds.size == 0:
        middle = (left + right) // 2
        return [middle, middle]
    starts, ends = bounds[::2], bounds[1::2]
    widest = int(np.argmax(ends - starts))
    return [left + int(starts[widest]), left + int(ends[widest])]


def _first_ink(ink: NDArray[np.bool_], letter: int) -> int:
    columns = np.flatnonzero(ink[: letter + 1])
    return int(columns[0]) if columns.size else 0


def _last_ink(ink: NDArray[np.bool_], letter: int) -> int:
    columns = np.flatnonzero(ink[letter:])
    return letter + int(columns[-1]) + 1 if columns.size else len(ink)
