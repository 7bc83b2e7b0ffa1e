"""Mistral's client of its OCR, and Open WebUI's calls, against a running server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagetide.document import Block, Document, Page, Table
from pagetide.exports.flow import pieces
from pagetide.exports.tables.cells import tidy
from pagetide.geometry import box_of
from tests.client_script import answers_of
from tests.loopback import answering, loopback
from tests.parts import forks
from tests.served import Served, serving
from tests.serving import pdf

SCRIPT = Path(__file__).parents[1] / "clients" / "mistral_ocr.py"
SAMPLES = Path(__file__).parents[2] / "samples"
PAGES, LINES = 210, 40
ALIASES = {
    "mistral-ocr-2512": "fake",
    "large": f"fake?lines={LINES}",
    "torn": "fake?fail=2",
}
Json = dict[str, Any]
Talk = Callable[..., list[Json]]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("mistral")
    # In f32: a letterhead that stands at a rule's edge is one on every processor.
    with serving(
        folder, aliases=ALIASES, idle_s=30, allow_hosts="127.0.0.1", runtime="onnxruntime"
    ) as running:
        yield running


@pytest.fixture(scope="module")
def talk(served: Served, clients_python: str) -> Talk:
    def called(*calls: Json, key: str = served.key) -> list[Json]:
        return answers_of(clients_python, SCRIPT, [served.url, key], calls)

    return called


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("documents")
    (made / "some.pdf").write_bytes(pdf(3))
    (made / "large.pdf").write_bytes(pdf(PAGES))
    (made / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing follows")
    return made


def sent(path: Path, model: str = "mistral-ocr-2512", **more: Any) -> Json:
    url = {"file": str(path), "type": "application/pdf"}
    document = {"type": "document_url", "document_url": url, "document_name": path.name}
    return {"model": model, "document": document, **more}


def document_of(served: Served, name: str) -> Document:
    headers = {"Authorization": f"Bearer {served.key}"}
    with httpx.Client(base_url=served.url, headers=headers, timeout=60) as own:
        jobs = own.get("/v1/jobs").json()["jobs"]
        [job] = [job for job in jobs if job["source"]["name"] == name]
        return Document.from_json(own.get(f"/v1/jobs/{job['id']}/result").content)


class Cells(HTMLParser):
    """The cells of a table, in order: text, rows, columns, whether it is a header."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, int, int, bool]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        spans = {name: int(value or 1) for name, value in attributes if name.endswith("span")}
        if tag in ("td", "th"):
            down, across = spans.get("rowspan", 1), spans.get("colspan", 1)
            self.found.append(("", down, across, tag == "th"))
        elif tag == "br":
            self.handle_data("\n")

    def handle_data(self, data: str) -> None:
        if (self.found and data.strip("\n")) or (data == "\n" and self.found):
            text, *rest = self.found[-1]
            self.found[-1] = (text + data, *rest)  # type: ignore[assignment]


def told_by(table: Table) -> list[tuple[str, int, int, bool]]:
    return [(c.text, c.row_span, c.column_span, c.header) for c in tidy(table).cells]


def compare(ours: Document, theirs: Json) -> int:
    """Every block of a document is among Mistral's, in its place; how many there are."""
    count = 0
    for page, told in zip(ours.pages, theirs["pages"], strict=True):
        assert told["index"] == page.number - 1
        size = told["dimensions"]
        assert (size["width"], size["height"], size["dpi"]) == (
            page.width,
            page.height,
            page.dpi,
        )
        blocks = [
            block
            for piece in pieces(page)
            for block in (*piece.above, piece.block, *piece.below)
        ]
        left = list(told["blocks"])
        for block in blocks:
            if block.kind == "figure":  # its picture, and then what is written in it
                assert left.pop(0)["content"].startswith("![img-")
            check_block(page, block, left.pop(0))
            count += 1
        assert not left
    return count


def check_block(page: Page, block: Block, told: Json) -> None:
    corners = ("top_left_x", "top_left_y", "bottom_right_x", "bottom_right_y")
    places = zip((told[corner] for corner in corners), box_of(block.polygon), strict=True)
    assert all(abs(a - b) <= 1 for a, b in places)
    if block.table is None:
        assert told["content"] == block.text
        return
    cells = [(text.strip("\n"), *rest) for text, *rest in Cells(told["content"]).found]
    assert cells == told_by(block.table)


@pytest.fixture(scope="module")
def real(talk: Talk) -> Json:
    """The name that every client sends, which nobody has made stand for anything."""
    call = sent(
        SAMPLES / "mixed.pdf",
        "mistral-ocr-latest",
        pages="0-1",
        table_format="html",
        extract_header=True,
        confidence_scores_granularity="block",
    )
    [answer] = talk(call)
    return answer


def test_a_real_document_is_the_same(real: Json, served: Served) -> None:
    assert real["model"] == "structure-lite"
    assert real["usage_info"]["pages_processed"] == 2
    assert compare(document_of(served, "mixed.pdf"), real) > 10


def test_tables_stand_beside_the_markdown(real: Json) -> None:
    first, second = real["pages"]
    names = ["tbl-0.html", "tbl-1.html", "tbl-2.html"]
    assert [table["id"] for table in first["tables"]] == names
    assert "\n\n[tbl-1.html](tbl-1.html)\n\n[tbl-2.html](tbl-2.html)\n\n" in first["markdown"]
    ids = [block["table_id"] for block in first["blocks"] if block["type"] == "table"]
    assert ids == names
    assert second["header"]
    assert second["header"] not in second["markdown"]


def test_pages_count_from_nought(talk: Talk, folder: Path) -> None:
    chosen, beyond = talk(
        sent(folder / "some.pdf", pages=[2, 0], asynchronous=True),
        sent(folder / "some.pdf", pages=[3]),
    )
    assert [page["index"] for page in chosen["pages"]] == [0, 2]
    assert [page["markdown"] for page in chosen["pages"]] == ["200 by 200", "204 by 200"]
    assert chosen["model"] == "fake"
    [detail] = beyond["told"]["detail"]
    assert (beyond["error"], detail["type"]) == ("HTTPValidationError", "page_out_of_range")


def test_a_document_at_a_url(talk: Talk) -> None:
    with loopback() as elsewhere:
        elsewhere.answers["/two.pdf"] = answering(pdf(2))
        url = f"http://127.0.0.1:{elsewhere.port}/two.pdf"
        document = {"type": "image_url", "image_url": {"url": url}}
        [answer] = talk({"model": "mistral-ocr-2512", "document": document})
    assert [page["markdown"] for page in answer["pages"]] == ["200 by 200", "202 by 200"]


def test_a_page_that_fails_is_told(talk: Talk, folder: Path) -> None:
    [answer] = talk(sent(folder / "some.pdf", "torn"))
    first, second, third = (page["markdown"] for page in answer["pages"])
    assert (first, third) == ("200 by 200", "204 by 200")
    assert second.startswith("> **Page 2 could not be read:**")


def test_a_large_result_comes_whole(talk: Talk, folder: Path) -> None:
    [answer] = talk(sent(folder / "large.pdf", "large"))
    assert [page["index"] for page in answer["pages"]] == list(range(PAGES))
    assert answer["usage_info"]["pages_processed"] == PAGES
    assert answer["pages"][-1]["markdown"].count(f"{200 + 2 * (PAGES - 1)} by 200") == LINES
    assert len(json.dumps(answer)) > 200_000


def test_what_goes_wrong_is_the_clients_own_error(talk: Talk, folder: Path) -> None:
    some = folder / "some.pdf"
    private = {"type": "document_url", "document_url": "http://10.0.0.1:9/secret.pdf"}
    old, unknown, broken, elsewhere, annotated = talk(
        sent(some, "mistral-ocr-2505"),
        sent(some, "no-such-model"),
        sent(folder / "broken.pdf"),
        {"model": "mistral-ocr-2512", "document": private},
        sent(some, document_annotation_prompt="What is it?"),
    )
    assert (old["error"], old["status"]) == ("SDKError", 400)
    assert (old["told"]["type"], old["told"]["code"]) == ("invalid_model", "1500")
    assert old["told"]["message"] == "Invalid model: mistral-ocr-2505"
    assert unknown["told"]["message"].startswith("There is no model 'no-such-model'")
    for refused, message in (
        (broken, "The PDF is damaged and cannot be opened."),
        (elsewhere, "The URL leads to an address that this server does not contact."),
        (
            annotated,
            "Documents are not annotated here: `document_annotation_prompt` is refused.",
        ),
    ):
        assert refused["error"] == "HTTPValidationError"
        assert refused["told"]["detail"][0]["msg"] == message


def test_a_wrong_key(talk: Talk, folder: Path) -> None:
    [answer] = talk(sent(folder / "some.pdf"), key="nobody")
    assert (answer["error"], answer["status"]) == ("SDKError", 401)
    assert answer["told"]["message"] == "This API key is unknown, revoked or expired."


def test_a_file_is_sent_first(talk: Talk, folder: Path) -> None:
    [told] = talk({"by_files": str(folder / "some.pdf")})
    assert (told["kept"]["filename"], told["kept"]["purpose"]) == ("some.pdf", "ocr")
    assert told["kept"]["bytes"] == (folder / "some.pdf").stat().st_size
    assert told["texts"] == [[f"{width} by 200" for width in (200, 202, 204)]] * 2
    assert told["deleted"] is True
    assert told["after"]["status"] == 404
    assert told["after"]["told"]["message"].startswith("There is no such upload")


@pytest.mark.parametrize("way", [(), ("base64",)])
def test_open_webui_reads_a_document(
    served: Served, clients_python: str, way: tuple[str, ...]
) -> None:
    script = SCRIPT.with_name("mistral_open_webui.py")
    sample = SAMPLES / "table.png"
    done = forks.run(
        [clients_python, str(script), f"{served.url}/v1", served.key, str(sample), *way],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    texts = json.loads(done.stdout)
    assert len(texts) == 1
    assert texts[0].startswith("# Appendix B: figures")
