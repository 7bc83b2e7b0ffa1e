"""A JSON Schema or a Pydantic class, read as a form to be filled in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from pagetide.errors import BadSchema
from pagetide.reading.extraction.forms.form import (
    BOUNDS,
    Form,
    Json,
    LeafForm,
    ListForm,
    RecordForm,
)

MOST_LEAVES = 500
MOST_PARTS = 5000  # read on the way: references among a few choices can make billions
DEEPEST = 12

_TYPES: dict[str, type] = {"string": str, "integer": int, "number": float, "boolean": bool}
_OF_TEXT = {"minLength", "maxLength"}
_NOT_TAKEN = ("allOf", "not", "if", "patternProperties", "prefixItems", "dependentSchemas")


def form_of(schema: object) -> RecordForm:
    """The form that a schema describes.

    Args:
        schema: A JSON Schema of an object, or a Pydantic class.

    Raises:
        BadSchema: It is none, or asks for what cannot be pointed at on a page.
    """
    describe = getattr(schema, "model_json_schema", None)
    described = _described(describe) if callable(describe) else schema
    if not isinstance(described, dict):
        raise BadSchema("The schema must be a JSON Schema or a Pydantic class.")
    form = _Reading(described).form(described, "#", 0)
    if not isinstance(form, RecordForm):
        raise BadSchema("The schema must describe an object with `properties`.")
    return form


def _described(describe: Callable[[], object]) -> object:
    from pydantic import PydanticUserError

    try:
        return describe()
    except PydanticUserError as error:  # such as a class that is not there yet
        raise BadSchema(f"The class has no JSON Schema ({error.code}).") from None


class _Reading:
    """Reads one schema; counts its leaves and parts, so that none is without end."""

    def __init__(self, whole: Json) -> None:
        self._whole, self._leaves, self._parts = whole, 0, 0

    def form(self, schema: object, at: str, depth: int) -> Form:
        node = self._plain(schema, at, depth)
        kinds = _kinds(node, at)
        if "object" in kinds or (not kinds and "properties" in node):
            return self._record(node, at, depth)
        if "array" in kinds or (not kinds and "items" in node):
            of = self.form(node.get("items", {"type": "string"}), f"{at}/items", depth + 1)
            return ListForm(of=of, says=node)
        self._leaves += 1
        if self._leaves > MOST_LEAVES:
            raise BadSchema(f"The schema has more than {MOST_LEAVES} values.")
        return _leaf(node, kinds, at)

    def _record(self, node: Json, at: str, depth: int) -> RecordForm:
        parts = node.get("properties")
        if not isinstance(parts, dict) or not parts:
            raise BadSchema(f"{at} is an object without `properties`: add them.")
        found = {
            name: self.form(part, f"{at}/properties/{name}", depth + 1)
            for name, part in parts.items()
        }
        return RecordForm(parts=found, says=node)

    def _plain(self, schema: object, at: str, depth: int) -> Json:
        """A part of the schema without references, and without null beside something else."""
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise BadSchema(f"The schema has more than {MOST_PARTS} parts.")
        if depth > DEEPEST:
            raise BadSchema(f"The schema is nested more than {DEEPEST} deep, or in itself.")
        if not isinstance(schema, dict):
            raise BadSchema(f"{at} is not a JSON Schema.")
        if refused := next((name for name in _NOT_TAKEN if name in schema), None):
            raise BadSchema(f"{at} has `{refused}`, which is not supported.")
        if "$ref" in schema:
            rest = {name: each for name, each in schema.items() if name != "$ref"}
            return self._plain({**self._referred(schema["$ref"]), **rest}, at, depth + 1)
        for name in ("anyOf", "oneOf"):
            if name in schema:
                return self._one_of(schema, name, at, depth)
        return schema

    def _one_of(self, schema: Json, name: str, at: str, depth: int) -> Json:
        options = schema[name] if isinstance(schema[name], list) else []
        plain = [self._plain(each, at, depth + 1) for each in options]
        real = [each for each in plain if _kinds(each, at) or each.get("type") != "null"]
        rest = {key: each for key, each in schema.items() if key != name}
        if len(real) == 1:
            return {**real[0], **rest}
        kinds = [kind for each in real for kind in _kinds(each, at)]
        if not kinds or not _TYPES.keys() >= set(kinds) or len(kinds) < len(real):
            raise BadSchema(f"{at} has `{name}` of more than single values; choose one.")
        return {**rest, "type": list(dict.fromkeys(kinds))}

    def _referred(self, name: object) -> Json:
        """A part that is defined in the same schema; no other is ever fetched."""
        found: Any = self._whole
        if not isinstance(name, str) or not name.startswith("#/"):
            raise BadSchema("A `$ref` must lead to a part of the same schema: `#/$defs/…`.")
        for step in name[2:].split("/"):
            key = step.replace("~1", "/").replace("~0", "~")
            found = found.get(key) if isinstance(found, dict) else None
        if not isinstance(found, dict):
            raise BadSchema(f"The schema has no {name[:80]}.")
        return found


def _kinds(node: Json, at: str) -> tuple[str, ...]:
    """The types that a part may have, without null."""
    given = node.get("type", [])
    kinds = [given] if isinstance(given, str) else given
    known = {*_TYPES, "object", "array", "null"}
    if not isinstance(kinds, list) or not all(kind in known for kind in kinds):
        raise BadSchema(f"{at} has a `type` that JSON Schema does not know.")
    return tuple(kind for kind in kinds if kind != "null")


def _leaf(node: Json, kinds: tuple[str, ...], at: str) -> LeafForm:
    choices = (node["const"],) if "const" in node else node.get("enum")
    if choices is not None:
        if not isinstance(choices, list | tuple) or not all(map(_is_single, choices)):
            raise BadSchema(f"{at} has an `enum` of more than single values.")
        choices = tuple(each for each in choices if each is not None)
        kinds = kinds or tuple(dict.fromkeys(map(_kind_of, choices)))
    kinds = kinds or tuple(_TYPES)
    if not _TYPES.keys() >= set(kinds):
        raise BadSchema(f"{at} is a single value or an object or list; choose one.")
    return LeafForm(kinds=kinds, choices=choices, says=node, type=_type(node, kinds, at))


def _type(node: Json, kinds: tuple[str, ...], at: str) -> Any:
    """The type that msgspec holds a value against."""
    wanted: Any = None
    try:
        for kind in kinds:
            bounds = {
                ours: node[name]
                for name, ours in BOUNDS.items()
                if name in node
                and kind != "boolean"
                and (name in _OF_TEXT) == (kind == "string")
            }
            one = Annotated[_TYPES[kind], Meta(**bounds)] if bounds else _TYPES[kind]
            wanted = one if wanted is None else wanted | one
        msgspec.json.Decoder(wanted)
    except (TypeError, ValueError):
        raise BadSchema(f"{at} has invalid bounds.") from None
    return wanted


def _is_single(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def _kind_of(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    return {str: "string", int: "integer"}.get(type(value), "number")
