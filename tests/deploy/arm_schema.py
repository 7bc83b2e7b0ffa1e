"""Strict JSON schemas from the models of Azure's own Python packages.

What a model does not know, what only Azure may set, a number in quotes and a value that its
enumeration does not have are refused; Azure itself passes over some of these in silence.
"""

from __future__ import annotations

import importlib
import re
import sys
import types
from collections.abc import Iterator
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    datetime: {"type": "string"},
    timedelta: {"type": "string"},
    bytes: {"type": "string"},
    Any: {},
    type(None): {"type": "null"},
}
_LEAST, _MOST = re.compile(r"Minimum\s+value is (\d+)"), re.compile(r"Maximum\s+value is (\d+)")


def schema_of(package: str, model: str) -> dict[str, Any]:
    """The schema of a model and of all it is made of.

    Args:
        package: Such as `azure.mgmt.appcontainers`.
        model: Such as `ContainerApp`.
    """
    models = importlib.import_module(f"{package}.models")
    making = _Making(models)
    top = making.of(getattr(models, model))
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **top,
        "definitions": making.made,
    }


def api_version(package: str) -> str:
    """The version of Azure's interface that a package speaks."""
    module = importlib.import_module(f"{package}._configuration")
    assert module.__file__
    source = module.__file__
    with open(source) as file:  # noqa: PTH123 - one line of a module that cannot be asked
        found = re.search(r'kwargs\.pop\("api_version", "([^"]+)"\)', file.read())
    assert found
    return found[1]


class _Making:
    def __init__(self, models: types.ModuleType) -> None:
        self._names = {**vars(models), "_models": models}
        self.made: dict[str, Any] = {}

    def of(self, model: Any) -> dict[str, Any]:
        """A reference to a model's schema, which is made if it is not there yet."""
        name = model.__name__
        if name not in self.made:
            self.made[name] = {}
            self.made[name] = self._object(model)
        return {"$ref": f"#/definitions/{name}"}

    def _object(self, model: Any) -> dict[str, Any]:
        model()  # the fields are found with the first instance
        hints = self._hints(model)
        known, needed = {}, []
        for name, field in model._attr_to_rest_field.items():
            if field._visibility == ["read"]:
                continue
            known[field._rest_name] = self._bounded(model, name, self._typed(hints[name]))
            if type(None) not in get_args(hints[name]):
                needed.append(field._rest_name)
        return {
            "type": "object",
            "properties": known,
            "required": needed,
            "additionalProperties": False,
        }

    def _hints(self, model: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for each in reversed(model.__mro__):
            if "__annotations__" in vars(each) and "_models" in vars(each).get(
                "__module__", ""
            ):
                module = vars(sys.modules[each.__module__])
                hints = {k: v for k, v in each.__annotations__.items() if not k.startswith("_")}
                probe = type("_", (), {"__annotations__": hints, "__module__": each.__module__})
                found |= get_type_hints(probe, {**module, **self._names})
        return found

    def _bounded(self, model: Any, name: str, typed: dict[str, Any]) -> dict[str, Any]:
        """With the bounds that the model's documentation tells."""
        said = re.search(rf":ivar {name}:(.*?):vartype", model.__doc__ or "", re.DOTALL)
        text = said[1] if said else ""
        bounds = {"minimum": _LEAST.search(text), "maximum": _MOST.search(text)}
        return {**typed, **{kind: int(found[1]) for kind, found in bounds.items() if found}}

    def _typed(self, hint: Any) -> dict[str, Any]:
        if hint in _PLAIN:
            return _PLAIN[hint]
        kind, parts = get_origin(hint), get_args(hint)
        if kind in (Union, types.UnionType):
            return self._one_of(parts)
        if kind is list:
            return {"type": "array", "items": self._typed(parts[0])}
        if kind is dict:
            return {"type": "object", "additionalProperties": self._typed(parts[1])}
        if kind is Literal:
            return {"enum": list(parts)}
        if isinstance(hint, type) and issubclass(hint, Enum):
            return {"enum": [each.value for each in hint]}
        if hasattr(hint, "_attr_to_rest_field") or hasattr(hint, "as_dict"):
            return self.of(hint)
        raise AssertionError(f"what {hint} is in JSON is not known")

    def _one_of(self, parts: tuple[Any, ...]) -> dict[str, Any]:
        """Of a text and an enumeration, the enumeration: the text stands for later values."""
        if any(isinstance(each, type) and issubclass(each, Enum) for each in parts):
            parts = tuple(each for each in parts if each is not str)
        found = [self._typed(each) for each in parts]
        return found[0] if len(found) == 1 else {"anyOf": found}


def complaints(schema: dict[str, Any], document: Any) -> Iterator[str]:
    """What is wrong with a document, each with its place."""
    import jsonschema

    checker = jsonschema.Draft7Validator(schema)
    for error in checker.iter_errors(document):
        deepest = _deepest(error)
        place = "/".join(str(part) for part in deepest.absolute_path)
        yield f"{place}: {deepest.message}"


def _deepest(error: Any) -> Any:
    """The reason, where one of several schemas should have fitted."""
    while error.context:
        error = max(error.context, key=lambda each: len(each.absolute_path))
    return error
