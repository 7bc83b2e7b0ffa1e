"""Lines with letters of right-to-left scripts: words from the positions of letters.

A PDF draws such a line in one of several orders, and PDFium guesses which. So only the
positions count here. The letters are taken from left to right, as seen, and the display steps
of UAX #9 are reversed: right-to-left text is read from its right end, numbers and Latin words
in it from their left end. Where two texts look the same, the simpler one is taken: a number
beside a Latin word belongs to it, but a unit of measurement comes after its number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from pagetide.geometry import Box, union
from pagetide.inputs.text.lines import (
    COLUMN_GAP,
    NEW_LINE,
    SAME_LINE,
    SPACE_GAP,
    Joint,
    PlacedWord,
)
from pagetide.layout.words import IS_LEFTWARD

Letter = tuple[str, Box]
"""A letter, or several with one box; and its position, in points, y up."""

_FIRST = "\u0590"
# A space is wider than this, in heights: between letters of one word to PDFium, or of two.
_SPACE_GAPS = {True: 0.3, False: SPACE_GAP}
_SPACE = (" ", (0.0, 0.0, 0.0, 0.0))
_LEFTWARD, _NUMBERS = {"R", "AL"}, {"EN", "AN"}
# One of these between two numbers joins them, as in 2.1; those of the second group only beside
# Hebrew (UAX #9, W4 and W5), including at a number's end.
_INSIDE, _INSIDE_OR_AT_END = {"CS"}, {"CS", "ES", "ET"}
_MARKS = {"Mn", "Me"}
# Letters in their contextual forms, as opposed to those of the alphabet.
_SHAPES = re.compile("[\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc]")
_OPENING, _CLOSING, _STOPS = "([{«", ")]}»", ".,:;!?،؛؟"
_TURNED = str.maketrans(_OPENING + _CLOSING, _CLOSING + _OPENING)
# Symbols of units beside numbers; capitals alone may be names: A 5.
_UNITS = re.compile(
    r"[nµmcdk]?m|[mk]?g|t|[mc]?l|ms|s|min|h|d|k?Wh?|MW|[kMG]?Hz|mA|kV|dB|bar|[hkM]?Pa|kN"
    r"|[kKMGT]B|px|pt|in|ft|yd|lb|oz|kcal|kJ"
)
# A word left of a number, as seen.
_MEASURE = re.compile(r"(?<!\S)([^\W\d_]+) (?=\d)")


class _Place(NamedTuple):
    """Letters that share a box; those with one number are one word to PDFium."""

    text: str
    box: Box
    word: int


def share_leftward(text: str) -> float:
    """The share (0-1) of a text's right-to-left letters."""
    if max(text, default="") < _FIRST:  # nearly always, and determined in 20 us
        return 0.0
    return len(IS_LEFTWARD.findall(text)) / max(1, sum(map(str.isalpha, text)))


def words_of(
    letters: Iterable[Letter], page_is_leftward: bool, *, spaced: bool = False
) -> Iterator[PlacedWord]:
    """The words of one line, in reading order.

    Args:
        letters: In any order that keeps letters with one box together; spaces are not needed.
        page_is_leftward: Whether most of the page is right-to-left.
        spaced: Whether spaces come as letters; then a gap within a word is not one, as there
            are in type of one width.

    Yields:
        Upright words. The first of each column starts a line.
    """
    columns = list(_columns(_as_seen(letters), spaced=spaced))
    for column in reversed(columns) if page_is_leftward else columns:
        joint: Joint = NEW_LINE
        read = _in_order(column, page_is_leftward=page_is_leftward)
        for is_space, word in groupby(_as_meant(read), _SPACE.__eq__):
            if is_space:
                continue
            texts, boxes = zip(*word, strict=True)
            yield unicodedata.normalize("NFC", "".join(texts)), union(boxes), joint, 0.0
            joint = SAME_LINE


def index_in(letters: Sequence[Letter], box: Box) -> int:
    """The index of a letter in a word's box; 0 if none is."""
    left, _, right, _ = box
    return next(
        (
            index
            for index, (text, (x0, _, x1, _)) in enumerate(letters)
            if 2 * left <= x0 + x1 <= 2 * right and not text.isspace()
        ),
        0,
    )


def _as_seen(letters: Iterable[Letter]) -> list[_Place]:
    """The letters at each position together, from left to right."""
    places: list[_Place] = []
    marks = ""  # before the letter that they are on
    word = 0
    for text, box in letters:
        if text in "\r\n":
            continue  # PDFium starts a line, but this one continues
        if text.isspace() or text == "\0":
            word += 1
            continue
        text = _SHAPES.sub(_plain, text)
        last = places[-1] if places else None
        if last and last.box == box:
            places[-1] = _Place(_joined(last.text, text), box, word)
        elif unicodedata.category(text[0]) not in _MARKS:
            places.append(_Place(text + marks, box, word))
            marks = ""
        elif last and _over(last.box, box):
            places[-1] = _Place(last.text + text, last.box, word)
        else:
            marks += text
    if marks and places:
        places[-1] = _Place(places[-1].text + marks, places[-1].box, word)
    return sorted(places, key=lambda place: place.box[0] + place.box[2])


def _joined(letters: str, letter: str) -> str:
    """A ligature's letters: PDFium gives right-to-left ones in reverse order."""
    return letter + letters if _class(letters) in _LEFTWARD else letters + letter


def _plain(shape: re.Match[str]) -> str:
    plain = unicodedata.normalize("NFKC", shape.group())
    return shape.group() if " " in plain else plain


def _over(letter: Box, mark: Box) -> bool:
    return letter[0] <= (mark[0] + mark[2]) / 2 <= letter[2]


def _columns(seen: Sequence[_Place], *, spaced: bool) -> Iterator[list[Letter]]:
    """Letters from left to right with the spaces between them, by column."""
    column: list[Letter] = []
    for last, place in zip([None, *seen], seen, strict=False):
        height = max(place.box[3] - place.box[1], 0.1)
        gap = (place.box[0] - last.box[2]) / height if last else 0.0
        if last and gap > COLUMN_GAP:
            yield column
            column = []
        elif last and _parts(last, place, gap, spaced=spaced):
            column.append(_SPACE)
        column.append((place.text, place.box))
    if column:
        yield column


def _parts(left: _Place, right: _Place, gap: float, *, spaced: bool) -> bool:
    """Whether a gap, in heights, between letters from left to right is a space.

    If spaces are written, a gap in a word is not one, nor one before a full stop; but PDFium
    loses the space beside a bracket.
    """
    if left.word != right.word:
        return gap > _SPACE_GAPS[False]
    in_word = {_class(left.text), _class(right.text)} <= _LEFTWARD or left.text in _STOPS
    return gap > _SPACE_GAPS[True] and not (spaced and in_word)


def _runs_left(kinds: Sequence[str], *, page_is_leftward: bool) -> bool:
    """Whether a line is read from its right end."""
    strong = [kind for kind in kinds if kind in {"L", *_LEFTWARD}]
    leftward = sum(kind in _LEFTWARD for kind in strong)
    return 2 * leftward > len(strong) or (page_is_leftward and strong[-1:] != ["L"])


def _class(text: str) -> str:
    """The bidirectional class of the first letter, which counts."""
    return unicodedata.bidirectional(text[0])


def _in_order(seen: list[Letter], *, page_is_leftward: bool) -> list[Letter]:
    """Letters seen from left to right, in reading order."""
    kinds = [_class(text) for text, _ in seen]
    numbers = _numbers(kinds)
    units = set(_units(seen))
    meant = ["EN" if place in units else kind for place, kind in enumerate(kinds)]
    if _runs_left(meant, page_is_leftward=page_is_leftward):
        # A unit counts as a number: a Latin word would keep the number at its right.
        return _turned(seen, _stretches(meant, numbers, {"L"} | _NUMBERS, _joins_latin))
    read: list[Letter] = []
    place = 0
    for start, end in _stretches(kinds, numbers, _LEFTWARD, lambda *_: True):
        inner = [(a - start, b - start) for a, b in numbers if start <= a and b <= end]
        read += seen[place:start] + _turned(seen[start:end], inner)
        place = end
    return read + seen[place:]


def _units(seen: Sequence[Letter]) -> Iterator[int]:
    """The indexes of letters of units seen left of a number."""
    text = "".join(letters[0] for letters, _ in seen)
    for found in _MEASURE.finditer(text):
        if _UNITS.fullmatch(found[1]):
            yield from range(*found.span(1))


def _turned(seen: list[Letter], kept: Sequence[tuple[int, int]]) -> list[Letter]:
    """Reversed, except for some stretches, each of which stays as it is."""
    read: list[Letter] = []
    place = len(seen)
    for start, end in reversed(kept):
        read += seen[end:place][::-1] + seen[start:end]
        place = start
    return read + seen[:place][::-1]


def _numbers(kinds: Sequence[str]) -> list[tuple[int, int]]:
    """The start and end of each number."""
    arabic = "AL" in kinds
    inside = _INSIDE if arabic else _INSIDE_OR_AT_END
    found: list[tuple[int, int]] = []
    for index, kind in enumerate(kinds):
        if kind not in _NUMBERS:
            continue
        start = index
        if found and (found[-1][1] == index or _is_one(kinds[found[-1][1] : index], inside)):
            start = found.pop()[0]
        found.append((start, index + 1))
    return found if arabic else [_with_ends(kinds, *each) for each in found]


def _is_one(between: Sequence[str], inside: set[str]) -> bool:
    return len(between) == 1 and between[0] in inside


def _with_ends(kinds: Sequence[str], start: int, end: int) -> tuple[int, int]:
    while start and kinds[start - 1] == "ET":
        start -= 1
    while end < len(kinds) and kinds[end] == "ET":
        end += 1
    return start, end


def _joins_latin(kinds: Sequence[str], start: int, left: int, right: int) -> bool:
    """Whether neutral characters between two letters or numbers belong with them."""
    return "L" in kinds[start : left + 1] or kinds[right] == "L"


def _stretches(
    kinds: Sequence[str],
    numbers: Sequence[tuple[int, int]],
    wanted: set[str],
    joins: Callable[[Sequence[str], int, int, int], bool],
) -> list[tuple[int, int]]:
    """The longest stretches that start and end as wanted, without other letters."""
    inside = {index for start, end in numbers for index in range(start, end)}
    other = ({"L"} | _LEFTWARD) - wanted
    found: list[tuple[int, int]] = []
    is_open = False
    for index, kind in enumerate(kinds):
        if kind in other:
            is_open = False
        is_wanted = kind in wanted or (index in inside and "EN" in wanted)
        if not is_wanted:
            continue
        start, end = found[-1] if found else (0, 0)
        if is_open and (end == index or joins(kinds, start, end - 1, index)):
            found[-1] = (start, index + 1)
        else:
            found.append((index, index + 1))
        is_open = True
    return found


def _as_meant(read: Sequence[Letter]) -> list[Letter]:
    """Corrects opening and closing brackets, which are seen mirrored in right-to-left text.

    Some PDFs encode what is seen, some what is meant, and PDFium mirrors a part of them; so
    their position between letters and spaces decides.
    """
    meant: list[Letter] = []
    is_open = False
    for (before, _), (text, box), (after, _) in zip(
        [_SPACE, *read], read, [*read[1:], _SPACE], strict=False
    ):
        begins = before == " " and after != " "
        ends = before != " " and (after == " " or after in _STOPS or is_open)
        if (text in _CLOSING and begins) or (text in _OPENING and ends):
            text = text.translate(_TURNED)
        is_open = text in _OPENING or (is_open and text not in _CLOSING)
        meant.append((text, box))
    return meant
