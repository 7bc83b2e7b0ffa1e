"""How each protocol tells of an error: what the fuzzer holds an answer to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

Dialect = Callable[[int, Mapping[str, str], bytes], bool]
CBOR = "application/cbor"


def native(status: int, headers: Mapping[str, str], body: bytes) -> bool:
    """A problem of ours, RFC 9457."""
    told = json.loads(body)
    texts = all(told[name] for name in ("type", "title", "detail", "code"))
    return _is(headers, "application/problem+json") and texts and told["status"] == status


def azure(status: int, headers: Mapping[str, str], body: bytes) -> bool:
    """Azure's: a code and, within, what it is more exactly."""
    error = json.loads(body)["error"]
    return _texts(error, "code", "message") and _texts(error["innererror"], "code", "message")


def detail(status: int, headers: Mapping[str, str], body: bytes) -> bool:
    """FastAPI's: docling, `/predict` and `/api/v1/ocr`."""
    return _texts(json.loads(body), "detail", "code")


def mistral(status: int, headers: Mapping[str, str], body: bytes) -> bool:
    """Mistral's two."""
    told = json.loads(body)
    if status == 422:
        return _texts(told["detail"][0], "type", "msg")
    return told["object"] == "error" and _texts(told, "message", "type", "code")


def paddleocr(status: int, headers: Mapping[str, str], body: bytes) -> bool:
    """PaddleOCR's job API's."""
    told = json.loads(body)
    return told["code"] == status and _texts(told, "msg", "error")


def paddlex(status: int, headers: Mapping[str, str], body: bytes) -> bool:
    """PaddleX serving's."""
    told = json.loads(body)
    return told["errorCode"] == status and _texts(told, "logId", "errorMsg")


def textract(status: int, headers: Mapping[str, str], body: bytes) -> bool:
    """Textract's."""
    if _is(headers, CBOR):
        return b"__type" in body
    return _texts(json.loads(body), "__type", "message")


def any_of_them(status: int, headers: Mapping[str, str], body: bytes) -> bool:
    """Where another route answered than was meant, any of the dialects will do."""
    for spoken in (native, azure, detail, mistral, paddleocr, paddlex, textract):
        with suppress(KeyError, TypeError, IndexError):
            if spoken(status, headers, body):
                return True
    return False


def code_of(body: bytes) -> Any:
    """The stable code of a 503 in whatever dialect; None where there is none."""
    told = json.loads(body)
    error = told.get("error")
    return told.get("code") or told.get("errorCode") or (error or {}).get("code")


def _is(headers: Mapping[str, str], media_type: str) -> bool:
    return headers.get("content-type", "").startswith(media_type)


def _texts(told: Mapping[str, Any], *names: str) -> bool:
    return all(isinstance(told[name], str) and told[name] for name in names)
