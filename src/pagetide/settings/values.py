"""A setting's value: read from text, from a file of its own, from TOML."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pagetide.errors import BadOption
from pagetide.settings.tables import Shape, as_toml

PREFIX = "PAGETIDE_"
_MAX_BYTES = 1 << 20
_TOML_KINDS = {bool: "yes or no", int: "a number", float: "a number", str: "text"}


@dataclass(frozen=True, kw_only=True)
class Known:
    """A setting.

    Attributes:
        name: As a field of `Settings`.
        kind: The type of its value, where it is one value.
        shape: What it may be, where it is more than one.
        positive: Whether it must be more than 0.
        secret: Whether it is never shown.
    """

    name: str
    kind: type
    shape: Shape | None
    positive: bool
    secret: bool

    @property
    def variable(self) -> str:
        """The variable that sets it; behind `_FILE`, the one that names a file with it."""
        return PREFIX + self.name.upper()

    @property
    def wanted(self) -> str:
        """What its value must be, in words."""
        return self.shape.wanted if self.shape else _KINDS[self.kind][1]

    def text(self, value: object) -> str:
        """A value as its variable holds it."""
        return as_toml(value) if self.shape else str(value)


def parsed(known: Known, text: str, complaint: str) -> object:
    """The value that a text stands for.

    Raises:
        BadOption: It is none of the setting's; the message begins with the complaint.
    """
    if known.shape:
        return known.shape.parse(text, complaint)
    try:
        return _KINDS[known.kind][0](text)
    except (ValueError, KeyError):
        raise BadOption(f"{complaint}.") from None


def typed(known: Known, value: object, subject: str) -> object:
    """A value that has a type already; a whole number is a number, too.

    Raises:
        BadOption: It is of another type; the message begins with `subject`.
    """
    complaint = f"{subject} must have {known.wanted} in {known.name}"
    if known.shape:
        return known.shape.read(value, complaint)
    if known.kind is float and type(value) is int:
        value = float(value)
    if type(value) is not known.kind or value != value or "\0" in str(value):
        kind = _TOML_KINDS.get(type(value), "a list, a table or a date")
        quotes = ": write it in quotes" if known.kind is str else ""
        raise BadOption(f"{complaint}, not {kind}{quotes}.")
    return value


def vet_number(known: Known, value: float) -> None:
    """Refuse a number that is too small.

    Raises:
        BadOption: It is.
    """
    if value < 0 or (value == 0 and known.positive):
        least = "more than 0" if known.positive else "0 or more"
        raise BadOption(f"{known.variable} must be {least}, not {value:g}.")


def of_file(known: Known, path: Path, subject: str) -> object:
    """What a file of one setting holds; a trailing newline is stripped.

    Raises:
        BadOption: It cannot be read, or holds no such value; the message begins with `subject`.
    """
    text = text_of(path, subject).removesuffix("\n").removesuffix("\r")
    return parsed(known, text, f"{subject} must hold {known.wanted}")


def text_of(path: Path, subject: str) -> str:
    """What a file holds.

    Raises:
        BadOption: It cannot be read, or is not text; the message begins with `subject`.
    """
    try:
        if path.exists() and not path.is_file():
            raise BadOption(f"{subject} is not a file.")
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise BadOption(f"{subject} cannot be read: {os.strerror(error.errno or 0)}.") from None
    if len(content) > _MAX_BYTES:
        raise BadOption(f"{subject} is longer than 1 MiB.")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise BadOption(f"{subject} is not UTF-8.") from None


def yes_or_no(text: str) -> bool:
    """A switch as it is written, in any case: `1`, `true`, `yes`, `on`, or their opposites.

    Raises:
        KeyError: It is none of these.
    """
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
    bool: (yes_or_no, "yes or no"),
    int: (int, "a whole number"),
    float: (_number, "a number"),
    str: (_line, "text"),
}
