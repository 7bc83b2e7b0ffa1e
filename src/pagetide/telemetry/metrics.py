"""What is counted, for Prometheus.

Workers are other processes than the server that is asked for `/metrics`. They call the same
functions, but send what they count by notifications (`report_to`), as
`name|label=value|number|serial`; a server that receives it adds it to its own (`apply`). One
server receives each count, so that the sum of all servers is true, and all receive how much
there is of something, of which the largest is. A report may be lost, as any notification may.
"""

from __future__ import annotations

import functools
import itertools
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, unquote

from pagetide.telemetry import log_queue

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

    Instrument = Counter | Gauge | Histogram

# Topics of notifications: of what is counted, and of how much there is of something.
COUNTS, AMOUNTS = "one-metrics", "metrics"
TOPICS = (COUNTS, AMOUNTS)
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


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

_send: Callable[[str, str], None] | None = None
# What is published twice alike may come once: no two reports of any process are alike. Forked
# processes share the name, those of two containers may share the process number.
_serial, _process = itertools.count(), secrets.token_hex(4)


def report_to(send: Callable[[str, str], None] | None) -> None:
    """Send reports away from now on; with None, count here.

    Args:
        send: Takes a topic and a report, such as `notifications.publish`.
    """
    global _send
    _send = send


def job_moved(*, state: str, model: str) -> None:
    """A job was taken in, ended or expired: its status then.

    One that is answered from an earlier result ends as it is taken in, and is never `queued`.
    """
    _note("jobs", 1, state=state, model=_family(model))


def page_read(*, model: str, pool: str, seconds: float, failed: bool = False) -> None:
    """A page was read, or given up."""
    state = "failed" if failed else "read"
    _note("pages", 1, state=state, model=_family(model), pool=pool)
    _note("page_seconds", seconds, model=_family(model), pool=pool)


def page_given_up(*, model: str, pool: str) -> None:
    """A page was given up, for all who read it died."""
    _note("pages", 1, state="failed", model=_family(model), pool=pool)


def page_noticed(*, code: str, pool: str) -> None:
    """A page came with a notice of this code."""
    _note("page_notices", 1, code=code, pool=pool)


def lease_lost(*, pool: str) -> None:
    """A task's worker died or did not renew."""
    _note("leases_lost", 1, pool=pool)


def webhook_tried(*, result: str) -> None:
    """A webhook was called: `delivered` or `failed`."""
    _note("webhooks", 1, result=result)


def webhook_put_off() -> None:
    """A webhook that is due waits on: its owner or host has its share of calls in flight."""
    _note("webhooks_put_off", 1)


def review_expired() -> None:
    """A result went before the review that it waited for."""
    _note("reviews_expired", 1)


def cache_hit(*, model: str) -> None:
    """A job was answered from an earlier result."""
    _note("cache_hits", 1, model=_family(model))


def refused(*, code: str) -> None:
    """A job or a request was refused, for now, by a limit: the error's code says which."""
    _note("refusals", 1, code=code)


def extracted(*, result: str, seconds: float) -> None:
    """A model server was asked about a document: `succeeded` or `failed`."""
    _note("extractions", 1, result=result)
    _note("extraction_seconds", seconds)


def model_asked(*, calls: int, prompt_tokens: int, completion_tokens: int) -> None:
    """A model server was asked so many questions."""
    _note("extraction_calls", calls)
    _note("extraction_tokens", prompt_tokens, kind="prompt")
    _note("extraction_tokens", completion_tokens, kind="completion")


def log_lines_dropped(count: int) -> None:
    """Lines of this process's log were dropped."""
    _note("log_lines_dropped", count)


def workers(*, pool: str, count: int) -> None:
    """So many worker processes a pool has now."""
    _note("workers", count, pool=pool)


def told_workers(pool: str) -> int | None:
    """Worker processes of a pool, as was last told; None where nobody has told."""
    found = _registry()[0].get_sample_value("pagetide_workers", {"pool": pool})
    return None if found is None else int(found)


def backlog(*, pool: str, waiting: int, leased: int, oldest_s: float, size: int) -> None:
    """What a pool has to do now; `size` as in `wanted`."""
    _note("backlog_tasks", waiting, pool=pool, state="waiting")
    _note("backlog_tasks", leased, pool=pool, state="leased")
    _note("backlog_oldest_seconds", oldest_s, pool=pool)
    _note("backlog_size", size, pool=pool)


def request_answered(*, method: str, path: str, status: int, seconds: float) -> None:
    """A request was answered; `path` is the route's template."""
    _note("request_seconds", seconds, method=method, path=path, status=str(status))


def encode(name: str, number: float, labels: dict[str, str]) -> str:
    """A report as text."""
    pairs = ",".join(f"{label}={quote(value, safe='')}" for label, value in labels.items())
    serial = f"{_process}-{os.getpid()}-{next(_serial)}"
    return f"{name}|{pairs}|{number:.6g}|{serial}"


def apply(report: str) -> None:
    """Count what a report says; one that cannot be understood is passed over."""
    try:
        name, pairs, number, _ = report.split("|")
        labels = {
            label: unquote(value)
            for label, _, value in (pair.partition("=") for pair in pairs.split(",") if pair)
        }
        if set(labels) == set(MEASURES[name].labels):
            _count(name, float(number), labels)
    except (ValueError, KeyError):  # from a worker of another version
        return


def render() -> bytes:
    """All that was counted, in Prometheus' text format."""
    from prometheus_client import generate_latest

    log_lines_dropped(log_queue.newly_dropped())
    return generate_latest(_registry()[0])


def _note(name: str, number: float, **labels: str) -> None:
    if _send is None:
        _count(name, number, labels)
    else:
        topic = AMOUNTS if MEASURES[name].kind == "gauge" else COUNTS
        _send(topic, encode(name, number, labels))


def _count(name: str, number: float, labels: dict[str, str]) -> None:
    from prometheus_client import Counter, Gauge

    made = _registry()[1][name]
    instrument = made.labels(**labels) if labels else made
    if isinstance(instrument, Counter):
        instrument.inc(number)
    elif isinstance(instrument, Gauge):
        instrument.set(number)
    else:
        instrument.observe(number)


@functools.cache
def _registry() -> tuple[CollectorRegistry, dict[str, Instrument]]:
    """Made on first use: a worker that only reports never loads the library."""
    from prometheus_client import (
        CollectorRegistry,
        Counter,
        Gauge,
        Histogram,
        ProcessCollector,
        disable_created_metrics,
    )

    # Else each has a line more, which nobody asks for. The library has no types for this.
    disable_created_metrics()  # type: ignore[no-untyped-call]
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    made: dict[str, Instrument] = {}
    for name, measure in MEASURES.items():
        full, text, labels = f"pagetide_{name}", f"{measure.summary}.", measure.labels
        if measure.kind == "counter":
            made[name] = Counter(full, text, labels, registry=registry)
        elif measure.kind == "gauge":
            made[name] = Gauge(full, text, labels, registry=registry)
        else:
            made[name] = Histogram(
                full, text, labels, registry=registry, buckets=measure.buckets
            )
    return registry, made


def _family(model: str) -> str:
    """Without a model's parameters, which are without number."""
    return model.partition("?")[0]
