"""A form to be filled in, as a schema describes it, and the schema of its answer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

Json = Mapping[str, Any]
BOUNDS = {
    "minLength": "min_length",
    "maxLength": "max_length",
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
}
"""JSON Schema's names of bounds, and msgspec's."""
_DESCRIPTIVE = ("title", "description", "examples", "format", "pattern", *BOUNDS)


@dataclass(frozen=True, kw_only=True)
class LeafForm:
    """A single value: a text, a number, a yes or no, or one of several.

    Attributes:
        kinds: Which of JSON's types it may have.
        choices: What it may be; None where that is open.
        says: Its keywords in the schema.
        type: What msgspec holds a value against.
    """

    kinds: tuple[str, ...]
    choices: tuple[Any, ...] | None
    says: Json
    type: Any = field(repr=False)

    def takes(self, value: Any) -> bool:
        """Whether a value is of the schema; patterns are not tried, which could take ages."""
        if isinstance(value, float) and not math.isfinite(value):
            return False
        if self.choices is not None:
            return any(value == each and type(value) is type(each) for each in self.choices)
        if isinstance(value, bool) and "boolean" not in self.kinds:
            return False
        try:
            msgspec.convert(value, self.type)
        except msgspec.ValidationError:
            return False
        return True


@dataclass(frozen=True, kw_only=True)
class ListForm:
    """Any number of the same."""

    of: Form
    says: Json


@dataclass(frozen=True, kw_only=True)
class RecordForm:
    """Named parts."""

    parts: Mapping[str, Form]
    says: Json


Form = LeafForm | ListForm | RecordForm


def words_of(form: Form) -> Iterator[str]:
    """The names and texts of the schema's parts, to look for in a long document."""
    for name in ("title", "description"):
        yield str(form.says.get(name, ""))
    if isinstance(form, ListForm):
        yield from words_of(form.of)
    elif isinstance(form, RecordForm):
        for name, part in form.parts.items():
            yield name
            yield from words_of(part)
    else:
        yield from map(str, form.choices or ())


def answer_schema(form: Form, *, described: bool, proven: bool) -> dict[str, Any]:
    """The JSON Schema of an answer.

    Args:
        form: What is filled in.
        described: Whether the parts keep their descriptions; servers that hold a model to
            a schema do not take all of it.
        proven: Whether the ids of the lines that it rests on stand beside each value.
    """
    says = {name: form.says[name] for name in _DESCRIPTIVE if described and name in form.says}
    if isinstance(form, ListForm):
        items = answer_schema(form.of, described=described, proven=proven)
        return {**says, "type": "array", "items": items}
    if isinstance(form, RecordForm):
        parts = {
            name: answer_schema(part, described=described, proven=proven)
            for name, part in form.parts.items()
        }
        return {**says, **_object(parts)}
    value: dict[str, Any] = {"type": [*form.kinds, "null"]}
    if form.choices is not None:
        value["enum"] = [*form.choices, None]
    if not proven:
        return {**says, **value}
    lines = {"type": "array", "items": {"type": "string"}}
    return _object({"value": {**says, **value}, "lines": lines})


def _object(parts: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": parts,
        "required": list(parts),
        "additionalProperties": False,
    }
