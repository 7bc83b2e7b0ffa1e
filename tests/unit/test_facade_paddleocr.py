"""PaddleOCR's job API without its clients: options, states, batches, links, bad days."""

from __future__ import annotations

import json
import re
import time
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.requests import Request

from pagetide.document import Block, BlockKind, Cell, Failure, Notice, SourceInfo, Table
from pagetide.errors import (
    Busy,
    DownloadFailed,
    Forbidden,
    JobGone,
    JobUnknown,
    ModelUnavailable,
    PagetideError,
    StoreFailed,
    TooLarge,
    Unauthorized,
    UnknownModel,
)
from pagetide.geometry import Box, polygon_of
from pagetide.server.api.answers import links
from pagetide.server.compat import outcome, paddle_results, raw_pages
from pagetide.server.compat.paddleocr import answers, batches, responses, routes
from pagetide.server.compat.paddleocr.signing import Signing
from pagetide.server.jobs.job import Job
from pagetide.server.maintenance.maintenance import Sweeper
from tests.documents import document_of, line, page_of
from tests.unit.api_fake import PNG, Desk, Part, Site, play

JOBS = "/api/v2/ocr/jobs"
PDF: Part = ("file", b"%PDF 3 pages", "scan.pdf")
FAKE: Part = ("model", "PP-StructureV3")
ALIASES = {
    "PP-StructureV3": "fake",
    "PP-OCRv5": "fake",
    "PaddleOCR-VL": "paddleocr-vl?version=1",
}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(routes, "WAIT_S", 0.0)
    return Desk(tmp_path, aliases=ALIASES)


def block(kind: BlockKind, box: Box, order: int, text: str = "", **more: Any) -> Block:
    return Block(kind=kind, polygon=polygon_of(box), order=order, text=text, **more)


GRID = Table(
    rows=2,
    columns=2,
    cells=(
        Cell(row=0, column=0, column_span=2, text="a<b", header=True),
        Cell(row=1, column=0, text="c"),
        Cell(row=1, column=1, text="d\ne", polygon=polygon_of((5.4, 5.4, 9.5, 9.5))),
    ),
)


class TestPages:
    page = page_of(
        [line("Head", (10.4, 10.4, 50.6, 20.6)), line("alone", (1, 90, 9, 99), None)],
        blocks=(
            block("page_number", (0, 0, 5, 5), 0, "7"),
            block("heading", (10, 10, 51, 21), 1, "Head", line_indexes=(0,), level=1),
            block("table", (0, 30, 99, 60), 2, "a<b\nc\td", table=GRID),
            block("formula", (0, 61, 99, 65), 3, "E=mc^2", label="display_formula"),
            block("figure", (0, 70, 99, 80), 4, confidence=0.5),
            block("text", (0, 81, 99, 85), 5, "on", label="title", continues=1),
        ),
    )

    def test_lines(self) -> None:
        told = paddle_results.ocr_result(self.page)
        assert told["rec_texts"] == ["Head", "alone"]
        assert told["rec_boxes"][0] == [10, 10, 51, 21]
        assert told["rec_polys"][1] == [[1, 90], [9, 90], [9, 99], [1, 99]]
        assert told["rec_scores"] == [0.9, 1.0]  # what nobody guessed is certain

    def test_blocks(self) -> None:
        told = paddle_results.layout_result(self.page)
        listed = told["parsing_res_list"]
        assert [each["block_label"] for each in listed] == [
            "number",
            "paragraph_title",
            "table",
            "display_formula",
            "image",
            "text",
            "text",
        ]
        assert [each["block_id"] for each in listed] == [*range(7)]
        assert [each["group_id"] for each in listed] == [0, 1, 2, 3, 4, 1, 6]
        assert listed[2]["block_content"] == (
            '<html><body><table><tr><td colspan="2">a&lt;b</td></tr>'
            "<tr><td>c</td><td>d<br>e</td></tr></table></body></html>"
        )
        assert listed[3]["block_content"] == " $$ E=mc^2 $$ "
        assert listed[6]["block_content"] == "alone"
        assert told["table_res_list"][0]["cell_box_list"] == [[5.4, 5.4, 9.5, 9.5]]
        assert told["layout_det_res"]["boxes"][4]["score"] == 0.5

    def test_markdown(self) -> None:
        told = paddle_results.markdown_of(self.page, lambda page, block: f"at {block.order}")
        assert told["images"] == {"p0001-b4.png": "at 4"}
        assert '<img src="p0001-b4.png"' in told["text"]
        assert told["text"].startswith("<!-- page number: 7 -->")
        bare = paddle_results.markdown_of(paddle_results.without(self.page, ["number"]))
        assert bare["images"] == {} and "p0001" not in bare["text"]
        assert bare["text"].startswith("## Head")

    def test_one_that_could_not_be_read_says_why(self) -> None:
        failed = msgspec.structs.replace(
            page_of([]), error=Failure(code="page_failed", message="No.")
        )
        for told in (paddle_results.ocr_result, paddle_results.layout_result):
            assert told(failed)["errorMsg"] == "No."
        assert "could not be read" in paddle_results.markdown_of(failed)["text"]

    @pytest.mark.parametrize(
        ("media_type", "count", "told"),
        [
            (
                "application/pdf",
                9,
                {"type": "pdf", "numPages": 9, "pages": [{"width": 2, "height": 3}]},
            ),
            ("image/png", 1, {"type": "image", "width": 2, "height": 3}),
        ],
    )
    def test_what_the_document_is(
        self, media_type: str, count: int, told: dict[str, Any]
    ) -> None:
        source = SourceInfo(
            name="", sha256="", bytes=1, media_type=media_type, page_count=count
        )
        assert paddle_results.about_source(source, [(2, 3)]) == told


class TestRaw:
    @pytest.mark.parametrize("size", [1, 7, 1 << 20])
    def test_comes_page_by_page_however_it_is_cut(self, size: int) -> None:
        """A text that looks like the next page is none."""
        sly = {"text": '},{"number":3,"model":null,"reading":[]}]}', "list": [{"number": 3}]}
        pages = [{"number": n, "model": None, "reading": sly} for n in (2, 3, 10)]
        whole = b'{"pages":[' + b",".join(map(msgspec.json.encode, pages)) + b"]}\n"

        class Streaming:
            def stream(self, _: object) -> Any:
                return (whole[i : i + size] for i in range(0, len(whole), size))

        job: Any = type("Finished", (), {"results": {"raw": None}})
        service: Any = Streaming()
        assert list(raw_pages.raw_pages(service, job, [2, 3, 10])) == pages

    def test_is_pruned_as_their_service_does(self) -> None:
        raw = {"input_path": "a", "in": {"page_index": 1, "b": [{"input_path": 1}, {"c": 2}]}}
        assert raw_pages.pruned(raw) == {"in": {"b": [{}, {"c": 2}]}}


async def submitted(site: Site, *fields: Part, **headers: str) -> str:
    reply = await site.post_form(JOBS, [*fields, PDF], **headers)
    assert reply.status == 200, reply.body
    told = reply.json()
    assert told["code"] == 0
    return str(told["data"]["jobId"])


async def status(site: Site, job_id: str, **headers: str) -> dict[str, Any]:
    told = (await site.get(f"{JOBS}/{job_id}", **headers)).json()
    assert told["code"] == 0
    return dict(told["data"])


def path(url: str) -> str:
    assert url.startswith("http://127.0.0.1:8000/")
    return url.removeprefix("http://127.0.0.1:8000")


class TestJobs:
    def test_go_through_their_states(self, desk: Desk) -> None:
        async def steps(site: Site) -> None:
            job_id = await submitted(site, FAKE, ("pageRanges", "2-3"))
            told = await status(site, job_id)
            assert (told["state"], told["model"]) == ("pending", "fake")
            assert "resultUrl" not in told and "errorMsg" not in told
            desk.read(job_id, 1)
            told = await status(site, job_id)
            assert told["state"] == "running"
            assert told["extractProgress"]["totalPages"] == 2
            assert told["extractProgress"]["extractedPages"] == 1
            desk.finish(job_id)
            told = await status(site, job_id)
            assert told["state"] == "done"
            assert told["extractProgress"]["endTime"].endswith("Z")
            assert (await site.get(f"/v1/jobs/{job_id}")).json()["status"] == "succeeded"

        play(desk, steps)

    def test_their_results_open_by_links_alone(self, desk: Desk) -> None:
        async def steps(site: Site) -> None:
            job_id = await submitted(
                site, FAKE, ("optionalPayload", '{"markdownIgnoreLabels": ["figure_title"]}')
            )
            desk.finish(job_id)
            bearer = f"Bearer {key}"
            told = await status(site, job_id, authorization=bearer)
            reply = await Site(site.app).get(path(told["resultUrl"]["jsonUrl"]))
            assert reply.headers["content-type"].endswith("charset=utf-8")
            results = [json.loads(each)["result"] for each in reply.body.splitlines()]
            assert ["dataInfo" in result for result in results] == [False, False, True]
            (page,) = results[1]["layoutParsingResults"]
            assert "Fig. 1" not in page["markdown"]["text"]
            (figure,) = page["markdown"]["images"].values()
            assert (await Site(site.app).get(path(figure))).body.startswith(PNG)
            assert (await Site(site.app).get(path(page["inputImage"]))).body == PNG

        key = desk.key("one")
        play(desk, steps, keys_needed=True, authorization=f"Bearer {key}")

    def test_pictures_and_figures_can_be_declined(self, desk: Desk) -> None:
        async def steps(site: Site) -> None:
            declined = '{"visualize": false, "returnMarkdownImages": false}'
            job_id = await submitted(site, FAKE, ("optionalPayload", declined))
            desk.finish(job_id)
            told = await status(site, job_id)
            reply = await site.get(path(told["resultUrl"]["jsonUrl"]))
            for each in reply.body.splitlines():
                (page,) = json.loads(each)["result"]["layoutParsingResults"]
                assert page["inputImage"] is None and page["outputImages"] == {}
                assert page["markdown"]["images"] == {}

        play(desk, steps)

    def test_links_are_for_a_while_and_for_one_thing(self, desk: Desk) -> None:
        async def steps(site: Site) -> None:
            job_id = await submitted(site, FAKE)
            secret = links.link_secret(desk.service)
            where = f"{JOBS}/{job_id}/result.jsonl"
            early = await site.get(links.signed(secret, where, now=time.time(), valid_s=60))
            assert (early.status, early.json()["error"]) == (409, "result_not_ready")
            desk.finish(job_id)
            late = await site.get(links.signed(secret, where, now=0, valid_s=60))
            assert (late.status, late.json()["code"]) == (403, 403)
            other = links.signed(secret, f"{JOBS}/{job_id}/pages/1.png", now=2e9, valid_s=1)
            assert (await site.get(other.replace("1.png", "2.png"))).status == 403
            await site.ask("DELETE", f"/v1/jobs/{job_id}")
            gone = await site.get(links.signed(secret, where, now=time.time(), valid_s=60))
            assert (gone.status, gone.json()["code"]) == (410, 410)

        play(desk, steps)

    def test_links_in_a_result_end_with_the_link_that_opened_it(self, desk: Desk) -> None:
        async def steps(site: Site) -> None:
            job_id = await submitted(site, FAKE)
            desk.finish(job_id)
            secret, where = links.link_secret(desk.service), f"{JOBS}/{job_id}/result.jsonl"
            now = time.time()
            opened = await site.get(links.signed(secret, where, now=now, valid_s=60))
            told = [int(each) for each in re.findall(rb"expires=(\d+)", opened.body)]
            assert len(told) > 1  # pictures and figures
            assert max(told) <= now + 60 + links.STEP_S
            ends = links.signed(secret, where, now=now, valid_s=1e9, until=int(now) + 7)
            assert f"expires={int(now) + 7}&" in ends

        play(desk, steps)

    def test_that_fail_or_are_cancelled_are_failed(self, desk: Desk) -> None:
        async def steps(site: Site) -> None:
            failed = await submitted(site, FAKE)
            desk.fail(failed, Failure(code="damaged", message="The input is damaged."))
            told = await status(site, failed)
            assert (told["state"], told["errorMsg"]) == ("failed", "The input is damaged.")
            assert "resultUrl" not in told
            cancelled = await submitted(site, FAKE)
            await site.ask("POST", f"/v1/jobs/{cancelled}/cancel")
            told = await status(site, cancelled)
            assert (told["state"], told["errorMsg"]) == ("failed", "The job was cancelled.")

        play(desk, steps)

    def test_that_are_young_are_waited_for(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(routes, "WAIT_S", 20.0)

        async def steps(site: Site) -> None:
            job_id = await submitted(site, FAKE)
            asked = site.begin("GET", f"{JOBS}/{job_id}")
            desk.finish(job_id)
            assert (await asked.ended()).json()["data"]["state"] == "done"

        play(desk, steps)


class TestRequests:
    @pytest.mark.parametrize(
        ("error", "status"),
        [
            (TooLarge(), 400),
            (UnknownModel(), 400),
            (DownloadFailed(), 400),
            (Unauthorized(), 401),
            (Forbidden(), 403),
            (JobUnknown(), 404),
            (JobGone(), 410),
            (Busy(retry_after_s=7), 429),
            (ModelUnavailable(), 503),
        ],
    )
    def test_errors_have_the_statuses_that_their_clients_know(
        self, error: PagetideError, status: int
    ) -> None:
        reply = responses.error_response(error, Request({"type": "http"}))
        assert reply.status_code == status
        told = json.loads(bytes(reply.body))
        assert told == {"code": status, "msg": error.message, "error": error.code}
        assert reply.headers.get("retry-after") == ("7" if status == 429 else None)

    @pytest.mark.parametrize(
        ("fields", "says"),
        [
            ([PDF], "`model` is needed"),
            ([FAKE], "Send the document as `file`"),
            ([FAKE, FAKE, PDF], "`model` is given more than once"),
            ([FAKE, ("colour", "red"), PDF], "no field 'colour'"),
            ([FAKE, ("optionalPayload", "{"), PDF], "`optionalPayload` must be a JSON"),
            ([FAKE, ("optionalPayload", "[]"), PDF], "`optionalPayload`"),
            ([FAKE, ("pageRanges", "4"), PDF], "Page 4 is outside"),
            ([FAKE, ("batchId", "a/b"), PDF], "`batchId`"),
            ([FAKE, ("batchId", ".."), PDF], "`batchId`"),
            ([FAKE, ("file", b"text", "a.txt")], "neither a PDF"),
        ],
    )
    def test_forms_that_are_not_right(self, desk: Desk, fields: list[Part], says: str) -> None:
        async def steps(site: Site) -> None:
            reply = await site.post_form(JOBS, fields)
            told = reply.json()
            assert (reply.status, told["code"]) == (400, 400)
            assert says in told["msg"]

        play(desk, steps)

    @pytest.mark.parametrize(
        ("body", "says"),
        [
            ([], "must be a JSON object"),
            ({"model": "PP-OCRv5"}, "send `fileUrl`"),
            ({"model": "PP-OCRv5", "fileUrl": 7}, "`fileUrl` is not valid"),
            ({"model": "PP-OCRv5", "fileUrl": "http://127.0.0.1:9/a.pdf"}, "does not contact"),
            ({"model": "PP-OCRv5", "fileUrl": "file:///etc/passwd"}, "URL"),
            ({"model": "PP-OCRv9", "fileUrl": "http://127.0.0.1:9/"}, "no model 'PP-OCRv9'"),
        ],
    )
    def test_json_that_is_not_right(self, desk: Desk, body: object, says: str) -> None:
        async def steps(site: Site) -> None:
            reply = await site.post_json(JOBS, body)
            assert (reply.status, reply.json()["code"]) == (400, 400)
            assert says in reply.json()["msg"]

        play(desk, steps)

    def test_without_a_key_or_with_anothers(self, desk: Desk) -> None:
        async def steps(site: Site) -> None:
            job_id = await submitted(site, FAKE)
            bare = await Site(site.app).get(f"{JOBS}/{job_id}")
            assert (bare.status, bare.json()["code"]) == (401, 401)
            other = await site.get(f"{JOBS}/{job_id}", authorization=f"Bearer {another}")
            assert (other.status, other.json()["code"]) == (404, 404)

        key, another = desk.key("one"), desk.key("two")
        play(desk, steps, keys_needed=True, authorization=f"Bearer {key}")

    def test_a_store_that_is_away_for_a_moment_is_not_seen(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Their clients give up at the first 503."""
        monkeypatch.setattr(responses, "PAUSE_S", 0.0)
        left, find = [StoreFailed()] * 3, desk.service.store.job

        def failing(job_id: str) -> Job | None:
            if left:
                raise left.pop()
            return find(job_id)

        async def steps(site: Site) -> None:
            job_id = await submitted(site, FAKE)
            monkeypatch.setattr(desk.service.store, "job", failing)
            assert (await status(site, job_id))["state"] == "pending"
            assert not left
            monkeypatch.setattr(responses, "PATIENCE_S", 0.0)
            left.append(StoreFailed())
            reply = await site.get(f"{JOBS}/{job_id}")
            assert (reply.status, reply.json()["error"]) == (503, "store_failed")

        play(desk, steps)

    def test_a_result_that_cannot_be_read_for_a_moment_is_not_begun(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(responses, "PAUSE_S", 0.0)
        left, get = [StoreFailed()] * 2, desk.service.blobs.get

        def failing(key: str) -> bytes:
            if left:
                raise left.pop()
            return get(key)

        async def steps(site: Site) -> None:
            job_id = await submitted(site, FAKE)
            desk.finish(job_id)
            link = path((await status(site, job_id))["resultUrl"]["jsonUrl"])
            monkeypatch.setattr(desk.service.blobs, "get", failing)
            reply = await site.get(link)
            assert not left
            assert (reply.status, reply.body.count(b"\n")) == (200, 3)

        play(desk, steps)

    def test_a_server_that_ends_has_no_patience(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = []
        monkeypatch.setattr(responses, "PAUSE_S", 0.0)

        def failing(job_id: str) -> Job | None:
            asked.append(job_id)
            raise StoreFailed

        async def steps(site: Site) -> None:
            job_id = await submitted(site, FAKE)
            monkeypatch.setattr(desk.service.store, "job", failing)
            site.app.state.context.hub.stop()
            assert (await site.get(f"{JOBS}/{job_id}")).status == 503
            assert asked == [job_id]

        play(desk, steps)


class TestBatches:
    def test_are_told_whole_in_order_and_to_their_owner_alone(self, desk: Desk) -> None:
        async def steps(site: Site) -> None:
            batch: Part = ("batchId", "übrig 1")
            ids = [await submitted(site, FAKE, batch) for _ in range(3)]
            await submitted(site, FAKE, ("batchId", "other"))
            desk.finish(ids[0])
            await site.ask("DELETE", f"/v1/jobs/{ids[1]}")
            told = (await site.get(f"{JOBS}/batch/übrig 1")).json()["data"]
            assert told["batchId"] == "übrig 1"
            jobs = told["extractResult"]
            assert [each["jobId"] for each in jobs] == ids
            assert [each["state"] for each in jobs] == ["done", "failed", "pending"]
            assert "jsonUrl" in jobs[0]["resultUrl"]
            assert jobs[1]["errorMsg"] == "The job was erased."
            others = await site.get(f"{JOBS}/batch/übrig 1", authorization=f"Bearer {another}")
            assert (others.status, others.json()["msg"]) == (404, "There is no such batch.")

        key, another = desk.key("one"), desk.key("two")
        play(desk, steps, keys_needed=True, authorization=f"Bearer {key}")

    def test_are_forgotten_with_their_jobs(self, desk: Desk) -> None:
        kept, gone = desk.submit(), desk.submit()
        for job in (kept, gone, replace_id(gone, "job_gone")):
            batches.join(desk.service, job, "all")
        now = time.time()
        for ahead in (0.0, 3700.0):
            sweeper = Sweeper(
                store=desk.service.store,
                blobs=desk.service.blobs,
                notifier=desk.service.notifier,
                settings=desk.settings,
                clock=partial(float, now + ahead),
            )
            sweeper.remove_orphans()
        names = {blob.key.rpartition("/")[2] for blob in desk.service.blobs.under("batches/")}
        assert names == {kept.id, gone.id}


def replace_id(job: Job, job_id: str) -> Job:
    return msgspec.structs.replace(job, id=job_id)


def test_a_partial_result_is_done_and_says_what_is_missing(desk: Desk) -> None:
    job = msgspec.structs.replace(
        desk.submit(3), status="partial", pages_failed=1, page_count=3
    )
    told = answers.status_of(job, "http://link")
    assert told.state == "done" and told.result_url == {"jsonUrl": "http://link"}
    assert str(told.error_msg).startswith("1 of 3 pages could not be read")


def test_warnings_come_with_their_pages(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    job = desk.submit(1)
    notice = Notice(code="no_layout", message="No layout was found.")
    warned = msgspec.structs.replace(page_of([]), warnings=(notice,))
    whole = document_of(warned)
    monkeypatch.setattr(answers, "with_raw", lambda *_: iter([(warned, {})]))
    monkeypatch.setattr(
        outcome, "head", lambda *_: msgspec.structs.replace(whole, warnings=(notice,))
    )
    signing = Signing(b"secret", "http://here", 60)
    (line_,) = answers.lines(desk.service, job, signing)
    result = json.loads(line_)["result"]
    told = [msgspec.to_builtins(notice)]
    assert result["layoutParsingResults"][0]["warnings"] == told
    assert result["dataInfo"]["warnings"] == told


def test_charts_that_nobody_reads_are_told_of(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = (block("chart", (0, 0, 9, 9), 0), block("text", (0, 10, 9, 19), 1, "on"))
    page = page_of([], blocks=blocks)
    monkeypatch.setattr(answers, "with_raw", lambda *_: iter([(page, {})]))
    monkeypatch.setattr(outcome, "head", lambda *_: document_of(page))
    job = msgspec.structs.replace(desk.submit(1), metadata={"paddleocr.recognise": "chart"})
    (line_,) = answers.lines(desk.service, job, Signing(b"secret", "http://here", 60))
    result = json.loads(line_)["result"]
    (shown,) = result["layoutParsingResults"]
    assert shown["prunedResult"]["model_settings"]["use_chart_recognition"] is False
    (missed,), (unmet,) = shown["warnings"], result["dataInfo"]["warnings"]
    assert missed["code"] == unmet["code"] == "not_recognised"
    assert missed["message"].startswith("Block 0 is a chart")
    assert "`useChartRecognition` was asked for" in unmet["message"]
