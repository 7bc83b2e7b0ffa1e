"""Accents that a PDF sets as characters of their own, over or under their letters."""

from __future__ import annotations

import pytest

from pagetide.geometry import Box
from pagetide.inputs.text.lines import NEW_LINE
from pagetide.inputs.text.typesetting import as_written, with_accents

WIDTH, HEIGHT = 6.0, 10.0


def boxes(characters: str, over: dict[int, int]) -> list[Box]:
    """Letters side by side; accents over the letters at these indexes, taking no room."""
    found, x = list[Box](), 0.0
    for at, _ in enumerate(characters):
        found.append((x, 0.0, x + WIDTH, HEIGHT))
        x += 0.0 if at in over else WIDTH
    for accent, letter in over.items():
        x0 = found[letter][0]
        found[accent] = (x0 + 1, 0.0, x0 + WIDTH - 1, HEIGHT)
    return found


def composed(characters: str, over: dict[int, int]) -> str:
    return with_accents(characters, boxes(characters, over).__getitem__)


@pytest.mark.parametrize(
    ("characters", "over", "text"),
    [
        ("B¨orsch", {1: 2}, "Börsch"),
        ("Seppa¨la", {5: 4}, "Seppäla"),
        ("na¨ıve", {2: 3}, "naïve"),
        ("A˚ lesund", {1: 0}, "Å lesund"),
        ("s¸ekli", {1: 0}, "şekli"),
    ],
)
def test_an_accent_is_part_of_the_letter_that_it_stands_over(
    characters: str, over: dict[int, int], text: str
) -> None:
    words = [(composed(characters, over), (0.0, 0.0, 1.0, 1.0), NEW_LINE, 0.0)]
    [(written, *_)] = as_written(words)
    assert " ".join(written.split()) == text


def test_an_accent_that_comes_later_goes_to_its_letter() -> None:
    assert composed("Tomas Hercig ˇ", {13: 4}).split() == ["Tomaš", "Hercig"]


@pytest.mark.parametrize("characters", ["a ´ b", "x^2", "`code`", "5˚C"])
def test_an_accent_beside_letters_stays(characters: str) -> None:
    assert composed(characters, {}) == characters
