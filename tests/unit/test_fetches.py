"""Who fetches from a slow server keeps no other key waiting."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pagetide.api import submitting
from pagetide.net.download import Downloaded
from tests.unit.api_fake import Desk, Part, Reply, Site, play

SLOW = "http://slow.example/a.pdf"
QUICK = "http://quick.example/a.pdf"
FORM: list[Part] = [("model", "fake"), ("file", b"%PDF 1 own", "scan.pdf")]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@contextmanager
def a_slow_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Semaphore]:
    """Says how many wait for it; it answers when the block ends."""
    asked, answers = threading.Semaphore(0), threading.Event()

    def download(url: str, into: Path, **_: Any) -> Downloaded:
        asked.release()
        if url == SLOW:
            answers.wait()
        into.write_bytes(b"%PDF 1 fetched")
        return Downloaded(name="a.pdf", bytes=14)

    monkeypatch.setattr(submitting, "download", download)
    try:
        yield asked
    finally:
        answers.set()


def test_one_key_that_waits_for_a_slow_server_stops_no_other(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = (f"Bearer {desk.key(name)}" for name in ("ada", "bob"))

    async def steps(site: Site) -> None:
        async def fetching(url: str, key: str) -> Reply:
            body = {"model": "fake", "file_url": url}
            return await site.post_json("/v1/jobs", body, authorization=key)

        with a_slow_server(monkeypatch) as asked:
            waiting = [asyncio.create_task(fetching(SLOW, ada)) for _ in range(100)]
            for _ in range(16):
                await asyncio.to_thread(asked.acquire, timeout=30)
            try:
                async with asyncio.timeout(20):
                    own = await site.post_form("/v1/jobs", FORM, authorization=ada)
                    other = await site.post_form("/v1/jobs", FORM, authorization=bob)
                    fetched = await fetching(QUICK, bob)
            finally:
                monkeypatch.undo()
        assert [reply.status for reply in (own, other, fetched)] == [202, 202, 202]
        assert {reply.status for reply in await asyncio.gather(*waiting)} == {202}

    play(desk, steps, keys_needed=True)
