"""A setting's value: read from text, from a file of its own, from TOML."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pagetide.errors import BadOption

N = TypeVar("N", int, float)

PREFIX = "PAGETIDE_"
_MOST_BYTES = 1 << 20
_TOML_KINDS = {bool: "yes or no", int: "a number", float: "a number", str: "text"}


@dataclass(frozen=True, kw_only=True)
class Known:
    """A setting: its name, the type of its value, and whether that is never shown."""

    name: str
    kind: type
    secret: bool

    @property
    def variable(self) -> str:
        """The variable that sets it; behind `_FILE`, the one that names a file with it."""
        return PREFIX + self.name.upper()


def parsed(known: Known, text: str, complaint: str) -> object:
    """The value that a text says.

    Raises:
        BadOption: It says none of the setting's type; the message is the complaint.
    """
    try:
        return _KINDS[known.kind][0](text)
    except (ValueError, KeyError):
        raise BadOption(complaint) from None


def typed(known: Known, value: object, told: str) -> object:
    """A value that has a type already; a whole number is a number, too.

    Raises:
        BadOption: It is of another type; the message begins with `told`.
    """
    if known.kind is float and type(value) is int:
        value = float(value)
    if type(value) is not known.kind or value != value or "\0" in str(value):
        kind = _TOML_KINDS.get(type(value), "a list, a table or a date")
        quotes = ": write it in quotes" if known.kind is str else ""
        raise BadOption(
            f"{told} must have {wanted(known)} in {known.name}, not {kind}{quotes}."
        )
    return value


def wanted(known: Known) -> str:
    """What its value must be, in words."""
    return _KINDS[known.kind][1]


def by_name(variable: str, text: str, kind: Callable[[str], N]) -> dict[str, N]:
    """`7`, under an empty name, or `a=1,b=2`.

    Raises:
        BadOption: It is neither; the message names the variable.
    """
    try:
        pairs = (part.rpartition("=") for part in text.split(",") if part.strip())
        return {name.strip(): kind(number) for name, _, number in pairs}
    except ValueError:
        raise BadOption(f"{variable} must be numbers by name, not {text!r}.") from None


def of_file(known: Known, path: Path, told: str) -> object:
    """What a file of one setting holds; one line's end behind it is none of it.

    Raises:
        BadOption: It cannot be read, or holds no such value; the message begins with `told`.
    """
    text = text_of(path, told).removesuffix("\n").removesuffix("\r")
    return parsed(known, text, f"{told} must hold {wanted(known)}.")


def text_of(path: Path, told: str) -> str:
    """What a file holds.

    Raises:
        BadOption: It cannot be read, or is not text; the message begins with `told`.
    """
    try:
        if path.exists() and not path.is_file():
            raise BadOption(f"{told} is no file.")
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise BadOption(f"{told} cannot be read: {os.strerror(error.errno or 0)}.") from None
    if len(content) > _MOST_BYTES:
        raise BadOption(f"{told} is longer than 1 MiB.")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise BadOption(f"{told} is not UTF-8.") from None


def _yes_or_no(text: str) -> bool:
    known = {"1": True, "true": True, "yes": True, "on": True}
    known |= {"0": False, "false": False, "no": False, "off": False}
    return known[text.strip().lower()]


def _number(text: str) -> float:
    number = float(text)
    if math.isnan(number):
        raise ValueError
    return number


def _line(text: str) -> str:
    if "\0" in text:  # which no environment can hold
        raise ValueError
    return text


_KINDS: dict[type, tuple[Callable[[str], object], str]] = {
    bool: (_yes_or_no, "yes or no"),
    int: (int, "a whole number"),
    float: (_number, "a number"),
    str: (_line, "text"),
}
