"""A server on a disk that is full: it says so, takes nothing in, erases, and goes on later."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagetide.system.disk_room import MB, SHARE
from tests.parts.small_disk import fill, small_disk
from tests.served import serving
from tests.serving import pdf
from tests.waiting import until

DISK_MB = 30
PATIENCE_S = 120.0


@dataclass
class Box:
    """A server on a small disk, and a client."""

    client: httpx.Client
    disk: Path

    def submit(self, model: str = "fake", pages: int = 1, **more: Any) -> httpx.Response:
        document = {"file": (f"{model}.pdf", pdf(pages), "application/pdf")}
        return self.client.post("/v1/jobs", files=document, data={"model": model, **more})

    def status(self, job_id: str) -> str:
        return str(self.client.get(f"/v1/jobs/{job_id}").json()["status"])

    def ended(self, job_id: str) -> None:
        until(lambda: self.status(job_id) == "succeeded", PATIENCE_S)

    def upload(self) -> httpx.Response:
        where = self.client.post("/v1/uploads").json()["url"]
        return self.client.put(where, content=pdf(1))

    def kept(self) -> set[str]:
        """All that is kept of documents."""
        data = self.disk / "data"
        places = [data / "uploads", *(data / "blobs").glob("*")]
        return {f"{each.name}/{path.name}" for each in places for path in each.iterdir()}

    def refuses(self) -> None:
        """Nothing is taken in, whichever way it comes, and nothing of it is left."""
        before = self.kept()
        mistral = {"model": "fake", "document": {"document_url": "http://127.0.0.1:9/a.pdf"}}
        answers = [
            self.submit(),
            self.client.post("/v1/jobs", json={"model": "fake", "file_url": "http://x.test/"}),
            self.client.post("/v1/read", files={"file": ("a.pdf", pdf(1))}),
            self.client.post("/v1/ocr", json=mistral),
            self.upload(),
        ]
        assert [answer.status_code for answer in answers] == [507] * len(answers)
        assert answers[0].json()["code"] == "disk_full"
        assert "retry-after" in answers[0].headers
        assert self.kept() == before

    def tells(self) -> None:
        """It says that it is not ready, and why."""
        answer = self.client.get("/health/ready")
        assert (answer.status_code, answer.json()["code"]) == (507, "disk_full")
        assert "reserve of 3 MB" in answer.json()["detail"]
        assert self.client.get("/health/live").status_code == 200

    def erases(self, job_id: str) -> None:
        """An erased job is gone, with its document."""
        assert self.client.delete(f"/v1/jobs/{job_id}").status_code == 204
        assert self.client.get(f"/v1/jobs/{job_id}").status_code == 410
        assert f"jobs/{job_id}" not in self.kept()


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    with _box(tmp_path) as opened:
        yield opened


@contextmanager
def _box(folder: Path) -> Iterator[Box]:
    with (
        small_disk(folder, DISK_MB) as disk,
        serving(
            folder / "data", keys=0, within=disk.within, cache="no", lease_s=6, idle_s=300
        ) as served,
        httpx.Client(base_url=served.url, timeout=PATIENCE_S, trust_env=False) as client,
    ):
        yield Box(client, disk.seen_by(served.pid))


def test_below_the_reserve_nothing_is_taken_in_and_what_was_ends(box: Box) -> None:
    going = box.submit("fake?slow=0.2", 8).json()["id"]
    until(lambda: box.status(going) == "running", PATIENCE_S)
    until((box.disk / "data" / "pagetide.db-ballast").exists)
    fill(box.disk / "filler", leaving=int(DISK_MB * (1 << 20) * SHARE) - MB)
    box.tells()
    box.refuses()
    box.ended(going)
    (box.disk / "filler").unlink()
    assert box.client.get("/health/ready").status_code == 200
    assert box.submit().status_code == 202


def test_a_disk_full_to_the_last_byte(box: Box) -> None:
    done = [box.submit().json()["id"] for _ in range(3)]
    for each in done:
        box.ended(each)
    going = [box.submit("fake?slow=0.1", 12).json()["id"] for _ in range(4)]
    going += [box.submit("pp-ocrv6", 2).json()["id"], box.submit("structure-lite").json()["id"]]
    until(lambda: box.status(going[0]) == "running", PATIENCE_S)
    until((box.disk / "data" / "pagetide.db-ballast").exists)
    fill(box.disk / "filler")
    assert shutil.disk_usage(box.disk).free == 0
    box.tells()
    box.refuses()
    for each in (*done, going.pop(3)):
        box.erases(each)
        fill(box.disk / "filler")
        assert box.client.get(f"/v1/jobs/{going[0]}").status_code == 200
    box.refuses()
    (box.disk / "filler").unlink()
    assert box.client.get("/health/ready").status_code == 200
    going.append(box.submit().json()["id"])
    for each in going:
        box.ended(each)
        pages = box.client.get(f"/v1/jobs/{each}/result?format=json").json()["pages"]
        assert not any(page["error"] for page in pages)
