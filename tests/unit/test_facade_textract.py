"""Textract's wire format: blocks of what models give, and what is answered without a job."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import socket
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from botocore.parsers import create_parser
from starlette.requests import Request

from pagetide.document import Block as Area
from pagetide.document import BlockKind, Cell, Line, Page, Table, TextLayerDecision, Word
from pagetide.errors import BadOption, BlobMissing, StoreFailed, TooLarge
from pagetide.geometry import polygon_of
from pagetide.server.api.callers.auth import Caller
from pagetide.server.app import serving
from pagetide.server.compat import vet_settings
from pagetide.server.compat.textract import answers, buckets
from pagetide.server.compat.textract.answers import blocks_of
from pagetide.server.compat.textract.faults import Refused
from pagetide.server.compat.textract.routes import access_key
from pagetide.server.compat.textract.wire import Block
from pagetide.server.jobs.job import Job
from pagetide.server.jobs.keys import ApiKey
from pagetide.server.ports import JobQuery
from pagetide.settings import Settings
from tests import aws_shapes
from tests.unit.api_fake import Desk, Reply, Site, play

ROOT = Path(__file__).parents[2]
WIDTH, HEIGHT = 200, 100
BOTH = ("LAYOUT", "TABLES")


def page_of(*areas: Area, lines: tuple[Line, ...] = ()) -> Page:
    return Page(
        number=3,
        width=WIDTH,
        height=HEIGHT,
        dpi=144,
        width_pt=100,
        height_pt=50,
        text_layer=TextLayerDecision(used=False, reason="not_requested"),
        blocks=areas,
        lines=lines,
    )


def found(blocks: list[Block], kind: str) -> list[Block]:
    return [block for block in blocks if block.block_type == kind]


def ids(block: Block, kind: str = "CHILD") -> tuple[str, ...]:
    return tuple(id_ for each in block.relationships if each.type == kind for id_ in each.ids)


def corners(block: Block) -> list[tuple[float, float]]:
    points = block.geometry.polygon
    return [(round(p.x * WIDTH, 3), round(p.y * HEIGHT, 3)) for p in points]


def test_a_spanning_cell_is_cut_into_the_places_of_the_grid() -> None:
    wide = Cell(row=0, column=0, column_span=2, text="all of it", header=True)
    cells = (wide, Cell(row=1, column=0, text="a"), Cell(row=1, column=1, text="b"))
    area = Area(
        kind="table",
        polygon=polygon_of((0, 0, 100, 50)),
        order=0,
        table=Table(rows=2, columns=2, cells=cells),
        confidence=0.5,
    )
    blocks = blocks_of(page_of(area), "job_1", BOTH)
    places = [(b.row_index, b.column_index) for b in found(blocks, "CELL")]
    assert places == [(1, 1), (1, 2), (2, 1), (2, 2)]
    (merged,) = found(blocks, "MERGED_CELL")
    assert (merged.row_span, merged.column_span) == (1, 2)
    assert merged.entity_types == ("COLUMN_HEADER",)
    first, second, below, _ = found(blocks, "CELL")
    assert ids(merged) == (first.id, second.id)
    assert len(ids(first)) == 3 and not ids(second)
    # The model gave no places: the grid's own, all cells of one size.
    assert corners(merged) == list(polygon_of((0, 0, 100, 25)))
    assert corners(second) == list(polygon_of((50, 0, 100, 25)))
    assert corners(below) == list(polygon_of((0, 25, 50, 50)))
    (table,) = found(blocks, "TABLE")
    assert table.confidence == first.confidence == 50
    assert ids(table, "MERGED_CELL") == (merged.id,)


def test_a_model_without_lines_still_gives_its_text() -> None:
    text = Area(kind="text", polygon=polygon_of((0, 0, 100, 20)), order=1, text="one two\nx")
    title = Area(kind="title", polygon=polygon_of((0, 30, 100, 40)), order=0, text="Top")
    blocks = blocks_of(page_of(text, title), "job_1", ("LAYOUT",))
    assert [line.text for line in found(blocks, "LINE")] == ["Top", "one two", "x"]
    assert [word.text for word in found(blocks, "WORD")] == ["Top", "one", "two", "x"]
    assert all(line.confidence is None for line in found(blocks, "LINE"))
    head, layout = found(blocks, "LAYOUT_TITLE")[0], found(blocks, "LAYOUT_TEXT")[0]
    assert len(ids(head)) == 1 and len(ids(layout)) == 2


def test_a_cell_whose_lines_say_less_has_words_of_its_own() -> None:
    place = polygon_of((0, 0, 50, 10))
    line = Line(text="12", polygon=place, words=(Word(text="12", polygon=place),))
    cells = (
        Cell(row=0, column=0, text="12", line_indexes=(0,), polygon=place),
        Cell(row=0, column=1, text="12 kg", line_indexes=(0,), polygon=place),
    )
    table = Table(rows=1, columns=2, cells=cells)
    area = Area(kind="table", polygon=place, order=0, table=table)
    blocks = blocks_of(page_of(area, lines=(line,)), "job_1", BOTH)
    texts = {block.id: block.text for block in found(blocks, "WORD")}
    said = [[texts[id_] for id_ in ids(cell)] for cell in found(blocks, "CELL")]
    assert said == [["12"], ["12", "kg"]]


def test_cells_name_the_words_of_the_pages_lines_each_once() -> None:
    left, right = polygon_of((0, 0, 50, 10)), polygon_of((50, 0, 100, 10))
    both = polygon_of((0, 20, 100, 30))
    lines = (
        Line(text="10", polygon=left, words=(Word(text="10", polygon=left),)),
        Line(
            text="10%",
            polygon=right,
            words=(Word(text="1", polygon=right), Word(text="0%", polygon=right)),
        ),
        Line(
            text="a b",
            polygon=both,
            words=(
                Word(text="a", polygon=polygon_of((0, 20, 50, 30))),
                Word(text="b", polygon=polygon_of((50, 20, 100, 30))),
            ),
        ),
    )
    cells = (
        Cell(row=0, column=0, text="10%", line_indexes=(1,), polygon=right),
        Cell(row=0, column=1, text="10", line_indexes=(0,), polygon=left),
        Cell(row=1, column=0, text="a", line_indexes=(2,), polygon=lines[2].words[0].polygon),
        Cell(row=1, column=1, text="b", polygon=lines[2].words[1].polygon),
    )
    table = Table(rows=2, columns=2, cells=cells)
    area = Area(kind="table", polygon=both, order=0, line_indexes=(0, 1, 2), table=table)
    blocks = blocks_of(page_of(area, lines=lines), "job_1", BOTH)
    texts = {block.id: block.text for block in found(blocks, "WORD")}
    assert sorted(map(str, texts.values())) == ["0%", "1", "10", "a", "b"]
    said = [[texts[id_] for id_ in ids(cell)] for cell in found(blocks, "CELL")]
    assert said == [["1", "0%"], ["10"], ["a"], ["b"]]


def test_what_amazons_model_says_of_blocks_holds() -> None:
    kinds: tuple[BlockKind, ...] = get_args(BlockKind)
    place = polygon_of((0, 0, 50, 10))
    cells = (
        Cell(row=0, column=0, column_span=2, text="all", header=True),
        Cell(row=1, column=0, text="a", confidence=0.5),
    )
    table = Table(rows=2, columns=2, cells=cells)
    areas = [
        Area(
            kind=kind,
            polygon=place,
            order=order,
            text=f"a {kind}",
            table=table if kind == "table" else None,
            caption_of=kinds.index("table") if kind == "caption" else None,
        )
        for order, kind in enumerate(kinds)
    ]
    blocks = blocks_of(page_of(*areas), "job_1", BOTH)
    answer = {"JobStatus": "SUCCEEDED", "DocumentMetadata": {"Pages": 1}, "Blocks": blocks}
    told = json.loads(msgspec.json.encode(answer))
    assert list(aws_shapes.wrong(told, "GetDocumentAnalysisResponse")) == []
    made = {block.block_type for block in blocks}
    assert made >= {"PAGE", "LINE", "WORD", "TABLE", "CELL", "MERGED_CELL", "TABLE_TITLE"}
    told["Blocks"][0] |= {"BlockType": "SHEET", "Page": "1", "Colour": "red"}
    assert len(list(aws_shapes.wrong(told, "GetDocumentAnalysisResponse"))) == 3


def test_text_of_the_document_itself_is_certain_and_ids_stay() -> None:
    place = polygon_of((0, 0, 50, 10))
    page = page_of(lines=(Line(text="sure", polygon=place, source="text_layer"),))
    blocks = blocks_of(page, "job_1", ())
    assert [block.confidence for block in blocks] == [None, 100, 100]
    assert blocks_of(page, "job_1", ()) == blocks
    assert not {b.id for b in blocks} & {b.id for b in blocks_of(page, "job_2", ())}


def test_a_token_is_of_one_job(tmp_path: Path) -> None:
    job, other = (Desk(tmp_path).submit() for _ in range(2))
    assert answers.place_of(f"{job.id}.12.7", job) == (12, 7)
    for token in (f"{other.id}.12.7", f"{job.id}.12", f"{job.id}.-1.0", "", f"{job.id}.1.1 "):
        with pytest.raises(BadOption, match="NextToken"):
            answers.place_of(token, job)


def test_buckets_are_read_by_whom_they_are_for() -> None:
    given = {"scans": "s3://one/in", "scans@ab12": "s3://two/in?region=eu-west-1"}
    assert buckets.urls_of({"buckets": given}) == given
    for name in ("../x", "a//b", "/etc/passwd", "a/./b", "a\0b"):
        with pytest.raises(Refused, match="Name"):
            buckets.wanted({"S3Object": {"Bucket": "scans", "Name": name}})


def test_a_keys_own_bucket_goes_before_everybodys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "_opened", lambda url: url)
    given = {
        "scans": "s3://one",
        "scans@ab12cd34": "s3://two",
        "mine@ab12cd34": "s3://three",
    }
    settings = Settings(compat={"textract": {"buckets": given}})
    own = Caller(ApiKey(id="ab12cd34", name="a", sha256="", created_at=0))
    other = Caller(ApiKey(id="ffffffff", name="b", sha256="", created_at=0))
    read: list[Any] = [
        buckets.place_of("scans", who, settings) for who in (own, other, Caller())
    ]
    assert read == ["s3://two", "s3://one", "s3://one"]
    mine: Any = buckets.place_of("mine", own, settings)
    assert mine == "s3://three"
    for who in (other, Caller()):
        with pytest.raises(Refused, match="no bucket mine"):
            buckets.place_of("mine", who, settings)


def test_the_buckets_of_the_how_to_can_be_read(tmp_path: Path) -> None:
    text = (ROOT / "docs/how-to/clients/textract.md").read_text()
    [example] = re.findall(r"```toml\n(.*?)```", text, re.S)
    (tmp_path / "pagetide.toml").write_text(example)
    settings = Settings.from_environment({"PAGETIDE_CONFIG": str(tmp_path / "pagetide.toml")})
    assert set(buckets.urls_of(settings.compat["textract"])) == {"scans", "scans@ab12cd34"}


WRONG: dict[str, dict[str, object]] = {
    "a bucket that is text": {"buckets": "scans=s3://b"},
    "a list": {"buckets": ["s3://hunter2"]},
    "a file": {"buckets": {"scans": "/etc"}},
    "a file's URL": {"buckets": {"scans": "file:///etc"}},
    "a short name": {"buckets": {"a": "s3://b"}},
    "a name with a slash": {"buckets": {"s/c": "s3://b"}},
    "no URL": {"buckets": {"scans": 3}},
    "another key": {"bucket": {"scans": "s3://hunter2"}},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_is_no_bucket_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadOption, match=r"^PAGETIDE_COMPAT must have in textract") as refused:
        vet_settings({"textract": wrong})
    assert "hunter2" not in refused.value.message


@pytest.mark.parametrize("url", ["s3://bad name", "s3://b?region="])
def test_a_bucket_that_cannot_be_opened_is_told_of_at_once(url: str) -> None:
    with pytest.raises(BadOption):
        vet_settings({"textract": {"buckets": {"scans": url}}})


def test_settings_of_no_facade_are_refused() -> None:
    with pytest.raises(BadOption) as refused:
        vet_settings({"textrakt": {"buckets": {}}})
    assert refused.value.message == (
        "PAGETIDE_COMPAT has 'textrakt', and settings for textract alone."
    )


def test_a_wrong_setting_keeps_a_server_from_starting(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path), compat={"textract": {"bucket": {}}})
    with socket.create_server(("127.0.0.1", 0)) as listening, pytest.raises(BadOption):
        serving.run(settings, listening, keys_needed=False, parented=False)
    assert not list(tmp_path.iterdir())


def test_a_long_header_is_searched_but_once() -> None:
    # A search for each `Credential=` to the header's end would take an hour.
    header = "AWS4-HMAC-SHA256 " + "Credential=" * 200_000

    def asked(text: str) -> Request:
        return Request({"type": "http", "headers": [(b"authorization", text.encode())]})

    assert access_key(asked(header)) == ""
    signed = (
        "AWS4-HMAC-SHA256 SignedHeaders=host, Credential=pt_abc_d-e/2026/eu/textract/x, S=1"
    )
    assert access_key(asked(signed)) == "pt_abc_d-e"


class _Bucket:
    grows = False

    def copy(self, name: str, into: io.FileIO) -> str:
        if name == "gone":
            raise BlobMissing
        if name == "closed":
            raise StoreFailed("The credentials are refused for the bucket acme-private.")
        into.write(b"12345")
        into.write(b"67890")
        return ""


def test_a_bucket_gives_no_more_than_is_allowed(tmp_path: Path) -> None:
    place: Any = _Bucket()
    buckets.fetch(place, "there", tmp_path / "a", 10)
    assert (tmp_path / "a").read_bytes() == b"1234567890"
    with pytest.raises(TooLarge):
        buckets.fetch(place, "there", tmp_path / "b", 9)
    with pytest.raises(Refused, match="no such object"):
        buckets.fetch(place, "gone", tmp_path / "c", 10)


def test_a_bucket_that_fails_is_named_in_the_log_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place: Any = _Bucket()
    with pytest.raises(StoreFailed) as told:
        buckets.fetch(place, "closed", tmp_path / "a", 10)
    assert "acme-private" not in told.value.message
    assert "acme-private" in caplog.text


def test_a_file_that_takes_a_part_at_a_time_gets_all(tmp_path: Path) -> None:
    class Slow(io.FileIO):
        def write(self, content: Any) -> int:
            return super().write(content[:3])

    class Bounded(buckets._Bounded, Slow):
        pass

    with Bounded(tmp_path / "a", 10) as file:
        assert file.write(b"12345") == file.write(b"67890") == 5
    assert (tmp_path / "a").read_bytes() == b"1234567890"


async def ask(site: Site, target: str, body: object, **headers: str) -> Reply:
    named = {"x-amz-target": target, "content-type": "application/x-amz-json-1.1", **headers}
    return await site.ask("POST", "/", headers=named, body=json.dumps(body).encode())


def test_without_a_target_the_path_is_not_there(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        assert (await site.post_json("/", {})).status == 404
        assert (await site.get("/", **{"x-amz-target": "Textract.GetAdapter"})).status == 404
        other = await ask(site, "DynamoDB_20120810.GetItem", {})
        assert (other.status, other.json()["__type"]) == (400, "UnknownOperationException")

    play(Desk(tmp_path, page=False), steps)


def test_a_token_is_of_one_operation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Shelf:
        grows = False

        def copy(self, name: str, into: io.FileIO) -> str:
            into.write(b"%PDF 2")
            return ""

    monkeypatch.setattr(buckets, "_opened", lambda url: Shelf())
    desk = Desk(tmp_path, compat={"textract": {"buckets": {"scans": "s3://one"}}})
    where = {"DocumentLocation": {"S3Object": {"Bucket": "scans", "Name": "a.pdf"}}}
    once = {**where, "ClientRequestToken": "once"}

    async def steps(site: Site) -> None:
        text = [await ask(site, "Textract.StartDocumentTextDetection", once) for _ in "ab"]
        both = {**once, "FeatureTypes": ["TABLES"]}
        tables = await ask(site, "Textract.StartDocumentAnalysis", both)
        assert text[0].json() == text[1].json() != tables.json()
        assert tables.status == 200
        other = await ask(
            site, "Textract.StartDocumentAnalysis", {**once, "FeatureTypes": ["LAYOUT"]}
        )
        assert other.json()["__type"] == "IdempotentParameterMismatchException"

    play(desk, steps)


def test_what_nobody_expected_is_told_in_its_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path)

    def broken(*_: object) -> None:
        raise ZeroDivisionError("something from inside")

    monkeypatch.setattr(desk.service, "job", broken)

    async def steps(site: Site) -> None:
        reply = await ask(site, "Textract.GetDocumentAnalysis", {"JobId": "job_1"})
        assert (reply.status, reply.json()["__type"]) == (500, "InternalServerError")
        assert "inside" not in reply.json()["message"]
        for body in (b"", b"{", b"[" * 100_000, b"\xff"):
            named = {"x-amz-target": "Textract.DetectDocumentText"}
            reply = await site.ask("POST", "/", headers=named, body=body)
            assert (reply.status, reply.json()["__type"]) == (400, "SerializationException")

    play(desk, steps)


@pytest.mark.parametrize(
    ("operation", "body", "error", "words"),
    [
        ("DetectDocumentText", [], "SerializationException", "object"),
        ("DetectDocumentText", {}, "InvalidParameterException", "Document"),
        ("DetectDocumentText", {"Document": {}}, "InvalidParameterException", "either"),
        ("DetectDocumentText", {"Document": {"Bytes": "%"}}, "InvalidParameter", "base64"),
        ("DetectDocumentText", {"Paper": 1}, "InvalidParameterException", "Paper"),
        ("AnalyzeDocument", {"FeatureTypes": []}, "InvalidParameterException", "FeatureTypes"),
        ("AnalyzeDocument", {"FeatureTypes": ["X"]}, "InvalidParameterException", "'X'"),
        ("AnalyzeDocument", {"HumanLoopConfig": {}}, "InvalidParameter", "HumanLoopConfig"),
        ("GetDocumentAnalysis", {"JobId": "job_0"}, "InvalidJobIdException", "no such job"),
        ("GetDocumentAnalysis", {"JobId": "x", "MaxResults": 0}, "Invalid", "MaxResults"),
    ],
)
def test_what_is_wrong_is_named(
    tmp_path: Path, operation: str, body: object, error: str, words: str
) -> None:
    async def steps(site: Site) -> None:
        reply = await ask(site, f"Textract.{operation}", body)
        assert reply.status == 400
        assert reply.headers["content-type"] == "application/x-amz-json-1.1"
        assert reply.json()["__type"].startswith(error)
        assert words in reply.json()["message"]

    play(Desk(tmp_path), steps)


def test_tries_of_one_call_are_one_job(tmp_path: Path) -> None:
    desk = Desk(tmp_path, aliases={"DetectDocumentText": "fake"})
    body = {"Document": {"Bytes": base64.b64encode(b"%PDF 1 scan").decode()}}
    named = {
        "x-amz-target": "Textract.DetectDocumentText",
        "amz-sdk-invocation-id": "0f8fad5b-d9cb-469f-a165-70867728950e",
    }

    def jobs() -> tuple[Job, ...]:
        return desk.service.jobs(JobQuery(owner=None, limit=9))

    async def steps(site: Site) -> None:
        sent = [json.dumps(body).encode()]
        tries = [site.begin("POST", "/", headers=named, body=sent) for _ in range(2)]
        async with asyncio.timeout(60):
            while not jobs():
                await asyncio.sleep(0.01)
        desk.finish(jobs()[0].id)
        replies = [await each.ended() for each in tries]
        assert [reply.status for reply in replies] == [200, 200]
        assert replies[0].json()["Blocks"] == replies[1].json()["Blocks"]
        assert len(jobs()) == 1

    play(desk, steps)


def test_another_protocol_is_refused_in_its_own_form(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        reply = await site.ask("POST", "/service/Textract/operation/DetectDocumentText")
        parser = create_parser("smithy-rpc-v2-cbor")
        given = {"status_code": reply.status, "headers": reply.headers, "body": reply.body}
        told = parser.parse(given, None)["Error"]
        assert told["Code"] == "UnknownOperationException"
        assert "JSON 1.1" in told["Message"]

    play(Desk(tmp_path), steps)
