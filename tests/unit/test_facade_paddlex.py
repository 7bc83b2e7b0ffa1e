"""PaddleX serving: options, pages put together, and what becomes of a request."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from pagetide.document import Failure
from pagetide.engine import PageReading
from pagetide.errors import BadOption
from pagetide.server.compat import recognitions
from pagetide.server.compat.paddlex import restructure
from pagetide.server.compat.paddlex.answers import Answer
from pagetide.server.compat.paddlex.options import LAYOUT, OCR
from pagetide.server.compat.paddlex.request import (
    LayoutRequest,
    OcrRequest,
    parsed,
    with_options,
)
from pagetide.server.jobs.job import Job
from pagetide.server.ports import JobQuery
from pagetide.server.service.service import Service
from pagetide.server.worker.assembly import page_blob
from tests.unit import api_fake
from tests.unit.api_fake import Desk, Exchange, Site, Stalled, play
from tests.waiting import until

Json = dict[str, Any]
BLOCKS = restructure.BLOCKS


def layout_model(model: str, **options: object) -> str:
    return parsed(LayoutRequest, {"file": "x", **options}, LAYOUT, model)[1]


class TestOptions:
    def test_what_our_models_do_anyway_may_be_asked_for(self) -> None:
        given = {
            "useDocOrientationClassify": True,
            "useDocUnwarping": False,
            "useChartRecognition": True,
            "layoutShapeMode": "rect",
            "useE2eWirelessTableRecModel": True,
            "temperature": None,
        }
        assert layout_model("structure-lite", **given) == "structure-lite"

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("useDocUnwarping", True),
            ("useDocUnwarping", 0),
            ("useTableRecognition", False),
            ("textDetThresh", 0.3),
            ("layoutShapeMode", "poly"),
            ("promptLabel", "ocr"),
        ],
    )
    def test_what_they_do_not_is_refused_by_name(self, name: str, value: object) -> None:
        with pytest.raises(BadOption, match=f"structure-lite cannot be told `{name}`"):
            layout_model("structure-lite", **{name: value})

    def test_paddleocr_is_told_by_its_own_names(self) -> None:
        given = {"useE2eWiredTableRecModel": True, "layoutUnclipRatio": [1.1, 1.2]}
        model = layout_model("pp-structurev3?use_seal_recognition=true", **given)
        assert model == (
            "pp-structurev3?layout_unclip_ratio=1.1%2C1.2&use_e2e_wired_table_rec_model=true"
            "&use_seal_recognition=true"
        )

    def test_paddleocr_vl_is_told_by_ours(self) -> None:
        model = layout_model("paddleocr-vl", useChartRecognition=True, maxPixels=9)
        assert model == "paddleocr-vl?charts=true&max_pixels=9"
        assert recognitions.done(model) == {"chart": True, "seal": False, "formula": True}

    def test_what_the_owner_has_set_stays(self) -> None:
        model = layout_model("paddleocr-vl?charts=yes", useChartRecognition=False)
        assert model == "paddleocr-vl?charts=yes"

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ([], "must be a JSON object"),
            ({}, "missing required field file"),
            ({"file": "x", "fileType": 2}, "`fileType`"),
            ({"file": "x", "useDocUnwraping": False}, "mean `useDocUnwarping`"),
            ({"file": "x", "zzz": 1}, "There is no option `zzz`.$"),
            ({"file": "x", "outputFormats": ["docx"]}, "`outputFormats` 'docx'"),
        ],
    )
    def test_bodies_that_are_wrong(self, body: object, message: str) -> None:
        with pytest.raises(BadOption, match=message):
            parsed(LayoutRequest, body, LAYOUT, "fake")

    def test_of_a_long_name_only_the_beginning_is_compared(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        compared: list[int] = []

        def close(word: str, *_: object, **__: object) -> list[str]:
            compared.append(len(word))
            return []

        monkeypatch.setattr("difflib.get_close_matches", close)
        with pytest.raises(BadOption, match="no option `zzz"):
            layout_model("fake", **{"z" * 10_000: 1})
        assert compared == [80]

    def test_lines_have_no_options_of_layout(self) -> None:
        with pytest.raises(BadOption, match="no option `useChartRecognition`"):
            parsed(OcrRequest, {"file": "x", "useChartRecognition": False}, OCR, "fake")


def block(label: str, text: str, number: int, box: tuple[int, ...] = (0, 0, 100, 20)) -> Json:
    return {
        "block_label": label,
        "block_content": text,
        "block_bbox": list(box),
        "block_id": number,
        "group_id": number,
    }


def page(*blocks: Json, heights: Json | None = None) -> Json:
    boxes = [] if heights is None else list(heights.values())
    return {BLOCKS: list(blocks), "overall_ocr_res": {"rec_boxes": boxes}}


def table(*rows: str, wide: int = 100) -> Json:
    cells = ["".join(f"<td>{text}</td>" for text in row.split()) for row in rows]
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    html = f"<html><body><table>{body}</table></body></html>"
    return block("table", html, 0, (0, 0, wide, 50))


def both(pages: list[Json], **more: bool) -> list[Json]:
    chosen = {"merge_tables": True, "relevel_titles": True, **more}
    return restructure.restructured(pages, **chosen)


class TestTables:
    def test_one_that_goes_on_overleaf_becomes_one(self) -> None:
        first = page(block("text", "above", 1), table("a b", "1 2"), block("number", "1", 9))
        second = page(block("header", "h", 8), table("a b", "3 4"), block("text", "below", 2))
        merged = both([first, second])
        held, rest = merged[0][BLOCKS][1], merged[1][BLOCKS][1]
        assert held["block_content"].count("<tr>") == 3  # the head is not repeated
        assert held["block_content"].endswith("<td>4</td></tr></table></body></html>")
        assert (rest["block_content"], rest["group_id"]) == ("", held["group_id"])
        assert "<td>3</td>" in second[BLOCKS][1]["block_content"]  # what was given stays

    def test_it_may_go_on_for_several_pages(self) -> None:
        merged = both([page(table("a b")), page(table("1 2")), page(table("3 4"))])
        assert [p[BLOCKS][0]["block_content"].count("<tr>") for p in merged] == [3, 0, 0]

    @pytest.mark.parametrize(
        "other",
        [
            page(table("a b c")),
            page(table("a b", wide=60)),
            page(block("text", "between", 1), table("a b")),
            page(block("table", "no rows", 0)),
        ],
    )
    def test_others_stay_apart(self, other: Json) -> None:
        pages = [page(table("a b")), other]
        assert [p[BLOCKS] for p in both(pages)] == [p[BLOCKS] for p in pages]

    def test_only_where_it_is_asked_for(self) -> None:
        pages = [page(table("a b")), page(table("1 2"))]
        assert both(pages, merge_tables=False) == pages


class TestTitles:
    def test_levels_come_from_numbers_and_sizes(self) -> None:
        first = page(
            block("doc_title", "Tides", 0, (0, 0, 100, 60)),
            block("paragraph_title", "Rising", 1, (0, 100, 100, 140)),
            block("paragraph_title", "1.2 Ebbing", 2, (0, 200, 100, 240)),
        )
        second = page(
            block("paragraph_title", "Falling\nslowly", 0, (0, 0, 100, 78)),
            block("paragraph_title", "Small", 1, (0, 100, 100, 120)),
        )
        levels = [b["title_level"] for p in both([first, second]) for b in p[BLOCKS]]
        assert levels == [1, 2, 3, 2, 3]
        text = restructure.markdown(both([first])[0], {}, pretty=True)
        assert text == "# Tides\n\n## Rising\n\n### 1.2 Ebbing"

    def test_the_height_of_the_lines_counts_where_it_is_known(self) -> None:
        heights = {"big": [0, 10, 90, 50], "small": [0, 110, 90, 122]}
        told = page(
            block("paragraph_title", "Big", 0, (0, 0, 100, 60)),
            block("paragraph_title", "Small", 1, (0, 100, 100, 160)),
            heights=heights,
        )
        assert [b["title_level"] for b in both([told])[0][BLOCKS]] == [2, 3]


class TestMarkdown:
    @pytest.mark.parametrize("name", ["p0001-b3.png", "imgs/img_in_image_box_1_2_3_4.jpg"])
    def test_pictures_are_found_by_number_or_place(self, name: str) -> None:
        shown = page(block("image", "", 3, (1, 2, 3, 4)), block("image", "", 4, (9, 9, 9, 9)))
        pretty = restructure.markdown(shown, {name: "…"}, pretty=True)
        assert pretty == f'<img src="{name}" alt="image" />'
        assert restructure.markdown(shown, {name: "…"}, pretty=False) == f"![]({name})"

    def test_text_is_no_markup_and_labels_may_be_left_out(self) -> None:
        told = page(
            block("text", "<b> *not* bold", 0),
            block("header", "top", 1),
            block("formula", " $$ x^2 $$ ", 2),
            block("table", "no <table> at all", 3),
        )
        text = restructure.markdown(told, {}, pretty=True, ignored={"header"})
        assert text == "\\<b> \\*not\\* bold\n\n$$ x^2 $$\n\nno \\<table> at all"

    def test_pages_as_one_are_numbered_through(self) -> None:
        whole = restructure.concatenated([page(block("text", "a", 0)), page(table("b c"))])
        assert [(b["block_id"], b["page_number"]) for b in whole[BLOCKS]] == [(0, 1), (1, 2)]
        assert whole["page_count"] == 2


BODY = {"file": base64.b64encode(b"%PDF 2 whatever").decode(), "logId": "mine"}
Steps = Callable[[Desk, Site, Exchange, str], Awaitable[None]]


def waiting(tmp_path: Path, steps: Steps, model: str = "fake") -> None:
    """What happens while a client waits for its answer."""
    desk = Desk(tmp_path, aliases={"layout-parsing": model})

    async def played(site: Site) -> None:
        headers = {"content-type": "application/json"}
        asking = site.begin("POST", "/layout-parsing", headers, json.dumps(BODY).encode())
        (job,) = await asyncio.to_thread(until, lambda: desk.service.jobs(JobQuery()))
        await steps(desk, site, asking, job.id)

    play(desk, played)


def test_the_answer_waits_for_the_end(tmp_path: Path) -> None:
    async def steps(desk: Desk, site: Site, asking: Exchange, job_id: str) -> None:
        await asyncio.to_thread(desk.finish, job_id)
        told = (await asking.ended()).json()
        assert (told["logId"], told["errorCode"], told["errorMsg"]) == ("mine", 0, "Success")
        assert told["result"]["jobId"] == job_id
        results = told["result"]["layoutParsingResults"]
        assert [list(one["markdown"]["images"]) for one in results] == [
            ["p0001-b1.png"],
            ["p0002-b1.png"],
        ]
        assert told["result"]["dataInfo"]["numPages"] == 2

    waiting(tmp_path, steps)


@pytest.mark.parametrize(
    ("move", "status", "message"),
    [
        ("cancel", 409, "without a result: cancelled"),
        ("erase", 410, "was erased"),
        ("fail", 500, "It broke."),
        ("stop", 503, "is being stopped"),
    ],
)
def test_other_ends_are_told_in_the_envelope(
    tmp_path: Path, move: str, status: int, message: str
) -> None:
    async def steps(desk: Desk, site: Site, asking: Exchange, job_id: str) -> None:
        failure = Failure(code="engine_failed", message="It broke.")
        moves: dict[str, Callable[[], object]] = {
            "cancel": lambda: desk.service.cancel(job_id),
            "erase": lambda: desk.service.erase(job_id),
            "fail": lambda: desk.fail(job_id, failure),
        }
        if move == "stop":
            site.app.state.context.hub.stop()
        else:
            await asyncio.to_thread(moves[move])
        reply = await asking.ended()
        told = reply.json()
        assert (reply.status, told["errorCode"], told["logId"]) == (status, status, "mine")
        assert message in told["errorMsg"]
        assert "result" not in told

    waiting(tmp_path, steps)


def test_what_paddleocr_itself_found_is_told_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = {"input_path": "a.png", BLOCKS: [block("text", "theirs", 0)], "width": 7}
    reading = PageReading(lines=(), raw=json.dumps(theirs).encode())
    monkeypatch.setattr(
        api_fake, "page_blob", lambda page, model, _: page_blob(page, model, reading)
    )

    async def steps(desk: Desk, site: Site, asking: Exchange, job_id: str) -> None:
        await asyncio.to_thread(desk.finish, job_id)
        for result in (await asking.ended()).json()["result"]["layoutParsingResults"]:
            pruned = {name: value for name, value in theirs.items() if name != "input_path"}
            assert result["prunedResult"] == pruned

    waiting(tmp_path, steps, model="auto")


def test_the_job_of_a_client_that_leaves_goes_on(tmp_path: Path) -> None:
    async def steps(desk: Desk, site: Site, asking: Exchange, job_id: str) -> None:
        asking.leave()
        assert (await asking.ended()).status == 0
        assert desk.finish(job_id).status == "succeeded"

    waiting(tmp_path, steps)


def test_too_many_are_told_to_come_later(tmp_path: Path) -> None:
    desk = Desk(tmp_path, aliases={"layout-parsing": "fake", "predict": "fake"}, max_active=1)
    desk.submit()

    async def steps(site: Site) -> None:
        reply = await site.post_json("/layout-parsing", BODY)
        assert (reply.status, reply.json()["errorCode"]) == (429, 429)
        assert int(reply.headers["retry-after"]) > 0
        fields = [("image", base64.b64decode(BODY["file"]), "a.pdf")]
        reply = await site.post_form("/predict", fields)
        assert (reply.status, reply.json()["code"]) == (429, "busy")
        assert int(reply.headers["retry-after"]) > 0

    play(desk, steps)


@pytest.mark.parametrize("scheme", ["token KEY", "Token KEY", "Bearer KEY", "Basic"])
def test_keys_stand_where_their_clients_put_them(tmp_path: Path, scheme: str) -> None:
    desk = Desk(tmp_path)
    key = desk.key("one")
    basic = base64.b64encode(f"any:{key}".encode()).decode()
    given = f"Basic {basic}" if scheme == "Basic" else scheme.replace("KEY", key)

    async def steps(site: Site) -> None:
        body: Json = {"pages": [{"prunedResult": {BLOCKS: []}}]}
        reply = await site.post_json("/restructure-pages", body, authorization=given)
        assert reply.status == 200
        assert reply.json()["result"]["layoutParsingResults"][0]["markdown"]["text"] == ""
        for other in ("token nobody", "Basic !", "Basic " + basic[:8], ""):
            reply = await site.post_json("/restructure-pages", body, authorization=other)
            assert (reply.status, reply.json()["errorCode"]) == (401, 401)

    play(desk, steps, keys_needed=True)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"pages": []}, "`pages"),
        ({"pages": [{"prunedResult": {}}]}, "as an answer of /layout-parsing had it"),
        ({"pages": [{"prunedResult": page({"block_label": 1})}]}, "as an answer"),
        ({"pages": [{"prunedResult": page()}], "concatenate": True}, "no option `concatenate`"),
        (
            {
                "pages": [
                    {"prunedResult": page(), "markdownImages": {"a.png": text}}
                    for text in ("one", "other")
                ],
                "concatenatePages": True,
            },
            "different pictures of the name 'a.png'",
        ),
    ],
)
def test_pages_that_cannot_be_put_together(tmp_path: Path, body: Json, message: str) -> None:
    async def steps(site: Site) -> None:
        reply = await site.post_json("/restructure-pages", body)
        assert (reply.status, reply.json()["errorCode"]) == (422, 422)
        assert message in reply.json()["errorMsg"]

    play(Desk(tmp_path), steps)


def test_a_key_that_is_no_text_of_ascii_is_only_wrong(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        for given in ("Basic \xe9\xe9\xe9\xe9", "token \xe9", "Bearer \xe9"):
            reply = await site.post_json("/ocr", BODY, authorization=given)
            assert (reply.status, reply.json()["errorCode"]) == (401, 401)

    play(Desk(tmp_path), steps, keys_needed=True)


@pytest.mark.parametrize("path", ["/ocr", "/restructure-pages"])
def test_a_log_id_is_a_short_text(tmp_path: Path, path: str) -> None:
    pages: Json = {"pages": [{"prunedResult": page()}]}
    body = {"file": BODY["file"]} if path == "/ocr" else pages

    async def steps(site: Site) -> None:
        for log_id in ("x" * 70_000, ["x"], 1):
            reply = await site.post_json(path, body | {"logId": log_id})
            assert reply.status == 422
            assert "`logId`" in reply.json()["errorMsg"]
            assert reply.json()["logId"] != str(log_id)[:200]

    play(Desk(tmp_path, aliases={"ocr": "fake"}), steps)


HOSTILE: dict[str, Json] = {
    "title_level": {"relevelTitles": False, "block": {"title_level": 10**9}},
    "a level that is a text": {"relevelTitles": False, "block": {"title_level": "x"}},
    "a level that is half": {"relevelTitles": False, "block": {"title_level": 1.5}},
    "no number": {"block": {"block_bbox": [0, 0, 1e300, 1]}},
    "many": {"times": 200_001},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_pages_that_somebody_made_up_are_refused(tmp_path: Path, name: str) -> None:
    more = dict(HOSTILE[name])
    made = block("paragraph_title", "x", 0) | more.pop("block", {})
    pruned = {BLOCKS: [made] * more.pop("times", 1)}

    async def steps(site: Site) -> None:
        body = {"pages": [{"prunedResult": pruned}], **more}
        reply = await site.post_json("/restructure-pages", body)
        assert (reply.status, reply.json()["errorCode"]) == (422, 422)
        assert "`pages`" in reply.json()["errorMsg"]

    play(Desk(tmp_path), steps)


def test_what_is_not_needed_of_pages_comes_back_as_it_was(tmp_path: Path) -> None:
    other = b'{"a":[1.50,1e999,123456789012345678901234567890,{"b":"\\u00e9"}]}'
    title = json.dumps(block("paragraph_title", "Tides", 0))[:-1].encode()
    body = (
        b'{"pages":[{"prunedResult":{"parsing_res_list":[%b,"more":%b}],"extra":%b,'
        b'"overall_ocr_res":{"rec_boxes":[[0,0,10,10]],"x":%b}}}]}'
    ) % (title, other, other, other)

    async def steps(site: Site) -> None:
        headers = {"content-type": "application/json"}
        reply = await site.begin("POST", "/restructure-pages", headers, body).ended()
        assert reply.status == 200
        assert reply.body.count(other) == 3
        for wrong in (b"\xff", b"\\ud800", b"\x01"):
            sent = body.replace(b"\\u00e9", wrong)
            reply = await site.begin("POST", "/restructure-pages", headers, sent).ended()
            assert (reply.status, reply.json()["errorMsg"]) == (422, "The body is not JSON.")

    play(Desk(tmp_path), steps)


def test_what_nobody_expected_is_told_in_the_envelope(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk(tmp_path)
    key = desk.key("one")

    def broken(*_: object) -> None:
        raise ZeroDivisionError("something from inside")

    monkeypatch.setattr(desk.service, "submit", broken)

    async def steps(site: Site) -> None:
        bearer = {"authorization": f"Bearer {key}"}
        reply = await site.post_json("/ocr", BODY, **bearer)
        assert (reply.status, reply.json()["errorCode"]) == (500, 500)
        assert reply.json()["logId"] == "mine"
        fields = [("file", base64.b64decode(BODY["file"]), "a.pdf")]
        for path in ("/predict", "/api/v1/ocr/process"):
            reply = await site.post_form(path, fields, **bearer)
            assert (reply.status, reply.json()["code"]) == (500, "internal")
            assert "inside" not in reply.json()["detail"]

    play(desk, steps, keys_needed=True)
    assert "ZeroDivisionError: something from inside" in caplog.text
    assert key not in caplog.text


def test_a_body_that_stops_coming_is_told_in_the_envelope(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagetide.server.api.bodies.uploads.STALLED_S", 0.01)

    async def steps(site: Site) -> None:
        for path in ("/ocr", "/restructure-pages"):
            reply = await site.begin("POST", path, body=b"{", kind=Stalled).ended()
            assert (reply.status, reply.json()["errorCode"]) == (408, 408)

    play(Desk(tmp_path), steps)


@pytest.mark.parametrize("path", ["/ocr", "/layout-parsing", "/restructure-pages"])
def test_bodies_that_are_no_json_objects(tmp_path: Path, path: str) -> None:
    async def steps(site: Site) -> None:
        for body in (b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"a":' * 5000):
            reply = await site.begin("POST", path, {}, body).ended()
            assert (reply.status, reply.json()["errorCode"]) == (422, 422)

    play(Desk(tmp_path), steps)


def test_pictures_are_made_page_by_page_even_of_pages_put_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path, aliases={"layout-parsing": "fake"})
    job = desk.finish(desk.submit(pages=30).id)
    cut: list[int] = []

    def figure(_job: Job, number: int, _order: int) -> bytes:
        cut.append(number)
        return b"x" * 90_000

    monkeypatch.setattr(desk.service.pages, "figure", figure)
    told = Answer(desk.service, job).layout(LayoutRequest(file="", restructure_pages=True))
    for part in told:
        if b'"prunedResult"' in part:
            break
    assert cut == [1]
    rest = b"".join(told)
    assert cut == list(range(1, 31))
    assert rest.count(b'"prunedResult"') == 29


def test_nothing_is_read_before_the_answer_is_made(tmp_path: Path) -> None:
    """For that is done in a thread, and what comes before is not."""
    job = Desk(tmp_path).submit()
    told = Answer(cast(Service, None), job).layout(
        LayoutRequest(file="", restructure_pages=True)
    )
    with pytest.raises(AttributeError):  # there is no service to read from
        list(told)


def test_what_was_asked_for_and_not_had_is_said(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    job = desk.finish(desk.submit().id)
    asking = LayoutRequest(file="", use_chart_recognition=True, use_seal_recognition=False)
    result = json.loads(b"".join(Answer(desk.service, job).layout(asking)))
    said = "`useChartRecognition` was asked for; the model fake does not read charts."
    assert result["warnings"] == [{"code": "not_recognised", "message": said}]
    settings = result["layoutParsingResults"][0]["prunedResult"]["model_settings"]
    assert settings["use_chart_recognition"] is False
    told = json.loads(b"".join(Answer(desk.service, job).layout(LayoutRequest(file=""))))
    assert told["warnings"] == []


def test_options_that_would_fill_a_models_name_are_refused() -> None:
    for given in ({"vlmExtraArgs": {"a": "b" * 5000}}, {"vlmExtraArgs": nested(100_000)}):
        with pytest.raises(BadOption):
            with_options("pp-structurev3", LAYOUT, given)


def nested(depth: int) -> object:
    value: object = {}
    for _ in range(depth):
        value = {"a": value}
    return value
