"""Field descriptions for the API's schema, from a class's docstring."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import Any

_HEAD = re.compile(r"\s*\bAttributes:\n")
_FIELD = re.compile(r"^ {4}(\w+): ", re.MULTILINE)


def with_field_texts(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema whose description is a docstring, with each field's text at the field."""
    text, *attributes = _HEAD.split(cleandoc(schema.get("description", "")), maxsplit=1)
    parts = _FIELD.split(attributes[0])[1:] if attributes else []
    texts = {
        name: " ".join(text.split()) for name, text in zip(*[iter(parts)] * 2, strict=True)
    }
    properties = {
        name: {**field, "description": texts[name]} if name in texts else field
        for name, field in schema.get("properties", {}).items()
    }
    more = {"properties": properties} if properties else {}
    return {**schema, **({"description": " ".join(text.split())} if text else {}), **more}
