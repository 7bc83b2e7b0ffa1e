"""Checks keys of blobs: none leads elsewhere, in a folder or in a URL."""

from __future__ import annotations

import re

_KEY = re.compile(r"(?!\.{1,2}(/|$))[\w.=-]+(/(?!\.{1,2}(/|$))[\w.=-]+)*", re.ASCII)


def is_key(text: str) -> bool:
    """Whether its parts, split by `/`, are of letters, digits and `._=-`; none `.` or `..`."""
    return _KEY.fullmatch(text) is not None


def check(key: str) -> None:
    """Check that it is a key; ValueError where it is none."""
    if not is_key(key):
        raise ValueError(f"{key!r} is no key of a blob")


def check_prefix(prefix: str) -> None:
    """Check that it is a key with a slash behind it; ValueError where it is none."""
    if not prefix.endswith("/"):
        raise ValueError(f"{prefix!r} does not end in a slash")
    check(prefix.removesuffix("/"))
