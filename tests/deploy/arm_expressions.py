"""The expressions of Azure's templates: `[format('{0}-api', parameters('name'))]`.

Only what our templates use; whatever else is an error, so that nothing is passed unseen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>-?\d+)|(?P<name>\w+)|(?P<sign>.))"
)

Function = Callable[..., Any]


class BadTemplate(Exception):
    """A template does not mean anything; the message says where and why."""


@dataclass(frozen=True)
class Call:
    """A function and what it is given."""

    name: str
    given: tuple[Node, ...]


@dataclass(frozen=True)
class Part:
    """A property of an object, or an element of a list."""

    of: Node
    key: Node


@dataclass(frozen=True)
class Literal:
    """A text or a number."""

    value: str | int


Node = Call | Part | Literal


def is_expression(text: str) -> bool:
    """Whether a text stands for something else; `[[` is a bracket."""
    return text.startswith("[") and text.endswith("]") and not text.startswith("[[")


def evaluated(text: str, functions: Mapping[str, Function]) -> Any:
    """What an expression stands for.

    Args:
        text: With its brackets.
        functions: Those there are, by name in small letters. `if` is known, and evaluates only
            the branch that is taken.

    Raises:
        BadTemplate: It is not understood, or calls what is not there.
    """
    return _value(_read(text), functions)


@cache
def _read(text: str) -> Node:
    return _Reading(text[1:-1]).all()


def _value(node: Node, functions: Mapping[str, Function]) -> Any:
    match node:
        case Literal(value):
            return value
        case Part(of, key):
            return _part(_value(of, functions), _value(key, functions))
        case Call("if", (condition, yes, no)):
            chosen = _value(condition, functions)
            if not isinstance(chosen, bool):
                raise BadTemplate(f"if() needs true or false, not {chosen!r}")
            return _value(yes if chosen else no, functions)
        case Call(name, given):
            if name.lower() not in functions:
                raise BadTemplate(f"the function {name}() is not known")
            try:
                return functions[name.lower()](*(_value(each, functions) for each in given))
            except (TypeError, ValueError, AttributeError, IndexError) as error:
                raise BadTemplate(f"{name}(): {error}") from error


def _part(of: Any, key: Any) -> Any:
    try:
        return of[key]
    except (KeyError, IndexError, TypeError):
        raise BadTemplate(f"there is no {key!r} in {str(of)[:80]}") from None


class _Reading:
    """Reads an expression from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [match for match in _TOKEN.finditer(text) if match[0].strip()]
        self._at = 0

    def all(self) -> Node:
        """The whole of it."""
        node = self._node()
        if self._at < len(self._tokens):
            raise BadTemplate(f"something stands behind the end of [{self._text}]")
        return node

    def _node(self) -> Node:
        node = self._first()
        while sign := self._took(".", "["):
            if sign == ".":
                node = Part(node, Literal(self._next()["name"] or self._refused()))
            else:
                node = Part(node, self._node())
                self._took("]") or self._refused()
        return node

    def _first(self) -> Node:
        token = self._next()
        if token["text"]:
            return Literal(token["text"][1:-1].replace("''", "'"))
        if token["number"]:
            return Literal(int(token["number"]))
        name = token["name"] or self._refused()
        if not self._took("("):
            self._refused()
        given: list[Node] = []
        while not self._took(")"):
            if given and not self._took(","):
                self._refused()
            given.append(self._node())
        return Call(name, tuple(given))

    def _next(self) -> re.Match[str]:
        if self._at == len(self._tokens):
            self._refused()
        self._at += 1
        return self._tokens[self._at - 1]

    def _took(self, *signs: str) -> str:
        """The next token, if it is one of these; else nothing is read."""
        if self._at < len(self._tokens) and (said := self._tokens[self._at]["sign"]) in signs:
            self._at += 1
            return str(said)
        return ""

    def _refused(self) -> str:
        raise BadTemplate(f"[{self._text}] is not understood")
