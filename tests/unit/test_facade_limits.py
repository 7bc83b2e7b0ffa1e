"""Limits of a key, told by each facade in its own form, with its own word for throttling."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.unit.api_fake import Desk, Reply, Site, form, play

PDF = b"%PDF 1 a document"
TEXT = base64.b64encode(PDF).decode()
AMAZON = "application/x-amz-json-1.1"


@dataclass(frozen=True)
class Facade:
    """How a document is submitted by a facade, and what its clients know of throttling.

    Attributes:
        code: Their word for it, found in the answer's JSON.
        status: The status that they know.
        waits: Whether they look for `Retry-After`.
    """

    path: str
    code: Callable[[Any], object]
    says: object
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    status: int = 429
    waits: bool = True


def as_json(path: str, value: object, code: Callable[[Any], object], says: object) -> Facade:
    body = json.dumps(value).encode()
    return Facade(path, code, says, body, {"content-type": "application/json"})


def as_form(path: str, *fields: Any, code: Callable[[Any], object], says: object) -> Facade:
    headers, body = form(fields)
    return Facade(path, code, says, body, headers)


def textract(operation: str, value: object, says: str) -> Facade:
    headers = {"x-amz-target": f"Textract.{operation}", "content-type": AMAZON}
    body = json.dumps(value).encode()
    return Facade("/", lambda told: told["__type"], says, body, headers, 400, waits=False)


def azure(told: Any) -> object:
    return told["error"]["code"], told["error"]["innererror"]["code"]


MODEL = "/documentintelligence/documentModels/big"
THROTTLED = "ProvisionedThroughputExceededException"
DOCUMENT = {"type": "document_url", "document_url": f"data:application/pdf;base64,{TEXT}"}
# What each says of too many requests; and of pages, where that is another word.
FACADES: dict[str, Callable[[str], Facade]] = {
    "azure": lambda _: Facade(
        f"{MODEL}:analyze?api-version=2024-11-30",
        azure,
        ("TooManyRequests", "RequestRateLimitExceeded"),
        PDF,
        {"content-type": "application/pdf"},
    ),
    "textract": lambda _: textract(
        "DetectDocumentText", {"Document": {"Bytes": TEXT}}, THROTTLED
    ),
    "mistral": lambda code: as_json(
        "/v1/ocr", {"model": "big", "document": DOCUMENT}, lambda told: told["code"], code
    ),
    "docling": lambda code: as_form(
        "/v1/convert/file/async",
        ("files", PDF, "a.pdf"),
        code=lambda told: told["code"],
        says=code,
    ),
    "paddleocr": lambda _: as_form(
        "/api/v2/ocr/jobs",
        ("model", "big"),
        ("file", PDF, "a.pdf"),
        code=lambda told: told["code"],
        says=429,
    ),
    "paddlex": lambda _: as_json(
        "/layout-parsing", {"file": TEXT}, lambda told: told["errorCode"], 429
    ),
    "predict": lambda code: as_form(
        "/predict", ("image", PDF, "a.pdf"), code=lambda told: told["code"], says=code
    ),
    "process": lambda code: as_form(
        "/api/v1/ocr/process",
        ("file", PDF, "a.pdf"),
        code=lambda told: told["code"],
        says=code,
    ),
}
ALIASES = dict.fromkeys(
    ("big", "layout-parsing", "predict", "ocr-process", "DetectDocumentText"), "fake"
)


async def asked(site: Site, facade: Facade, key: str) -> Reply:
    headers = {**facade.headers, "authorization": f"Bearer {key}"}
    return await site.ask("POST", facade.path, headers=headers, body=facade.body)


def check(reply: Reply, facade: Facade) -> None:
    assert (reply.status, facade.code(reply.json())) == (facade.status, facade.says)
    if facade.waits:
        assert int(reply.headers["retry-after"]) > 0


@pytest.mark.parametrize("name", FACADES)
def test_too_many_requests(name: str, tmp_path: Path) -> None:
    desk = Desk(tmp_path, aliases=ALIASES)
    key = desk.key("ada", requests_per_second=1)
    facade = FACADES[name]("too_many_requests")

    async def steps(site: Site) -> None:
        site.app.state.context.rates.take(desk.service.store.keys()[0].id, 1)
        reply = await asked(site, facade, key)
        check(reply, facade)
        assert reply.headers["ratelimit"] == '"requests";r=0;t=1'

    play(desk, steps, keys_needed=True)


@pytest.mark.parametrize(
    ("limit", "code"),
    [("active_pages", "active_pages_reached"), ("pages_per_day", "pages_per_day_reached")],
)
@pytest.mark.parametrize("name", FACADES)
def test_pages(name: str, limit: str, code: str, tmp_path: Path) -> None:
    desk = Desk(tmp_path, aliases=ALIASES)
    key = desk.key("ada", **{limit: 1})
    facade = FACADES[name](code)

    async def steps(site: Site) -> None:
        first: list[Any] = [("model", "fake"), ("file", b"%PDF 1 first", "a.pdf")]
        made = await site.post_form("/v1/jobs", first, authorization=f"Bearer {key}")
        assert made.status == 202
        reply = await asked(site, facade, key)
        check(reply, facade)
        assert ";r=0" in reply.headers["ratelimit"]
        assert len(list(desk.service.blobs.under("jobs/"))) == 1

    play(desk, steps, keys_needed=True)
