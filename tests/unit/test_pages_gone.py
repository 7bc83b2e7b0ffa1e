"""Pages that a power cut took are read again; a format that fails takes no other with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from pagetide.errors import Damaged, JobEnded, ResultNotReady
from pagetide.server.blobs import ObjectBlobs
from pagetide.server.jobs.job import Job, Result, Task, page_key
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.server.worker.assembly import Assembled, Finisher
from tests.serving import Place, inspector, pdf, text_of_page


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with_inspector: Inspector = inspector()
    yield Place(tmp_path, with_inspector, blobs=ObjectBlobs.in_folder(tmp_path / "blobs"))
    with_inspector.close()


@pytest.mark.parametrize("left", [None, b"", b'{"number":2}\n{"numb'])
def test_pages_whose_blobs_are_gone_are_read_again(
    place: Place, monkeypatch: pytest.MonkeyPatch, left: bytes | None
) -> None:
    job = place.submit(pdf(3))
    assembled: list[int] = []
    assemble = Finisher.assemble

    def after_a_power_cut(self: Finisher, job: Job, tasks: Sequence[Task]) -> Assembled:
        if not assembled:
            [token] = {task.done[2] for task in tasks}
            place.blobs.delete(page_key(job, 2, token))
            if left is not None:
                place.blobs.put(page_key(job, 2, token), left)
        assembled.append(job.pages_done)
        return assemble(self, job, tasks)

    monkeypatch.setattr(Finisher, "assemble", after_a_power_cut)
    place.work()
    ended = place.job(job)
    assert (ended.status, ended.pages_done, ended.tasks_open) == ("succeeded", 3, 0)
    assert place.texts(ended) == [text_of_page(n) for n in (1, 2, 3)]
    assert assembled == [3, 3]


def test_a_format_that_cannot_be_made_leaves_the_others(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    export: Callable[[Finisher, Job, str], Result] = Finisher.export

    def no_pdf(self: Finisher, job: Job, format_name: str) -> Result:
        if format_name == "pdf":
            raise Damaged("The input cannot be opened any more.")
        return export(self, job, format_name)

    monkeypatch.setattr(Finisher, "export", no_pdf)
    job = place.submit(pdf(2), options={"formats": ("pdf", "md")})
    place.work()
    ended = place.job(job)
    assert ended.status == "partial"
    assert ended.error and "format pdf was not created" in ended.error.message
    assert sorted(ended.results) == ["json", "md", "raw"]
    with pytest.raises(ResultNotReady):
        place.service.result(ended, "pdf")
    place.work()
    with pytest.raises(JobEnded, match="cannot be opened any more"):
        place.service.result(place.job(job), "pdf")
