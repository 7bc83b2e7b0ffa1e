"""PaddleOCR's own models behind its job API: PP-StructureV3 and PaddleOCR-VL, really run.

Their networks are stubs and their server a fake (see `paddle_stubs`, `fake_vl_server`); what
makes pages of what those say is upstream's pipeline, and our engine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

from bench.fake_vl_server import OTSL, Asked, FakeVlServer, Reply
from pagetide.engines.models.manifest import MANIFEST, Manifest, ModelFile, encode
from pagetide.engines.paddle.results.parsed import parse_structurev3
from tests import paddle_stubs
from tests.acceptance.test_facade_paddleocr import Json, check_layout, document, fetched, run
from tests.layout_stubs import constant_layout
from tests.parts import forks
from tests.served import Served, serving

pytestmark = pytest.mark.slow("starts PP-StructureV3 behind the API, with clients of others")

LABELS = ("doc_title", "display_formula", "image", "table", "text")
AREAS = (  # of the page that `paddle_stubs` draws, in pixels of the layout's picture: 64 × 64
    (0, 0.98, 3, 3, 42, 9),
    (4, 0.97, 3, 11, 52, 21),
    (2, 0.9, 3, 24, 45, 30),
    (3, 0.96, 4, 30, 57, 49),
    (1, 0.9, 4, 52, 57, 60),
)
FORMULA = "E=mc^2"
# What the MCP server asks for by itself, but for the charts, whose network is not here.
STRUCTURE = {
    "use_doc_orientation_classify": False,
    "use_doc_unwarping": False,
    "use_chart_recognition": False,
    "use_region_detection": False,
}


def answer(asked: Asked) -> Reply:
    said = {"Table Recognition:": OTSL, "Formula Recognition:": f"\\[{FORMULA}\\]"}
    return Reply(text=said.get(asked.prompt, f"{asked.picture.size[0]} wide"))


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of models as `pagetide models pull` leaves it."""
    folder = tmp_path_factory.mktemp("models")
    paddle_stubs.make(folder)
    rows = [(*row, order) for order, row in enumerate(AREAS)]
    constant_layout(folder / "PP-DocLayoutV3", rows, labels=LABELS)
    for model in filter(Path.is_dir, list(folder.iterdir())):
        files = [
            ModelFile(
                path=path.name,
                size=path.stat().st_size,
                sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
            )
            for path in filter(Path.is_file, model.iterdir())
        ]
        (model / MANIFEST).write_bytes(encode(Manifest(name=model.name, files=tuple(files))))
    return folder


@pytest.fixture(scope="module")
def served(
    networks: Path, paddle_python: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    with (
        FakeVlServer(answer) as fake,
        serving(
            tmp_path_factory.mktemp("served"),
            keys=1,
            models_dir=networks,
            paddle_python=paddle_python,
            vl_url=fake.url,
            idle_s=60,
            page_deadline_s=600,  # PaddleOCR's start is part of the first
        ) as server,
    ):
        yield server


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("pictures") / "page.png"
    Image.fromarray(paddle_stubs.page().pixels[:, :, ::-1]).save(path)
    return str(path)


@pytest.fixture(scope="module")
def read(
    clients_python: str, served: Served, picture: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Json]:
    """What the client is told, and the MCP server twice; all at once, for each has to start."""
    folder = tmp_path_factory.mktemp("resources")

    def call(kind: str, model: str, **options: object) -> Json:
        given = {"file_path": picture, "model": model}
        more = {"kind": kind, "options": options}
        return {"do": "parse", "key": served.key, "with": given, **more}

    def mcp(model: str, **parameters: object) -> Future[Json]:
        command = json.dumps(forks.command([clients_python, "-m", "paddleocr_mcp"]))
        arguments = (command, served.url, served.key, model, picture, json.dumps(parameters))
        return threads.submit(run, clients_python, "paddleocr_mcp_call.py", *arguments)

    calls = {
        "structure": call("structure", "PP-StructureV3", **STRUCTURE),
        "vl": call("vl", "PaddleOCR-VL-1.6", max_new_tokens=512) | {"save": str(folder)},
        "seals": call("structure", "PP-StructureV3", use_seal_recognition=True),
        "other version": call("vl", "PaddleOCR-VL-1.5"),
        "warm": call("vl", "PaddleOCR-VL-1.6", temperature=0.7),
    }
    with ThreadPoolExecutor(2) as threads:
        asked = {
            "mcp vl": mcp("PaddleOCR-VL-1.6"),
            "mcp structure": mcp("PP-StructureV3", **STRUCTURE),
        }
        given = list(calls.values())
        answers = run(clients_python, "paddleocr_api.py", served.url, given=given)
        told = {name: one.result() for name, one in asked.items()}
    return dict(zip(calls, answers, strict=True)) | told


def test_structurev3s_own_result_is_given_as_it_is(
    read: dict[str, Json], served: Served
) -> None:
    result = read["structure"]["result"]
    found = document(served, result["job_id"])
    assert found.model.name == "pp-structurev3"
    told = result["pages"][0]["pruned_result"]
    assert told["model_settings"]["use_region_detection"] is False
    assert "input_path" not in told and "input_path" not in told["overall_ocr_res"]
    again = parse_structurev3(told, paddle_stubs.WIDTH, paddle_stubs.HEIGHT, 0.5)
    (page,) = found.pages
    assert (again.lines, again.blocks) == (page.lines, page.blocks)
    assert f"# {paddle_stubs.TITLE}" in result["pages"][0]["markdown_text"]


def test_vls_result_is_that_of_the_document(read: dict[str, Json], served: Served) -> None:
    result = read["vl"]["result"]
    (page,) = document(served, result["job_id"]).pages
    told = result["pages"][0]["pruned_result"]
    check_layout(page, told)
    contents = {each["block_label"]: each["block_content"] for each in told["parsing_res_list"]}
    assert contents["display_formula"].strip(" $") == FORMULA
    assert 'colspan="2" rowspan="2"' in contents["table"]
    assert result["data_info"]["model"] == "paddleocr-vl"


def test_figures_come_by_links_that_need_no_key(read: dict[str, Json]) -> None:
    ((name, link),) = read["vl"]["result"]["pages"][0]["markdown_images"].items()
    assert f'src="{name}"' in read["vl"]["result"]["pages"][0]["markdown_text"]
    saved = {Path(each).name: Path(each).read_bytes() for each in read["vl"]["saved"]}
    assert set(saved) == {name, "layout_det_res-p0001.png"}
    assert saved[name] == fetched(link).raise_for_status().content
    assert all(picture.startswith(b"\x89PNG") for picture in saved.values())


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        ("seals", "ServiceUnavailableError", "pagetide models pull"),
        ("other version", "InvalidRequestError", "PaddleOCR-VL-1.6"),
        ("warm", "InvalidRequestError", "`temperature`"),
    ],
)
def test_what_is_not_here_is_told(
    read: dict[str, Json], call: str, error: str, says: str
) -> None:
    assert read[call]["error"] == error
    assert says in read[call]["message"]


def test_the_mcp_server_shows_figures(read: dict[str, Json]) -> None:
    """Its own defaults ask for charts and seals, which PaddleOCR-VL reads."""
    told = read["mcp vl"]
    assert told["tool"] == "paddleocr_vl" and not told["failed"]
    kinds = [each["type"] for each in told["content"]]
    assert "image" in kinds
    assert FORMULA in json.dumps(told["content"])


def test_the_mcp_server_reads_with_structurev3(read: dict[str, Json]) -> None:
    told = read["mcp structure"]
    assert told["tool"] == "pp_structurev3" and not told["failed"]
    assert f"# {paddle_stubs.TITLE}" in told["content"][0]["text"]
