"""The relative position of phrases, and whether one may be the value of a label."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.values.amounts import CENT, CURRENCIES, PERCENT, amount_in
from pagetide.exports.fields.values.dates import is_moment
from pagetide.exports.fields.values.forms import span_of
from pagetide.languages.labels import kinds

VIA = " via "  # after delivery costs, as web shops name the carrier
_FLUSH = 0.6  # heights between the starts of lines that count as aligned
_CODE_WORDS = 6  # of a number with its letters; more are a sentence
_CURRENCY = 3  # letters of a currency

# An account may be the customer's, or a bank account.
_ACCOUNT = re.compile(
    r"\b(?:a\W?c\b|acc(?:ount|t)?\b|konto|compte|cuenta|conto|conta|rekening)", re.IGNORECASE
)
_BANK = re.compile(
    r"\b(?:bank|banque|banco|banca|bsb|sort code|iban|swift|bic|ifsc?|branch)\b",
    re.IGNORECASE,
)


_CODE = re.compile(r"(?=.*\d.*\d)[A-Z\d]{1,12}(?:[-/.][A-Z\d]{1,12}){0,3}")


_BIC = re.compile(r"[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?")  # ISO 9362


def is_at_a_bank(label: str, near: Iterable[str]) -> bool:
    """Whether a label's account is a bank account: a bank is named near it."""
    return _ACCOUNT.search(label) is not None and any(map(_BANK.search, near))


def is_name(text: str) -> bool:
    """Whether a text in a row of sums names something else: words other than a currency."""
    is_word = sum(map(str.isalpha, text)) > _CURRENCY and not any(map(str.isdigit, text))
    return is_word and text.strip(" ().:").lower() not in CURRENCIES


def is_rated(label: Phrase, base: Phrase, tax: Phrase) -> bool:
    """Whether an amount is a rate of another, both given with the label: `25 % av 9 870,00`."""
    rate, whole, part = PERCENT.search(label.text), amount_in(base.text), amount_in(tax.text)
    if not (rate and whole and part):
        return False
    percent = Decimal(rate[0].rstrip("% ").replace(",", ".").replace("−", "-"))
    return abs(whole.number * percent / 100 - part.number) <= CENT


def is_cut(name: str, text: str) -> bool:
    """Whether a number continues after the hyphen at the end of its line."""
    return kinds().get(name) == "code" and text.endswith("-")


def is_code(text: str) -> bool:
    """Whether a text is one word with digits, without a long word in it."""
    return _CODE.fullmatch(text) is not None


def has_figures_throughout(text: str) -> bool:
    """Whether each of a text's words has a digit."""
    return all(any(map(str.isdigit, word)) for word in text.split())


def is_flush(other: Phrase, first: Phrase) -> bool:
    """Whether a phrase starts where another one does."""
    return abs(other.box[0] - first.box[0]) < _FLUSH * first.height


def overlap(phrase: Phrase, other: Phrase) -> bool:
    """Whether two phrases overlap horizontally."""
    return phrase.x0 < other.x1 and phrase.x1 > other.x0


def goes_on(other: Phrase, first: Phrase, leading: float, last: Phrase) -> bool:
    """Whether it starts where the first line does, and is close below the last."""
    return is_flush(other, first) and other.box[1] - last.box[3] < leading * last.height


def is_below(other: Phrase, label: Phrase) -> bool:
    """Whether a phrase is left-, right- or centre-aligned with a label above it."""
    (a, _, b, _), (x0, _, x1, _) = other.box, label.box
    off = min(abs(a - x0), abs(b - x1), abs(a + b - x0 - x1) / 2)
    return off <= label.height and min(b, x1) > max(a, x0)


def has_lines(name: str) -> bool:
    """Whether a field of this name is multi-line, such as an address."""
    return kinds().get(name) == "lines"


def fits(name: str, text: str) -> bool:
    """Whether a text can be the value of a field of this name; unnamed fields accept any."""
    kind = kinds().get(name, "")
    if not text.strip() or kind in ("", "lines", "email", "url"):
        return True
    if kind == "amount":
        return amount_in(text.partition(VIA)[0]) is not None
    if kind == "date":
        return span_of(text, kind) is not None
    if name == "bic" and _BIC.fullmatch(text):
        return True
    is_code = len(text.split()) <= _CODE_WORDS and not is_moment(text)
    return any(map(str.isdigit, text)) and (kind != "code" or is_code)
