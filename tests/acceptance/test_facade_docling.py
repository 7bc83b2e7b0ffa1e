"""Docling's client, LangChain's loader and Open WebUI's calls against a running server."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from pagetide.document import Block, Document, Page
from pagetide.exports.flow import pieces
from pagetide.exports.tables.cells import tidy
from pagetide.geometry import Box, box_of
from pagetide.server.compat.docling.tree import docling_document
from tests.drawn.forms import labelled_form
from tests.loopback import answering, loopback
from tests.parts import forks
from tests.served import Served, serving
from tests.serving import pdf
from tests.unit.test_facade_docling import every_kind

CLIENTS = Path(__file__).parents[1] / "clients"
SAMPLES = Path(__file__).parents[2] / "samples"
PAGES, LINES = 210, 40
ALIASES = {
    "vlm": "fake",
    "large": f"fake?lines={LINES}",
    "torn": "fake?fail=2",
    "slow": "fake?slow=0.3",
}
LABELS = {
    *("title", "section_header", "text", "formula", "code", "list_item", "caption"),
    *("footnote", "reference", "page_header", "page_footer", "table", "picture", "chart"),
}
Json = dict[str, Any]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("docling")
    with serving(folder, aliases=ALIASES, idle_s=30, allow_hosts="127.0.0.1") as running:
        yield running


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("documents")
    (made / "real.pdf").write_bytes((SAMPLES / "mixed.pdf").read_bytes())
    (made / "some.pdf").write_bytes(pdf(3))
    (made / "form.pdf").write_bytes(labelled_form())
    (made / "large.pdf").write_bytes(pdf(PAGES))
    (made / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing follows")
    (made / "every.json").write_bytes(msgspec.json.encode(docling_document(every_kind())))
    return made


@pytest.fixture(scope="module")
def steps(served: Served, clients_python: str, folder: Path) -> Json:
    """What became of each step of the client's script: one run, for it is slow to start."""
    script = CLIENTS / "docling_service.py"
    with loopback() as elsewhere:
        elsewhere.answers["/a%20scan.pdf"] = answering((folder / "some.pdf").read_bytes())
        place = f"http://127.0.0.1:{elsewhere.port}/a%20scan.pdf"
        done = forks.run(
            [clients_python, str(script), served.url, *served.keys, str(folder), place],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-3000:]
    told: Json = json.loads(done.stdout)
    return told


def document_of(served: Served, job_id: str) -> Document:
    headers = {"Authorization": f"Bearer {served.key}"}
    answer = httpx.get(f"{served.url}/v1/jobs/{job_id}/result", headers=headers, timeout=60)
    return Document.from_json(answer.content)


def compare_pairs(ours: Document, theirs: Json) -> int:
    """Each label has its value in the graph of its page; how many there are."""
    told: list[tuple[int, str, str]] = []
    for item in theirs["key_value_items"]:
        cells = {cell["cell_id"]: cell["text"] for cell in item["graph"]["cells"]}
        for link in item["graph"]["links"]:
            said = cells[link["source_cell_id"]], cells[link["target_cell_id"]]
            told.append((item["prov"][0]["page_no"], *said))
    pairs = ours.fields().pairs
    assert told == [(pair.value.page, pair.label.text, pair.value.text) for pair in pairs]
    return len(told)


def compare(ours: Document, theirs: Json) -> int:
    """Every block of a document is in the DoclingDocument, in its place; how many there are."""
    left = {ref["$ref"]: None for ref in theirs["body"]["children"]}
    assert list(theirs["pages"]) == [str(page.number) for page in ours.pages]
    count = 0
    for page in ours.pages:
        size = theirs["pages"][str(page.number)]["size"]
        assert (size["width"], size["height"]) == (page.width_pt, page.height_pt)
        for piece in pieces(page):
            item = item_at(theirs, next(iter(left)))
            del left[item["self_ref"]]
            check_item(page, piece.block, item, theirs)
            for caption, ref in zip(
                piece.above + piece.below, item.get("captions", ()), strict=True
            ):
                check_item(page, caption, item_at(theirs, ref["$ref"]), theirs)
            count += 1
    assert not left
    return count


def check_item(page: Page, block: Block, item: Json, document: Json) -> None:
    found = pixels(item["prov"][0], page)
    assert item["prov"][0]["page_no"] == page.number
    assert all(abs(a - b) <= 1 for a, b in zip(found, box_of(block.polygon), strict=True))
    if block.kind == "figure":  # a signature: what was read of it are its picture's children
        told = [item_at(document, ref["$ref"])["text"] for ref in item["children"]]
        assert "\n".join(told) == block.text
        return
    if block.table is None:
        assert item["orig"] == item["text"] == block.text
        return
    table, data = tidy(block.table), item["data"]
    assert (data["num_rows"], data["num_cols"]) == (table.rows, table.columns)
    for cell, told in zip(table.cells, data["table_cells"], strict=True):
        assert told["text"] == cell.text
        assert told["start_row_offset_idx"] == cell.row
        assert told["start_col_offset_idx"] == cell.column
        assert (told["row_span"], told["col_span"]) == (cell.row_span, cell.column_span)
        assert (told["column_header"] or told["row_header"]) == cell.header
        assert data["grid"][cell.row][cell.column]["text"] == cell.text


def pixels(place: Json, page: Page) -> Box:
    box = place["bbox"]
    assert box["coord_origin"] == "BOTTOMLEFT"
    across, down = page.width / page.width_pt, page.height / page.height_pt
    top, bottom = page.height_pt - box["t"], page.height_pt - box["b"]
    return box["l"] * across, top * down, box["r"] * across, bottom * down


def item_at(document: Json, ref: str) -> Json:
    _, kind, number = ref.split("/")
    item: Json = document[kind][int(number)]
    return item


def test_nobody_configures_anything(steps: Json, served: Served) -> None:
    told = steps["real"]["told"]
    assert (told["status"], told["name"]) == ("success", "real.pdf")
    document = document_of(served, told["id"])
    assert document.model.name == "structure-lite"
    assert compare(document, told["document"]) > 10
    assert len(told["document"]["tables"]) == 3
    assert compare_pairs(document, told["document"]) > 8


_LEFT_OUT = ("header", "page_number", "footer", "figure")


def test_the_text_survives_doclings_own_export(steps: Json, served: Served) -> None:
    told = steps["real"]["told"]
    words = "".join(told["markdown"].replace("&amp;", "&").replace("\\_", "_").split())
    for page in document_of(served, told["id"]).pages:
        for block in page.blocks:
            # What docling's Markdown leaves out: heads, feet and the words in pictures.
            if block.table is None and block.kind not in _LEFT_OUT:
                assert "".join(block.text.split()) in words


def test_every_kind_of_block_is_valid(steps: Json) -> None:
    told = steps["every_kind"]["told"]
    assert set(told["labels"]) == LABELS
    assert told["labels"].count("picture") == told["labels"].count("list_item") == 2
    for text in ("# title", "## heading", "- listed", "    - below", "```\ncode\n```"):
        assert text in told["markdown"]
    assert "page_number" not in told["markdown"]


def test_labels_values_and_boxes_are_a_graph(steps: Json) -> None:
    told = steps["form"]["told"]
    [item] = told["items"]
    assert item["page"] == 1
    assert item["links"] == [
        ["to_value", "Vessel", "Minnow", "value"],
        ["to_value", "owner", "Maud Fenn", "value"],
        ["to_value", "By post", "☒", "checkbox"],
        ["to_value", "By telephone", "☐", "checkbox"],
        ["to_value", "Yes", "☐", "checkbox"],
        ["to_child", "Paid?", "Yes", "key"],
        ["to_value", "No", "☒", "checkbox"],
        ["to_child", "Paid?", "No", "key"],
    ]
    first = item["boxes"][0]
    assert first["coord_origin"] == "BOTTOMLEFT"
    assert abs(first["l"] - 72) < 1 and first["b"] < 732 < first["t"] < 745
    assert told["markdown"].count("Minnow") == 1 and "missing" not in told["markdown"]


def test_docling_cuts_the_document_into_chunks(steps: Json) -> None:
    assert steps["real"]["told"]["chunks"] > 5


def test_the_service_cuts_it_into_chunks(steps: Json) -> None:
    told = steps["cut"]["told"]
    assert len(told["hierarchical"]) > len(told["hybrid"]) > 3
    for name, pages, items, tokens in told["hybrid"]:
        assert name == "real.pdf" and set(pages) <= {1, 2} and items
        assert 0 < tokens <= 180


def test_a_document_at_a_url(steps: Json) -> None:
    assert steps["at_a_url"]["told"] == {"name": "a scan.pdf", "pages": 3}


def test_pages_behind_the_documents_end_are_left_out(steps: Json) -> None:
    assert steps["clipped"]["told"] == {"status": "success", "pages": 3}
    assert "Page 9 is outside the document, which has 3 pages." in steps["beyond"]["message"]


def test_a_page_that_fails_is_told(steps: Json) -> None:
    told = steps["torn"]["told"]
    assert (told["status"], told["pages"]) == ("partial_success", 3)
    [[number, message]] = told["errors"]
    assert number == 2
    assert message.startswith("Page 2 could not be read: ")


def test_a_large_result_comes_whole(steps: Json) -> None:
    told = steps["large"]["told"]
    assert (told["pages"], told["texts"]) == (PAGES, PAGES)
    assert told["bytes"] > 200_000
    assert told["last"].split("\n") == [f"{200 + 2 * (PAGES - 1)} by 200"] * LINES


def test_langchain_loads_by_the_service(steps: Json) -> None:
    assert steps["loaded"]["told"] == ["200 by 200\n\n202 by 200\n\n204 by 200"]


def test_the_asynchronous_client(steps: Json) -> None:
    assert steps["asynchronous"]["told"] == ["200 by 200", "202 by 200", "204 by 200"]


def test_several_documents_each_have_an_end(steps: Json) -> None:
    good, bad = steps["all_of_them"]["told"]
    assert good == ["success", []]
    assert bad[0] == "failure"
    assert "The PDF is damaged and cannot be opened." in bad[1][0]


@pytest.mark.parametrize(
    ("step", "error", "message"),
    [
        ("stranger", "ServiceError", "status=401, detail=This API key is unknown"),
        ("broken", "ServiceError", "status=422, detail=The PDF is damaged"),
        ("described", "ServiceError", "`do_picture_description` can only be false here"),
        ("doctags", "ServiceError", "`to_formats` 'doctags' is not made here"),
        ("easyocr", "ServiceError", "There is no model 'easyocr'"),
        ("asr", "ServiceError", "There is no `pipeline` 'asr' here."),
        ("presigned", "ServiceError", "needs artifact storage to be configured"),
        ("at_a_private_place", "ServiceError", "an address that this server does not contact"),
        ("unknown_task", "TaskNotFoundError", "Task nothing was not found."),
        ("foreign", "TaskNotFoundError", "was not found."),
        ("gone", "TaskNotFoundError", "was not found."),
        ("not_ready", "ResultNotReadyError", "is not ready."),
        ("cancelled", "TaskExecutionError", "ended without a result: cancelled."),
        ("erased", "ResultExpiredError", "has expired."),
    ],
)
def test_what_goes_wrong_is_the_clients_own_error(
    steps: Json, step: str, error: str, message: str
) -> None:
    assert steps[step]["error"] == error
    assert message in steps[step]["message"]


def test_who_answers(steps: Json) -> None:
    assert steps["version"]["told"]["docling_document"] == "1.5.0"
    assert steps["health"]["told"] == "ok"


def open_webui(
    served: Served, python: str, file: Path, parameters: Json
) -> subprocess.CompletedProcess[str]:
    script, asked = str(CLIENTS / "docling_open_webui.py"), json.dumps(parameters)
    return forks.run(
        [python, script, served.url, served.key, str(file), asked],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_open_webui_reads_a_document(served: Served, clients_python: str, folder: Path) -> None:
    parameters = {
        "do_ocr": True,
        "force_ocr": False,
        "ocr_preset": "fake",
        "pdf_backend": "dlparse_v4",
        "table_mode": "accurate",
        "pipeline": "standard",
        "to_formats": ["md", "json"],
        "md_page_break_placeholder": "-----",
    }
    done = open_webui(served, clients_python, folder / "some.pdf", parameters)
    assert done.returncode == 0, done.stderr
    pages = json.loads(done.stdout).split("\n-----\n\n")
    assert [page.split("\n")[2] for page in pages] == [f"{w} by 200" for w in (200, 202, 204)]


def test_open_webui_is_told_what_is_not_done(
    served: Served, clients_python: str, folder: Path
) -> None:
    asked = {"do_formula_enrichment": True}
    done = open_webui(served, clients_python, folder / "some.pdf", asked)
    assert done.returncode == 1
    assert "`do_formula_enrichment` can only be false here" in done.stderr
