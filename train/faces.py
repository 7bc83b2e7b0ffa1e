"""The faces that lines are drawn in, and the pieces of a word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import ImageFont

Face = ImageFont.FreeTypeFont
SMALLEST = 6  # pixels: smaller letters are no letters


@dataclass(frozen=True)
class Piece:
    """A part of a word, in one face.

    Attributes:
        shown: The signs drawn.
        text: Its label.
        rise: Pixels above the line's base.
        gap: Pixels before it.
    """

    shown: str
    text: str
    face: Face
    rise: float = 0.0
    gap: float = 0.0

    @property
    def wide(self) -> float:
        """Pixels, the gap before it included."""
        return self.gap + self.face.getlength(self.shown)


Word = Sequence[Piece]


class Faces:
    """The fonts of a folder, each opened in each size when first used."""

    def __init__(self, folder: Path, only: str = "") -> None:
        """The files' names begin with their weights, as `train.fonts` names them.

        Args:
            folder: With font files alone.
            only: What the names of the files to use contain, a regular expression.
        """
        self._paths = [path for path in sorted(folder.iterdir()) if re.search(only, path.name)]
        weights = np.array([float(path.name.split("-")[0]) for path in self._paths])
        self._until = np.cumsum(weights / weights.sum())
        self._opened: dict[tuple[int, int], Face] = {}
        self._held: dict[int, frozenset[str]] = {}

    def any(self, chance: np.random.Generator) -> int:
        """The number of a font."""
        place = np.searchsorted(self._until, chance.random())
        return int(min(place, len(self._paths) - 1))

    def sized(self, place: int, size: int) -> Face:
        """A font in a size in pixels."""
        if (place, size) not in self._opened:
            self._opened[place, size] = ImageFont.truetype(
                str(self._paths[place]), size, layout_engine=ImageFont.Layout.BASIC
            )
        return self._opened[place, size]

    def held(self, place: int) -> frozenset[str]:
        """The signs that a font has."""
        if place not in self._held:
            self._held[place] = _signs(self._paths[place])
        return self._held[place]

    def pick(self, chance: np.random.Generator, size: int) -> tuple[Face, frozenset[str]]:
        """A font of a size in pixels, and its signs."""
        place = self.any(chance)
        return self.sized(place, size), self.held(place)


def _signs(path: Path) -> frozenset[str]:
    from fontTools.ttLib import TTFont

    return frozenset(map(chr, TTFont(path, lazy=True).getBestCmap() or {}))
