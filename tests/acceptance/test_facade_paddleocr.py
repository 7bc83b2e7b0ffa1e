"""PaddleOCR's own clients against a server: the job API, `/api/v2/ocr/jobs`."""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import msgspec
import numpy as np
import pytest
from PIL import Image

from pagetide.document import Document, Page, Table
from pagetide.engines.paddle.results.html_tables import table_of
from pagetide.geometry import Box, box_of
from tests import paddle_stubs
from tests.conftest import CHECKOUT
from tests.loopback import answering, loopback
from tests.parts import forks
from tests.served import Served, serving
from tests.serving import pdf, text_of_page

Json = dict[str, Any]

CLIENTS = CHECKOUT / "tests" / "clients"
JOBS, BATCH = "/api/v2/ocr/jobs", "May 3: Größen"
MIXED = str(CHECKOUT / "samples" / "mixed.pdf")
LARGE, LINES = 100, 120
PROGRAM = pytest.mark.slow("starts one more program of other people, which imports for seconds")
ALIASES = {
    "PP-OCRv5": f"fake?lines={LINES}",
    "PP-OCRv5-latin": "fake?fail=2",
    "PaddleOCR-VL": "fake?fail=1",
    "PaddleOCR-VL-1.5": "fake?slow=0.5",
    "PaddleOCR-VL-1.6": "structure-lite",
    "PP-StructureV3": "structure-lite",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    with serving(folder, aliases=ALIASES, allow_hosts="127.0.0.1", idle_s=60) as server:
        yield server


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    for pages in (1, 2, 3, LARGE):
        (folder / f"{pages}.pdf").write_bytes(pdf(pages))
    (folder / "no.pdf").write_text("not a document")
    drawn = paddle_stubs.page().pixels[:, :, ::-1]
    Image.fromarray(drawn).save(folder / "page.png")
    return folder


def run(python: str, script: str, *arguments: str, given: object = None) -> Any:
    """What a script of `tests/clients` prints."""
    done = subprocess.run(
        [python, str(CLIENTS / script), *arguments],
        input=json.dumps(given),
        env={**os.environ, "NO_PROXY": "*"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def read(clients_python: str, served: Served, files: Path) -> dict[str, Json]:
    """What the sync client is answered."""

    def call(do: str, name: str = "1.pdf", **more: Any) -> Json:
        options = more.pop("options", {})
        key = more.pop("key", served.key)
        kind = more.pop("kind", "ocr")
        given = {"file_path": str(files / name), **more}
        if "file_url" in more:
            del given["file_path"]
        return {"do": do, "key": key, "with": given, "kind": kind, "options": options}

    lite: Json = {"model": "PP-StructureV3", "kind": "structure"}
    calls = {
        "lines": call("ocr", "page.png", options={"use_doc_unwarping": False}),
        "layout": call("parse", MIXED, page_ranges="1,3", **lite),
        "partial": call("ocr", "3.pdf", model="PP-OCRv5-latin"),
        "failed": call("parse", model="PaddleOCR-VL", kind="vl"),
        "wrong key": call("ocr", key="pt_00000000_no"),
        "no document": call("ocr", "no.pdf"),
        "not here": call("ocr", model="PP-OCRv6", page_ranges="2"),
        "bad range": call("ocr", model="PP-OCRv6", page_ranges="two"),
        "no such option": call("ocr", options={"text_det_thresh": 0.4}),
        "unknown option": call("ocr", options={"extra_options": {"shout": True}}),
        "no such value": call("ocr", options={"use_doc_unwarping": True}),
        "other format": call("parse", **lite, options={"output_formats": ["docx"]}),
        "seals": call("parse", "page.png", **lite, options={"use_seal_recognition": True}),
    }
    with loopback() as web:
        web.answers["/2.pdf"] = answering((files / "2.pdf").read_bytes())
        address = f"http://127.0.0.1:{web.port}"
        calls["from a URL"] = call("ocr", model="PP-OCRv5", file_url=f"{address}/2.pdf")
        calls["no such URL"] = call("ocr", model="PP-OCRv5", file_url=f"{address}/3.pdf")
        given = list(calls.values())
        answers = run(clients_python, "paddleocr_api.py", served.url, given=given)
    return dict(zip(calls, answers, strict=True))


@pytest.fixture(scope="module")
def at_once(clients_python: str, served: Served, files: Path) -> list[Json]:
    """What the async client is answered: a large document, and a batch."""
    large = {"file_path": str(files / f"{LARGE}.pdf"), "model": "PP-OCRv5"}
    calls: list[Json] = [{"do": "ocr", "key": served.key, "with": large}]
    for pages in (1, 2):
        given = {"file_path": str(files / f"{pages}.pdf"), "model": "PP-OCRv5"}
        calls.append({"do": "ocr", "key": served.key, "with": {**given, "batch_id": BATCH}})
    answers: list[Json] = run(
        clients_python, "paddleocr_api.py", served.url, "async", given=calls
    )
    return answers


def api(served: Served, key: str = "") -> httpx.Client:
    headers = {"Authorization": f"Bearer {key or served.key}"}
    return httpx.Client(base_url=served.url, headers=headers, timeout=90)


def fetched(link: str) -> httpx.Response:
    """What a link without a key gives."""
    return httpx.get(link, timeout=60)


def document(served: Served, job_id: str) -> Document:
    with api(served) as client:
        found = client.get(f"/v1/jobs/{job_id}/result").raise_for_status()
    return Document.from_json(found.content)


def near(theirs: list[float], ours: Box) -> bool:
    return all(abs(a - b) <= 1 for a, b in zip(theirs, ours, strict=True))


def check_lines(page: Page, told: Json) -> None:
    """The lines are those of the document: texts, places, confidences."""
    assert told["rec_texts"] == [line.text for line in page.lines]
    for box, polygon, score, line in zip(
        told["rec_boxes"], told["rec_polys"], told["rec_scores"], page.lines, strict=True
    ):
        assert near(box, box_of(line.polygon))
        for (x, y), (left, top) in zip(polygon, line.polygon, strict=True):
            assert abs(x - left) <= 1 and abs(y - top) <= 1
        assert score == (1.0 if line.confidence is None else line.confidence)


def check_layout(page: Page, told: Json) -> None:
    """The blocks are those of the document: texts, places, order, tables."""
    assert (told["width"], told["height"]) == (page.width, page.height)
    check_lines(page, told["overall_ocr_res"])
    owned = {index for block in page.blocks for index in block.line_indexes}
    loose = [line for i, line in enumerate(page.lines) if i not in owned]
    blocks = told["parsing_res_list"]
    assert len(blocks) == len(page.blocks) + len(loose)
    assert [block["block_content"] for block in blocks[len(page.blocks) :]] == [
        line.text for line in loose
    ]
    for theirs, ours in zip(blocks, page.blocks, strict=False):
        assert near(theirs["block_bbox"], box_of(ours.polygon))
        if ours.table:
            check_table(ours.table, theirs["block_content"])
        elif ours.kind != "formula":
            assert theirs["block_content"] == ours.text
    tables = [block.table for block in page.blocks if block.table]
    for table, found in zip(tables, told["table_res_list"], strict=True):
        check_table(table, found["pred_html"])
        placed = [cell.polygon for cell in table.cells if cell.polygon]
        assert len(found["cell_box_list"]) == len(placed)
        for box, polygon in zip(found["cell_box_list"], placed, strict=True):
            assert near(box, box_of(polygon))


def check_table(ours: Table, html: str) -> None:
    found = table_of(html)
    assert found is not None
    assert (found.rows, found.columns) == (ours.rows, ours.columns)
    assert cells(found) == cells(ours)


def cells(table: Table) -> dict[tuple[int, int], tuple[int, int, str]]:
    return {
        (cell.row, cell.column): (cell.row_span, cell.column_span, cell.text)
        for cell in table.cells
        if cell.text or cell.row_span > 1 or cell.column_span > 1
    }


def test_lines_are_those_of_the_document(read: dict[str, Json], served: Served) -> None:
    result = read["lines"]["result"]
    page = document(served, result["job_id"]).pages[0]
    assert paddle_stubs.TITLE in result["pages"][0]["pruned_result"]["rec_texts"]
    check_lines(page, result["pages"][0]["pruned_result"])
    size = {"width": paddle_stubs.WIDTH, "height": paddle_stubs.HEIGHT}
    assert result["data_info"] == {"type": "image", **size, "model": "pp-ocrv6"}


def test_the_pages_pictures_open_without_a_key(read: dict[str, Json]) -> None:
    page = read["lines"]["result"]["pages"][0]
    bare, drawn = (
        np.asarray(Image.open(io.BytesIO(fetched(page[name]).raise_for_status().content)))
        for name in ("input_image_url", "ocr_image_url")
    )
    assert (bare[..., :3] == paddle_stubs.page().pixels[..., ::-1]).all()
    assert drawn.shape[:2] == bare.shape[:2] and (drawn[..., :3] != bare[..., :3]).any()
    for link in (page["input_image_url"], page["ocr_image_url"]):
        assert fetched(link.replace("pages/1", "pages/2")).status_code == 403


def test_a_layout_is_that_of_the_document(read: dict[str, Json], served: Served) -> None:
    assert "error" not in read["layout"], read["layout"]
    result = read["layout"]["result"]
    pages = document(served, result["job_id"]).pages
    assert any(block.table for page in pages for block in page.blocks)
    for page, told in zip(pages, result["pages"], strict=True):
        check_layout(page, told["pruned_result"])
        for block in page.blocks:
            if block.kind in ("title", "heading"):
                assert block.text in told["markdown_text"]
    assert result["data_info"]["model"] == "text-layer"  # what really read these pages
    assert len(result["data_info"]["pages"]) == 2


def test_a_document_is_fetched_from_its_address(read: dict[str, Json]) -> None:
    pages = read["from a URL"]["result"]["pages"]
    first = [page["pruned_result"]["rec_texts"][0] for page in pages]
    assert [text.partition(" line")[0] for text in first] == [text_of_page(1), text_of_page(2)]


def test_pages_that_were_not_read_say_so(read: dict[str, Json], served: Served) -> None:
    result = read["partial"]["result"]
    texts = [page["pruned_result"]["rec_texts"] for page in result["pages"]]
    assert texts == [[text_of_page(1)], [], [text_of_page(3)]]
    assert [("errorMsg" in page["raw"]) for page in result["pages"]] == [False, True, False]
    with api(served) as client:
        told = client.get(f"{JOBS}/{result['job_id']}").json()["data"]
    assert told["state"] == "done" and told["errorMsg"].startswith("1 of 3 pages")


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        ("failed", "JobFailedError", "failed"),
        ("wrong key", "AuthError", "API key"),
        ("no such URL", "InvalidRequestError", "404"),
        ("no document", "InvalidRequestError", "neither a PDF nor a picture"),
        ("not here", "InvalidRequestError", "Page 2 is outside"),
        ("bad range", "InvalidRequestError", "not a page range"),
        ("no such option", "InvalidRequestError", "`textDetThresh`"),
        ("unknown option", "InvalidRequestError", "`shout`"),
        ("no such value", "InvalidRequestError", "`useDocUnwarping`"),
        ("other format", "InvalidRequestError", "`outputFormats`"),
    ],
)
def test_what_cannot_be_had_is_told_as_their_client_knows_it(
    read: dict[str, Json], call: str, error: str, says: str
) -> None:
    assert read[call]["error"] == error
    assert says in read[call]["message"]


def test_seals_that_nobody_reads_are_told_of(read: dict[str, Json]) -> None:
    result = read["seals"]["result"]
    settings = result["pages"][0]["pruned_result"]["model_settings"]
    assert settings["use_seal_recognition"] is False
    (unmet,) = result["data_info"]["warnings"]
    assert unmet["code"] == "not_recognised" and "`useSealRecognition`" in unmet["message"]


def test_a_large_document_comes_whole(at_once: list[Json], served: Served) -> None:
    result = at_once[0]["result"]
    texts = [page["pruned_result"]["rec_texts"] for page in result["pages"]]
    assert len(texts) == LARGE and all(len(lines) == LINES for lines in texts)
    assert texts[LARGE - 1][0].startswith(text_of_page(LARGE))
    assert len(result["data_info"]["pages"]) == result["data_info"]["numPages"] == LARGE
    with api(served) as client:
        told = client.get(f"{JOBS}/{result['job_id']}").json()["data"]
        progress = told["extractProgress"]
        assert (progress["totalPages"], progress["extractedPages"]) == (LARGE, LARGE)
        assert progress["startTime"] < progress["endTime"]
        lines = fetched(told["resultUrl"]["jsonUrl"])
    assert len(lines.content) > 1 << 20
    assert lines.text.count("\n") == LARGE


@pytest.fixture(scope="module")
def afterwards(
    clients_python: str, served: Served, files: Path, at_once: list[Json]
) -> list[Json]:
    """What is told of the batch, and of jobs that were cancelled or erased or another's."""
    slow = {"model": "PaddleOCR-VL-1.5"}
    with api(served) as client:
        stopped, gone = (
            client.post(JOBS, data=slow, files={"file": (files / name).read_bytes()})
            for name in (f"{LARGE}.pdf", "3.pdf")  # the first takes a minute
        )
        stopped_id, gone_id = (each.json()["data"]["jobId"] for each in (stopped, gone))
        state = client.get(f"{JOBS}/{stopped_id}").json()["data"]["state"]
        assert state in ("pending", "running")
        client.post(f"/v1/jobs/{stopped_id}/cancel").raise_for_status()
        client.delete(f"/v1/jobs/{gone_id}").raise_for_status()
    mine, others = ({"key": key} for key in served.keys)
    calls: list[Json] = [
        {"do": "batch", **mine, "with": {"batch_id": BATCH}},
        {"do": "batch", **others, "with": {"batch_id": BATCH}},
        {"do": "wait", **mine, "with": {"job": stopped_id}},
        {"do": "status", **mine, "with": {"job_id": gone_id}},
        {"do": "status", **others, "with": {"job_id": stopped_id}},
        {"do": "status", **mine, "with": {"job_id": "no.such"}},
    ]
    answers: list[Json] = run(clients_python, "paddleocr_api.py", served.url, given=calls)
    return answers


def test_a_batch_is_its_keys_own(afterwards: list[Json], at_once: list[Json]) -> None:
    ids = {answer["result"]["job_id"] for answer in at_once[1:]}
    jobs = afterwards[0]["result"]["jobs"]
    assert {job["job_id"] for job in jobs} == ids and len(ids) == 2
    assert {job["state"] for job in jobs} == {"done"}
    assert afterwards[1]["error"] == "APIError" and "404" in afterwards[1]["message"]


def test_jobs_that_are_cancelled_or_erased_or_anothers(afterwards: list[Json]) -> None:
    assert afterwards[2]["error"] == "JobFailedError"
    assert afterwards[2]["message"].endswith("The job was cancelled.")
    assert [answer["error"] for answer in afterwards[3:]] == ["APIError"] * 3
    statuses = [answer["message"].partition(":")[0] for answer in afterwards[3:]]
    assert statuses == ["HTTP 410", "HTTP 404", "HTTP 404"]


@PROGRAM
def test_the_command_line(
    clients_python: str, served: Served, files: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.json"
    command = [str(Path(clients_python).with_name("paddleocr")), "api", "--model_type", "ocr"]
    command += ["--model", "PP-OCRv5", "--file_path", str(files / "2.pdf")]
    command += ["--base_url", served.url, "--token", served.key, "--output", str(output)]
    forks.run(command, check=True, capture_output=True, timeout=300)
    pages = json.loads(output.read_text())["pages"]
    found = [page["prunedResult"]["rec_texts"][0] for page in pages]
    assert [text.partition(" line")[0] for text in found] == [text_of_page(1), text_of_page(2)]


@PROGRAM
def test_langchains_loader(clients_python: str, served: Served, files: Path) -> None:
    loaded = run(
        clients_python,
        "paddleocr_langchain.py",
        served.url,
        served.key,
        str(files / "page.png"),
    )
    (response,) = [each["metadata"]["paddleocr_vl_raw_response"] for each in loaded]
    (page,) = document(served, response["job_id"]).pages
    check_layout(page, response["pages"][0]["pruned_result"])
    assert paddle_stubs.TITLE in loaded[0]["text"]
    assert response["data_info"]["model"] == "structure-lite"


@PROGRAM
def test_paddleocrs_mcp_server(clients_python: str, served: Served, files: Path) -> None:
    """As it is, for layout it asks for charts, which the model here does not read."""

    def call(model: str) -> Json:
        command = json.dumps(forks.command([clients_python, "-m", "paddleocr_mcp"]))
        arguments = (command, served.url, served.key, model, str(files / "page.png"))
        told: Json = run(clients_python, "paddleocr_mcp_call.py", *arguments)
        assert not told["failed"], told
        return told

    with ThreadPoolExecutor() as threads:
        lines, layout = threads.map(call, ("PP-OCRv6", "PP-StructureV3"))
    assert (lines["tool"], layout["tool"]) == ("ocr", "pp_structurev3")
    found = json.loads(lines["content"][0]["text"])
    assert paddle_stubs.TITLE in found["text"]
    assert found["confidence"] > 0.9
    assert paddle_stubs.TITLE in layout["content"][0]["text"]


def test_a_link_opens_its_own_result_alone(at_once: list[Json], served: Served) -> None:
    ids = [answer["result"]["job_id"] for answer in at_once]
    with api(served) as client:
        told = client.get(f"{JOBS}/{ids[1]}").json()["data"]
    link = told["resultUrl"]["jsonUrl"]
    assert fetched(link).status_code == 200
    other = fetched(link.replace(ids[1], ids[2]))
    assert other.status_code == 403 and other.json()["code"] == 403
    bare = fetched(link.partition("?")[0])
    assert bare.status_code == 400 and bare.json()["msg"]


def test_a_job_that_came_another_way_is_shown_too(served: Served, files: Path) -> None:
    with api(served) as client:
        files_ = {"file": (files / "2.pdf").read_bytes()}
        job = client.post("/v1/read", files=files_, data={"model": "fake", "wait": "60"})
        document = msgspec.json.decode(job.content)
        assert len(document["pages"]) == 2
        (listed, *_) = client.get("/v1/jobs", params={"limit": 1}).json()["jobs"]
        told = client.get(f"{JOBS}/{listed['id']}").json()["data"]
        (first, _) = fetched(told["resultUrl"]["jsonUrl"]).text.splitlines()
    shown = json.loads(first)["result"]["layoutParsingResults"][0]
    assert text_of_page(1) in shown["markdown"]["text"]
