"""Rows that a narrow, justified column spreads are lines; a table's rows are not."""

from __future__ import annotations

from pagetide.inputs.text.lines import NEW_LINE, SPACE, PlacedWord
from pagetide.inputs.text.spread_rows import MOST_BETWEEN, spread_rows_joined


def _row(y: float, *words: tuple[str, float, float]) -> list[list[PlacedWord]]:
    """Each word a line of its own, from left to right, 10 points high."""
    return [[(text, (x0, y, x1, y + 10), NEW_LINE, 0)] for text, x0, x1 in words]


ABOVE = _row(112, ("an important feature of French", 0, 130))
SPREAD = _row(100, ("gan", 0, 15), ("moving", 38, 68), ("into", 91, 107), ("others", 129, 130))
BELOW = _row(88, ("countries, in", 0, 100))  # one word to the tests
LAST = _row(76, ("and so on", 0, 40))


def texts(runs: list[list[PlacedWord]]) -> list[list[str]]:
    return [[word[0] for word in run] for run in runs]


def test_a_spread_row_is_one_line() -> None:
    joined = spread_rows_joined([*ABOVE, *SPREAD, *BELOW, *LAST])
    assert texts(joined)[1] == ["gan", "moving", "into", "others"]
    assert [word[2] for word in joined[1]] == [NEW_LINE, SPACE, SPACE, SPACE]
    assert len(joined) == 4


def test_the_row_before_may_begin_a_paragraph() -> None:
    runs = [*_row(112, ("a feature of French", 15, 130)), *SPREAD, *BELOW, *LAST]
    assert len(spread_rows_joined(runs)) == 4


def test_a_table_stays_as_it_is() -> None:
    rows = [*ABOVE]
    for y in (100, 88, 76):
        rows += _row(y, ("1", 0, 10), ("2", 60, 70), ("3", 120, 130))
    assert spread_rows_joined([*rows, *LAST]) == [*rows, *LAST]


def test_columns_beside_a_sentence_stay_apart() -> None:
    uneven = _row(100, ("Total", 0, 30), ("of all", 45, 60), ("12.00", 110, 130))
    short = _row(100, ("gan", 0, 15), ("moving", 38, 68), ("into", 91, 107))
    far = _row(60, ("countries in the early", 0, 100))
    for runs in (
        [*ABOVE, *uneven, *BELOW, *LAST],
        [*ABOVE, *short, *BELOW, *LAST],
        [*ABOVE, *SPREAD, *far, *LAST],
        [*SPREAD, *BELOW, *LAST],
        [*ABOVE, *SPREAD],
    ):
        assert spread_rows_joined(runs) == runs


def test_a_row_with_room_for_the_next_word_was_not_spread() -> None:
    above, last = _row(112, ("a sentence of the form", 0, 200)), _row(76, ("and", 0, 20))
    below = _row(88, ("as", 0, 12))
    for row in (
        [("Total amount due in June", 0, 110), ("120.00", 165, 200)],
        [("Place, date", 0, 70), ("Signature", 120, 200)],
        [("Item", 0, 40), ("Qty", 85, 120), ("Price", 165, 200)],
    ):
        runs = [*above, *_row(100, *row), *below, *last]
        assert spread_rows_joined(runs) == runs


def test_a_turned_line_beside_is_another() -> None:
    turned: list[PlacedWord] = [(text, box, joint, 90) for text, box, joint, _ in SPREAD[0]]
    runs = [*ABOVE, turned, *SPREAD[1:], *BELOW, *LAST]
    assert spread_rows_joined(runs) == runs


def test_a_first_row_is_told_by_the_row_below_it() -> None:
    """Above it the column is wider, as beside a picture that begins there."""
    wide = _row(112, ("as wide as the column was", 0, 300))
    whole, last = _row(88, ("countries, in the early", 0, 130)), _row(76, ("and so on", 0, 40))
    runs = [*wide, *SPREAD, *whole, *last]
    assert texts(spread_rows_joined(runs))[1] == ["gan", "moving", "into", "others"]


def test_rows_of_other_columns_may_stand_between() -> None:
    other = _row(101, ("a quotation", 200, 290))
    runs = [*ABOVE, *SPREAD, *other, *BELOW, *LAST]
    assert texts(spread_rows_joined(runs))[1] == ["gan", "moving", "into", "others"]


def test_a_page_of_words_at_one_height_is_looked_through_in_a_bounded_way() -> None:
    """Each row looks at a few of the next: not at all twenty thousand beside it."""
    looked = 0

    class Counted(float):
        def __lt__(self, other: float) -> bool:
            nonlocal looked
            looked += 1
            return float.__lt__(self, other)

    count = 2000
    level: list[list[PlacedWord]] = [
        [("w", (100.0 * n, Counted(100), 100.0 * n + 9, 110), NEW_LINE, 0)]
        for n in range(count)
    ]
    spread_rows_joined([*level, *ABOVE, *SPREAD, *BELOW, *LAST])
    assert looked < 3 * MOST_BETWEEN * count


def test_two_spread_rows_may_end_in_the_same_word() -> None:
    first = _row(100, ("single", 0, 32), ("item,", 54, 91), ("the", 113, 130))
    second = _row(88, ("extension", 0, 50), ("of", 74, 90), ("the", 114, 130))
    below = _row(76, ("commercial harbour, in", 0, 130))
    runs = spread_rows_joined([*ABOVE, *first, *second, *below, *LAST])
    assert texts(runs)[1:3] == [["single", "item,", "the"], ["extension", "of", "the"]]


def test_a_word_may_be_an_invisible_hyphen() -> None:
    spread = _row(100, ("gan", 0, 15), ("moving", 38, 68), ("", 91, 107), ("others", 129, 130))
    assert len(spread_rows_joined([*ABOVE, *spread, *BELOW, *LAST])) == 4


def test_the_width_of_spaces_decides_nothing() -> None:
    """The next word is as wide as all the room there is, with spaces as wide as usual."""
    row = [("moving", 0, 35), ("into", 52, 75), ("other", 92, 120)]
    below = _row(88, ("countries", 0, 25.5))
    whole = _row(112, ("an important feature of", 0, 120))
    runs = [*whole, *_row(100, *row), *below, *LAST]
    assert texts(spread_rows_joined(runs))[1] == ["moving", "into", "other"]


def test_the_next_word_may_be_longer_than_the_column_is_wide() -> None:
    row = _row(100, ("Web", 0, 20), ("server", 58, 88), ("at", 122, 130))
    address = _row(88, ("www.ndgc.noaa.gov/stp/stp.html.", 0, 150))
    runs = [*ABOVE, *row, *address, *LAST]
    assert texts(spread_rows_joined(runs))[1] == ["Web", "server", "at"]
    two = [[*address[0], ("Notes", (155, 88, 180, 98), SPACE, 0.0)]]
    assert spread_rows_joined(runs := [*ABOVE, *row, *two, *LAST]) == runs
