"""Every error Pagetide raises, each with a stable code, an HTTP status and an exit code.

    PagetideError
    ├── BadInput                 the document or an option is wrong; a retry won't help
    │   ├── UnsupportedType
    │   ├── Damaged
    │   ├── TooManyPages
    │   ├── TooManyPixels
    │   ├── TooLarge
    │   ├── PasswordNeeded
    │   ├── PasswordWrong
    │   ├── PageOutOfRange
    │   ├── UnknownLanguage
    │   ├── LanguageUnavailable
    │   ├── UnknownModel
    │   ├── BadSchema            a schema contains something that cannot be extracted
    │   └── BadOption
    ├── NotFound                 no such file
    │   └── JobUnknown
    ├── JobGone                  the job was erased or has expired
    ├── JobEnded                 the request needs a job in another state
    ├── ResultNotReady           the result is not available yet
    ├── IdempotencyConflict      the key was used for another request
    ├── Unauthorized             no API key, or a wrong one
    ├── Forbidden                not allowed for this caller
    │   └── ScopeMissing         the API key lacks a scope
    ├── Busy                     too much is waiting; try later
    │   ├── ActivePagesReached   the key's maximum of pages in jobs that have not ended
    │   ├── PagesPerDayReached   the key's maximum of pages for today
    │   └── TooManyRequests      the key's maximum of requests per second
    ├── DiskFull                 there is no space for the document or the result
    ├── AddressRefused           a URL leads to an address that this server does not contact
    ├── DownloadFailed           a document cannot be fetched from its URL
    ├── LeaseLost                the task no longer belongs to the holder
    ├── BlobMissing              there is no such blob
    ├── StoreFailed              the job store or the blobs cannot be reached
    │   └── BlobsOfAnotherStore  the blobs belong to another job store
    ├── CannotWrite              a result cannot be written
    │   └── WouldOverwrite       a result file already exists
    ├── PageFailed               one page could not be read
    │   ├── PageTimeout
    │   ├── DocumentTooSlow
    │   ├── OutOfMemory
    │   └── WorkerLost
    ├── EngineFailed             the engine failed, not the document
    ├── AnswerUnusable           a model server gave no usable answer
    ├── ServerUnreachable        no server answers at the address
    ├── ServerError              a server gave an unexpected answer
    ├── ModelUnavailable         the model is known but not installed
    │   └── ModelNotPinned       the hashes of its files are not known
    ├── SecretMissing            there is no secret to encrypt or decrypt a password
    ├── SecretWrong              a password was encrypted with another secret
    ├── SandboxTooWeak           the kernel confines the sandbox less than required
    └── RuntimeUnavailable       the requested runtime is not installed

A message is one sentence that says what is wrong and, where possible, what to do. It never
contains a password or the text of a third-party library.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar

# How what an extra brings is installed, until the package is on an index.
INSTALL = "pip install '.[{extra}]' in a clone of Pagetide"


class PagetideError(Exception):
    """Something went wrong in Pagetide."""

    code: ClassVar[str] = "internal"
    http_status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 70
    retryable: ClassVar[bool] = False

    def __init__(self, message: str | None = None) -> None:
        self.message: str = message or (type(self).__doc__ or "").strip().splitlines()[0]
        super().__init__(self.message)


class BadInput(PagetideError):
    """The input cannot be read."""

    code = "bad_input"
    http_status = 422
    exit_code = 65


class UnsupportedType(BadInput):
    """The input is neither a PDF nor a picture of a supported type."""

    code = "unsupported_type"
    http_status = 415


class Damaged(BadInput):
    """The input is damaged."""

    code = "damaged"


class TooManyPages(BadInput):
    """The input has more pages than the limit."""

    code = "too_many_pages"
    http_status = 413


class TooManyPixels(BadInput):
    """A page has more pixels than the limit."""

    code = "too_many_pixels"
    http_status = 413


class TooLarge(BadInput):
    """The input has more bytes than the limit."""

    code = "too_large"
    http_status = 413


class PasswordNeeded(BadInput):
    """The PDF is encrypted and needs a password."""

    code = "password_needed"


class PasswordWrong(BadInput):
    """The password does not open the PDF."""

    code = "password_wrong"


class PageOutOfRange(BadInput):
    """The page range is outside the document."""

    code = "page_out_of_range"


class BadOption(BadInput):
    """An option has a value that is not allowed."""

    code = "bad_option"
    exit_code = 64


class BadSchema(BadOption):
    """The schema contains something that cannot be extracted."""

    code = "bad_schema"


class UnknownLanguage(BadOption):
    """No such language."""

    code = "unknown_language"


class LanguageUnavailable(BadOption):
    """No worker here can read this language."""

    code = "language_unavailable"


class UnknownModel(BadOption):
    """No such model."""

    code = "unknown_model"


class NotFound(PagetideError):
    """No such file."""

    code = "not_found"
    http_status = 404
    exit_code = 66


class JobUnknown(NotFound):
    """There is no such job."""

    code = "job_unknown"


class JobGone(PagetideError):
    """The job was erased or has expired."""

    code = "job_gone"
    http_status = 410
    exit_code = 66


class JobEnded(PagetideError):
    """The job has already ended."""

    code = "job_ended"
    http_status = 409
    exit_code = 65


class ResultNotReady(PagetideError):
    """The result is not available yet."""

    code = "result_not_ready"
    http_status = 409
    exit_code = 75
    retryable = True


class IdempotencyConflict(PagetideError):
    """The Idempotency-Key was used for a different request."""

    code = "idempotency_conflict"
    http_status = 409
    exit_code = 65


class Unauthorized(PagetideError):
    """An API key is needed: send `Authorization: Bearer KEY`."""

    code = "unauthorized"
    http_status = 401
    exit_code = 77


class Forbidden(PagetideError):
    """This is not allowed."""

    code = "forbidden"
    http_status = 403
    exit_code = 77


class ScopeMissing(Forbidden):
    """The API key does not have the required scope."""

    code = "scope_missing"

    @classmethod
    def of(cls, scope: str) -> ScopeMissing:
        """The error that names the scope."""
        return cls(f"This API key does not have the required scope `{scope}`.")


class Busy(PagetideError):
    """Too many jobs are waiting; try again later."""

    code = "busy"
    http_status = 429
    exit_code = 75
    retryable = True

    def __init__(self, message: str | None = None, retry_after_s: int = 10) -> None:
        super().__init__(message)
        self.retry_after_s: int = retry_after_s


class ActivePagesReached(Busy):
    """The API key has reached its maximum of pages in jobs that have not ended."""

    code = "active_pages_reached"


class PagesPerDayReached(Busy):
    """The API key has reached its maximum of pages for today."""

    code = "pages_per_day_reached"


class TooManyRequests(Busy):
    """The API key has reached its maximum of requests per second."""

    code = "too_many_requests"


class DiskFull(PagetideError):
    """There is no space left to store this."""

    code = "disk_full"
    http_status = 507
    exit_code = 75
    retryable = True


class AddressRefused(BadInput):
    """The URL leads to an address that this server does not contact."""

    code = "address_refused"


class DownloadFailed(BadInput):
    """The document could not be fetched from its URL."""

    code = "download_failed"
    retryable = True


class LeaseLost(PagetideError):
    """The task no longer belongs to this holder."""

    code = "lease_lost"
    http_status = 409


class BlobMissing(PagetideError):
    """There is no such blob."""

    code = "blob_missing"
    http_status = 404


class StoreFailed(PagetideError):
    """The job store cannot be reached."""

    code = "store_failed"
    http_status = 503
    exit_code = 75
    retryable = True


class BlobsOfAnotherStore(StoreFailed):
    """The blobs belong to a different job store than the configured one."""

    code = "blobs_of_another_store"
    retryable = False


class CannotWrite(PagetideError):
    """The result cannot be written."""

    code = "cannot_write"
    exit_code = 73


class WouldOverwrite(CannotWrite):
    """A result file already exists."""

    code = "would_overwrite"


class PageFailed(PagetideError):
    """The page could not be read."""

    code = "page_failed"
    http_status = 422
    exit_code = 65


class PageTimeout(PageFailed):
    """The page took longer than the limit."""

    code = "page_timeout"


class DocumentTooSlow(PageFailed):
    """Too many earlier pages timed out, so reading of the document stopped."""

    code = "document_too_slow"


class OutOfMemory(PageFailed):
    """The page needs more memory than the limit."""

    code = "out_of_memory"


class WorkerLost(PageFailed):
    """The process that read this page died or hung on every attempt."""

    code = "worker_lost"


class EngineFailed(PagetideError):
    """The engine failed."""

    code = "engine_failed"
    retryable = True


class AnswerUnusable(PagetideError):
    """The model server gave no usable answer."""

    code = "answer_unusable"
    http_status = 502
    exit_code = 70
    retryable = True


class ServerUnreachable(PagetideError):
    """The server cannot be reached."""

    code = "server_unreachable"
    http_status = 503
    exit_code = 69
    retryable = True


class ServerError(PagetideError):
    """The server gave an unexpected answer.

    Attributes:
        status: The HTTP status of the answer.
        server_code: The error code in it, or empty.
    """

    code = "server_error"
    http_status = 502
    exit_code = 70

    def __init__(
        self, message: str | None = None, status: int = 502, server_code: str = ""
    ) -> None:
        super().__init__(message)
        self.status: int = status
        self.server_code: str = server_code


class ModelUnavailable(PagetideError):
    """The model's files are not installed."""

    code = "model_unavailable"
    http_status = 503
    exit_code = 69


class SecretMissing(PagetideError):
    """There is no secret to encrypt passwords and signatures: set PAGETIDE_SECRET."""

    code = "secret_missing"
    http_status = 503
    exit_code = 69


class SecretWrong(PagetideError):
    """A password or signature was changed, or encrypted with another PAGETIDE_SECRET."""

    code = "secret_wrong"
    http_status = 503
    exit_code = 69


class ModelNotPinned(ModelUnavailable):
    """The hashes of the model's files are not known."""

    code = "model_not_pinned"


class SandboxTooWeak(PagetideError):
    """This system cannot confine the process that opens documents as the settings require."""

    code = "sandbox_too_weak"
    http_status = 503
    exit_code = 69


class RuntimeUnavailable(PagetideError):
    """The requested runtime is not installed."""

    code = "runtime_unavailable"
    http_status = 503
    exit_code = 69


def nearest(name: str, known: Iterable[str]) -> str:
    """A closing phrase that names the known values nearest to `name`, for a message."""
    options = sorted(known)
    close = difflib.get_close_matches(name.lower(), options, n=3, cutoff=0.5)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"known: {', '.join(options)}"


def installing(extra: str) -> str:
    """The command that installs what an extra of the package brings, for a message."""
    return INSTALL.format(extra=extra)


def kind_of(code: str) -> type[PagetideError]:
    """The kind of error that has this code; `PagetideError` where none has."""
    return _kinds(PagetideError).get(code, PagetideError)


def _kinds(root: type[PagetideError]) -> dict[str, type[PagetideError]]:
    found = {root.code: root}
    for kind in root.__subclasses__():
        if kind.__module__ == __name__:
            found |= _kinds(kind)
    return found
