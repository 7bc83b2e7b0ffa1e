"""The list of what is counted and measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Measure:
    """Something that is counted or measured."""

    kind: Literal["counter", "gauge", "histogram"]
    summary: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


MEASURES = {
    "jobs": Measure(
        kind="counter",
        summary="Jobs that were accepted (queued), ended, or expired",
        labels=("state", "model"),
    ),
    "pages": Measure(
        kind="counter",
        summary="Pages read, or given up",
        labels=("state", "model", "pool"),
    ),
    "page_seconds": Measure(
        kind="histogram",
        summary="Seconds a page took",
        labels=("model", "pool"),
        buckets=(0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120),
    ),
    "page_notices": Measure(
        kind="counter",
        summary="Notices about pages, such as that a script cannot be read",
        labels=("code", "pool"),
    ),
    "leases_lost": Measure(
        kind="counter",
        summary="Tasks whose worker died or did not renew",
        labels=("pool",),
    ),
    "webhooks": Measure(
        kind="counter",
        summary="Attempts to call a webhook",
        labels=("result",),
    ),
    "webhooks_put_off": Measure(
        kind="counter",
        summary="Times a webhook had to wait, because its owner or host had its share in"
        " flight",
    ),
    "reviews_expired": Measure(
        kind="counter",
        summary="Results that expired before anyone reviewed them",
    ),
    "cache_hits": Measure(
        kind="counter",
        summary="Jobs answered from an earlier result",
        labels=("model",),
    ),
    "refusals": Measure(
        kind="counter",
        summary="Jobs and requests refused by a limit of their key or of all keys",
        labels=("code",),
    ),
    "extractions": Measure(
        kind="counter",
        summary="Documents sent to a model server",
        labels=("result",),
    ),
    "extraction_seconds": Measure(
        kind="histogram",
        summary="Seconds a model server took for a document",
        buckets=(0.5, 1, 2, 5, 10, 20, 60, 120, 300),
    ),
    "extraction_calls": Measure(
        kind="counter",
        summary="Requests to a model server",
    ),
    "extraction_tokens": Measure(
        kind="counter",
        summary="Tokens of requests and answers, as the server counts them",
        labels=("kind",),
    ),
    "log_lines_dropped": Measure(
        kind="counter",
        summary="Log lines of this process that were dropped because nobody read them",
    ),
    "workers": Measure(kind="gauge", summary="Worker processes", labels=("pool",)),
    "backlog_tasks": Measure(
        kind="gauge",
        summary="Tasks not yet done",
        labels=("pool", "state"),
    ),
    "backlog_size": Measure(
        kind="gauge",
        summary="Tasks not yet done, or the equivalent of the kept workers if that is more",
        labels=("pool",),
    ),
    "backlog_oldest_seconds": Measure(
        kind="gauge",
        summary="Seconds since the first waiting task became due",
        labels=("pool",),
    ),
    "request_seconds": Measure(
        kind="histogram",
        summary="Seconds until a request was answered",
        labels=("method", "path", "status"),
        buckets=(0.005, 0.02, 0.05, 0.1, 0.25, 1, 5, 30),
    ),
}
