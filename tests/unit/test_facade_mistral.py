"""Mistral's facade: what is asked, pages, files, and errors."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from pagetide.document import Block, BlockKind, Cell, Document, Line, Notice, Table
from pagetide.errors import BadOption, UnknownModel
from pagetide.geometry import polygon_of
from pagetide.server.compat.mistral import files
from pagetide.server.compat.mistral.pages import Pages
from pagetide.server.compat.mistral.request import Place, place_of, request_of
from pagetide.settings import Settings
from tests.unit.api_fake import Desk, Site, play
from tests.unit.test_facade_docling import BOX, block, document

DOCUMENT = {"type": "document_url", "document_url": "https://a.example/b.pdf"}
FOOT = polygon_of((20.0, 380.0, 60.0, 390.0))
HEAD = polygon_of((20.0, 10.0, 60.0, 20.0))


def asked(**fields: Any) -> Any:
    return request_of({"model": "fake", "document": DOCUMENT, **fields})


def told(whole: Document, **fields: Any) -> Any:
    """The only page of a document, as asked for."""
    pages = Pages(whole, asked(**fields), lambda number, order: f"data:{number},{order}")
    return pages.page(whole.pages[0])


def test_pages_count_from_nought() -> None:
    assert asked().page_range() is None
    assert asked(pages=[0, 4]).page_range() == "1,5"
    assert asked(pages="0, 2-4").page_range() == "1,3-5"


@pytest.mark.parametrize("pages", [[], "", "1-", "-1", "a"])
def test_pages_that_are_none(pages: Any) -> None:
    with pytest.raises(BadOption, match="pages"):
        asked(pages=pages).page_range()


def test_models() -> None:
    settings = Settings(aliases={"mistral-ocr-2512": "pp-ocrv6"})
    assert asked(model="mistral-ocr-2512").model_here(settings) == "pp-ocrv6"
    assert asked(model="mistral-ocr-latest").model_here(settings) == "structure-lite"
    assert asked(model=None).model_here(settings) == "structure-lite"
    assert asked(model="pp-ocrv5").model_here(settings) == "pp-ocrv5"
    with pytest.raises(UnknownModel, match="Invalid model: mistral-ocr-2505"):
        asked(model="mistral-ocr-2505").model_here(settings)


@pytest.mark.parametrize(
    "fields",
    [
        {"bbox_annotation_format": {"type": "json_schema"}},
        {"document_annotation_format": {"type": "json_schema"}},
        {"document_annotation_prompt": "Sum it up."},
        {"confidence_scores_granularity": "word"},
        {"table_format": "csv"},
        {"image_limit": -1},
        {"pages": [-1]},
        {"include_blocks": "yes"},
        {"no_such_field": 1},
    ],
)
def test_what_is_not_done_is_refused_by_name(fields: dict[str, Any]) -> None:
    [name] = fields
    with pytest.raises(BadOption, match=name):
        asked(**fields)


def test_null_is_as_good_as_nothing() -> None:
    given = dict.fromkeys(("bbox_annotation_format", "pages", "table_format", "image_limit"))
    assert asked(**given) == asked()


def test_places_of_documents() -> None:
    named = {**DOCUMENT, "document_name": "b"}
    picture = {"image_url": {"url": "data:image/png;base64,AA", "detail": "auto"}}
    assert place_of(named) == Place(url=DOCUMENT["document_url"], name="b")
    assert place_of(picture).url == "data:image/png;base64,AA"
    assert place_of({"image_url": "https://a.example/b.png"}).url == "https://a.example/b.png"
    assert place_of({"type": "file", "file_id": "up_1"}) == Place(file_id="up_1")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"type": "text", "text": "a"}, "`document` must be of the type"),
        ({**DOCUMENT, "page": 1}, "There is no field of a document 'page'"),
        ({"type": "document_url"}, "A document of the type document_url is named by a text."),
        (
            {"image_url": {"url": "a", "detail": "high"}},
            "`detail` of a picture can only be auto",
        ),
    ],
)
def test_places_that_are_none(place: dict[str, Any], message: str) -> None:
    with pytest.raises(BadOption, match=message):
        place_of(place)


def test_pictures_are_counted_and_linked() -> None:
    corner = polygon_of((0.0, 0.0, 10.0, 10.0))
    small = Block(kind="figure", polygon=corner, order=2)
    whole = document(
        block("text", 0, "a"), block("figure", 1, "in it"), small, block("chart", 3)
    )
    page = told(whole, include_image_base64=True, image_min_size=20, image_limit=1)
    [image] = page["images"]
    assert image == {
        "id": "img-0.png",
        "top_left_x": 20,
        "top_left_y": 40,
        "bottom_right_x": 120,
        "bottom_right_y": 80,
        "image_base64": "data:3,1",
    }
    assert page["markdown"].split("\n\n") == [
        "a",
        "![img-0.png](img-0.png)",
        "> in it",
        "<!-- figure: page 3, block 2 -->",
        "<!-- chart: page 3, block 3 -->",
    ]
    assert [one["type"] for one in page["blocks"]] == ["text", "image", "text"]


def test_pictures_are_not_sent_unasked() -> None:
    [image] = told(document(block("figure", 0)))["images"]
    assert image["image_base64"] is None


TABLE = Table(
    rows=2,
    columns=2,
    cells=(
        Cell(row=0, column=0, text="a", header=True, line_indexes=(0,)),
        Cell(row=0, column=1, text="b", header=True),
        Cell(row=1, column=0, text="1"),
        Cell(row=1, column=1, text="2"),
    ),
)


def test_tables_stay_in_the_markdown() -> None:
    page = told(document(block("table", 0, table=TABLE)))
    assert page["markdown"] == "| a | b |\n| --- | --- |\n| 1 | 2 |"
    assert page["tables"] == []
    [one] = page["blocks"]
    assert (one["type"], one["content"], one["table_id"]) == ("table", page["markdown"], None)


@pytest.mark.parametrize(("form", "ending"), [("markdown", "md"), ("html", "html")])
def test_tables_are_taken_out(form: str, ending: str) -> None:
    beside = tuple(Line(text=text, polygon=BOX) for text in ("a", "beside"))
    listed = block("table", 0, table=TABLE, line_indexes=(0, 1))
    page = told(document(listed, lines=beside), table_format=form)
    name = f"tbl-0.{ending}"
    [table] = page["tables"]
    assert (table["id"], table["format"]) == (name, form)
    assert table["content"].startswith("<table>" if form == "html" else "| a | b |")
    assert page["markdown"] == f"[{name}]({name})\n\nbeside"
    first, second = page["blocks"]
    assert (first["table_id"], first["content"]) == (name, table["content"])
    assert (second["type"], second["content"]) == ("text", "beside")


def margins() -> Document:
    def at(kind: BlockKind, order: int, text: str, place: Any) -> Block:
        return Block(kind=kind, polygon=place, order=order, text=text)

    lines = (Line(text="Top", polygon=HEAD),)
    blocks = (
        Block(kind="header", polygon=HEAD, order=0, text="Top", line_indexes=(0,)),
        at("text", 1, "middle", BOX),
        at("footer", 2, "Bottom", FOOT),
        at("page_number", 3, "7", FOOT),
    )
    return document(*blocks, lines=lines)


def test_headers_and_footers_are_text_unless_taken_out() -> None:
    page = told(margins(), extract_footer=True)
    assert page["markdown"] == "Top\n\nmiddle"
    assert (page["header"], page["footer"]) == (None, "Bottom\n7")
    page = told(margins(), extract_header=True)
    assert page["markdown"] == "middle\n\nBottom\n\n7"
    assert (page["header"], page["footer"]) == ("Top", None)
    assert [one["type"] for one in page["blocks"]] == ["header", "text", "footer", "footer"]


def test_confidences() -> None:
    lines = (
        Line(text="a", polygon=BOX, confidence=0.5),
        Line(text="b", polygon=BOX, confidence=1.0),
        Line(text="c", polygon=BOX),
    )
    whole = document(block("text", 0, "a", line_indexes=(0,), confidence=0.75), lines=lines)
    page = told(whole, confidence_scores_granularity="block")
    assert page["confidence_scores"] == {
        "average_page_confidence_score": 0.75,
        "minimum_page_confidence_score": 0.5,
    }
    assert page["blocks"][0]["confidence_scores"] == {
        "average_content_confidence_score": 0.5,
        "minimum_content_confidence_score": 0.5,
        "block_type_confidence_score": 0.75,
    }
    page = told(document(), confidence_scores_granularity="page", include_blocks=False)
    assert page["confidence_scores"] is None
    assert "blocks" not in page


def test_warnings_are_comments() -> None:
    notice = Notice(code="odd", message="It is odd.")
    assert told(document(warnings=(notice,)))["markdown"] == "<!-- warning odd: It is odd. -->"


def test_links_to_files_are_known() -> None:
    file_id = f"up_{'0' * 61}"
    path = f"v1/files/{file_id}/content"
    assert files.linked(f"http://127.0.0.1:8000/{path}") == file_id
    assert files.linked(f"https://a.example/below/{path}") == file_id
    assert files.linked(f"https://a.example/?{path}") == ""
    assert files.linked("https://a.example/b.pdf") == ""


def upload(content: bytes = b"%PDF 1", **fields: str) -> list[Any]:
    return [*fields.items(), ("file", content, "a.pdf")]


def data_url(content: bytes) -> str:
    return f"data:application/pdf;base64,{base64.b64encode(content).decode()}"


def test_files_are_their_senders(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    mine, theirs = (f"Bearer {desk.key(name)}" for name in ("mine", "theirs"))

    async def steps(site: Site) -> None:
        kept = await site.post_form("/v1/files", upload(purpose="ocr"), authorization=mine)
        place = f"/v1/files/{kept.json()['id']}"
        for key, status in ((theirs, 404), (mine, 200)):
            link = await site.get(f"{place}/url?expiry=1", authorization=key)
            assert link.status == status
        body = {
            "model": "fake",
            "document": {"document_url": link.json()["url"], "type": "document_url"},
        }
        stolen = await site.post_json("/v1/ocr", body, authorization=theirs)
        assert (stolen.status, stolen.json()["object"]) == (404, "error")
        for key, status in ((theirs, 404), (mine, 200), (mine, 404)):
            gone = await site.ask("DELETE", place, headers={"authorization": key})
            assert gone.status == status
        nobody = await site.get(f"{place}/url", authorization="Bearer nobody")
        assert (nobody.status, nobody.json()["type"]) == (401, "unauthorized")

    play(desk, steps, keys_needed=True)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (upload(purpose="fine-tune"), "`purpose` of a file can only be ocr here."),
        (upload(expiry="24"), "There is no field 'expiry' of a file here."),
        ([("purpose", "ocr")], "There is no document: send one as `file`."),
        (upload(b""), "There is no document: send one as `file`."),
    ],
)
def test_files_that_are_not_kept(tmp_path: Path, form: list[Any], message: str) -> None:
    async def steps(site: Site) -> None:
        answer = await site.post_form("/v1/files", form)
        [detail] = answer.json()["detail"]
        assert (answer.status, detail["msg"]) == (422, message)

    play(Desk(tmp_path), steps)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "The body must be a JSON object."),
        ({"model": "fake"}, "The body is not valid: object missing required field"),
        ({"model": "fake", "document": DOCUMENT, "size": 1}, "There is no field 'size'"),
        (
            {"model": "fake", "document": {"document_url": "data:application/pdf,a"}},
            "The document's URL is a data URL without base64.",
        ),
        (
            {"model": "fake", "document": {"document_url": data_url(b"words")}},
            "The input is neither",
        ),
    ],
)
def test_what_a_request_may_not_be(tmp_path: Path, body: object, message: str) -> None:
    async def steps(site: Site) -> None:
        told = (await site.post_json("/v1/ocr", body)).json()
        said = told["message"] if "message" in told else told["detail"][0]["msg"]
        assert said.startswith(message)

    play(Desk(tmp_path), steps)


def test_links_to_results_still_open(tmp_path: Path) -> None:
    """Files of Mistral's and results of ours share the beginning of their paths."""
    desk = Desk(tmp_path)
    job = desk.finish(desk.submit().id)

    async def steps(site: Site) -> None:
        answer = await site.get(f"/v1/files/{job.id}/json?expires=1&signature=a")
        assert (answer.status, answer.code) == (403, "forbidden")

    play(desk, steps)
