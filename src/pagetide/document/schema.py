"""The JSON schema of `Document.to_json`, made from the types.

`make schema` writes the published one, docs/reference/document.schema.json.
"""

from __future__ import annotations

import inspect
import json
import sys

import msgspec

from pagetide.document import SCHEMA_VERSION, Document


def document_schema() -> str:
    """The schema (JSON Schema 2020-12), indented, ending in a line feed."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Pagetide document {SCHEMA_VERSION}",
        **msgspec.json.schema(Document),
    }
    for one in schema["$defs"].values():  # as Python itself does from 3.13 on
        one["description"] = inspect.cleandoc(one["description"])
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(document_schema())
