"""Translates errors of obstore and the operating system to ours.

Nothing of a cloud's own text is handed on, nor chained to: with a shared access signature or
a web identity, the URL in it is a credential.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from obstore.exceptions import (
    BaseError,
    InvalidPathError,
    PermissionDeniedError,
    UnauthenticatedError,
)

from pagetide.errors import BlobMissing, DiskFull, PagetideError, StoreFailed

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
# What S3, Azure and Google call what can be wrong. obstore (0.12) gives a status and an
# error's code in its text alone.
_REFUSED = "The credentials for the {place} are rejected."
_FORBIDDEN = "The credentials do not allow this in the {place}."
_CAUSES = (
    (
        r"NoSuchBucket|ContainerNotFound|specified (bucket|container) does not exist",
        "There is no {place}.",
    ),
    (
        r"//169\.254\.|//metadata\.google|//sts[.-]|//login\.microsoft|//oauth2\.google"
        r"|Action=AssumeRole|/oauth2/|/msi/token|TokenRequest",
        "No credentials for the {place} were found.",
    ),
    (
        r"AuthorizationHeaderMalformed|PermanentRedirect|incorrectly configured region",
        "The {place} is in another region than its URL says.",
    ),
    (
        r"larger than the maximum allowable size for a copy",
        "The {place} cannot copy a blob of more than 5 GB.",
    ),
    (
        r"InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken"
        r"|RequestTimeTooSkewed|AuthenticationFailed|InvalidAuthenticationInfo"
        r"|failed to authenticate|status code: 401",
        _REFUSED,
    ),
    (
        r"AccessDenied|AuthorizationPermissionMismatch|InsufficientAccountPermissions"
        r"|status code: 403",
        _FORBIDDEN,
    ),
)
_BROKEN = (
    "The client of the {place} failed; check whether a credential in the environment"
    " has a line break."
)
# obstore (0.12) then lists none of the others either.
_ILL_NAMED = (
    "An object in the {place} has a name with an empty part, `.` or `..`, and nothing there "
    "can be listed: rename or remove it."
)
_KINDS = {"kind: Timeout": "it takes too long", "kind: Connect": "nobody answers there"}
_STATUS = re.compile(r"status code: (\d{3})")
_CODE = re.compile(r"<Code>(\w{1,60})</Code>")


@dataclass(frozen=True)
class Place:
    """A bucket or a container, in words.

    Attributes:
        kind: What its cloud calls it.
        name: Its name.
    """

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@contextmanager
def translated(place: Place | None, key: str | None = None) -> Iterator[None]:
    """Errors as ours; with a key, what is missing is that blob."""
    try:
        yield
    except (BaseError, OSError) as error:
        ours = _ours(error, place, key)
        if place or isinstance(ours, BlobMissing):
            raise ours from None
        raise ours from error
    except BaseException as error:
        # Not even an Exception: obstore's client panics over a line break in a credential.
        if type(error).__name__ != "PanicException":
            raise
        raise StoreFailed(_BROKEN.format(place=place or "store")) from None


def error_number(error: Exception) -> int | None:
    """The system's number; obstore (0.12) gives it in its text alone."""
    if isinstance(error, OSError) and error.errno:
        return error.errno
    match = re.search(r"\(os error (\d+)\)", str(error))
    return int(match[1]) if match else None


def answered(error: Exception) -> bool:
    """Whether the cloud said no, and would again."""
    status = _STATUS.search(str(error))
    return status is not None and status[1].startswith("4")


def _ours(error: Exception, place: Place | None, key: str | None) -> PagetideError:
    number = error_number(error)
    if number in _NO_ROOM:
        return DiskFull()
    if place and (sentence := _cause(error)):
        return StoreFailed(sentence.format(place=place))
    if key and isinstance(error, FileNotFoundError):
        return BlobMissing(f"There is no blob {key}.")
    reason = os.strerror(number) if number else _reason_of(error)
    where = f" in the {place}" if place else ""
    return StoreFailed(f"The blobs{where} cannot be reached: {reason}.")


def _cause(error: Exception) -> str | None:
    text = str(error)
    for pattern, sentence in _CAUSES:
        if re.search(pattern, text):
            return sentence
    if isinstance(error, InvalidPathError):
        return _ILL_NAMED
    if isinstance(error, UnauthenticatedError):
        return _REFUSED
    return _FORBIDDEN if isinstance(error, PermissionDeniedError) else None


def _reason_of(error: Exception) -> str:
    text = str(error)
    status, code = _STATUS.search(text), _CODE.search(text)
    if status:
        return f"HTTP {status[1]} {code[1]}" if code else f"HTTP {status[1]}"
    return next(
        (reason for kind, reason in _KINDS.items() if kind in text), type(error).__name__
    )
