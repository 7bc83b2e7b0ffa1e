"""Every request of the HTTP API as Markdown, for the documentation site.

python -m tests.docs.operations > operations.md
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

from fastapi import FastAPI

from pagetide.server.app import create_app
from pagetide.server.service.service import Service
from pagetide.server.stores.notifications.memory import MemoryNotifications
from pagetide.settings import Settings
from tests.serving import notifier_by

Described = dict[str, Any]
Rows = list[tuple[str, ...]]
HEAD = """\
# Every request

Made from the server's description of itself, which a running one gives as OpenAPI 3.1 at
`/openapi.json` and shows at `/docs`. What the parts mean together is told in
[the HTTP API](http.md)."""


def description() -> Described:
    """OpenAPI 3.1, of a server with keys."""
    return application().openapi()


def application() -> FastAPI:
    """A server with keys that is asked only what it has."""
    notifier = notifier_by(MemoryNotifications())
    service = SimpleNamespace(notifier=notifier, store=None, marks=None)
    return create_app(cast(Service, service), Settings(), keys_needed=True)


def written(described: Described) -> str:
    """The page."""
    operations = [
        _operation(f"{method.upper()} {path}", operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]
    schemas = [_schema(*one) for one in described["components"]["schemas"].items()]
    return "\n\n".join([HEAD, "## Requests", *operations, "## Schemas", *schemas]) + "\n"


def _operation(title: str, operation: Described) -> str:
    parameters: Rows = [
        (f"`{one['name']}`", one["in"], _kind(one["schema"]), one.get("description", ""))
        for one in operation.get("parameters", ())
    ]
    answers: Rows = [
        (status, answer["description"], _kinds(answer))
        for status, answer in sorted(operation["responses"].items())
    ]
    parts = [f"### `{title}`", operation.get("description", "")]
    parts += _table(("parameter", "in", "is", "means"), parameters)
    for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
        if rows := _fields(content.get("schema", {})):
            parts += [f"Sent as `{media_type}`:", *_table(("field", "is", "means"), rows)]
    return "\n\n".join([*parts, *_table(("answer", "means", "is"), answers)])


def _schema(name: str, schema: Described) -> str:
    text = schema.get("description", "")
    return "\n\n".join(
        [f"### {name}", text, *_table(("field", "is", "means"), _fields(schema))]
    )


def _fields(schema: Described) -> Rows:
    return [
        (f"`{name}`", _kind(field), field.get("description", ""))
        for name, field in schema.get("properties", {}).items()
    ]


def _table(head: tuple[str, ...], rows: Rows) -> Iterator[str]:
    if rows:
        lines = [head, ("---",) * len(head), *rows]
        yield "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _kinds(answer: Described) -> str:
    return "<br>".join(
        f"`{media_type}`" + (f": {_kind(content['schema'])}" if "schema" in content else "")
        for media_type, content in answer.get("content", {}).items()
    )


def _kind(schema: Described) -> str:
    """What a value is, in a few words; schemas are linked."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items') or {})}"
    kind = schema.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


if __name__ == "__main__":
    print(written(description()))  # noqa: T201 - it is what the command is for
