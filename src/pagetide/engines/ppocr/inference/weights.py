"""Which networks read a language: those that are bundled, or those that were pulled."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl

from pagetide.engines.models import InstalledModel, pull_command
from pagetide.engines.models import Weights as Collection
from pagetide.engines.ppocr import OPTIONS, first_stage
from pagetide.errors import BadOption, ModelUnavailable, nearest
from pagetide.languages import AUTO, BUNDLED_MODEL, Language
from pagetide.settings import Settings

Family = Literal["pp-ocrv6", "pp-ocrv5"]

SIZES: Mapping[str, tuple[str, ...]] = {
    "pp-ocrv6": ("small", "medium", "tiny"),
    "pp-ocrv5": ("mobile", "server"),
}
GENERATIONS = {"pp-ocrv6": "PP-OCRv6", "pp-ocrv5": "PP-OCRv5"}
BUNDLED_DETECTOR, BUNDLED_RECOGNISER = "PP-OCRv6_small_det", "PP-OCRv6_small_rec"
NOTES = "inference.yml"
_OFFICIAL = "_onnx"  # what PaddlePaddle's own ONNX models are called behind their names
_HAN = ("Han", "Japanese")
# What the smallest dictionary lacks (PaddleOCR 3.7 lists its languages without Japanese).
_TINY_LACKS = ("Japanese",)


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Files of the two networks, and what they are.

    Attributes:
        carriers: What carries them, with its version.
        detector_name: As `pagetide models` lists it.
        recogniser_name: Likewise.
        detector_known: Whether it is the network that the runtimes know how to rewrite; any
            other is run as it comes.
        recogniser_known: Likewise.
        detector_notes: The `inference.yml` beside it; None where there is none.
        recogniser_notes: Likewise; it holds the dictionary, which the network holds itself
            where there is none.
        staged: Whether the cascade's first stage reads before the recogniser does.
    """

    detector: Path
    recogniser: Path
    carriers: str
    detector_name: str = BUNDLED_DETECTOR
    recogniser_name: str = BUNDLED_RECOGNISER
    detector_known: bool = True
    recogniser_known: bool = True
    detector_notes: Path | None = None
    recogniser_notes: Path | None = None
    staged: bool = False

    @property
    def version(self) -> str:
        """What changes whenever the networks do."""
        return f"{self.carriers}, {first_stage.NAME}" if self.staged else self.carriers

    @property
    def parts(self) -> dict[str, str]:
        """The name of each network, by what it is for."""
        return {part: name for part, (name, _) in self._networks.items()}

    @property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 of each network's file, in hexadecimal."""
        return {part: _digest(path) for part, (_, path) in self._networks.items()}

    @property
    def _networks(self) -> dict[str, tuple[str, Path]]:
        both = {
            "detection": (self.detector_name, self.detector),
            "recognition": (self.recogniser_name, self.recogniser),
        }
        if not self.staged:
            return both
        return {**both, "first_stage": (first_stage.NAME, first_stage.WEIGHTS)}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Which networks a model's options ask for.

    Attributes:
        size: Of the family.
        detector: The name of one; empty means the family's.
        recogniser: The name of one that reads every language; empty means by language.
        cascade: `on` where the bundled recogniser reads only what a first stage is not sure
            of; `off` where it reads everything.
    """

    family: Family = "pp-ocrv6"
    size: str = "small"
    detector: str = ""
    recogniser: str = ""
    cascade: str = "on"

    @classmethod
    def parse(cls, family: Family, parameters: str) -> Choice:
        """The choice that a model's options name: `size=medium&recogniser=NAME`.

        Raises:
            BadOption: There is no such option, or not with this value.
        """
        given: dict[str, str] = {}
        for key, value in parse_qsl(parameters, keep_blank_values=True):
            if key not in OPTIONS:
                raise BadOption(f"{family} has no option {key!r}; {nearest(key, OPTIONS)}")
            given[key] = value
        size = given.setdefault("size", SIZES[family][0])
        if size not in SIZES[family]:
            raise BadOption(f"{family} has no size {size!r}; {nearest(size, SIZES[family])}")
        cascade = given.get("cascade", "on")
        if cascade not in ("on", "off"):
            raise BadOption(f"cascade is on or off, not {cascade!r}")
        return cls(family=family, **given)

    @property
    def detector_name(self) -> str:
        """The detector's name."""
        return self.detector or f"{GENERATIONS[self.family]}_{self.size}_det"

    def recogniser_name(self, language: Language) -> str:
        """The name of the recogniser that reads a language, or several as one.

        Raises:
            ModelUnavailable: This size does not read it.
        """
        if self.recogniser:
            return self.recogniser
        if language.model != BUNDLED_MODEL:
            return language.model
        if self.family == "pp-ocrv5":
            return self._of_v5(language)
        if self.size == "tiny" and language.script in _TINY_LACKS:
            raise ModelUnavailable(
                f"PP-OCRv6_tiny_rec does not read {language.name}; choose size=small."
            )
        return f"{GENERATIONS[self.family]}_{self.size}_rec"

    def _of_v5(self, language: Language) -> str:
        if language.code == "en":
            return "en_PP-OCRv5_mobile_rec"
        if language.script in _HAN or language.code == AUTO:
            return f"PP-OCRv5_{self.size}_rec"
        return "latin_PP-OCRv5_mobile_rec"


class InstalledWeights:
    """The networks of a choice, found among the models of this machine."""

    def __init__(self, settings: Settings, choice: Choice) -> None:
        self._models, self._choice = Collection(settings), choice

    def check(self) -> None:
        """See whether lines can be searched for.

        Raises:
            BadOption: A network is known to be for something else.
            ModelUnavailable: The detector is not here; the message says what to run.
        """
        detector, recogniser = self._choice.detector, self._choice.recogniser
        self._models.vet(detector, "detection")
        self._models.vet(recogniser, "recognition")
        names = (self._choice.detector_name, recogniser)
        self._need(*filter(None, names))

    def reading(self, language: Language) -> Weights:
        """The networks that read a language.

        Raises:
            ModelUnavailable: One of them is not here; the message says what to run.
        """
        names = self._choice.detector_name, self._choice.recogniser_name(language)
        try:
            detector, recogniser = self._need(*names)
        except ModelUnavailable as missing:
            if language.code == AUTO:
                raise
            raise ModelUnavailable(f"{language.name}: {missing.message}") from None
        staged = self._choice.cascade == "on" and first_stage.reads(language)
        return _placed(detector, recogniser, staged=staged)

    def names(self, language: Language) -> tuple[str, ...]:
        """The networks that read a language, in the form that is here where one is.

        Raises:
            ModelUnavailable: This size does not read it.
        """
        names = self._choice.detector_name, self._choice.recogniser_name(language)
        found = [self._found(name) for name in names]
        return tuple(one.name if one else name for one, name in zip(found, names, strict=True))

    def _need(self, *names: str) -> list[InstalledModel]:
        """Models by their names, or PaddlePaddle's own forms of them."""
        found = [(name, self._found(name)) for name in names]
        missing = [name for name, one in found if one is None]
        if len(missing) > 1:
            raise ModelUnavailable(
                f"The models {' and '.join(missing)} are missing; run"
                f" `{pull_command(missing)}`."
            )
        return [one or self._models.need(name) for name, one in found]

    def _found(self, name: str) -> InstalledModel | None:
        return self._models.find(name) or self._models.find(name + _OFFICIAL)


def bundled() -> Weights:
    """The models inside the installed `rapidocr` package, which is not imported.

    Raises:
        ModelUnavailable: The package or one of its files is missing.
    """
    models = Collection(Settings(cache_dir="off"))
    return _placed(models.need(BUNDLED_DETECTOR), models.need(BUNDLED_RECOGNISER))


def _placed(
    detector: InstalledModel, recogniser: InstalledModel, *, staged: bool = True
) -> Weights:
    known = recogniser.bundled and recogniser.name == BUNDLED_RECOGNISER
    return Weights(
        detector=detector.network,
        recogniser=recogniser.network,
        carriers=_version(detector, recogniser),
        detector_name=detector.name,
        recogniser_name=recogniser.name,
        detector_known=detector.bundled and detector.name == BUNDLED_DETECTOR,
        recogniser_known=known,
        detector_notes=detector.files.get(NOTES),
        recogniser_notes=recogniser.files.get(NOTES),
        staged=staged and known,
    )


def _version(*found: InstalledModel) -> str:
    """What carries the networks, with its version; changes whenever the networks do."""
    versions = [
        _package_version(one.manifest.source.removeprefix("package:"))
        if one.bundled
        else f"{one.name} {_digest(one.network)[:12]}"
        for one in found
    ]
    return ", ".join(dict.fromkeys(versions))


def _package_version(package: str) -> str:
    import importlib.metadata

    return f"{package} {importlib.metadata.version(package)}"


def _digest(path: Path) -> str:
    state = path.stat()
    return _digest_of(path, state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=32)
def _digest_of(path: Path, changed: int, size: int) -> str:
    from pagetide.engines.models.fetching import digest

    return digest(path)
