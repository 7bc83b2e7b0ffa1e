"""docling-serve's facade: trees, options, and what its routes say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pagetide.document import (
    Block,
    BlockKind,
    Cell,
    Document,
    Failure,
    Line,
    ModelInfo,
    Notice,
    Page,
    SourceInfo,
    Table,
    TextLayerDecision,
)
from pagetide.errors import BadOption, TooLarge
from pagetide.geometry import polygon_of
from pagetide.net.download import Downloaded
from pagetide.server.api import submitting
from pagetide.server.compat.docling import chunking, pictures
from pagetide.server.compat.docling.answers import _errors
from pagetide.server.compat.docling.options import NO_END, options_of
from pagetide.server.compat.docling.pictures import Pictures
from pagetide.server.compat.docling.tree import docling_document
from pagetide.settings import Settings
from tests.unit.api_fake import Desk, Part, Reply, Site, play

BOX = polygon_of((20.0, 40.0, 120.0, 80.0))
KEY = "docling"


def block(kind: BlockKind, order: int, text: str = "", **more: Any) -> Block:
    return Block(kind=kind, polygon=BOX, order=order, text=text, **more)


def document(*blocks: Block, **more: Any) -> Document:
    decision = TextLayerDecision(used=False, reason="not_requested")
    page = Page(
        number=3,
        width=200,
        height=400,
        dpi=144,
        width_pt=100.0,
        height_pt=200.0,
        text_layer=decision,
        blocks=blocks,
        **more,
    )
    source = SourceInfo(
        name="a.scan.pdf",
        sha256="0f" * 32,
        bytes=5,
        media_type="application/pdf",
        page_count=3,
    )
    model = ModelInfo(name="fake", engine="fake", version="1", runtime="none", language="auto")
    return Document(source=source, model=model, pages=(page,))


def every_kind() -> Document:
    """A document with a block of every kind, and whatever else a page may have."""
    rows = ("• listed", "• below")
    lines = (
        Line(text=rows[0], polygon=polygon_of((20.0, 40.0, 190.0, 50.0))),
        Line(text=rows[1], polygon=polygon_of((60.0, 60.0, 190.0, 70.0))),
        Line(text="beside", polygon=BOX),
        Line(text="loose", polygon=BOX),
    )
    cells = (
        Cell(row=0, column=0, column_span=2, text="head", header=True),
        Cell(row=1, column=0, row_span=2, text="a", polygon=BOX, line_indexes=(3,)),
        Cell(row=2, column=1, text="b", header=True),
    )
    table = Table(rows=3, columns=3, cells=cells)
    plain: tuple[BlockKind, ...] = (
        *("title", "heading", "text", "formula", "header", "footer", "page_number"),
        *("footnote", "aside", "code", "toc", "reference", "seal", "other"),
    )
    blocks = [block(kind, order, kind) for order, kind in enumerate(plain)]
    blocks += [
        block("list", 20, "\n".join(rows), line_indexes=(0, 1)),
        block("table", 21, "?", table=table, line_indexes=(2,)),
        block("caption", 22, "of the table", caption_of=21),
        block("figure", 23),
        block("caption", 24, "of the figure", caption_of=23),
        block("chart", 25, table=table),
        block("caption", 26, "of nothing"),
        block("text", 27, "of it", continues=2),
    ]
    return document(*blocks, lines=lines)


def test_a_document_has_a_name_an_origin_and_pages() -> None:
    tree = docling_document(document())
    assert (tree["name"], tree["version"]) == ("a.scan", "1.5.0")
    assert tree["origin"]["binary_hash"] == 0x0F0F0F0F0F0F0F0F
    assert tree["pages"] == {"3": {"size": {"width": 100.0, "height": 200.0}, "page_no": 3}}


def test_boxes_are_in_points_from_the_bottom_left() -> None:
    [text] = docling_document(document(block("text", 0, "words")))["texts"]
    [place] = text["prov"]
    assert (place["page_no"], place["charspan"]) == (3, [0, 5])
    assert place["bbox"] == {
        "l": 10.0,
        "t": 180.0,
        "r": 60.0,
        "b": 160.0,
        "coord_origin": "BOTTOMLEFT",
    }


@pytest.mark.parametrize(
    ("kind", "label", "layer"),
    [
        ("title", "title", "body"),
        ("heading", "section_header", "body"),
        ("aside", "text", "body"),
        ("toc", "text", "body"),
        ("formula", "formula", "body"),
        ("code", "code", "body"),
        ("reference", "reference", "body"),
        ("footnote", "footnote", "body"),
        ("header", "page_header", "furniture"),
        ("page_number", "page_footer", "furniture"),
    ],
)
def test_a_kind_has_its_label(kind: BlockKind, label: str, layer: str) -> None:
    [text] = docling_document(document(block(kind, 0, "words")))["texts"]
    assert (text["label"], text["content_layer"], text["text"]) == (label, layer, "words")
    assert text.get("level") == (1 if kind == "heading" else None)


def test_a_caption_belongs_to_its_figure() -> None:
    caption = block("caption", 1, "Fig. 1", caption_of=0)
    tree = docling_document(document(block("chart", 0, "10 20"), caption))
    [chart], [first, second] = tree["pictures"], tree["texts"]
    assert (chart["label"], chart["image"]) == ("chart", None)
    assert chart["captions"] == [{"$ref": first["self_ref"]}]
    assert (first["label"], first["text"]) == ("caption", "Fig. 1")
    assert (second["label"], second["text"]) == ("text", "10 20")
    assert tree["body"]["children"] == [{"$ref": "#/pictures/0"}]
    assert {text["parent"]["$ref"] for text in (first, second)} == {"#/pictures/0"}


def test_a_table_has_cells_and_a_grid() -> None:
    cells = (
        Cell(row=0, column=0, column_span=2, text="head", header=True),
        Cell(row=1, column=0, text="a", polygon=BOX),
        Cell(row=1, column=1, text="b", header=True),
    )
    table = Table(rows=2, columns=2, cells=cells)
    [item] = docling_document(document(block("table", 0, "?", table=table)))["tables"]
    data = item["data"]
    assert [[cell["text"] for cell in row] for row in data["grid"]] == [
        ["head", "head"],
        ["a", "b"],
    ]
    head, first, second = data["table_cells"]
    assert (head["end_col_offset_idx"], head["column_header"]) == (2, True)
    assert first["bbox"] == {
        "l": 10.0,
        "t": 20.0,
        "r": 60.0,
        "b": 40.0,
        "coord_origin": "TOPLEFT",
    }
    assert (second["row_header"], second["column_header"]) == (True, False)


def test_a_list_has_items_and_those_below_them() -> None:
    rows = ["1. one", "going on", "• below", "2. two"]
    places = [(20, 40), (20, 60), (60, 80), (20, 100)]
    lines = tuple(
        Line(text=row, polygon=polygon_of((left, top, 190.0, top + 10.0)))
        for row, (left, top) in zip(rows, places, strict=True)
    )
    listed = block("list", 0, "\n".join(rows), line_indexes=(0, 1, 2, 3))
    tree = docling_document(document(listed, lines=lines))
    outer, inner = tree["groups"]
    one, below, two = tree["texts"]
    assert [one["text"], below["text"], two["text"]] == ["one\ngoing on", "below", "two"]
    assert [one["orig"], one["marker"], two["marker"]] == ["1. one\ngoing on", "1.", "2."]
    assert (one["enumerated"], below["enumerated"]) == (True, False)
    assert one["prov"][0]["bbox"]["b"] == 200 - 35
    assert inner["parent"] == {"$ref": one["self_ref"]}
    assert [child["$ref"] for child in outer["children"]] == [one["self_ref"], two["self_ref"]]


def test_lines_of_no_block_are_kept() -> None:
    line = Line(text="loose", polygon=BOX)
    [text] = docling_document(document(lines=(line,)))["texts"]
    assert (text["text"], text["label"]) == ("loose", "text")


def test_text_that_goes_on_elsewhere_has_both_places() -> None:
    blocks = block("text", 0, "all of it"), block("text", 1, "of it", continues=0)
    [text] = docling_document(document(*blocks))["texts"]
    assert len(text["prov"]) == 2


def asked(**fields: Any) -> Any:
    return options_of(fields, texts=False)


def test_options_of_a_form_are_those_of_json() -> None:
    fields: dict[str, object] = {
        "to_formats": ["md", "json"],
        "do_ocr": ["True"],
        "force_ocr": ["true"],
        "page_range": ["2", "4"],
        "ocr_lang": ["de, en", "mul"],
        "table_mode": ["fast"],
    }
    same = asked(
        to_formats=["md", "json"],
        do_ocr=True,
        force_ocr=True,
        page_range=[2, 4],
        ocr_lang=["de, en", "mul"],
        ocr_custom_config=None,
    )
    assert options_of(fields, texts=True) == same
    reading = same.reading(Settings())
    assert (reading.languages, reading.text_layer) == (("de", "en"), "never")
    assert asked().page_range == (1, NO_END)


def test_names_of_theirs_may_stand_for_models() -> None:
    settings = Settings(
        aliases={"vlm": "paddleocr-vl", "standard": "pp-ocrv6", "rapidocr": "pp-ocrv5"}
    )
    assert asked(pipeline="vlm").reading(settings).model == "paddleocr-vl"
    assert asked().reading(settings).model == "pp-ocrv6"
    assert asked(ocr_engine="rapidocr").reading(settings).model == "pp-ocrv5"
    assert asked(do_ocr=False).reading(Settings()).model == "structure-lite"
    assert asked(do_ocr=False).reading(Settings()).text_layer == "only"


@pytest.mark.parametrize(
    "fields",
    [
        {"do_picture_description": True},
        {"do_table_structure": False},
        {"table_mode": "slow"},
        {"document_timeout": 3},
        {"images_scale": 4.0},
        {"to_formats": ["doctags"]},
        {"to_formats": 3},
        {"image_export_mode": "none"},
        {"page_range": [4, 2]},
        {"page_range": [0, 2]},
        {"page_range": [1]},
        {"vlm_pipeline_custom_config": {"a": 1}},
        {"md_page_break_placeholder": "x" * 201},
        {"no_such_option": 1},
    ],
)
def test_what_is_not_done_is_refused_by_name(fields: dict[str, Any]) -> None:
    [name] = fields
    with pytest.raises(BadOption, match=name):
        asked(**fields)


def test_ocr_cannot_be_forced_and_off() -> None:
    with pytest.raises(BadOption, match="force_ocr"):
        asked(do_ocr=False, force_ocr=True).reading(Settings())
    with pytest.raises(BadOption, match="pipeline"):
        asked(pipeline="asr").reading(Settings())


def kept(**wanted: Any) -> dict[str, str]:
    return {KEY: json.dumps(wanted)}


async def result_of(site: Site, job_id: str) -> Reply:
    return await site.get(f"/v1/result/{job_id}")


def test_pictures_are_data(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    wanted = kept(to_formats=["md", "html", "json"], images="embedded")
    job = desk.finish(desk.submit(metadata=wanted).id)

    async def steps(site: Site) -> None:
        told = (await result_of(site, job.id)).json()["document"]
        [picture] = told["json_content"]["pictures"]
        uri = picture["image"]["uri"]
        assert uri.startswith("data:image/png;base64,iVBOR")
        assert picture["image"]["size"] == {"width": 20, "height": 20}
        assert f"![figure on page 1]({uri})" in told["md_content"]
        assert f'<img src="{uri}"' in told["html_content"]
        assert "; img-src data:" in told["html_content"]
        assert ".invalid" not in told["html_content"] + told["md_content"]
        assert told["text_content"] is None

    play(desk, steps)


def test_pictures_are_signed_links(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    wanted = kept(to_formats=["md", "html", "json"], images="referenced")
    job = desk.finish(desk.submit(metadata=wanted).id)

    async def steps(site: Site) -> None:
        told = (await result_of(site, job.id)).json()["document"]
        [picture] = told["json_content"]["pictures"]
        uri = picture["image"]["uri"]
        assert uri.startswith(f"http://127.0.0.1:8000/v1/files/{job.id}/")
        assert f"]({uri})" in told["md_content"]
        assert "; img-src http://127.0.0.1:8000" in told["html_content"]
        opened = await site.get(uri)
        assert (opened.status, opened.headers["content-type"]) == (200, "image/png")

    play(desk, steps, keys_needed=False)


def test_a_job_that_came_another_way_has_markdown(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    plain = desk.finish(desk.submit().id)
    odd = desk.finish(desk.submit(metadata={KEY: "what somebody noted"}).id)

    async def steps(site: Site) -> None:
        for job in (plain, odd):
            told = (await result_of(site, job.id)).json()
            assert told["status"] == "success"
            assert told["document"]["md_content"].startswith("<!-- page 1 -->")
            assert told["document"]["json_content"] is None

    play(desk, steps)


def test_warnings_are_told() -> None:
    notice = Notice(code="block_truncated", message="The text breaks off.")
    told = list(_errors(document(block("text", 0, "a", warnings=(notice,)))))
    assert [one["error_message"] for one in told] == ["The text breaks off."]
    assert told[0]["page_no"] == 3


def test_a_task_that_failed_says_why(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    job = desk.submit()
    desk.fail(job.id, Failure(code="page_timeout", message="Too slow.", retryable=True))

    async def steps(site: Site) -> None:
        status = (await site.get(f"/v1/status/poll/{job.id}")).json()
        assert (status["task_status"], status["error_message"]) == ("failure", "Too slow.")
        told = (await result_of(site, job.id)).json()
        assert told["kind"] == "TaskFailureResult"
        assert told["failure"]["category"] == "timeout"
        assert told["failure"]["retryable"] is True

    play(desk, steps)


def test_errors_are_details(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    waiting, erased = desk.submit(), desk.finish(desk.submit().id)
    desk.service.erase(erased.id)

    async def steps(site: Site) -> None:
        for path, status, detail in (
            ("/v1/status/poll/nothing", 404, "Task not found."),
            ("/v1/status/poll/%00", 404, "Task not found."),
            (f"/v1/result/{waiting.id}", 404, "Task result not found. Please wait"),
            (f"/v1/result/{erased.id}", 404, "Task result not found. "),
            (f"/v1/status/poll/{waiting.id}?wait=no", 422, "`wait` is not valid"),
            (f"/v1/status/poll/{waiting.id}?wiat=1", 422, "There is no parameter 'wiat'"),
        ):
            answer = await site.get(path)
            assert (answer.status, answer.json()["detail"][: len(detail)]) == (status, detail)

    play(desk, steps)


SOURCE = {"kind": "file", "base64_string": "JVBERiAxIA==", "filename": "a.pdf"}


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ([], "The body must be a JSON object."),
        ({"sources": []}, "`sources` must be a list of one."),
        ({"sources": [SOURCE, SOURCE]}, "`sources` are 2; send one a request."),
        ({"sources": [{"kind": "s3"}]}, "A source of the kind 's3' is not read here"),
        ({"sources": [{"kind": "http", "url": 3}]}, "A source needs a text as its `url`."),
        (
            {"sources": [{"kind": "http", "url": "http://a.b/c", "headers": {"A": "b"}}]},
            "`headers` of a source are not sent on here.",
        ),
        ({"sources": [SOURCE], "target": {"kind": "zip"}}, "There is no target 'zip' here"),
        (
            {"sources": [SOURCE], "callbacks": [{"url": "x"}]},
            "`callbacks` are not called here.",
        ),
        ({"sources": [SOURCE], "http_sources": []}, "There is no field 'http_sources' here."),
        (
            {"sources": [SOURCE], "options": {"from_formats": ["docx"]}},
            "The document is of the",
        ),
        ({"sources": [{**SOURCE, "base64_string": "%%"}]}, "`base64_string`"),
        ({"sources": [{**SOURCE, "filename": "a" * 256}]}, "`filename` has more than 255"),
        ({"sources": [{**SOURCE, "filename": "a" * 70_000}]}, "`filename` has more than 255"),
    ],
)
def test_what_a_request_may_not_be(tmp_path: Path, body: object, detail: str) -> None:
    async def steps(site: Site) -> None:
        answer = await site.post_json("/v1/convert/source/async", body)
        assert answer.status == 422, answer.body
        assert answer.json()["detail"].startswith(detail)

    play(Desk(tmp_path), steps)


def test_a_source_becomes_a_job(tmp_path: Path) -> None:
    desk = Desk(tmp_path)

    async def steps(site: Site) -> None:
        body = {"sources": [SOURCE], "options": {"ocr_preset": "fake", "page_range": [1, 9]}}
        answer = await site.post_json("/v1/convert/source/async", body)
        told = answer.json()
        assert (answer.status, told["task_status"], told["task_type"]) == (
            200,
            "pending",
            "convert",
        )
        job = desk.service.job(told["task_id"])
        assert (job.source.name, job.options.model, job.options.pages) == (
            "a.pdf",
            "fake",
            None,
        )

    play(desk, steps)


def chunk_items(document: Document, **options: Any) -> list[dict[str, Any]]:
    wanted = chunking.wanted_of("hybrid", options, with_document=False, texts=False)
    return list(chunking.chunks_of(document, wanted))


def test_a_chunk_names_its_items_headings_and_captions() -> None:
    ours = every_kind()
    told, tree = chunk_items(ours, include_raw_text=True), docling_document(ours)
    refs = {item["self_ref"] for name in ("texts", "tables", "pictures") for item in tree[name]}
    assert all(set(each["doc_items"]) <= refs and each["page_numbers"] == [3] for each in told)
    found = {ref for each in told for ref in each["doc_items"]}
    left = {item["text"] for item in tree["texts"] if item["self_ref"] not in found}
    assert left == {"title", "heading", "header", "footer", "page_number", "beside", "loose"}
    assert {ref for ref in refs - found if "/texts/" not in ref} == {"#/pictures/1"}
    (table,) = [each for each in told if "#/tables/0" in each["doc_items"]]
    assert "of the table" in table["captions"] and table["headings"] == ["title", "heading"]
    assert table["text"] == "\n".join([*table["headings"], table["raw_text"]])


def test_their_hierarchical_chunker_has_a_chunk_for_each_block() -> None:
    wanted = chunking.wanted_of("hierarchical", {}, with_document=False, texts=False)
    ours = document(*(block("text", order, "long " * 500) for order in range(3)))
    told = list(chunking.chunks_of(ours, wanted))
    assert [each["doc_items"] for each in told] == [[f"#/texts/{n}"] for n in range(3)]
    assert {each["num_tokens"] for each in told} == {None}
    assert len(chunk_items(ours)) == 9
    assert [each["num_tokens"] for each in chunk_items(ours, max_tokens=900)] == [500] * 3
    short = document(*(block("text", order, "short") for order in range(3)))
    assert [len(chunk_items(short, merge_peers=merge)) for merge in (True, False)] == [1, 3]


@pytest.mark.parametrize(
    "options",
    [
        {"tokenizer": "Qwen/Qwen3-Embedding-0.6B"},
        {"use_markdown_images": True},
        {"max_tokens": 0},
        {"chunker": "hierarchical"},
        {"no_such_option": 1},
        {"merge_peers": 3},
    ],
)
def test_chunks_that_are_not_made_are_refused_by_name(options: dict[str, Any]) -> None:
    [name] = options
    with pytest.raises(BadOption, match=name):
        chunk_items(document(), **options)


def test_chunks_are_asked_for_in_json_and_in_a_form(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    body = {
        "sources": [SOURCE],
        "convert_options": {"ocr_preset": "fake", "to_formats": ["text"]},
        "chunking_options": {"chunker": "hybrid", "max_tokens": 50, "include_raw_text": True},
        "include_converted_doc": True,
    }
    form: list[Part] = [
        ("files", b"%PDF 1 ", "b.pdf"),
        ("convert_ocr_preset", "fake"),
        ("chunking_include_raw_text", "False"),
        ("include_converted_doc", "False"),
        ("target_type", "inbody"),
    ]

    async def steps(site: Site) -> None:
        both = [
            await site.post_json("/v1/chunk/hybrid/source/async", body),
            await site.post_form("/v1/chunk/hierarchical/file/async", form),
        ]
        told = []
        for answer in both:
            assert answer.status == 200, answer.body
            task = answer.json()
            assert (task["task_type"], task["task_status"]) == ("chunk", "pending")
            desk.finish(task["task_id"])
            told.append((await result_of(site, task["task_id"])).json())
        assert [one["chunks"][0]["filename"] for one in told] == ["a.pdf", "b.pdf"]
        assert told[0]["chunks"][0]["raw_text"] and told[0]["chunks"][0]["num_tokens"]
        contents = [one["documents"][0]["content"] for one in told]
        assert contents[0]["text_content"] and contents[0]["md_content"] is None
        assert contents[1]["md_content"] is None and told[1]["documents"][0]["errors"] == []

    play(desk, steps)


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        ("hybrid", {"sources": [SOURCE], "options": {}}, "There is no field 'options'"),
        ("hybrid", {"sources": [SOURCE], "include_converted_doc": 3}, "`include_converted_doc"),
        ("hierarchical", {"sources": [SOURCE], "chunking_options": {"max_tokens": 3}}, "There"),
    ],
)
def test_what_a_request_for_chunks_may_not_be(
    tmp_path: Path, path: str, body: object, detail: str
) -> None:
    async def steps(site: Site) -> None:
        answer = await site.post_json(f"/v1/chunk/{path}/source/async", body)
        assert answer.status == 422, answer.body
        assert answer.json()["detail"].startswith(detail)
        strange = await site.post_json("/v1/chunk/magic/source", body)
        assert strange.status in (404, 422)
        fields: list[Part] = [("files", b"%PDF 1 ", "b.pdf"), ("ocr_preset", "fake")]
        refused = await site.post_form("/v1/chunk/hybrid/file", fields)
        assert refused.json()["detail"] == "There is no field 'ocr_preset' here."

    play(Desk(tmp_path), steps)


def test_a_long_url_is_fetched_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signed addresses of clouds may have thousands of letters."""
    url, asked = f"https://a.example/b.pdf?token={'x' * 3000}", list[str]()

    def download(address: str, into: Path, **_: object) -> Downloaded:
        asked.append(address)
        into.write_bytes(b"%PDF 1")
        return Downloaded(name="b.pdf", bytes=6)

    async def steps(site: Site) -> None:
        source = {"kind": "http", "url": url}
        body = {"sources": [source], "options": {"ocr_preset": "fake"}}
        assert (await site.post_json("/v1/convert/source/async", body)).status == 200
        document = {"type": "document_url", "document_url": url}
        await site.post_json("/v1/ocr", {"model": "no such", "document": document})
        assert asked == [url, url]

    monkeypatch.setattr(submitting, "download", download)
    play(Desk(tmp_path), steps)


def test_pictures_that_are_too_much_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MOST_LETTERS", 100)
    whole = document(block("figure", 0), block("figure", 1))
    assert Pictures(whole, lambda page, order: "x" * 50)
    with pytest.raises(TooLarge, match="`image_export_mode` referenced"):
        Pictures(whole, lambda page, order: "x" * 51)
