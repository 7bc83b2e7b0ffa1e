"""Models by name and option, and what is said where one cannot be had."""

from pathlib import Path

import pytest

from pagetide import errors
from pagetide.engines.catalogue import MODELS, Models, canonical, entry_of, open_engine
from pagetide.engines.structure_lite import LiteOptions
from pagetide.reading.opening import open_reader
from pagetide.settings import Settings


def test_the_same_options_give_the_same_name() -> None:
    one = canonical("m", {"b": True, "a": 2})
    assert one == canonical("m", {"a": 2, "b": True}) == "m?a=2&b=true"
    assert canonical("m?b=true", {"a": 2}) == one
    assert canonical("m", {}) == "m"


def test_an_option_given_twice_is_an_error() -> None:
    with pytest.raises(errors.BadOption, match="'a' is given twice"):
        canonical("m?a=1", {"a": 2})


def test_options_with_signs_of_their_own_survive() -> None:
    name = canonical("m", {"text": "a=b&c d?é"})
    assert name.count("&") == 0 and canonical(name, {}) == name


def test_an_unknown_model_names_the_nearest() -> None:
    with pytest.raises(errors.UnknownModel, match="structure-lite"):
        entry_of("structure-lit")


@pytest.mark.parametrize("name", ["pp-ocrv6", "text-layer", "auto"])
def test_a_model_without_such_an_option_says_so(name: str) -> None:
    with pytest.raises(errors.BadOption, match=r"option|parameter"):
        Models(Settings()).pool(f"{name}?x=1")


def test_models_for_tests_are_hidden_from_a_server() -> None:
    with pytest.raises(errors.UnknownModel):
        Models(Settings()).pool("fake")
    assert Models(Settings(test_models=True)).pool("fake") == "cpu"


def test_auto_is_refused_where_its_precise_model_cannot_be_had() -> None:
    with pytest.raises(errors.UnknownModel):
        Models(Settings(precise_model="no-such-model")).pool("auto")


def test_what_auto_stands_for_changes_its_version() -> None:
    plain = Models(Settings()).version("auto")
    assert Models(Settings(precise_model="pp-ocrv6")).version("auto") != plain


def test_every_model_says_what_it_is_for() -> None:
    assert all(entry.summary for entry in MODELS.values())


def test_parts_of_structure_lite_are_named_by_its_options() -> None:
    options = LiteOptions.parse("layout=PP-DocLayoutV3&tables=SLANet_plus&size=medium")
    assert (options.layout, options.tables) == ("PP-DocLayoutV3", "SLANet_plus")
    assert options.lines == "size=medium"


@pytest.mark.parametrize("options", ["layuot=x", "layout="])
def test_a_wrong_option_of_structure_lite_is_named(options: str) -> None:
    with pytest.raises(errors.BadOption, match="layout"):
        Models(Settings()).pool(f"structure-lite?{options}")


def test_a_network_that_is_not_here_is_refused_with_what_to_run(tmp_path: Path) -> None:
    settings = Settings(models_dir=str(tmp_path))
    with pytest.raises(errors.ModelUnavailable, match="pagetide models pull PP-DocLayoutV3"):
        Models(settings).pool("structure-lite?layout=PP-DocLayoutV3")


@pytest.mark.parametrize(
    "model",
    [
        "structure-lite?layout=PP-OCRv6_small_rec",
        "structure-lite?tables=layout_cdla",
        "structure-lite?detector=PP-OCRv6_small_rec",
        "pp-ocrv6?recogniser=PP-OCRv6_small_det",
        "pp-ocrv6?detector=layout_cdla",
    ],
)
def test_a_network_for_something_else_is_refused_before_a_worker_opens_it(model: str) -> None:
    with pytest.raises(errors.BadOption, match=r"is for (layout|detection|recognition)"):
        Models(Settings()).pool(model)


def test_the_bundled_layout_may_be_named() -> None:
    Models(Settings()).pool("structure-lite?layout=layout_cdla")
    engine = open_engine("structure-lite?layout=layout_cdla", Settings(cache_dir="off"))
    try:
        assert engine.describe("en").parts["layout"]
    finally:
        engine.close()


def test_a_server_leaves_its_owners_options_to_its_owner() -> None:
    settings = Settings(precise_model="pp-ocr?cpu_threads=1", paddle_python="/nowhere")
    with pytest.raises(
        errors.BadOption, match="does not accept text_detection_model_dir in a job"
    ):
        Models(settings).pool("pp-structurev3?text_detection_model_dir=/etc")
    with pytest.raises(errors.ModelUnavailable):  # not BadOption: the owner says so
        Models(settings).pool("auto")
    with pytest.raises(errors.ModelUnavailable):
        open_reader("pp-ocr", options={"cpu_threads": 1}, settings=settings)


def test_a_model_for_another_machine_that_there_is_not_is_refused() -> None:
    with pytest.raises(errors.BadOption) as refused:
        Models(Settings(pools={"gpu": ("paddleocr-v",), "cpu": ("pp-ocrv6",)}))
    assert "'paddleocr-v'" in refused.value.message
    assert "paddleocr-vl" in refused.value.message


def test_so_does_one_whose_models_run_elsewhere() -> None:
    models = Models(Settings(pools={"gpu": ("pp-structurev3",), "cpu": ("pp-ocrv6",)}))
    with pytest.raises(
        errors.BadOption, match="does not accept text_detection_model_dir in a job"
    ):
        models.pool("pp-structurev3?text_detection_model_dir=/etc")
    assert models.pool("pp-structurev3?use_seal_recognition=true") == "gpu"


@pytest.mark.parametrize("model", ["pp-ocr", "pp-structurev3"])
def test_paddleocrs_networks_for_a_language_are_asked_for(tmp_path: Path, model: str) -> None:
    with pytest.raises(errors.ModelUnavailable, match="devanagari"):
        Models(Settings(models_dir=str(tmp_path))).vet_language(model, "hi")


@pytest.mark.parametrize("model", ["auto", "structure-lite", "pp-ocrv6"])
def test_a_language_whose_network_is_missing_is_refused(tmp_path: Path, model: str) -> None:
    models = Models(Settings(models_dir=str(tmp_path)))
    with pytest.raises(errors.ModelUnavailable, match="pagetide models pull"):
        models.vet_language(model, "hi")


def test_auto_asks_the_server_for_what_the_usual_model_reads_badly(tmp_path: Path) -> None:
    settings = Settings(models_dir=str(tmp_path), vl_url="http://127.0.0.1:1/v1")
    with pytest.raises(errors.ModelUnavailable, match="PP-DocLayoutV3"):
        Models(settings).vet_language("auto", "vi")


def test_no_secret_of_an_address_is_shown() -> None:
    settings = Settings(
        store="postgresql://u:hunter2@h/d",
        blobs="s3://b?sig=hunter2",
        models_mirror="az://c?sig=hunter2",
        vl_url="http://u:hunter2@h/v1",
        vl_key="hunter2",
    )
    assert "hunter2" not in repr(settings)
