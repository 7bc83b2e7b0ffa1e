"""Spaces that the network leaves out, seen in the gaps that the picture has.

The network writes most spaces itself. Where it writes none, the columns without ink between
two letters decide: a gap as wide as those that it takes for spaces in the same line is one too.
Of 13,402 spaces of 51 printed pages the network left out 88; this gives 32 of them back and
adds none at 71,859 places without one. Of 10,656 on 38 pages of other documents it gives back
11 of 43, and adds one at 55,774 places.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median  # of a line's few gaps: NumPy's takes ten times as long
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.ppocr.lines.crops import FRAME

LIKE_SPACE = 0.9  # of the line's typical space
WIDER = 8.0  # pixels, of a line 48 high: more than between letters
ALONE = 12.0  # pixels: the least space where the line has none to be held against
ADVANCE = 0.5  # of the way from letter to letter: what a space adds to their gap, at least

_REACH = 3  # pairs of letters that a run without ink can touch
_OPENING = frozenset("'\"-/@_")
_CLOSING_BUT = frozenset("&#@*/")


def missing_spaces(
    letters: Sequence[str], frames: NDArray[np.intp], ink: NDArray[np.bool_]
) -> list[int]:
    """The places of the letters that a space is missing before.

    Args:
        letters: What was read, spaces among it.
        frames: Where.
        ink: Which columns of the line's picture hold ink.
    """
    shown = np.flatnonzero([not letter.isspace() for letter in letters])
    if len(shown) < 3:
        return []
    middles = np.asarray((frames[shown] + 0.5) * FRAME, np.float64)
    gaps, steps = _gaps(middles, ink), np.diff(middles)
    spaced = np.diff(shown) > 1
    if spaced.all():
        return []
    typical = median(gaps[~spaced].tolist())
    if spaced.any():
        least = max(LIKE_SPACE * median(gaps[spaced].tolist()), typical + WIDER)
    else:
        least = max(ALONE, typical + ADVANCE * median(steps.tolist()))
    wide = np.flatnonzero(~spaced & (gaps >= least))
    pairs = ((letters[shown[place]], letters[shown[place + 1]], place) for place in wide)
    return [int(shown[place + 1]) for left, right, place in pairs if may_part(left, right)]


def _gaps(middles: NDArray[np.float64], ink: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The widest run of columns without ink between the middles of each two letters."""
    edges = np.flatnonzero(np.diff(np.concatenate(([True], ink, [True])).astype(np.int8)))
    gaps = np.zeros(len(middles) - 1)
    # A run that reaches over a letter's middle, its frame being off, counts on both sides.
    starts, ends = edges[::2], edges[1::2]
    first = np.searchsorted(middles, starts, side="right") - 1
    for reach in range(_REACH):
        pair = first + reach
        inside = (pair >= 0) & (pair < len(gaps))
        pair, start, end = pair[inside], starts[inside], ends[inside]
        widths = np.minimum(end, middles[pair + 1]) - np.maximum(start, middles[pair])
        np.maximum.at(gaps, pair, widths)
    return gaps


def may_part(left: str, right: str) -> bool:
    """Whether a space between two letters is a matter of gaps alone.

    In scripts with words and spaces it is, but for marks that stand close to their words and
    for the figures of a number.
    """
    before, after = category(left), category(right)
    if left.isdigit() and right.isdigit():
        return False
    if after in ("Pe", "Pf", "Pd", "Po") and right not in _CLOSING_BUT:
        return False
    if before in ("Ps", "Pi") or left in _OPENING or (left == "." and not right.isupper()):
        return False
    return _is_spaced(before) and _is_spaced(after)


def _is_spaced(kind: str) -> bool:
    """Whether letters of a category are of scripts that set words apart by gaps alone.

    Chinese writes no spaces, and Arabic has gaps within words; neither has letter case.
    """
    return kind in ("Ll", "Lu", "Lt", "Nd") or kind[0] in "PS"
