"""The check of the blob storage."""

from __future__ import annotations

import secrets
import time
from contextlib import closing, suppress
from dataclasses import replace

from pagetide.cli.checks.clocks import beyond, judge
from pagetide.cli.checks.examination import Steps
from pagetide.errors import PagetideError, StoreFailed
from pagetide.server import wiring
from pagetide.server.ports import Blob, Blobs
from pagetide.server.service import blob_owner
from pagetide.settings import Settings

NAME = "doctor.txt"
SIZE = 4000
WRONG_S = 300.0  # sweeps go by the age of blobs, and a link's expiry by that clock
_LINK_S = 60.0


def check_blobs(settings: Settings, steps: Steps) -> None:
    """Check where documents are kept.

    Raises:
        PagetideError: Something is not as it must be.
    """
    _check(replace(settings, results=""), steps)


def check_results(settings: Settings, steps: Steps) -> None:
    """Check where results are kept, where that is not with the documents.

    Raises:
        PagetideError: Something is not as it must be.
    """
    _check(replace(settings, blobs=settings.results, results=""), steps)


def _check(settings: Settings, steps: Steps) -> None:
    """Write, read, list, sign, delete; see whose blobs are there."""
    steps.doing = "the place was opened"
    blobs = wiring.open_blobs(settings)
    prefix = f"jobs/doctor-{secrets.token_hex(8)}/"
    try:
        _use(blobs, f"{prefix}{NAME}", steps)
    except BaseException:
        with suppress(PagetideError):
            blobs.delete_under(prefix)
        raise
    steps.doing = "a blob was deleted"
    blobs.delete_under(prefix)
    steps.require(blobs.find(f"{prefix}{NAME}") is None, "A deleted blob is still there.")
    _check_owner(settings, blobs, steps)


def _check_owner(settings: Settings, blobs: Blobs, steps: Steps) -> None:
    steps.doing = "they were compared with the job store"
    try:
        store = wiring.open_store(settings)
    except PagetideError:  # which its own check reports
        steps.notes.append("their owner is unknown: the job store does not open")
        return
    with closing(store):
        blob_owner.check(store, blobs)


def _use(blobs: Blobs, key: str, steps: Steps) -> None:
    data = secrets.token_bytes(SIZE)
    steps.doing = "a blob was written"
    before = time.time()
    blob = blobs.put(key, data)
    after = time.time()
    steps.doing = "a blob was read"
    steps.require(blobs.get(key) == data, "It returns something other than was written.")
    part = b"".join(blobs.stream(key, 1000, 1010))
    steps.require(
        part == data[1000:1010], "It returns something other than the requested part."
    )
    steps.doing = "blobs were listed"
    listed = [each.key for each in blobs.under(key.rpartition("/")[0] + "/")]
    steps.require(listed == [key], "The written blob is not in the listing.")
    _judge_clock(blob, before, after, steps)
    steps.doing = "a link was signed and opened"
    link = blobs.link(key, expires_s=_LINK_S, name=NAME, media_type="text/plain")
    if link is None:
        steps.notes.append("links are signed by the API")
    else:
        _open_link(link, data, steps)
        steps.notes.append("a signed link opens")


def _judge_clock(blob: Blob, before: float, after: float, steps: Steps) -> None:
    """S3 gives whole seconds, so that a new blob may look up to a second old."""
    judge(
        beyond(blob.modified, before - 1, after),
        WRONG_S,
        "links and sweeps depend on it",
        steps,
    )


def _open_link(link: str, data: bytes, steps: Steps) -> None:
    """Fetch it as somebody else would: no proxy, no redirect, no more than was written."""
    import httpx

    try:
        with (
            httpx.Client(trust_env=False, timeout=steps.left_s + 0.1) as client,
            client.stream("GET", link, headers={"Accept-Encoding": "identity"}) as answer,
        ):
            steps.require(
                answer.status_code == 200,
                f"A signed link answers with status {answer.status_code}.",
            )
            got = b""
            for chunk in answer.iter_raw():
                got += chunk
                steps.require(len(got) <= len(data), "A signed link opens more than the blob.")
    except (httpx.HTTPError, httpx.InvalidURL):  # whose text holds the link
        raise StoreFailed("A signed link leads to a host that does not answer here.") from None
    steps.require(got == data, "A signed link returns something other than the blob.")
