"""Our errors in the protocol's form: a code, what it is more exactly, and one sentence."""

from __future__ import annotations

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from pagetide import errors
from pagetide.errors import PagetideError
from pagetide.server.compat.azure.wire import Error, InnerError, Refusal
from pagetide.server.jobs.job import Job

_STATUSES = {
    "InvalidArgument": 400,
    "InvalidRequest": 400,
    "Unauthorized": 401,
    "Forbidden": 403,
    "NotFound": 404,
    "Conflict": 409,
    "TooManyRequests": 429,
    "InternalServerError": 500,
    "ServiceUnavailable": 503,
}
_MESSAGES = {
    "InvalidArgument": "Invalid argument.",
    "InvalidRequest": "Invalid request.",
    "Unauthorized": "Access denied: the key is missing or not valid.",
    "Forbidden": "Access forbidden due to policy or other configuration.",
    "NotFound": "Resource not found.",
    "Conflict": "The request could not be completed due to a conflict.",
    "TooManyRequests": "Too many requests.",
    "InternalServerError": "An unexpected error occurred.",
    "ServiceUnavailable": "A transient error has occurred. Try again.",
}
# The nearest kind of an error counts: what is not here is what it is a kind of.
_CODES: dict[type[BaseException], tuple[str, str]] = {
    PagetideError: ("InternalServerError", "Unknown"),
    errors.BadInput: ("InvalidRequest", "InvalidContent"),
    errors.UnsupportedType: ("InvalidRequest", "InvalidContent"),
    errors.Damaged: ("InvalidRequest", "InvalidContent"),
    errors.PasswordNeeded: ("InvalidRequest", "UnsupportedContent"),
    errors.PasswordWrong: ("InvalidRequest", "UnsupportedContent"),
    errors.TooLarge: ("InvalidRequest", "InvalidContentLength"),
    errors.TooManyPages: ("InvalidRequest", "InvalidContentLength"),
    errors.TooManyPixels: ("InvalidRequest", "InvalidContentDimensions"),
    errors.DownloadFailed: ("InvalidRequest", "ContentSourceNotAccessible"),
    errors.AddressRefused: ("Forbidden", "OutboundAccessForbidden"),
    errors.PageOutOfRange: ("InvalidArgument", "InvalidParameter"),
    errors.BadOption: ("InvalidArgument", "InvalidParameter"),
    errors.UnknownModel: ("NotFound", "ModelNotFound"),
    errors.NotFound: ("NotFound", "OperationNotFound"),
    errors.JobGone: ("NotFound", "OperationNotFound"),
    errors.JobEnded: ("Conflict", "OperationEnded"),
    errors.ResultNotReady: ("Conflict", "OperationNotReady"),
    errors.IdempotencyConflict: ("Conflict", "OperationExists"),
    errors.LeaseLost: ("Conflict", "OperationEnded"),
    errors.BlobMissing: ("NotFound", "OperationNotFound"),
    errors.PageFailed: ("InvalidRequest", "InvalidContent"),
    errors.Unauthorized: ("Unauthorized", "InvalidKey"),
    errors.Forbidden: ("Forbidden", "AuthorizationFailed"),
    errors.Busy: ("TooManyRequests", "RequestRateLimitExceeded"),
    errors.DiskFull: ("ServiceUnavailable", "NoRoom"),
    errors.StoreFailed: ("ServiceUnavailable", "StoreFailed"),
    errors.ModelUnavailable: ("ServiceUnavailable", "ModelUnavailable"),
    errors.RuntimeUnavailable: ("ServiceUnavailable", "ModelUnavailable"),
    errors.AnswerUnusable: ("ServiceUnavailable", "ModelUnavailable"),
    errors.ServerUnreachable: ("ServiceUnavailable", "ModelUnavailable"),
}
_RETRY_AFTER_S = 5


def error_response(error: PagetideError, request: Request) -> Response:
    """The answer for an error."""
    refused = error_of(error)
    headers = {}
    if refused.code in ("TooManyRequests", "ServiceUnavailable") and error.retryable:
        seconds = getattr(error, "retry_after_s", _RETRY_AFTER_S)
        headers["Retry-After"] = str(seconds)
    body = msgspec.json.encode(Refusal(error=refused))
    return Response(body, _STATUSES[refused.code], headers, "application/json")


def error_of(error: PagetideError) -> Error:
    """An error in the protocol's words."""
    code, inner = next(_CODES[kind] for kind in type(error).__mro__ if kind in _CODES)
    return Error(
        code=code,
        message=_MESSAGES[code],
        innererror=InnerError(code=inner, message=error.message),
    )


def failure_of(job: Job) -> Error | None:
    """Why a job has ended without a result; None where it has not."""
    if job.error is not None:
        return error_of(errors.kind_of(job.error.code)(job.error.message))
    if job.status == "cancelled":
        return error_of(errors.JobEnded("The analysis was cancelled."))
    return None
