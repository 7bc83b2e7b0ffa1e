"""Azure's client of Document Intelligence against a running server."""

from __future__ import annotations

import functools
import html
import http.server
import io
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pypdf
import pytest

import pagetide
from pagetide.document import Block, Document, Page, Table
from pagetide.exports.tables.cells import tidy
from pagetide.geometry import Polygon
from tests.client_script import answers_of
from tests.drawn.forms import labelled_form
from tests.parts import forks
from tests.served import Served, serving
from tests.serving import pdf, text_of_page
from tests.unit.test_barcodes import code_of, pdf_of
from tests.written_pdf import picture, text, written_pdf

SCRIPTS = Path(__file__).parents[1] / "clients"
SAMPLES = Path(__file__).parents[2] / "samples"
PAGES = 220
LINES = 30
LOCK = "rope"
Json = dict[str, Any]
Talk = Callable[..., list[Any]]

get = functools.partial(httpx.get, timeout=60)


def pages_with_tables() -> bytes:
    writer, written = pypdf.PdfWriter(), io.BytesIO()
    writer.append(SAMPLES / "mixed.pdf", pages=(0, 1))
    writer.append(SAMPLES / "mixed.pdf", pages=(6, 7))
    writer.write(written)
    return written.getvalue()


def page_with_figure() -> bytes:
    prose = b"The harbour office keeps a record of every vessel, in line %d of this page."
    lines = b"".join(text(prose % i, y=740 - 16 * i) for i in range(12))
    drawn = b"q 200 0 0 150 100 300 cm /Im Do Q\n"
    caption = text(b"Figure 1. The quay at low water", 100, 280)
    resources = b"/XObject<</Im 6 0 R>>"
    extra = (picture(20, 15, 90),)
    return written_pdf(lines + drawn + caption, resources=resources, extra=extra)


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    (folder / "tables.pdf").write_bytes(pages_with_tables())
    (folder / "three.pdf").write_bytes(pdf(3))
    (folder / "many.pdf").write_bytes(pdf(PAGES))
    (folder / "figure.pdf").write_bytes(page_with_figure())
    (folder / "words.txt").write_bytes(b"words")
    (folder / "locked.pdf").write_bytes(pdf(1, password=LOCK))
    return folder


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    aliases = {"big": f"fake?lines={LINES}", "failing": "fake?fail=2", "slow": "fake?slow=0.3"}
    folder = tmp_path_factory.mktemp("azure")
    with serving(folder, aliases=aliases, allow_hosts="127.0.0.1", idle_s=5) as running:
        yield running


@pytest.fixture(scope="module")
def talk(served: Served, clients_python: str) -> Talk:
    """Makes calls with Azure's client, by a key that is the first unless another is named."""

    def called(*calls: tuple[str, Json], key: str = served.key, form: str = "") -> list[Any]:
        arguments = [served.url, key, *([form] if form else [])]
        return answers_of(clients_python, SCRIPTS / "azure_di.py", arguments, calls)

    return called


@pytest.fixture(scope="module")
def address(documents: Path) -> Iterator[str]:
    """Where the documents can be fetched."""
    handler = functools.partial(_Quiet, directory=str(documents))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def document_of(served: Served, job_id: str) -> Document:
    """The job's own result."""
    url = f"{served.url}/v1/jobs/{job_id}/result"
    answer = get(url, headers={"Authorization": f"Bearer {served.key}"})
    assert answer.status_code == 200, answer.text
    return Document.from_json(answer.content)


def near(page: Page, unit: str, polygon: list[float], wanted: Polygon) -> bool:
    scale = page.dpi if unit == "inch" else 1.0
    found = [value * scale for value in polygon]
    flat = [value for point in wanted for value in point]
    return len(found) == len(flat) and all(
        abs(a - b) <= 1 for a, b in zip(found, flat, strict=True)
    )


def compare(document: Document, result: Json) -> None:
    """See that both tell the same: texts, boxes within a pixel, tables."""
    assert [page.number for page in document.pages] == [
        p["pageNumber"] for p in result["pages"]
    ]
    for page, told in zip(document.pages, result["pages"], strict=True):
        _compare_page(page, told, result)
    tables = [(page, block) for page in document.pages for block in page.blocks if block.table]
    assert len(tables) == len(result["tables"])
    for (page, block), told in zip(tables, result["tables"], strict=True):
        _compare_table(page, block, told)
    for word in (word for page in result["pages"] for word in page["words"]):
        assert cut(result, word["span"]) == word["content"]
    for paragraph in result["paragraphs"]:
        assert cut(result, paragraph["spans"][0]) == paragraph["content"]
    for line in (line for page in result["pages"] for line in page["lines"]):
        found = " ".join(cut(result, span) for span in line["spans"])
        assert found.split() == line["content"].split()


def cut(result: Json, span: Json) -> str:
    """The content at a span; all that these documents hold are plain code points."""
    content: str = result["content"]
    return content[span["offset"] : span["offset"] + span["length"]]


def _compare_page(page: Page, told: Json, result: Json) -> None:
    unit = told["unit"]
    scale = page.dpi if unit == "inch" else 1
    assert abs(told["width"] * scale - page.width) <= 1
    assert abs(told["height"] * scale - page.height) <= 1
    lines = {line["content"]: line for line in told["lines"]}
    assert sorted(line.text for line in page.lines) == sorted(
        line["content"] for line in told["lines"]
    )
    for line in page.lines:
        places = [each for each in told["lines"] if each["content"] == line.text]
        assert any(near(page, unit, each["polygon"], line.polygon) for each in places)
    assert lines
    words = [word for line in page.lines for word in line.words]
    assert len(words) == len(told["words"])
    for word in words:
        places = [each for each in told["words"] if each["content"] == word.text]
        assert any(near(page, unit, each["polygon"], word.polygon) for each in places)
    said = [each["content"] for each in result["paragraphs"]]
    assert all(block.text in said for block in page.blocks if block.text and not block.table)


def _compare_table(page: Page, block: Block, told: Json) -> None:
    table: Table | None = block.table
    assert table is not None
    assert (table.rows, table.columns) == (told["rowCount"], told["columnCount"])
    cells = {
        (c["rowIndex"], c["columnIndex"], c["rowSpan"], c["columnSpan"], c["content"])
        for c in told["cells"]
    }
    assert cells == {
        (c.row, c.column, c.row_span, c.column_span, c.text) for c in tidy(table).cells
    }


@pytest.fixture(scope="module")
def layout(talk: Talk, documents: Path) -> list[Any]:
    source = {"file": str(documents / "tables.pdf")}
    image = {"bytes": str(SAMPLES / "table.png")}
    markdown = {"output_content_format": "markdown", "output": ["pdf", "figures"]}
    return talk(
        ("analyze", {"model": "prebuilt-layout", "source": source}),
        ("analyze", {"model": "prebuilt-layout", "source": image}),
        ("analyze", {"model": "prebuilt-layout", "source": source, **markdown}),
    )


class TestRealDocuments:
    def test_a_pdf_in_inches(self, served: Served, layout: list[Any]) -> None:
        found = layout[0]
        assert {page["unit"] for page in found["result"]["pages"]} == {"inch"}
        compare(document_of(served, found["id"]), found["result"])

    def test_a_picture_in_pixels(self, served: Served, layout: list[Any]) -> None:
        found = layout[1]
        assert {page["unit"] for page in found["result"]["pages"]} == {"pixel"}
        compare(document_of(served, found["id"]), found["result"])
        first = found["result"]["tables"][0]
        assert first["caption"]["content"].startswith("Table 1.")
        assert [cell["kind"] for cell in first["cells"][:2]] == ["columnHeader"] * 2

    def test_what_azures_models_say_holds(
        self, served: Served, layout: list[Any], clients_python: str
    ) -> None:
        key = {"Ocp-Apim-Subscription-Key": served.key}
        root = f"{served.url}/documentintelligence/documentModels/prebuilt-layout"
        script = str(SCRIPTS / "azure_models.py")

        def wrong(model: str, told: Json) -> str:
            ended = forks.run(
                [clients_python, script, model],
                input=json.dumps(told),
                stdout=subprocess.PIPE,
                text=True,
                timeout=300,
                check=True,
            )
            return str(ended.stdout)

        for found in layout[1:]:
            told = get(f"{root}/analyzeResults/{found['id']}", headers=key).json()
            assert wrong("AnalyzeResult", told["analyzeResult"]) == ""
        refusal = get(f"{root}/analyzeResults/none", headers=key).json()
        assert wrong("DocumentIntelligenceErrorResponse", refusal) == ""
        told["analyzeResult"]["pages"][0] |= {"unit": "foot", "pageNumber": "1"}
        assert len(wrong("AnalyzeResult", told["analyzeResult"]).splitlines()) == 2

    def test_markdown(self, layout: list[Any]) -> None:
        result = layout[2]["result"]
        content: str = result["content"]
        assert content.count("<!-- PageBreak -->") == 1
        assert content.startswith("## Northwick Rope & Sail GmbH\n\n")
        table = result["tables"][0]
        told = cut(result, table["spans"][0])
        assert told.startswith("<table>\n<tr>\n") and told.endswith("</table>")
        assert "<td>7,180.20</td>" in content
        for word in (word for page in result["pages"] for word in page["words"]):
            shown = html.unescape(cut(result, word["span"])).replace("\\", "")
            assert shown == word["content"]

    def test_sections_hold_every_paragraph_outside_tables(self, layout: list[Any]) -> None:
        result = layout[0]["result"]
        root, *rest = result["sections"]
        assert root["spans"][0]["offset"] == 0
        assert len(rest) == sum(
            paragraph.get("role") in ("title", "sectionHeading")
            for paragraph in result["paragraphs"]
        )
        named = {path for section in result["sections"] for path in section["elements"]}
        within = {
            path
            for table in result["tables"]
            for c in table["cells"]
            for path in c.get("elements", [])
        }
        every = {f"/paragraphs/{i}" for i in range(len(result["paragraphs"]))}
        assert every == {path for path in named | within if "paragraphs" in path}

    def test_what_paperless_does(
        self, served: Served, documents: Path, clients_python: str, tmp_path: Path
    ) -> None:
        archive = tmp_path / "archive.pdf"
        script = str(SCRIPTS / "azure_paperless.py")
        document = str(documents / "tables.pdf")
        done = forks.run(
            [clients_python, script, served.url, served.key, document, str(archive)],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "Mooring line, polyester, 24 mm" in done.stdout
        reader = pypdf.PdfReader(archive)
        assert len(reader.pages) == 2
        second = " ".join(reader.pages[1].extract_text().split())
        assert "Mooring line, polyester, 32 mm" in second


def test_a_long_document_by_url_and_some_of_its_pages(
    talk: Talk, address: str, tmp_path: Path
) -> None:
    into = tmp_path / "many.json"
    url = {"url": f"{address}/many.pdf"}
    long, some = talk(
        ("analyze", {"model": "big", "source": url, "into": str(into)}),
        ("analyze", {"model": "big", "source": url, "pages": "2,4-5"}),
    )
    result = json.loads(into.read_text())
    assert into.stat().st_size > 1 << 20
    assert len(result["pages"]) == PAGES
    assert [len(page["lines"]) for page in result["pages"]] == [LINES] * PAGES
    last = result["pages"][-1]["words"][-3]
    assert cut(result, last["span"]) == last["content"] == text_of_page(PAGES).split()[0]
    assert [page["pageNumber"] for page in some["result"]["pages"]] == [2, 4, 5]
    assert long["id"] != some["id"]


def test_the_asynchronous_client(talk: Talk, documents: Path, tmp_path: Path) -> None:
    source = {"file": str(documents / "three.pdf")}
    archive = str(tmp_path / "three.pdf")
    same = {"model_id": "big", "result_id": {"job": 0}}
    found, kept, _, gone = talk(
        ("analyze", {"model": "big", "source": source, "output": ["pdf"]}),
        ("pdf", {**same, "into": archive}),
        ("delete", same),
        ("pdf", {**same, "into": archive}),
        form="--async",
    )
    assert [page["pageNumber"] for page in found["result"]["pages"]] == [1, 2, 3]
    assert len(pypdf.PdfReader(archive).pages) == 3
    assert kept["bytes"] > 0
    assert (gone["status"], gone["inner"]) == (404, "OperationNotFound")


def test_a_page_that_failed_is_a_warning(talk: Talk, documents: Path) -> None:
    (found,) = talk(
        ("analyze", {"model": "failing", "source": {"file": str(documents / "three.pdf")}})
    )
    warning, *_ = found["result"]["warnings"]
    assert (warning["code"], warning["target"]) == ("engine_failed", "2")
    assert [len(page["words"]) for page in found["result"]["pages"]] == [3, 0, 3]


def test_labels_with_their_values(talk: Talk) -> None:
    mixed = SAMPLES / "mixed.pdf"
    asked = {"model": "prebuilt-layout", "pages": "1", "features": ["keyValuePairs"]}
    [answer] = talk(("analyze", {**asked, "source": {"file": str(mixed)}}))
    result = answer["result"]
    wanted = pagetide.read(mixed, pages="1").pages[0].fields().pairs
    assert [
        (each["key"]["content"], each["value"]["content"]) for each in result["keyValuePairs"]
    ] == [(pair.label.text, pair.value.text) for pair in wanted]
    assert len(wanted) > 8
    for each in result["keyValuePairs"]:
        [span] = each["value"]["spans"]
        said = result["content"][span["offset"] : span["offset"] + span["length"]]
        assert said.split() == each["value"]["content"].split()
        assert each["value"]["boundingRegions"][0]["pageNumber"] == 1


def test_bar_codes(talk: Talk, documents: Path) -> None:
    code = code_of("QRCode", "https://quay.example")
    (documents / "code.pdf").write_bytes(pdf_of(code, (400, 100)))
    source = {"file": str(documents / "code.pdf")}
    found, none = talk(
        ("analyze", {"model": "prebuilt-read", "features": ["barcodes"], "source": source}),
        ("analyze", {"model": "prebuilt-read", "source": source}),
    )
    [page] = found["result"]["pages"]
    [told] = page["barcodes"]
    assert (told["kind"], told["value"]) == ("QRCode", "https://quay.example")
    left, top = told["polygon"][:2]
    assert 400 / 72 < left < 410 / 72 and 8 < top < 9.2  # inches
    assert not told["span"]["length"]
    assert none["result"]["pages"][0]["barcodes"] == []


def test_languages_as_far_as_they_are_known(talk: Talk) -> None:
    asked = {"model": "prebuilt-read", "features": ["languages"]}
    source = {"file": str(SAMPLES / "chinese_english.png")}
    plain, told = talk(
        ("analyze", {**asked, "source": source}),
        ("analyze", {**asked, "source": source, "locale": "en"}),
    )
    [chinese] = plain["result"]["languages"]
    assert chinese["locale"] == "zh"
    first = cut(plain["result"], chinese["spans"][0])
    assert any("\u4e00" <= letter <= "\u9fff" for letter in first)
    unknown = [each for each in plain["result"]["warnings"] if "language" in each["code"]]
    assert [each["target"] for each in unknown] == ["1"]
    assert sorted(each["locale"] for each in told["result"]["languages"]) == ["en", "zh"]
    assert not any("language" in each["code"] for each in told["result"]["warnings"])


def test_boxes_to_tick_are_pairs(talk: Talk, documents: Path) -> None:
    (documents / "form.pdf").write_bytes(labelled_form())
    asked = {"model": "prebuilt-layout", "features": ["keyValuePairs"]}
    [found] = talk(("analyze", {**asked, "source": {"file": str(documents / "form.pdf")}}))
    pairs = found["result"]["keyValuePairs"]
    assert [(each["key"]["content"], each["value"]["content"]) for each in pairs] == [
        ("Vessel", "Minnow"),
        ("owner", "Maud Fenn"),
        ("By post", ":selected:"),
        ("By telephone", ":unselected:"),
        ("Yes", ":unselected:"),
        ("No", ":selected:"),
    ]
    [span] = pairs[2]["value"]["spans"]
    assert cut(found["result"], span) == "☒"


def test_an_invoice_and_a_receipt(talk: Talk) -> None:
    """Values equal to those of the library, of the model that is shipped."""
    invoice, receipt = talk(
        *(
            ("analyze", {"model": f"prebuilt-{kind}", "source": {"file": str(SAMPLES / file)}})
            for kind, file in (("invoice", "mixed.pdf"), ("receipt", "receipt.jpg"))
        )
    )
    [told] = invoice["result"]["documents"]
    fields = told["fields"]
    assert (told["docType"], fields["InvoiceId"]["valueString"]) == ("invoice", "2024-00713")
    assert fields["InvoiceDate"]["valueDate"] == "2024-03-18"
    assert fields["InvoiceTotal"]["valueCurrency"] == {"amount": 8544.44, "currencyCode": "EUR"}
    for name in ("InvoiceId", "DueDate", "InvoiceTotal"):
        [span] = fields[name]["spans"]
        assert cut(invoice["result"], span) == fields[name]["content"]
    bill = pagetide.read(SAMPLES / "mixed.pdf").fields().bill
    assert bill
    items = [each["valueObject"] for each in fields["Items"]["valueArray"]]
    assert [each["Amount"]["valueCurrency"]["amount"] for each in items] == [
        float(item.amount.normalised)
        for item in bill.items
        if item.amount and item.amount.normalised
    ]
    [told] = receipt["result"]["documents"]
    assert told["docType"] == "receipt"
    assert told["fields"]["MerchantName"]["valueString"] == "TIDEWATER"
    assert told["fields"]["Total"]["valueCurrency"] == {"amount": 38.38, "currencyCode": "GBP"}


def test_figures_and_deletion(
    talk: Talk, served: Served, documents: Path, tmp_path: Path
) -> None:
    source = {"file": str(documents / "figure.pdf")}
    kept = tmp_path / "figure.png"
    same = {"model_id": "prebuilt-layout", "result_id": {"job": 0}}
    found, _, missing, no_pdf, _, gone = talk(
        ("analyze", {"model": "prebuilt-layout", "source": source, "output": ["figures"]}),
        ("figure", {**same, "figure_id": "1.1", "into": str(kept)}),
        ("figure", {**same, "figure_id": "1.99", "into": str(kept)}),
        ("pdf", {**same, "into": str(tmp_path / "none.pdf")}),
        ("delete", same),
        ("figure", {**same, "figure_id": "1.1", "into": str(kept)}),
    )
    (figure,) = found["result"]["figures"]
    assert figure["id"] == "1.1"
    assert figure["caption"]["content"] == "Figure 1. The quay at low water"
    assert kept.read_bytes().startswith(b"\x89PNG")
    assert missing["status"] == no_pdf["status"] == gone["status"] == 404
    assert "output=pdf" in no_pdf["said"]
    job = get(
        f"{served.url}/v1/jobs/{found['id']}", headers={"Authorization": f"Bearer {served.key}"}
    )
    assert job.status_code == 410


class TestRefusals:
    def test_documents_and_models(self, talk: Talk, documents: Path, address: str) -> None:
        def analyze(name: str, **given: Any) -> tuple[str, Json]:
            source = {"file": str(documents / name)}
            return "analyze", {"model": "big", "source": source, **given}

        found = talk(
            analyze("words.txt"),
            analyze("locked.pdf"),
            analyze("three.pdf", model="prebuilt-passport"),
            analyze("three.pdf", source={"url": f"{address}/nowhere.pdf"}),
            analyze("three.pdf", source={"url": "http://192.168.0.1/a.pdf"}),
            analyze("three.pdf", source={"json": {"urlSource": "a", "base64Source": "b"}}),
            analyze("three.pdf", source={"json": {"base64Source": "!"}}),
        )
        assert [(each["status"], each["code"], each["inner"]) for each in found] == [
            (400, "InvalidRequest", "InvalidContent"),
            (400, "InvalidRequest", "UnsupportedContent"),
            (404, "NotFound", "ModelNotFound"),
            (400, "InvalidRequest", "ContentSourceNotAccessible"),
            (403, "Forbidden", "OutboundAccessForbidden"),
            (400, "InvalidArgument", "InvalidParameter"),
            (400, "InvalidArgument", "InvalidParameter"),
        ]

    @pytest.mark.parametrize(
        ("given", "named"),
        [
            ({"model": "prebuilt-read", "features": ["keyValuePairs"]}, "keyValuePairs"),
            ({"features": ["styleFont"]}, "styleFont"),
            ({"features": ["formulas"]}, "formulas"),
            ({"features": ["telepathy"]}, "telepathy"),
            ({"query_fields": ["Total"]}, "queryFields"),
            ({"split": "auto"}, "split"),
            ({"pages": "1-"}, "pages"),
            ({"pages": "9"}, "Page 9"),
            ({"locale": "tlh"}, "tlh"),
            ({"string_index_type": "bytes"}, "stringIndexType"),
            ({"output_content_format": "html"}, "outputContentFormat"),
            ({"model": "prebuilt-read", "output": ["figures"]}, "figures"),
        ],
    )
    def test_options_by_name(
        self, served: Served, documents: Path, given: Json, named: str
    ) -> None:
        asked = {
            "features": "features",
            "query_fields": "queryFields",
            "pages": "pages",
            "locale": "locale",
            "string_index_type": "stringIndexType",
            "output_content_format": "outputContentFormat",
            "output": "output",
            "split": "split",
        }
        query = {
            asked[name]: value if isinstance(value, str) else ",".join(value)
            for name, value in given.items()
            if name != "model"
        }
        answer = submit(served, given.get("model", "big"), documents / "three.pdf", **query)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (400, "InvalidArgument")
        assert named in error["innererror"]["message"]

    def test_keys(self, talk: Talk, served: Served, documents: Path) -> None:
        calls = [
            ("analyze", {"model": "big", "source": {"file": str(documents / "three.pdf")}})
        ]
        (wrong,) = talk(*calls, key="pt_wrong")
        assert (wrong["status"], wrong["kind"]) == (401, "ClientAuthenticationError")
        assert wrong["code"] == "Unauthorized"
        (mine,) = talk(*calls)
        (theirs,) = talk(
            ("delete", {"model_id": "big", "result_id": mine["id"]}), key=served.keys[1]
        )
        assert (theirs["status"], theirs["inner"]) == (404, "OperationNotFound")

    def test_another_version_and_another_path(self, served: Served) -> None:
        headers = {"Ocp-Apim-Subscription-Key": served.key}
        root = f"{served.url}/documentintelligence"
        old = get(f"{root}/info?api-version=2023-07-31", headers=headers)
        assert (old.status_code, old.json()["error"]["code"]) == (400, "InvalidArgument")
        odd = get(f"{root}/documentClassifiers?api-version=2024-11-30", headers=headers)
        assert (odd.status_code, odd.json()["error"]["code"]) == (404, "NotFound")
        assert get(f"{root}/info").json()["error"]["code"] == "Unauthorized"


def submit(served: Served, model: str, document: Path, **query: str) -> httpx.Response:
    return httpx.post(
        f"{served.url}/documentintelligence/documentModels/{model}:analyze",
        params={"api-version": "2024-11-30", **query},
        content=document.read_bytes(),
        headers={"Ocp-Apim-Subscription-Key": served.key},
        timeout=60,
    )


def test_an_analysis_on_its_way(served: Served, documents: Path) -> None:
    sent = submit(served, "slow", documents / "many.pdf")  # for a minute
    assert (sent.status_code, sent.headers["Retry-After"]) == (202, "1")
    where = sent.headers["Operation-Location"]
    assert where.startswith(f"{served.url}/documentintelligence/documentModels/slow/")
    key = {"Ocp-Apim-Subscription-Key": served.key}
    stands = get(where, headers=key)
    assert stands.headers["Retry-After"] == "1"
    assert stands.json()["status"] in ("notStarted", "running")
    job_id = where.rpartition("/")[2].partition("?")[0]
    bearer = {"Authorization": f"Bearer {served.key}"}
    cancel = f"{served.url}/v1/jobs/{job_id}/cancel"
    httpx.post(cancel, headers=bearer, timeout=60).raise_for_status()
    stands = get(where, headers=key)
    assert stands.json()["status"] == "failed"
    assert "cancelled" in stands.json()["error"]["innererror"]["message"]


def test_the_administration_client(talk: Talk) -> None:
    (found,) = talk(("about", {}))
    assert found["models"] == [
        *("prebuilt-layout", "prebuilt-read", "prebuilt-invoice", "prebuilt-receipt")
    ]
    assert found["resource"] == {"customDocumentModels": {"count": 0, "limit": 0}}
