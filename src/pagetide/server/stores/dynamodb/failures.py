"""Translates DynamoDB's failures to our errors.

A message never repeats what the SDK says: it may hold account numbers and addresses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from botocore import exceptions

from pagetide.errors import PagetideError, StoreFailed

SDK_ERRORS = (exceptions.BotoCoreError, exceptions.ClientError)

_NO_CREDENTIALS_ERRORS = (
    exceptions.CredentialRetrievalError,
    exceptions.NoCredentialsError,
    exceptions.PartialCredentialsError,
)
_UNREACHABLE = "The job database cannot be reached."
_OVERLOADED = "The job database accepts no more requests at the moment."
_FAILED = "The job database failed."
_REFUSED = "The job database refused a request; see its log."
_NO_CREDENTIALS = "There are no credentials for the job database."
_BAD_CREDENTIALS = "The job database rejects the credentials."
_NO_TABLE = "The job database's table no longer exists."

_CONFLICTS = {"ConditionalCheckFailed", "TransactionConflict"}
_THROTTLED = {
    "LimitExceededException",
    "ProvisionedThroughputExceeded",
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingError",
    "ThrottlingException",
    "TransactionInProgressException",
}
_CREDENTIALS = {
    "AccessDeniedException",
    "ExpiredTokenException",
    "IncompleteSignatureException",
    "InvalidSignatureException",
    "MissingAuthenticationTokenException",
    "UnrecognizedClientException",
}


class Conflict(Exception):
    """Somebody else has written first: read again, decide again."""


class Missing(Exception):
    """There is no such table."""


class Exists(Exception):
    """There is such a table already."""


@dataclass(frozen=True)
class Verdict:
    """An error of the SDK: what to raise for it, and whether to try again first."""

    error: Exception
    again: bool = False


def verdict(error: Exception) -> Verdict:
    """The meaning of an error of the SDK."""
    if isinstance(error, exceptions.ClientError):
        return _of_answer(error.response)
    if isinstance(error, exceptions.HTTPClientError | exceptions.ConnectionError):
        return Verdict(StoreFailed(_UNREACHABLE), again=True)
    if isinstance(error, _NO_CREDENTIALS_ERRORS):
        return Verdict(StoreFailed(_NO_CREDENTIALS))
    return Verdict(StoreFailed(_FAILED))


def overloaded() -> PagetideError:
    """To be raised where DynamoDB has left a part of a request undone for too long."""
    return StoreFailed(_OVERLOADED)


def _of_answer(answer: Any) -> Verdict:
    code = answer.get("Error", {}).get("Code", "")
    codes = {reason.get("Code") for reason in answer.get("CancellationReasons", ())} | {code}
    status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if {str(each).removesuffix("Exception") for each in codes} & _CONFLICTS:
        return Verdict(Conflict())
    if codes & _THROTTLED:
        return Verdict(StoreFailed(_OVERLOADED), again=True)
    if status >= 500:
        return Verdict(StoreFailed(_FAILED), again=True)
    known: dict[str, Exception] = {
        "ResourceNotFoundException": Missing(_NO_TABLE),
        "ResourceInUseException": Exists(),
    }
    if code in _CREDENTIALS:
        return Verdict(StoreFailed(_BAD_CREDENTIALS))
    return Verdict(known.get(code) or StoreFailed(_REFUSED))
