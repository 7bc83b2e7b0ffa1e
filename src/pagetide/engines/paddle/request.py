"""Converts a model's options to the arguments of PaddleOCR's constructor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pagetide.engines.models import pull_command
from pagetide.engines.paddle import folders
from pagetide.engines.paddle.options import Family
from pagetide.engines.paddle.parts import networks
from pagetide.errors import ModelUnavailable, RuntimeUnavailable
from pagetide.languages import BUNDLED_MODEL
from pagetide.languages import find as find_language
from pagetide.settings import Settings, available_cores

# What reads the languages that the bundled PP-OCRv6 reads too; upstream's own default.
V6 = "PP-OCRv6_medium_rec"
PADDLE = "paddle"
# Kannada: the network that our own engine reads it with is none of PaddleX 3.7's.
_OTHER_NAME = {"ka_PP-OCRv4_mobile_rec": "ka_PP-OCRv3_mobile_rec"}

FindModel = Callable[[str], Path]

# Where the configuration has text detection; upstream writes one limit to all of these, the
# seals' among them, and forgets the seals' own (paddleocr 3.7.0, `pp_structurev3.py`).
_DETECTIONS = (
    "SubPipelines.GeneralOCR.SubModules.TextDetection",
    "SubPipelines.TableRecognition.SubPipelines.GeneralOCR.SubModules.TextDetection",
)
_SEAL_DETECTION = "SubPipelines.SealRecognition.SubPipelines.SealOCR.SubModules.TextDetection"
# And where the tables' own text pipeline has the switch that upstream does not pass on.
_TABLE_TEXT = "SubPipelines.TableRecognition.SubPipelines.GeneralOCR"


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a pipeline is made of; two equal ones can share a process.

    Attributes:
        order: The first message to the process: see `runner`.
        networks: Part to network.
        weights: Part to folder.
        engines: Part to what it runs on.
    """

    order: dict[str, Any]
    networks: dict[str, str]
    weights: dict[str, Path]
    engines: dict[str, str]

    @property
    def needs_paddle(self) -> list[str]:
        """The parts that need PaddlePaddle."""
        return [part for part, engine in self.engines.items() if engine.startswith(PADDLE)]


def recogniser(language: str) -> str:
    """The network that reads a language.

    Raises:
        UnknownLanguage: There is no such language.
        ModelUnavailable: No network of PP-OCR reads it.
    """
    known = find_language(language)
    if known.model == BUNDLED_MODEL:
        return V6
    if not known.model.endswith("_rec"):
        raise ModelUnavailable(
            f"{known.name} ({known.code}) needs the model {known.model}: no PP-OCR"
            " network reads it."
        )
    return _OTHER_NAME.get(known.model, known.model)


def request(
    family: Family,
    parameters: Mapping[str, Any],
    language: str,
    settings: Settings,
    find: FindModel,
) -> Request:
    """The arguments for PaddleOCR.

    Args:
        family: The pipeline.
        parameters: The parameters, parsed.
        language: Decides the text networks where no parameter does.
        settings: As given.
        find: The folder of the weights of a name.

    Raises:
        ModelUnavailable: A network's weights are not here, or not whole.
        UnknownLanguage: There is no such language.
    """
    options = {**family.defaults, **parameters}
    if "paddlex_config" in parameters:  # it says all that is not asked for
        find_language(language)
        return _configured(family, parameters, settings)
    chosen, engines = _chosen(family, options, language)
    places = {part: options.get(f"{part}_model_dir") for part in chosen}
    weights = _folders(family, chosen, engines, places, find)
    named = {f"{part}_model_name": network for part, network in chosen.items()}
    placed = {f"{part}_model_dir": str(folder) for part, folder in weights.items()}
    order = _order(family, {**options, **named, **placed}, settings)
    for part, engine in engines.items():
        if engine != options["engine"]:
            order["config"][f"{family.parts[part].place}.engine"] = engine
    return Request(order=order, networks=chosen, weights=weights, engines=engines)


def weights_of(family: Family, parameters: Mapping[str, Any], language: str) -> dict[str, str]:
    """The names of the weights that a pipeline needs, by part.

    Raises:
        ModelUnavailable: No network of PP-OCR reads the language.
        UnknownLanguage: There is no such language.
    """
    chosen, engines = _chosen(family, {**family.defaults, **parameters}, language)
    return {
        part: folders.weights_name(network, engines[part]) for part, network in chosen.items()
    }


def check_paddle(needed: list[str], versions: Mapping[str, str], python: str) -> None:
    """Make sure that PaddlePaddle is there for the parts that need it.

    Raises:
        RuntimeUnavailable: It is not.
    """
    if needed and not {"paddlepaddle", "paddlepaddle-gpu"} & set(versions):
        raise RuntimeUnavailable(
            f"{needed[0]} runs only on PaddlePaddle, which {python} does not have:"
            " install paddlepaddle there, or leave it switched off."
        )


def _chosen(
    family: Family, options: Mapping[str, Any], language: str
) -> tuple[dict[str, str], dict[str, str]]:
    """What is loaded: part to network, and part to what it runs on."""
    main = options["engine"]
    named = {**_named_by_folders(family, options), **options}
    find_language(language)
    reader = named.get("text_recognition_model_name") or recogniser(language)
    chosen = networks(family.parts, named, reader)
    alone = {part for part in chosen if family.parts[part].place and main == "onnxruntime"}
    return chosen, {part: PADDLE if part in alone else main for part in chosen}


def _configured(family: Family, parameters: Mapping[str, Any], settings: Settings) -> Request:
    order = _order(family, {"engine": family.defaults["engine"], **parameters}, settings)
    return Request(order=order, networks={}, weights={}, engines={})


def _order(family: Family, options: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    arguments = {k: v for k, v in options.items() if k not in family.page_options}
    on_gpu = settings.runtime == "cuda"
    arguments.setdefault("device", "gpu:0" if on_gpu else "cpu")
    engine_config = arguments.pop("engine_config", None)
    threads = settings.threads or available_cores()
    if arguments["engine"] == "onnxruntime":
        engine_config = engine_config or {"intra_op_num_threads": threads}
    else:
        arguments.setdefault("cpu_threads", threads)
    return {
        "class": family.class_name,
        "pipeline": family.pipeline,
        "config": _config(family, arguments),
        "engine_config": engine_config,
        "arguments": arguments,
        "predict": {k: v for k, v in options.items() if k in family.page_options},
    }


def _config(family: Family, arguments: dict[str, Any]) -> dict[str, Any]:
    """What only the configuration can say; it is taken out of the arguments."""
    if family.class_name != "PPStructureV3":
        return {}
    config: dict[str, Any] = {}
    if "use_textline_orientation" in arguments:
        place = f"{_TABLE_TEXT}.use_textline_orientation"
        config[place] = arguments["use_textline_orientation"]
    if (limit := arguments.pop("text_det_limit_side_len", None)) is not None:
        config.update({f"{place}.limit_side_len": limit for place in _DETECTIONS})
    if (limit := arguments.pop("seal_det_limit_side_len", None)) is not None:
        config[f"{_SEAL_DETECTION}.limit_side_len"] = limit
    return config


def _named_by_folders(family: Family, options: Mapping[str, Any]) -> dict[str, str]:
    """The networks of folders that are given without the network's name."""
    given = {part: options.get(f"{part}_model_dir") for part in family.parts}
    return {
        f"{part}_model_name": folders.network_in(Path(folder))
        for part, folder in given.items()
        if folder
    }


def _folders(
    family: Family,
    chosen: Mapping[str, str],
    engines: Mapping[str, str],
    places: Mapping[str, str | None],
    find: FindModel,
) -> dict[str, Path]:
    """The folder of every part.

    Raises:
        ModelUnavailable: Some are not here; the message names all of them.
    """
    found: dict[str, Path] = {}
    missing: dict[str, ModelUnavailable] = {}
    for part, network in chosen.items():
        name = folders.weights_name(network, engines[part])
        try:
            given = places[part]
            found[part] = Path(given) if given else find(name)
            folders.check(found[part], network, engines[part])
        except ModelUnavailable as error:
            missing[name] = error
    if len(missing) == 1:
        raise next(iter(missing.values()))
    if missing:
        raise ModelUnavailable(
            f"{len(missing)} networks of {family.model} are missing: run"
            f" `{pull_command(list(missing))}`."
        )
    return found
