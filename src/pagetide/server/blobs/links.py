"""Links that a cloud itself serves, signed with the credentials that its client found."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import BaseError

from pagetide.server.blobs.served import media_type_of

if TYPE_CHECKING:
    from obstore.store import AzureStore, GCSStore, S3Store

_STEP_S = 60.0  # links asked for within a minute are the same, so that they can be kept
_MOST = 10_000
_LONGEST_S = 7 * 86400.0  # no cloud signs for longer


class Links:
    """Signs links to the blobs of a bucket or container.

    With an account's key that is a matter of microseconds; with an identity of Azure's or
    Google's the cloud is asked for every signature, which is why links are kept for a while.
    """

    def __init__(
        self,
        store: S3Store | AzureStore | GCSStore,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._clock = store, clock
        self._made: dict[tuple[str, float], tuple[float, str]] = {}

    def link(self, key: str, expires_s: float, media_type: str) -> str | None:
        """A link valid for so long, or up to a minute longer; None where there can be none."""
        if media_type_of(key) != media_type:
            return None  # it would be served with the type of its key
        now, step_s = self._clock(), min(_STEP_S, expires_s / 10)
        made_at, link = self._made.get((key, expires_s), (0.0, ""))
        if link and now < made_at + step_s:
            return link
        valid = timedelta(seconds=min(expires_s + step_s, _LONGEST_S))
        try:
            link = obstore.sign(self._store, "GET", key, valid)
        except (BaseError, OSError):  # such as of a shared access signature
            return None
        if len(self._made) >= _MOST:
            self._made.clear()
        self._made[key, expires_s] = (now, link)
        return link
