"""The API: which pages can be had by now."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pagetide.server.jobs.job import JobOptions
from pagetide.server.service.submitting.submission import Submission
from tests.unit.api_fake import Desk, Site, play


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_pages_are_listed_as_they_are_read(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit(4)
        path = f"/v1/jobs/{job.id}/pages"
        empty = {"numbers": [1, 2, 3, 4], "done": [], "failed": [], "warnings": []}
        assert (await site.get(path)).json() == empty
        await asyncio.to_thread(desk.read, job.id, 2)
        assert (await site.get(path)).json() == {**empty, "done": [1, 2]}
        await asyncio.to_thread(desk.finish, job.id)
        assert (await site.get(path)).json() == {**empty, "done": [1, 2, 3, 4]}

    play(desk, steps)


def test_what_a_document_warns_of_is_told_once_it_is_read(desk: Desk, tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        path = tmp_path / "of-two-pages"
        path.write_bytes(b"%PDF 2")
        options = JobOptions(model="fake", languages=("uz",))  # a language with a notice
        job = desk.service.submit(Submission(document=path, name="a.pdf", options=options))
        listed = f"/v1/jobs/{job.id}/pages"
        assert (await site.get(listed)).json()["warnings"] == []
        await asyncio.to_thread(desk.finish, job.id)
        (warning,) = (await site.get(listed)).json()["warnings"]
        document = (await site.get(f"/v1/jobs/{job.id}/result")).json()
        assert [warning] == document["warnings"] and "Uzbek" in warning["message"]

    play(desk, steps)


def test_pages_of_a_job_that_is_not_there_are_not_listed(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        assert (await site.get("/v1/jobs/none/pages")).code == "job_unknown"
        job = desk.submit()
        desk.service.erase(job.id)
        assert (await site.get(f"/v1/jobs/{job.id}/pages")).code == "job_gone"

    play(desk, steps)


def test_only_the_pages_asked_for_are_listed(desk: Desk, tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        path = tmp_path / "of-nine-pages"
        path.write_bytes(b"%PDF 9")
        options = JobOptions(model="fake", pages="2-3,-1")
        job = desk.service.submit(Submission(document=path, name="a.pdf", options=options))
        assert (await site.get(f"/v1/jobs/{job.id}/pages")).json()["numbers"] == [2, 3, 9]

    play(desk, steps)
