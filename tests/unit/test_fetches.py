"""Who fetches from a slow server, or submits what opens slowly, keeps no other key waiting."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pagetide.document import SourceInfo
from pagetide.net.download import Downloaded
from pagetide.server.api import submitting
from pagetide.server.api.context import DOCUMENTS_OF_A_KEY
from tests.unit.api_fake import Desk, Part, Reply, Site, StubInspector, play

SLOW = "http://slow.example/a.pdf"
QUICK = "http://quick.example/a.pdf"
FORM: list[Part] = [("model", "fake"), ("file", b"%PDF 1 own", "scan.pdf")]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, aliases={"ocr-process": "fake"})


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


@pytest.mark.parametrize("path", ["/v1/jobs", "/api/v1/ocr/process"])
def test_one_key_whose_documents_are_slow_to_open_stops_no_other(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    ada, bob = (f"Bearer {desk.key(name)}" for name in ("ada", "bob"))
    asked, opens, inspector = threading.Semaphore(0), threading.Event(), StubInspector()

    def inspect(path: Path, name: str, password: str | None, owner: str) -> SourceInfo:
        if name == "slow.pdf":
            asked.release()
            opens.wait()
        return inspector.inspect(path, name, password)

    async def steps(site: Site) -> None:
        async def submitting(name: str, key: str) -> Reply:
            fields: list[Part] = [("file", f"%PDF 1 {name}", name)]
            return await site.post_form(path, fields, authorization=key)

        waiting = [asyncio.create_task(submitting("slow.pdf", ada)) for _ in range(40)]
        try:
            for _ in range(DOCUMENTS_OF_A_KEY):
                assert await asyncio.to_thread(asked.acquire, timeout=30)
            async with asyncio.timeout(20):
                other = await submitting("quick.pdf", bob)
        finally:
            opens.set()
        assert other.status == 202
        assert {reply.status for reply in await asyncio.gather(*waiting)} == {202}

    intake = desk.service._submitter
    monkeypatch.setattr(intake, "_inspector", SimpleNamespace(inspect=inspect))
    play(desk, steps, keys_needed=True)
