"""What one schema allows and another does not is found, whichever keyword says so."""

from __future__ import annotations

from typing import Any

import pytest

from tests.deploy.kubernetes.narrower import wider

THEIRS: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "mode": {"type": "string", "enum": ["fast", "slow"]},
        "every": {"type": "string", "pattern": "^[0-9]+s$"},
        "port": {"type": ["integer", "string"]},
        "share": {"type": "number", "maximum": 1},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "steps": {"type": "array", "items": {"type": "object", "required": ["to"]}},
    },
}


def ours(name: str, schema: dict[str, Any], *required: str) -> dict[str, Any]:
    text = {"$ref": "#/definitions/text"}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["name", *required],
        "properties": {"name": text, name: schema},
        "definitions": {"text": {"type": "string", "minLength": 1}},
    }


NARROWER = [
    ours("mode", {"enum": ["fast"]}),
    ours("every", {"type": "string", "pattern": "^15s$"}),
    ours("every", {"const": "15s"}),
    ours("port", {"type": "integer"}, "port"),
    ours("share", {"type": "integer", "maximum": 0}),
    ours("labels", {"type": "object", "additionalProperties": {"const": "a"}}),
    ours("steps", {"type": "array", "items": {"type": "object", "required": ["to", "by"]}}),
]


@pytest.mark.parametrize("schema", NARROWER)
def test_what_allows_less_is_narrower(schema: dict[str, Any]) -> None:
    assert list(wider(schema, THEIRS)) == []


WIDER = [
    (ours("nmae", {"type": "string"}), ".nmae: is not known"),
    (ours("mode", {"enum": ["fast", "medium"]}), ".mode: 'medium' is not one of"),
    (ours("mode", {"type": "string"}), ".mode: not every value will do"),
    (ours("every", {"type": "string"}), ".every: not every value will do"),
    (ours("port", {"type": "boolean"}), ".port: may be boolean"),
    (ours("port", {}), ".port: may be array"),
    (ours("share", {"type": "number"}), ".share: may be above 1"),
    (ours("name", {"type": "string"}), ".name: may be below 1"),
    (ours("labels", {"type": "object"}), ".labels: may have anything"),
    (ours("steps", {"type": "array", "items": {"type": "object"}}), ".steps[]: may lack to"),
    (ours("port", {"type": "integer"}) | {"required": []}, ": may lack name"),
    (ours("port", {"type": "integer"}) | {"additionalProperties": True}, ": may have anything"),
]


@pytest.mark.parametrize(("schema", "said"), WIDER, ids=[said for _, said in WIDER])
def test_what_allows_more_is_named(schema: dict[str, Any], said: str) -> None:
    found = list(wider(schema, THEIRS))
    assert [each for each in found if each.startswith(said)], found
