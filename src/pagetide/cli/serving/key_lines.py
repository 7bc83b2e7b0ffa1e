"""An API key as `pagetide keys list` shows it: never its hash."""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime

from pagetide.server.jobs.keys import ApiKey

_LIMITS = (
    *("max_active", "max_bytes", "max_pages"),
    *("active_pages", "pages_per_day", "requests_per_second", "weight"),
)


def line(key: ApiKey, used_at: float | None, now: float) -> str:
    """A key as one line: JSON, or words on a terminal.

    Args:
        key: The key.
        used_at: When it was last used, to the hour.
        now: When this is shown.
    """
    return _words(key, used_at, now) if sys.stdout.isatty() else _json(key, used_at)


def _limits(key: ApiKey) -> dict[str, int]:
    return {name: value for name in _LIMITS if (value := getattr(key, name)) is not None}


def _words(key: ApiKey, used_at: float | None, now: float) -> str:
    parts = [
        key.id,
        f"{_state(key, now):<7}",
        _day(key.created_at),
        key.name,
        " ".join(key.may) + (" (made before there were scopes)" if key.scopes is None else ""),
        f"used {_day(used_at)}" if used_at else "never used",
        *([f"until {_day(key.expires_at)}"] if key.expires_at else []),
        *([f"old secret until {_day(key.previous_until)}"] if now < key.previous_until else []),
        ", ".join(f"{name} {value}" for name, value in _limits(key).items()),
    ]
    return "  ".join(filter(None, parts))


def _state(key: ApiKey, now: float) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "valid" if key.valid(now) else "expired"


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _json(key: ApiKey, used_at: float | None) -> str:
    fields = {
        "id": key.id,
        "name": key.name,
        "created_at": _moment(key.created_at),
        "revoked_at": _moment(key.revoked_at),
        "expires_at": _moment(key.expires_at),
        "last_used_at": _moment(used_at),
        "old_secret_until": _moment(key.previous_until or None),
        "scopes": key.may,
        "made_before_scopes": key.scopes is None,
    }
    return json.dumps(fields | _limits(key), ensure_ascii=False)


def _moment(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
