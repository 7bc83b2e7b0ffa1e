"""Azure's batches without a storage: what is kept of them, and how they move on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from pagetide.document.extraction import ExtractedLeaf, Extraction
from pagetide.errors import DownloadFailed, JobUnknown
from pagetide.server.compat.azure.batches import batch as batches
from pagetide.server.compat.azure.batches import routes as batch_routes
from pagetide.server.compat.azure.batches.batch import Batch, Batches, Item
from pagetide.server.compat.azure.request import AnalyzeRequest
from pagetide.server.jobs.job import BATCHES, Job
from pagetide.system.cipher import Cipher
from tests.unit.api_fake import Desk, Site, play

ASKED = AnalyzeRequest(model_id="prebuilt-read")
TARGET = "https://host/read?sig=secret"
ROOT = "/documentintelligence/documentModels/prebuilt-read/analyzeBatchResults"


class Written:
    """A container that remembers what was put into it."""

    def __init__(self, refuses: tuple[str, ...] = ()) -> None:
        self.blobs: dict[str, bytes] = {}
        self.opened: list[str] = []
        self._refuses = refuses

    def address(self, name: str) -> str:
        return f"https://host/read/{name}"

    def put(self, name: str, parts: Iterator[bytes], **_: Any) -> bool:
        if name in self._refuses:
            raise DownloadFailed("It cannot be written.")
        self.blobs[name] = b"".join(parts)
        return True


def batches_of(desk: Desk, written: Written | None = None) -> Batches:
    where: Any = written or Written()

    def opened(url: str) -> Any:
        where.opened.append(url)
        return where

    def values(job: Job, names: Sequence[str]) -> Extraction:
        return Extraction(
            value=dict.fromkeys(names),
            leaves=tuple(ExtractedLeaf(path=f"/{name}") for name in names),
        )

    return Batches(desk.service, "", opened, values)


def job_of(desk: Desk) -> Job:
    job = desk.submit(metadata=ASKED.note())
    return desk.finish(job.id)


def batch_of(*jobs: Job, batch_id: str = "") -> Batch:
    items = tuple(
        Item(source=f"https://host/{i}", result=f"{i}.ocr.json", job_id=job.id)
        for i, job in enumerate(jobs)
    )
    return Batch(
        id=batch_id or jobs[0].id,
        request=ASKED,
        target=TARGET,
        overwrite=False,
        created_at=1.0,
        changed_at=1.0,
        items=items,
    )


def kept(desk: Desk) -> bytes:
    blobs = desk.service.blobs
    return b"".join(blobs.get(blob.key) for blob in blobs.under(BATCHES))


def test_the_signature_is_kept_until_the_end_and_shown_never(tmp_path: Path) -> None:
    desk, written = Desk(tmp_path), Written(refuses=("1.ocr.json",))
    every, batch = batches_of(desk, written), batch_of(job_of(desk), job_of(desk))
    every.keep(batch)
    assert b"sealed" in kept(desk)
    assert b"secret" not in kept(desk)
    found = every.find(batch.id, "prebuilt-read")
    assert "secret" not in str(every.shown(found))
    moved = every.moved_on(found)
    assert TARGET in written.opened
    assert [item.status for item in moved.items] == ["succeeded", "failed"]
    assert list(written.blobs) == ["0.ocr.json"]
    assert b'"sealed":""' in kept(desk)
    shown = every.shown(moved)
    assert (shown.status, shown.percent_completed) == ("succeeded", 100)
    assert "secret" not in str(shown)


def test_a_signature_of_another_secret_is_told_of(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    every, batch = batches_of(desk), batch_of(job_of(desk))
    every.keep(batch)
    desk.service.cipher = Cipher(["x" * 32])
    moved = every.moved_on(every.find(batch.id, "prebuilt-read"))
    assert [item.status for item in moved.items] == ["failed"]
    assert "PAGETIDE_SECRET" in str(moved.items[0].error)


def test_one_that_was_kept_in_clear_goes_on(tmp_path: Path) -> None:
    desk, written = Desk(tmp_path), Written()
    every, batch = batches_of(desk, written), batch_of(job_of(desk))
    desk.service.blobs.put(every._key(batch.id), msgspec.json.encode(batch))
    assert every.moved_on(every.find(batch.id, "prebuilt-read")).ended
    assert TARGET in written.opened


def test_a_look_ends_in_time_and_the_next_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, written = Desk(tmp_path), Written()
    every, batch = batches_of(desk, written), batch_of(job_of(desk), job_of(desk))
    every.keep(batch)
    times = iter((0.0, 0.0, batches.LOOK_S, 0.0, 0.0, 0.0))
    clock = SimpleNamespace(monotonic=lambda: next(times), time=lambda: 2.0)
    monkeypatch.setattr(batches, "time", clock)
    batch = every.moved_on(batch)
    assert [item.status for item in batch.items] == ["succeeded", "running"]
    assert every.shown(batch).percent_completed == 50
    assert every.moved_on(every.find(batch.id, "prebuilt-read")).ended


def test_what_was_erased_meanwhile_stays_so(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    every, batch = batches_of(desk), batch_of(job_of(desk))
    every.keep(batch)
    every.erase(batch)
    with pytest.raises(JobUnknown):
        every.moved_on(batch)
    assert kept(desk) == b""


def test_many_batches_are_listed_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_routes, "MOST_LISTED", 2)
    desk = Desk(tmp_path)
    job = job_of(desk)
    for i in range(5):
        batches_of(desk).keep(batch_of(job, batch_id=f"job_{i}"))

    async def steps(site: Site) -> None:
        found: list[str] = []
        link = ROOT
        while link:
            reply = (await site.get(link)).json()
            assert len(reply["value"]) <= 2
            found += [each["resultId"] for each in reply["value"]]
            _, link, query = reply.get("nextLink", "").partition(ROOT)
            link += query
        assert found == ["job_4", "job_3", "job_2", "job_1", "job_0"]
        assert "nextLink" not in reply

    play(desk, steps)
