"""The secrets that webhooks are signed with, one owner's apart from another's."""

from __future__ import annotations

import json
import secrets
from base64 import b64decode, b64encode

from pagetide.server.ports import Store

SECRET_BYTES = 32
SECRETS_KEPT = 2  # after a rotation notes are signed with the new and the old one
_PREFIX = "whsec_"


class WebhookSecrets:
    """The secrets that an owner's webhooks are signed with; made when first needed."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(self, owner: str) -> tuple[bytes, ...]:
        """An owner's secrets, the newest first."""
        fresh = _encoded((secrets.token_bytes(SECRET_BYTES),))
        return _decoded(self._store.value(_name(owner), fresh))

    def rotate(self, owner: str) -> bytes:
        """Make a new secret; the last one goes on being signed with until the next time."""
        new = secrets.token_bytes(SECRET_BYTES)
        kept = (new, *self.of(owner))[:SECRETS_KEPT]
        self._store.put_value(_name(owner), _encoded(kept))
        return new


def secret_as_text(secret: bytes) -> str:
    """A secret as its user is shown it and receivers' libraries take it."""
    return _PREFIX + b64encode(secret).decode()


def _name(owner: str) -> str:
    return f"webhook:{owner}"


def _encoded(kept: tuple[bytes, ...]) -> bytes:
    return json.dumps([b64encode(secret).decode() for secret in kept]).encode()


def _decoded(blob: bytes) -> tuple[bytes, ...]:
    return tuple(b64decode(text) for text in json.loads(blob))
