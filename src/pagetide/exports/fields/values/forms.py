"""Values recognised by their form: dates, amounts, account numbers, web addresses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from pagetide.document.field import Value, ValueKind
from pagetide.exports.fields.phrases.sheet import NOTHING, Meaning
from pagetide.exports.fields.values.amounts import PERCENT, Amount, amount_in, written
from pagetide.exports.fields.values.dates import DATE, Order, normalised

_IBAN = re.compile(  # in fours, or as grouped in France
    r"\b[A-Z]{2}\d{2}(?:(?:\s?[0-9A-Z]{4}){2,7}(?:\s?[0-9A-Z]{1,3})?"
    r"|\s[0-9A-Z]{5}\s[0-9A-Z]{5}\s[0-9A-Z]{11}\s\d{2})\b"
)
EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
URL = re.compile(r"(?:https?://|www\.)[^\s<>\"]+[^\s<>\".,;:)]", re.IGNORECASE)
_PHONE = re.compile(r"\+[\d ()/.–-]{7,20}\d")  # others look like many other numbers
_DIALLED = re.compile(r"\+?\(?\d[\d ()/.–-]{5,20}\d")
_MONEY = re.compile(
    r"(?:[€$£¥￥₹]|\b[A-Z]{3}\b|\bRM\b)\s?-?\d[\d.,' ]{0,24}\d"
    r"|-?\d[\d.,' ]{0,24}[.,]\d{2}(?!\d)(?:\s?[€$£元]|\s[A-Z]{3}\b)?"
)
_NUMBERED = re.compile(r"[A-Z][A-Z]{1,2}[^\S\n]?[0-9A-Z]{0,2}[^\S\n]?\d{3}")
# The features of money, by one of a few first characters, which a search finds fastest.
_PRICED = re.compile(
    r"[€$£¥￥₹.,A-Z](?:(?<=[€$£¥￥₹])|(?<=[.,])\d\d(?!\d)|(?<=[A-Z])[A-Z]\s?-?\d)"
)
_OF = re.compile(r"\s[^\W\d_]{1,5}\.?\s*$")  # a word between a number and its date
_ANEW = re.compile(r"\s[—–|·•]\s")  # followed by something new
# A number, and following words that belong to something else: `CL00213 Suivant devis`.
_CODE_FIRST = re.compile(r"(?=(?:\w*\d){3})([\w/.-]+)\s[A-ZÀ-Ý][^\W\d_]{4,}(?:\s|$)")
_BEFORE = 3  # characters before a value that are not part of it
# Of the European Union, with the country before the number; VIES defines the forms.
_TAX_ID = re.compile(
    r"\b(?:DE(?:\s?\d{3}){3}|ATU\d{8}|FR\s?[0-9A-Z]{2}(?:\s?\d{3}){3}|IT\d{11}|"
    r"ES[0-9A-Z]\d{7}[0-9A-Z]|NL\d{9}B\d{2}|"
    r"BE[01]\d{9}|PL\d{10}|PT\d{9}|SE\d{12}|DK\d{8}|FI\d{8}|CZ\d{8,10}|IE\s?\d{7}[A-Z]{1,2}|"
    r"LU\d{8}|GB\s?\d{3}\s?\d{4}\s?\d{2}|CHE\d{9}|NO\s?\d{3}\s?\d{3}\s?\d{3}(?:\sMVA)?)\b"
)


class Form(NamedTuple):
    """A form of value: its pattern, and its meaning; None if it is not one.

    Attributes:
        sign: What all of them have; most phrases lack it, and are not searched for one.
    """

    kind: ValueKind
    sign: re.Pattern[str]
    pattern: re.Pattern[str]
    meaning_of: Callable[[str], Meaning | None]


def iban(text: str) -> str | None:
    """An IBAN without spaces, if its check digits are right (ISO 13616, ISO 7064 mod 97-10)."""
    packed = re.sub(r"\s", "", text)
    turned = packed[4:] + packed[:4]
    figures = "".join(str(int(letter, 36)) for letter in turned)
    return packed if 15 <= len(packed) <= 34 and int(figures) % 97 == 1 else None


def _iban(text: str) -> Meaning | None:
    found = iban(text)
    return Meaning("iban", found) if found else None


def _tax_id(text: str) -> Meaning | None:
    """A tax number without spaces; for Germany only with the right check digit.

    That is of ISO 7064, mod 11-10.
    """
    text = re.sub(r"\s", "", text)
    product = 10
    for figure in text[2:-1] if text.startswith("DE") else "":
        total = (int(figure) + product) % 10 or 10
        product = total * 2 % 11
    is_right = not text.startswith("DE") or (11 - product) % 10 == int(text[-1])
    return Meaning("tax_id", text) if is_right else None


def _percent(text: str) -> Meaning:
    return Meaning("percent", text.rstrip("% ").replace(",", "."))


def _money(text: str) -> Meaning | None:
    found = amount_in(text)
    return _sum(found) if found and found.is_money else None


def _sum(amount: Amount) -> Meaning:
    return Meaning("amount", written(amount.number), amount.currency)


def _phone(text: str) -> Meaning | None:
    figures = re.sub(r"\D", "", text.replace("(0)", ""))
    number = "+" * text.startswith("+") + figures
    return Meaning("phone", number) if 7 <= len(figures) <= 15 else None


FORMS = (
    Form("email", re.compile("@"), EMAIL, lambda text: Meaning("email", text.lower())),
    Form("url", re.compile(r"[:wW](?://|[wW]{2}\.)"), URL, lambda text: Meaning("url", text)),
    Form("iban", re.compile(r"[A-Z][A-Z]\d\d"), _IBAN, _iban),
    Form("tax_id", _NUMBERED, _TAX_ID, _tax_id),
    Form("percent", re.compile("%"), PERCENT, _percent),
    Form("amount", _PRICED, _MONEY, _money),
    Form("phone", re.compile(r"\+"), _PHONE, _phone),
)
_WHOLE = tuple(form for form in FORMS if form.kind != "amount")

_LABELLED = {
    **{form.kind: form.pattern for form in _WHOLE},
    "date": DATE,
    "phone": _DIALLED,
}
"""The pattern of a value after a label, by kind."""


def typed(value: Value, order: Order, wanted: str = "") -> Value:
    """A value with the meaning of its text, if all of the text is one.

    Args:
        value: As it is on the page.
        order: Of the document's dates.
        wanted: The kind its label requires; empty if any.
    """
    meaning = _meaning_of(value.text.strip(), order, wanted)
    if meaning == (value.kind, value.normalised, value.currency):
        return value
    kind, norm, currency = meaning
    return msgspec.structs.replace(value, kind=kind, normalised=norm, currency=currency)


def _meaning_of(text: str, order: Order, wanted: str) -> Meaning:
    bare = text.removesuffix(".")
    if wanted in ("", "date") and (date := DATE.fullmatch(bare)):
        return Meaning("date", normalised(date, order))
    amount = amount_in(text)
    if amount and (wanted == "amount" or (not wanted and amount.is_money)):
        return _sum(amount)
    if wanted == "phone" and _DIALLED.fullmatch(text) and (meaning := _phone(text)):
        return meaning
    for form in _WHOLE:
        if form.pattern.fullmatch(text) and (meaning := form.meaning_of(text)):
            return meaning
    return NOTHING


def span_of(text: str, wanted: str) -> tuple[int, int] | None:
    """The extent of a value of a form at the start of a text; None if there is none.

    A code ends before its date, as in `34/2025 del 28/04/2025`, and before an isolated dash; a
    number sign before it is excluded.
    """
    if wanted == "code":
        if text.startswith("#"):
            return (len(text) - len(text.lstrip("# ")), len(text))
        date = DATE.search(text, 1)
        code = _OF.sub("", text[: date.start()]).rstrip() if date else text
        code = _ANEW.split(code, maxsplit=1)[0].rstrip(" ,;")
        code = code[:-1] if code.endswith(".") and code.count(".") == 1 else code
        code = code.rstrip(" .)") if ")" in code and "(" not in code else code
        code = behind[1] if (behind := _CODE_FIRST.match(code)) else code
        return (0, len(code)) if code != text and any(map(str.isdigit, code)) else None
    found = _LABELLED[wanted].search(text) if wanted in _LABELLED else None
    if found is None or found.start() > _BEFORE:
        return None
    is_dotted = wanted == "date" and text[found.end() :] == "." and "." in found[0]
    return found.start(), found.end() + is_dotted  # `2025.09.30.`
