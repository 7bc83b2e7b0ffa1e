"""The OpenAPI description: every status that can occur, with its schema, from the types."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from pagetide.document import Document, Page
from pagetide.document.extraction import Extraction
from pagetide.server.api import problems
from pagetide.server.api.answers import (
    page_list_wire,
    page_wire,
    pool_wire,
    review_wire,
    upload_wire,
    wire,
)
from pagetide.server.api.bodies.job_form import ExtractForm, JobForm, ReadForm
from pagetide.server.api.callers import scopes
from pagetide.server.api.description.field_texts import with_field_texts
from pagetide.server.api.description.uniform_items import with_uniform_items

Declared = dict[str, Any]

EVERYWHERE = (401, 403, 422, 429, 500, 503)
ONE_JOB = (404, 410)
SUBMITTING = (408, 409, 413, 415, 507)
NOTHING: Declared = {"description": "Done; no content."}
UNCHANGED: Declared = {"description": "The client already has it."}
EVENTS: Declared = {
    "description": "The events until the job ends.",
    "content": {"text/event-stream": {}},
}
IN_PARTS = {status: ("ETag", "Content-Disposition") for status in (200, 206)}  # headers
_TYPES = (
    wire.JobView,
    wire.JobList,
    wire.DeliveryList,
    wire.FigureList,
    page_list_wire.PageList,
    wire.Waiting,
    page_wire.LimitView,
    page_wire.HistoryView,
    review_wire.ClaimForm,
    review_wire.TokenForm,
    review_wire.ReviewForm,
    review_wire.ReviewView,
    review_wire.ReviewList,
    review_wire.CorrectionRow,
    pool_wire.PoolList,
    pool_wire.WarmForm,
    pool_wire.WarmView,
    upload_wire.UploadView,
    problems.Problem,
    JobForm,
    ReadForm,
    ExtractForm,
    Extraction,
    Document,
    Page,
)
_TOO_MANY = ("Retry-After", "RateLimit-Policy", "RateLimit")
_ABOUT_A_JOB = ("show_job", "watch_job", "get_result", "cancel_job", "list_deliveries")
_ABOUT_A_PAGE = ("get_page", "get_page_image", "list_figures")
_TEXT: Declared = {"schema": {"type": "string"}}
_HEADERS = {
    "Location": {"description": "The job.", **_TEXT},
    "Retry-After": {"description": "Seconds.", "schema": {"type": "integer", "minimum": 0}},
    "RateLimit-Policy": {"description": "The key's quotas and their windows.", **_TEXT},
    "RateLimit": {"description": "What is left of the quotas.", **_TEXT},
    "ETag": {"description": "Names these bytes.", **_TEXT},
    "Content-Range": {"description": "Which bytes these are.", **_TEXT},
    "Content-Disposition": {"description": "What to call a file of them.", **_TEXT},
}


def ref(name: str) -> Declared:
    """A schema by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def json(name: str, description: str) -> Declared:
    """An answer in JSON, by its schema's name."""
    return {"description": description, "content": {"application/json": {"schema": ref(name)}}}


def job(description: str) -> Declared:
    """An answer that is a job, with what can be asked about it."""
    given = {"job_id": "$response.body#/id"}
    links = {name: {"operationId": name, "parameters": given} for name in _ABOUT_A_JOB}
    for name in _ABOUT_A_PAGE:
        links[name] = {"operationId": name, "parameters": {**given, "number": 1}}
    return {**json("JobView", description), "links": links}


def values(description: str, **properties: Declared) -> Declared:
    """An answer that is a JSON object with these properties."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def array(**properties: Declared) -> Declared:
    """A list of JSON objects with these properties."""
    item = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "array", "items": item}


def file(description: str, *media_types: str) -> Declared:
    """An answer that is bytes of one of these types."""
    return {"description": description, "content": {name: {} for name in media_types}}


def result(*media_types: str) -> Declared:
    """An answer that is a result: in JSON the document, its fields, or what its engine said.

    JSON is the last of the types, for generated clients may go by the first alone: what they
    take for JSON they parse, and Markdown would fail.
    """
    fields = {"type": "object", "additionalProperties": True, "title": "Fields"}
    raw = {"type": "array", "items": {}, "title": "Raw"}
    declared = file("The result.", *media_types)
    either = {"anyOf": [ref("Document"), fields, raw]}
    declared["content"]["application/json"] = {"schema": either}
    return declared


def answers(
    good: Mapping[int, Declared],
    *statuses: int,
    headers: Mapping[int, tuple[str, ...]] | None = None,
) -> dict[int | str, Declared]:
    """The answers of an operation: the good ones, and problems with these statuses."""
    declared: dict[int | str, Declared] = {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {problems.MEDIA_TYPE: {"schema": ref("Problem")}},
        }
        for status in sorted({*EVERYWHERE, *statuses})
    }
    declared.update({status: answer for status, answer in good.items()})
    for status, names in {429: _TOO_MANY, **(headers or {})}.items():
        shown = {name: _HEADERS[name] for name in names}
        declared[status] = {**declared[status], "headers": shown}
    return declared


def body(kind: type[JobForm]) -> Declared:
    """The body of an operation: the form's fields and the document, as a form or as JSON."""
    _, components = msgspec.json.schema_components([kind], ref_template="#/{name}")
    schema = with_field_texts(components[kind.__name__])
    fields = {name: _plain(field) for name, field in schema["properties"].items()}
    name = {"type": "string", "description": "What the document is called."}
    binary = {
        "type": "string",
        "format": "binary",  # by which generators of clients know a file
        "contentMediaType": "application/octet-stream",
        "description": "The document.",
    }
    base64 = {
        "type": ["string", "null"],
        "contentEncoding": "base64",
        "description": "The document.",
    }
    return {
        "requestBody": {
            "required": True,
            "content": {
                "multipart/form-data": {"schema": _form_schema(fields, binary, name)},
                "application/json": {
                    "schema": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {"file": base64, "name": name, **fields},
                    }
                },
            },
        }
    }


def describe(app: FastAPI, *, keys_needed: bool) -> Declared:
    """The OpenAPI 3.1 description of the application."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title="Pagetide",
            version=importlib.metadata.version("pagetide"),
            summary="Reads documents: send a PDF or a picture, get the text and its position.",
            routes=app.routes,
        )
        _, components = msgspec.json.schema_components(
            _TYPES, ref_template="#/components/schemas/{name}"
        )
        components["JobView"]["properties"]["result"] = ref("Document")
        described = {name: with_field_texts(one) for name, one in sorted(components.items())}
        schema["components"] = {"schemas": with_uniform_items(described)}
        if keys_needed:
            _lock(schema, scopes.needs(app.routes))
        app.openapi_schema = schema
    return app.openapi_schema


def _form_schema(fields: Declared, binary: Declared, name: Declared) -> Declared:
    given = {**fields, "metadata": {"type": "string", "description": "A JSON object of texts."}}
    if "schema" in given:
        given["schema"] = {"type": "string", "description": "A JSON Schema, as JSON."}
    properties = {"file": binary, "name": name, **given}
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _plain(field: Declared) -> Declared:
    return {name: value for name, value in field.items() if name != "default" or value != []}


def _lock(schema: Declared, needs: Iterable[scopes.Need]) -> None:
    """Say which operations need a key, and with which scopes."""
    scheme = {"type": "http", "scheme": "bearer", "description": "An API key."}
    schema["components"]["securitySchemes"] = {"key": scheme}
    for need in needs:
        method, _, path = need.route.partition(" ")
        operation = schema["paths"].get(path, {}).get(method.lower())
        if operation and need.scopes is not None:
            operation["security"] = [{"key": list(need.scopes)}]
            operation["description"] += f"\n\n{scopes.sentence(need)}"
