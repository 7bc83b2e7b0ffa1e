"""Uploads as JSON."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from pagetide.server.api.wire import Link, Time


class UploadView(Struct, frozen=True, kw_only=True):
    """How to send a document before it is submitted.

    Attributes:
        id: What `upload` of `POST /v1/jobs` names it by; for one job, of the same key.
        url: Where the document goes; it needs no key.
        method: `POST`: a form with these fields, and the document behind them as `file`;
            `PUT`: the document alone.
        fields: The form's fields.
        expires_at: Until when it can be sent, and submitted.
        max_bytes: Most bytes that it may have.
    """

    id: str
    url: Link
    method: Literal["POST", "PUT"]
    fields: dict[str, str]
    expires_at: Time
    max_bytes: int
