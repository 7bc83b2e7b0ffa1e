"""The API's description as a page of the server, without files from elsewhere.

It can be read without a script; where the server shows its page, requests can be tried out.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from itertools import groupby
from typing import Any

from pagetide.server.api.description.docs_examples import example
from pagetide.server.api.page import POLICY

_PLAIN = """\
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
td,th{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0}"""
_HASH = base64.b64encode(hashlib.sha256(_PLAIN.encode()).digest()).decode()
_ALONE = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; frame-ancestors 'none';"
    " base-uri 'none'; form-action 'none'"
)
_OWN_STYLE = f"<style>{_PLAIN}</style>"
_OF_THE_PAGE = (
    '<link rel="icon" href="ui/icon.svg" type="image/svg+xml">'
    '<link rel="stylesheet" href="ui/style.css"><link rel="stylesheet" href="ui/docs/docs.css">'
    '<script src="ui/ahead.js"></script><script type="module" src="ui/docs/docs.js"></script>'
)
_BAR = (
    '<header class="bar"><a class="brand" href="./">'
    '<img src="ui/icon.svg" alt="" width="28" height="28">Pagetide</a>'
    '<nav aria-label="Views"><a href="./#/">Read</a><a href="./#/jobs">Jobs</a>'
    '<a href="docs" aria-current="page">API</a></nav></header>'
)
_TITLES = {"jobs": "Jobs", "results": "Results", "reviews": "Reviews", "operation": "Operation"}
Described = dict[str, Any]


def headers(*, with_page: bool) -> dict[str, str]:
    """The page's headers: where the web page is served, it may load and ask of this server."""
    return {
        "Content-Security-Policy": POLICY if with_page else _ALONE,
        "Cache-Control": "private, max-age=60",
    }


def page(description: Described, root: str, *, with_page: bool) -> str:
    """The page.

    Args:
        description: OpenAPI 3.1.
        root: What the server's addresses begin with, for the examples.
        with_page: Whether the server shows its page: then this one looks like it.
    """
    info = description["info"]
    every = [
        (operation["tags"][0], method, path, operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]
    every.sort(key=lambda one: list(_TITLES).index(one[0]))
    groups = "".join(
        f"<h2>{_TITLES[tag]}</h2>" + "".join(_operation(*one[1:], root) for one in some)
        for tag, some in groupby(every, lambda one: one[0])
    )
    schemas = "".join(
        _schema(name, schema) for name, schema in description["components"]["schemas"].items()
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(info['title'])} API</title>"
        f'<meta name="description" content="{escape(info["summary"])}">'
        f"{_OF_THE_PAGE if with_page else _OWN_STYLE}"
        f"<body>{_BAR if with_page else ''}<main>"
        f"<h1>{escape(info['title'])} API</h1><p class=lead>{escape(info['summary'])}"
        f" Version {escape(info['version'])}; for programs:"
        ' <a href="openapi.json">openapi.json</a>.</p><div id="key"></div>'
        f"{groups}"
        f"<h2>Schemas</h2>{schemas}</main></body></html>\n"
    )


def _operation(method: str, path: str, operation: Described, root: str) -> str:
    answers = [
        (status, "", _content(answer), answer["description"])
        for status, answer in operation["responses"].items()
    ]
    first, *rest = _paragraphs(operation)
    text = "".join(f"<p>{_prose(part)}</p>" for part in rest)
    shell = escape(example(root, method, path, operation))
    body = ",".join(operation.get("requestBody", {}).get("content", {}))
    return (
        f'<details class="operation" id="{operation["operationId"]}" data-method="{method}"'
        f' data-path="{escape(path)}" data-body="{body}"><summary><b class="{method}">'
        f"{method.upper()}</b> <code>{escape(path)}</code>"
        f" <span>{_prose(first)}</span></summary>"
        f'{text}<h4>Example</h4><pre class="snippet" tabindex="0"><code>{shell}</code></pre>'
        '<div class="try"></div>'
        f"{_table('Parameters', list(_parameters(operation)))}{_body(operation)}"
        f"{_table('Answers', answers)}</details>"
    )


def _parameters(operation: Described) -> Iterator[tuple[str, str, str, str]]:
    for one in operation.get("parameters", ()):
        yield one["name"], one["in"], _type(one["schema"]), one.get("description", "")


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
        f'<details id="{escape(name)}"><summary><code>{escape(name)}</code></summary>{text}'
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
    return (
        f'<h4>{escape(title)}</h4><div class="wide" tabindex="0"><table>{lines}</table></div>'
    )


def _content(answer: Described) -> str:
    return "<br>".join(
        escape(media_type) + (f": {_type(described['schema'])}" if described else "")
        for media_type, described in answer.get("content", {}).items()
    )


def _type(schema: Described) -> str:
    """The type of a value, in a few words; schemas are linked."""
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
