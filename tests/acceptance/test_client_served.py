"""The client and its commands against `pagetide serve` itself, with keys."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import pagetide
from pagetide.client import Client, Correction
from pagetide.errors import (
    BadOption,
    JobEnded,
    JobGone,
    JobUnknown,
    LeaseLost,
    UnsupportedType,
)
from pagetide.server.jobs.keys import SCOPES
from tests.parts import forks
from tests.served import PAGETIDE, serving
from tests.serving import pdf

SAMPLES = Path(__file__).parents[2] / "samples"
MIXED = SAMPLES / "mixed.pdf"


@dataclass(frozen=True)
class Served:
    url: str
    key: str
    other_key: str
    environment: dict[str, str]

    def client(self) -> Client:
        return Client(self.url, key=self.key)

    def run(self, *arguments: object) -> subprocess.CompletedProcess[bytes]:
        return forks.run(
            [*PAGETIDE, *map(str, arguments)],
            env=self.environment,
            capture_output=True,
            timeout=120,
            check=False,
        )


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("data"), scopes=SCOPES) as running:
        key, other = running.keys
        seen_by_commands = {"PAGETIDE_SERVER": running.url, "PAGETIDE_KEY": key}
        yield Served(running.url, key, other, {**running.environment, **seen_by_commands})


def test_submit_waits_and_prints_the_markdown(served: Served) -> None:
    done = served.run("submit", MIXED, "--wait", "--model", "fake", "-f", "md")
    assert (done.returncode, done.stderr) == (0, b"")
    wanted = served.run("read", MIXED, "--model", "fake", "-f", "md")
    assert done.stdout == wanted.stdout


def test_every_format_is_that_of_read(served: Served, tmp_path: Path) -> None:
    formats = "json,md,txt,html,hocr,pdf"
    options = (MIXED, "--model", "fake", "-f", formats, "-o")
    submitted = served.run("submit", *options, tmp_path / "submitted", "--wait")
    assert submitted.returncode == 0, submitted.stderr
    assert served.run("read", *options, tmp_path / "read").returncode == 0
    for name in formats.split(","):
        found = (tmp_path / "submitted" / f"mixed.pdf.{name}").read_bytes()
        if name in ("md", "txt", "html", "hocr"):
            assert found == (tmp_path / "read" / f"mixed.pdf.{name}").read_bytes()
    assert json.loads((tmp_path / "submitted" / "mixed.pdf.json").read_bytes())["pages"]
    assert (tmp_path / "submitted" / "mixed.pdf.pdf").read_bytes().startswith(b"%PDF")


def test_pages_come_before_the_job_has_ended(served: Served) -> None:
    with served.client() as client:
        job = client.submit(MIXED, model="fake?slow=1.5", text_layer="never", pages="2,4-5")
        pages = client.pages(job)
        first = next(pages)
        assert not client.job(job).ended
        assert [first.number, *(page.number for page in pages)] == [2, 4, 5]
        assert client.wait(job).status == "succeeded"
        assert [page.number for page in client.pages(job.id)] == [2, 4, 5]


def test_an_event_loop_reads_too(served: Served) -> None:
    async def reading() -> tuple[pagetide.Document, list[str]]:
        async with pagetide.AsyncClient(served.url, key=served.key) as client:
            job = await client.submit(MIXED.read_bytes(), model="fake?lines=2", name="m.pdf")
            names = [event.name async for event in client.events(job)]
            return await client.document(job), names

    document, names = asyncio.run(reading())
    assert (document.source.name, len(document.pages)) == ("m.pdf", 7)
    assert names[-1] == "status"


def test_what_was_cached_is_as_good(served: Served) -> None:
    with served.client() as client:
        first = client.read(MIXED, model="fake", text_layer="never")
        again = client.submit(MIXED, model="fake", text_layer="never")
        assert again.cached
        assert client.document(again).pages == first.pages


def test_cancel_erase_and_list(served: Served) -> None:
    with served.client() as client:
        job = client.submit(MIXED, model="fake?slow=5", text_layer="never", metadata={"a": "b"})
        assert client.cancel(job).status == "cancelled"
        with pytest.raises(JobEnded, match="cancelled"):
            list(client.pages(job))
        found = next(client.jobs(status="cancelled"))
        assert (found.id, found.metadata) == (job.id, {"a": "b"})
        client.erase(job)
        client.erase(job)
        with pytest.raises(JobGone):
            client.document(job)


def test_a_review_is_claimed_kept_and_corrected_and_what_was_is_had_on_request(
    served: Served,
) -> None:
    with served.client() as client:
        job = client.submit(pdf(1), model="fake", name="seen.pdf", review_sample=1)
        assert client.wait(job).review == "waiting"
        line = client.reviews.waiting()
        assert (line.waiting, [each.name for each in line.reviews]) == (1, ["seen.pdf"])
        review = client.reviews.claim("Ann")
        assert review and (review.job_id, review.reasons) == (job.id, ("sampled",))
        assert repr(review) == f"<RemoteReview {job.id} claimed {len(review.places)} places>"
        assert client.reviews.claim("Bob") is None
        renewed = client.reviews.renew(review)
        assert renewed.until and review.until and renewed.until >= review.until
        place = renewed.places[0]
        closed = client.reviews.close(renewed, [place.corrected("as it is")])
        assert (closed.state, closed.by) == ("corrected", "Ann")
        assert client.reviews.of(job).corrections == closed.corrections
        assert client.job(job).review == "corrected"
        [found] = client.reviews.corrections()
        assert (found.job_id, found.old, found.new) == (job.id, place.text, "as it is")
        assert (found.by, found.document) == ("Ann", "seen.pdf")
        assert found.polygon == place.polygon
        assert "as it is" in client.result(job, "txt", corrected=True)
        assert "as it is" not in client.result(job, "txt")
        with pytest.raises(BadOption, match="is not in the text"):
            client.reviews.close(closed, [Correction(page=1, old="nowhere", new="x")])
        assert client.reviews.close(closed).state == "accepted"


def test_a_review_that_is_given_back_comes_behind_the_others(served: Served) -> None:
    async def reviewing() -> list[str]:
        async with pagetide.AsyncClient(served.url, key=served.key) as client:
            for name in ("first.pdf", "second.pdf"):
                job = await client.submit(pdf(1), model="fake", name=name, review_sample=1)
                await client.wait(job)
            given = await client.reviews.claim()
            assert given
            await client.reviews.release(given)
            with pytest.raises(LeaseLost):
                await client.reviews.close(given)
            names = [given.name]
            while review := await client.reviews.claim():
                names.append(review.name)
                assert (await client.reviews.close(review)).state == "accepted"
            return names

    assert asyncio.run(reviewing()) == ["first.pdf", "second.pdf", "first.pdf"]


def test_errors_are_those_of_the_library(served: Served) -> None:
    with served.client() as client:
        with pytest.raises(UnsupportedType):
            client.submit(b"nonsense")
        with pytest.raises(JobUnknown):
            client.job("job_nowhere")
        with pytest.raises(pagetide.PagetideError, match="did you mean"):
            client.submit(MIXED, model="pp-ocrv66")


def test_a_key_is_needed_and_sees_only_its_own(served: Served) -> None:
    with served.client() as client:
        job = client.submit(MIXED, model="fake")
    seen = served.run("jobs", job.id, "--key", served.other_key)
    assert (seen.returncode, seen.stdout) == (66, b"")
    assert served.run("jobs", "--key", "pt_wrong").returncode == 77


def test_models_and_backlog(served: Served) -> None:
    with served.client() as client:
        assert {"pp-ocrv6", "text-layer"} <= {model.name for model in client.models()}
        assert client.backlog()["cpu"].waiting >= 0
