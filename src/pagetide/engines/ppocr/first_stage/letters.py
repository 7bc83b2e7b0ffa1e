"""From the first stage's frames to letters, and how sure each of them is.

A letter is sure where it is there and no other may stand in its place or beside it. Its
labelling (see `decode`) often halves a letter between two frames, so that each alone looks
doubtful: what counts is what the frames around it give to it together, and what each of them
gives to letters that are neither it nor its neighbours. The same in the frames between two
letters is a letter, or a space, that may have been missed.

Of drawn lines' words that are sure by this, 65 % of the letters, 0.5 % are wrong; by the
second letter in each letter's best frame alone it would be 0.8 %.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.ppocr.lines.decode import BLANK

UNKNOWN = "\ufffd"
"""What the network calls every sign that it does not know."""

SPACE = 1  # its class: the first letter of the network's list

# One printed sign has many codes: which of them is meant, a better network knows no better.
_ALIKE = ("'’‘‚´`", '"“”„', "-–—−")

Classes = NDArray[np.int32]
Shares = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class FirstFrames:
    """What the first stage says of a batch.

    Attributes:
        blank: Lines × frames: the probability that no letter stands there, 0–1.
        classes: Lines × frames × 2: the two likeliest letters.
        shares: Their probabilities, 0–1.
    """

    blank: Shares
    classes: Classes
    shares: Shares


@functools.cache
def alike(characters: tuple[str, ...]) -> NDArray[np.int32]:
    """A number for each class; those that are one sign with many codes have the same."""
    groups = {sign: signs[0] for signs in _ALIKE for sign in signs}
    first = {sign: number for number, sign in enumerate(characters)}
    return np.array([first.get(groups.get(c, c), 0) for c in characters], np.int32)


def collapsed(
    blank: Shares, classes: Classes, shares: Shares, same: NDArray[np.int32], unknown: int
) -> tuple[Classes, Shares]:
    """The class of each frame, and at the first of each letter how sure it is, 0–1.

    Args:
        blank: Of one line, by frame.
        classes: Frames × 2.
        shares: Frames × 2.
        same: See `alike`.
        unknown: The class of signs that the network does not know: never sure.
    """
    best, share = classes[:, 0], shares[:, 0]
    line = np.where(share > blank, best, BLANK).astype(np.int32)
    before = np.concatenate(([BLANK], line[:-1]))
    first = np.flatnonzero((line != BLANK) & (line != before))
    sure = np.zeros(len(line), np.float32)
    if not first.size:
        return line, sure
    signs, letters = same[classes], same[line]
    shares = _together(signs, shares)
    there = _presence(signs, shares, letters, first)
    rivals = _rivals(signs, shares, letters, first)
    sure[first] = np.where(line[first] == unknown, 0, np.minimum(there, 1 - rivals))
    _doubt_beside_spaces(sure, first, line)
    return line, sure


def _together(signs: Classes, shares: Shares) -> Shares:
    """The shares, those of one sign with two codes added to the first of them."""
    is_one = signs[:, 0] == signs[:, 1]
    both = np.stack([shares.sum(axis=1), np.zeros(len(shares))], axis=1)
    return np.where(is_one[:, None], both, shares).astype(np.float32)


def _presence(
    classes: Classes, shares: Shares, line: Classes, first: NDArray[np.intp]
) -> Shares:
    """What the frames of each letter, and one on either side, give to it together."""
    end = _ends(line, first)
    sums = np.concatenate(([0.0], np.cumsum(shares[:, 0])))
    inside = sums[end + 1] - sums[first]
    letters = line[first]
    for frames, valid in ((first - 1, first > 0), (end + 1, end + 1 < len(line))):
        place = np.clip(frames, 0, len(line) - 1)
        given = np.where(classes[place] == letters[:, None], shares[place], 0).sum(axis=1)
        inside = inside + np.where(valid, given, 0)
    return np.asarray(np.minimum(inside, 1.0), np.float32)


def _ends(line: Classes, first: NDArray[np.intp]) -> NDArray[np.intp]:
    """The last frame in a row of each letter."""
    edges = np.append(np.flatnonzero(np.diff(line)), len(line) - 1)
    return np.asarray(edges[np.searchsorted(edges, first)])


def _rivals(classes: Classes, shares: Shares, line: Classes, first: NDArray[np.intp]) -> Shares:
    """For each letter the most that a frame of it, or beside it, gives to other letters.

    What the frame gives to the letters next to it in the line does not count.
    """
    letters = np.concatenate(([-1], line[first], [-1]))
    own = np.searchsorted(first, np.arange(len(line)), side="right")
    is_between = line == BLANK
    near = (letters[own], letters[own + 1], letters[np.where(is_between, own, own - 1)])
    is_rival = np.all([classes != letter[:, None] for letter in near], axis=0)
    given = np.where(is_rival, shares, 0).sum(axis=1)
    most = np.zeros(len(letters), np.float32)
    np.maximum.at(most, own, given)
    np.maximum.at(most, own[is_between] + 1, given[is_between])
    return most[1:-1]


def _doubt_beside_spaces(sure: Shares, first: NDArray[np.intp], line: Classes) -> None:
    """Where it is doubtful that words part, both of them are."""
    for i in np.flatnonzero(line[first] == SPACE):
        for near in first[max(i - 1, 0) : i + 2]:
            sure[near] = min(sure[near], sure[first[i]])
