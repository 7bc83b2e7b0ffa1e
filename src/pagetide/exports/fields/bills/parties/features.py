"""Features that tell whether a name with its address is the seller or the customer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from math import inf

from pagetide.exports.fields.bills.parties.address_blocks import (
    FOOT,
    AddressBlock,
    is_in_one_line,
)
from pagetide.exports.fields.bills.parties.addresses import (
    has_post_code,
    is_of_an_address,
)
from pagetide.exports.fields.bills.parties.firms import is_of_a_firm
from pagetide.exports.fields.bills.parties.letterheads import (
    PARTIES,
    is_addressed,
    is_attention,
    is_call,
    is_salutation,
    sender_in,
)
from pagetide.exports.fields.bills.parties.titles import has_title, is_title
from pagetide.exports.fields.pairs.names import name_of
from pagetide.exports.fields.phrases.phrase import Phrase
from pagetide.exports.fields.phrases.sheet import Sheet
from pagetide.languages.labels import plain
from pagetide.structure.tables.pieces import has_figures

_PARTS = re.compile(r"\s[–—|·•]\s")  # of a company's trade, as `Traiteur – Banquets`
_LARGE, _SMALL = 1.25, 0.85  # times the usual letters
_LARGEST = 0.85  # times the largest letters of a page
_WORD = 4  # letters of a word, at least
_AFTER = 5  # lines below an address that show whose it is
_BESIDE = 12  # heights between a label and a name to its right, at most
_HOSTS = 40  # that are examined
_LETTERS = 5  # of a name that is searched for elsewhere on the page, at least
_LONG = 42  # characters that make a sentence likely
_MANY = 6  # names on a page; later ones count as the last
_DOMAIN = re.compile(r"(?:@|www\.|https?://)(?:www\.)?([\w-]{4,})\.")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:\s?[A-Z\d]{4}){3}")
_CALL = re.compile(
    r"\b(?:t[eé]le?f?|tfno|tlf|phone|telephone|telefon|téléphone|teléfono|telefono|mobile?|fax)\b"
    r"|@|www\.|☎",
    re.IGNORECASE,
)
_TAX = re.compile(
    r"\b(?:VAT|ABN|GSTIN|GST|TVA|USt|UID|NIF|CIF|RFC|P\.?\s?IVA|NIP|BTW|KvK|CHE|CUIT|MOMS|CVR)\b",
    re.IGNORECASE,
)

Features = dict[str, float]


@dataclass(frozen=True)
class Surroundings:
    """Data computed once per page for all its names.

    Attributes:
        sheet: The page.
        usual: The height of most letters.
        largest: That of the largest that make a word.
        domains: Host names in its web and mail addresses.
        texts: All phrases, plain, with breaks between them.
        foot: Those at its foot.
        beside: The text left of each phrase, by its line and left edge.
    """

    sheet: Sheet
    usual: float
    largest: float
    domains: frozenset[str]
    texts: str
    foot: str
    beside: dict[tuple[int, float], Phrase]

    @classmethod
    def of(cls, sheet: Sheet) -> Surroundings:
        """Those of a page."""
        phrases, low = sheet.phrases, FOOT * sheet.page.height
        texts = [plain(phrase.text) for phrase in phrases]
        hosts = islice(_DOMAIN.finditer("\n".join([phrase.text for phrase in phrases])), _HOSTS)
        return cls(
            sheet=sheet,
            usual=sheet.usual,
            largest=_largest(phrases),
            domains=frozenset(plain(host[1]) for host in hosts),
            texts="\n".join(texts),
            foot="\n".join([t for p, t in zip(phrases, texts, strict=True) if p.y0 > low]),
            beside={
                (right.line, right.x0): left
                for row in sheet.rows
                for left, right in pairwise(row)
            },
        )

    def features(self, block: AddressBlock, place: int) -> Features:
        """Those of a name preceded by `place` names, as named features."""
        return {
            "always": 1.0,
            **self._of_place(block, place),
            **self._of_letters(block),
            **_of_name(block.text),
            **_of_address(block),
            **_of_above(block.above),
            **self._of_left(block.name[0]),
            **_of_after(block.after),
            **self._of_repeats(block),
            "first": block.is_first,
        }

    def _of_place(self, block: AddressBlock, place: int) -> Features:
        first = block.name[0]
        x, y = first.x0 / self.sheet.page.width, first.y0 / self.sheet.page.height
        return {
            "in_window": 0.08 < y < 0.36 and x < 0.2,
            "right": x > 0.5,
            "top": y < 0.1,
            "low": y > 0.38,
            "foot": y > FOOT,
            "place": min(1.0, place / _MANY),
            "flush_right": _is_flush_right(block),
        }

    def _of_letters(self, block: AddressBlock) -> Features:
        height = block.name[0].height
        address = block.address[0].height if block.address else height
        return {
            "largest": height > _LARGEST * self.largest,
            "large": height > _LARGE * self.usual,
            "small": height < _SMALL * self.usual,
            "larger_than_address": height > 1.15 * address,
        }

    def _of_left(self, first: Phrase) -> Features:
        left = self.beside.get((first.line, first.x0))
        near = left is not None and left.x1 > first.x0 - _BESIDE * first.height
        label = name_of(left.text.partition(":")[0]) if left and near else ""
        return {f"{party}_at_left": label == party for party in PARTIES}

    def _of_repeats(self, block: AddressBlock) -> Features:
        own = plain(block.text)
        lines = [plain(p.text) for p in block.address if is_of_an_address(p.text)]
        is_long = len(own) >= _LETTERS
        high = block.name[0].y0 < FOOT * self.sheet.page.height
        count = self.texts.count(own) if is_long else 0
        is_elsewhere = count > (
            len(block.name) == 1
        )  # a name over two lines occurs once as a whole
        words = (own, *map(plain, block.text.split())) if self.domains else ()
        is_host = any(map(self._is_host, words))
        return {
            "host": is_host,
            "no_host": bool(self.domains) and not is_host,
            "in_foot": is_long and high and own in self.foot,
            "again": count > 1,
            "firm_elsewhere": is_elsewhere and self._is_in_a_firms(own, block.text),
            "address_in_foot": high and any(line in self.foot for line in lines),
            "address_again": any(self.texts.count(line) > 1 for line in lines),
        }

    def _is_in_a_firms(self, own: str, text: str) -> bool:
        """Whether a name occurs elsewhere with a legal form that it lacks here."""
        if is_of_a_firm(text):
            return False
        texts = [each.text for each in self.sheet.phrases if own in plain(each.text)]
        return any(map(is_of_a_firm, texts))

    def _is_host(self, word: str) -> bool:
        bare = word.replace("&", "")
        return len(bare) >= _LETTERS and any(
            host in bare or bare[: _LETTERS + 1] in host for host in self.domains
        )


def _largest(phrases: Sequence[Phrase]) -> float:
    """The height of the largest letters that make a word; 1 without any."""
    largest = -inf
    for phrase in phrases:
        if phrase.height > largest and sum(map(str.isalpha, phrase.text)) >= _WORD:
            largest = phrase.height
    return largest if largest > -inf else 1.0


def with_sole_address(features: Sequence[Features]) -> list[Features]:
    """Features, plus whether it is the only one with a post code, or the first of several."""
    coded = [at for at, each in enumerate(features) if each["coded"]]
    return [
        each
        | {
            "sole_coded": coded == [at],
            "first_coded": bool(coded) and coded[0] == at,
        }
        for at, each in enumerate(features)
    ]


def _is_flush_right(block: AddressBlock) -> bool:
    first, rest = block.name[0], block.address[:1]
    return any(abs(first.x1 - p.x1) < 2 and abs(first.x0 - p.x0) > 4 for p in rest)


def _of_name(text: str) -> Features:
    return {
        "firm": is_of_a_firm(text),
        "addressed": is_addressed(text),
        "lower": text[:1].islower(),
        "long": len(text) > _LONG,
        "one_word": len(text.split()) == 1,
        "figures": has_figures(text),
        "comma": "," in text,
        "parts": _PARTS.search(text) is not None,
    }


def _of_address(block: AddressBlock) -> Features:
    texts = [line.text for line in block.address]
    contacts = [line.text for line in block.contact]
    return {
        "coded": any(map(has_post_code, texts)),
        "street": any(map(is_of_an_address, texts)),
        "alone": not texts,
        "one_line": len(texts) == 1,
        "attention": any(map(is_attention, contacts)),
        "addressed_in_it": any(map(is_addressed, texts + contacts)),
        "in_one_line": any(p.line == block.name[0].line for p in block.address[:1]),
        "firm_below": any(map(is_of_a_firm, texts[:2])),
    }


def _of_above(text: str) -> Features:
    label = name_of(text.partition(":")[0]) if text else ""
    return {
        **{f"{party}_above": label == party for party in PARTIES},
        "label_above": bool(label) and label not in PARTIES,
        "colon_above": not label and text.rstrip().endswith(":"),
        "title_above": bool(text) and (is_title(text) or has_title(text)),
        "salutation_above": bool(text) and is_salutation(text),
        "sender_above": sender_in(text) is not None or is_in_one_line(text),
    }


def _is_a_number(text: str) -> bool:
    return is_call(text) and not any(map(str.isalpha, text))


def _of_after(lines: Sequence[Phrase]) -> Features:
    texts = [line.text for line in lines[:_AFTER]]
    return {
        "called": any(_CALL.search(text) or _is_a_number(text) for text in texts),
        "taxed": any(map(_TAX.search, texts)),
        "bank": any(map(_IBAN.search, texts)),
    }
