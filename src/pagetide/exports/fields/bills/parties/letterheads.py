"""The text at the head of a bill: company names, address lines, numbers, titles."""

from __future__ import annotations

import re
from functools import cache

from pagetide.exports.fields.bills.parties.addresses import has_place, has_post_code
from pagetide.exports.fields.bills.parties.firms import (
    SHORT,
    each_line,
    is_entry,
    is_form,
    is_of_a_firm,
    without_entry,
    words_in,
    words_of_role,
)
from pagetide.exports.fields.bills.parties.titles import has_title, is_title
from pagetide.exports.fields.heads import named
from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.values.amounts import without_currency
from pagetide.exports.fields.values.dates import has_date
from pagetide.exports.fields.values.forms import EMAIL, URL
from pagetide.languages.labels import LABEL_WORDS, is_begun, labels_of, plain, words_by_role
from pagetide.structure.tables.pieces import has_figures

_HOUSE_LABEL = re.compile(r"\b(?:no|nr|n[°º])\.?$", re.IGNORECASE)  # `Kordonboyu Cad. No: 112`
_MONEY = re.compile(r"\d\s?[€$£¥]|[€$£¥]\s?\d")
_BETWEEN = re.compile(r"\s+[-–—·•|*]\s+|\s*[,·•|]\s+")
# But not a name with a number in it: `School no. 4 of Radom`.
_NUMBER_OF = re.compile(
    r"[^\W\d_][\s-]+(?:nr|no|n[°º]|#)\.?\s?\d(?!\d?\s+[^\W\d_])", re.IGNORECASE
)
_ATTENTION = re.compile(
    r"(?:for the attention of|attention|attn|att|fao|z\.?\s?hd|zhd|zu händen|zu hd|a/a|a/c"
    r"|à l['’ ]att\w*|a la at\w*|atención|t\.?a\.?v|ter attentie van|alla c\.?\s?a|c\.a"
    r"|all['’]att\w*|alla cortese att\w*|ao cuidado|do rąk|k rukám|v/)(?![^\W_])",
    re.IGNORECASE,
)
_BANK = re.compile(
    r"\b(?:\w*bank|banque|banca|banco|bank\w*|\w*sparkasse|raiffeisen\w*|volksbank\w*)\b",
    re.IGNORECASE,
)
_CARE_OF = re.compile(
    r"(?:c/o|c/-|care of|p\.?\s?a\.|inh\.|inhaber\w*:?|prop\.|titolare|titular)\s",
    re.IGNORECASE,
)
_HOST = re.compile(r"(?:[a-z\d-]+\.)+[a-z]{2,6}")  # a host name: not a company name
_COUPLE = 3  # words of `Herr und Frau`, besides those between
_AND = ("und", "and", "et", "e", "y", "en", "och", "og", "i", "a", "&", "+", "/")
_SIGNS = re.compile(r"^[^\w\"'«„“(&]+\s+")  # before a name, as from a logo
_SENTENCE = 8  # words of one, at least
_DIGITS = 6  # of a phone number, at least
_CALLED = ("phone", "tax_number", "email", "web", "date", "order_number")
PARTIES = ("customer", "supplier", "ship_to")


@each_line
def is_bank(text: str) -> bool:
    """Whether a name is a bank's."""
    return _BANK.search(text) is not None


@each_line
def is_addressed(text: str) -> bool:
    """Whether a line starts with a form of address: `Mrs`, `Herrn`, `Sig.`."""
    first, *others = text.split(maxsplit=1) or [""]
    return bool(others) and plain(first) in words_of_role("persons")


@each_line
def is_attention(text: str) -> bool:
    """Whether an address line names a contact: `Attn: Accounts`, `z. Hd.`."""
    found = _ATTENTION.match(text)
    return found is not None and not is_form(text[found.end() :])  # but not `Attn Ltd`


def attended(text: str) -> int:
    """Where the name starts in an attention line."""
    found = _ATTENTION.match(text)
    return len(text) - len(text[found.end() :].lstrip(" .:")) if found else 0


@each_line
def is_care_of(text: str) -> bool:
    """Whether an address line names the host or owner: `c/o Möller`, `Inh. S. Yilmaz`."""
    return _CARE_OF.match(text) is not None


@each_line
def is_person(text: str) -> bool:
    """Whether a line is a person's name with a form of address: `Herrn Uwe Kröger`."""
    return is_addressed(text) and not is_salutation(text) and text[:3].casefold() != "an "


@each_line
def is_salutation(text: str) -> bool:
    """Whether a line is only a form of address: `Frau`, `Herr und Frau`."""
    words = text.casefold().split()
    others = [plain(word) for word in words if word not in _AND]
    return 0 < len(others) <= _COUPLE and all(
        word in words_of_role("persons") for word in others
    )


def is_name_label(label: str) -> bool:
    """Whether a name follows a label: `Name`, `Ragione sociale`."""
    return plain(label).endswith(_labels_of("name_labels"))


def is_address_label(label: str) -> bool:
    """Whether an address follows a label: `Address`, `Domicilio fiscal`."""
    return plain(label).startswith(_labels_of("address_labels"))


@cache
def _labels_of(role: str) -> tuple[str, ...]:
    return tuple(words_of_role(role))


def sender_in(text: str) -> tuple[int, int] | None:
    """Where a name ends and an address starts in a line with both, as in envelope windows."""
    parts = list(_BETWEEN.finditer(text)) if has_post_code(text) else []
    if len(parts) < 2 or not is_of_a_firm(text[: parts[0].start()]):
        return None
    return parts[0].span()


def without_label(name: str) -> str:
    """A company name without the label of the number after it on its line."""
    head, _, last = name.rpartition(" ")
    is_label = head and name_of(last) in _CALLED
    return head.rstrip(" ,·|•-–—") if is_label else name


def without_title(name: str) -> str:
    """A company name without a bill's title before or after it on the line."""
    words, titles = name.split(), words_of_role("bills")
    if len(words) > 1 and plain(words[-1]) in titles:
        return " ".join(words[:-1])
    if len(words) > 1 and plain(words[0]) in titles:
        return " ".join(words[1:])
    return name


def bare_name(text: str) -> str:
    """A company name without a title, register number and label beside it."""
    return without_label(without_entry(without_title(_SIGNS.sub("", text))))


def is_call(text: str) -> bool:
    """Whether a line has contact details or a company's tax number."""
    if not any(map(str.isalpha, text)):
        return sum(map(str.isdigit, text)) >= _DIGITS and not has_date(text)
    return _is_called(text) and has_figures(text)


@each_line
def ends_head(text: str) -> bool:
    """Whether a line follows an address: contact details, numbers, dates."""
    if has_date(text) or URL.search(text):
        return True
    if _NUMBER_OF.search(text) and not has_place(text):
        return True
    if "@" in text and EMAIL.search(text):
        return True
    words = words_in(without_currency(text)[0])
    return not words or _is_called(text) or _is_labelled(text)


def _is_labelled(text: str) -> bool:
    label, colon, _ = text.partition(":")
    is_street = _HOUSE_LABEL.search(label) is not None and has_place(label)
    return bool(colon) and not (is_entry(text) or is_street) and len(label.split()) < 7


def _is_called(text: str) -> bool:
    """Whether a line starts with a label of contact details, or of a number."""
    start = ""
    for word in text.split(maxsplit=LABEL_WORDS)[:LABEL_WORDS]:
        start += plain(word)
        if start in _called():
            return True
        if not is_begun(start, _called_in_order()):
            return False
    return False


@cache
def _called_in_order() -> list[str]:
    return sorted(_called())


@cache
def _called() -> frozenset[str]:
    """Labels of contact details and numbers, plain."""
    labels = {plain(label) for name in _CALLED for label in labels_of(name)}
    taxes = words_by_role("sums.toml")["tax"]
    return frozenset(label for label in labels | taxes if len(label) >= SHORT) | {"hp"}


def _is_a_sentence(text: str) -> bool:
    """Whether most of many words start in lowercase, unlike those of names."""
    words = text.split()
    return len(words) >= _SENTENCE and 2 * sum(word[0].islower() for word in words) > len(words)


def is_a_name(text: str) -> bool:
    """Whether a text may be a name: mostly letters, and no label, title or date."""
    letters = sum(map(str.isalpha, text))
    digits = sum(map(str.isdigit, text)) if has_figures(text) else 0
    if letters < 3 or letters <= digits or text.rstrip().endswith((":", "：")):
        return False
    if digits and (has_date(text) or _MONEY.search(text)):
        return False
    if _is_a_sentence(text) or ("%" in text and not digits):
        return False
    bare = without_title(text)
    is_label = name_of(text) or named(text) or ("." in text and _HOST.fullmatch(text))
    return not (is_label or is_title(bare) or has_title(bare))
