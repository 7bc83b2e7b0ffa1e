"""Whether JSON is what the models of Azure's client say: members, types, values.

    python azure_models.py MODEL < value.json

The client itself takes nearly anything. What is wrong is printed, one sentence a line.
"""

from __future__ import annotations

import datetime
import enum
import json
import sys
from collections.abc import Iterator, MutableMapping
from typing import Any, Union, get_args, get_origin, get_type_hints

from azure.ai.documentintelligence import models
from azure.ai.documentintelligence.models import _models

PLAIN: dict[Any, Any] = {float: (int, float), datetime.datetime: str}


def wrong(value: Any, kind: Any, where: str) -> Iterator[str]:
    """What is wrong with a value of a kind."""
    if get_origin(kind) is Union:
        yield from wrong_of_any(value, get_args(kind), where)
    elif get_origin(kind) is list:
        if not isinstance(value, list):
            yield f"{where} is no list"
            return
        for place, each in enumerate(value):
            yield from wrong(each, get_args(kind)[0], f"{where}[{place}]")
    elif issubclass(kind, MutableMapping):
        yield from wrong_in(value, kind, where)
    elif isinstance(value, bool) != (kind is bool) or not isinstance(
        value, PLAIN.get(kind, kind)
    ):
        yield f"{where} is {value!r:.80}, not a {kind.__name__}"


def wrong_of_any(value: Any, kinds: tuple[Any, ...], where: str) -> Iterator[str]:
    """What is wrong where one of several kinds will do; a text must be one that is known."""
    known = [each for each in kinds if isinstance(each, type) and issubclass(each, enum.Enum)]
    if known:
        if value not in [each.value for each in known[0]]:
            yield f"{where} is {value!r}, which {known[0].__name__} does not know"
        return
    yield from wrong(value, kinds[0], where)


def wrong_in(value: Any, kind: Any, where: str) -> Iterator[str]:
    """What is wrong with an object."""
    if not isinstance(value, dict):
        yield f"{where} is no object"
        return
    hints = get_type_hints(kind, {**vars(_models), "_models": models})
    kind({})  # the class learns its fields by being used
    fields = {field._rest_name: hints[name] for name, field in kind._attr_to_rest_field.items()}
    yield from (f"{where} has an unknown {name}" for name in value.keys() - fields.keys())
    for name, hint in fields.items():
        if name in value:
            yield from wrong(value[name], hint, f"{where}.{name}")
        elif type(None) not in get_args(hint):
            yield f"{where} has no {name}"


def main() -> None:
    kind = getattr(models, sys.argv[1], None) or getattr(_models, sys.argv[1])
    sys.stdout.writelines(f"{each}\n" for each in wrong(json.load(sys.stdin), kind, "$"))


main()
