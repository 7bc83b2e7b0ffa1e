"""What stands at the head of a bill: names of firms, lines of addresses, numbers, titles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from pagetide.exports.fields.heads import named
from pagetide.exports.fields.pairs.labels import name_of
from pagetide.exports.fields.values.amounts import without_currency
from pagetide.exports.fields.values.dates import has_date
from pagetide.exports.fields.values.forms import EMAIL, URL
from pagetide.languages.labels import (
    LABEL_WORDS,
    is_begun,
    labels_of,
    names,
    plain,
    words_by_role,
)
from pagetide.structure.tables.pieces import has_figures

_WORD = re.compile(r"[^\W\d_]+(?:[./&'’][^\W\d_]+)*")
_POST_CODE = re.compile(
    r"(?<![\d/-])(?:[A-Z]{1,2}-)?\d{5,6}(?![\d/]|-[A-Z])"
    r"|\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b|^\d{4}\s?(?:[A-Z]{2})?\s[^\W\d]"
    # Of Poland and Portugal, of Sweden, of Chile, of Ireland, Canada, of Australia.
    r"|^(?:\d{2}|\d{4})-\d{3}\s[^\W\d]|^\d{3}\s\d{2}\s[^\W\d]"
    r"|^\d{7}\s[^\W\d]|\b[A-Z]\d{2}\s[A-Z\d]{4}$|\b[A-Z]\d[A-Z]\s\d[A-Z]\d$|\s(?:NSW|VIC|QLD|SA|WA|TAS|ACT|NT)\s\d{4}$"
)
_HOUSE = re.compile(
    r"(?:no\.?\s*)?[\dA-Z]{0,3}-?\d[\w./&, -]{0,12}\s+[^\W\d]{2}", re.IGNORECASE
)
_HOUSE_LABEL = re.compile(r"\b(?:no|nr|n[°º])\.?$", re.IGNORECASE)  # `Kordonboyu Cad. No: 112`
_NUMBERED = re.compile(
    r"[^\W\d_]{3,}\.?\s+\d{1,4}\s?[a-zA-Z]?(?:\s?[-/+]\s?(?:\d{1,4}|[IVX]{1,4}|[a-z]))?,?"
)
_STREET = re.compile(
    r"(?:straße|strasse|str\.?|weg|platz|gasse|allee|damm|straat|laan|plein|vägen|gatan|vej)\b"
    r"|^(?:c/|avda\.|avd\.|ctra\.|ul\.|v\.le|p\.zza|bd\.?|blvd\.?)\s"
)
_HAN_FIRM = re.compile("公司|商行|商店|超市|酒店|餐厅|工厂")
_HAN_STREET = re.compile(r"[路街道巷]\s?\d+\s?号|邮编")
_LETTERS = re.compile(r"[^\W\d_]+")
# A number of a register: five figures and more, and a letter.
_FIGURES = re.compile(
    r"(?<![^\W\d_])[A-Z]{0,3}(?:\d[\dlIO]{4,}|\d{3}(?:\s\d{3}){2}(?:\s\d{5})?)"
    r"\s?-?\s?[A-Z]{0,2}(?![^\W_])"
)
_MONEY = re.compile(r"\d\s?[€$£¥]|[€$£¥]\s?\d")
_BETWEEN = re.compile(r"\s+[-–—·•|*]\s+|\s*[,·•|]\s+")
# But no name with a number in it: `School no. 4 of Radom`.
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
_COMPOUND = re.compile(r"[A-Z][a-zäöüß-]{2,30}rechnung")  # but no `Rechnungsnummer`
_HOST = re.compile(r"(?:[a-z\d-]+\.)+[a-z]{2,6}")  # of a net's address: no name
_COUPLE = 3  # words of `Herr und Frau`, besides those between
_AND = ("und", "and", "et", "e", "y", "en", "och", "og", "i", "a", "&", "+", "/")
_SIGNS = re.compile(r"^[^\w\"'«„“(&]+\s+")  # that stand before a name, as a logo's
_ARTICLE = 3  # letters of what may stand around a word for a street, as `la` and `no`
_SENTENCE = 8  # words of one, at least
_SHORT = 3  # letters of a legal form that may be another word
_TITLE = 40  # characters of a title
_TITLE_WORDS = 3  # with which one begins: `Nota di credito n. 38`
_KIND = 5  # words of one that says what is billed
_ENDINGS = ("invoice", "bill", "rechnung")
_DIGITS = 6  # of a telephone number, at least
_CALLED = ("phone", "tax_number", "email", "web", "date", "order_number")
_POST_BOX = re.compile(
    r"(?:p\.?\s?o\.?\s?box|postfach|postbus|apartado|case postale|boîte postale|casella postale"
    r"|skrytka|postboks|box)\s\d",
    re.IGNORECASE,
)
PARTIES = ("customer", "supplier", "ship_to")


_each_line = lru_cache(maxsize=512)  # a line is asked for below each name above it


@cache
def _words(role: str) -> frozenset[str]:
    return words_by_role("letterheads.toml")[role]


@_each_line
def words_in(text: str) -> tuple[str, ...]:
    """A text's words, plain."""
    return tuple(plain(word) for word in _WORD.findall(text))


@_each_line
def is_title(text: str) -> bool:
    """Whether a text is a bill's title, or the like on a receipt."""
    words = words_in(text)
    return bool(words) and _words("titles").issuperset(words)


@_each_line
def has_title(text: str) -> bool:
    """Whether a text is a bill's title, begins with its word, or ends with it."""
    first = text.split(maxsplit=_TITLE_WORDS)[:_TITLE_WORDS]
    if first and (_begins_title(first) or _COMPOUND.fullmatch(first[0])):
        return True
    if len(text) > _TITLE:
        return False
    whole = plain(text)
    return (
        whole in _words("bills") or whole.endswith("发票") or _is_joined(text) or _is_kind(text)
    )


def _begins_title(words: Sequence[str]) -> bool:
    if not is_begun(plain(words[0]), _titles_in_order()):
        return False  # as most are
    begun = (plain("".join(words[:count])) for count in range(1, len(words) + 1))
    return any(each in _words("bills") for each in begun)


@cache
def _titles_in_order() -> list[str]:
    return sorted(_words("bills"))


def _is_kind(text: str) -> bool:
    """Whether a title says what is billed: `Your electricity bill`, `Stromrechnung`."""
    words = text.split()
    is_title = 0 < len(words) <= _KIND and words[0][:1].isupper() and words[-1].isalpha()
    return is_title and plain(words[-1]).endswith(_ENDINGS) and plain(text) not in names()


def _is_joined(text: str) -> bool:
    """Whether a title's word stands behind a firm's name in the same line."""
    last = text.rsplit(maxsplit=1)[-1:]
    named = last and last[0][:1].isupper() and plain(last[0]) in _words("bills")
    return bool(named) and is_of_a_firm(text)


def is_receipt(text: str) -> bool:
    """Whether a text is a receipt's title."""
    return len(text) <= _TITLE and plain(text) in _words("receipts")


@_each_line
def is_of_a_firm(text: str) -> bool:
    """Whether a text has a word of a firm's name, as its legal form is."""
    words = words_in(text)
    if words and len(words[0]) <= _SHORT and not text[:_SHORT].isupper():
        words = words[1:]  # `Vos références`: legal forms that are first are in capitals
    return not _words("firms").isdisjoint(words) or bool(_HAN_FIRM.search(text))


@_each_line
def is_bank(text: str) -> bool:
    """Whether a name is a bank's."""
    return _BANK.search(text) is not None


@_each_line
def is_addressed(text: str) -> bool:
    """Whether a line begins as one does to whom a letter is sent: `Mrs`, `Herrn`, `Sig.`."""
    first, *others = text.split(maxsplit=1) or [""]
    return bool(others) and plain(first) in _words("persons")


@_each_line
def is_attention(text: str) -> bool:
    """Whether a line of an address says who is to have it: `Attn: Accounts`, `z. Hd.`."""
    found = _ATTENTION.match(text)
    return found is not None and not is_form(text[found.end() :])  # but no `Attn Ltd`


def attended(text: str) -> int:
    """Where the name begins in a line that says who is to have a letter."""
    found = _ATTENTION.match(text)
    return len(text) - len(text[found.end() :].lstrip(" .:")) if found else 0


@_each_line
def is_care_of(text: str) -> bool:
    """Whether a line of an address says at whose it is: `c/o Möller`, `Inh. S. Yilmaz`."""
    return _CARE_OF.match(text) is not None


@_each_line
def is_person(text: str) -> bool:
    """Whether a line is a person's name with how to address them: `Herrn Uwe Kröger`."""
    return is_addressed(text) and not is_salutation(text) and text[:3].casefold() != "an "


@_each_line
def is_salutation(text: str) -> bool:
    """Whether a line is nothing but how to address a name: `Frau`, `Herr und Frau`."""
    words = text.casefold().split()
    others = [plain(word) for word in words if word not in _AND]
    return 0 < len(others) <= _COUPLE and all(word in _words("persons") for word in others)


@_each_line
def is_post_box(text: str) -> bool:
    """Whether a line of an address is a box at a post office."""
    return _POST_BOX.match(text) is not None


def is_name_label(label: str) -> bool:
    """Whether a name stands behind a label: `Name`, `Ragione sociale`."""
    return plain(label).endswith(tuple(_words("name_labels")))


def is_address_label(label: str) -> bool:
    """Whether an address stands behind a label: `Address`, `Domicilio fiscal`."""
    return plain(label).startswith(tuple(_words("address_labels")))


@_each_line
def is_form(text: str) -> bool:
    """Whether a text has nothing but words of firms, as the end of a name in two lines has."""
    words = words_in(without_entry(text))
    return bool(words) and _forms().issuperset(words)


@cache
def _forms() -> frozenset[str]:
    return _words("forms") | _words("firms")


@_each_line
def is_entry(text: str) -> bool:
    """Whether a text is a firm's number in a register, with the words for it."""
    if _FIGURES.search(text) is None:
        return False
    left = _LETTERS.findall(_FIGURES.sub("", text).casefold())
    return all(word in _words("registered") or len(word) == 1 for word in left)


def without_entry(name: str) -> str:
    """A firm's name without its number in a register, which stands behind it."""
    words = name.split()
    cuts = (cut for cut in range(1, len(words)) if is_entry(" ".join(words[cut:])))
    return " ".join(words[: next(cuts, None)])


def sender_in(text: str) -> tuple[int, int] | None:
    """Where a name ends and an address begins in a line that has both, as windows show it."""
    parts = list(_BETWEEN.finditer(text))
    if len(parts) < 2 or not has_post_code(text) or not is_of_a_firm(text[: parts[0].start()]):
        return None
    return parts[0].span()


def without_label(name: str) -> str:
    """A firm's name without the label of the number that stands behind it in its line."""
    head, _, last = name.rpartition(" ")
    is_label = head and name_of(last) in _CALLED
    return head.rstrip(" ,·|•-–—") if is_label else name


def without_title(name: str) -> str:
    """A firm's name without a bill's title before or behind it in the same line."""
    words = name.split()
    for cut in (slice(None, -1), slice(1, None)):
        left = words[-1] if cut.stop else words[0]
        if len(words) > 1 and plain(left) in _words("bills"):
            return " ".join(words[cut])
    return name


def bare_name(text: str) -> str:
    """A firm's name without a title, a register's number and a label beside it."""
    return without_label(without_entry(without_title(_SIGNS.sub("", text))))


@_each_line
def is_of_an_address(text: str) -> bool:
    """Whether a line has what addresses have: a post code, a street, a house's number."""
    if text.endswith(",") or _STREET.search(text.casefold()) or is_post_box(text):
        return True
    if has_post_code(text) or _HAN_STREET.search(text):
        return True
    if _has_place(text):
        return any(map(str.isdigit, text)) or not is_of_a_firm(text)
    return bool(_HOUSE.match(text) or _NUMBERED.fullmatch(text))


def is_street(text: str) -> bool:
    """Whether a line is a street with its house's number, whatever its name may be."""
    is_numbered = any(map(str.isdigit, text)) and _has_place(text)
    return is_numbered and not is_form(text.rsplit(maxsplit=1)[-1])


def _has_place(text: str) -> bool:
    """Whether a line has a word for a street, or the like."""
    words = words_in(text)
    if not words:
        return False
    is_bare = not any(map(str.isdigit, text))
    # A person's, else short for a drive; and `Wirtshaus am Inntor`.
    others = {"dr", "am"} if is_bare else {"dr"} if text.startswith(("Dr.", "Dr ")) else set()
    if is_bare:  # `Slieve Rua Veterinary Clinic` has a word for a street in its midst
        first, last = (1 + (len(word) <= _ARTICLE) for word in (words[0], words[-1]))
        words = (*words[:first], *words[-last:])
    return any(word in _words("places") and word not in others for word in words)


def is_call(text: str) -> bool:
    """Whether a line says how to call or what a firm's tax number is."""
    if not any(map(str.isalpha, text)):
        return sum(map(str.isdigit, text)) >= _DIGITS and not has_date(text)
    return _is_called(text) and has_figures(text)


def may_be_a_house(text: str) -> bool:
    """Whether what looks like a post code may be a house's number: it is first, and short."""
    return text[:4].isdigit() and text[4:5] == " "


@_each_line
def has_post_code(text: str) -> bool:
    """Whether a line has a post code and the name of its place."""
    if not has_figures(text) or _POST_CODE.search(text) is None or is_post_box(text):
        return False
    return any(map(str.isalpha, text))


@_each_line
def ends_head(text: str) -> bool:
    """Whether a line is of what follows an address: how to call, numbers, dates."""
    if has_date(text) or URL.search(text):
        return True
    if _NUMBER_OF.search(text) and not _has_place(text):
        return True
    if "@" in text and EMAIL.search(text):
        return True
    words = words_in(without_currency(text)[0])
    return not words or _is_called(text) or _is_labelled(text)


def _is_labelled(text: str) -> bool:
    label, colon, _ = text.partition(":")
    is_street = _HOUSE_LABEL.search(label) is not None and _has_place(label)
    return bool(colon) and not (is_entry(text) or is_street) and len(label.split()) < 7


def _is_called(text: str) -> bool:
    """Whether a line begins with a label of how to reach somebody, or of a number."""
    said = ""
    for word in text.split(maxsplit=LABEL_WORDS)[:LABEL_WORDS]:
        said += plain(word)
        if said in _called():
            return True
        if not is_begun(said, _called_in_order()):
            return False
    return False


@cache
def _called_in_order() -> list[str]:
    return sorted(_called())


@cache
def _called() -> frozenset[str]:
    """Labels of how to reach somebody and of numbers, plain."""
    labels = {plain(label) for name in _CALLED for label in labels_of(name)}
    taxes = words_by_role("sums.toml")["tax"]
    return frozenset(label for label in labels | taxes if len(label) >= _SHORT) | {"hp"}


def _is_a_sentence(text: str) -> bool:
    """Whether most of many words begin small, as those of names do not."""
    words = text.split()
    return len(words) >= _SENTENCE and 2 * sum(word[0].islower() for word in words) > len(words)


def is_a_name(text: str) -> bool:
    """Whether a text may be somebody's name: mostly letters, and no label, title or date."""
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    if letters < 3 or letters <= digits or text.rstrip().endswith((":", "：")):
        return False
    if (digits and has_date(text)) or _MONEY.search(text):
        return False
    if _is_a_sentence(text) or ("%" in text and not digits):
        return False
    bare = without_title(text)
    is_label = name_of(text) or named(text) or _HOST.fullmatch(text)
    return not (is_label or is_title(bare) or has_title(bare))
