"""The values of labels: after them, beside them, below them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, takewhile

import msgspec

from pagetide.document.field import Field
from pagetide.exports.fields.pairs.arranged import arranged_on
from pagetide.exports.fields.pairs.double_labels import each_of
from pagetide.exports.fields.pairs.item_lines import lines_of_items
from pagetide.exports.fields.pairs.labels import Label, is_form, labels_on, names_two
from pagetide.exports.fields.pairs.labels_of_sums import Place
from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.pairs.near import (
    VIA,
    fits,
    goes_on,
    has_figures_throughout,
    has_lines,
    is_at_a_bank,
    is_below,
    is_code,
    is_cut,
    is_flush,
    is_name,
    is_rated,
)
from pagetide.exports.fields.pairs.sum_rows import sums_side_by_side
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.amounts import (
    CURRENCY_SIGNS,
    amount_in,
    is_item,
    is_money,
    without_currency,
)
from pagetide.exports.fields.values.dates import Order
from pagetide.exports.fields.values.forms import EMAIL, span_of, typed
from pagetide.languages.labels import SUMS, kinds

_NEAR = 2  # rows within which a bank is named, for a bank account
MOST_LABELS = 1000  # of a page: each is compared with what is near it
# In heights of the line:
_BESIDE = 18.0  # between a label and its value, at most
_BESIDE_LINES = 6.0  # for multi-line values, if something is below the label
_WORD = 3  # letters of a word, as opposed to a part of a number, at least
_HALF = 0.2  # shared height of a value and the first of its label's two lines, at least
_BELOW = 1.8  # from a label's lower edge to the top of what is below it
_WRAPPED = 0.5  # between a value and its second line
_LEADING = 0.9  # between two lines of an address
_LINES = 6  # of an address
_ASIDES = ("tax_number", "phone", "email")  # that may be inside an address
_MOST_LINES = 30  # of an answer in sentences
_FULL = 0.8  # of its block's width: the length of a line whose text continues on the next


def pairs_on(
    sheet: Sheet, order: Order, heads: Mapping[int, float]
) -> tuple[list[Field], bool]:
    """The labels of a page with their values, in reading order; whether some were left out.

    Args:
        sheet: The page's phrases.
        order: Of the document's dates.
        heads: The header lines of items, and where their rows start.
    """
    search = _Search(sheet, order, heads)
    places = list(islice(search.labels, MOST_LABELS))
    found = [field for place in places for field in search.fields_at(place)]
    side_by_side = islice(sums_side_by_side(sheet.rows), MOST_LABELS)
    bands = [search.arranged(name, [amount]) for name, amount in side_by_side]
    if bands:
        own = {line for field in bands for line in (*field.label.lines, *field.value.lines)}
        found = [f for f in found if not own & {*f.label.lines, *f.value.lines}]
        found = sorted([*found, *bands], key=lambda field: field.label.lines)
    taken = {line for field in found for line in (*field.label.lines, *field.value.lines)}
    arranged = [search.arranged(*pair) for pair in arranged_on(sheet, search.labels, taken)]
    if arranged:
        found = sorted([*found, *arranged], key=lambda field: field.label.lines)
    return found, len(places) < len(search.labels)


class _Search:
    """The search for one page's values; a phrase is the value of one label only.

    Attributes:
        labels: Those of the page, by place.
    """

    def __init__(self, sheet: Sheet, order: Order, heads: Mapping[int, float]) -> None:
        self._in_items = lines_of_items(sheet.page, heads)
        self.labels = labels_on(sheet, self._in_items)
        self._sheet, self._rows, self._order = sheet, sheet.rows, order
        self._is_form = is_form(self.labels.values())
        self._taken: set[Place] = set()

    @cached_property
    def _row_by_line(self) -> dict[int, int]:
        return {phrase.line: n for n, row in enumerate(self._rows) for phrase in row}

    @cached_property
    def _ends(self) -> dict[int, float]:
        """Where lines end."""
        return {phrase.line: phrase.x1 for phrase in self._sheet.phrases}

    def fields_at(self, at: Place) -> Iterator[Field]:
        """The field whose label is here, if it has a value; two, if it names two."""
        label = self.labels[at]
        found = [] if at in self._taken else self._value_of(at, label)
        if not found:
            return
        name = self._at(at).part(0, label.end)
        is_double = not label.name and names_two(name.text.rstrip(" :"))
        if is_double and (two := list(each_of(name, found))):
            yield from (self.arranged(one, [value]) for one, value in two)
        else:
            yield self._field(at, label, name, found)

    def _field(self, at: Place, label: Label, name: Phrase, found: list[Phrase]) -> Field:
        kind = kinds().get(label.name, "")
        if len(found) == 1 and (span := span_of(found[0].text, kind)):
            found = [found[0].part(*span)]
        if kind == "amount" and (end := found[-1].text.find(VIA)) > 0:
            found = [*found[:-1], found[-1].part(0, end)]
        value = typed(self._sheet.value(found), self._order, kind)
        if value.kind == "amount" and (not value.currency or "$" in value.text):
            currency = without_currency(name.text)[1]  # states which dollars they are, too
            value = msgspec.structs.replace(value, currency=currency or value.currency)
        own = label.name
        if own == "customer" and is_code(value.text):
            own = "customer_number"  # `Kunde: 30442`
        is_other = own in SUMS and value.kind != "amount"
        is_other |= own == "ship_to" and value.text[:1].islower()  # what is done there
        if own == "customer_number":
            rows = self._rows[max(at[0] - _NEAR, 0) : at[0] + _NEAR + 1]
            is_other = is_at_a_bank(name.text, (p.text for row in rows for p in row))
        return Field(
            label=self._sheet.value([name], name.text.rstrip(" .")),
            value=value,
            name="" if is_other else own,
            found_by=label.by,
        )

    def arranged(self, label: Phrase, value: Sequence[Phrase]) -> Field:
        """A label and a value recognised only by their position."""
        name = name_of(label.text)
        return Field(
            label=self._sheet.value([label], label.text.rstrip(" .:")),
            value=typed(self._sheet.value(value), self._order, kinds().get(name, "")),
            name=name if fits(name, value[0].text) else "",
            found_by="place",
        )

    def _at(self, at: Place) -> Phrase:
        return self._rows[at[0]][at[1]]

    def _row_of(self, phrase: Phrase) -> int:
        return self._row_by_line[phrase.line]

    def _is_free(self, at: Place) -> bool:
        return at not in self.labels and at not in self._taken

    def _value_of(self, at: Place, label: Label) -> list[Phrase]:
        phrase = self._at(at)
        if phrase.text[label.rest :].strip():
            rest = phrase.part(label.rest, len(phrase.text))
            is_sum, is_whole = label.name in SUMS, is_money(rest.text)
            may_be_base = is_sum and (not is_whole or "%" in phrase.text)
            last = self._beside(at, label) if may_be_base else None
            if last and (not is_whole or is_rated(phrase, rest, self._at(last))):
                self._taken.add(last)  # text with the label is counted, or taxed
                return [self._at(last)]
            return [rest, *self._more_lines(at, rest, label), *self._rest_of_text(at, at)]
        beside = self._beside(at, label) or self._between(at, label)
        place = beside or self._below(at, label)
        if place is None:
            return []
        self._taken.add(place)
        found = self._at(place).without_colon()
        sign = self._rows[at[0]][-1]
        if label.name in SUMS and place[0] > at[0] and sign.text in CURRENCY_SIGNS:
            return [sign, found]
        more = self._more_lines(at, found, label)
        if not more and (beside or is_cut(label.name, found.text)):
            more = self._wrapped(place[0], found, phrase if beside else None, label.name)
        more = more or self._rest_of_text(place, at)
        return [found, *more]

    def _beside(self, at: Place, label: Label) -> Place | None:
        """The place of the value in the label's row: for a sum, the last amount there."""
        number, place = at
        row = self._rows[number]
        if label.name in SUMS:
            others = takewhile(
                lambda n: (number, n) not in self.labels and not is_name(row[n].text),
                range(place + 1, len(row)),
            )
            fit = [n for n in others if fits(label.name, row[n].text)]
            if not fit:
                return self._below_sign(number) if place + 2 == len(row) else None
            return (number, fit[-1]) if not is_item([row[n].text for n in fit]) else None
        following = (number, place + 1)
        if place + 1 == len(row) or following in self.labels:
            return None
        if (number, place - 1) in self.labels and self._below(at, label):
            return None  # side-by-side headers with their values below them
        beside = row[place + 1].text
        if has_lines(label.name) and beside.isupper() and row[place].text.isupper():
            following = at if self._below(at, label) else following  # headers of two columns
        if following == at or self._is_code_below(at, label, beside):
            return None
        gap = (row[place + 1].box[0] - row[place].box[2]) / row[place].height
        is_near = gap <= (_BESIDE_LINES if has_lines(label.name) else _BESIDE)
        if not is_near and gap <= _BESIDE:
            is_near = self._below(at, label) is None
        return following if is_near and fits(label.name, row[place + 1].text) else None

    def _is_code_below(self, at: Place, label: Label, beside: str) -> bool:
        """Whether a number is below its label, and words of another column are beside it."""
        has_words = any(word.isalpha() and len(word) > _WORD for word in beside.split())
        if kinds().get(label.name) != "code" or not has_words:
            return False
        below = self._below(at, label)
        return below is not None and is_code(self._at(below).text)

    def _between(self, at: Place, label: Label) -> Place | None:
        """The place of a value beside a known label of two lines, at half their height."""
        phrase, lower = self._at(at), at[0] + 1
        if not label.name or at[1] + 1 < len(self._rows[at[0]]) or lower == len(self._rows):
            return None
        for place, other in enumerate(self._rows[lower]):
            is_at_half = phrase.y1 - other.y0 > _HALF * other.height and other.x0 > phrase.x1
            if is_at_half and self._is_free((lower, place)) and fits(label.name, other.text):
                return (lower, place)
        return None

    def _below_sign(self, number: int) -> Place | None:
        """The place of a sum below its currency sign, which ends a row in a narrow column."""
        sign, lower = self._rows[number][-1], number + 1
        below = (
            self._rows[lower] if sign.text in CURRENCY_SIGNS and lower < len(self._rows) else ()
        )
        for place, other in enumerate(below):
            is_under = other.box[0] < sign.box[2] and sign.box[0] < other.box[2]
            if is_under and amount_in(other.text) and self._is_free((lower, place)):
                return (lower, place)
        return None

    def _below(self, at: Place, label: Label) -> Place | None:
        """The nearest phrase below the label, aligned with it at the left, right or middle."""
        phrase = self._at(at)
        if phrase.line in self._in_items:
            return None
        room = _BELOW * phrase.height
        for lower in range(at[0] + 1, len(self._rows)):
            row = self._rows[lower]
            if row[0].box[1] - phrase.box[3] > room:
                return None
            if len(row) == 1 and not any(map(str.isalnum, row[0].text)):
                room += row[0].height  # a rule made of characters
                continue
            for place, other in enumerate(row):
                if is_below(other, phrase):
                    is_its = self._is_free((lower, place)) and fits(label.name, other.text)
                    return (lower, place) if is_its else None
        return None

    def _wrapped(
        self, number: int, first: Phrase, label: Phrase | None, name: str
    ) -> list[Phrase]:
        """The continuation of a value in a narrow column, with nothing below its label.

        Args:
            number: The value's row.
            first: Its first line.
            label: Beside it; None if that is above.
            name: Of the field: a number continues with figures.
        """
        below = self._rows[number + 1] if number + 1 < len(self._rows) else ()
        left = label.box[0] if label else first.box[0]
        if label and first.box[0] <= label.box[2]:
            return []
        for place, other in enumerate(below):
            if not goes_on(other, first, _WRAPPED, first):
                continue
            beside = [p.box for p in below if p is not other]
            at_label = any(a < first.box[0] and b > left for a, _, b, _ in beside)
            is_other = kinds().get(name) == "code" and not has_figures_throughout(other.text)
            if at_label or is_other or not self._is_free((number + 1, place)):
                return []
            self._taken.add((number + 1, place))
            return [other]
        return []

    def _rest_of_text(self, at: Place, of: Place) -> list[Phrase]:
        """The lines of an answer in sentences, which continues to the end of its block."""
        if self.labels[of].name or not self._is_form:
            return []
        last, found, label = self._at(at), list[Phrase](), self._at(of)
        block = self._sheet.block_of.get(last.line)
        if not block or block.kind != "text":
            return []
        ends = {line: self._ends.get(line, 0.0) for line in block.line_indexes}
        for number in range(at[0] + 1, len(self._rows)):
            row, full = self._rows[number], last.box[2] > _FULL * max(ends.values())
            begins = row[0].box[0] > label.box[0] - label.height
            alone = len(row) == 1 and self._is_free((number, 0)) and row[0].line in ends
            if not (full and begins and alone) or len(found) == _MOST_LINES:
                break
            self._taken.add((number, 0))
            last = row[0]
            found.append(last)
        return found

    def _labels_in(self, row: int, end: int) -> list[int]:
        return [place for place in range(end) if (row, place) in self.labels]

    def _more_lines(self, at: Place, first: Phrase, label: Label) -> list[Phrase]:
        """The continuation of a multi-line value, such as an address.

        Another label below the value's own, beside a line, ends it.
        """
        if not has_lines(label.name):
            return []
        found, name, last = [first], self._at(at), first
        for lower in range(self._row_of(first) + 1, len(self._rows)):
            row = self._rows[lower]
            flush = [n for n, other in enumerate(row) if is_flush(other, first)]
            for place in flush[:1]:
                at, phrase = (lower, place), row[place]
                near = goes_on(phrase, first, _LEADING, last)
                if any(is_flush(row[n], name) for n in self._labels_in(lower, place)):
                    return found[1:]
                if near and self._is_aside(at):
                    last = phrase
                    continue
                if not near or not self._is_free(at) or len(found) == _LINES:
                    return found[1:]
                self._taken.add(at)
                found.append(phrase)
                last = phrase
            if row[0].box[1] - last.box[3] > 2 * last.height:
                break
        return found[1:]

    def _is_aside(self, at: Place) -> bool:
        """Whether a line in an address is a contact detail, or a number with its label."""
        label, phrase = self.labels.get(at), self._at(at)
        is_number = label is not None and label.name in _ASIDES and label.rest > label.end
        return is_number or EMAIL.fullmatch(phrase.text) is not None
