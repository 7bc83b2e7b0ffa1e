"""The API's description as a page that needs no script and nobody else's server."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import Any

_STYLE = """\
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 20%,transparent)}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{margin-bottom:0}h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}
code,summary{font-family:ui-monospace,monospace;font-size:.9em}
details{margin:.5rem 0;border:1px solid var(--line);border-radius:.4rem;padding:.4rem .8rem}
summary{cursor:pointer}summary b{display:inline-block;min-width:4.5rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0}
td,th{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0}
tr{border-top:1px solid var(--line)}"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
HEADERS = {
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_HASH}'; frame-ancestors 'none';"
        " base-uri 'none'; form-action 'none'"
    ),
    "Cache-Control": "private, max-age=60",
}
Described = dict[str, Any]


def page(description: Described) -> str:
    """The page.

    Args:
        description: OpenAPI 3.1.
    """
    info = description["info"]
    operations = "".join(
        _operation(method, path, operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    )
    schemas = "".join(
        _schema(name, schema) for name, schema in description["components"]["schemas"].items()
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(info['title'])} API</title><style>{_STYLE}</style>"
        f"<h1>{escape(info['title'])}</h1><p>{escape(info['summary'])}"
        f" Version {escape(info['version'])}; for programs:"
        ' <a href="openapi.json">openapi.json</a>.</p>'
        "<pre><code>curl -F file=@scan.pdf …/v1/jobs</code></pre>"
        f"<h2>Requests</h2>{operations}<h2>Schemas</h2>{schemas}</html>\n"
    )


def _operation(method: str, path: str, operation: Described) -> str:
    parameters = [
        (one["name"], one["in"], _type(one["schema"]), one.get("description", ""))
        for one in operation.get("parameters", ())
    ]
    answers = [
        (status, "", _content(answer), answer["description"])
        for status, answer in operation["responses"].items()
    ]
    text = "".join(f"<p>{_prose(part)}</p>" for part in _paragraphs(operation))
    return (
        f"<details><summary><b>{method.upper()}</b> {escape(path)}</summary>{text}"
        f"{_table('Parameters', parameters)}{_body(operation)}{_table('Answers', answers)}"
        "</details>"
    )


def _paragraphs(operation: Described) -> list[str]:
    return str(operation.get("description", "")).split("\n\n")


def _body(operation: Described) -> str:
    content = operation.get("requestBody", {}).get("content", {})
    return "".join(
        _table(f"Body, {media_type}", _fields(described["schema"]))
        for media_type, described in content.items()
    )


def _schema(name: str, schema: Described) -> str:
    text = f"<p>{_prose(schema.get('description', ''))}</p>"
    return (
        f'<details id="{escape(name)}"><summary>{escape(name)}</summary>{text}'
        f"{_table('Fields', _fields(schema))}</details>"
    )


def _fields(schema: Described) -> list[tuple[str, str, str, str]]:
    required = schema.get("required", ())
    return [
        (
            name,
            "required" if name in required else "",
            _type(field),
            field.get("description", ""),
        )
        for name, field in schema.get("properties", {}).items()
    ]


def _table(title: str, rows: list[tuple[str, str, str, str]]) -> str:
    if not rows:
        return ""
    lines = "".join(
        f"<tr><td><code>{escape(name)}</code><td>{escape(note)}<td>{kind}<td>{_prose(text)}"
        for name, note, kind, text in rows
    )
    return f"<h4>{escape(title)}</h4><table>{lines}</table>"


def _content(answer: Described) -> str:
    return "<br>".join(
        escape(media_type) + (f": {_type(described['schema'])}" if described else "")
        for media_type, described in answer.get("content", {}).items()
    )


def _type(schema: Described) -> str:
    """What a value is, in a few words; schemas are linked."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "enum" in schema:
        return " | ".join(escape(str(one)) for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_type(schema.get('items') or {})}"
    limits = [
        f"{sign} {schema[name]}"
        for name, sign in (("minimum", "≥"), ("maximum", "≤"), ("maxLength", "length ≤"))
        if name in schema
    ]
    words = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return escape(" ".join([words, str(schema.get("format", "")), *limits]).strip())


def _prose(text: str) -> str:
    """Plain text, with what stands between ticks as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))
