"""Check boxes and radio buttons with their labels, and the question of several of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from pagetide.document import Page, SelectionMark
from pagetide.document.field import Choice, Option, Value
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.geometry import box_of, center, contains
from pagetide.layout.check_marks import SELECTED, SIGNS, UNSELECTED

# In heights of the line:
_BESIDE = 6.0  # between a box and its label, at most
_BELOW = 1.5  # between a row of boxes and the next, or the question above
_FLUSH = 1.0  # between the left edges of boxes below each other
_QUESTION = (":", "：", "?", "？", "؟")  # the end of a line above boxes


class _Box(NamedTuple):
    """A box's sign, and the label beside it."""

    sign: Phrase
    label: Phrase | None


@dataclass
class _Group:
    """Consecutive boxes in a row or below it, and their question."""

    question: Phrase | None
    boxes: list[_Box]


class _MarkOption(NamedTuple):
    """A mark of the page as an option of a question."""

    mark: SelectionMark
    option: Option
    question: Value | None


def holds_marks(text: str) -> bool:
    """Whether a text has check boxes, which are reported as choices."""
    return SIGNS.search(text) is not None


def choices_on(page: Page, sheets: Sequence[Sheet]) -> Iterator[Choice]:
    """The page's boxes and buttons in its text, then those that are not in it.

    Those of one form field are one choice wherever they are.

    Args:
        page: The page.
        sheets: Its phrases.
    """
    counts = Counter(mark.name for mark in page.selection_marks)
    left = list(page.selection_marks)
    found: dict[object, list[_MarkOption]] = {}
    for sheet in sheets if left else ():
        for group in _groups(sheet):
            for place, box in enumerate(group.boxes):
                if (marked := _mark_option(sheet, group, box, left)) is not None:
                    name = marked.mark.name
                    alone = (id(group), None if group.question else place)
                    key = name if name and counts[name] > 1 else alone
                    found.setdefault(key, []).append(marked)
    for mark in left:
        option = _option(mark, _unread(mark, page.number))
        found.setdefault(mark.name or id(mark), []).append(_MarkOption(mark, option, None))
    return map(_choice, found.values())


def _choice(options: Sequence[_MarkOption]) -> Choice:
    names = {each.mark.name for each in options}
    return Choice(
        kind=options[0].mark.kind,
        label=next((each.question for each in options if each.question), None),
        options=tuple(each.option for each in options),
        name=names.pop() if len(names) == 1 else "",
    )


def _mark_option(
    sheet: Sheet, group: _Group, box: _Box, left: list[SelectionMark]
) -> _MarkOption | None:
    """The mark that a sign represents, taken from the remaining ones."""
    polygon = sheet.value([box.sign]).polygon
    middle = center(box_of(polygon))
    mark = next((each for each in left if contains(box_of(each.polygon), middle)), None)
    if mark is None:
        return None
    left.remove(mark)
    label = sheet.value([box.label]) if box.label else None
    sign = msgspec.structs.replace(sheet.value([box.sign]), polygon=mark.polygon)
    question = (
        sheet.value([group.question], group.question.text.rstrip(" :："))
        if group.question
        else None
    )
    return _MarkOption(mark, _option(mark, sign, label), question)


def _option(mark: SelectionMark, sign: Value, label: Value | None = None) -> Option:
    return Option(label=label, mark=sign, selected=mark.selected, value=mark.value)


def _unread(mark: SelectionMark, page: int) -> Value:
    """A mark for which the page's text has no sign."""
    text = SELECTED if mark.selected else UNSELECTED
    return Value(text=text, page=page, polygon=mark.polygon, lines=())


def _groups(sheet: Sheet) -> list[_Group]:
    """The boxes of a page, grouped by question."""
    found: list[_Group] = []
    above: list[Phrase] = []
    for row in sheet.rows:
        parts = [part for phrase in row for part in _parts(phrase)]
        for group in _groups_in(parts):
            first = group.boxes[0].sign
            before = found[-1] if found else None
            if (
                group.question is None
                and before
                and before.question
                and _goes_on(before, first)
            ):
                before.boxes += group.boxes
                continue
            group.question = group.question or _question(above, first)
            found.append(group)
        above = parts
    return found


def _parts(phrase: Phrase) -> Iterator[Phrase]:
    """A phrase cut at its signs, which are separate parts."""
    at = 0
    for sign in SIGNS.finditer(phrase.text):
        for start, end in ((at, sign.start()), sign.span()):
            if phrase.text[start:end].strip():
                yield phrase.part(start, end)
        at = sign.end()
    if phrase.text[at:].strip():
        yield phrase.part(at, len(phrase.text)) if at else phrase


def _is_sign(part: Phrase) -> bool:
    return SIGNS.fullmatch(part.text) is not None


def _groups_in(parts: Sequence[Phrase]) -> list[_Group]:
    """The boxes of a row: labels follow them, unless the row ends with one."""
    signs = [place for place, part in enumerate(parts) if _is_sign(part)]
    if not signs:
        return []
    if signs[-1] == len(parts) - 1 and signs == list(range(1, len(parts), 2)):
        return [_Group(None, [_Box(parts[n], _label(parts[n - 1])) for n in signs])]
    found: list[_Group] = []
    free = 0  # the first part that is not a label of a box before it
    for place in signs:
        sign = parts[place]
        behind = parts[place + 1] if place + 1 < len(parts) else None
        is_label = behind is not None and not _is_sign(behind) and _is_near(sign, behind)
        question = parts[place - 1] if place > free else None
        if question or not found:
            found.append(_Group(question, []))
        found[-1].boxes.append(_Box(sign, behind if is_label else None))
        free = place + 1 + is_label
    return found


def _label(part: Phrase) -> Phrase:
    return part.part(0, len(part.text.rstrip(" :：")))


def _is_near(sign: Phrase, label: Phrase) -> bool:
    return label.box[0] - sign.box[2] < _BESIDE * label.height


def _goes_on(group: _Group, sign: Phrase) -> bool:
    """Whether a row's first box is close below a box of the previous question."""
    lowest = max(box.sign.box[3] for box in group.boxes)
    near = sign.box[1] - lowest < _BELOW * sign.height
    return near and any(
        abs(box.sign.box[0] - sign.box[0]) < _FLUSH * sign.height for box in group.boxes
    )


def _question(above: Sequence[Phrase], sign: Phrase) -> Phrase | None:
    """The question in the line above, close over the first box and no further to its right."""
    for part in above:
        near = sign.box[1] - part.box[3] < _BELOW * sign.height
        over = part.box[0] <= sign.box[0] + sign.height and part.box[2] >= sign.box[0]
        if near and over and part.text.rstrip().endswith(_QUESTION):
            return part
    return None
