"""The password of an encrypted document, from a header of the request for its pictures."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import unquote

from fastapi import Depends, Header

from pagetide.errors import BadOption
from pagetide.server.jobs.job import Job

_NAME = "Pagetide-Password"
_Header = Annotated[
    str | None,
    Header(
        alias=_NAME,
        max_length=3000,
        description="Password of an encrypted document whose job has ended, UTF-8,"
        " percent-encoded. It is not stored.",
    ),
]


def _password(header: _Header = None) -> str | None:
    """The password that a request carries.

    Raises:
        BadOption: It cannot be the password of a document.
    """
    try:
        password = None if header is None else unquote(header, errors="strict")
    except UnicodeDecodeError:
        raise BadOption(f"The header `{_NAME}` is not percent-encoded UTF-8.") from None
    if password and "\0" in password:
        raise BadOption(f"The header `{_NAME}` contains a NUL character, which is not allowed.")
    return password


GivenPassword = Annotated[str | None, Depends(_password)]


def is_locked(job: Job, password: str | None) -> bool:
    """Whether a password opens the document: no cache may keep pictures of it."""
    return password is not None or job.password is not None
