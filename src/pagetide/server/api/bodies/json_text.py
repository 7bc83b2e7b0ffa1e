"""Parses untrusted JSON.

How deep a text may be nested that Python still works with depends on who asks: what is parsed
just so would fail a few calls later, where it is written or shown. So the depth has a bound of
its own, far below that.
"""

from __future__ import annotations

import re

import msgspec

from pagetide.errors import BadInput

DEEPEST = 64
_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SQUARE = bytes.maketrans(b"{}", b"[]")
_OTHERS = bytes(set(range(256)) - set(b"[]{}"))


def parsed(text: bytes, what: str = "The body") -> object:
    """The value that a JSON text is.

    Args:
        text: UTF-8.
        what: What it is called, for an error.

    Raises:
        BadInput: It is not JSON, or nested deeper than 64 levels.
    """
    try:
        value: object = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadInput(f"{what} is not JSON.") from None
    except RecursionError:
        raise _too_deep(what) from None
    if _is_deep(text):
        raise _too_deep(what)
    return value


def _is_deep(text: bytes) -> bool:
    """Whether brackets stand in more than so many others; each round takes the innermost."""
    left = _TEXT.sub(b"", text).translate(_SQUARE, _OTHERS)
    for _ in range(DEEPEST):
        if not left:
            return False
        left = left.replace(b"[]", b"")
    return bool(left)


def _too_deep(what: str) -> BadInput:
    return BadInput(f"{what} is JSON that is nested deeper than {DEEPEST} levels.")
