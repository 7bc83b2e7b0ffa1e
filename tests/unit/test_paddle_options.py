"""What may stand behind the names of PaddleOCR's models, and what networks it needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.engines import paddle
from pagetide.engines.catalogue import Models
from pagetide.engines.models import Weights
from pagetide.engines.paddle import folders
from pagetide.engines.paddle.options import PPOCR, STRUCTUREV3, Family, local_only, parse
from pagetide.engines.paddle.request import recogniser, request
from pagetide.errors import BadOption, ModelUnavailable, UnknownLanguage
from pagetide.languages import BUNDLED_MODEL, find
from pagetide.settings import Settings
from tests import paddle_fake as fake


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("use_formula_recognition=true", True),
        ("use_table_recognition=off", False),
        ("text_recognition_batch_size=16", 16),
        ("text_det_thresh=0.25", 0.25),
        ("text_det_limit_type=max", "max"),
        ("layout_unclip_ratio=1.1,1.2", [1.1, 1.2]),
        ("layout_unclip_ratio=1.5", 1.5),
        ('layout_threshold={"8":0.5}', {8: 0.5}),
        ("layout_merge_bboxes_mode=union", "union"),
        ('layout_merge_bboxes_mode={"0":"large"}', {0: "large"}),
        ("markdown_ignore_labels=number,footnote", ["number", "footnote"]),
        ('engine_config={"intra_op_num_threads":2}', {"intra_op_num_threads": 2}),
        ("text_detection_model_name=PP-OCRv6_small_det", "PP-OCRv6_small_det"),
        ("text_detection_model_dir=/models/det", "/models/det"),
    ],
)
def test_a_value_is_of_its_parameters_kind(text: str, value: object) -> None:
    name = text.partition("=")[0]
    assert parse(STRUCTUREV3, text) == {name: value}


def test_lists_of_numbers_of_the_text_pipeline() -> None:
    assert parse(PPOCR, "text_rec_input_shape=3,48,320") == {
        "text_rec_input_shape": [3, 48, 320]
    }


@pytest.mark.parametrize(
    "text",
    [
        "use_formula_recognition=maybe",
        "text_det_thresh=nan",
        "layout_unclip_ratio=1,inf",
        'layout_threshold={"0":NaN}',
        "layout_threshold=" + '{"0":' * 100_000,
        "text_recognition_batch_size=many",
        "text_det_limit_type=medium",
        "engine=tensorflow",
        "engine_config=[1]",
        "layout_threshold={0.5}",
        "layout_merge_bboxes_mode=largest",
        "text_det_thresh=",
    ],
)
def test_a_value_of_another_kind_is_refused(text: str) -> None:
    with pytest.raises(BadOption, match=text.partition("=")[0]):
        parse(STRUCTUREV3, text)


def test_an_unknown_parameter_is_refused_with_the_nearest() -> None:
    with pytest.raises(BadOption, match=r"did you mean .*use_formula_recognition"):
        parse(STRUCTUREV3, "use_formula_recogniton=true")
    with pytest.raises(BadOption, match="return_word_box"):
        parse(PPOCR, "return_word_boxes=true")


@pytest.mark.parametrize("name", ["lang", "ocr_version"])
def test_languages_are_not_paddleocrs_to_resolve(name: str) -> None:
    """Its lists differ between its own pipelines, and know 32 codes fewer in one of them."""
    with pytest.raises(BadOption, match="set the job's language"):
        parse(STRUCTUREV3, f"{name}=ch")


def test_what_names_files_of_this_machine_is_for_its_owner_alone() -> None:
    given = "text_det_thresh=0.2&text_detection_model_dir=/etc&paddlex_config=/x&device=gpu"
    given += "&cpu_threads=100000"
    assert local_only(STRUCTUREV3, given) == [
        "text_detection_model_dir",
        "paddlex_config",
        "device",
        "cpu_threads",
    ]


@given(st.text(max_size=60))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        parse(STRUCTUREV3, text)
    except BadOption:
        return


def test_networks_follow_the_switches() -> None:
    plain = paddle.networks_of(STRUCTUREV3, "", "en")
    assert plain["text_recognition"] == "PP-OCRv6_medium_rec_onnx"
    assert plain["layout_detection"] == "PP-DocLayout_plus-L_onnx"
    assert not {"textline_orientation", "doc_unwarping", "formula_recognition"} & set(plain)
    bare = paddle.networks_of(STRUCTUREV3, "use_table_recognition=no", "en")
    assert not [part for part in bare if "table" in part]
    formulas = paddle.networks_of(STRUCTUREV3, "use_formula_recognition=yes", "en")
    assert formulas["formula_recognition"] == "PP-FormulaNet_plus-L_paddle"
    assert formulas["layout_detection"].endswith("_onnx")
    whole = paddle.networks_of(STRUCTUREV3, "engine=paddle", "en")
    assert all(name.endswith("_paddle") for name in whole.values())


def test_the_language_chooses_the_recogniser() -> None:
    assert recogniser("auto") == recogniser("fr") == recogniser("ja") == "PP-OCRv6_medium_rec"
    assert recogniser("ru") == "eslav_PP-OCRv5_mobile_rec"
    with pytest.raises(UnknownLanguage):
        recogniser("klingon")
    named = paddle.networks_of(PPOCR, "text_recognition_model_name=my_rec", "ru")
    assert named["text_recognition"] == "my_rec_onnx"


def test_every_language_has_a_network_of_the_text_pipeline_or_says_why_not() -> None:
    assert recogniser("ka") == "ka_PP-OCRv3_mobile_rec"
    for code in ("en", "zh", "ko", "ar", "hi", "th", "el", "ta", "te", "bg", "de+fr"):
        known = find(code)
        expected = "PP-OCRv6_medium_rec" if known.model == BUNDLED_MODEL else known.model
        assert recogniser(code) == expected


def ordered(family: Family, folder: Path, text: str, **settings: Any) -> dict[str, Any]:
    asked = parse(family, text)
    return request(family, asked, "en", Settings(**settings), folder.joinpath).order


def test_the_gpu_is_used_where_the_settings_say_so(tmp_path: Path) -> None:
    fake.networks(tmp_path)
    assert ordered(PPOCR, tmp_path, "")["arguments"]["device"] == "cpu"
    on_gpu = ordered(PPOCR, tmp_path, "", runtime="cuda")
    assert on_gpu["arguments"]["device"] == "gpu:0"
    named = ordered(PPOCR, tmp_path, "device=gpu:1", runtime="cuda")
    assert named["arguments"]["device"] == "gpu:1"


def test_networks_for_paddlepaddle_run_there_beside_the_others(tmp_path: Path) -> None:
    fake.networks(tmp_path)
    order = ordered(STRUCTUREV3, tmp_path, "use_formula_recognition=yes", threads=2)
    place = "SubPipelines.FormulaRecognition.SubModules.FormulaRecognition.engine"
    assert order["config"][place] == "paddle"
    assert order["arguments"]["engine"] == "onnxruntime"
    # Given for all, ONNX Runtime's settings would reach PaddlePaddle's network too.
    assert "engine_config" not in order["arguments"]
    assert order["engine_config"] == {"intra_op_num_threads": 2}


def test_a_configuration_of_the_users_own_says_what_is_not_asked_for(tmp_path: Path) -> None:
    order = ordered(STRUCTUREV3, tmp_path, "paddlex_config=/etc/p.yaml&text_det_thresh=0.2")
    assert order["arguments"] == {
        "paddlex_config": "/etc/p.yaml",
        "text_det_thresh": 0.2,
        "engine": "onnxruntime",
        "device": "cpu",
    }


def test_a_folder_that_was_copied_by_half_does_not_count(tmp_path: Path) -> None:
    """PaddleX takes it for whole, since it exists, and fails when the first page comes."""
    folder = tmp_path / "UVDoc_onnx"
    folder.mkdir()
    with pytest.raises(ModelUnavailable, match="pagetide models pull UVDoc_onnx"):
        folders.check(folder, "UVDoc", "onnxruntime")
    fake.lay(folder, "UVDoc", ())
    with pytest.raises(ModelUnavailable, match=r"inference\.onnx is missing or empty"):
        folders.check(folder, "UVDoc", "onnxruntime")
    (folder / "inference.onnx").touch()
    with pytest.raises(ModelUnavailable, match="is incomplete"):
        folders.check(folder, "UVDoc", "onnxruntime")
    (folder / "inference.onnx").write_bytes(b"weights")
    folders.check(folder, "UVDoc", "onnxruntime")
    with pytest.raises(ModelUnavailable, match=r"inference\.json"):
        folders.check(folder, "UVDoc", "paddle")


def test_a_folder_of_another_network_is_refused(tmp_path: Path) -> None:
    folder = fake.lay(tmp_path / "mine", "UVDoc")
    with pytest.raises(ModelUnavailable, match="is of UVDoc"):
        folders.check(folder, "PP-OCRv6_small_det", "onnxruntime")
    (folder / "inference.yml").write_text("PreProcess: {}\n")
    with pytest.raises(ModelUnavailable, match="names no model"):
        folders.check(folder, "UVDoc", "onnxruntime")


def test_a_folder_given_without_a_name_says_it_itself(tmp_path: Path) -> None:
    fake.networks(tmp_path)
    mine = fake.lay(tmp_path / "mine", "PP-OCRv6_tiny_det")
    order = ordered(PPOCR, tmp_path, f"text_detection_model_dir={mine}")
    assert order["arguments"]["text_detection_model_name"] == "PP-OCRv6_tiny_det"


def test_the_hash_of_weights_follows_the_file(tmp_path: Path) -> None:
    folder = fake.lay(tmp_path / "mine", "UVDoc")
    first = folders.sha256(folder, "onnxruntime")
    (folder / "inference.onnx").write_bytes(b"other weights")
    assert len(first) == 64
    assert folders.sha256(folder, "onnxruntime") != first
    assert folders.sha256(tmp_path / "nowhere", "onnxruntime") == ""


def test_missing_weights_are_refused_before_anything_starts(tmp_path: Path) -> None:
    settings = Settings(models_dir=str(tmp_path), offline=True)
    with pytest.raises(ModelUnavailable) as caught:
        paddle.check(STRUCTUREV3, settings, "", "en")
    asked = caught.value.message.partition("`pagetide models pull ")[2].rstrip("`.").split()
    assert asked.pop() == "--trust-first-use"  # none of them is pinned
    assert set(asked) == set(paddle.networks_of(STRUCTUREV3, "", "en").values())
    with pytest.raises(ModelUnavailable, match="is incomplete"):
        given = fake.lay(tmp_path / "det", "PP-OCRv6_tiny_det", ())
        fake.networks(tmp_path / "all")
        ordered(PPOCR, tmp_path / "all", f"text_detection_model_dir={given}")


def test_the_weights_are_those_of_the_registry() -> None:
    known = Weights(Settings())
    group = known.names_of("pp-structurev3")
    assert set(group) == set(paddle.networks_of(STRUCTUREV3, "", "en").values())
    listed = {one.name for one in known.list()}
    switches = "use_doc_unwarping=1&use_textline_orientation=1&use_formula_recognition=1"
    switches += "&use_seal_recognition=1&use_chart_recognition=1"
    for parameters in (switches, f"{switches}&engine=paddle"):
        wanted = paddle.networks_of(STRUCTUREV3, parameters, "ru")
        assert set(wanted.values()) <= listed


def test_a_job_may_not_name_what_is_on_the_server() -> None:
    with pytest.raises(BadOption, match="paddlex_config"):
        Models(Settings()).pool("pp-ocr?paddlex_config=/etc/passwd")
    with pytest.raises(BadOption, match="text_detection_model_dir"):
        Models(Settings()).pool("pp-structurev3?text_detection_model_dir=/etc")


def test_weights_for_paddlepaddle_are_of_several_kinds(tmp_path: Path) -> None:
    dynamic = fake.lay(tmp_path / "chart", "PP-Chart2Table", ("model_state.pdparams",))
    folders.check(dynamic, "PP-Chart2Table", "paddle")
    assert len(folders.sha256(dynamic, "paddle")) == 64
    with pytest.raises(ModelUnavailable, match=r"inference\.json"):
        folders.check(dynamic, "PP-Chart2Table", "paddle_static")
