"""Uploads as JSON."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from pagetide.server.api.answers.wire import Link, Time


class UploadView(Struct, frozen=True, kw_only=True):
    """How to send a document before it is submitted.

    Attributes:
        id: Value for `upload` of `POST /v1/jobs`; for one job of the same key.
        url: Where to send the document; needs no key.
        method: `POST`: a form with these fields, followed by the document as `file`;
            `PUT`: only the document.
        fields: The form's fields.
        expires_at: Until when it can be sent, and submitted.
        max_bytes: Maximum bytes of the document.
    """

    id: str
    url: Link
    method: Literal["POST", "PUT"]
    fields: dict[str, str]
    expires_at: Time
    max_bytes: int
