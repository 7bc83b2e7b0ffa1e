"""Whether JSON matches botocore's model of Textract: members, types, values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from botocore.loaders import Loader

SHAPES: dict[str, Any] = Loader().load_service_model("textract", "service-2")["shapes"]
PLAIN: dict[str, Any] = {"string": str, "integer": int, "float": (int, float)}


def wrong(value: object, shape: str, where: str = "$") -> Iterator[str]:
    """What is wrong with a value that should have a shape, one sentence each."""
    known = SHAPES[shape]
    kind = known["type"]
    if kind == "structure":
        yield from _wrong_in(value, known, where)
    elif kind == "list":
        assert isinstance(value, list), where
        for place, each in enumerate(value):
            yield from wrong(each, known["member"]["shape"], f"{where}[{place}]")
    elif not isinstance(value, PLAIN[kind]) or isinstance(value, bool):
        yield f"{where} is {value!r:.80}, not a {kind}"
    elif "enum" in known and value not in known["enum"]:
        yield f"{where} is {value!r:.80}, which {shape} does not know"
    elif isinstance(value, str) and not known.get("min", 0) <= len(value):
        yield f"{where} is too short"
    elif isinstance(value, float | int) and "max" in known and value > known["max"]:
        yield f"{where} is {value}, more than {known['max']}"


def _wrong_in(value: object, known: dict[str, Any], where: str) -> Iterator[str]:
    assert isinstance(value, dict), where
    members = known["members"]
    yield from (f"{where} has an unknown {name}" for name in value.keys() - members.keys())
    yield from (f"{where} has no {name}" for name in {*known.get("required", ())} - {*value})
    for name in value.keys() & members.keys():
        yield from wrong(value[name], members[name]["shape"], f"{where}.{name}")
