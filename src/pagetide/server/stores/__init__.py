"""Job stores: adapters of `ports.Store`."""

from __future__ import annotations

from typing import Final, get_args

from pagetide.server.jobs.job import Priority

RANKS: Final[dict[Priority, int]] = {
    priority: rank for rank, priority in enumerate(get_args(Priority))
}
PRIORITIES: Final[tuple[Priority, ...]] = tuple(RANKS)  # by rank


class Again(Exception):
    """Somebody was quicker: the transaction must be done anew, and will find what is there."""
