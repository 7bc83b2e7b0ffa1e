"""API keys: created, shown once, stored as a hash, checked."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct
from msgspec.structs import replace

Scope = Literal["read", "submit", "operate", "scale"]

SCOPES: tuple[Scope, ...] = get_args(Scope)
LEAST: tuple[Scope, ...] = ("read", "submit")  # the scopes of a new key by default
_FORM = re.compile(r"pt_([0-9a-z]{8})_([0-9A-Za-z_-]{32,64})")


class ApiKey(Struct, frozen=True, kw_only=True, gc=False):
    """An API key as it is stored: a hash, never the key.

    Attributes:
        id: Names the key in lists and in jobs.
        name: What its maker calls it.
        sha256: Of the whole key, hex. The secret is 256 random bits, so that no slow hash is
            needed: there is nothing to guess.
        max_active: Most jobs of it that have not ended; None means as the settings say.
        max_bytes: Largest document; None means as the settings say.
        max_pages: Most pages in one job; None means as the settings say.
        active_pages: Most pages of its jobs that have not ended; None means as the settings
            say, and so with the next two.
        pages_per_day: Most pages of its jobs that are accepted in a day of UTC.
        requests_per_second: Most requests to one server process.
        weight: How many turns its work gets while another key's gets one; None means one.
        scopes: What it may do; None, of a key that was made before there were scopes, means
            everything. Those that a newer program knows are kept.
        expires_at: From then on it opens nothing; None means never.
        previous_sha256: Of the secret before the last rotation.
        previous_until: Until then that one opens, too.
    """

    id: str
    name: str
    sha256: str
    created_at: float
    revoked_at: float | None = None
    max_active: int | None = None
    max_bytes: int | None = None
    max_pages: int | None = None
    active_pages: int | None = None
    pages_per_day: int | None = None
    requests_per_second: int | None = None
    weight: int | None = None
    scopes: tuple[str, ...] | None = None
    expires_at: float | None = None
    previous_sha256: str = ""
    previous_until: float = 0.0

    def opens(self, key: str, now: float) -> bool:
        """Whether this is the key, and it is valid."""
        given = _hash(key)
        current = hmac.compare_digest(self.sha256, given)
        previous = hmac.compare_digest(self.previous_sha256, given)
        return self.valid(now) and (current or (previous and now < self.previous_until))

    def valid(self, now: float) -> bool:
        """Whether it has neither been revoked nor expired."""
        expired = self.expires_at is not None and now >= self.expires_at
        return self.revoked_at is None and not expired

    @property
    def may(self) -> tuple[str, ...]:
        """Its scopes, whenever it was made."""
        return SCOPES if self.scopes is None else self.scopes


key_from_json = msgspec.json.Decoder(ApiKey).decode


def new_key(
    name: str,
    *,
    key_id: str,
    secret: str,
    now: float,
    scopes: Iterable[Scope] = LEAST,
    **more: Any,
) -> tuple[str, ApiKey]:
    """A key to show once, and what to keep of it.

    Args:
        name: What its maker calls it.
        key_id: Eight random characters of 0-9 and a-z.
        secret: At least 32 random characters that a URL may hold.
        now: When.
        scopes: What it may do.
        more: Limits and expiry; see `ApiKey`.
    """
    key = _key(key_id, secret)
    kept = ApiKey(
        id=key_id,
        name=name,
        sha256=_hash(key),
        created_at=now,
        scopes=in_order(scopes),
        **more,
    )
    return key, kept


def rotated(kept: ApiKey, *, secret: str, now: float, grace_s: float) -> tuple[str, ApiKey]:
    """The key with a new secret, to show once, and what to keep of it.

    Args:
        kept: What is kept of it by now.
        secret: See `new_key`.
        now: When.
        grace_s: So long the secret before opens, too.
    """
    key = _key(kept.id, secret)
    until = now + grace_s
    return key, replace(
        kept, sha256=_hash(key), previous_sha256=kept.sha256, previous_until=until
    )


def in_order(scopes: Iterable[Scope]) -> tuple[Scope, ...]:
    """Scopes once each, in the order of the reference."""
    wanted = set(scopes)
    return tuple(scope for scope in SCOPES if scope in wanted)


def key_id(key: str) -> str | None:
    """The id that a key names; None where it has not the form of a key."""
    match = _FORM.fullmatch(key)
    return match[1] if match else None


def _key(key_id: str, secret: str) -> str:
    key = f"pt_{key_id}_{secret}"
    if not _FORM.fullmatch(key):
        raise ValueError("the id or the secret is not of the form that keys have")
    return key


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
