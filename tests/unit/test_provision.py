"""What a worker fetches before it is ready, and what is said where it cannot have it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event

import pytest

from pagetide.engines.catalogue import Models
from pagetide.engines.models import Weights
from pagetide.engines.models.manifest import Manifest, ModelFile, encode
from pagetide.engines.models.registry import registry
from pagetide.engines.provision import networks, provision
from pagetide.errors import BadOption, LanguageUnavailable, ModelNotPinned, ModelUnavailable
from pagetide.settings import Settings

GPU = {
    "cpu": ("auto", "structure-lite", "pp-ocrv6"),
    "gpu": ("pp-structurev3",),
    "vl": ("paddleocr-vl",),
}
RUSSIAN = "eslav_PP-OCRv5_mobile_rec"


class TestWhatAPoolNeeds:
    def test_bundled_models_need_nothing(self) -> None:
        assert networks(Settings(pools=GPU), "cpu") == ()

    def test_a_model_needs_its_group(self) -> None:
        group = registry().groups["pp-structurev3"]
        assert set(networks(Settings(pools=GPU), "gpu")) == set(group)

    def test_a_server_of_its_own_is_not_asked(self) -> None:
        assert networks(Settings(pools=GPU), "vl") == ("PP-DocLayoutV3",)

    def test_a_canary_needs_what_its_pool_does(self) -> None:
        settings = Settings(pools=GPU)
        assert networks(settings, "gpu-next") == networks(settings, "gpu")

    def test_what_is_warmed_is_needed_where_no_pool_is_named(self) -> None:
        assert networks(Settings(), "gpu", ("paddleocr-vl",)) == ("PP-DocLayoutV3",)

    @pytest.mark.parametrize(
        ("pool", "needed"), [("cpu", {RUSSIAN}), ("gpu", {f"{RUSSIAN}_onnx"}), ("vl", set())]
    )
    def test_languages_are_those_of_the_pool(self, pool: str, needed: set[str]) -> None:
        plain = Settings(pools=GPU)
        told = Settings(pools=GPU, languages={"cpu": ("ru", "uk"), "gpu": ("be",)})
        added = {*networks(told, pool)} - {*networks(plain, pool)}
        assert added == needed

    def test_languages_may_be_those_of_all_pools(self) -> None:
        told = Settings(pools=GPU, languages=("ru", "ko"))
        assert {RUSSIAN, "korean_PP-OCRv5_mobile_rec"} == {*networks(told, "cpu")}
        assert "korean_PP-OCRv5_mobile_rec_onnx" in networks(told, "gpu")


def laid(folder: Path, names: Sequence[str], content: bytes = b"network") -> str:
    """A mirror that has networks, by the URL of it."""
    import hashlib

    for name in names:
        place = folder / name
        place.mkdir(parents=True)
        (place / "inference.onnx").write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        file = ModelFile(path="inference.onnx", size=len(content), sha256=digest)
        (place / "manifest.json").write_bytes(encode(Manifest(name=name, files=(file,))))
    return folder.as_uri()


def here(tmp_path: Path, mirror: str) -> Weights:
    return Weights(
        Settings(models_dir=str(tmp_path / "models"), models_mirror=mirror, offline=True)
    )


class TestFetching:
    def test_what_is_missing_comes_and_the_log_counts_it(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        weights = here(tmp_path, laid(tmp_path / "mirror", ("ours_a", "ours_b")))
        weights.pull("ours_a", print)
        with caplog.at_level(logging.INFO, "pagetide"):
            provision(weights, ("ours_a", "ours_b"), trust=False, stopping=Event())
        assert weights.here("ours_b")
        [said] = [one for one in caplog.records if one.message == "network is here"]
        told = vars(said)
        assert (told["network"], told["count"]) == ("ours_b", "1 of 1")
        assert (told["files"], told["bytes"]) == (1, 7) and told["ms"] >= 0
        caplog.clear()
        provision(weights, ("ours_a", "ours_b"), trust=False, stopping=Event())
        assert caplog.records == []

    def test_a_network_that_nobody_has_is_asked_for_a_few_times(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        weights = here(tmp_path, (tmp_path / "none").as_uri())
        with pytest.raises(ModelUnavailable) as refused:
            provision(
                weights,
                ("PP-DocLayoutV3",),
                trust=True,
                stopping=Event(),
                pauses_s=(0.0, 0.0),
            )
        assert "PP-DocLayoutV3" in refused.value.message
        assert "there is no such folder" in refused.value.message
        assert refused.value.message.endswith("3 attempts were made.")
        assert refused.value.exit_code == 69
        assert [one.message for one in caplog.records].count("network not fetched") == 2

    def test_one_that_is_not_pinned_is_asked_for_once(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        mirror, name = tmp_path / "mirror", "PP-OCRv6_medium_det_onnx"
        laid(mirror, (name,))
        (mirror / name / "manifest.json").unlink()
        (mirror / name / "inference.yml").write_bytes(b"x")
        weights = here(tmp_path, mirror.as_uri())
        with pytest.raises(ModelNotPinned, match="--trust-first-use"):
            provision(weights, (name,), trust=False, stopping=Event())
        assert "network not fetched" not in caplog.text
        provision(weights, (name,), trust=True, stopping=Event())
        assert weights.here(name)

    def test_a_worker_that_is_told_to_end_begins_no_further_one(self, tmp_path: Path) -> None:
        weights = here(tmp_path, laid(tmp_path / "mirror", ("ours_a",)))
        told = Event()
        told.set()
        provision(weights, ("ours_a",), trust=False, stopping=told)
        assert not weights.here("ours_a")

    def test_a_mirror_that_takes_nothing_keeps_no_worker_from_its_work(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from pagetide.errors import CannotWrite

        weights = here(tmp_path, laid(tmp_path / "mirror", ("ours_a",)))
        pull = weights.pull

        def pulled(*given: object, **more: object) -> Path:
            pull(*given, **more)  # type: ignore[arg-type]
            raise CannotWrite("ours_a is installed, but the mirror does not accept it.")

        monkeypatch.setattr(weights, "pull", pulled)
        provision(weights, ("ours_a",), trust=False, stopping=Event())
        assert "mirror not filled" in caplog.text


class TestLanguagesOfPools:
    """A server with pools takes the languages that their workers are told to have."""

    def test_what_models_bring_along_is_read(self) -> None:
        models = Models(Settings(pools=GPU))
        for model, code in [("auto", "de"), ("pp-structurev3", "ja"), ("paddleocr-vl", "vi")]:
            models.vet_language(model, code)

    @pytest.mark.parametrize("model", ["auto", "pp-ocrv6", "pp-structurev3"])
    @pytest.mark.parametrize("code", ["ru", "ar", "hi", "ko", "th", "el"])
    def test_others_are_refused_with_those_that_are_read(self, model: str, code: str) -> None:
        with pytest.raises(LanguageUnavailable) as refused:
            Models(Settings(pools=GPU)).vet_language(model, code)
        assert refused.value.code == "language_unavailable"
        assert refused.value.http_status == 422
        read = refused.value.message.partition("they read ")[2].rstrip(".").split(", ")
        assert {"auto", "en", "de", "japan"} <= {*read}
        assert not {"ru", "ar", "hi", "korean", "th", "el"} & {*read}

    @pytest.mark.parametrize("model", ["auto", "pp-ocrv6", "pp-structurev3"])
    def test_those_of_the_setting_are_read_with_what_their_networks_read(
        self, model: str
    ) -> None:
        models = Models(Settings(pools=GPU, languages=("ru", "ko")))
        for code in ("ru", "uk", "ko", "en"):
            models.vet_language(model, code)
        with pytest.raises(LanguageUnavailable, match=r"\bru, .*\bkorean\b|korean.*\bru\b"):
            models.vet_language(model, "th")

    def test_the_model_that_writes_every_letter_reads_all_but_what_it_falls_back_to(
        self,
    ) -> None:
        models = Models(Settings(pools=GPU))
        models.vet_language("paddleocr-vl", "ru")
        with pytest.raises(LanguageUnavailable, match="The workers of the pool vl"):
            models.vet_language("paddleocr-vl?fallback=pp-ocrv6", "ru")

    @pytest.mark.parametrize("wrong", [{"gpu": ("rus sian",)}, ("ru;ko",), ("xx",)])
    def test_a_language_that_is_none_keeps_a_server_from_starting(
        self, wrong: Mapping[str, tuple[str, ...]] | tuple[str, ...]
    ) -> None:
        with pytest.raises(BadOption):
            Models(Settings(pools=GPU, languages=wrong))

    def test_each_pool_reads_its_own(self) -> None:
        models = Models(Settings(pools=GPU, languages={"gpu": ("ru",)}))
        models.vet_language("pp-structurev3", "ru")
        with pytest.raises(LanguageUnavailable, match="The workers of the pool cpu"):
            models.vet_language("auto", "ru")

    def test_a_language_that_there_is_not_is_still_another_error(self) -> None:
        from pagetide.errors import UnknownLanguage

        with pytest.raises(UnknownLanguage):
            Models(Settings(pools=GPU)).vet_language("auto", "xx")


class TestFillingAMirror:
    def test_what_is_here_is_copied_and_once_is_enough(self, tmp_path: Path) -> None:
        weights = here(tmp_path, laid(tmp_path / "mirror", ("ours_a",)))
        weights.pull("ours_a", print)
        told: list[str] = []
        other = (tmp_path / "other").as_uri()
        weights.copy("ours_a", other, told.append)
        weights.copy("ours_a", other, told.append)
        weights.copy("PP-OCRv6_small_det", other, told.append)
        assert ["written to" in told[0], "already" in told[1], "package" in told[2]] == [
            True,
            True,
            True,
        ]
        again = Weights(
            Settings(models_dir=str(tmp_path / "x"), models_mirror=other, offline=True)
        )
        assert again.pull("ours_a", print).is_dir()
