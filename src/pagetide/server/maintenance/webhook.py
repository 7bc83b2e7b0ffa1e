"""Webhooks by Standard Webhooks (standardwebhooks.com): a signed message, posted."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from urllib.parse import urlsplit

import msgspec

from pagetide.errors import PagetideError
from pagetide.net.network import OUTSIDE, Outside
from pagetide.net.vetted_post import post_vetted
from pagetide.server.jobs.job import Delivery, Event, Job, Task
from pagetide.server.jobs.review import Review


def sign(
    secrets: Iterable[bytes], message_id: str, timestamp: float, body: bytes
) -> dict[str, str]:
    """The headers that prove who wrote a body, and when.

    Args:
        secrets: One as a rule; the old and the new one while they are rotated.
        message_id: The same for every attempt of one delivery.
        timestamp: Of the attempt, seconds since the epoch.
        body: What is posted.
    """
    sent = str(int(timestamp))
    signed = b".".join([message_id.encode(), sent.encode(), body])
    signatures = (
        base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()
        for secret in secrets
    )
    return {
        "webhook-id": message_id,
        "webhook-timestamp": sent,
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }


def note(job: Job, base_url: str, tells: Event = "ended") -> bytes:
    """The body of a webhook about an ended job: JSON, the same for every attempt.

    After the job has expired it still says how it ended, but has neither its metadata nor
    a link to a result.

    Args:
        job: It has ended, in the status that is reported.
        base_url: How users reach this server, such as `https://ocr.example.com`.
        tells: The event: that it has ended, that a person has reviewed it, or that nobody
            had when its time was over.
    """
    here = f"{base_url.rstrip('/')}/v1/jobs/{job.id}"
    links = {"self": here}
    if not job.erased and job.status in ("succeeded", "partial"):
        links["result"] = f"{here}/result"
    review = job.review if tells == "reviewed" else None
    at = (review and review.at) or job.finished_at or job.created_at
    if tells == "review_expired":
        at = job.expires_at
    return msgspec.json.encode(
        {
            "type": f"job.{job.status if tells == 'ended' else tells}",
            "timestamp": datetime.fromtimestamp(at, UTC),
            "data": {
                "id": job.id,
                "status": job.status,
                "pages_total": job.page_count,
                "pages_done": job.pages_done,
                "pages_failed": job.pages_failed,
                "metadata": job.metadata,
                "links": links,
                **({"review": _review_outcome(review)} if review else {}),
            },
        }
    )


def _review_outcome(review: Review) -> dict[str, object]:
    outcome = {"outcome": review.outcome, "reasons": review.reasons, "by": review.by}
    return {**outcome, "corrections": review.corrections}


def url_of(job: Job, task: Task) -> str:
    """Where a `deliver` task of a job calls."""
    return task.owed.url if task.owed else job.webhook_url or ""


def host_of(job: Job, task: Task) -> str:
    """Host and port of where a `deliver` task calls."""
    return urlsplit(url_of(job, task)).netloc.lower()


async def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    timeout_s: float,
    now: float,
    allowed_hosts: frozenset[str] = frozenset(),
    outside: Outside = OUTSIDE,
) -> Delivery:
    """Post a note once, and return the outcome; nothing is raised.

    A redirect is not followed, and counts as a failure. The answer's body is not read.

    Args:
        url: The webhook's.
        body: See `note`.
        headers: See `sign`.
        timeout_s: For all of it.
        now: When, in seconds since the epoch.
        allowed_hosts: Hosts, in small letters, that may have any address.
        outside: See `network.Outside`.
    """
    started = time.monotonic()
    status, failure = None, ""
    try:
        status = await post_vetted(
            url,
            body,
            headers={**headers, "content-type": "application/json"},
            timeout_s=timeout_s,
            allowed_hosts=allowed_hosts,
            outside=outside,
        )
        failure = "" if 200 <= status < 300 else _complaint(status)
    except PagetideError as error:
        failure = error.message
    elapsed_ms = (time.monotonic() - started) * 1000
    return Delivery(at=now, elapsed_ms=elapsed_ms, status=status, error=failure)


def _complaint(status: int) -> str:
    if 300 <= status < 400:
        return "The webhook redirects; redirects are not followed."
    return f"The webhook answered with status {status}."
