"""Translates AWS's refusals and boto3's exceptions to our errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pagetide.errors import StoreFailed

MISSING = frozenset({"AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist"})
DENIED = frozenset({"AccessDenied", "AccessDeniedException", "KmsAccessDenied", "AuthFailure"})
_REASONS = {
    **dict.fromkeys(MISSING, "it does not exist"),
    **dict.fromkeys(DENIED, "this process is not allowed to do that"),
    "ResourceLimitExceeded": "the account's limit is reached",
    **dict.fromkeys(
        (
            "ExpiredToken",
            "ExpiredTokenException",
            "IncompleteSignature",
            "InvalidAccessKeyId",
            "InvalidClientTokenId",
            "InvalidSecurity",
            "InvalidSignatureException",
            "MissingAuthenticationToken",
            "SignatureDoesNotMatch",
            "UnrecognizedClientException",
        ),
        "the AWS credentials are rejected",
    ),
    **dict.fromkeys(
        (
            "KmsThrottled",
            "OverLimit",
            "RequestLimitExceeded",
            "RequestThrottled",
            "ServiceUnavailable",
            "SlowDown",
            "Throttling",
            "ThrottlingException",
            "TooManyRequestsException",
        ),
        "it gets too many requests",
    ),
}


class AwsFailed(StoreFailed):
    """A service has refused something.

    Attributes:
        service_code: The code that it gave, or empty.
    """

    def __init__(self, message: str, service_code: str = "") -> None:
        super().__init__(message)
        self.service_code = service_code


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Raise boto3's exceptions as ours; their texts may quote what nobody should read.

    Args:
        what: What is used, such as `SQS queue pagetide-cpu-first`.

    Raises:
        AwsFailed: It cannot be used.
    """
    from botocore import exceptions
    from botocore.parsers import ResponseParserError

    no_credentials = (
        exceptions.NoCredentialsError,
        exceptions.PartialCredentialsError,
        exceptions.CredentialRetrievalError,
        exceptions.TokenRetrievalError,
        exceptions.ProfileNotFound,
    )
    service_code = ""
    try:
        yield
        return
    except exceptions.ClientError as error:
        service_code = str(error.response.get("Error", {}).get("Code", ""))
        reason = _reason(service_code, error.response.get("ResponseMetadata", {}))
    except no_credentials:
        reason = "there are no AWS credentials"
    except (exceptions.BotoCoreError, ResponseParserError):
        reason = "it cannot be reached"
    except (AttributeError, KeyError, TypeError, ValueError):  # boto3, of an answer of no sense
        reason = "its answer is invalid"
    raise AwsFailed(f"The {what} cannot be used: {reason}.", service_code) from None


def _reason(service_code: str, answer: Mapping[str, Any]) -> str:
    broken = answer.get("HTTPStatusCode", 0) >= 500
    return _REASONS.get(
        service_code, "it has an internal error" if broken else "it refuses the request"
    )
