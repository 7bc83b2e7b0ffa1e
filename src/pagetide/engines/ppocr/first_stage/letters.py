"""From the first stage's frames to letters, and how sure each of them is.

A letter is sure where it is there and no other may stand in its place. Its labelling (see
`decode`) often halves a letter between two frames, so that each alone looks doubtful: what
counts is what the frames around it give to it together, and what the best of them gives to the
second letter, unless that is the neighbour it touches.
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
    end = first + _run_lengths(line, first) - 1
    sure[first] = _presence(classes, shares, line, first, end) * _alone(
        classes, shares, line, first, same
    )
    sure[first[line[first] == unknown]] = 0
    missed = _missed(blank, first, end)
    for frame in np.flatnonzero(missed > 0):
        near = first[np.abs(first - frame).argmin()]
        sure[near] = min(sure[near], 1 - missed[frame])
    _doubt_beside_spaces(sure, first, line)
    return line, sure


def _run_lengths(line: Classes, first: NDArray[np.intp]) -> NDArray[np.intp]:
    """In how many frames in a row each letter stands."""
    changes = np.flatnonzero(np.diff(line)) + 1
    edges = np.append(changes, len(line))
    return np.asarray(edges[np.searchsorted(edges, first, side="right")] - first)


def _presence(
    classes: Classes, shares: Shares, line: Classes, first: NDArray[np.intp],
    end: NDArray[np.intp],
) -> Shares:  # fmt: skip
    """What the frames of each letter, and one on either side, give to it together."""
    sums = np.concatenate(([0.0], np.cumsum(shares[:, 0])))
    inside = sums[end + 1] - sums[first]
    letters = line[first]
    for frames, valid in ((first - 1, first > 0), (end + 1, end + 1 < len(line))):
        place = np.clip(frames, 0, len(line) - 1)
        given = np.where(classes[place] == letters[:, None], shares[place], 0).sum(axis=1)
        inside = inside + np.where(valid, given, 0)
    return np.asarray(np.minimum(inside, 1.0), np.float32)


def _alone(
    classes: Classes, shares: Shares, line: Classes, first: NDArray[np.intp],
    same: NDArray[np.int32],
) -> Shares:  # fmt: skip
    """Each letter's share at its best frame, against the second letter there."""
    best, second = same[classes[:, 0]], same[classes[:, 1]]
    beside = np.concatenate(([-1], best[:-1])), np.concatenate((best[1:], [-1]))
    is_rival = (second != beside[0]) & (second != beside[1]) & (second != best)
    rival = np.where(is_rival, shares[:, 1], 0)
    alone = shares[:, 0] / (shares[:, 0] + rival + 1e-9)
    inside = np.where(line != BLANK, shares[:, 0], -1)
    letter = np.zeros(len(line), np.intp)
    letter[first] = 1
    letter = np.cumsum(letter) - 1
    order = np.lexsort((inside, letter))
    last = np.searchsorted(letter[order], np.arange(len(first)), side="right") - 1
    return np.asarray(alone[order[last]], np.float32)


def _missed(blank: Shares, first: NDArray[np.intp], end: NDArray[np.intp]) -> Shares:
    """How likely some letter stands at each frame that no letter was read in or beside."""
    covered = np.zeros(len(blank) + 1, np.intp)
    np.add.at(covered, np.maximum(first - 1, 0), 1)
    np.add.at(covered, np.minimum(end + 2, len(blank)), -1)
    return np.where(np.cumsum(covered)[:-1] > 0, 0, 1 - blank).astype(np.float32)


def _doubt_beside_spaces(sure: Shares, first: NDArray[np.intp], line: Classes) -> None:
    """Where it is doubtful that words part, both of them are."""
    for i in np.flatnonzero(line[first] == SPACE):
        for near in first[max(i - 1, 0) : i + 2]:
            sure[near] = min(sure[near], sure[first[i]])
