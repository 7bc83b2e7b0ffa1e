"""A job that is answered from an earlier one has the name and the formats it was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagetide import exports
from pagetide.document.kinds import RESULT_FORMATS
from pagetide.errors import PageTimeout, ResultNotReady
from pagetide.server.jobs.job import Job, Result
from pagetide.server.service.submitting.inspection import Inspector
from pagetide.server.service.submitting.reuse import FROM_DOCUMENT
from pagetide.server.worker.assembly import Finisher
from tests.serving import Place, pdf

WORD = "geheim"


@pytest.fixture
def place(tmp_path: Path, inspecting: Inspector) -> Place:
    return Place(tmp_path, inspecting)


def test_the_formats_that_need_the_document_are_those_of_the_exports() -> None:
    needing = {name for name, form in exports.FORMATS.items() if form.needs_origin}
    assert set(FROM_DOCUMENT) == needing & set(RESULT_FORMATS)


def test_formats_that_the_earlier_job_lacks_are_made(place: Place) -> None:
    first = place.submit(pdf(2), options={"formats": ("md",)})
    place.work()
    again = place.submit(pdf(2), options={"formats": ("md", "txt", "pdf")})
    assert (again.status, again.cached_from) == ("succeeded", first.id)
    place.work()
    assert {"json", "raw", "md", "txt", "pdf"} <= place.job(again).results.keys()


def test_an_encrypted_document_is_read_again_for_a_format_that_needs_it(place: Place) -> None:
    locked = pdf(1, password=WORD)
    place.submit(locked, password=WORD)
    place.work()
    again = place.submit(locked, password=WORD, options={"formats": ("pdf",)})
    assert (again.status, again.cached_from) == ("queued", None)
    place.work()
    assert "pdf" in place.job(again).results
    third = place.submit(locked, password=WORD, options={"formats": ("pdf", "md")})
    assert third.cached_from == again.id


def test_an_erased_documents_name_is_not_in_anothers_result(place: Place) -> None:
    first = place.submit(pdf(1), name="Befund Frau Muster.pdf")
    place.work()
    again = place.submit(pdf(1), name="scan.pdf")
    place.service.erase(first.id)
    place.work()
    assert place.document(again).source.name == "scan.pdf"
    left = [blob.key for blob in place.blobs.under("jobs/")]
    assert not any(b"Befund" in place.blobs.get(key) for key in left)


def test_a_format_that_could_not_be_made_is_said_and_made_on_demand(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = Finisher.export

    def slow(finisher: Finisher, job: Job, format_name: str) -> Result:
        if format_name == "md" and not job.ended:
            raise PageTimeout
        return export(finisher, job, format_name)

    monkeypatch.setattr(Finisher, "export", slow)
    job = place.submit(pdf(1), options={"formats": ("txt", "md")})
    place.work()
    done = place.job(job)
    assert done.status == "partial"
    assert set(done.results) == {"json", "raw", "txt"}
    assert done.error and done.error.code == "page_timeout"
    assert done.error.message.startswith("The format md was not created")
    with pytest.raises(ResultNotReady):
        place.service.result(done, "md")
    place.work()
    assert place.service.result(place.job(job), "md").bytes
