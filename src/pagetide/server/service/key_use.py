"""When API keys were last used, to the hour, so that unused ones can be found.

It is kept beside the key, not in it: who notes a use never writes over who revokes the key.
"""

from __future__ import annotations

from pagetide.server.ports import Store

STEP_S = 3600


def note(store: Store, key_id: str, now: float) -> None:
    """Note that a key was used.

    Raises:
        StoreFailed: The store cannot be reached.
    """
    store.put_value(_name(key_id), str(int(now) // STEP_S * STEP_S).encode())


def last(store: Store, key_id: str) -> float | None:
    """When a key was last used, in seconds since the epoch, to the hour; None where never.

    Raises:
        StoreFailed: The store cannot be reached.
    """
    noted = store.value(_name(key_id), b"")
    return float(noted) if noted else None


def _name(key_id: str) -> str:
    return f"key_use:{key_id}"
