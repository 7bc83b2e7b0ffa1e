"""API keys: made, shown once, kept as a hash, checked."""

from __future__ import annotations

import hashlib
import hmac
import re

from msgspec import Struct

_FORM = re.compile(r"pt_([0-9a-z]{8})_([0-9A-Za-z_-]{32,64})")


class ApiKey(Struct, frozen=True, kw_only=True, gc=False):
    """What is kept of a key: a hash, never the key.

    Attributes:
        id: Names the key in lists and in jobs.
        name: What its maker calls it.
        sha256: Of the whole key, hex. The secret is 256 random bits, so that no slow hash is
            needed: there is nothing to guess.
        max_active: Most jobs of it that have not ended; None means as the settings say.
        max_bytes: Largest document; None means as the settings say.
        max_pages: Most pages in one job; None means as the settings say.
    """

    id: str
    name: str
    sha256: str
    created_at: float
    revoked_at: float | None = None
    max_active: int | None = None
    max_bytes: int | None = None
    max_pages: int | None = None

    def opens(self, key: str) -> bool:
        """Whether this is the key, and it has not been revoked."""
        return self.revoked_at is None and hmac.compare_digest(self.sha256, _hash(key))


def new_key(
    name: str, *, key_id: str, secret: str, now: float, **limits: int | None
) -> tuple[str, ApiKey]:
    """A key to show once, and what to keep of it.

    Args:
        name: What its maker calls it.
        key_id: Eight random characters of 0-9 and a-z.
        secret: At least 32 random characters that a URL may hold.
        now: When.
        limits: See `ApiKey`.
    """
    key = f"pt_{key_id}_{secret}"
    if not _FORM.fullmatch(key):
        raise ValueError("the id or the secret is not of the form that keys have")
    return key, ApiKey(id=key_id, name=name, sha256=_hash(key), created_at=now, **limits)


def key_id(key: str) -> str | None:
    """The id that a key names; None where it has not the form of a key."""
    match = _FORM.fullmatch(key)
    return match[1] if match else None


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
