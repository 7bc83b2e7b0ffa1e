"""Names of who bills and is billed apart from their addresses; a number beside a title."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pagetide.document.field import Value
from pagetide.exports.fields.bills.letterheads import (
    has_title,
    is_form,
    is_of_an_address,
    is_salutation,
    is_title,
    sender_in,
)
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.dates import is_moment

_CODE = re.compile(r"(?:[^\W\d_]{0,5}[-/# ]?)?\d(?=(?:\D*\d){2})[\w/-]*")
# A number behind the word for one: `Nr. 250418`, `n. 38/NC del 22 maggio`, `# 0218`.
_NUMBERED = re.compile(
    r"(?:\b(?:nr|no|num|nº|n°|n)\.?|#|№)\s?:?\s*((?=\S*\d)[\w/.-]*\w)", re.IGNORECASE
)
_ROWS = 20  # of a page, where a title stands
_BELOW = 2.0  # heights between a title and the number below


def name_and_address(party: str, told: Value, sheets: Sequence[Sheet]) -> dict[str, Value]:
    """What a label has of a party, its name and its address apart.

    Args:
        party: The name of the field.
        told: All of its lines.
        sheets: The document's phrases.
    """
    sheet, lines = _found(told, sheets)
    if sheet is None:
        return {}
    if len(lines) == 1:
        span = sender_in(lines[0].text)
        parts = [lines[0].part(0, span[0])] if span else []
        rest = [lines[0].part(span[1], len(lines[0].text))] if span else []
    else:
        lines = lines[is_salutation(lines[0].text) :]
        end = next((n for n, line in enumerate(lines) if n and not is_form(line.text)), None)
        parts, rest = lines[:end], lines[end:] if end else []
    if not rest:
        return {}
    named = {party: sheet.value(parts)}
    if not any(is_of_an_address(line.text) for line in rest):
        return named
    return {**named, f"{party}_address": sheet.value(rest)}


def _found(told: Value, sheets: Sequence[Sheet]) -> tuple[Sheet | None, list[Phrase]]:
    """The phrases that a value was made of; none where they are no longer told apart."""
    texts = told.text.split("\n")
    for sheet in sheets:
        if sheet.page.number != told.page:
            continue
        own = [phrase for row in sheet.rows for phrase in row if phrase.line in told.lines]
        by_text = {phrase.text: phrase for phrase in own}
        if all(text in by_text for text in texts):
            return sheet, [by_text[text] for text in texts]
    return None, []


def number_at_title(sheet: Sheet) -> Value | None:
    """A bill's number that no label names: behind its title, beside it or right below."""
    rows = sheet.rows[:_ROWS]
    for place, row in enumerate(rows):
        for n, phrase in enumerate(row):
            if not has_title(phrase.text):
                continue
            below = rows[place + 1] if place + 1 < len(rows) else ()
            near = [p for p in below if p.box[1] - phrase.box[3] < _BELOW * phrase.height]
            for other in (*_behind_title(phrase), *row[n + 1 : n + 2], *near):
                if _CODE.fullmatch(other.text) and not is_moment(other.text):
                    return sheet.value([other])
            if (numbered := _NUMBERED.search(phrase.text)) and not is_moment(numbered[1]):
                return sheet.value([phrase.part(*numbered.span(1))])
    return None


def _behind_title(phrase: Phrase) -> list[Phrase]:
    """What stands behind a title's first word, without what says which copy it is."""
    words = phrase.text.split(maxsplit=1)
    if len(words) < 2:
        return []
    rest = phrase.part(len(words[0]), len(phrase.text))
    head, _, last = rest.text.rpartition(" ")
    return [rest.part(0, len(head)) if head and is_title(last) else rest]
