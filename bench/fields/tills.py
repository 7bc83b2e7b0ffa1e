"""The text of a shop's receipt, line by line, and the facts to be found in it."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from bench.drawn.measuring import MEASURING

Place = Literal["left", "middle", "columns"]


@dataclass(frozen=True)
class Row:
    """A printed line.

    Attributes:
        parts: Its content: one text, or several in columns.
        place: Where.
        size: Of its letters, in those of the receipt.
    """

    parts: tuple[str, ...]
    place: Place = "left"
    size: float = 1.0


@dataclass(frozen=True)
class Receipt:
    """A receipt's lines and truth: company, address, date, total as printed."""

    country: str
    rows: tuple[Row, ...]
    truth: dict[str, str]


@cache
def _countries() -> dict[str, dict[str, Any]]:
    text = (Path(__file__).parent / "shops.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _developed() -> dict[str, dict[str, Any]]:
    """Without the last third of every list: those words are reserved for measuring."""
    developed: dict[str, dict[str, Any]] = without_last(_countries())
    return developed


def without_last(words: Any) -> Any:
    """Words without the last third of each list."""
    if isinstance(words, dict):
        return {
            key: each if key == "months" else without_last(each) for key, each in words.items()
        }
    return words[: -(len(words) // 3) or None] if isinstance(words, list) else words


def receipt(seed: int) -> Receipt:
    """The receipt of a seed; those for measuring have words that others do not have."""
    chance = random.Random(f"receipt {seed}")  # noqa: S311 - the same seed draws the same
    told = _developed() if seed < MEASURING else _countries()
    weights = [each["weight"] for each in told.values()]
    [country] = chance.choices(list(told), weights)
    return _Till(chance, country, told[country]).receipt()


class _Till:
    """Composes a random receipt of one country."""

    def __init__(self, chance: random.Random, country: str, words: dict[str, Any]) -> None:
        self._chance, self._country, self._words = chance, country, words
        self._middle: Place = "middle" if chance.random() < 0.65 else "left"
        self._colon = chance.choice(("", "", ":", " :"))
        self._currency = self._pick("currency")
        self._truth: dict[str, str] = {}

    def receipt(self) -> Receipt:
        """The whole receipt."""
        late = self._maybe(0.25)  # the date may be below the sums
        rows = [*self._head(), *self._facts(dated=not late), *self._goods_and_sums()]
        rows += [self._dated()] if late else []
        rows.append(Row((self._pick("ends", self._words["sums"]),), "middle"))
        return Receipt(self._country, tuple(rows), self._truth)

    def _maybe(self, share: float) -> bool:
        return self._chance.random() < share

    def _pick(self, key: str, words: dict[str, Any] | None = None) -> str:
        said: str = self._chance.choice((words or self._words)[key])
        return said

    def _filled(self, text: str) -> str:
        for name in ("n", "a", "b", "c"):
            low, high = {"n": (100000, 9999999), "a": (10, 199)}.get(name, (1, 9))
            while f"{{{name}}}" in text:
                text = text.replace(f"{{{name}}}", str(self._chance.randint(low, high)), 1)
        return text.replace("{who}", self._pick("who"))

    def _head(self) -> Iterator[Row]:
        """Seller and address: a logo, the company in a line or two, its address."""
        logo = self._pick("logos") if self._maybe(0.3) else ""
        if logo:
            yield Row((logo,), self._middle, self._chance.choice((1.0, 1.3, 1.9)))
        size = self._chance.choice((1.0, 1.0, 1.15, 1.4))
        first, form = self._pick("firsts"), self._pick("forms")
        lines = [f"{first} {form}"] if self._maybe(0.8) else [first, form]
        lines = [self._pick("plain")] if self._maybe(0.2) else lines
        self._truth["company"] = " ".join(lines)
        number = self._filled(self._pick("numbers"))
        if number and self._maybe(0.3) and len(lines[-1]) + len(number) < 34:
            lines[-1], number = f"{lines[-1]} {number}", ""
        yield from (Row((line,), self._middle, size) for line in lines)
        if number:
            yield Row((number,), self._middle)
        if self._maybe(0.1):
            yield Row((self._filled(self._words["particulars"][0]),), self._middle)
        title = self._pick("titles")
        before = title and self._maybe(0.08)
        if before:
            yield Row((title,), self._middle)
        address = [self._filled(line) for line in self._chance.choice(self._words["address"])]
        self._truth["address"] = " ".join(address)
        yield from (Row((line,), self._middle) for line in address)
        more = self._chance.sample(self._words["particulars"], self._chance.randint(0, 3))
        yield from (Row((self._filled(line),), self._middle) for line in more)
        if title and not before:
            yield Row((title,), "middle", self._chance.choice((1.0, 1.2)))

    def _dated(self) -> Row:
        day, month = self._chance.randint(1, 28), self._chance.randint(1, 12)
        year = self._chance.randint(2012, 2025)
        date = self._pick("dates").format(
            d=day, m=month, Y=year, y=year % 100, M=self._words["months"][month - 1]
        )
        hour, minute = self._chance.randint(8, 21), self._chance.randint(0, 59)
        time = f"{hour:02}:{minute:02}"
        time += self._chance.choice(("", f":{self._chance.randint(0, 59):02}"))
        fused = not date[0].isalpha() and date[-4:].isdigit()
        lines = [line for line in self._words["date_lines"] if fused or line != "{}{t}"]
        text = self._filled(self._chance.choice(lines).replace("{t}", time))
        self._truth["date"] = date
        return Row((text.replace("{}", date),), self._middle if self._maybe(0.3) else "left")

    def _facts(self, *, dated: bool) -> list[Row]:
        facts = self._chance.sample(self._words["facts"], self._chance.randint(0, 4))
        rows = [Row((self._filled(fact),)) for fact in facts]
        if dated:
            rows.insert(self._chance.randint(0, len(rows)), self._dated())
        return rows

    def _goods_and_sums(self) -> list[Row]:
        chance, rows, total = self._chance, [], 0
        head = self._pick("heads")
        form = chance.choice(("price", "counted", "coded", "columns"))
        for _ in range(chance.randint(1, 9)):
            count, price = chance.choice((1, 1, 1, 2, 3, 10)), chance.randint(60, 9000)
            total += count * price
            rows += self._good(form, count, price)
        return [*([Row((head,))] if head else []), *rows, *self._sums(total, len(rows))]

    def _good(self, form: str, count: int, price: int) -> list[Row]:
        good, amount = self._pick("goods"), self._money(count * price)
        if form == "price":
            return [Row((good, amount), "columns")]
        if form == "columns":
            return [Row((good, str(count), self._money(price), amount), "columns")]
        if form == "counted":
            return [Row((f"{count} x {good}", amount), "columns")]
        code = str(self._chance.randint(10**7, 10**12))
        counted = f"{code}  {count} X {self._money(price)}"
        return [Row((good,)), Row((counted, amount), "columns")]

    def _sums(self, gross: int, count: int) -> list[Row]:
        """Net, tax, gross, rounding, cash given and change; a summary of taxes."""
        words, chance = self._words["sums"], self._chance
        rate = chance.choice(self._words["rates"])
        net = round(gross * 100 / (100 + rate))
        told = [("net", net), ("tax", gross - net)] if self._maybe(0.55) and rate else []
        told.append(("gross", gross))
        pay = gross
        if self._country == "my" and self._maybe(0.55):
            pay = round(gross / 5) * 5
            told += [("round", pay - gross), *([("pay", pay)] if self._maybe(0.8) else [])]
            pay = told[-1][1] if told[-1][0] == "pay" else pay
        is_told = told[-1][0] == "pay" or pay == gross
        if not is_told:
            told, pay = [each for each in told if each[0] != "round"], gross
        self._truth["total"] = self._money(pay)
        if self._maybe(0.7):
            given = pay if self._maybe(0.4) else (pay // 1000 + 1) * 1000
            told.append(("cash", given))
            told += [("change", given - pay)] if given != pay or self._maybe(0.5) else []
        chosen = self._pick("counts", words)
        rows = [Row((chosen.format(count),))] if chosen and self._maybe(0.4) else []
        rows += [self._sum(self._pick(role, words), value, rate) for role, value in told]
        if self._maybe(0.12):  # the number of items, beside the payment
            place = len(rows) - len(told) + [role for role, _ in told].index("gross")
            label, amount = rows[place].parts
            rows[place] = Row((f"{label} {count}", amount), "columns")
        if self._maybe(0.35) and rate and (head := self._pick("summary", words)):
            rows.append(Row((head,)))
            parts = (f"{rate}%", self._money(net), self._money(gross - net))
            rows.append(Row(parts, "columns"))
            total = ("Total", self._money(net), self._money(gross - net))
            rows += [Row(total, "columns")] if self._maybe(0.3) else []
        return rows

    def _sum(self, label: str, value: int, rate: int) -> Row:
        said = label.format(rate)
        said += "" if said.endswith(":") else self._colon
        money = self._money(value)
        after = self._currency.strip() == "EUR" and self._currency.startswith(" ")
        amount = f"{money} EUR" if after else f"{self._currency}{money}"
        return Row((said, amount), "columns")

    def _money(self, cents: int) -> str:
        sign = "-" if cents < 0 else ""
        point = "," if self._country in ("de", "fr") else "."
        return f"{sign}{abs(cents) // 100}{point}{abs(cents) % 100:02}"
