"""Which phrases are labels, or start with one: before a colon, or known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from itertools import islice
from typing import NamedTuple

from pagetide.document import Block
from pagetide.document.field import FieldFrom
from pagetide.exports.fields.pairs.labels_of_sums import Place, labels_of_sums
from pagetide.exports.fields.pairs.names import BOX, exactly, name_of
from pagetide.exports.fields.pairs.sums import is_of_a_sum, sum_of
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.exports.fields.values.amounts import amount_in
from pagetide.exports.fields.values.forms import span_of
from pagetide.languages.composed import begins, composed
from pagetide.languages.labels import LABEL_WORDS, SUMS, beginnings, begins_label, kinds, plain

_CHARACTERS = 48  # of a label before a colon
_VALUE_WORDS = 10  # after a colon; more is a sentence
_CODE_WORDS = 3  # after a known label without a colon
_HEAD_WORDS = 4  # of a label before sentences
_OF_FORM = 4  # labels with colons on a page make it a form
_PROSE_LINES = 3  # of a paragraph, at least
_PROSE_SHARE = 0.8  # of its width
_COLON = re.compile(r"\s*[:：](?!//)\s*")
# Between words, and between a label and an amount attached to it.
_PARTING = re.compile(
    r"\s+|(?<=[\u4e00-\u9fff）])(?=[¥￥]?-?\d)|(?<=[^\W\d_])(?=[$€£]\d)|(?<=\))(?=[$€£]\d)"
)
_SPACES = re.compile(r"\s+")
_LEFT = 2  # words of a currency after a label, as `in EUR`, at most
_ANEW = re.compile(r"\s[|·•]\s")  # followed by something new
_TIME = re.compile(r"\d[:：]\d")
# A tax label may start with its rate, and end with its base: `20 % VAT on £ 4.00`.
_RATE_FIRST = re.compile(r"\d{1,2}(?:[.,]\d{1,3})?\s?%\s")
_TAKEN_OF = re.compile(
    r"\s(?:on|of|auf|von|over|van|sur|de|sobre|su|di|da)\s"
    r"(?:[A-Z]{3}|[$€£¥])?\s?\d[\d.,'’\s]*(?:[A-Z]{3}|[$€£¥])?$"
)


class Label(NamedTuple):
    """A label in a phrase.

    Attributes:
        end: The index after its last character.
        rest: Where a value starts in the same phrase; its end if there is none.
        name: Its known meaning; empty if unknown.
        by: What makes it a label.
    """

    end: int
    rest: int
    name: str
    by: FieldFrom


def labels_on(sheet: Sheet, in_items: Set[int]) -> Mapping[Place, Label]:
    """The labels among a page's phrases, in reading order.

    Args:
        sheet: The phrases.
        in_items: From `lines_of_items`, where only sums are labels.
    """
    found: dict[Place, Label] = {}
    long: dict[Place, Label] = {}
    for number, row in enumerate(sheet.rows):
        for place, phrase in enumerate(row):
            if phrase.line in in_items:
                label = _known(phrase.text, SUMS) or _with_colon(phrase.text)
            else:
                colon = _colon_in(phrase.text)
                block = sheet.block_of.get(phrase.line) if colon else None
                prose = colon is not None and _is_prose(sheet, phrase, block)
                label = (colon and _before_colon(phrase.text, colon, prose=prose)) or _known(
                    phrase.text
                )
                if colon and not label and (before := _before_text(phrase, colon, block)):
                    long[number, place] = before
            if label and not _is_value(label, found.get((number, place - 1))):
                found[number, place] = label
    names = {place: label.name for place, label in found.items()}
    for at, name in labels_of_sums(sheet, names):
        end = len(sheet.rows[at[0]][at[1]].text)
        found[at] = Label(end, end, name, "known_label")
    return dict(sorted((found | (long if is_form(found.values()) else {})).items()))


def _is_value(label: Label, before: Label | None) -> bool:
    """Whether an apparent label is the value of the same one: `Your order` `PO 7716`."""
    is_same = before is not None and label.name == before.name != ""
    return is_same and label.by == "known_label" and label.rest > label.end


def _with_colon(text: str) -> Label | None:
    """A known label with its value after a colon, which is never an item's."""
    colon = _colon_in(text)
    label = _before_colon(text, colon, prose=True) if colon else None
    has_value = label is not None and bool(text[label.rest :].strip())
    return label if label and label.name and has_value else None


def _colon_in(text: str) -> re.Match[str] | None:
    has_colon = ":" in text or "：" in text
    return _COLON.search(text, 0, _CHARACTERS + 1) if has_colon else None


def is_form(labels: Iterable[Label]) -> bool:
    """Whether a page with these labels is a form."""
    return sum(label.by == "colon" for label in labels) >= _OF_FORM


def _before_text(phrase: Phrase, colon: re.Match[str], block: Block | None) -> Label | None:
    """A form's label before an answer in sentences: at the head of its block, in capitals."""
    if block is None or block.line_indexes[:1] != (phrase.line,):
        return None
    words = phrase.text[: colon.start()].split()
    is_label = 0 < len(words) <= _HEAD_WORDS and words[0][:1].isupper() and words[0].isalpha()
    return Label(colon.start(), colon.end(), "", "colon") if is_label else None


def _before_colon(text: str, colon: re.Match[str], *, prose: bool) -> Label | None:
    """The text before a colon, if as short as a label, and its value as a value."""
    if _TIME.search(text, 0, colon.end() + 1):
        return None
    label, value = text[: colon.start()], text[colon.end() :]
    begins = BOX.sub("", label).lstrip(" •·*-–#(")[:1].isalpha()
    if not begins or len(label.split()) > LABEL_WORDS:
        return None
    name = name_of(label)
    if not name and (prose or len(value.split(maxsplit=_VALUE_WORDS)) > _VALUE_WORDS):
        return None
    return Label(colon.start(), colon.end(), name, "colon")


def _known(text: str, among: frozenset[str] | None = None) -> Label | None:
    """The longest known label at the start of the text, if followed by its value, or nothing.

    Args:
        text: A phrase's.
        among: The names that count; all of them, if none are given.
    """
    first, *_ = text.split(maxsplit=1) or [""]
    if among is None and " / " in text and (end := _end_of_two(text)):
        return Label(end, end, "", "known_label")
    if "%" in text and (taxed := _rated(text)) and (among is None or taxed in among):
        return Label(len(text), len(text), taxed, "known_label")
    if first[:1].isdigit():
        boxed = BOX.match(text) is not None and name_of(text)
        return Label(len(text), len(text), boxed, "known_label") if boxed else None
    if not first.isalpha() and (amount := _parting(first).search(first)):
        first = first[: amount.start()]  # it is attached to it
    if plain(first) not in beginnings():
        return _composed_in(text) if among is None and begins(first) else None
    for end, rest in _ends(text):
        label = text[:end]
        is_whole = end == len(text) or label.endswith((")", "）"))
        name = name_of(label) if is_whole else exactly(label) or sum_of(label)
        if not name or (among is not None and name not in among):
            continue
        if _follows(name, text[:end], text[rest:]):
            return Label(end, rest, name, "known_label")
    return _composed_in(text) if among is None and begins(first) else None


def names_two(text: str) -> bool:
    """Whether a label has two parts with a slash between, known to mean different things."""
    first, _, second = text.partition(" / ")
    names = {name_of(first), name_of(second)} if len(text) <= _CHARACTERS else set()
    return len(names - {""}) == 2


def _end_of_two(text: str) -> int:
    """Where a label of two parts ends, followed by nothing or both values; otherwise 0."""
    places = _partings(text, 2 * LABEL_WORDS)
    for end in (len(text), *(end for end, _ in places[::-1])):
        rest = text[end:]
        if (not rest or rest.count(" / ") == 1) and names_two(text[:end].rstrip(" :")):
            return end
    return 0


def _composed_in(text: str) -> Label | None:
    """The longest label of a number at the start of the text, followed by its number."""
    places = _partings(text, LABEL_WORDS)
    for end, rest in [*places, (len(text), len(text))][::-1]:
        name = composed(text[:end])
        if name and _follows(name, text[:end], text[rest:]):
            return Label(end, rest, name, "known_label")
    return None


def _rated(text: str) -> str:
    """The name of a sum whose label starts with its rate, or ends with its base."""
    bare = _TAKEN_OF.sub("", text)
    name = name_of(bare) if bare != text or _RATE_FIRST.match(text) else ""
    return name if name in SUMS else ""


def _ends(text: str) -> list[Place]:
    """Where a known label without a colon may end: with the text, or before one of its words.

    The last of them is first. None ends after a word that no known label has there, except at
    the text's end: the rest may be an aside or a currency.
    """
    places = _partings(text, LABEL_WORDS)
    places.append((len(text), len(text)))
    start_of, is_sum, start = "", True, 0
    for count, (end, rest) in enumerate(places if "%" not in text else ()):
        word = text[start:end]
        start_of += plain(word)
        is_sum = is_sum and is_of_a_sum(word)
        if not is_sum and not begins_label(start_of):
            is_left = len(places) - count <= _LEFT or "(" in text or "（" in text
            places[count:] = places[-1:] if is_left else []
            break
        start = rest
    return places[::-1]


def _partings(text: str, most: int) -> list[Place]:
    """Where the first words of a text end, and the next ones start."""
    return [found.span() for found in islice(_parting(text).finditer(text), most)]


def _parting(text: str) -> re.Pattern[str]:
    """What parts a text's words: in most texts only spaces."""
    return _SPACES if text.isascii() and "$" not in text else _PARTING


def _follows(name: str, label: str, rest: str) -> bool:
    """Whether a known label without a colon is followed by its value, not by a sentence."""
    kind, words = kinds()[name], rest.split()
    if not words:
        return True
    if kind == "code":
        words = _ANEW.split(rest, maxsplit=1)[0].split()
        return len(words) <= _CODE_WORDS and any(map(str.isdigit, rest))
    if kind == "amount":
        amount = amount_in(rest)
        return amount is not None and not _is_days(label, rest)
    return kind != "lines" and span_of(rest, kind) is not None


def _is_days(label: str, rest: str) -> bool:
    """Whether it is a payment term, such as `Net 30`."""
    return plain(label) == "net" and rest.isdecimal()


def _is_prose(sheet: Sheet, phrase: Phrase, block: Block | None) -> bool:
    """Whether it fills a row of a paragraph, which may have colons, too."""
    if block is None or block.kind != "text" or len(block.line_indexes) < _PROSE_LINES:
        return False
    colons = [":" in sheet.page.lines[line].text for line in block.line_indexes]
    if 2 * sum(colons) >= len(colons):
        return False
    x0, _, x1, _ = sheet.upright.box(block.polygon)
    return phrase.box[2] - phrase.box[0] > _PROSE_SHARE * (x1 - x0)
