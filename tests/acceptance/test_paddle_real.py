"""PaddleOCR itself, on stub weights: what its pipelines give, and the traps it sets.

Each trap's test shows that the trap is there (so that it is seen when upstream closes it) or
that we do not fall into it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pagetide.document import Cell
from pagetide.engine import Engine, PageReading
from pagetide.engines import paddle
from pagetide.engines.paddle.options import PPOCR, STRUCTUREV3, Family, parse
from pagetide.engines.paddle.process import PaddleProcess
from pagetide.engines.paddle.request import request
from pagetide.engines.paddle.results.parsed import parse_ocr, parse_structurev3
from pagetide.errors import ModelUnavailable
from pagetide.geometry import Box, box_of, turn_back
from pagetide.settings import Settings
from tests import paddle_stubs as stub
from tests.drawing import turned

WORDS = [
    stub.TITLE,
    *stub.PARAGRAPH,
    stub.CAPTION,
    *(text for _, text in stub.cells()),
]
_PROBE = """
import inspect, json, sys, warnings
import paddleocr
from paddleocr import PaddleOCR, PPStructureV3
from paddleocr._common_args import parse_common_args

def names(function):
    kinds = inspect.signature(function).parameters.values()
    return sorted(p.name for p in kinds if p.kind not in (p.VAR_KEYWORD,) and p.name != "self")

def overrides(**given):
    bare = object.__new__(PPStructureV3)
    bare._params = {name: given.get(name) for name in names(PPStructureV3.__init__)}
    return bare._get_paddlex_config_overrides()

det, rec = sys.argv[1:3]
small = PaddleOCR(
    text_detection_model_name="PP-OCRv6_small_det", text_detection_model_dir=det,
    text_recognition_model_name="PP-OCRv6_small_rec", text_recognition_model_dir=rec,
    use_doc_orientation_classify=False, use_doc_unwarping=False,
    use_textline_orientation=False, engine="onnxruntime",
)
bare = object.__new__(PPStructureV3)
json.dump({
    "PaddleOCR": names(PaddleOCR.__init__),
    "PPStructureV3": names(PPStructureV3.__init__),
    "predict": names(PPStructureV3.predict),
    "pipeline": sorted([*parse_common_args({}, default_enable_hpi=None), "paddlex_config"]),
    "of bytes": len(small.predict(b"not a picture")),
    "seals": overrides(seal_det_limit_side_len=500, text_det_limit_side_len=900),
    "Kazakh": bare._get_ocr_model_names("kk", None),
}, open(sys.argv[3], "w"))
"""


pytestmark = pytest.mark.slow("starts PaddleOCR, which its engines' contract does, too")


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> stub.Stubs:
    return stub.make(tmp_path_factory.mktemp("networks"))


@pytest.fixture(scope="module")
def settings(paddle_python: str) -> Settings:
    return Settings(paddle_python=paddle_python, threads=2)


@pytest.fixture(scope="module")
def probed(paddle_python: str, stubs: stub.Stubs, tmp_path_factory: Any) -> Any:
    """What the package says of itself."""
    told = tmp_path_factory.mktemp("probe") / "told.json"
    folders = [str(stubs.find(f"PP-OCRv6_small_{part}_onnx")) for part in ("det", "rec")]
    subprocess.run(
        [paddle_python, "-c", _PROBE, *folders, str(told)], check=True, capture_output=True
    )
    return json.loads(told.read_text())


@pytest.fixture(scope="module")
def text_engine(settings: Settings, stubs: stub.Stubs) -> Iterator[Engine]:
    opened = paddle.open_ppocr(settings, find_model=stubs.find)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def structure_engine(settings: Settings, stubs: stub.Stubs) -> Iterator[Engine]:
    opened = paddle.open_structurev3(settings, find_model=stubs.find)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def structured(structure_engine: Engine) -> PageReading:
    return read(structure_engine)


def read(engine: Engine) -> PageReading:
    (reading,) = engine.read(iter([stub.page()]), "en")
    assert reading.error is None
    return reading


def read_once(engine: Engine, page: Any = None) -> PageReading:
    try:
        (reading,) = engine.read(iter([page or stub.page()]), "en")
    finally:
        engine.close()
    assert reading.error is None
    return reading


def near(a: Box, b: Box, pixels: float = 4.0) -> bool:
    return all(abs(x - y) <= pixels for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize(
    ("family", "name"), [(PPOCR, "PaddleOCR"), (STRUCTUREV3, "PPStructureV3")]
)
def test_every_switch_of_the_constructor_is_reachable(
    probed: Any, family: Family, name: str
) -> None:
    pipeline = set(probed["pipeline"]) - {"use_pptrt", "pptrt_precision"}
    pipeline |= {"use_tensorrt", "precision"}  # the names they are given by
    upstream = {*probed[name], *pipeline}
    ours = set(family.known) - set(family.page_options)
    assert upstream - ours == {"lang", "ocr_version"}  # the job's language says them
    assert ours - upstream == set()


def test_every_switch_that_only_predict_takes_is_reachable(probed: Any) -> None:
    alone = set(probed["predict"]) - set(probed["PPStructureV3"]) - {"input"}
    assert set(STRUCTUREV3.page_options) == alone


def test_trap_what_is_not_supported_gives_no_results_and_no_error(probed: Any) -> None:
    """So the number of results is counted: see the unit tests for what comes of it."""
    assert probed["of bytes"] == 0


def test_trap_the_seals_limit_is_ignored_and_the_texts_given_in_its_place(probed: Any) -> None:
    seals = probed["seals"]["SubPipelines"]["SealRecognition"]["SubPipelines"]["SealOCR"]
    assert seals["SubModules"]["TextDetection"]["limit_side_len"] == 900


def test_trap_the_language_lists_of_the_pipelines_differ(probed: Any) -> None:
    assert probed["Kazakh"] == [None, None]
    assert paddle.networks_of(STRUCTUREV3, "", "kk")["text_recognition"]


def test_pp_ocr_reads_the_page(text_engine: Engine) -> None:
    reading = read(text_engine)
    assert sorted(line.text for line in reading.lines) == sorted(WORDS)
    for line in reading.lines:
        assert line.confidence and line.confidence > 0.9
        assert [word.text for word in line.words] == line.text.split()
    assert reading.blocks is None


def test_the_raw_result_is_the_pipelines_own(text_engine: Engine) -> None:
    reading = read(text_engine)
    raw = json.loads(reading.raw or b"")
    assert raw["input_path"] is None and raw["text_type"] == "general"
    assert parse_ocr(raw, stub.WIDTH, stub.HEIGHT, 0.5).lines == reading.lines


def test_the_engine_says_what_it_runs(structure_engine: Engine) -> None:
    model = structure_engine.describe("en")
    assert model.name == "pp-structurev3" and model.engine == "paddleocr"
    assert model.version.startswith("3.7.")
    assert model.runtime.startswith("onnxruntime 1.")
    assert model.parts["layout_detection"] == "PP-DocLayout_plus-L"
    assert all(len(sha256) == 64 for sha256 in model.weights.values())


def test_structurev3_gives_blocks_in_order(structured: PageReading) -> None:
    shown = [(block.kind, block.text) for block in structured.blocks or ()]
    assert shown[:3] == [
        ("title", stub.TITLE),
        ("text", "\n".join(stub.PARAGRAPH)),
        ("caption", stub.CAPTION),
    ]
    assert [block.order for block in structured.blocks or ()] == [0, 1, 2, 3]
    assert (structured.blocks or ())[2].caption_of == 3
    for block, (label, score, box) in zip(structured.blocks or (), stub.AREAS, strict=True):
        assert block.label == label
        assert block.confidence == pytest.approx(score, abs=1e-6)
        assert near(box_of(block.polygon), box)


def test_structurev3s_table_has_spans_places_and_lines(structured: PageReading) -> None:
    table = (structured.blocks or ())[3].table
    assert table and (table.rows, table.columns) == (3, 3)
    assert [cell.text for cell in table.cells] == [text for _, text in stub.cells()]
    assert [(c.row, c.column, c.column_span) for c in table.cells[:2]] == [(0, 0, 1), (0, 1, 2)]
    for cell, (box, text) in zip(table.cells, stub.cells(), strict=True):
        assert cell.polygon and near(box_of(cell.polygon), box)
        assert lines_of(structured, cell) == [text]


def lines_of(reading: PageReading, cell: Cell) -> list[str]:
    return [reading.lines[index].text for index in cell.line_indexes]


def test_structurev3s_raw_result_is_whole(structured: PageReading) -> None:
    raw = json.loads(structured.raw or b"")
    wanted = {"parsing_res_list", "layout_det_res", "overall_ocr_res", "table_res_list"}
    assert wanted <= set(raw)
    again = parse_structurev3(raw, stub.WIDTH, stub.HEIGHT, 0.5)
    assert (again.lines, again.blocks) == (structured.lines, structured.blocks)


def test_a_page_on_its_side_is_mapped_back(
    settings: Settings, stubs: stub.Stubs, structured: PageReading
) -> None:
    folder = stub.turned_classifier(stubs, 90)
    parameters = f"doc_orientation_classify_model_dir={folder}&text_recognition_batch_size=16"
    engine = paddle.open_structurev3(settings, parameters, find_model=stubs.find)
    reading = read_once(engine, turned(stub.page(), 90))
    assert reading.orientation == 90
    assert [line.text for line in reading.lines] == [line.text for line in structured.lines]
    width, height = stub.HEIGHT, stub.WIDTH  # of the page on its side
    for mine, upright in zip(reading.blocks or (), structured.blocks or (), strict=True):
        expected = turn_back(upright.polygon, 90, width, height)
        assert near(box_of(mine.polygon), box_of(expected))
    table = (reading.blocks or ())[3].table
    assert table and all(lines_of(reading, cell) for cell in table.cells)


def test_trap_text_line_orientation_leaks_into_the_tables(
    settings: Settings, stubs: stub.Stubs
) -> None:
    """Switched off, its network is wanted by upstream's tables all the same: from a hub."""
    asked = parse(STRUCTUREV3, "use_textline_orientation=no")
    made = request(STRUCTUREV3, asked, "en", settings, stubs.find)
    assert made.order["config"]
    process = PaddleProcess(settings.paddle_python, {**made.order, "config": {}}, 180.0)
    try:
        with pytest.raises(ModelUnavailable, match="may not download it"):
            process.read(stub.page().pixels)
    finally:
        process.end()


def test_trap_polygons_are_dropped_where_a_line_is_read_badly(
    settings: Settings, stubs: stub.Stubs
) -> None:
    """And a page that was flattened says so."""
    parameters = "text_rec_score_thresh=0.9999&use_doc_unwarping=yes&return_word_box=no"
    reading = read_once(paddle.open_ppocr(settings, parameters, find_model=stubs.find))
    raw = json.loads(reading.raw or b"")
    missing = len(raw["dt_polys"]) - len(raw["rec_polys"])
    assert missing > 0
    assert reading.lines_below_confidence == missing
    assert [warning.code for warning in reading.warnings] == ["rectified_coordinates"]


def test_a_configuration_of_the_users_own(
    settings: Settings, stubs: stub.Stubs, tmp_path: Path
) -> None:
    def network(module: str, part: str) -> dict[str, str]:
        name = f"PP-OCRv6_small_{part}"
        folder = str(stubs.find(f"{name}_onnx"))
        return {"module_name": module, "model_name": name, "model_dir": folder}

    config = tmp_path / "mine.yaml"
    config.write_text(
        json.dumps(
            {
                "pipeline_name": "OCR",
                "text_type": "general",
                "use_doc_preprocessor": False,
                "use_textline_orientation": False,
                "SubModules": {
                    "TextDetection": {
                        **network("text_detection", "det"),
                        "limit_side_len": 64,
                        "limit_type": "min",
                        "thresh": 0.3,
                        "box_thresh": 0.6,
                        "unclip_ratio": 1.5,
                    },
                    "TextRecognition": {
                        **network("text_recognition", "rec"),
                        "batch_size": 4,
                        "score_thresh": 0.0,
                    },
                },
            }
        )
    )
    engine = paddle.open_ppocr(settings, f"paddlex_config={config}", find_model=stubs.find)
    assert sorted(line.text for line in read_once(engine).lines) == sorted(WORDS)


def test_what_is_there_is_checked_without_starting_it(
    settings: Settings, stubs: stub.Stubs
) -> None:
    versions = paddle.check(STRUCTUREV3, settings, "", "en", stubs.find)
    assert versions["paddleocr"].startswith("3.7.") and "onnxruntime" in versions
