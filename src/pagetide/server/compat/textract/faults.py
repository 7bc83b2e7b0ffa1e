"""Errors in Textract's form: a name that its clients know, and a sentence."""

from __future__ import annotations

import secrets

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pagetide.errors import (
    BadInput,
    BadOption,
    Busy,
    Forbidden,
    IdempotencyConflict,
    JobGone,
    JobUnknown,
    PageFailed,
    PagetideError,
    TooLarge,
    TooManyPages,
    TooManyPixels,
    Unauthorized,
    UnsupportedType,
)

MEDIA_TYPE = "application/x-amz-json-1.1"
INTERNAL = "InternalServerError"
UNSUPPORTED = "UnsupportedDocumentException"
# The first that an error is.
_NAMES: tuple[tuple[type[PagetideError], str], ...] = (
    (Unauthorized, "UnrecognizedClientException"),
    (Forbidden, "AccessDeniedException"),
    (JobUnknown, "InvalidJobIdException"),
    (JobGone, "InvalidJobIdException"),
    (IdempotencyConflict, "IdempotentParameterMismatchException"),
    (Busy, "ProvisionedThroughputExceededException"),
    (UnsupportedType, UNSUPPORTED),
    (TooLarge, "DocumentTooLargeException"),
    (TooManyPages, "DocumentTooLargeException"),
    (TooManyPixels, "DocumentTooLargeException"),
    (BadOption, "InvalidParameterException"),
    (BadInput, "BadDocumentException"),
    (PageFailed, "BadDocumentException"),
)


class Refused(PagetideError):
    """Textract's own name says best what is wrong.

    Attributes:
        name: That name.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


def error_response(error: PagetideError, request: Request) -> Response:
    """The answer for an error."""
    name = name_of(error)
    if isinstance(error, Unauthorized) and "authorization" not in request.headers:
        name = "MissingAuthenticationTokenException"
    return answer({"__type": name, "message": error.message}, 500 if name == INTERNAL else 400)


def name_of(error: PagetideError) -> str:
    """What Textract calls an error."""
    if isinstance(error, Refused):
        return error.name
    return next((name for kind, name in _NAMES if isinstance(error, kind)), INTERNAL)


def answer(value: object, status: int = 200) -> Response:
    """An answer as clients of AWS take it."""
    headers = {"x-amzn-RequestId": secrets.token_hex(16)}
    return Response(msgspec.json.encode(value), status, headers, MEDIA_TYPE)


def answer_in_cbor(name: str, message: str) -> Response:
    """An error for a client that speaks Smithy's RPC v2, whose bodies are CBOR (RFC 8949)."""
    pairs = ("__type", name, "message", message)
    body = bytes([0xA0 + len(pairs) // 2]) + b"".join(map(_cbor_text, pairs))
    headers = {"smithy-protocol": "rpc-v2-cbor", "x-amzn-RequestId": secrets.token_hex(16)}
    return Response(body, 400, headers, "application/cbor")


def _cbor_text(text: str) -> bytes:
    encoded = text.encode()
    if len(encoded) < 24:
        return bytes([0x60 + len(encoded)]) + encoded
    return b"\x79" + len(encoded).to_bytes(2, "big") + encoded
