"""Labels and the values that belong to them: behind a colon, beside a known label, below it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

import msgspec

from pagetide.document import Block
from pagetide.document.field import Field, FieldFrom
from pagetide.exports.fields.amounts import amount_in, without_currency
from pagetide.exports.fields.dates import Order
from pagetide.exports.fields.known import beginnings, columns, kinds, names, plain
from pagetide.exports.fields.phrases import Phrase, Sheet
from pagetide.exports.fields.values import span_of, typed

SUMS = frozenset({"subtotal", "tax", "discount", "shipping", "total"})
_LABEL_CHARACTERS = 48
_LABEL_WORDS = 7
_VALUE_WORDS = 10  # behind a colon; more is a sentence
_PROSE_LINES = 3  # of a paragraph, at least
_PROSE_SHARE = 0.8  # of its width
_CODE_WORDS = 3  # behind a known label without one
_BESIDE = 18.0  # line heights between a label and its value, at most
_BELOW = 1.8  # line heights from a label's lower edge to the top of what is below it
_LINES = 6  # of an address
_WRAPPED = 0.5  # line heights between a value and its second line
_COLON = re.compile(
    r"^(?P<label>[^:：]*[^\W\d_][^:：]*?)\s*[:：](?!//)(?P<value>.*)$", re.DOTALL
)
_TIME = re.compile(r"\d[:：]\d")
_RATE = re.compile(r"\W*\d{1,2}(?:[.,]\d{1,2})?\s*%\W*")


@dataclass(frozen=True)
class _Label:
    """A label: up to which character it goes, where a value begins in the same phrase."""

    end: int
    rest: int
    name: str
    by: FieldFrom


def pairs_on(sheet: Sheet, order: Order) -> Iterator[Field]:
    """The labels of a page with their values, in reading order."""
    search = _Search(sheet, order)
    for number, row in enumerate(sheet.rows):
        for place in range(len(row)):
            if field := search.field_at(number, place):
                yield field


class _Search:
    """What is looked at for one page; a phrase is the value of one label only."""

    def __init__(self, sheet: Sheet, order: Order) -> None:
        self._sheet, self._order = sheet, order
        self._taken: set[tuple[int, int]] = set()
        self._in_items = _lines_of_items(sheet.page.blocks)
        self._blocks = {line: b for b in sheet.page.blocks for line in b.line_indexes}
        self._labels = {
            (number, place): label
            for number, row in enumerate(sheet.rows)
            for place, phrase in enumerate(row)
            if (label := self._label_of(phrase))
        }

    def field_at(self, number: int, place: int) -> Field | None:
        """The field whose label stands here, if one does and has a value."""
        label = self._labels.get((number, place))
        if label is None or (number, place) in self._taken:
            return None
        phrase = self._sheet.rows[number][place]
        found = self._value_of(number, place, label)
        if not found:
            return None
        kind = kinds().get(label.name, "")
        if len(found) == 1 and (span := span_of(found[0].text, kind)):
            found = [found[0].part(*span)]
        name = phrase.part(0, label.end)
        value = typed(self._sheet.value(found), self._order, kind)
        if value.kind == "amount" and value.currency is None:
            currency = without_currency(name.text)[1]
            value = msgspec.structs.replace(value, currency=currency)
        return Field(
            label=self._sheet.value([name], name.text.rstrip(" .")),
            value=value,
            name=label.name,
            found_by=label.by,
        )

    def _label_of(self, phrase: Phrase) -> _Label | None:
        text = phrase.text
        in_items = phrase.line in self._in_items
        colon = None if _TIME.search(text) else _COLON.match(text)
        if colon and _is_label(colon["label"]) and not in_items:
            name = name_of(colon["label"])
            told = len(colon["value"].split()) <= _VALUE_WORDS and not self._is_prose(phrase)
            if name or told:
                return _Label(colon.end("label"), colon.start("value"), name, "colon")
        first = text.split(maxsplit=1)[:1]
        for end, rest in _splits(text) if first and plain(first[0]) in beginnings() else ():
            name = name_of(text) if end == len(text) else _exactly(text[:end])
            if name and (not in_items or name in SUMS) and _follows(name, text[rest:]):
                return _Label(end, rest, name, "known_label")
        return None

    def _is_prose(self, phrase: Phrase) -> bool:
        """Whether it fills a row of a paragraph, which has colons, too."""
        block = self._blocks.get(phrase.line)
        if block is None or block.kind != "text" or len(block.line_indexes) < _PROSE_LINES:
            return False
        x0, _, x1, _ = self._sheet.upright.box(block.polygon)
        return phrase.box[2] - phrase.box[0] > _PROSE_SHARE * (x1 - x0)

    def _value_of(self, number: int, place: int, label: _Label) -> list[Phrase]:
        row, phrase = self._sheet.rows[number], self._sheet.rows[number][place]
        rest = phrase.part(label.rest, len(phrase.text))
        if rest.text:
            return [rest, *self._more_lines(number, rest, label)]
        beside = self._beside(number, place, label)
        if beside is not None:
            self._taken.add((number, beside))
            more = self._more_lines(number, row[beside], label)
            return [row[beside], *(more or self._wrapped(number, row[beside], phrase))]
        below = self._below(number, phrase, label)
        if below is None:
            return []
        self._taken.add(below)
        found = self._sheet.rows[below[0]][below[1]]
        return [found, *self._more_lines(below[0], found, label)]

    def _beside(self, number: int, place: int, label: _Label) -> int | None:
        """The place of the value in the label's row: of an amount, the last that is one."""
        row = self._sheet.rows[number]
        if label.name in SUMS:
            fit = [n for n in range(place + 1, len(row)) if _fits(label.name, row[n].text)]
            return fit[-1] if fit and not is_item([row[n].text for n in fit]) else None
        following = place + 1
        if following >= len(row) or (number, following) in self._labels:
            return None
        far = row[following].box[0] - row[place].box[2] > _BESIDE * row[place].height
        if far or not _fits(label.name, row[following].text):
            return None
        return following

    def _below(self, number: int, phrase: Phrase, label: _Label) -> tuple[int, int] | None:
        """The nearest phrase that begins, ends or stands in the middle below the label."""
        if phrase.line in self._in_items:
            return None
        x0, _, x1, bottom = phrase.box
        for lower in range(number + 1, len(self._sheet.rows)):
            row = self._sheet.rows[lower]
            if row[0].box[1] - bottom > _BELOW * phrase.height:
                return None
            for place, other in enumerate(row):
                a, _, b, _ = other.box
                aligned = min(abs(a - x0), abs(b - x1), abs(a + b - x0 - x1) / 2)
                if aligned > phrase.height or min(b, x1) <= max(a, x0):
                    continue
                is_free = (lower, place) not in self._labels and (
                    lower,
                    place,
                ) not in self._taken
                return (lower, place) if is_free and _fits(label.name, other.text) else None
        return None

    def _wrapped(self, number: int, first: Phrase, label: Phrase) -> list[Phrase]:
        """What goes on below a value in a narrow column, nothing standing below its label."""
        if number + 1 == len(self._sheet.rows) or first.box[0] <= label.box[2]:
            return []
        below = self._sheet.rows[number + 1]
        for place, other in enumerate(below):
            near = abs(other.box[0] - first.box[0]) < 0.6 * first.height
            if near and other.box[1] - first.box[3] < _WRAPPED * first.height:
                beside = (p.box for p in below if p is not other)
                if any(a < first.box[0] and b > label.box[0] for a, _, b, _ in beside):
                    return []
                if (number + 1, place) in self._labels:
                    return []
                self._taken.add((number + 1, place))
                return [other]
        return []

    def _more_lines(self, number: int, first: Phrase, label: _Label) -> list[Phrase]:
        """What goes on below a value that has lines, as an address does."""
        if kinds().get(label.name) != "lines":
            return []
        found: list[Phrase] = []
        last = first
        for lower in range(number + 1, len(self._sheet.rows)):
            row = self._sheet.rows[lower]
            for place, other in enumerate(row):
                if abs(other.box[0] - first.box[0]) > 0.6 * first.height:
                    continue
                apart = other.box[1] - last.box[3] > 0.9 * last.height
                if apart or (lower, place) in self._labels or len(found) + 1 == _LINES:
                    return found
                self._taken.add((lower, place))
                found.append(other)
                last = other
            if row[0].box[1] - last.box[3] > 2 * last.height:
                break
        return found


def is_item(figures: Sequence[str]) -> bool:
    """Whether figures of a row are a quantity, a price and what they come to."""
    numbers = [amount.number for text in figures if (amount := amount_in(text))]
    return any(
        abs(a * b - c) <= Decimal("0.01") and a != 1
        for a, b, c in zip(numbers, numbers[1:], numbers[2:], strict=False)
    )


def name_of(label: str) -> str:
    """What a label is known to mean; a rate and a currency in it are not looked at."""
    return _exactly(without_currency(label.strip())[0])


def _exactly(label: str) -> str:
    return names().get(plain(_RATE.sub(" ", label)), "")


def _is_label(text: str) -> bool:
    begins = text.lstrip(" •·*-–#(")[:1].isalpha()
    return begins and len(text) <= _LABEL_CHARACTERS and len(text.split()) <= _LABEL_WORDS


def _follows(name: str, rest: str) -> bool:
    """Whether what follows a known label without a colon is its value, not a sentence's end."""
    kind, words = kinds()[name], rest.split()
    if not words:
        return True
    if kind == "code":
        return len(words) <= _CODE_WORDS and any(map(str.isdigit, rest))
    return kind != "lines" and (span_of(rest, kind) is not None or _is_amount(kind, rest))


def _is_amount(kind: str, text: str) -> bool:
    return kind == "amount" and amount_in(text) is not None


def _splits(text: str) -> Iterator[tuple[int, int]]:
    """Where a label without a colon may end: with the text, or before one of its words."""
    yield len(text), len(text)
    ends = [found.span() for found in re.finditer(r"\s+", text)][:_LABEL_WORDS]
    yield from reversed(ends)


def _fits(name: str, text: str) -> bool:
    """Whether a text can be the value of a field of this name; nothing is decided of none."""
    kind = kinds().get(name, "")
    if not text.strip() or kind in ("", "lines", "email", "url"):
        return True
    if kind == "amount":
        return _is_amount(kind, text)
    if kind == "date":
        return span_of(text, kind) is not None
    return any(map(str.isdigit, text))


def _lines_of_items(blocks: Sequence[Block]) -> set[int]:
    """The lines of tables whose columns are a bill's, or that have more than two and rows."""
    found: set[int] = set()
    for block in blocks:
        table = block.table
        if table is None or table.columns < 3:
            continue
        heads = {columns().get(plain(cell.text)) for cell in table.cells} - {None}
        if len(heads) > 1 or table.rows > 2:
            found.update(block.line_indexes)
    return found
