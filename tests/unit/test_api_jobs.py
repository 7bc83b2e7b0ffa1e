"""The API: jobs in, watched, listed, cancelled, erased."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from pathlib import Path

import pytest

from pagetide.document import Failure
from pagetide.errors import Busy
from pagetide.telemetry import metrics
from tests.unit.api_fake import Desk, Part, Site, Stalled, Stopped, form, play

PDF = b"%PDF 3 pages"
FILE: Part = ("file", PDF, "scan.pdf")
FAKE: Part = ("model", "fake")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_form_becomes_a_job(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        reply = await site.post_form(
            "/v1/jobs",
            [
                FAKE,
                ("languages", "en, de"),
                ("languages", "fr"),
                ("pages", "1-2"),
                ("dpi", "200"),
                ("priority", "batch"),
                ("formats", "md,txt"),
                ("metadata", '{"order": "7"}'),
                FILE,
            ],
        )
        assert reply.status == 202
        job = reply.json()
        assert reply.headers["location"] == f"http://127.0.0.1:8000/v1/jobs/{job['id']}"
        assert reply.headers["retry-after"] == "1"
        assert (job["status"], job["model"], job["priority"]) == ("queued", "fake", "batch")
        assert job["languages"] == ["en", "de", "fr"]
        assert (job["pages"], job["pages_total"], job["queue_position"]) == ("1-2", 2, 0)
        assert job["metadata"] == {"order": "7"}
        assert job["source"]["name"] == "scan.pdf"
        assert job["created_at"].endswith("Z") and job["started_at"] is None
        kept = desk.service.job(job["id"])
        assert kept.options.dpi == 200 and kept.options.formats == ("md", "txt")
        assert desk.service.blobs.get(kept.input) == PDF
        assert list(desk.uploads.iterdir()) == []

    play(desk, steps)


def test_a_quotation_mark_in_a_name_is_one_however_browsers_write_it(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        reply = await site.post_form(
            "/v1/jobs", [FAKE, ("file", b"%PDF 1", "a %22b%22 50%.pdf")]
        )
        assert reply.json()["source"]["name"] == 'a "b" 50%.pdf'

    play(desk, steps)


def test_json_with_base64_becomes_a_job(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        body = {
            "file": base64.b64encode(PDF).decode(),
            "name": "../é\n.pdf",
            "model": "fake",
            "languages": ["en"],
            "metadata": {"a": "b"},
            "password": None,
        }
        reply = await site.post_json("/v1/jobs", body)
        assert reply.status == 202, reply.body
        kept = desk.service.job(reply.json()["id"])
        assert desk.service.blobs.get(kept.input) == PDF
        assert kept.source.name == "é.pdf"
        assert kept.metadata == {"a": "b"}

    play(desk, steps)


BAD: dict[str, tuple[list[Part], str, str]] = {
    "unknown field": ([FILE, ("langauges", "en")], "bad_option", "did you mean languages"),
    "unknown model": ([FILE, ("model", "fak")], "unknown_model", "known: auto"),
    "unknown language": ([FILE, ("languages", "klingon")], "unknown_language", "klingon"),
    "unknown format": ([FILE, ("formats", "docx")], "bad_option", "no format 'docx'"),
    "bad number": ([FILE, ("dpi", "high")], "bad_option", "`dpi`"),
    "no number": ([FILE, ("dpi", "nan")], "bad_option", "`dpi`"),
    "out of bounds": ([FILE, ("dpi", "71")], "bad_option", "`dpi`"),
    "ttl too long": ([FILE, ("ttl_s", "99999999")], "bad_option", "`ttl_s`"),
    "bad priority": ([FILE, ("priority", "bath")], "bad_option", "did you mean batch"),
    "metadata no JSON": ([FILE, ("metadata", "{a}")], "bad_option", "`metadata`"),
    "metadata no texts": ([FILE, ("metadata", '{"a":1}')], "bad_option", "`metadata"),
    "metadata long": ([FILE, ("metadata", f'{{"a":"{"b" * 5000}"}}')], "bad_option", "4096"),
    "given twice": ([FILE, ("dpi", "100"), ("dpi", "100")], "bad_option", "2 times"),
    "two files": ([FILE, FILE], "bad_option", "twice"),
    "no file": ([FAKE], "bad_option", "no document"),
    "file and URL": ([FILE, ("file_url", "http://a.example/")], "bad_option", "not both"),
    "bad pages": ([FILE, FAKE, ("pages", "2-1")], "bad_option", "backwards"),
    "no such page": ([FILE, FAKE, ("pages", "9")], "page_out_of_range", "Page 9"),
    "webhook inside": (
        [FILE, FAKE, ("webhook_url", "http://10.0.0.1/")],
        "address_refused",
        "",
    ),
    "URL inside": ([FAKE, ("file_url", "http://127.0.0.1/a.pdf")], "address_refused", ""),
    "fields too long": ([FILE, ("password", "x" * 70_000)], "bad_input", "65536"),
    "password too long": ([FILE, ("password", "x" * 1001)], "bad_option", "`password`"),
    "not UTF-8": ([FILE, ("password", b"\xff")], "bad_input", "UTF-8"),
}


@pytest.mark.parametrize(("fields", "code", "said"), BAD.values(), ids=BAD)
def test_a_form_that_is_wrong_is_refused(
    desk: Desk, fields: list[Part], code: str, said: str
) -> None:
    async def steps(site: Site) -> None:
        reply = await site.post_form("/v1/jobs", fields)
        assert (reply.status, reply.code) == (422, code), reply.body
        told = reply.json()
        assert said in told["detail"]
        assert told["type"] == f"urn:pagetide:problem:{code}"
        assert (told["retryable"], told["instance"]) == (False, "/v1/jobs")
        assert list(desk.uploads.iterdir()) == []

    play(desk, steps)


BAD_JSON: dict[str, tuple[bytes, str]] = {
    "no JSON": (b"{", "is not JSON"),
    "a list": (b"[]", "not a JSON object"),
    "not UTF-8": (b'{"pages":"\xff"}', "is not JSON"),
    "unknown key": (b'{"fil":"QUJD"}', "did you mean file"),
    "no text": (b'{"file":7}', "base64"),
    "bad letters": (b'{"file":"QU*D"}', "base64"),
    "cut short": (b'{"file":"QUJ"}', "base64"),
    "goes on": (b'{"file":"QQ==QUJD"}', "base64"),
    "escape": (b'{"file":"QUJ\\u00ff"}', "base64"),
    "quote": (b'{"file":"QUJ\\""}', "base64"),
    "name no text": (b'{"file":"QUJD","name":7}', "`name`"),
    "wrong type": (b'{"file":"QUJD","dpi":"high"}', "`dpi`"),
    "number as text": (b'{"file":"QUJD","dpi":"144"}', "`dpi`"),
    "too long": (b'{"pages":"' + b"1" * 300_000 + b'"}', "other than `file`"),
    "too much": (b'{"pages":[' + b"1," * 300_000 + b"1]}", "262144"),
    "line break": (b'{"file":"QUJD\n"}', "not JSON"),
    "nothing": (b"{}", "no document"),
}


@pytest.mark.parametrize(("body", "said"), BAD_JSON.values(), ids=BAD_JSON)
def test_json_that_is_wrong_is_refused(desk: Desk, body: bytes, said: str) -> None:
    async def steps(site: Site) -> None:
        head = {"content-type": "application/json"}
        reply = await site.ask("POST", "/v1/jobs", headers=head, body=body)
        assert reply.status == 422 and reply.code in {"bad_option", "bad_input"}
        assert said in reply.json()["detail"]
        assert list(desk.uploads.iterdir()) == []

    play(desk, steps)


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_other_bodies_are_refused(desk: Desk, media_type: str) -> None:
    async def steps(site: Site) -> None:
        head = {"content-type": media_type}
        reply = await site.ask("POST", "/v1/jobs", headers=head, body=PDF)
        assert (reply.status, reply.code) == (415, "unsupported_type")

    play(desk, steps)


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("multipart/form-data", b""),
        ("multipart/form-data; boundary=tide", b"nothing like it"),
        ("multipart/form-data; boundary=tide", b"--tide\r\n"),
        ("multipart/form-data; boundary=tide", form([FILE])[1][:-10]),
        (f"multipart/form-data; boundary={'x' * 1000}", b"--x"),
    ],
)
def test_a_form_that_is_torn_is_refused(desk: Desk, head: str, body: bytes) -> None:
    async def steps(site: Site) -> None:
        reply = await site.ask("POST", "/v1/jobs", headers={"content-type": head}, body=body)
        assert (reply.status, reply.code) == (422, "bad_input")
        assert list(desk.uploads.iterdir()) == []

    play(desk, steps)


def test_what_is_no_document_is_refused(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        reply = await site.post_form("/v1/jobs", [FAKE, ("file", b"GIF89a", "a.pdf")])
        assert (reply.status, reply.code) == (415, "unsupported_type")

    play(desk, steps)


def test_an_idempotency_key_is_answered_with_the_first_job(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        first = await site.post_form("/v1/jobs", [FAKE, FILE], idempotency_key="a b")
        again = await site.post_form("/v1/jobs", [FAKE, FILE], idempotency_key="a b")
        other = await site.post_form("/v1/jobs", [FAKE, FILE], idempotency_key="c")
        assert [first.status, again.status, other.status] == [202] * 3
        assert first.json()["id"] == again.json()["id"] != other.json()["id"]
        different = await site.post_form(
            "/v1/jobs", [FAKE, FILE, ("dpi", "300")], idempotency_key="a b"
        )
        assert (different.status, different.code) == (409, "idempotency_conflict")
        for bad in ("", "x" * 256, "ä"):
            reply = await site.post_form("/v1/jobs", [FAKE, FILE], idempotency_key=bad)
            assert (reply.status, reply.code) == (422, "bad_option")

    play(desk, steps)


def test_the_same_document_again_is_answered_at_once(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        first = (await site.post_form("/v1/jobs", [FAKE, FILE])).json()
        desk.finish(first["id"])
        again = await site.post_form("/v1/jobs", [FAKE, FILE])
        job = again.json()
        assert (again.status, job["status"]) == (202, "succeeded")
        assert (job["cached"], job["cached_from"]) == (True, first["id"])
        assert [page["number"] for page in job["result"]["pages"]] == [1, 2, 3]

    play(desk, steps)


def test_too_much_work_is_refused_with_a_time(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(_: object) -> None:
        raise Busy("Too much.", retry_after_s=17)

    monkeypatch.setattr(desk.service, "submit", busy)

    async def steps(site: Site) -> None:
        reply = await site.post_form("/v1/jobs", [FAKE, FILE])
        assert (reply.status, reply.code) == (429, "busy")
        assert reply.headers["retry-after"] == "17"
        assert reply.json()["retryable"] is True

    play(desk, steps)


def test_what_breaks_inside_stays_inside(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("password=hunter2 in /srv/private")

    monkeypatch.setattr(desk.service, "job", broken)

    async def steps(site: Site) -> None:
        reply = await site.get("/v1/jobs/job_1")
        assert (reply.status, reply.code) == (500, "internal")
        assert b"hunter2" not in reply.body and b"RuntimeError" not in reply.body
        assert reply.headers["x-content-type-options"] == "nosniff"

    play(desk, steps)
    assert any(record.exc_info for record in caplog.records)


def test_a_job_is_shown_and_its_small_result_with_it(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit(2)
        assert (await site.get(f"/v1/jobs/{job.id}")).json()["status"] == "queued"
        desk.read(job.id, 1)
        shown = (await site.get(f"/v1/jobs/{job.id}")).json()
        assert (shown["status"], shown["pages_done"]) == ("running", 1)
        assert "result" not in shown and "result_url" not in shown
        desk.finish(job.id)
        shown = (await site.get(f"/v1/jobs/{job.id}")).json()
        assert shown["status"] == "succeeded"
        assert len(shown["result"]["pages"]) == 2 and "result_url" not in shown
        assert set(shown["results"]) == {"json", "raw"}
        assert shown["expires_at"] > shown["finished_at"]

    play(desk, steps)


def test_a_large_result_is_a_link(tmp_path: Path) -> None:
    desk = Desk(tmp_path, inline_bytes=100)

    async def steps(site: Site) -> None:
        job = desk.finish(desk.submit().id)
        shown = (await site.get(f"/v1/jobs/{job.id}")).json()
        assert "result" not in shown
        assert shown["result_url"] == shown["results"]["json"]["url"]
        opened = await site.get(shown["result_url"])
        assert opened.status == 200 and opened.json()["pages"]

    play(desk, steps)


@pytest.mark.parametrize("job_id", ["job_0", "x" * 200, "a%00b", "..", "%F0%9F%8C%8A"])
def test_a_job_that_never_was_is_unknown(desk: Desk, job_id: str) -> None:
    async def steps(site: Site) -> None:
        for method, rest in [
            ("GET", ""),
            ("DELETE", ""),
            ("GET", "/events"),
            ("POST", "/cancel"),
            ("GET", "/deliveries"),
            ("POST", "/deliveries"),
            ("GET", "/result"),
            ("GET", "/pages/1"),
            ("GET", "/pages/1/image"),
        ]:
            reply = await site.ask(method, f"/v1/jobs/{job_id}{rest}")
            assert (reply.status, reply.code) == (404, "job_unknown"), (method, rest)

    play(desk, steps)


def test_a_job_that_was_erased_is_gone(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.finish(desk.submit().id)
        path = f"/v1/jobs/{job.id}"
        erased = await site.ask("DELETE", path)
        assert (erased.status, erased.body) == (204, b"")
        for method, rest in [
            ("GET", ""),
            ("DELETE", ""),
            ("GET", "/events"),
            ("GET", "/result"),
        ]:
            reply = await site.ask(method, path + rest)
            assert (reply.status, reply.code) == (410, "job_gone")

    play(desk, steps)


def test_a_list_says_which_jobs_were_erased(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        kept = desk.submit()
        job = desk.finish(desk.submit().id)
        await site.ask("DELETE", f"/v1/jobs/{job.id}")
        listed = (await site.get("/v1/jobs")).json()["jobs"]
        assert [(one["id"], one["erased"]) for one in listed] == [
            (job.id, True),
            (kept.id, False),
        ]
        assert (listed[0]["status"], listed[0]["source"]["name"]) == ("succeeded", "")
        assert (await site.get(f"/v1/jobs/{kept.id}")).json()["erased"] is False

    play(desk, steps)


def test_a_job_is_cancelled_once(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit()
        for _ in range(2):
            reply = await site.ask("POST", f"/v1/jobs/{job.id}/cancel")
            assert (reply.status, reply.json()["status"]) == (200, "cancelled")
        done = desk.finish(desk.submit().id)
        reply = await site.ask("POST", f"/v1/jobs/{done.id}/cancel")
        assert (reply.status, reply.code) == (409, "job_ended")

    play(desk, steps)


def test_jobs_are_listed_the_newest_first(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        ids = sorted((desk.submit().id for _ in range(5)), reverse=True)
        found, query = [], "limit=2"
        while query:
            reply = (await site.get(f"/v1/jobs?{query}")).json()
            found.append([job["id"] for job in reply["jobs"]])
            cursor = reply["next_cursor"]
            query = f"limit=2&cursor={cursor}" if cursor else ""
        assert found == [ids[:2], ids[2:4], ids[4:]]
        await site.ask("POST", f"/v1/jobs/{ids[3]}/cancel")
        cancelled = (await site.get("/v1/jobs?status=cancelled")).json()["jobs"]
        assert [job["id"] for job in cancelled] == [ids[3]]
        assert "result" not in cancelled[0]

    play(desk, steps)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("limit=0", "`limit`"),
        ("limit=x", "`limit`"),
        ("status=done", "`status`"),
        ("cursor=%00", "`cursor`"),
        ("limti=3", "did you mean limit"),
    ],
)
def test_a_parameter_that_is_wrong_is_refused(desk: Desk, query: str, said: str) -> None:
    async def steps(site: Site) -> None:
        reply = await site.get(f"/v1/jobs?{query}")
        assert (reply.status, reply.code) == (422, "bad_option")
        assert said in reply.json()["detail"]

    play(desk, steps)


@pytest.mark.parametrize("wait", ["-1", "61", "nan", "inf", "soon"])
def test_nobody_waits_for_ever(desk: Desk, wait: str) -> None:
    async def steps(site: Site) -> None:
        reply = await site.get(f"/v1/jobs/{desk.submit().id}?wait={wait}")
        assert (reply.status, reply.code) == (422, "bad_option")

    play(desk, steps)


def test_the_webhook_log_is_shown_and_asks_for_more(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        plain = desk.finish(desk.submit().id)
        path = f"/v1/jobs/{plain.id}/deliveries"
        assert (await site.get(path)).json() == {"deliveries": []}
        refused = await site.ask("POST", path)
        assert (refused.status, refused.code) == (409, "job_ended")
        told = desk.submit(webhook_url="https://hook.example/")
        path = f"/v1/jobs/{told.id}/deliveries"
        assert (await site.get(f"/v1/jobs/{told.id}")).json()["links"]["deliveries"]
        desk.finish(told.id)
        assert (await site.ask("POST", path)).status == 202

    play(desk, steps)


def test_bodies_of_requests_that_have_none_are_passed_over(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        job = desk.submit()
        assert (await site.ask("GET", f"/v1/jobs/{job.id}", body=b"{")).status == 200
        assert (await site.ask("DELETE", f"/v1/jobs/{job.id}", body=b"{")).status == 204

    play(desk, steps)


def test_an_upload_that_is_too_large_ends_early(tmp_path: Path) -> None:
    desk = Desk(tmp_path, max_bytes=1 << 20)

    async def steps(site: Site) -> None:
        head, body = form([FAKE, ("file", b"%PDF 1 " + bytes(60 << 20), "a.pdf")])
        parts = [body[i : i + 65536] for i in range(0, len(body), 65536)]
        sending = site.begin(
            "POST", "/v1/jobs", headers={**head, "content-length": "9"}, body=parts
        )
        reply = await sending.ended()
        assert (reply.status, reply.code) == (413, "too_large")
        assert sending.taken < 600 < len(parts)  # and the most of it to hear the client out
        announced = site.begin(
            "POST", "/v1/jobs", headers={**head, "expect": "100-continue"}, body=parts
        )
        reply = await announced.ended()
        assert (reply.status, announced.taken) == (413, 0)
        assert list(desk.uploads.iterdir()) == []

    play(desk, steps)


@pytest.mark.parametrize("parts", [0, 1, 5])
def test_a_client_that_goes_away_leaves_nothing(desk: Desk, parts: int) -> None:
    async def steps(site: Site) -> None:
        head, body = form([FAKE, ("file", b"%PDF 1 " + bytes(1 << 20), "a.pdf")])
        sent = [body[i : i + 200_000] for i in range(0, len(body), 200_000)][:parts]
        await site.begin("POST", "/v1/jobs", headers=head, body=sent, kind=Stopped).ended()
        assert list(desk.uploads.iterdir()) == []
        assert (await site.get("/v1/jobs")).json()["jobs"] == []

    play(desk, steps)


def test_a_body_that_stops_coming_is_given_up(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagetide.server.api.bodies.uploads.STALLED_S", 0.05)
    monkeypatch.setattr("pagetide.server.api.edge.LINGER_S", 0.05)

    async def steps(site: Site) -> None:
        head, body = form([FAKE, ("file", b"%PDF 1 " + bytes(1 << 20), "a.pdf")])
        sent = [body[:100_000]]
        reply = await site.begin(
            "POST", "/v1/jobs", headers=head, body=sent, kind=Stalled
        ).ended()
        assert (reply.status, reply.code) == (408, "request_timeout")
        assert list(desk.uploads.iterdir()) == []

    play(desk, steps)


def test_a_full_disk_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def steps(site: Site) -> None:
        from pagetide.server.api.bodies import uploads

        class Full:
            def write(self, _: object) -> None:
                raise OSError(28, "No space left on device")

            def close(self) -> None:
                pass

        monkeypatch.setattr(uploads, "_created", lambda _: Full())
        reply = await site.post_form("/v1/jobs", [FAKE, FILE])
        assert (reply.status, reply.code) == (507, "disk_full")
        assert reply.json()["retryable"] is True

    play(desk, steps)


def test_what_a_killed_server_left_is_removed(desk: Desk) -> None:
    desk.uploads.mkdir(mode=0o755)
    (desk.uploads / "left").write_bytes(b"half")

    async def steps(site: Site) -> None:
        assert list(desk.uploads.iterdir()) == []
        assert desk.uploads.stat().st_mode & 0o777 == 0o700

    play(desk, steps)


def test_reading_waits_for_the_result(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        head, body = form([FAKE, FILE])
        reading = site.begin("POST", "/v1/read", headers=head, body=body)
        job_id = await submitted(desk)
        await asyncio.to_thread(desk.finish, job_id)
        reply = await reading.ended()
        assert reply.status == 200
        assert reply.headers["content-type"] == "application/json"
        assert [page["number"] for page in reply.json()["pages"]] == [1, 2, 3]

    play(desk, steps)


def test_reading_that_takes_too_long_gives_the_job(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        reply = await site.post_form("/v1/read", [FAKE, FILE, ("wait", "0"), ("format", "md")])
        assert reply.status == 202
        assert reply.json()["status"] == "queued"
        assert reply.headers["location"].endswith(reply.json()["id"])
        assert desk.service.job(reply.json()["id"]).options.formats == ("md",)
        bad = await site.post_form("/v1/read", [FAKE, FILE, ("format", "mdd")])
        assert (bad.code, "did you mean md" in bad.json()["detail"]) == ("bad_option", True)

    play(desk, steps)


def test_reading_that_fails_says_why(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        head, body = form([FAKE, FILE])
        reading = site.begin("POST", "/v1/read", headers=head, body=body)
        job_id = await submitted(desk)
        failure = Failure(code="damaged", message="It is torn.")
        await asyncio.to_thread(desk.fail, job_id, failure)
        reply = await reading.ended()
        assert (reply.status, reply.code) == (422, "damaged")
        assert reply.json()["detail"] == "It is torn."

    play(desk, steps)


async def submitted(desk: Desk) -> str:
    """The id of the one job, as soon as there is one."""
    from pagetide.server.ports import JobQuery

    async with asyncio.timeout(60):
        while not (jobs := desk.service.jobs(JobQuery())):
            await asyncio.sleep(0)
    return jobs[0].id


def test_json_is_cut_at_any_place(desk: Desk) -> None:
    """Every way of splitting a body in two gives the same job."""
    head = {"content-type": "application/json"}
    text = base64.b64encode(PDF).decode().replace("/", "\\/").replace("U", "\\u0055")
    rest = json.dumps({"pages": 'a"\\b{[', "name": "é", "metadata": {"file": 'x"'}})
    body = f'{{"model":"fake","file": "{text}", {rest[1:]}'.encode()

    async def steps(site: Site) -> None:
        for i in range(len(body)):
            parts = [body[:i], body[i:]]
            reply = await site.ask("POST", "/v1/jobs", headers=head, body=parts)
            assert (reply.status, reply.code) == (422, "bad_option")
            assert "is not a page range" in reply.json()["detail"]

    play(desk, steps)


@pytest.mark.parametrize("off_s", [-3600, 3600])
def test_a_job_is_counted_once_though_the_stores_clock_is_off(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, off_s: float
) -> None:
    counted: list[str] = []

    def note(*, state: str, model: str) -> None:
        counted.append(f"{state} {model}")

    def clock() -> float:
        return time.time() + off_s

    monkeypatch.setattr(metrics, "job_moved", note)
    monkeypatch.setattr(desk.service, "clock", clock)
    monkeypatch.setattr(desk.service._submitter, "_clock", clock)

    async def steps(site: Site) -> None:
        for _ in range(2):
            fields: list[Part] = [("model", "fake"), ("file", b"%PDF 1 x", "a.pdf")]
            reply = await site.post_form("/v1/jobs", fields, idempotency_key="one")
            assert reply.status == 202

    play(desk, steps)
    assert counted == ["queued fake"]
