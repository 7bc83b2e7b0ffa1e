"""boto3's client of Textract against a running server, with documents in Moto's bucket."""

from __future__ import annotations

import functools
import io
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pypdf
import pytest

import pagetide
from pagetide.document import Block, Document, Page
from pagetide.document.field import Value
from pagetide.geometry import box_of
from tests.aws_shapes import wrong
from tests.client_script import answers_of
from tests.drawn.forms import labelled_form
from tests.drawn.tables import tables_pdf
from tests.parts.clouds import make_bucket
from tests.parts.moto import REGION
from tests.served import PAGETIDE, Served, serving
from tests.serving import pdf
from tests.waiting import until

SCRIPT = Path(__file__).parents[1] / "clients" / "textract_boto3.py"
SAMPLES = Path(__file__).parents[2] / "samples"
FAILING = 8  # the page of every task of eight that the fake model fails on
LINES = 20
PAGES = 200
Json = dict[str, Any]
Talk = Callable[..., list[Json]]
FOUND: dict[str, Json] = {}

get = functools.partial(httpx.get, timeout=60)
post = functools.partial(httpx.post, timeout=60)
put = functools.partial(httpx.put, timeout=60)


def pages_with_tables() -> bytes:
    writer, written = pypdf.PdfWriter(), io.BytesIO()
    writer.append(io.BytesIO(tables_pdf()), pages=(4, 5))  # cells that span others
    writer.append(SAMPLES / "mixed.pdf", pages=(3, 4))
    writer.write(written)
    return written.getvalue()


@pytest.fixture(scope="module")
def bucket(moto: Any) -> str:
    """A bucket with documents, below a prefix; and one beside it that is nobody's business."""
    make_bucket(moto.endpoint, "textract-scans")
    put(f"{moto.endpoint}/textract-scans/secret.pdf", content=pdf(1))
    for name, content in {
        "tables.pdf": pages_with_tables(),
        "three.pdf": pdf(3),
        "many.pdf": pdf(PAGES),
        "a folder/grün + 1.pdf": pdf(2),
        "form.pdf": labelled_form(),
        "bills.pdf": (SAMPLES / "mixed.pdf").read_bytes(),
        "words.txt": b"words",
        "broken.pdf": b"%PDF-1.7\nnothing follows",
    }.items():
        put(f"{moto.endpoint}/textract-scans/open/{name}", content=content)
    return f"s3://textract-scans/open?endpoint={moto.endpoint}&region={REGION}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, bucket: str) -> Iterator[Served]:
    with serving(
        tmp_path_factory.mktemp("textract"),
        aliases={"DetectDocumentText": f"fake?lines={LINES}&fail={FAILING}"},
        compat={"textract": {"buckets": {"scans": bucket}}},
        idle_s=5,
    ) as running:
        yield running


@pytest.fixture(scope="module")
def talk(served: Served, clients_python: str) -> Talk:
    """Makes calls with boto3, by a key that is the first unless another is named."""

    def called(*calls: tuple[str, Json], key: str = served.key) -> list[Json]:
        return answers_of(clients_python, SCRIPT, [served.url, key], calls)

    return called


def in_bucket(name: str, bucket: str = "scans") -> Json:
    return {"S3Object": {"Bucket": bucket, "Name": name}}


def at(name: str, **more: Any) -> Json:
    return {"DocumentLocation": in_bucket(name), **more}


def document_of(served: Served, job_id: str) -> Document:
    headers = {"Authorization": f"Bearer {served.key}"}
    url = f"{served.url}/v1/jobs/{job_id}/result?wait=30"
    answer = get(url, headers=headers, follow_redirects=True)
    return Document.from_json(answer.raise_for_status().content)


def children(block: Json, kind: str = "CHILD") -> list[Json]:
    named = [each["Ids"] for each in block.get("Relationships", ()) if each["Type"] == kind]
    return [FOUND[id_] for ids in named for id_ in ids]


def words(block: Json) -> str:
    return "".join(child["Text"] for child in children(block) if "Text" in child)


def letters(text: str) -> str:
    return "".join(text.split())


def assert_place(block: Json, polygon: Any, page: Page) -> None:
    """It stands where the document says, to a pixel."""
    box, corners = block["Geometry"]["BoundingBox"], block["Geometry"]["Polygon"]
    assert len(corners) == len(polygon)
    for corner, (x, y) in zip(corners, polygon, strict=True):
        assert abs(corner["X"] * page.width - x) < 1
        assert abs(corner["Y"] * page.height - y) < 1
    left, top = box["Left"] * page.width, box["Top"] * page.height
    found = (left, top, left + box["Width"] * page.width, top + box["Height"] * page.height)
    assert all(abs(a - b) < 1 for a, b in zip(found, box_of(polygon), strict=True))
    values = (box["Left"], box["Top"], box["Left"] + box["Width"], box["Top"] + box["Height"])
    assert all(-1e-6 <= value <= 1 + 1e-6 for value in values)


def compare_lines(page: Page, lines: list[Json]) -> None:
    assert [line["Text"] for line in lines] == [line.text for line in page.lines]
    for line, block in zip(page.lines, lines, strict=True):
        assert_place(block, line.polygon, page)
        said = children(block)
        assert [word["Text"] for word in said] == [word.text for word in line.words]
        for word, told in zip(line.words, said, strict=True):
            assert_place(told, word.polygon, page)
        sure = 100 if line.confidence is None else line.confidence * 100
        assert block["Confidence"] == pytest.approx(sure, abs=0.01)


def compare_table(page: Page, area: Block, block: Json) -> int:
    """See that a table is the same; how many of its cells span."""
    assert area.table
    assert_place(block, area.polygon, page)
    places = {(c["RowIndex"], c["ColumnIndex"]): c for c in children(block)}
    assert all(c["RowSpan"] == c["ColumnSpan"] == 1 for c in places.values())
    merged = {(c["RowIndex"], c["ColumnIndex"]): c for c in children(block, "MERGED_CELL")}
    covered = 0
    for cell in area.table.cells:
        place = (cell.row + 1, cell.column + 1)
        spans = cell.row_span * cell.column_span > 1
        assert spans == (place in merged)
        told = merged.pop(place) if spans else places[place]
        assert (told["RowSpan"], told["ColumnSpan"]) == (cell.row_span, cell.column_span)
        parts = children(told) if spans else [told]
        assert letters("".join(map(words, parts))) == letters(cell.text)
        assert ("COLUMN_HEADER" in told.get("EntityTypes", ())) == cell.header
        covered += len(parts)
        if cell.polygon:
            assert_place(told, cell.polygon, page)
    assert covered == len(places)
    assert not merged
    titles = [words(title) for title in children(block, "TABLE_TITLE")]
    named = [letters(b.text) for b in page.blocks if b.caption_of == area.order]
    assert titles == named
    return sum(cell.row_span * cell.column_span > 1 for cell in area.table.cells)


def compare_forms(page: Page, keys: list[Json]) -> None:
    """See that labels, values and boxes are those of the document's fields."""
    fields = page.fields()
    options = [option for choice in fields.choices for option in choice.options]
    wanted = [(pair.label, pair.value) for pair in fields.pairs]
    wanted += [(option.label, option.mark) for option in options if option.label]
    told = [block for block in keys if block["EntityTypes"] == ["KEY"]]
    assert len(told) == len(wanted) == len(keys) / 2
    states = {each.mark: "SELECTED" if each.selected else "NOT_SELECTED" for each in options}
    for (label, value), key in zip(wanted, told, strict=True):
        [behind] = children(key, "VALUE")
        assert behind in keys and behind["EntityTypes"] == ["VALUE"]
        assert words(key) == letters(label.text)
        assert_place(key, label.polygon, page)
        assert_place(behind, value.polygon, page)
        if state := states.get(value):
            [mark] = children(behind)
            assert (mark["BlockType"], mark["SelectionStatus"]) == ("SELECTION_ELEMENT", state)
        else:
            assert words(behind) == letters(value.text)
        for block, of in ((key, label), (behind, value)):
            sure = 100 if of.confidence is None else of.confidence * 100
            assert block["Confidence"] == pytest.approx(sure, abs=0.01)


def compare(document: Document, answer: Json, *features: str) -> int:
    """See that an answer says what the document does; how many cells span."""
    FOUND.clear()
    FOUND.update({block["Id"]: block for block in answer["Blocks"]})
    assert len(FOUND) == len(answer["Blocks"])
    heads = [block for block in answer["Blocks"] if block["BlockType"] == "PAGE"]
    assert [head["Page"] for head in heads] == [page.number for page in document.pages]
    assert answer["DocumentMetadata"]["Pages"] == document.source.page_count
    spans = 0
    for page, head in zip(document.pages, heads, strict=True):
        kinds = defaultdict(list)
        for block in children(head):
            assert block["Page"] == page.number
            kinds[block["BlockType"]].append(block)
        compare_lines(page, kinds.pop("LINE", []))
        areas = sorted(page.blocks, key=lambda area: area.order)
        tables = [area for area in areas if area.table and "TABLES" in features]
        for area, table in zip(tables, kinds.pop("TABLE", []), strict=True):
            spans += compare_table(page, area, table)
        keys = kinds.pop("KEY_VALUE_SET", [])
        if "FORMS" in features:
            compare_forms(page, keys)
        layout = [b for b in children(head) if b["BlockType"].startswith("LAYOUT_")]
        areas = areas if "LAYOUT" in features else []
        for area, block in zip(areas, layout, strict=True):
            assert_place(block, area.polygon, page)
    return spans


def test_a_document_with_tables_is_as_its_json_says(talk: Talk, served: Served) -> None:
    started, done, model = talk(
        ("start_document_analysis", at("tables.pdf", FeatureTypes=["TABLES", "LAYOUT"])),
        ("until_done", {"get": "get_document_analysis", "JobId": {"job": 0}}),
        ("get_document_text_detection", {"JobId": {"job": 0}}),
    )
    assert done["JobStatus"] == "SUCCEEDED"
    document = document_of(served, started["JobId"])
    assert compare(document, done, "TABLES", "LAYOUT") >= 1
    assert {b["BlockType"] for b in done["Blocks"]} >= {"MERGED_CELL", "LAYOUT_TABLE"}
    assert document.model.name in done["AnalyzeDocumentModelVersion"]
    assert document.model.version in done["AnalyzeDocumentModelVersion"]
    assert model["error"] == "InvalidJobIdException"  # of the other operation
    named = {
        "X-Amz-Target": "Textract.GetDocumentAnalysis",
        "Authorization": f"Bearer {served.key}",
    }
    asked = {"JobId": started["JobId"]}
    told = post(served.url, headers=named, json=asked)  # boto3 leaves out the unknown
    assert list(wrong(told.json(), "GetDocumentAnalysisResponse")) == []


def test_a_form_has_its_labels_values_and_boxes(talk: Talk, served: Served) -> None:
    started, done = talk(
        ("start_document_analysis", at("form.pdf", FeatureTypes=["FORMS"])),
        ("until_done", {"get": "get_document_analysis", "JobId": {"job": 0}}),
    )
    document = document_of(served, started["JobId"])
    compare(document, done, "FORMS")
    marks = [b["SelectionStatus"] for b in done["Blocks"] if "SelectionStatus" in b]
    assert sorted(marks) == ["NOT_SELECTED"] * 2 + ["SELECTED"] * 2
    values = {words(b) for b in done["Blocks"] if b.get("EntityTypes") == ["VALUE"]}
    assert values >= {"Minnow", "MaudFenn"}


def test_forms_and_tables_come_together(talk: Talk, served: Served) -> None:
    started, done = talk(
        ("start_document_analysis", at("bills.pdf", FeatureTypes=["TABLES", "FORMS"])),
        ("until_done", {"get": "get_document_analysis", "JobId": {"job": 0}}),
    )
    document = document_of(served, started["JobId"])
    compare(document, done, "TABLES", "FORMS")
    kinds = {block["BlockType"] for block in done["Blocks"]}
    assert kinds == {"PAGE", "LINE", "WORD", "TABLE", "CELL", "KEY_VALUE_SET"}


def said(found: list[Json]) -> list[tuple[str, str]]:
    return [(each["Type"]["Text"], each["ValueDetection"]["Text"]) for each in found]


def test_a_bill_is_told_as_an_expense(talk: Talk, served: Served) -> None:
    started, done, receipt = talk(
        ("start_expense_analysis", at("bills.pdf")),
        ("until_done", {"get": "get_expense_analysis", "JobId": {"job": 0}}),
        ("analyze_expense", {"Document": {"Bytes": {"file": str(SAMPLES / "receipt.jpg")}}}),
    )
    document = document_of(served, started["JobId"])
    assert done["JobStatus"] == "SUCCEEDED"
    assert document.model.name in done["AnalyzeExpenseModelVersion"]
    bill = document.fields().bill
    assert bill
    [expense] = done["ExpenseDocuments"]
    summary = {kind: text for kind, text in said(expense["SummaryFields"]) if kind != "OTHER"}
    assert {summary[kind]: kind for kind in NAMED.values() if kind in summary} == {
        bill.fields[name].text: kind for name, kind in NAMED.items() if name in bill.fields
    }
    assert summary["INVOICE_RECEIPT_ID"] == "2024-00713"
    [total] = [f for f in expense["SummaryFields"] if f["Type"]["Text"] == "TOTAL"]
    assert total["Currency"]["Code"] == "EUR" and total["Type"]["Confidence"] == 100
    assert "LabelDetection" in total and total["PageNumber"] == 1
    [group] = expense["LineItemGroups"]
    rows = [said(each["LineItemExpenseFields"]) for each in group["LineItems"]]
    assert [dict(row)["PRICE"] for row in rows] == text_of(item.amount for item in bill.items)
    assert [dict(row)["ITEM"] for row in rows] == text_of(i.description for i in bill.items)
    assert all(row[-1][0] == "EXPENSE_ROW" for row in rows)
    assert dict(rows[0])["PRICE"] in rows[0][-1][1]
    assert {block["BlockType"] for block in expense["Blocks"]} == {"PAGE", "LINE", "WORD"}
    [paper] = receipt["ExpenseDocuments"]
    known = pagetide.read(SAMPLES / "receipt.jpg").fields()
    assert known.bill
    wanted = known.bill.fields["total"]
    [told] = [f for f in paper["SummaryFields"] if f["Type"]["Text"] == "TOTAL"]
    assert told["ValueDetection"]["Text"] == wanted.text
    sure = told["ValueDetection"]["Confidence"]
    assert sure == pytest.approx(100 * (wanted.confidence or 0), abs=0.01)


def text_of(values: Iterable[Value | None]) -> list[str]:
    return [value.text for value in values if value]


def test_of_what_is_no_bill_labels_and_values_are_told(talk: Talk, served: Served) -> None:
    started, done = talk(
        ("start_expense_analysis", at("form.pdf")),
        ("until_done", {"get": "get_expense_analysis", "JobId": {"job": 0}}),
    )
    [expense] = done["ExpenseDocuments"]
    assert said(expense["SummaryFields"]) == [("OTHER", "Minnow"), ("OTHER", "Maud Fenn")]
    labels = [each["LabelDetection"]["Text"] for each in expense["SummaryFields"]]
    assert labels == ["Vessel", "owner"] and expense["LineItemGroups"] == []
    named = {
        "X-Amz-Target": "Textract.GetExpenseAnalysis",
        "Authorization": f"Bearer {served.key}",
    }
    told = post(served.url, headers=named, json={"JobId": started["JobId"]})
    assert list(wrong(told.json(), "GetExpenseAnalysisResponse")) == []


NAMED = {
    "supplier": "VENDOR_NAME",
    "customer": "RECEIVER_NAME",
    "number": "INVOICE_RECEIPT_ID",
    "date": "INVOICE_RECEIPT_DATE",
    "due_date": "DUE_DATE",
    "subtotal": "SUBTOTAL",
    "tax": "TAX",
    "total": "TOTAL",
}


def test_a_picture_is_read_while_its_sender_waits(talk: Talk, served: Served) -> None:
    picture = {"Bytes": {"file": str(SAMPLES / "table.png")}}
    tables, text = talk(
        ("analyze_document", {"Document": picture, "FeatureTypes": ["TABLES"]}),
        ("detect_document_text", {"Document": picture}),
    )
    headers = {"Authorization": f"Bearer {served.key}"}
    listed = get(f"{served.url}/v1/jobs?limit=2", headers=headers).json()["jobs"]
    assert [job["metadata"]["textract"] for job in listed] == [
        "DetectDocumentText",
        "AnalyzeDocument",
    ]
    assert compare(document_of(served, listed[1]["id"]), tables, "TABLES") == 0
    titles = [b for b in tables["Blocks"] if b["BlockType"] == "TABLE_TITLE"]
    assert len(titles) == 2
    assert {b["BlockType"] for b in text["Blocks"]} == {"PAGE", "LINE", "WORD"}
    assert text["DetectDocumentTextModelVersion"] == "fake (fake 1)"


def test_a_long_document_comes_in_parts_and_names_its_failed_pages(
    talk: Talk, served: Served
) -> None:
    started, done, few, wrong, foreign = talk(
        ("start_document_text_detection", at("many.pdf", JobTag="batch:7")),
        ("until_done", {"get": "get_document_text_detection", "JobId": {"job": 0}}),
        (
            "get_document_text_detection",
            {"JobId": {"job": 0}, "MaxResults": 3},
        ),
        ("get_document_text_detection", {"JobId": {"job": 0}, "NextToken": "x.1.1"}),
        ("start_document_text_detection", at("three.pdf")),
    )
    assert done["JobStatus"] == "PARTIAL_SUCCESS"
    document = document_of(served, started["JobId"])
    failed = [page.number for page in document.failed_pages]
    assert failed and done["Warnings"] == [{"ErrorCode": "engine_failed", "Pages": failed}]
    assert str(len(failed)) in done["StatusMessage"]
    compare(document, done)
    assert len(done["Blocks"]) > 10_000
    assert done["parts"][:-1] == [1000] * (len(done["parts"]) - 1)
    assert [block["Id"] for block in few["Blocks"]] == [b["Id"] for b in done["Blocks"][:3]]
    assert wrong["error"] == "InvalidParameterException"
    (other,) = talk(
        (
            "get_document_text_detection",
            {"JobId": foreign["JobId"], "NextToken": few["NextToken"]},
        )
    )
    assert "NextToken" in other["message"]
    job = get(
        f"{served.url}/v1/jobs/{started['JobId']}",
        headers={"Authorization": f"Bearer {served.key}"},
    ).json()
    assert job["metadata"] == {
        "textract": "DetectDocumentText",
        "textract_job_tag": "batch:7",
        "textract_object": "scans/many.pdf",
    }


def test_a_client_request_token_makes_one_job(talk: Talk, served: Served) -> None:
    token = {"ClientRequestToken": "once-and-only"}
    first, same, other, none = talk(
        ("start_document_text_detection", at("three.pdf", **token)),
        ("start_document_text_detection", at("three.pdf", **token)),
        ("start_document_text_detection", at("a folder/grün + 1.pdf", **token)),
        ("start_document_text_detection", at("a folder/grün + 1.pdf")),
    )
    assert first["JobId"] == same["JobId"] != none["JobId"]
    assert (other["error"], other["status"]) == ("IdempotentParameterMismatchException", 400)


def test_only_opened_buckets_are_read(talk: Talk) -> None:
    start = "start_document_text_detection"
    answers = talk(
        (start, {"DocumentLocation": in_bucket("secret.pdf")}),
        (start, {"DocumentLocation": in_bucket("../secret.pdf")}),
        (start, {"DocumentLocation": in_bucket("three.pdf", "textract-scans")}),
        (start, {"DocumentLocation": in_bucket("gone.pdf")}),
        ("detect_document_text", {"Document": in_bucket("secret.pdf")}),
    )
    assert {answer["error"] for answer in answers} == {"InvalidS3ObjectException"}
    assert all("textract-scans/open" not in answer["message"] for answer in answers)


def created_key(served: Served, *words: str) -> str:
    """A key made while the server runs, which looks for new ones now and then."""
    create = [*PAGETIDE, "keys", "create", *words]
    made = subprocess.run(create, env=served.environment, capture_output=True, check=True)
    key = made.stdout.decode().strip()
    headers = {"Authorization": f"Bearer {key}"}
    until(lambda: get(f"{served.url}/v1/jobs", headers=headers).is_success)
    return key


def test_documents_that_cannot_be_read_have_textracts_errors(
    talk: Talk, served: Served, tmp_path: Path
) -> None:
    key = created_key(served, "small", "--max-bytes", "100")
    two = tmp_path / "two.pdf"
    two.write_bytes(pdf(2))
    detect = "detect_document_text"
    unsupported, bad, pages = talk(
        (detect, {"Document": in_bucket("words.txt")}),
        (detect, {"Document": in_bucket("broken.pdf")}),
        (detect, {"Document": {"Bytes": {"file": str(two)}}}),
    )
    assert unsupported["kind"] == unsupported["error"] == "UnsupportedDocumentException"
    assert bad["kind"] == bad["error"] == "BadDocumentException"
    assert pages["error"] == "UnsupportedDocumentException" and "Start" in pages["message"]
    sent, fetched = talk(
        (detect, {"Document": {"Bytes": {"file": str(two)}}}),
        ("start_document_text_detection", at("three.pdf")),
        key=key,
    )
    assert sent["kind"] == fetched["kind"] == "DocumentTooLargeException"


def test_what_is_not_to_be_had_is_refused_by_name(talk: Talk) -> None:
    analyze, picture = "start_document_analysis", at("three.pdf")
    topic = {"SNSTopicArn": "arn:aws:sns:us-east-1:123456789012:done", "RoleArn": "x" * 20}
    answers = talk(
        *((analyze, picture | {"FeatureTypes": ["TABLES", name]}) for name in NEVER),
        (analyze, picture | {"FeatureTypes": ["LAYOUT"], "NotificationChannel": topic}),
        (analyze, picture | {"FeatureTypes": ["LAYOUT"], "OutputConfig": {"S3Bucket": "abc"}}),
        (analyze, picture | {"FeatureTypes": ["LAYOUT"], "KMSKeyId": "abc"}),
        (
            "start_document_text_detection",
            {"DocumentLocation": {"S3Object": {**picture_object(), "Version": "1"}}},
        ),
        ("analyze_id", {"DocumentPages": [in_bucket("three.pdf")]}),
    )
    *named, last = answers
    wanted = [*NEVER, "NotificationChannel", "OutputConfig", "KMSKeyId", "Version"]
    for name, answer in zip(wanted, named, strict=True):
        assert answer["error"] == "InvalidParameterException"
        assert name in answer["message"]
    assert last["error"] == "UnknownOperationException"


NEVER = ["QUERIES", "SIGNATURES"]


def picture_object() -> Json:
    return {"Bucket": "scans", "Name": "three.pdf"}


def test_keys_are_asked_for_and_see_only_their_own(talk: Talk, served: Served) -> None:
    (started,) = talk(("start_document_text_detection", at("three.pdf")))
    get = ("get_document_text_detection", {"JobId": started["JobId"]})
    (other,) = talk(get, key=served.keys[1])
    (stranger,) = talk(get, key="pt_00000000_" + "x" * 43)
    assert other["kind"] == "InvalidJobIdException"
    assert (stranger["error"], stranger["status"]) == ("UnrecognizedClientException", 400)
    named = {"X-Amz-Target": "Textract.DetectDocumentText"}
    nobody = post(served.url, headers=named, content=b"{}")
    assert nobody.json()["__type"] == "MissingAuthenticationTokenException"
    plain = post(served.url, content=b"{}")
    assert plain.status_code == 405
    assert plain.headers["content-type"] == "application/problem+json"


def test_an_erased_job_is_gone(talk: Talk, served: Served) -> None:
    (started,) = talk(("start_document_text_detection", at("three.pdf")))
    headers = {"Authorization": f"Bearer {served.key}"}
    job = f"{served.url}/v1/jobs/{started['JobId']}"
    erased = httpx.delete(job, headers=headers, timeout=60)
    assert erased.status_code == 204
    (gone,) = talk(("get_document_text_detection", {"JobId": started["JobId"]}))
    assert (gone["kind"], gone["status"]) == ("InvalidJobIdException", 400)


def test_too_much_at_once_is_told_so_that_a_client_waits(talk: Talk, served: Served) -> None:
    key = created_key(served, "busy", "--max-active", "1")
    bearer, place = {"Authorization": f"Bearer {key}"}, f"{served.url}/v1/jobs"
    slow, files = {"model": "fake?slow=0.3"}, {"file": pdf(PAGES)}  # for a minute
    busy = post(place, headers=bearer, data=slow, files=files).raise_for_status().json()["id"]
    start, wait = talk(
        ("start_document_text_detection", at("three.pdf")),
        ("detect_document_text", {"Document": {"Bytes": {"file": str(SAMPLES / "table.png")}}}),
        key=key,
    )
    assert start["kind"] == "LimitExceededException"
    assert wait["kind"] == "ProvisionedThroughputExceededException"
    post(f"{place}/{busy}/cancel", headers=bearer).raise_for_status()
    (again,) = talk(("start_document_text_detection", at("three.pdf")), key=key)
    assert again["JobId"]
