"""Formulas as words: their marks in the alphabets and sizes of mathematics."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from train.faces import SMALLEST, Face, Faces, Piece, Word
from train.formulas import ITALIC, Mark
from train.letters import CLASSES
from train.signs import shown

ITALICS = r"(?i)ital|obliq|-it\.|ti\d*\.|-ri?i\."
SMALL = 0.7  # of the letters' height: an index, a power
RAISED, LOWERED = 0.36, -0.16


@dataclass(frozen=True)
class _Set:
    """The faces of a formula: fonts, and the number of one in each."""

    text: tuple[Faces, int]
    italic: tuple[Faces, int]
    signs: tuple[Faces, int]

    def of(self, mark: Mark) -> list[tuple[str, tuple[Faces, int]]]:
        """What a mark shows, and candidates for its face, the best first."""
        special = "".join(shown(letter, mark.style) for letter in mark.text)
        if self.signs is self.italic:
            return [(special, self.signs), (mark.text, self.signs), (mark.text, self.text)]
        face = self.italic if mark.style == ITALIC else self.text
        return [(mark.text, face), (special, self.signs), (mark.text, self.signs)]


class Formulas:
    """Draws formulas as words."""

    def __init__(self, data: Path) -> None:
        """Use the fonts in `math/` and the italics of `latin/` of a folder."""
        self._math, self._italics = Faces(data / "math"), Faces(data / "latin", ITALICS)

    def word(
        self, marks: list[Mark], chance: np.random.Generator, text: tuple[Faces, int], size: int
    ) -> Word:
        """The pieces of a formula; empty where no face has all its signs.

        Args:
            marks: The formula.
            chance: Chooses the faces.
            text: The fonts of the text beside it, and the number of its own.
            size: In pixels.
        """
        signs = (self._math, self._math.any(chance))
        italic = signs if chance.random() < 0.7 else (self._italics, self._italics.any(chance))
        faces = _Set(signs if chance.random() < 0.6 else text, italic, signs)
        low = size * LOWERED * chance.uniform(0.8, 1.5)
        high = size * RAISED * chance.uniform(0.85, 1.2)
        small = max(SMALLEST, round(size * SMALL * chance.uniform(0.9, 1.12)))
        pieces = []
        for mark in marks:
            found = _face(faces, mark)
            if found is None:
                return []
            signs_shown, (fonts, place) = found
            rise = {1: high, 0: 0.0, -1: low}[mark.level]
            face: Face = fonts.sized(place, size if mark.level == 0 else small)
            label = (" " if mark.spaced else "") + mark.text
            pieces.append(Piece(signs_shown, label, face, rise, mark.gap * size))
        return pieces


def _face(faces: _Set, mark: Mark) -> tuple[str, tuple[Faces, int]] | None:
    if not all(letter in CLASSES for letter in mark.text):
        return None
    for signs, (fonts, place) in faces.of(mark):
        if set(signs) <= fonts.held(place):
            return signs, (fonts, place)
    return None
