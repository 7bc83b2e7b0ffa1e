"""Large initials belong to the first word of the paragraph that they begin."""

from __future__ import annotations

import pytest

from pagetide.inputs.text.lines import NEW_LINE, SPACE, PlacedWord, lines_of

UPRIGHT = (1.0, 0.0, 0.0, -1.0, 0.0, 800.0)


def _row(text: str, left: float, low: float, height: float = 12) -> list[PlacedWord]:
    words: list[PlacedWord] = []
    for word in text.split():
        right = left + height / 2 * len(word)
        joint = SPACE if words else NEW_LINE
        words.append((word, (left, low, right, low + height), joint, 0.0))
        left = right + 4
    return words


def _read(
    initial: str, first: str, *, rows: int = 3, height: float = 44, apart: bool = True
) -> list[str]:
    words = _row(initial, 50, 746 - height + 12, height)
    left = words[-1][1][2] + 4
    words += _row("A title of the council", 50, 772) if apart else []
    texts = [first, "of tension the council", "meets tonight to discuss", "a single item"]
    for place, text in enumerate(texts):
        words += _row(text, left if place < rows else 50, 746 - 14 * place)
    return [line.text for line in lines_of(words, UPRIGHT)]


@pytest.mark.parametrize(
    ("initial", "first", "begun"),
    [
        ("I", "n an atmosphere", "In an atmosphere"),
        ("«I", "n an atmosphere", "«In an atmosphere"),
        ("S", "he was of the council", "She was of the council"),
        ("A", "council of the island", "A council of the island"),
        ("Σ", "ε κλίμα έντασης", "Σε κλίμα έντασης"),
    ],
)
def test_an_initial_begins_the_word_beside_it(initial: str, first: str, begun: str) -> None:
    title, *rows = _read(initial, first)
    assert (title, rows[0], len(rows)) == ("A title of the council", begun, 4)


def test_an_initial_may_be_right_before_its_row() -> None:
    rows = _read("I", "n an atmosphere", apart=False)
    assert (rows[0], len(rows)) == ("In an atmosphere", 4)


def test_an_initial_does_not_make_its_row_taller() -> None:
    words = _row("I", 50, 714, 44) + _row("n an", 76, 746) + _row("of tension", 76, 732)
    first, second = lines_of(words, UPRIGHT)
    tops = [line.polygon[2][1] - line.polygon[0][1] for line in (first, second)]
    assert tops[0] == tops[1]
    assert first.polygon[0][0] == 50


def test_a_letter_beside_one_row_is_a_letter() -> None:
    assert "I" in _read("I", "n an atmosphere", rows=1)
    assert "I" in _read("I", "n an atmosphere", height=14)
