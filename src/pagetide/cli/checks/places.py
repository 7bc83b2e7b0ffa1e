"""URLs of settings, without secrets."""

from __future__ import annotations

from urllib.parse import parse_qsl

_HARMLESS = {"account", "endpoint", "prefix", "region", "sslmode"}


def shown(url: str) -> str:
    """A URL without what may be secret: who enters, and parameters that are not known.

    All before the last `@` goes, so that a password with an unescaped `/` or `?` goes whole.
    """
    scheme, sign, rest = url.partition("://")
    if not sign:
        return url if url in ("", "store:", "memory:") else "…"
    _, at, rest = rest.rpartition("@")
    place, _, query = rest.partition("#")[0].partition("?")
    return f"{scheme}://{'…@' if at else ''}{place}{_query(query)}"


def _query(query: str) -> str:
    if not query:
        return ""
    pairs = [
        f"{name}={value.partition('?')[0]}" if name in _HARMLESS else f"{name}=…"
        for name, value in parse_qsl(query, keep_blank_values=True)
    ]
    return f"?{'&'.join(pairs)}"
