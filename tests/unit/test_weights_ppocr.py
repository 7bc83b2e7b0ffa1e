"""PP-OCR with networks that were pulled: which reads what, and that it does read."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pagetide.engines import ppocr
from pagetide.engines.models import Weights
from pagetide.engines.models.manifest import MANIFEST, Manifest, ModelFile, encode
from pagetide.engines.ppocr import first_stage
from pagetide.engines.ppocr.inference import notes
from pagetide.engines.ppocr.inference.weights import Choice, Family, bundled
from pagetide.engines.ppocr.inference.weights import Weights as PulledWeights
from pagetide.engines.ppocr.lines.decode import ReadLine, ReadWord
from pagetide.engines.ppocr.lines.right_to_left import as_read
from pagetide.engines.ppocr.readers import Readers
from pagetide.errors import BadOption, ModelUnavailable, UnknownLanguage
from pagetide.languages import Language, find
from pagetide.settings import Settings
from tests.drawing import page_of

WORDS = ("Harbour dues 1,284.50", "WITHOUT PREJUDICE", "(a) 17 % of 4 pages")
KOREAN = "korean_PP-OCRv5_mobile_rec"


def page() -> object:
    drawn = [((30, 30 + 60 * i), text) for i, text in enumerate(WORDS)]
    return page_of(drawn, width=640, height=288)


def read(settings: Settings, parameters: str, language: str = "auto") -> list[str]:
    engine = ppocr.open_engine(settings, parameters)
    try:
        (reading,) = engine.read(iter([page()]), language)  # type: ignore[list-item]
        assert reading.error is None
        return [line.text for line in reading.lines]
    finally:
        engine.close()


def install(root: Path, name: str, **files: bytes) -> None:
    """A model as a pull leaves it."""
    folder = root / name
    folder.mkdir(parents=True)
    listed = []
    for called, content in files.items():
        path = called.replace("_", ".")
        (folder / path).write_bytes(content)
        sha256 = hashlib.sha256(content).hexdigest()
        listed.append(ModelFile(path=path, size=len(content), sha256=sha256))
    (folder / MANIFEST).write_bytes(encode(Manifest(name=name, files=tuple(listed))))


def official_form() -> dict[str, bytes]:
    """The bundled recogniser as PaddlePaddle gives its own: the dictionary lies beside it."""
    model = onnx.load(bundled().recogniser)
    listing = {entry.key: entry.value for entry in model.metadata_props}["character"]
    del model.metadata_props[:]
    told = {
        "Global": {"model_name": "PP-OCRv6_small_rec"},
        "PostProcess": {"name": "CTCLabelDecode", "character_dict": listing.split("\n")},
    }
    text = yaml.dump(told, allow_unicode=True).encode()
    return {"inference_onnx": model.SerializeToString(), "inference_yml": text}


@pytest.fixture(params=["openvino", "onnxruntime"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    return Settings(
        runtime=request.param,
        threads=2,
        detection_side=640,
        cache_dir=str(tmp_path / "cache"),
        models_dir=str(tmp_path / "models"),
        offline=True,
    )


def test_a_recogniser_of_ones_own_is_pulled_from_a_mirror_and_reads(
    settings: Settings, tmp_path: Path
) -> None:
    mine = tmp_path / "given" / "mine_rec"
    mine.mkdir(parents=True)
    shutil.copy(bundled().recogniser, mine / "inference.onnx")
    with pytest.raises(ModelUnavailable, match="pagetide models pull mine_rec"):
        ppocr.open_engine(settings, "recogniser=mine_rec")
    Weights(settings).pull("mine_rec", lambda _: None, folder=mine.parent, trust=True)
    assert read(settings, "recogniser=mine_rec") == list(WORDS)


def test_a_language_of_another_model_is_read_once_it_is_pulled(settings: Settings) -> None:
    with pytest.raises(ModelUnavailable, match=f"Korean: .*`pagetide models pull {KOREAN}`"):
        read(settings, "", "ko")
    with pytest.raises(ModelUnavailable, match="Korean"):
        ppocr.vet_language(settings, "ko")
    network = bundled().recogniser.read_bytes()
    install(Path(settings.models_dir), KOREAN, inference_onnx=network)
    ppocr.vet_language(settings, "ko+en")
    engine = ppocr.open_engine(settings)
    try:
        for language in ("ko", "auto", "en+ko"):
            (reading,) = engine.read(iter([page()]), language)  # type: ignore[list-item]
            assert [line.text for line in reading.lines] == list(WORDS)
        told = engine.describe("ko")
        assert told.parts == {"detection": "PP-OCRv6_small_det", "recognition": KOREAN}
        assert told.weights["recognition"] == hashlib.sha256(network).hexdigest()
        assert KOREAN in told.version and told.language == "korean"
        usual = engine.describe("auto")
        assert usual.parts["recognition"] == "PP-OCRv6_small_rec"
        assert usual.parts["first_stage"] == first_stage.NAME
        assert set(usual.weights) == {"detection", "recognition", "first_stage"}
        assert usual.weights["detection"] == told.weights["detection"]
    finally:
        engine.close()


def test_the_form_of_paddlepaddle_is_read_by_either_name(settings: Settings) -> None:
    install(Path(settings.models_dir), "PP-OCRv6_medium_rec_onnx", **official_form())
    detector = bundled().detector.read_bytes()
    scale = {"mean": ["0.5"] * 3, "std": ["0.5"] * 3, "scale": "1./255."}
    told = {"PreProcess": {"transform_ops": [{"NormalizeImage": scale}]}}
    install(
        Path(settings.models_dir),
        "PP-OCRv6_medium_det_onnx",
        inference_onnx=detector,
        inference_yml=yaml.dump(told).encode(),
    )
    ppocr.vet(settings, "size=medium")
    assert read(settings, "size=medium") == list(WORDS)


def test_a_dictionary_of_another_network_is_refused(settings: Settings) -> None:
    files = official_form()
    short = {"PostProcess": {"character_dict": ["a", "b"]}}
    files["inference_yml"] = yaml.dump(short).encode()
    install(Path(settings.models_dir), "odd_rec", **files)
    with pytest.raises(ModelUnavailable, match="dictionary of odd_rec has 2 letters"):
        read(settings, "recogniser=odd_rec")


def test_a_detector_is_no_recogniser(settings: Settings) -> None:
    with pytest.raises(BadOption, match="PP-OCRv6_small_det is for detection"):
        read(settings, "recogniser=PP-OCRv6_small_det")


def test_a_network_that_reads_no_lines_is_refused(settings: Settings) -> None:
    detector = bundled().detector.read_bytes()
    install(Path(settings.models_dir), "odd_rec", inference_onnx=detector)
    with pytest.raises(ModelUnavailable, match="odd_rec is not a recognizer"):
        read(settings, "recogniser=odd_rec")


@pytest.mark.parametrize(
    "text", [b"", b"[", b"PostProcess: {}", b"PostProcess: 3", b"\xff\xfe\x00"]
)
def test_notes_without_a_dictionary_are_said(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "inference.yml").write_bytes(text)
    with pytest.raises(ModelUnavailable, match=r"contains no dictionary|cannot be read"):
        notes.dictionary(tmp_path / "inference.yml")


def test_letters_that_yaml_takes_for_something_else_stay_letters(tmp_path: Path) -> None:
    (tmp_path / "inference.yml").write_text(
        "PostProcess:\n  character_dict:\n  - '!'\n  - 1\n  - no\n  - ~\n  - ''''\n"
    )
    assert notes.dictionary(tmp_path / "inference.yml").split("\n") == [
        "!",
        "1",
        "no",
        "~",
        "'",
    ]


@pytest.mark.parametrize("classes", [4, 3])
def test_the_space_may_be_missing_from_the_classes(classes: int) -> None:
    assert notes.fitted("a\nb", classes, "x") == ("", "a", "b", " ")[:classes]


class Silent:
    """A runtime that is only counted."""

    name, staged = "none", True


class Lent:
    """A folder that has every network."""

    def reading(self, language: Language) -> PulledWeights:
        return replace(bundled(), recogniser_name=language.model)


def test_a_few_recognisers_are_open_at_a_time_and_one_detector() -> None:
    opened: list[str] = []

    def open_runtime(weights: PulledWeights) -> Any:
        opened.append(weights.recogniser_name)
        return Silent()

    readers = Readers(cast(Any, Lent()), open_runtime)
    for code in ("en", "ko", "en", "de+fr", "ru", "ko", "el", "th", "ko", "en"):
        assert readers.reader(find(code)).weights.recogniser_name == find(code).model
    assert [name.split("_")[0] for name in opened] == [
        *("pp-ocrv6", "korean", "eslav", "el", "th", "pp-ocrv6")
    ]


class TestChoice:
    @pytest.mark.parametrize(
        ("family", "parameters", "language", "name"),
        [
            ("pp-ocrv6", "", "auto", "PP-OCRv6_small_rec"),
            ("pp-ocrv6", "", "ko", KOREAN),
            ("pp-ocrv6", "", "ru", "eslav_PP-OCRv5_mobile_rec"),
            ("pp-ocrv6", "", "ru+bg", "cyrillic_PP-OCRv5_mobile_rec"),
            ("pp-ocrv6", "size=medium", "ja", "PP-OCRv6_medium_rec"),
            ("pp-ocrv6", "size=tiny", "de+fr", "PP-OCRv6_tiny_rec"),
            ("pp-ocrv6", "recogniser=mine", "ko", "mine"),
            ("pp-ocrv5", "", "auto", "PP-OCRv5_mobile_rec"),
            ("pp-ocrv5", "size=server", "zh", "PP-OCRv5_server_rec"),
            ("pp-ocrv5", "", "en", "en_PP-OCRv5_mobile_rec"),
            ("pp-ocrv5", "", "de", "latin_PP-OCRv5_mobile_rec"),
            ("pp-ocrv5", "", "ar", "arabic_PP-OCRv5_mobile_rec"),
        ],
    )
    def test_the_recogniser_follows_size_and_language(
        self, family: Family, parameters: str, language: str, name: str
    ) -> None:
        assert Choice.parse(family, parameters).recogniser_name(find(language)) == name

    def test_the_smallest_does_not_read_japanese(self) -> None:
        with pytest.raises(ModelUnavailable, match="size=small"):
            Choice.parse("pp-ocrv6", "size=tiny").recogniser_name(find("ja"))

    @pytest.mark.parametrize("parameters", ["size=huge", "sise=small", "size", "x"])
    def test_a_wrong_option_is_refused(self, parameters: str) -> None:
        with pytest.raises(BadOption, match="pp-ocrv6 has no"):
            Choice.parse("pp-ocrv6", parameters)

    def test_what_is_wanted_and_not_here_says_what_to_run(self, tmp_path: Path) -> None:
        settings = Settings(models_dir=str(tmp_path))
        with pytest.raises(ModelUnavailable, match="pagetide models pull PP-OCRv6_medium_det"):
            ppocr.vet(settings, "size=medium")
        both = "pagetide models pull PP-OCRv6_medium_det PP-OCRv6_medium_rec`"
        with pytest.raises(ModelUnavailable, match=both):
            ppocr.vet_language(settings, "de", "size=medium")
        with pytest.raises(ModelUnavailable, match="pagetide models pull PP-OCRv5_mobile_det"):
            ppocr.vet(settings, "", "pp-ocrv5")
        with pytest.raises(UnknownLanguage):
            ppocr.vet_language(settings, "xx")
        with pytest.raises(BadOption, match="together"):
            ppocr.vet_language(settings, "ko+ru")


def line(*words: str) -> ReadLine:
    """A line as the recogniser gives it: from left to right."""
    spread = np.linspace(0, 1, 2 * len(words) + 1)
    placed = tuple(
        ReadWord(
            text=text, confidence=0.9, least=0.9, start=spread[2 * i], end=spread[2 * i + 1]
        )
        for i, text in enumerate(words)
    )
    return ReadLine(text=" ".join(words), confidence=0.9, words=placed)


class TestRightToLeft:
    @pytest.mark.parametrize(
        ("seen", "wanted"),
        [
            (["ملاع", "ابحرم"], "مرحبا عالم"),
            (["2026", "ماع"], "عام 2026"),
            (["ةنس3.5%"], "3.5%سنة"),
            (["PDF", "file", "فلم"], "ملف PDF file"),
            (["(سدقلا)"], "(القدس)"),
            (["Harbour", "dues"], "Harbour dues"),
            ([], ""),
        ],
    )
    def test_lines_are_put_into_the_order_of_reading(
        self, seen: list[str], wanted: str
    ) -> None:
        read = as_read(line(*seen))
        assert read.text == wanted
        assert [word.text for word in read.words] == wanted.split()

    def test_a_word_keeps_its_place_on_the_page(self) -> None:
        read = as_read(line("ملاع", "ابحرم"))
        assert [word.start for word in read.words] == [0.5, 0.0]

    @given(st.lists(st.text("ابج12 .(a)", min_size=1, max_size=5).filter(str.strip)))
    def test_no_letter_is_lost(self, words: list[str]) -> None:
        given = line(*("".join(word.split()) for word in words))
        read = as_read(given)
        mirrored = str.maketrans(")", "(")
        assert sorted(read.text.translate(mirrored)) == sorted(given.text.translate(mirrored))
        assert len(read.words) == len(given.words)
