"""Words of one line in two columns, although they are as close as words of a phrase."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from pagetide.document import Line
from pagetide.layout.words import is_unspaced
from pagetide.structure.tables.baseline import is_number
from pagetide.structure.tables.grids.columns import CURRENCIES
from pagetide.structure.tables.pieces import WORD_GAP, Piece, baselines, is_figure

NARROWEST = 0.35  # of a word's height between words of two columns, at least
SPACES = 2.0  # times the page's usual space: between figures of two columns
# The same for other words of two columns: where several lines split at one position, and where
# one line does. Of 177 PDFs of all kinds these two change one: a list of contents whose numbers
# become a column.
REPEATED, ALONE = 1.8, 2.2
LEAST = 2  # lines that split at one position
LEVEL = 0.2  # of a word's height: edges at one position
ODD = 1.5  # times most other spaces in the line: the lines of justified text have all wide ones
LETTER = 0.75  # of a letter's width: spaces between widely spaced letters' words are narrower
SAME = 0.03  # of a letter's width: in typewriter's type, spaces are as wide as letters

_WHOLE = re.compile(r"\d[.,]\d")  # not just one group of a number with spaced thousands
_LISTED = re.compile(r"\(?(\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]")  # `1.`, `(a)`: an item of a list


class _Space(NamedTuple):
    """Two neighbouring words and the space between them, in heights of the right one."""

    line: int
    place: int
    left: Piece
    right: Piece
    width: float


def with_columns_apart(
    lines: Sequence[Line], words: Sequence[Sequence[Piece]]
) -> Sequence[Sequence[Piece]]:
    """Each line's words, those with `apart` that start another column.

    Args:
        lines: The page's.
        words: Of each line, upright, in the text's order.
    """
    wide = [
        _Space(line, place, a, b, (b.x0 - a.x1) / (b.y1 - b.y0))
        for line, own in enumerate(words)
        for place, (a, b) in enumerate(pairwise(own), 1)
        if b.x0 - a.x1 > NARROWEST * (b.y1 - b.y0) > 0
    ]
    figures = [s for s in wide if is_figure(s.left.text) and is_figure(s.right.text)]
    texts = [s for s in wide if s.width <= WORD_GAP and _may_part(lines[s.line], s)]
    signs = _signs_apart(words)
    if not (figures or texts or signs):  # as on most pages
        return words
    spaces = [_spaces(own) for own in words]
    usual = median(narrow) if (narrow := [each for own in spaces for each in own]) else 0.0
    texts = [s for s in texts if _is_odd(s, spaces[s.line], usual)]
    apart = [s for s in figures if _are_two(s, usual)]
    apart += [s for s, times in _repeated(texts) if times >= LEAST or s.width > ALONE * usual]
    found = [list(own) for own in words]
    for line, place in (*signs, *((space.line, space.place) for space in apart)):
        found[line][place] = found[line][place]._replace(apart=True)
    return found


def _signs_apart(words: Sequence[Sequence[Piece]]) -> list[tuple[int, int]]:
    """The lines and places of currency signs that start a column right after a figure.

    However close that figure is: on the page, signs precede their figures.
    """
    after = {
        (sign.line, sign.place): (line, place)
        for line, own in enumerate(words)
        for place, (figure, sign) in enumerate(pairwise(own), 1)
        if sign.text in CURRENCIES and is_number(figure.text) and figure.text not in CURRENCIES
    }
    if not after:
        return []
    signs = list(_signs(words))
    leads = any(has_figure and not is_after for _, is_after, has_figure in signs)
    if not leads or any(is_after and not has_figure for _, is_after, has_figure in signs):
        return []
    places = ((sign.line, sign.place) for sign, _, has_figure in signs if has_figure)
    return [after[place] for place in places if place in after]


def _signs(words: Sequence[Sequence[Piece]]) -> Iterator[tuple[Piece, bool, bool]]:
    """Each currency sign, and whether a figure is left and right of it in its row."""
    for row in baselines(word for own in words for word in own):
        is_of_figure = [False, *(is_figure(word.text) for word in row), False]
        for sign, before, after in zip(row, is_of_figure, is_of_figure[2:], strict=False):
            if sign.text in CURRENCIES:
                yield sign, before, after


def _spaces(words: Sequence[Piece]) -> list[float]:
    """The spaces between words of a phrase, in heights of the right one, sorted."""
    spaces = ((b.x0 - a.x1) / max(b.y1 - b.y0, 1e-6) for a, b in pairwise(words))
    return sorted(space for space in spaces if 0 < space <= WORD_GAP)


def _are_two(space: _Space, usual: float) -> bool:
    """Whether two figures are not one with spaced thousands."""
    whole = _WHOLE.search(space.left.text) and _WHOLE.search(space.right.text)
    return bool(whole) or space.width > SPACES * usual


def _may_part(line: Line, space: _Space) -> bool:
    """Whether two words may be in two columns: not a mark and its text, nor spaced letters.

    Only a text layer has the words' exact positions.
    """
    _, _, left, right, width = space
    if line.source != "text_layer" or _LISTED.fullmatch(left.text):
        return False
    if not (_is_word(left.text) and _is_word(right.text)):
        return False
    letters = [(p.x1 - p.x0) / len(p.text) / (right.y1 - right.y0) for p in (left, right)]
    is_typed = all(abs(letter - width) < SAME * width for letter in letters)
    return not is_typed and width > LETTER * min(letters)


def _is_word(text: str) -> bool:
    """Whether a text has letters or digits, of a script with spaces."""
    return any(map(str.isalnum, text)) and not is_unspaced(text)


def _is_odd(space: _Space, spaces: Sequence[float], usual: float) -> bool:
    """Whether a space is wider than usual, and than most in its line."""
    narrower = bisect_left(spaces, space.width / ODD)
    is_odd = 2 * narrower >= len(spaces) - 1 or space.width > ALONE * usual
    return is_odd and space.width > REPEATED * usual


def _repeated(spaces: Sequence[_Space]) -> Iterator[tuple[_Space, int]]:
    """Each space, and how many have the same start or the same end, itself included."""
    starts = sorted(space.left.x1 for space in spaces)
    ends = sorted(space.right.x0 for space in spaces)
    for space in spaces:
        near = LEVEL * (space.right.y1 - space.right.y0)
        yield (
            space,
            max(
                bisect_right(places, at + near) - bisect_left(places, at - near)
                for places, at in ((starts, space.left.x1), (ends, space.right.x0))
            ),
        )
