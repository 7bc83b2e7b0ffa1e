"""Which files are to be read, and under which key."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec

from pagetide.errors import (
    BadOption,
    Busy,
    CannotWrite,
    Forbidden,
    IdempotencyConflict,
    JobGone,
    JobUnknown,
    ModelUnavailable,
    NotFound,
    PagetideError,
    RuntimeUnavailable,
    ServerError,
    Unauthorized,
)
from pagetide.integrations.folder_watch.notes import Failed, Read

# What is wrong with the call and not with the file, and would be with every other file.
ENDS_ALL = (Unauthorized, Forbidden, BadOption)
# The server does not have the job that our key is used for, or used it for another one.
_SPENT = (JobGone, JobUnknown, IdempotencyConflict)
# Said of a server that lacks something for now, or by a proxy or a stranger in its place.
_MAY_PASS = (*_SPENT, CannotWrite, ModelUnavailable, NotFound, RuntimeUnavailable, ServerError)
_FIRST_S, _LONGEST_S = 5.0, 300.0
_LONGEST_ASKED_S = 3600.0


def is_due(stamp: str, read: Read | None, failed: Failed | None, now: datetime) -> bool:
    """Whether there is something to do for a file that lies there whole.

    Where it is read but a failure's note still stands, that is to be removed.
    """
    if read and read.etag == stamp:
        return failed is not None
    if failed and failed.etag == stamp:
        return failed.retryable and not _rests(failed, now)
    return True


def _rests(failed: Failed, now: datetime) -> bool:
    # A time further off than any pause was written by a clock that has been put right since.
    latest = now + timedelta(seconds=_LONGEST_ASKED_S)
    return failed.retry_at is not None and now < failed.retry_at <= latest


def key_of(name: str, sha256: str, options: Mapping[str, object], spent: int) -> str:
    """The Idempotency-Key of a file: another one once the jobs before it are spent."""
    parts = [name, sha256, sorted(options.items()), spent]
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def is_spent(error: PagetideError, ended_badly: bool) -> bool:
    """Whether the job behind a key will never give a result."""
    return ended_badly or isinstance(error, _SPENT)


def is_retryable(error: PagetideError) -> bool:
    """Whether the same file may be read well another time."""
    return error.retryable or isinstance(error, _MAY_PASS)


def pause_s(error: PagetideError, tries: int) -> float:
    """How long to leave a file alone after so many tries."""
    asked = float(error.retry_after_s) if isinstance(error, Busy) else 0.0
    own = min(_LONGEST_S, _FIRST_S * 2.0 ** min(tries - 1, 10))
    return max(own, min(asked, _LONGEST_ASKED_S))
