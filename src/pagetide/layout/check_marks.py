"""Check boxes on a page, as drawings or as signs: in its lines, and as marks.

Those of a PDF's form are known from its fields (`inputs.selection`); everything else visible on
a page is decided here, in the same way for a text layer and for a picture.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from pagetide.document import Line, Notice, SelectionMark, Word
from pagetide.geometry import Box, area, box_of, center, contains, direction, polygon_of, union
from pagetide.layout import PICTURED, Area, CheckBox, Drawn
from pagetide.layout.edits import Edit, edited
from pagetide.layout.words import IS_LEFTWARD

UNSELECTED, TICKED, SELECTED = "\u2610", "\u2611", "\u2612"
MOST_MARKS = 500  # of a form's fields, and of drawn boxes: each is compared with each word
LEFT_OUT = Notice(
    code="selection_marks_left_out",
    message=f"The page has more than {MOST_MARKS} check boxes; the rest were left out.",
)

SIGNS = re.compile("[\u2610-\u2612]")
# How a box is recognised by OCR, and a mark in one.
_EMPTY = "☐□口囗ロ"
_TICK = re.compile(rf"[xX×vV√✓✔✗✘■●•☑☒冈凶区{_EMPTY}]")
_IDEOGRAPH = re.compile("[\u30ed\u3400-\u9fff]")
_NEAR = 3.0  # in heights of the box: the distance of what it marks, at most
_LAPPED = 1.5  # how far a word detected in an image may start before it
_LEVEL = 0.5  # of the lower of two boxes that are level
_ALIKE = 1.15  # the ratio of two sizes that count as equal
_PICTURE = 0.3  # of what the text covers: a larger picture is a form
_ASKEW = math.radians(15)
_GRID = 3  # boxes below each other that form a column of a grid


class _Place(NamedTuple):
    """A word's place: its line and index there, its box, and whether it is right-to-left."""

    line: int
    word: int
    box: Box
    is_leftward: bool


def with_check_boxes(
    lines: Sequence[Line],
    drawn: Drawn,
    areas: Sequence[Area] = (),
    known: Sequence[SelectionMark] = (),
) -> tuple[tuple[Line, ...], tuple[SelectionMark, ...]]:
    """The lines with a sign for each box beside words, and all marks of the page.

    Args:
        lines: Of the page.
        drawn: What is drawn there; squares in its pictures are keys of charts, and so are
        areas: those in areas that a layout model calls a picture.
        known: The marks of a form's fields, whose signs are already in the lines.
    """
    taken = [box_of(mark.polygon) for mark in known]
    pictures = [*drawn.pictures, *_pictured(areas, lines)]
    found = list(lines)
    for box in _likely(drawn.check_boxes[:MOST_MARKS]):
        middle = center(box.box)
        if not any(contains(each, middle) for each in (*taken, *pictures)):
            found = _with(found, box) or _by_itself(found, box, drawn.check_boxes)
    signs = [mark for mark in _signs(found) if not _is_known(mark, taken)]
    return tuple(found), (*known, *signs)


def _pictured(areas: Sequence[Area], lines: Sequence[Line]) -> list[Box]:
    """The pictures of a layout model, which takes whole forms for one."""
    boxes = [box_of(each.polygon) for each in areas if each.kind in PICTURED]
    text = area(union([box_of(line.polygon) for line in lines])) if lines else 0.0
    return [box for box in boxes if area(box) < _PICTURE * text]


def _likely(boxes: Sequence[CheckBox]) -> list[CheckBox]:
    """The boxes with a mark in them, or another of their size: a single one may be anything."""
    sizes = [box.box[3] - box.box[1] for box in boxes]
    return [
        box
        for box, size in zip(boxes, sizes, strict=True)
        if box.marked
        or sum(max(size, other) < _ALIKE * min(size, other) for other in sizes) > 1
    ]


def _is_known(mark: SelectionMark, taken: Sequence[Box]) -> bool:
    return any(contains(each, center(box_of(mark.polygon))) for each in taken)


def _signs(lines: Sequence[Line]) -> Iterator[SelectionMark]:
    """A mark for each sign in the text."""
    for line in (line for line in lines if SIGNS.search(line.text)):
        for part in line.words or (line,):
            left, top, right, bottom = box_of(part.polygon)
            step = (right - left) / max(len(part.text), 1)
            for sign in SIGNS.finditer(part.text):
                x = left + step * sign.start()
                yield SelectionMark(
                    kind="checkbox",
                    selected=sign.group() != UNSELECTED,
                    polygon=polygon_of((x, top, x + step, bottom)),
                )


def _by_itself(lines: list[Line], box: CheckBox, others: Sequence[CheckBox]) -> list[Line]:
    """The lines with a box's sign as a separate one, if it is one of a grid.

    Others of its size are below and above it, and text of its row to the left. Text recognised
    for it is removed.
    """
    left, top, right, bottom = box.box
    height = bottom - top
    column = sum(
        abs(each.box[0] - left) < height / 4 and abs(each.box[2] - right) < height / 4
        for each in others
    )
    level = [place for place in _places(lines, box.box) if _is_level(place.box, box.box)]
    within = [place for place in level if contains(box.box, center(place.box))]
    before = [place for place in level if place.box[2] < left]
    if column < _GRID or not before or any(_is_part(lines, place) for place in within):
        return lines
    nearest = max(before, key=lambda place: place.box[2]).line
    sign = _sign(box, [_word(lines, place) for place in within])
    polygon = polygon_of(box.box)
    own = replace(
        lines[nearest],
        text=sign,
        polygon=polygon,
        words=(Word(text=sign, polygon=polygon, confidence=lines[nearest].confidence),),
        bold=False,
        styles=(),
    )
    gone = {place.line for place in within}
    kept: list[Line] = []
    for number, line in enumerate(lines):
        kept += [line] if number not in gone else []
        kept += [own] if number == nearest else []
    return kept


def _is_part(lines: Sequence[Line], place: _Place) -> bool:
    """Whether a word in a box has others in its line."""
    return len(lines[place.line].words) > 1


def _with(lines: list[Line], box: CheckBox) -> list[Line]:
    """The lines with a box's sign in one of them; empty if none is beside it."""
    words = [place for place in _places(lines, box.box) if _is_level(place.box, box.box)]
    within = [
        place
        for place in words
        if contains(box.box, center(place.box)) and not _is_boxed(_word(lines, place))
    ]
    read = [(_word(lines, place), lines[place.line].text) for place in within]
    if not all(_is_of_box(word, text) for word, text in read):
        return lines
    beside = min(
        (place for place in words if place not in within),
        key=lambda place: _gap(place, box.box),
        default=None,
    )
    if beside is None or _gap(beside, box.box) == math.inf:
        return []
    sign = _sign(box, [word for word, _ in read])
    is_before = _gap(beside, box.box) <= _NEAR * (box.box[3] - box.box[1])
    mark = Word(
        text=sign, polygon=polygon_of(box.box), confidence=lines[beside.line].confidence
    )
    return [
        line
        for number, each in enumerate(lines)
        if (line := _changed(each, number, beside, mark, within, is_before=is_before))
    ]


def _sign(box: CheckBox, read: Sequence[str]) -> str:
    """A box's sign, from the drawing in it and the text recognised for it."""
    ticked = box.marked or any(word not in _EMPTY for word in read)
    return SELECTED if ticked else UNSELECTED


def _is_boxed(word: str) -> bool:
    """Whether a word was read together with the box before it, as `□1` is."""
    return len(word) > 1 and word[0] in _EMPTY[:2]


def _is_of_box(word: str, text: str) -> bool:
    """Whether a word is a misread box, and not a letter of its line's own script."""
    if not _TICK.fullmatch(word):
        return False
    rest = text.replace(word, "")
    return not (_IDEOGRAPH.match(word) and _IDEOGRAPH.search(rest))


def _places(lines: Sequence[Line], box: Box) -> Iterator[_Place]:
    """The words of lines that overlap a box vertically."""
    for number, line in enumerate(lines):
        a, b, c, d = (y for _, y in line.polygon[:4])
        if min(a, b) > box[3] or max(c, d) < box[1]:
            continue
        if abs(math.remainder(direction(line.polygon), math.tau)) < _ASKEW:
            for place, (text, polygon) in enumerate(
                [(word.text, word.polygon) for word in line.words]
                or [(line.text, line.polygon)]
            ):
                leftward = bool(IS_LEFTWARD.search(text))
                yield _Place(number, place, box_of(polygon), leftward)


def _word(lines: Sequence[Line], place: _Place) -> str:
    line = lines[place.line]
    return line.words[place.word].text if line.words else line.text


def _is_level(word: Box, box: Box) -> bool:
    shared = min(word[3], box[3]) - max(word[1], box[1])
    return shared >= _LEVEL * min(word[3] - word[1], box[3] - box[1])


def _gap(place: _Place, box: Box) -> float:
    """The distance of a word after a box in reading order; one before it counts as far away."""
    height, word = box[3] - box[1], place.box
    behind, before, beyond = word[0] - box[2], box[0] - word[2], word[2] - box[2]
    if place.is_leftward:
        behind, before, beyond = before, behind, box[0] - word[0]
    if -_LAPPED * height <= behind <= _NEAR * height and beyond > 0:
        return max(behind, 0.0)
    if -height / 2 <= before <= _NEAR * height:
        return before + 2 * _NEAR * height
    return math.inf


def _changed(
    line: Line,
    number: int,
    beside: _Place,
    mark: Word,
    within: Sequence[_Place],
    *,
    is_before: bool,
) -> Line | None:
    """A line without the text recognised within the box, and with the mark in its place."""
    gone = {place.word for place in within if place.line == number}
    place = beside.word if number == beside.line else None
    if place is None and not gone:
        return line
    parts = line.words or (Word(text=line.text, polygon=line.polygon),)
    edits, words, at = list[Edit](), list[Word](), 0
    for each, word in enumerate(parts):
        start = line.text.index(word.text, at)
        at = start + len(word.text)
        if each in gone:
            edits.append(Edit(start, at + line.text[at:].startswith(" "), ""))
            continue
        if each != place:
            words.append(word)
        elif is_before:
            doubled = _is_boxed(word.text)
            edits.append(Edit(start, start + doubled, f"{mark.text} "))
            words += [mark, replace(word, text=word.text[doubled:])]
        else:
            edits.append(Edit(at, at, f" {mark.text}"))
            words += [word, mark]
    changed = edited(line, edits)
    if not changed.text:
        return None
    left, right = (words[end].polygon for end in (0, -1))
    ends = (left[0], right[1], right[2], left[3])
    return replace(changed, polygon=ends, words=tuple(words) if line.words else ())
