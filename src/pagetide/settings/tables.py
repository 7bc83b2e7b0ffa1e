"""Settings that hold more than one value: what each may be, and how it is read and written.

In the settings file they are TOML arrays and tables. In a variable they are the same TOML, and
a list may be words split by commas.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Meta, ValidationError, convert

from pagetide.errors import BadOption

Text = Annotated[str, Meta(min_length=1, pattern=r"\S")]
Names = tuple[Text, ...]
SomeNames = Annotated[Names, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
POOL, VERSION = "[a-z][a-z0-9]{0,15}", "-[a-z0-9]{1,16}"


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a setting of more than one value may be.

    Attributes:
        value: The type of a table's values, and of a value without a table.
        wanted: What the setting must be, in words.
        keys: What a table's keys must match; None where the setting is no table.
        alone: The default of a setting that may be a value without a table.
    """

    value: Any
    wanted: str
    keys: str | None = None
    alone: Any = None

    @property
    def default(self) -> Any:
        """What the setting is where nothing sets it, or empty text does."""
        return {} if self.alone is None else self.alone

    def read(self, value: object, complaint: str) -> Any:
        """The setting's value, from TOML's.

        Raises:
            BadOption: It is of another shape; the message begins with the complaint, and quotes
                keys, but no values.
        """
        if value == "":
            return self.default
        if self.keys and isinstance(value, dict):
            return {name: self._of(name, each, complaint) for name, each in value.items()}
        if self.alone is None:
            raise BadOption(f"{complaint}: it is not a table.")
        return self._one(value, f"{complaint}.")

    def parse(self, text: str, complaint: str) -> Any:
        """The setting's value, from a variable's text.

        It is TOML: `{key = value, …}`, or the lines that stand below a table's head in the
        file, or `[value, …]`; or else a value without a table.

        Raises:
            BadOption: It is neither; the message begins with the complaint.
        """
        import tomllib  # not with the package: many processes have no table

        text = text.strip()
        lines = self.keys and "=" in text and text[0] not in "{["
        if not lines and text[:1] not in ("{", "["):
            return self.read(text, complaint)
        try:
            found = tomllib.loads(f"[value]\n{text}" if lines else f"value = {text}")
        except (ValueError, RecursionError):
            raise BadOption(f"{complaint}: it is not TOML.") from None
        if found.keys() != {"value"}:
            raise BadOption(f"{complaint}: it is more than one table.")
        return self.read(found["value"], complaint)

    def _of(self, name: str, value: object, complaint: str) -> Any:
        """The value of a key; what is not plain is not shown: it may be a URL with a secret."""
        shown = repr(name) if re.fullmatch(r"[\w.@-]{1,40}", name) else "one of its keys"
        if not re.fullmatch(self.keys or "", name):
            raise BadOption(f"{complaint}: {shown} cannot be a key.")
        return self._one(value, f"{complaint}: see {shown}.")

    def _one(self, value: object, complaint: str) -> Any:
        if isinstance(value, str) and self.value in (Names, SomeNames):
            value = split_names(value)
        try:
            return convert(value, self.value, strict=False)
        except ValidationError:
            raise BadOption(complaint) from None


def as_toml(value: object) -> str:
    """A value on one line, as a variable holds it."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{as_toml(k)} = {as_toml(v)}' for k, v in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(as_toml, value))}]"
    return json.dumps(value, ensure_ascii=False, default=str).replace("\x7f", "\\u007f")


def is_pool(name: str) -> bool:
    """Whether it may be a pool's name, or behind a `-` a version's of it: `cpu-next`."""
    return bool(re.fullmatch(f"{POOL}({VERSION})?", name))


def split_names(text: str) -> tuple[str, ...]:
    """The words of text that is split at its commas."""
    return tuple(filter(None, map(str.strip, text.split(","))))


NAMES = Shape(value=Names, wanted="comma-separated words, or a list of them", alone=())
POOLS = Shape(
    value=SomeNames,
    keys=POOL,
    wanted='a table of pools with their models, such as {cpu = ["structure-lite"]}',
)
LANGUAGES = Shape(
    value=Names,
    keys=POOL,
    alone=(),
    wanted='comma-separated codes, or a table of them by pool, such as {gpu = ["ru", "ar"]}',
)
QUEUES = Shape(
    value=Text,
    keys=f"{POOL}({VERSION})?",
    wanted='a table of pools with their URLs, such as {gpu = "sqs://…"}',
)
ALIASES = Shape(
    value=Text,
    keys=r"(?s).*\S.*",
    wanted='a table of names with their models, such as {"VL-1.5" = "paddleocr-vl"}',
)
CANARY = Shape(
    value=Share,
    keys=POOL + VERSION,
    wanted="a table of a pool's version and its share, 0 to 1, such as {cpu-next = 0.1}",
)
WORKERS = Shape(
    value=Count,
    keys=f"{POOL}({VERSION})?",
    alone=0,
    wanted="a whole number, or a table of them by pool, such as {cpu = 1, gpu = 0}",
)
FACADES = Shape(
    value=dict[str, Any], keys=r"\w+", wanted="a table of tables, one for each facade"
)
