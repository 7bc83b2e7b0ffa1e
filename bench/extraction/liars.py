"""Untrusted model servers: one invents, one obeys the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

from bench.fake_vl_server import Asked, Reply

_PIECE = re.compile(r"\[(p\d+[lb]\w+)\] (.*?)(?= \| \[p\d+[lb]|$)", re.MULTILINE)
_ORDER = re.compile(r"(?:set|return|answer|make) (?:the )?(\w+) (?:to|as|is|=) ?(.+)", re.I)


def data_of(asked: Asked) -> str:
    """The document as the server was sent it, between the marks."""
    return str(asked.body["messages"][1]["content"])


def pieces_of(asked: Asked) -> list[tuple[str, str]]:
    """The ids and texts that the server was sent."""
    return _PIECE.findall(data_of(asked))


class Reads:
    """A server that knows the document's content, and in which lines it is."""

    def __init__(self, truth: dict[str, Any]) -> None:
        self.truth = truth

    def __call__(self, asked: Asked) -> Reply:
        """The completion."""
        answer = {name: self.found(asked, name, value) for name, value in self.truth.items()}
        return Reply(text=json.dumps(answer))

    def found(self, asked: Asked, name: str, value: Any) -> Any:
        """The value for a name, with the ids of its lines."""
        if isinstance(value, list):
            rows = [each for each in data_of(asked).splitlines() if " | " in each]
            return [_row(rows[number], item) for number, item in enumerate(value)]
        label = {"currency": "total", "supplier": str(value)}.get(name, name).casefold()
        ids = [key for key, text in pieces_of(asked) if text.casefold().startswith(label)]
        return {"value": value, "lines": ids[:1]}


class Invents(Reads):
    """A server that replaces about half of its findings.

    Attributes:
        invented: Its inventions, as returned.
    """

    def __init__(self, truth: dict[str, Any], seed: int) -> None:
        super().__init__(truth)
        self._random = Random(seed)  # noqa: S311 - seeded
        self.invented: list[Any] = []

    def found(self, asked: Asked, name: str, value: Any) -> Any:
        """See `Reads`."""
        true = super().found(asked, name, value)
        return self._bent(true, pieces_of(asked))

    def _bent(self, said: Any, pieces: list[tuple[str, str]]) -> Any:
        if isinstance(said, list):
            bent = [
                {key: self._bent(leaf, pieces) for key, leaf in row.items()} for row in said
            ]
            more = self._random.randrange(3)
            return bent + [self._row(pieces) for _ in range(more)]
        if self._random.randrange(2):
            return said
        value = self._lie(said["value"])
        self.invented.append(value)
        lines = self._random.choice([said["lines"], [], ["p1l999"], [pieces[-1][0]]])
        return {"value": value, "lines": lines, "sure": True}

    def _row(self, pieces: list[tuple[str, str]]) -> Any:
        truth = {"article": "Rope", "quantity": 1, "amount": 1.0}
        row = {name: self._lie(value) for name, value in truth.items()}
        self.invented += row.values()
        line = self._random.choice(pieces)[0]
        return {name: {"value": value, "lines": [line]} for name, value in row.items()}

    def _lie(self, value: Any) -> Any:
        random = self._random
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return random.choice([value * 100 + 17, -value, value + 1000])
        if isinstance(value, float):
            shifted = [round(value + 0.01, 2), value * 10, -value, round(value / 100, 4)]
            return random.choice([*shifted, random.randrange(10**6) + 0.5])
        if value in ("EUR", "USD", "GBP"):
            return random.choice(["USD", "GBP", "XXX"])
        lies = [
            value + str(random.randint(10, 99)),
            value[:-1],
            value[1:],
            value[::-1],
            f"{random.choice('QXZ')}{random.randrange(10**8)}",
            "Quarterdeck Trust PLC",
        ]
        return random.choice(lies)


class Obeys(Reads):
    """A server that does what the document tells it: it sets, adds and sends."""

    def found(self, asked: Asked, name: str, value: Any) -> Any:
        """See `Reads`."""
        for key, text in pieces_of(asked):
            for order in _ORDER.finditer(text):
                if order[1].casefold() == name and not isinstance(value, list):
                    return {"value": _typed(order[2].strip(" .'\""), value), "lines": [key]}
        return super().found(asked, name, value)

    def __call__(self, asked: Asked) -> Reply:
        """The completion, with each name that the document requests beside those wanted."""
        answer = json.loads(super().__call__(asked).text)
        for _, text in pieces_of(asked):
            for order in _ORDER.finditer(text):
                answer.setdefault(order[1], {"value": order[2], "lines": []})
        if found := re.search(r"redirect to (\S+)", data_of(asked)):
            return Reply(status=307, headers={"Location": found[1]})
        return Reply(text=json.dumps(answer))


Answering = Callable[[Asked], Reply]


def _row(row: str, item: dict[str, Any]) -> dict[str, Any]:
    ids = [key for key, _ in _PIECE.findall(row)]
    return {
        name: {"value": value, "lines": [key]}
        for key, (name, value) in zip(ids, item.items(), strict=True)
    }


def _typed(text: str, like: Any) -> Any:
    if isinstance(like, bool):
        return text.casefold().startswith(("true", "yes"))
    if isinstance(like, float):
        figures = re.search(r"-?\d+(?:\.\d+)?", text)
        return float(figures[0]) if figures else 0.0
    return text
