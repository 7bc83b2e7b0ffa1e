"""Invented text in eight languages: sentences, names, addresses, sums of money."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "de", "fr", "zh", "ar")
WEIGHTS = (30, 20, 20, 18, 12)
ABROAD = ("es", "it", "nl")  # of bills, if requested
_FOLDER = Path(__file__).parent / "lexicon"
_MONEY = {"en": ("{}", ",", "."), "de": ("{}", ".", ","), "fr": ("{}", "\u00a0", ",")}
_MONEY |= dict.fromkeys(ABROAD, _MONEY["de"])
_SIGNS = {
    "en": ("£{}", "${}", "{}"),
    "de": ("{} €", "{}"),
    "fr": ("{} €", "{}"),
    "zh": ("¥{}", "{}"),
    "ar": ("{}",),
    "es": ("{} €", "{}"),
    "it": ("€ {}", "{}"),
    "nl": ("€ {}", "{}"),
}


@cache
def _labels() -> Mapping[str, Sequence[str]]:
    labels: dict[str, list[str]] = tomllib.loads((_FOLDER / "labels.toml").read_text())[
        "labels"
    ]
    return labels


@cache
def _lists(language: str) -> Mapping[str, Sequence[str]]:
    name = "latin.toml" if language in ("en", "de", "fr") else "others.toml"
    name = "abroad.toml" if language in ABROAD else name
    lists: dict[str, list[str]] = tomllib.loads((_FOLDER / name).read_text())[language]
    return lists


@cache
def _labels_abroad(language: str) -> Mapping[str, str]:
    told = tomllib.loads((_FOLDER / "abroad.toml").read_text())
    labels: dict[str, str] = told[language]["labels"]
    return labels


@dataclass(frozen=True)
class Writer:
    """Makes random text of one language; the same seed makes the same text."""

    language: str
    chance: random.Random

    @property
    def is_spaced(self) -> bool:
        """Whether there are spaces between words."""
        return self.language != "zh"

    def label(self, key: str) -> str:
        """A form's text for one of the keys of `labels.toml`."""
        if self.language in ABROAD:
            return _labels_abroad(self.language)[key]
        return _labels()[key][LANGUAGES.index(self.language)]

    def word(self, of: str) -> str:
        """One of a list of words: `nouns`, `goods`, `towns` and the like."""
        return self.chance.choice(_lists(self.language)[of])

    def joined(self, *words: str) -> str:
        """The words joined as the language requires."""
        return (" " if self.is_spaced else "").join(filter(None, words))

    def phrase(self) -> str:
        """Two or three words about a thing."""
        noun, adjective = self.word("nouns"), self.word("adjectives")
        if self.language in ("fr", "ar", "es", "it"):
            return self.joined(noun, adjective)
        return self.joined(adjective, noun)

    def heading(self) -> str:
        """A short title, without a stop."""
        if self.chance.random() < 0.5:
            return capital(self.phrase())
        return capital(self.joined(self.phrase(), self.word("preps"), self.word("nouns")))

    def clause(self) -> str:
        """A subject, a verb and an object."""
        words = [self.word("articles"), self.phrase(), self.word("verbs"), self.phrase()]
        if self.chance.random() < 0.5:
            words += [self.word("preps"), self.word("nouns")]
        return self.joined(*words)

    def sentence(self) -> str:
        """One sentence with its stop."""
        parts = [self.clause()]
        if self.chance.random() < 0.45:
            comma = {"zh": "，", "ar": "،"}.get(self.language, ",")
            parts[0] += comma
            parts += [self.word("joins"), self.clause()]
        if self.chance.random() < 0.2:
            parts.insert(0, self.word("openers"))
        if self.chance.random() < 0.12:
            parts.append(f"({self.chance.randint(2, 2400)})")
        return capital(self.joined(*parts)) + ("。" if self.language == "zh" else ".")

    def text(self, least: int, most: int) -> str:
        """This many sentences."""
        sentences = (self.sentence() for _ in range(self.chance.randint(least, most)))
        return self.joined(*sentences)

    def good(self) -> str:
        """Something for sale, with or without a distinguishing detail."""
        if self.chance.random() < 0.15:
            return self.word("services")
        extra = [self.word("traits") for _ in range(self.chance.choice((0, 1, 1, 2)))]
        comma = {"zh": "，", "ar": "، "}.get(self.language, ", ")
        return comma.join([self.word("goods"), *extra])

    def person(self) -> str:
        """A full name."""
        first, last = self.word("firsts"), self.word("lasts")
        return last + first if self.language == "zh" else f"{first} {last}"

    def firm(self) -> str:
        """A company name."""
        name = self.word("towns") if self.language == "zh" else self.word("lasts")
        return self.joined(name, self.word("goods").split()[0], self.word("firms"))

    def address(self, *, firm: bool = True) -> list[str]:
        """The lines of an address, with a name first."""
        number, code = self.chance.randint(1, 180), self.chance.randint(10000, 99999)
        street, town = self.word("streets"), self.word("towns")
        lines = [self.firm(), self.person()] if firm else [self.person()]
        if self.language == "zh":
            return [*lines, f"{town}{street}{number}号", f"邮编 {code}"]
        first = (
            f"{street} {number}" if self.language not in ("en", "fr") else f"{number} {street}"
        )
        last = f"{town} {code}" if self.language == "en" else f"{code} {town}"
        tail = [self.word("countries")] if self.chance.random() < 0.3 else []
        return [*lines, first, last, *tail]

    def date(self) -> str:
        """A day, as the language writes it."""
        day, month = self.chance.randint(1, 28), self.chance.randint(1, 12)
        year = self.chance.randint(2003, 2026)
        if self.language == "zh":
            return f"{year}年{month}月{day}日"
        forms = {
            "en": ("{d:02}/{m:02}/{y}", "{y}-{m:02}-{d:02}"),
            "de": ("{d:02}.{m:02}.{y}",),
            "nl": ("{d:02}-{m:02}-{y}",),
        }
        form = self.chance.choice(forms.get(self.language, ("{d:02}/{m:02}/{y}",)))
        if self.chance.random() < 0.25:
            return f"{day} {self.word('months')} {year}"
        return form.format(d=day, m=month, y=year)

    def number(self, value: float, places: int = 2) -> str:
        """A number with the language's signs for thousands and decimals."""
        _, thousand, point = _MONEY.get(self.language, ("{}", ",", "."))
        plain = f"{value:,.{places}f}"
        return plain.translate({ord(","): thousand, ord("."): point})

    def code(self) -> str:
        """A number of an order, an article or a person."""
        letters = "".join(self.chance.choice("ABCDEFGHKLMNPRSTUVWX") for _ in range(2))
        digits = self.chance.randint(1000, 999999)
        return self.chance.choice((f"{letters}-{digits}", f"{digits}", f"{letters}{digits}"))

    def sign(self) -> str:
        """The document's format of sums of money, with one placeholder."""
        return self.chance.choice(_SIGNS[self.language])

    def phone(self) -> str:
        """A telephone number."""
        return f"+{self.chance.randint(20, 99)} {self.chance.randint(10, 999)} " + str(
            self.chance.randint(100000, 9999999)
        )

    def site(self) -> str:
        """A web address that leads nowhere."""
        return f"www.{self.chance.choice(('oxleigh', 'tarn', 'lindfurt', 'estmar'))}.example"


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def writer_of(chance: random.Random) -> Writer:
    """A writer of a random language."""
    return Writer(chance.choices(LANGUAGES, WEIGHTS)[0], chance)
