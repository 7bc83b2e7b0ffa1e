"""Lines of addresses: streets, places with post codes, post boxes."""

from __future__ import annotations

import re

from pagetide.exports.fields.bills.parties.firms import (
    each_line,
    is_form,
    is_of_a_firm,
    words_in,
    words_of_role,
)
from pagetide.structure.tables.pieces import has_figures

_POST_CODE = re.compile(
    r"(?<![\d/-])(?:[A-Z]{1,2}-)?\d{5,6}(?![\d/]|-[A-Z])"
    r"|\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b|^\d{4}\s?(?:[A-Z]{2})?\s[^\W\d]"
    # Poland and Portugal, Sweden, Chile, Ireland, Canada, Australia.
    r"|^(?:\d{2}|\d{4})-\d{3}\s[^\W\d]|^\d{3}\s\d{2}\s[^\W\d]"
    r"|^\d{7}\s[^\W\d]|\b[A-Z]\d{2}\s[A-Z\d]{4}$|\b[A-Z]\d[A-Z]\s\d[A-Z]\d$|\s(?:NSW|VIC|QLD|SA|WA|TAS|ACT|NT)\s\d{4}$"
)
_HOUSE = re.compile(
    r"(?:no\.?\s*)?[\dA-Z]{0,3}-?\d[\w./&, -]{0,12}\s+[^\W\d]{2}", re.IGNORECASE
)
_NUMBERED = re.compile(
    r"[^\W\d_]{3,}\.?\s+\d{1,4}\s?[a-zA-Z]?(?:\s?[-/+]\s?(?:\d{1,4}|[IVX]{1,4}|[a-z]))?,?"
)
_STREET = re.compile(
    r"(?:straße|strasse|str\.?|weg|platz|gasse|allee|damm|straat|laan|plein|vägen|gatan|vej)\b"
    r"|^(?:c/|avda\.|avd\.|ctra\.|ul\.|v\.le|p\.zza|bd\.?|blvd\.?)\s"
)
_HAN_STREET = re.compile(r"[路街道巷]\s?\d+\s?号|邮编")
_ARTICLE = 3  # letters of words that may surround a street word, such as `la` and `no`
_POST_BOX = re.compile(
    r"(?:p\.?\s?o\.?\s?box|postfach|postbus|apartado|case postale|boîte postale|casella postale"
    r"|skrytka|postboks|box)\s\d",
    re.IGNORECASE,
)


@each_line
def is_post_box(text: str) -> bool:
    """Whether a line of an address is a post office box."""
    return _POST_BOX.match(text) is not None


@each_line
def is_of_an_address(text: str) -> bool:
    """Whether a line has parts of an address: a post code, a street, a house number."""
    if text.endswith(",") or _STREET.search(text.casefold()) or is_post_box(text):
        return True
    if has_post_code(text) or _HAN_STREET.search(text):
        return True
    if has_place(text):
        return any(map(str.isdigit, text)) or not is_of_a_firm(text)
    return bool(_HOUSE.match(text) or _NUMBERED.fullmatch(text))


def is_street(text: str) -> bool:
    """Whether a line is a street with a house number, whatever its name."""
    is_numbered = any(map(str.isdigit, text)) and has_place(text)
    return is_numbered and not is_form(text.rsplit(maxsplit=1)[-1])


def has_place(text: str) -> bool:
    """Whether a line has a word for a street, or similar."""
    words = words_in(text)
    if not words:
        return False
    is_bare = not any(map(str.isdigit, text))
    # A person's title, otherwise short for a drive; and `Wirtshaus am Inntor`.
    others = {"dr", "am"} if is_bare else {"dr"} if text.startswith(("Dr.", "Dr ")) else set()
    if is_bare:  # `Slieve Rua Veterinary Clinic` has a street word inside
        first, last = (1 + (len(word) <= _ARTICLE) for word in (words[0], words[-1]))
        words = (*words[:first], *words[-last:])
    return any(word in words_of_role("places") and word not in others for word in words)


def may_be_a_house(text: str) -> bool:
    """Whether an apparent post code may be a house number: it is first, and short."""
    return text[:4].isdigit() and text[4:5] == " "


@each_line
def has_post_code(text: str) -> bool:
    """Whether a line has a post code and its place name."""
    if not has_figures(text) or _POST_CODE.search(text) is None or is_post_box(text):
        return False
    return any(map(str.isalpha, text))
