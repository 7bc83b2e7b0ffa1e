"""`POST /v1/extract`: a document or a job and a schema in, values with their places out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.fake_vl_server import Asked, FakeVlServer, Reply
from pagetide.document import Failure
from pagetide.telemetry import metrics
from tests.unit.api_fake import Desk, Part, Site, play
from tests.unit.api_fake import Reply as Replied

SCHEMA = {"type": "object", "properties": {"caption": {"type": "string"}}}
FORM: list[Part] = [("model", "fake"), ("file", b"%PDF 1", "scan.pdf"), ("wait", "0")]


def says(asked: Asked) -> Reply:
    """The caption, for whatever is asked."""
    names = asked.body["response_format"]["json_schema"]["schema"]["properties"]
    found = {name: {"value": "Fig. 1", "lines": ["p1b0"]} for name in names}
    return Reply(text=json.dumps(found))


@pytest.fixture
def server() -> Iterator[FakeVlServer]:
    with FakeVlServer(says) as fake:
        yield fake


@pytest.fixture
def desk(tmp_path: Path, server: FakeVlServer) -> Desk:
    return Desk(tmp_path, extract_url=server.url)


async def extract(site: Site, **body: Any) -> Replied:
    return await site.post_json("/v1/extract", body)


def test_a_job_that_has_ended_is_looked_in(desk: Desk) -> None:
    job = desk.finish(desk.submit().id)

    async def steps(site: Site) -> None:
        reply = await extract(site, job=job.id, schema=SCHEMA)
        assert reply.status == 200
        assert reply.json()["value"] == {"caption": "Fig. 1"}
        [leaf] = reply.json()["leaves"]
        assert (leaf["standing"], leaf["lines"][0]["id"]) == ("grounded", "p1b0")
        assert reply.json()["usage"]["calls"] == 1

    play(desk, steps)


def test_questions_keep_their_commas_in_a_form_too(desk: Desk) -> None:
    job = desk.finish(desk.submit().id)
    question = "What, if anything, is shown?"

    async def steps(site: Site) -> None:
        asked: list[Part] = [("job", job.id), ("queries", question), ("queries", "Where?")]
        reply = await site.post_form("/v1/extract", asked)
        assert reply.json()["value"] == {question: "Fig. 1", "Where?": "Fig. 1"}
        asked = [("job", job.id), ("schema", json.dumps(SCHEMA))]
        assert (await site.post_form("/v1/extract", asked)).status == 200

    play(desk, steps)


def test_a_document_that_is_not_read_in_time_is_a_job_to_come_back_with(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        parts = [*FORM, ("queries", "What?")]
        first = await site.post_form("/v1/extract", parts)
        assert (first.status, first.json()["status"]) == (202, "queued")
        desk.finish(first.json()["id"])
        reply = await extract(site, job=first.json()["id"], queries=["What?"])
        assert reply.json()["value"] == {"What?": "Fig. 1"}

    play(desk, steps)


def test_a_job_that_failed_says_why(desk: Desk) -> None:
    job = desk.submit()
    desk.fail(job.id, Failure(code="damaged", message="It is torn."))

    async def steps(site: Site) -> None:
        reply = await extract(site, job=job.id, schema=SCHEMA)
        assert (reply.status, reply.code) == (422, "damaged")

    play(desk, steps)


def test_nobody_looks_in_anothers_job(desk: Desk) -> None:
    job = desk.finish(desk.submit(owner="someone").id)
    key = desk.key("other")

    async def steps(site: Site) -> None:
        reply = await extract(site, job=job.id, schema=SCHEMA)
        assert (reply.status, reply.code) == (404, "job_unknown")

    play(desk, steps, keys_needed=True, authorization=f"Bearer {key}")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "bad_option"),
        ({"schema": SCHEMA, "queries": ["What?"]}, "bad_option"),
        ({"schema": {"type": "string"}}, "bad_schema"),
        ({"schema": "string"}, "bad_option"),
        ({"queries": [" "]}, "bad_schema"),
        ({"queries": ["?"] * 101}, "bad_option"),
        ({"schema": SCHEMA, "file": "JVBERiAx"}, "bad_option"),
        ({"schema": {"properties": {"a": {"$ref": "http://127.0.0.1/"}}}}, "bad_schema"),
    ],
)
def test_what_cannot_be_asked_is_refused_and_no_server_is(
    desk: Desk, server: FakeVlServer, body: dict[str, Any], code: str
) -> None:
    job = desk.finish(desk.submit().id)

    async def steps(site: Site) -> None:
        reply = await extract(site, job=job.id, **body)
        assert (reply.status, reply.code) == (422, code)

    play(desk, steps)
    assert server.asked == []


def test_without_a_model_server_it_is_refused_by_name(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        reply = await extract(site, job="x", schema=SCHEMA)
        assert (reply.status, reply.code) == (503, "model_unavailable")
        assert "PAGETIDE_EXTRACT_URL" in reply.json()["detail"]

    play(Desk(tmp_path), steps)


def test_a_model_server_that_is_of_no_use_is_told(desk: Desk, server: FakeVlServer) -> None:
    job = desk.finish(desk.submit().id)
    server.answer = lambda asked: Reply(text="I would rather not.")

    async def steps(site: Site) -> None:
        reply = await extract(site, job=job.id, schema=SCHEMA)
        assert (reply.status, reply.code) == (502, "answer_unusable")

    play(desk, steps)


def test_what_it_took_is_counted(desk: Desk, server: FakeVlServer) -> None:
    job = desk.finish(desk.submit().id)
    before = counts()
    server.answer = lambda asked: says(asked) if len(server.asked) == 1 else Reply(text="No.")

    async def steps(site: Site) -> None:
        assert (await extract(site, job=job.id, schema=SCHEMA)).status == 200
        assert (await extract(site, job=job.id, schema=SCHEMA)).status == 502

    play(desk, steps)
    names = ("succeeded", "failed", "seconds", "calls", "prompt", "completion")
    grown = [after - was for after, was in zip(counts(), before, strict=True)]
    *known, prompt, completion = grown
    assert dict(zip(names, known, strict=False)) == {
        "succeeded": 1,
        "failed": 1,
        "seconds": 2,
        "calls": 3,  # an answer of no use is asked for once more
    }
    assert prompt > 0 and completion > 0


def counts() -> list[float]:
    """What succeeded, failed, was timed; questions; tokens of questions and answers."""
    found = re.findall(r"^(pagetide_extraction\S+) (\S+)$", metrics.render().decode(), re.M)
    values = {name: float(value) for name, value in found}
    names = (
        'pagetide_extractions_total{result="succeeded"}',
        'pagetide_extractions_total{result="failed"}',
        "pagetide_extraction_seconds_count",
        "pagetide_extraction_calls_total",
        'pagetide_extraction_tokens_total{kind="prompt"}',
        'pagetide_extraction_tokens_total{kind="completion"}',
    )
    return [values.get(name, 0.0) for name in names]
