"""The seller as bills name it: by the legal name, if the page has one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import takewhile

from pagetide.exports.fields.bills.parties.address_blocks import FOOT, AddressBlock
from pagetide.exports.fields.bills.parties.addresses import (
    has_post_code,
    is_of_an_address,
)
from pagetide.exports.fields.bills.parties.firms import is_form, is_of_a_firm
from pagetide.exports.fields.bills.parties.letterheads import bare_name, is_a_name
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.languages.labels import plain

_LETTERS = 5  # of a name that another line repeats, at least
_FORM = 4  # words of it within which its legal form ends
_TRADE = 3  # words before a trade name that describe the trade, at most
_UNDER = 2  # lines below a company's trade name that may have its legal name
_BETWEEN_PARTS = re.compile(r"\s*[,|·•]\s*|\s[-–—/]\s")
_MOST_WORDS = 8  # of a company name with its form
_DASH = re.compile(r"\s*[-–—·]\s+")
_TRADE_NAME_OF = re.compile(
    r"\s*(?:(?:is )?a trading (?:name|style) of |is a brand of |est une marque (?:de |d['’])"
    r"|ist eine marke (?:der |von )|es una marca (?:comercial )?de |è un marchio (?:di |della )"
    r"|is een handelsnaam van |é uma marca (?:da |de )|är ett varumärke (?:från|som ägs av) )",
    re.IGNORECASE,
)
_TRADING_AS = re.compile(
    r"\s+(?:t/a|trading as|d/b/a|dba|doing business as|h\.?o\.?d\.?n\.?"
    r"|handelend onder de naam)\s+",
    re.IGNORECASE,
)
_INITIAL = re.compile(r"[^\W\d_]\.")
_SHORT = 2  # characters of what may be one
_INITIALS = re.compile(r"(?:[A-ZÀ-Ý]\.\s?){2,}")  # as of `S. A.`


def seller_named(block: AddressBlock, sheet: Sheet) -> tuple[Sequence[Phrase], str | None]:
    """A seller's name as phrases, and its text if that is only a part of these.

    Companies give their legal names in the page footer, or below their trade name.
    """
    if legal := _traded(block, sheet) or _legal(block, sheet) or _below(block):
        return [legal], bare_name(legal.text)
    if whole := _spelt_out(block, sheet):
        return [whole], bare_name(whole.text)
    [first, *others], end = block.name, _end_of_form(block.text)
    if not others and any(map(str.isdigit, first.text[end:])) and end:
        first = first.part(0, end)  # `Kjær Snedker ApS Assensvej 140`
        return [first], bare_name(first.text)
    return block.name, bare_name(block.text)


def address_of(block: AddressBlock) -> Sequence[Phrase]:
    """The lines of a seller's address, without text between it and the name."""
    texts = [phrase.text for phrase in block.address]
    places = [at for at, text in enumerate(texts) if is_of_an_address(text)]
    if not places:
        return ()
    is_coded = any(map(has_post_code, texts))
    return block.address[places[0] : None if is_coded else places[-1] + 1]


def _below(block: AddressBlock) -> Phrase | None:
    if is_of_a_firm(block.text):
        return None
    lines = (line for line in block.address[:_UNDER] if not is_of_an_address(line.text))
    firm = next((line for line in lines if is_of_a_firm(line.text)), None)
    if firm is None:
        return None
    name = bare_name(_first_part(firm.text))
    return firm.part(0, len(name)) if is_of_a_firm(name) and is_a_name(firm.text) else None


def _legal(block: AddressBlock, sheet: Sheet) -> Phrase | None:
    """A name with its legal form, as another line of the page has it.

    In the page footer it may be longer without one; None if no line has more.
    """
    own = _letters("".join(phrase.text for phrase in block.name))
    if len(own) < _LETTERS:
        return None
    foot, longer = FOOT * sheet.page.height, None
    for phrase in sheet.phrases:
        may_be = phrase.y0 > foot or is_of_a_firm(phrase.text)
        if not may_be or phrase in block.name or own[:_LETTERS] not in _letters(phrase.text):
            continue
        for line in _with_value(phrase):
            end, is_firm = _end(_first_part(line.text), own)
            if end and is_firm:
                return line.part(0, end)
            if end and longer is None and phrase.y0 > foot:
                longer = line.part(0, end)
    return longer


def _spelt_out(block: AddressBlock, sheet: Sheet) -> Phrase | None:
    """The person whose first name a name abbreviates: `Dr. A. Holt`, `Dr. Anne Holt`."""
    *titles, last = block.text.split() or [""]
    initial = next((word for word in titles if _INITIAL.fullmatch(word)), None)
    if initial is None:
        return None
    for phrase in sheet.phrases:
        *first, end = phrase.text.split() or [""]
        is_longer = end == last and len(phrase.text) > len(block.text)
        is_spelt_out = any(word[:1] == initial[0] and len(word) > _SHORT for word in first)
        if is_longer and is_spelt_out and is_a_name(phrase.text):
            return phrase
    return None


def _traded(block: AddressBlock, sheet: Sheet) -> Phrase | None:
    """The company behind a trade name, from another line: `X is a trading name of Y`."""
    own = block.text.casefold()
    if whole := _TRADE_NAME_OF.search(own):  # the name is the sentence that states it
        own = own[: whole.start()]
    elif whole := _TRADING_AS.search(own):
        own = own[whole.end() :]
    if len(own) < _LETTERS:
        return None
    is_firm, count = is_of_a_firm(block.text), len(own)
    longer = [p for p in sheet.phrases if len(p.text) > count and own in p.text.casefold()]
    firms = (_firm_of(own, phrase, is_firm=is_firm) for phrase in longer)
    return next(filter(None, firms), None)


def _firm_of(own: str, phrase: Phrase, *, is_firm: bool) -> Phrase | None:
    """The company name in a line that states whose trade name it is; a dash does so too."""
    start = phrase.text.casefold().index(own)
    after = _TRADE_NAME_OF.match(phrase.text, start + len(own))
    if not (after or is_firm):
        after = _DASH.match(phrase.text, start + len(own))
    if after and (end := _end_of_form(_first_part(phrase.text[after.end() :]))):
        return phrase.part(after.end(), after.end() + end)
    before = _TRADING_AS.search(phrase.text)
    is_before = before is not None and start == before.end()
    if before and is_before and _end_of_form(phrase.text[: before.start()]) == before.start():
        return phrase.part(0, before.start())
    return None


def _end_of_form(text: str) -> int:
    """Where a company name at a text's start ends with its legal form; otherwise 0.

    The form may be first: `EURL Kermadec Botanique`.
    """
    words = list(re.finditer(r"\S+", text))[:_MOST_WORDS]
    forms = [n for n, word in enumerate(words) if is_form(word[0])]
    if not forms or not words[0][0][:1].isalnum():
        return 0
    last = forms[-1] if forms[-1] else _capitals(words)
    if not last:
        return 0
    is_sentence = words[last][0].endswith(".") and last + 1 < len(words)
    # `Inc.` and `S.A.` are never without it.
    is_short = plain(words[last][0]) == "inc" or words[last][0].count(".") > 1
    return words[last].end() - (is_sentence and not is_short)


def _capitals(words: Sequence[re.Match[str]]) -> int:
    """The last of the leading words in capitals, within the sentence."""
    stop = next((n for n, word in enumerate(words) if word[0].endswith(".")), len(words) - 1)
    until = takewhile(lambda n: words[n][0][:1].isupper(), range(stop + 1))
    return max(until, default=0)


def _first_part(text: str) -> str:
    """A text up to a comma or similar that no legal form follows."""
    cuts = [between.span() for between in _BETWEEN_PARTS.finditer(text)]
    ends = [*(start for start, _ in cuts[1:]), len(text)]
    for (start, after), end in zip(cuts, ends, strict=False):
        part = text[after:end]
        if not (is_form(part) or _INITIALS.fullmatch(part)):
            return text[:start]
    return text


def _with_value(phrase: Phrase) -> Iterator[Phrase]:
    """The text after a label in a phrase, and the phrase."""
    if (end := phrase.text.find(": ")) > 0:
        yield phrase.part(end + 1, len(phrase.text))
    yield phrase


def _end(text: str, own: str) -> tuple[int, bool]:
    """Where a name ends in a text that contains it, and whether with its legal form.

    Only a legal form may precede the name or, before a trade name, the trade: `Elektro
    Brinkmeyer GmbH`; 0 if the text is something else.
    """
    before = _letters(text).find(own)
    words = list(re.finditer(r"\S+", text))
    ends = [len(_letters(text[: word.end()])) for word in words]
    if before < 0 or (before and before not in ends):
        return 0, False
    trade = words[: ends.index(before) + 1] if before and not is_form(words[0][0]) else []
    is_sentence = any(word[0].endswith(".") for word in trade)
    if len(trade) > _TRADE or is_sentence or (trade and not trade[0][0][0].isupper()):
        return 0, False
    last = next(n for n, end in enumerate(ends) if end >= before + len(own))
    forms = (n for n in range(last, len(words)) if is_form(words[n][0]))
    form = next(forms, last + _FORM)
    while form + 1 < len(words) and is_form(words[form + 1][0]):
        form += 1
    is_firm = form < min(last + _FORM, len(words))
    if trade and not is_firm:
        return 0, False
    end = words[form if is_firm else last].end()
    is_sentence = text[end - 1] == "." and text[end : end + 2].strip().isupper()
    return end - is_sentence, is_firm or is_of_a_firm(text[:end])


def _letters(text: str) -> str:
    """A text prepared for comparing names: only letters and digits, without accents."""
    letters = plain(text)
    if not letters.isascii():
        letters = unicodedata.normalize("NFD", letters)
    return "".join(filter(str.isalnum, letters))
