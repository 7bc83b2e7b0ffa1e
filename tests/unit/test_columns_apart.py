"""Words of one line in two columns: told by spaces wider than the page's."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Line, TextSource, Word
from pagetide.geometry import box_of, polygon_of
from pagetide.structure.tables.line_words import words_of

PROSE = "the boats that came in with the tide were unloaded and went out again"
LETTERS = {"i": 5.0, "l": 5.0, "m": 17.0}  # pixels; other letters 10, of lines 20 high


def _line(
    words: Sequence[str],
    top: float,
    gaps: Sequence[float],
    *,
    typed: bool = False,
    source: TextSource = "text_layer",
) -> Line:
    """A line from the left margin, with a gap before each word but the first."""
    at, found = 100.0, []
    for word, gap in zip(words, (0.0, *gaps), strict=True):
        start = at + gap
        at = start + sum(10.0 if typed else LETTERS.get(each, 9.0) for each in word)
        found.append(Word(text=word, polygon=polygon_of((start, top, at, top + 20))))
    box = (100.0, top, at, top + 20)
    return Line(
        text=" ".join(words), polygon=polygon_of(box), words=tuple(found), source=source
    )


def _prose(gap: float = 5.5) -> list[Line]:
    said = PROSE.split()
    return [_line(said, top, [gap] * (len(said) - 1)) for top in (20.0, 50.0, 80.0)]


def _parted(lines: Sequence[Line]) -> list[str]:
    """The words that start another column."""
    boxes = [box_of(line.polygon) for line in lines]
    return [word.text for own in words_of(lines, boxes) for word in own if word.apart]


def _pairs(
    gap: float, *texts: str, typed: bool = False, source: TextSource = "text_layer"
) -> list[Line]:
    tops = range(140, 140 + 30 * len(texts), 30)
    return [
        _line(text.split(), top, [gap], typed=typed, source=source)
        for text, top in zip(texts, tops, strict=True)
    ]


def test_a_space_twice_as_wide_as_usual_parts_where_it_is_repeated() -> None:
    assert _parted([*_prose(), *_pairs(11, "24 rolls", "60 sheets")]) == ["rolls", "sheets"]
    assert _parted([*_prose(), *_pairs(8, "24 rolls", "60 sheets")]) == []


@pytest.mark.parametrize(("gap", "parted"), [(11.5, []), (12.9, ["sheets"])])
def test_a_single_one_has_to_be_wider(gap: float, parted: list[str]) -> None:
    assert _parted([*_prose(), *_pairs(gap, "tar sheets")]) == parted


def test_heads_a_column_each_are_parted_although_all_their_spaces_are_wide() -> None:
    heads = _line(["Number", "Article", "Price"], 140, [12.9, 12.9])
    assert _parted([*_prose(), heads]) == ["Article", "Price"]


def test_justified_lines_are_not_parted() -> None:
    wide = [_line(PROSE.split()[:6], top, [11.0] * 5) for top in (140, 170)]
    assert _parted([*_prose(), *wide]) == []


def test_nor_are_typewritten_lines_beside_printed_ones() -> None:
    assert _parted([*_prose(), *_pairs(10, "lamp oil", "lamp wax", typed=True)]) == []
    assert _parted([*_prose(), *_pairs(10, "lamp oil", "lamp wax")]) == ["oil", "wax"]


@pytest.mark.parametrize("mark", ["1.", "(a)", "iv)", "☐", ":", "…"])
def test_nor_is_a_mark_from_its_text(mark: str) -> None:
    assert _parted([*_prose(), *_pairs(11, f"{mark} rope", f"{mark} tar")]) == []


def test_nor_are_lines_of_pictures_whose_words_positions_are_estimates() -> None:
    assert _parted([*_prose(), *_pairs(11, "24 rolls", "60 sheets", source="ocr")]) == []


def test_nor_are_scripts_without_spaces() -> None:
    assert _parted([*_prose(), *_pairs(11, "2018 年", "2019 年")]) == []


def _signs(*rows: str) -> list[str]:
    """What starts a column in rows of words set close together."""
    lines = [
        _line(said.split(), 140 + 30 * n, [6.0] * (len(said.split()) - 1))
        for n, said in enumerate(rows)
    ]
    return _parted([*_prose(), *lines])


def test_a_currency_sign_between_figures_starts_a_column_where_signs_precede_figures() -> None:
    assert _signs("$ 18 $ 237", "4 $ 526") == ["$", "$"]
    assert _signs("18 $ 237 $", "18 € 237 €") == []
    assert _signs("18 € 2", "7 € 3") == []
    assert _signs("€ 18 € 2", "7 €") == []
