"""That blobs belong to another store is said by readiness and by the doctor."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pagetide.cli.checks.examination import examine
from pagetide.cli.checks.parts import PARTS
from pagetide.server.service import blob_owner
from pagetide.server.stores.memory import MemoryStore
from pagetide.server.wiring import open_blobs, open_store
from pagetide.settings import Settings
from tests.unit.api_fake import Desk, Site, play


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_readiness_says_so(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        assert (await site.get("/health/ready")).status == 200
        blob_owner.claim(MemoryStore(), desk.service.blobs, time.time())
        reply = await site.get("/health/ready")
        assert (reply.status, reply.code) == (503, "blobs_of_another_store")

    play(desk, steps)


def test_the_doctor_says_so(tmp_path: Path) -> None:
    here = Settings(data_dir=str(tmp_path / "a"))
    with closing(open_store(here)) as store:
        blob_owner.claim(store, open_blobs(here), time.time())
    assert examine(PARTS["blobs"], here, 60).status == "ok"
    there = replace(here, data_dir=str(tmp_path / "b"), blobs=f"file://{tmp_path}/a/blobs")
    finding = examine(PARTS["blobs"], there, 60)
    assert finding.status == "wrong"
    assert "different job store" in finding.text
