"""Clients of PaddleX serving against a running server."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from pagetide.document import Document, Line, Page, Table
from pagetide.engines.paddle.results.html_tables import table_of
from pagetide.exports.tables.cells import tidy
from pagetide.geometry import Box, Polygon, box_of
from tests.digital import digital_pdf
from tests.parts import forks
from tests.served import Served, serving
from tests.serving import pdf, text_of_page
from tests.written_pdf import picture, written_pdf

CLIENTS = Path(__file__).parents[1] / "clients"
FAILING, LINES, PAGES = 8, 100, 110  # page 8 of what is read at once fails
FIGURE = b"""BT /F1 12 Tf 72 720 Td (A page with a picture below, and words above.) Tj ET
q 300 0 0 200 72 400 cm /P1 Do Q BT /F1 10 Tf 72 380 Td (Figure 1. A grey field.) Tj ET"""
Json = dict[str, Any]
Talk = Callable[..., Json]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("paddlex")
    fake = f"fake?lines={LINES}&fail={FAILING}"
    aliases = {"ocr": fake, "layout-parsing": "structure-lite"}
    with serving(folder, aliases=aliases) as running:
        yield running


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "digital.pdf").write_bytes(digital_pdf())
    (folder / "many.pdf").write_bytes(pdf(PAGES))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing follows")
    field = picture(300, 200)
    resources = b"/XObject<</P1 6 0 R>>"
    shown = written_pdf(FIGURE, resources=resources, extra=(field,))
    (folder / "figure.pdf").write_bytes(shown)
    return folder


@pytest.fixture(scope="module")
def run(clients_python: str) -> Talk:
    """Runs a client; what it prints."""

    def ran(script: str, *arguments: object) -> Json:
        command = [clients_python, str(CLIENTS / script), *map(str, arguments)]
        done = forks.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr[-2000:]
        printed: Json = json.loads(done.stdout)
        return printed

    return ran


def post(served: Served, path: str, body: Json, key: str = "") -> httpx.Response:
    headers = {"Authorization": f"token {key or served.key}"}
    return httpx.post(served.url + path, json=body, headers=headers, timeout=120)


def get(served: Served, path: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {served.key}"}
    return httpx.get(served.url + path, headers=headers, timeout=60, follow_redirects=True)


def document_of(served: Served, job_id: str) -> Document:
    answer = get(served, f"/v1/jobs/{job_id}/result")
    return Document.from_json(answer.content)


def encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def near(box: Box, other: list[float]) -> bool:
    return len(other) == 4 and all(abs(a - b) <= 1 for a, b in zip(box, other, strict=True))


def compare_lines(lines: tuple[Line, ...], told: Json) -> None:
    assert told["rec_texts"] == [line.text for line in lines]
    assert told["rec_scores"] == [1.0 if x.confidence is None else x.confidence for x in lines]
    boxes = [box_of(line.polygon) for line in lines]
    assert all(near(*pair) for pair in zip(boxes, told["rec_boxes"], strict=True))
    polygons = zip(lines, told["dt_polys"], strict=True)
    assert all(near_points(line.polygon, points) for line, points in polygons)


def near_points(polygon: Polygon, points: list[list[float]]) -> bool:
    pairs = zip(polygon, points, strict=True)
    return all(abs(x - a) <= 1 and abs(y - b) <= 1 for (x, y), (a, b) in pairs)


def cells(table: Table) -> list[tuple[int, int, int, int, str]]:
    """Place, spans and text of each cell; those that only fill a hole are none."""
    told = [(c.row, c.column, c.row_span, c.column_span, c.text) for c in tidy(table).cells]
    return sorted(cell for cell in told if cell[4] or cell[2:4] != (1, 1))


def compare_page(page: Page, told: Json) -> int:
    """See that a page is told as it is; how many tables it has."""
    compare_lines(page.lines, told["overall_ocr_res"])
    blocks = sorted(page.blocks, key=lambda block: block.order)
    assert [block["block_id"] for block in told["parsing_res_list"]] == list(range(len(blocks)))
    found = 0
    for block, other in zip(blocks, told["parsing_res_list"], strict=True):
        assert near(box_of(block.polygon), other["block_bbox"])
        if block.table is None:
            assert other["block_content"] == block.text
            continue
        table, found = table_of(other["block_content"]), found + 1
        assert table is not None
        assert cells(table) == cells(block.table)
    return found


def test_a_client_as_in_the_documentation(
    served: Served, files: Path, run: Talk, tmp_path: Path
) -> None:
    told = run("paddlex_docs.py", served.url, served.key, files / "digital.pdf", tmp_path)

    lines = document_of(served, told["ocr"]["jobId"])
    for page, result in zip(lines.pages, told["ocr"]["ocrResults"], strict=True):
        compare_lines(page.lines, result["prunedResult"])

    document = document_of(served, told["layout"]["jobId"])
    sizes = [{"width": page.width, "height": page.height} for page in document.pages]
    assert told["layout"]["dataInfo"] == {
        **{"type": "pdf", "numPages": 3, "pages": sizes, "model": document.model.name}
    }
    results = told["layout"]["layoutParsingResults"]
    tables = [
        compare_page(page, result["prunedResult"])
        for page, result in zip(document.pages, results, strict=True)
    ]
    assert sum(tables) >= 2
    assert any(
        cell.column_span > 1
        for page in document.pages
        for block in page.blocks
        for cell in (block.table.cells if block.table else ())
    )
    whole = told["whole"]["prunedResult"]
    assert whole["page_count"] == 3
    every = [b for result in results for b in result["prunedResult"]["parsing_res_list"]]
    assert len(whole["parsing_res_list"]) == len(every)
    assert "Northwick Rope" in (tmp_path / "doc.md").read_text(encoding="utf-8")
    assert told["files"] == [f"ocr_{i}.jpg" for i in range(3)]
    drawn = Image.open(io.BytesIO((tmp_path / "ocr_0.jpg").read_bytes()))
    assert drawn.size == (sizes[0]["width"], sizes[0]["height"])


def test_what_open_webui_loads(served: Served, files: Path, run: Talk) -> None:
    told = run("paddlex_open_webui.py", served.url, served.key, files / "digital.pdf")
    body = {"file": encoded(files / "digital.pdf"), "returnMarkdownImages": False}
    direct = post(served, "/layout-parsing", body).json()["result"]["layoutParsingResults"]
    assert [one["page_content"] for one in told["documents"]] == [
        page["markdown"]["text"].strip() for page in direct
    ]
    assert [one["total_pages"] for one in told["documents"]] == [3, 3, 3]


@pytest.mark.parametrize(
    ("key", "file", "status", "message"),
    [
        ("pt_nobody", "digital.pdf", 401, "This API key is unknown"),
        ("", "broken.pdf", 422, "The PDF is damaged"),
    ],
)
def test_what_open_webui_is_refused(
    served: Served, files: Path, run: Talk, key: str, file: str, status: int, message: str
) -> None:
    told = run("paddlex_open_webui.py", served.url, key or served.key, files / file)
    error = json.loads(told["body"])
    assert error["errorCode"] == status
    assert message in error["errorMsg"]
    assert error["logId"]


def test_paddleocr_mcp_with_a_key_in_its_url(
    clients_python: str, served: Served, files: Path, run: Talk
) -> None:
    command = json.dumps(forks.command([clients_python, "-m", "paddleocr_mcp"]))
    url = served.url.replace("http://", f"http://any:{served.key}@")
    asked = [{"input_data": str(files / name)} for name in ("figure.pdf", "broken.pdf")]
    told = run("paddlex_mcp.py", command, url, "PP-StructureV3", json.dumps(asked))
    page, broken = told["answers"]
    assert told["tool"] == "pp_structurev3"
    assert (page["error"], broken["error"]) == (False, True)
    assert [part["type"] for part in page["content"]] == ["text", "image", "text"]
    assert "A page with a picture below" in page["content"][0]["text"]
    assert Image.open(io.BytesIO(base64.b64decode(page["content"][1]["data"]))).size

    asked = [{"input_data": str(files / "digital.pdf"), "output_mode": "detailed"}]
    (lines,) = run("paddlex_mcp.py", command, url, "PP-OCRv6", json.dumps(asked))["answers"]
    found = json.loads(lines["content"][0]["text"])
    assert found["text"].startswith("Northwick Rope & Sail GmbH\n")
    assert found["confidence"] == 1


def test_nothing_is_cut_and_pages_that_failed_say_so(served: Served, files: Path) -> None:
    answer = post(served, "/ocr", {"file": encoded(files / "many.pdf"), "fileType": 0})
    assert len(answer.content) > 1_000_000
    result = answer.json()["result"]
    assert result["dataInfo"]["numPages"] == PAGES
    assert len(result["dataInfo"]["pages"]) == PAGES
    pages = [page["prunedResult"] for page in result["ocrResults"]]
    failed = [number for number, page in enumerate(pages, 1) if "errorMsg" in page]
    document = document_of(served, result["jobId"])
    assert failed == [page.number for page in document.failed_pages]
    assert FAILING in failed
    assert "as told" in pages[FAILING - 1]["errorMsg"]
    for number, page in enumerate(pages, 1):
        wanted = [] if number in failed else [text_of_page(number)] * LINES
        assert page["rec_texts"] == wanted


def test_pictures_of_figures_and_of_pages(served: Served, files: Path) -> None:
    file = encoded(files / "figure.pdf")
    result = post(served, "/layout-parsing", {"file": file, "visualize": True}).json()["result"]
    (page,) = result["layoutParsingResults"]
    ((name, content),) = page["markdown"]["images"].items()
    assert f'<img src="{name}"' in page["markdown"]["text"]
    number = int(name.partition("-b")[2].removesuffix(".png"))
    figure = get(served, f"/v1/jobs/{result['jobId']}/pages/1/figures/{number}.png")
    assert base64.b64decode(content) == figure.content
    plain = Image.open(io.BytesIO(base64.b64decode(page["inputImage"])))
    drawn = page["outputImages"]["layout_det_res"]
    over = Image.open(io.BytesIO(base64.b64decode(drawn)))
    assert plain.size == over.size == (1224, 1584)
    assert plain.convert("RGB").tobytes() != over.convert("RGB").tobytes()

    body = {"file": file, "prettifyMarkdown": False}
    (page,) = post(served, "/layout-parsing", body).json()["result"]["layoutParsingResults"]
    assert f"]({name})" in page["markdown"]["text"]
    assert page["outputImages"] == {}


def test_the_document_says_what_it_is_and_a_url_is_not_fetched_from_here(
    served: Served, files: Path
) -> None:
    body = {"file": encoded(files / "figure.pdf"), "fileType": 1}
    info = post(served, "/layout-parsing", body).json()["result"]["dataInfo"]
    assert (info["type"], info["numPages"]) == ("pdf", 1)
    refused = post(served, "/layout-parsing", {"file": f"{served.url}/docs"})
    assert (refused.status_code, refused.json()["errorCode"]) == (422, 422)


def test_health(served: Served) -> None:
    told = httpx.get(f"{served.url}/health", timeout=60).json()
    assert (told["errorCode"], told["errorMsg"]) == (0, "Healthy")
