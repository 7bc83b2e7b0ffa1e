"""Values by a model server, over a running server: ours, and through three vendors' clients."""

from __future__ import annotations

import asyncio
import io
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image
from pydantic import BaseModel

from bench.extraction.liars import pieces_of
from bench.fake_vl_server import Asked, FakeVlServer, Reply
from pagetide.client import AsyncClient, Client
from pagetide.errors import BadSchema
from tests.acceptance.test_facade_azure import page_with_figure
from tests.client_script import answers_of
from tests.parts import forks
from tests.served import PAGETIDE, Served, serving
from tests.written_pdf import text, written_pdf

CLIENTS = Path(__file__).parents[1] / "clients"
SCHEMA = {
    "type": "object",
    "properties": {"total": {"type": "number"}, "supplier": {"type": "string"}},
}
Json = dict[str, Any]


def says(asked: Asked) -> Reply:
    """The total from its line, and of everything else something that nobody wrote."""
    [line] = [key for key, said in pieces_of(asked) if said.startswith("Total")]
    form = re.search(r'^\{".*\}$', str(asked.body["messages"][0]["content"]), re.M)
    assert form
    found = {}
    for name, part in json.loads(form[0])["properties"].items():
        value = part["properties"]["value"]
        wanted = f"{name} {value.get('description', '')}".lower()
        total = 1234.5 if "number" in value["type"] else "1,234.50"
        found[name] = {"value": total if "total" in wanted else "Evil Corp", "lines": [line]}
    return Reply(text=json.dumps(found))


@pytest.fixture(scope="module")
def model() -> Iterator[FakeVlServer]:
    with FakeVlServer(says) as fake:
        yield fake


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, model: FakeVlServer) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("extraction")
    with serving(folder, extract_url=model.url, idle_s=30) as running:
        yield running


@pytest.fixture(scope="module")
def bill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("documents") / "bill.pdf"
    rows = (b"Invoice R-17", b"Nordsee Handel GmbH", b"Total: 1,234.50 EUR")
    shown = b"".join(text(row, y=700 - 40 * place) for place, row in enumerate(rows))
    path.write_bytes(written_pdf(shown))
    return path


def asked_own(served: Served, **more: Any) -> Json:
    headers = {"Authorization": f"Bearer {served.key}"}
    answer = httpx.post(f"{served.url}/v1/extract", headers=headers, timeout=90, **more)
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def test_a_document_and_a_schema_become_values_with_their_places(
    served: Served, bill: Path
) -> None:
    form = {"schema": json.dumps(SCHEMA), "wait": "60"}
    found = asked_own(served, files={"file": bill.read_bytes()}, data=form)
    assert found["value"] == {"total": 1234.5, "supplier": None}
    total, supplier = found["leaves"]
    assert (total["standing"], total["text"]) == ("grounded", "1,234.50")
    assert (total["lines"][0]["page"], len(total["lines"][0]["polygon"])) == (1, 4)
    assert (supplier["standing"], supplier["refused"]) == ("ungrounded", "Evil Corp")


def test_the_command_line_does_the_same(
    model: FakeVlServer, bill: Path, tmp_path: Path
) -> None:
    schema = tmp_path / "invoice.json"
    schema.write_text(json.dumps(SCHEMA))
    given = ["extract", str(bill), "--schema", str(schema), "--server", model.url]
    done = forks.run([*PAGETIDE, *given], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["value"] == {"total": 1234.5, "supplier": None}
    assert done.stderr == "pagetide: Values that are not in the document: 1.\n"


class Invoice(BaseModel):
    """What is wanted, as a class."""

    total: float | None = None
    supplier: str | None = None


def test_the_client_in_python_does_the_same(served: Served, bill: Path) -> None:
    with Client(served.url, key=served.key) as client:
        job = client.submit(bill)
        found = client.extract(job, Invoice)
        assert found.to(Invoice) == Invoice(total=1234.5)
        [place] = found.leaves[0].lines
        assert (place.page, place.line, len(place.polygon)) == (1, 2, 4)
        assert client.extract(job.id, SCHEMA).value == found.value
        with pytest.raises(BadSchema):
            client.extract(job, {"type": "string"})

    async def asking() -> dict[str, Any]:
        async with AsyncClient(served.url, key=served.key) as client:
            return (await client.ask(job, ["What is the total?", "Who sells?"])).value

    with Client(served.url, key=served.key) as client:
        assert client.ask(job, "What is the total?").value == {"What is the total?": "1,234.50"}
    assert asyncio.run(asking()) == {"What is the total?": "1,234.50", "Who sells?": None}


def test_mistrals_client_gets_an_annotation(
    served: Served, bill: Path, clients_python: str
) -> None:
    described = {"name": "invoice", "schema_definition": SCHEMA}
    url = {"file": str(bill), "type": "application/pdf"}
    call = {
        "model": "mistral-ocr-latest",
        "document": {"type": "document_url", "document_url": url},
        "document_annotation_format": {"type": "json_schema", "json_schema": described},
        "document_annotation_prompt": "Look at the total.",
    }
    script = CLIENTS / "mistral_ocr.py"
    [found] = answers_of(clients_python, script, [served.url, served.key], [call])
    assert json.loads(found["document_annotation"]) == {"total": 1234.5, "supplier": None}


def test_mistrals_client_gets_annotations_of_pictures(
    served: Served, clients_python: str, model: FakeVlServer, tmp_path: Path
) -> None:
    path = tmp_path / "figure.pdf"
    path.write_bytes(page_with_figure())
    schema = {
        "type": "object",
        "properties": {"kind": {"enum": ["photo", "chart"]}, "bars": {"type": "integer"}},
    }
    call = {
        "model": "mistral-ocr-latest",
        "document": {
            "type": "document_url",
            "document_url": {"file": str(path), "type": "application/pdf"},
        },
        "bbox_annotation_format": {
            "type": "json_schema",
            "json_schema": {"name": "figure", "schema_definition": schema},
        },
    }
    script, seen = CLIENTS / "mistral_ocr.py", list[Image.Image]()

    def sees(asked: Asked) -> Reply:
        [part] = asked.body["messages"][1]["content"]
        png = b64decode(part["image_url"]["url"].partition(",")[2])
        seen.append(Image.open(io.BytesIO(png)))
        return Reply(text='{"kind": "photo", "bars": "none"}')

    model.answer = sees
    [found] = answers_of(clients_python, script, [served.url, served.key], [call])
    [image] = found["pages"][0]["images"]
    assert json.loads(image["image_annotation"]) == {"kind": "photo", "bars": None}
    width = image["bottom_right_x"] - image["top_left_x"]
    assert abs(seen[0].width - width) <= 2
    assert len(seen) == 2  # no number: it was asked once more
    body = {**call, "document": {"type": "document_url", "document_url": data_url(path)}}
    schemed = {"type": "json_schema", "json_schema": {"name": "f", "schema": schema}}
    own = post_ocr(served, {**body, "bbox_annotation_format": schemed})
    [image] = own.json()["pages"][0]["images"]
    [warning] = image["image_annotation_grounding"]["warnings"]
    assert warning["code"] == "not_proven"
    model.answer = lambda asked: Reply(status=400)
    blind = post_ocr(served, {**body, "bbox_annotation_format": schemed})
    assert (blind.status_code, blind.json()["code"]) == (502, "answer_unusable")
    model.answer = says


def data_url(path: Path) -> str:
    return f"data:application/pdf;base64,{b64encode(path.read_bytes()).decode()}"


def post_ocr(served: Served, body: Json) -> httpx.Response:
    headers = {"Authorization": f"Bearer {served.key}"}
    return httpx.post(f"{served.url}/v1/ocr", headers=headers, json=body, timeout=90)


def test_azures_client_gets_query_fields(
    served: Served, bill: Path, clients_python: str, model: FakeVlServer
) -> None:
    given = {
        "model": "prebuilt-layout",
        "source": {"file": str(bill)},
        "features": ["queryFields"],
        "query_fields": ["InvoiceTotal", "Supplier"],
    }
    before = len(model.asked)
    [found] = answers_of(
        clients_python, CLIENTS / "azure_di.py", [served.url, served.key], [["analyze", given]]
    )
    [document] = found["result"]["documents"]
    total, supplier = (document["fields"][name] for name in given["query_fields"])
    assert (total["valueString"], total["content"]) == ("1,234.50", "1,234.50")
    [span] = total["spans"]
    content = found["result"]["content"]
    assert content[span["offset"] : span["offset"] + span["length"]] == "1,234.50"
    assert total["boundingRegions"][0]["pageNumber"] == 1
    assert "valueString" not in supplier and "content" not in supplier
    assert {each["code"] for each in found["result"]["warnings"]} >= {"ungrounded"}
    where = f"{served.url}/documentintelligence/documentModels/prebuilt-layout/analyzeResults"
    again = httpx.get(
        f"{where}/{found['id']}",
        params={"api-version": "2024-11-30"},
        headers={"Ocp-Apim-Subscription-Key": served.key},
    )
    assert again.json()["analyzeResult"]["documents"][0]["fields"]["InvoiceTotal"] == total
    assert len(model.asked) == before + 1  # polled again, asked once


def test_boto3_gets_answers_to_queries(served: Served, bill: Path, clients_python: str) -> None:
    queries = [
        {"Text": "What is the total?", "Alias": "TOTAL"},
        {"Text": "Who sells?", "Alias": "SUPPLIER"},
    ]
    given = {
        "Document": {"Bytes": {"file": str(bill)}},
        "FeatureTypes": ["QUERIES"],
        "QueriesConfig": {"Queries": queries},
    }
    lonely = {**given, "FeatureTypes": ["LAYOUT"]}
    script = CLIENTS / "textract_boto3.py"
    calls = [["analyze_document", given], ["analyze_document", lonely]]
    found, refused = answers_of(clients_python, script, [served.url, served.key], calls)
    blocks = {block["Id"]: block for block in found["Blocks"]}
    asked = [block for block in found["Blocks"] if block["BlockType"] == "QUERY"]
    assert [block["Query"]["Alias"] for block in asked] == ["TOTAL", "SUPPLIER"]
    [related] = asked[0]["Relationships"]
    [answer] = [blocks[name] for name in related["Ids"]]
    assert (related["Type"], answer["BlockType"]) == ("ANSWER", "QUERY_RESULT")
    assert (answer["Text"], answer["Page"]) == ("1,234.50", 1)
    assert "Relationships" not in asked[1]
    [page] = [block for block in found["Blocks"] if block["BlockType"] == "PAGE"]
    assert {block["Id"] for block in asked} <= set(page["Relationships"][0]["Ids"])
    assert "QueriesConfig" in refused["message"]
