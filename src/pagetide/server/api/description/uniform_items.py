"""Describes points and boxes as lists of numbers, which every client generator takes."""

from __future__ import annotations

from typing import Any


def with_uniform_items(schema: Any) -> Any:
    """A schema in which a tuple of values of one kind is a list of that kind.

    Its length is told by `minItems` and `maxItems` all the same; what some generators of
    clients refuse is `"items": false` beside `prefixItems`.
    """
    if isinstance(schema, list):
        return [with_uniform_items(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    uniform = {name: with_uniform_items(one) for name, one in schema.items()}
    first, *others = uniform.get("prefixItems") or [None]
    if first and all(one == first for one in others):
        del uniform["prefixItems"]
        uniform["items"] = first
    return uniform
