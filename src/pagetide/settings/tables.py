"""Settings that hold more than one value: what each may be, and how it is read and written.

In the settings file they are TOML arrays and tables. In a variable they are the same TOML, and
a list may be words split by commas.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T", covariant=True)
V = TypeVar("V")
Read = Callable[[object], T]


@dataclass(frozen=True, kw_only=True)
class Shape(Generic[T]):
    """What a setting of more than one value may be.

    Attributes:
        read: The value that TOML's stands for; empty text is the default. It raises
            ValueError with a reason, which quotes keys and no values.
        wanted: What it must be, in words.
    """

    read: Read[T]
    wanted: str


def from_toml(text: str) -> object:
    """The value that a variable's text stands for; text that is no TOML is itself.

    A table is `{key = value, …}`, or the lines that stand below its head in the file.

    Raises:
        ValueError: It is not TOML; the message quotes nothing of it.
    """
    import tomllib  # not with the package: many processes have no table

    text = text.strip()
    inline = text.startswith(("{", "["))
    if not inline and "=" not in text:
        return text
    try:
        found = tomllib.loads(f"value = {text}" if inline else f"[value]\n{text}")
    except (ValueError, RecursionError):
        raise ValueError("it is not TOML") from None
    if found.keys() != {"value"}:
        raise ValueError("it is more than one table")
    return found["value"]


def as_toml(value: object) -> str:
    """A value on one line, as `from_toml` reads it."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{as_toml(k)} = {as_toml(v)}' for k, v in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(as_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def is_pool(name: str) -> bool:
    """Whether it may be a pool's name, or behind a `-` a version's of it: `cpu-next`."""
    return bool(re.fullmatch(r"[a-z][a-z0-9]{0,15}(-[a-z0-9]{1,16})?", name))


def split_names(value: object) -> tuple[str, ...]:
    """The words of a list, or of text that is split at its commas.

    Raises:
        ValueError: It is neither.
    """
    given = value.split(",") if isinstance(value, str) else value
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise ValueError("a list holds text")
    return tuple(filter(None, map(str.strip, given)))


def _table(key: Callable[[str], bool], keys: str, read: Read[V]) -> Read[dict[str, V]]:
    """A reader of tables whose keys are of one sort, and whose values another reader reads."""

    def read_table(value: object) -> dict[str, V]:
        if value == "":
            return {}
        if not isinstance(value, dict):
            raise ValueError("it is not a table")
        for name in value:
            if not key(name):  # what is not plain may be a URL, and a secret
                shown = repr(name) if re.fullmatch(r"[\w.@-]{1,40}", name) else "a key"
                raise ValueError(f"{shown} is not {keys}")
        return {name: read(each) for name, each in value.items()}

    return read_table


def _either(one: Read[T], table: Read[V]) -> Read[T | V]:
    return lambda value: table(value) if isinstance(value, dict) else one(value)


def _some_names(value: object) -> tuple[str, ...]:
    if found := split_names(value):
        return found
    raise ValueError("a list is empty")


def _text(value: object) -> str:
    if isinstance(value, str) and value.strip():
        return value.strip()
    raise ValueError("a value must be text in quotes, and a key with a dot needs quotes, too")


def _count(value: object) -> int:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{0,9}", value):
        return int(value or "0")
    if type(value) is int and value >= 0:
        return value
    raise ValueError("a number must be whole, and 0 or more")


def _share(value: object) -> float:
    if type(value) in (int, float) and 0 <= value <= 1:  # type: ignore[operator]
        return float(value)  # type: ignore[arg-type]
    raise ValueError("a share is from 0 to 1")


def _one_share(value: object) -> dict[str, float]:
    found = _table(lambda name: is_pool(name) and "-" in name, "POOL-VERSION", _share)(value)
    if len(found) > 1:
        raise ValueError("it has more than one pool")
    return found


def _plain(value: object) -> object:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise ValueError("it holds a date, or a number that is none") from None
    return value


def _is_unversioned(name: str) -> bool:
    return is_pool(name) and "-" not in name


_POOL = "a pool's name"
NAMES = Shape(read=split_names, wanted="words split by commas, or a list of them")
POOLS = Shape(
    read=_table(_is_unversioned, _POOL, _some_names),
    wanted='a table of pools with their models, such as {cpu = ["structure-lite"]}',
)
LANGUAGES = Shape(
    read=_either(split_names, _table(_is_unversioned, _POOL, split_names)),
    wanted='codes split by commas, or a table of them by pool, such as {gpu = ["ru", "ar"]}',
)
QUEUES = Shape(
    read=_table(is_pool, _POOL, _text),
    wanted='a table of pools with their URLs, such as {gpu = "sqs://…"}',
)
ALIASES = Shape(
    read=_table(bool, "a name", _text),
    wanted='a table of names with their models, such as {vlm = "paddleocr-vl"}',
)
CANARY = Shape(
    read=_one_share,
    wanted="a table of one pool and its share, such as {cpu-next = 0.1}",
)
WORKERS = Shape(
    read=_either(_count, _table(is_pool, _POOL, _count)),
    wanted="a whole number, or a table of them by pool, such as {cpu = 1, gpu = 0}",
)
FACADES = Shape(
    read=_table(bool, "a name", _table(bool, "a name", _plain)),
    wanted="a table of tables, one for each facade",
)
