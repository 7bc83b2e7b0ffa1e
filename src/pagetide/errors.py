"""Every error Pagetide raises, each with a stable code, an HTTP status and an exit code.

    PagetideError
    ├── BadInput                 the document or an option is wrong; asking again won't help
    │   ├── UnsupportedType
    │   ├── Damaged
    │   ├── TooManyPages
    │   ├── TooManyPixels
    │   ├── TooLarge
    │   ├── PasswordNeeded
    │   ├── PasswordWrong
    │   ├── PageOutOfRange
    │   ├── UnknownLanguage
    │   ├── UnknownModel
    │   └── BadOption
    ├── NotFound                 no such file
    ├── CannotWrite              a result cannot be written
    ├── PageFailed               one page could not be read
    │   ├── PageTimeout
    │   └── OutOfMemory
    ├── EngineFailed             the engine broke, not the document
    ├── ModelUnavailable         the model is known but not here
    └── RuntimeUnavailable       the runtime asked for is not installed

A message is one sentence that names what is wrong and, where possible, what to do. It never
holds a password or a foreign library's text.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar


class PagetideError(Exception):
    """Something went wrong in Pagetide."""

    code: ClassVar[str] = "internal"
    http_status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 70
    retryable: ClassVar[bool] = False

    def __init__(self, message: str | None = None) -> None:
        self.message = message or (type(self).__doc__ or "").strip().splitlines()[0]
        super().__init__(self.message)


class BadInput(PagetideError):
    """The input cannot be read."""

    code = "bad_input"
    http_status = 422
    exit_code = 65


class UnsupportedType(BadInput):
    """The input is neither a PDF nor a picture of a known type."""

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
    """The page range lies outside the document."""

    code = "page_out_of_range"


class BadOption(BadInput):
    """An option has a value that is not allowed."""

    code = "bad_option"
    exit_code = 64


class UnknownLanguage(BadOption):
    """No such language."""

    code = "unknown_language"


class UnknownModel(BadOption):
    """No such model."""

    code = "unknown_model"


class NotFound(PagetideError):
    """No such file."""

    code = "not_found"
    http_status = 404
    exit_code = 66


class CannotWrite(PagetideError):
    """The result cannot be written."""

    code = "cannot_write"
    exit_code = 73


class PageFailed(PagetideError):
    """The page could not be read."""

    code = "page_failed"
    http_status = 422
    exit_code = 65


class PageTimeout(PageFailed):
    """The page took longer than the limit."""

    code = "page_timeout"


class OutOfMemory(PageFailed):
    """The page needs more memory than the limit."""

    code = "out_of_memory"


class EngineFailed(PagetideError):
    """The engine failed."""

    code = "engine_failed"
    retryable = True


class ModelUnavailable(PagetideError):
    """The model's files are not here."""

    code = "model_unavailable"
    http_status = 503
    exit_code = 69


class RuntimeUnavailable(PagetideError):
    """The runtime asked for is not installed."""

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
