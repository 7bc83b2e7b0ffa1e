"""Whether a schema allows nothing that a wider one refuses, keyword by keyword.

Made for lists of ours against the definitions of KEDA and Prometheus: it knows what those say,
and complains of what it cannot be sure of.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema

ANY = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
Schema = dict[str, Any]


def wider(ours: Schema, theirs: Schema, place: str = "") -> Iterator[str]:
    """What ours would let pass and theirs would not, with where it is."""
    return _wider(ours, theirs, ours.get("definitions", {}), place)


def _wider(ours: Schema, theirs: Schema, named: Schema, place: str) -> Iterator[str]:
    if "$ref" in ours:
        ours = named[ours["$ref"].removeprefix("#/definitions/")]
    if (values := _values(ours)) is not None:
        refuses = jsonschema.Draft7Validator(theirs).iter_errors
        yield from (f"{place}: {error.message}" for v in values for error in refuses(v))
        return
    if extra := _types(ours) - _types(theirs):
        yield f"{place}: may be {', '.join(sorted(extra))}"
    if "enum" in theirs or ("pattern" in theirs and "pattern" not in ours):
        yield f"{place}: not every value will do"
    yield from _bounds(ours, theirs, place)
    if missing := set(theirs.get("required", ())) - set(ours.get("required", ())):
        yield f"{place}: may lack {', '.join(sorted(missing))}"
    yield from _parts(ours, theirs, named, place)


def _parts(ours: Schema, theirs: Schema, named: Schema, place: str) -> Iterator[str]:
    """The same of what stands inside."""
    if "items" in theirs:
        yield from _wider(ours.get("items", {}), theirs["items"], named, f"{place}[]")
    others, known = theirs.get("additionalProperties", {}), theirs.get("properties", {})
    for name, schema in ours.get("properties", {}).items():
        if (there := known.get(name, others)) is False:
            yield f"{place}.{name}: is not known"
        else:
            yield from _wider(schema, there, named, f"{place}.{name}")
    if (more := ours.get("additionalProperties", True)) is not False and others != {}:
        if more is True or others is False:
            yield f"{place}: may have anything"
        else:
            yield from _wider(more, others, named, f"{place}.*")


def _bounds(ours: Schema, theirs: Schema, place: str) -> Iterator[str]:
    for least in {"minimum", "minItems", "minLength", "minProperties"} & theirs.keys():
        if ours.get(least, float("-inf")) < theirs[least]:
            yield f"{place}: may be below {theirs[least]}"
    for most in {"maximum", "maxItems", "maxLength", "maxProperties"} & theirs.keys():
        if ours.get(most, float("inf")) > theirs[most]:
            yield f"{place}: may be above {theirs[most]}"


def _values(schema: Schema) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _types(schema: Schema) -> set[str]:
    told = schema.get("type", ANY)
    types = {told} if isinstance(told, str) else set(told)
    return types | {"integer"} if "number" in types else types
