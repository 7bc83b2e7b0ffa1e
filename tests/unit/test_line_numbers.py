"""Numbers beside the lines of a text are furniture; those of items are not."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from pagetide.document import Block, Line, Word
from pagetide.geometry import polygon_of
from pagetide.structure import structure

WIDTH, HEIGHT, STEP = 1200, 1600, 25
PROSE = (
    "Winter is a frequent cause of loss in shallow lakes,",
    "yet continuous observations under ice remain rare, and",
    "nobody had placed sensors there before. Snow, in turn,",
    "takes away most of the light that is left below it so",
    "that a lake becomes a sink within a few days of snow.",
)


def _line(text: str, left: float, top: float) -> Line:
    return Line(text=text, polygon=polygon_of((left, top, left + 10 * len(text), top + 20)))


def _numbers(first: int, count: int, right: float, step: int = 1) -> list[Line]:
    """Numbers that end at one position, one for every `step` lines."""
    found = []
    for place in range(0, count, step):
        text = str(first + place)
        found.append(_line(text, right - 10 * len(text), 100 + STEP * place))
    return found


def _texts(rows: Sequence[str], left: float) -> list[Line]:
    return [_line(row, left, 100 + STEP * place) for place, row in enumerate(rows)]


def _blocks(lines: list[Line]) -> tuple[Block, ...]:
    ordered, blocks = structure(lines, WIDTH, HEIGHT)
    assert sorted(map(repr, ordered)) == sorted(map(repr, lines))
    return blocks


@pytest.mark.parametrize("step", [1, 5])
def test_numbers_of_lines_are_no_part_of_the_text(step: int) -> None:
    rows = (*PROSE, "and even then only where it has lain for several days") * 8
    text, numbers = _blocks([*_texts(rows, 150), *_numbers(1, len(rows), 110, step)])
    assert (text.kind, text.text) == ("text", "\n".join(rows))
    assert (numbers.kind, numbers.label) == ("footer", "line_numbers")
    assert numbers.text.split() == [str(n) for n in range(1, len(rows) + 1, step)]


def test_some_numbers_may_be_unread() -> None:
    rows = PROSE * 4
    read = [line for n, line in enumerate(_numbers(1, len(rows), 110)) if n % 7 not in (2, 3)]
    text, numbers = _blocks([*_texts(rows, 150), *read])
    assert (text.text, len(numbers.text.split())) == ("\n".join(rows), len(read))


def test_each_column_of_a_page_has_its_own() -> None:
    rows = PROSE * 2
    left = [*_texts(rows, 150), *_numbers(1, len(rows), 110)]
    right = [*_texts(rows, 720), *_numbers(1 + len(rows), len(rows), 1320)]
    kinds = [block.kind for block in _blocks([*left, *right])]
    assert kinds == ["text", "text", "footer", "footer"]


def test_numbers_of_items_stay_with_them() -> None:
    names = [
        "Cable",
        "Case",
        "Lamp",
        "Tripod",
        "Winch",
        "Rope",
        "Hook",
        "Sling",
        "Chain",
        "Tool",
    ]
    rows = [f"{name} for hire by the day or by the week, incl. tax." for name in names]
    blocks = _blocks([*_texts(rows, 150), *_numbers(1, len(rows), 110)])
    assert not any(block.label == "line_numbers" for block in blocks)


def test_ranks_of_a_table_beside_a_text_stay_in_it() -> None:
    rows = PROSE * 2
    ranks = _numbers(1, len(rows), 820)
    names = _texts([f"Team {name}" for name in "abcdefghij"], 850)
    blocks = _blocks([*_texts(rows, 150), *ranks, *names])
    assert not any(block.label == "line_numbers" for block in blocks)


def test_numbers_may_be_a_space_before_their_lines() -> None:
    rows = (*PROSE, "Q. Where were you that evening?", "A. I was at the window, sir.") * 2
    lines = []
    for n, row in enumerate(rows, 1):
        left = 150 - 10.0 * len(f"{n} ")
        text = f"{n} {row}"
        words, at = [], left
        for word in text.split():
            top = 100 + STEP * (n - 1)
            box = (at, top, at + 10 * len(word), top + 20)
            words.append(Word(text=word, polygon=polygon_of(box)))
            at += 10 * (len(word) + 1)
        lines.append(
            msgspec.structs.replace(_line(text, left, 75 + STEP * n), words=tuple(words))
        )
    ordered, blocks = structure(lines, WIDTH, HEIGHT)
    *texts, numbers = blocks
    assert "\n".join(block.text for block in texts).split("\n") == list(rows)
    assert numbers.text.split() == [str(n) for n in range(1, len(rows) + 1)]
    assert sorted(w.text for line in ordered for w in line.words) == sorted(
        w.text for line in lines for w in line.words
    )


def test_few_numbers_or_irregular_ones_are_text() -> None:
    few = _blocks([*_texts(PROSE, 150), *_numbers(1, len(PROSE), 110)])
    assert not any(block.label == "line_numbers" for block in few)
    rows, odd = PROSE * 2, (3, 1, 4, 1, 5, 9, 2, 6, 5, 3)
    beside = [_line(str(n), 100, 100 + STEP * place) for place, n in enumerate(odd)]
    assert not any(b.label == "line_numbers" for b in _blocks([*_texts(rows, 150), *beside]))
