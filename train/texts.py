"""The text of the lines: words, numbers, codes, dates, sums, addresses, labels."""

from __future__ import annotations

import random
import string
from collections.abc import Callable

_ENDS = (*".,,,.;:?!", "...", ".)", "),", ").", ".,", "'s", "’s", "’s", "’")
_QUOTES = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("‘", "’"), ("'", "'"), ("(", ")"),
           ("(", ")"), ("[", "]"))  # fmt: skip
_SIGNS = "$€£¥%&§#@*+-=/\\<>|~^_°·•©®™†‡±×÷→–—²³½¼¾ªº¢¡¿{}[]()!?;:'\"`,.‰−≤≥µ¹„“”«»‘’‚"
_CURRENCIES = ("$", "€", "£", "¥", "EUR", "USD", "CHF", "kr", "zł", "GBP", "Fr.", "US$")
_UNITS = ("%", "kg", "g", "mm", "cm", "m", "km", "m²", "l", "ml", "h", "°C", "kWh",
          "pcs", "Stk", "St.", "W", "V", "A", "Hz", "GB", "MB", "t", "mg", "µm")  # fmt: skip
_HOSTS = ("com", "org", "net", "de", "fr", "co.uk", "eu", "it", "es", "nl", "gov", "info", "io")
LONG_WORD = 24


class Texts:
    """Endless texts."""

    def __init__(self, words: dict[str, list[str]], seed: int) -> None:
        """Take words by language, and a seed of the random numbers."""
        self.random = random.Random(seed)  # noqa: S311 - drawn pages are no secret
        lists = [words["en"], *(listed for code, listed in words.items() if code != "en")]
        self._words = [[word for word in listed if word[-2:] != "'s"] for listed in lists]
        self._short = [[word for word in listed if len(word) <= 4] for listed in self._words]
        self._letters = [
            sorted({letter for word in listed for letter in word}) for listed in self._words
        ]
        self._kinds: list[tuple[Callable[[], str], float]] = [
            (self._word, 60), (self._number, 9), (self._sum, 5), (self._date, 3),
            (self._range, 2.5), (self._alone, 3),
            (self._code, 5), (self._made_up, 7), (self._address, 1.5), (self._initials, 2),
            (self._measure, 2), (self._signs, 1.2), (self._letter, 1.5), (self._roman, 0.5),
        ]  # fmt: skip

    def line(self, letters: int) -> str:
        """A line of about this many letters."""
        pick = self.random
        self._language = 0 if pick.random() < 0.45 else pick.randrange(len(self._words))
        kind = pick.random()
        if kind < 0.12:
            return self._only(self._number, letters) if kind < 0.07 else self._code()
        if kind < 0.16:
            return self._spaced_letters(letters)
        parts: list[str] = []
        length = 0
        while length < letters:
            part = self._part()
            parts.append(part)
            length += len(part) + 1
        text = " ".join(parts)
        return self._cased(text) if kind < 0.75 else text

    def tail(self) -> str:
        """A raised or lowered text after a word: a footnote's number, an index."""
        tail = (
            self._digits(1, 2)
            if self.random.random() < 0.75
            else self.random.choice("abijknst*")
        )
        return tail if self.random.random() < 0.9 else tail + ")"

    def _cased(self, text: str) -> str:
        way = self.random.random()
        if way < 0.12:
            return text.upper().replace("ẞ", "SS")
        if way < 0.24:
            return text.title()
        return text[:1].upper() + text[1:]

    def _part(self) -> str:
        pick = self.random
        maker = pick.choices(*zip(*self._kinds, strict=True))[0]
        part = maker()[:LONG_WORD]
        way = pick.random()
        if way < 0.10:
            return part + pick.choice(_ENDS)
        if way < 0.14:
            left, right = pick.choice(_QUOTES)
            return left + part + right
        if way < 0.155:
            return part + pick.choice("-/–&") + self._word()
        if way < 0.17:
            return pick.choice("-–—•*·+§#/|>") + pick.choice(("", " ")) + part
        return part

    def _word(self) -> str:
        # Running text is full of short words; lists of words are not.
        lists = self._short if self.random.random() < 0.3 else self._words
        word = self.random.choice(lists[self._language])
        return word if self.random.random() < 0.9 else self._cased(word)

    def _made_up(self) -> str:
        letters = self._letters[self._language]
        word = "".join(self.random.choices(letters, k=self.random.randint(2, 9)))
        return self.random.choice((word.lower(), word.upper(), word, word.capitalize()))

    def _digits(self, least: int, most: int) -> str:
        return "".join(self.random.choices(string.digits, k=self.random.randint(least, most)))

    def _number(self) -> str:
        pick = self.random
        way = pick.random()
        if way < 0.35:
            return self._digits(1, 4)
        if way < 0.6:
            mark = pick.choice(",.,. '")
            return mark.join(
                [self._digits(1, 3), *(self._digits(3, 3) for _ in range(pick.randint(1, 3)))]
            )
        if way < 0.85:
            return f"{self._digits(1, 4)}{pick.choice('.,')}{self._digits(1, 4)}"
        if way < 0.93:
            return (
                pick.choice("-+−±~<>≤≥$(")
                + self._digits(1, 3)
                + pick.choice(("", ".5", ")", "%"))
            )
        return self._digits(5, 14)

    def _sum(self) -> str:
        pick = self.random
        number = pick.choice((f"{self._digits(1, 3)},{self._digits(3, 3)}.{self._digits(2, 2)}",
                              f"{self._digits(1, 3)}.{self._digits(3, 3)},{self._digits(2, 2)}",
                              f"{self._digits(1, 3)}.{self._digits(2, 2)}",
                              f"{self._digits(1, 3)},{self._digits(2, 2)}"))  # fmt: skip
        currency, gap = pick.choice(_CURRENCIES), pick.choice(("", " "))
        return currency + gap + number if pick.random() < 0.6 else number + gap + currency

    def _date(self) -> str:
        pick = self.random
        day, month, year = pick.randint(1, 31), pick.randint(1, 12), pick.randint(1950, 2035)
        return pick.choice((f"{day:02}.{month:02}.{year}", f"{day:02}/{month:02}/{year}",
                            f"{year}-{month:02}-{day:02}", f"{day}.{month}.{year % 100:02}",
                            f"{month:02}/{day:02}/{year % 100:02}", f"{day}. {month}. {year}",
                            f"{pick.randint(0, 23):02}:{pick.randint(0, 59):02}",
                            f"{year}–{year + 1}",
                            f"{day}-{self._word()[:3]}-{year}"))  # fmt: skip

    def _code(self) -> str:
        pick = self.random
        alphabet = pick.choice((string.ascii_uppercase + string.digits, string.hexdigits,
                                string.digits + "-", string.ascii_letters + string.digits,
                                string.ascii_uppercase, string.digits + ".-/ "))  # fmt: skip
        code = "".join(pick.choices(alphabet, k=pick.randint(2, 14))).strip() or "0"
        return (
            code
            if pick.random() < 0.6
            else f"{code}{pick.choice('-/._:#')}{self._digits(1, 5)}"
        )

    def _address(self) -> str:
        pick = self.random
        name, host = self._word().lower(), self._word().lower()
        end = f"{host}.{pick.choice(_HOSTS)}"
        path = f"/{self._word().lower()}{pick.choice('/-_.?=')}{self._word().lower()}"
        return pick.choice(
            (f"{name}@{end}", f"www.{end}", f"https://{end}{path}", f"http://{end}")
        )

    def _initials(self) -> str:
        letters = self.random.choices(string.ascii_uppercase, k=self.random.randint(1, 4))
        return self.random.choice(("", ".")).join(letters) + self.random.choice(("", ".", ":"))

    def _measure(self) -> str:
        return self._number() + self.random.choice(("", " ")) + self.random.choice(_UNITS)

    def _range(self) -> str:
        pick = self.random
        mark = pick.choice("–––-—/")
        if pick.random() < 0.3:
            code = "".join(pick.choices(string.ascii_uppercase, k=pick.randint(1, 4)))
            return f"{code}{self._digits(1, 2)}{mark}{code}{self._digits(1, 2)}"
        digits = pick.choice((1, 2, 2, 4, 4))
        return self._digits(digits, digits) + mark + self._digits(digits, digits)

    def _alone(self) -> str:
        return self.random.choice("––––----====&&&+:||/×—→*•·")

    def _signs(self) -> str:
        return "".join(self.random.choices(_SIGNS, k=self.random.choice((1, 1, 1, 2, 3))))

    def _letter(self) -> str:
        return self.random.choice(string.ascii_letters) + self.random.choice(("", ")", ".", ""))

    def _roman(self) -> str:
        return "".join(self.random.choices("IVXLivx", k=self.random.randint(1, 4)))

    def _only(self, maker: Callable[[], str], letters: int) -> str:
        parts = [maker() for _ in range(self.random.choice((1, 1, 1, 2, 4)))]
        return " ".join(parts)[: max(letters, 3)]

    def _spaced_letters(self, letters: int) -> str:
        """Letters of all alphabets one by one, so that rare ones are seen."""
        alphabet = self.random.choice(self._letters) + list(_SIGNS) + list(string.digits)
        count = max(1, self.random.randint(1, max(1, letters)))
        word = "".join(self.random.choices(alphabet, k=count))
        return word.upper() if self.random.random() < 0.3 else word
