"""What PaddleOCR's clients ask of a model, as ours take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pagetide.engines.catalogue import VL
from pagetide.errors import BadOption, UnknownModel, nearest
from pagetide.server.compat.paddlex.options import LAYOUT, OCR, OptionTable
from pagetide.server.compat.paddlex.request import refuse_unknown, with_options
from pagetide.server.compat.recognitions import KINDS
from pagetide.settings import Settings

OCR_MODELS = frozenset({"PP-OCRv5", "PP-OCRv5-latin", "PP-OCRv6"})
_MODELS = {
    "PP-OCRv5": "pp-ocrv5",
    "PP-OCRv5-latin": "pp-ocrv5?recogniser=latin_PP-OCRv5_mobile_rec",
    "PP-OCRv6": "pp-ocrv6",
    "PP-StructureV3": "pp-structurev3",
    "PaddleOCR-VL-1.6": VL,
}
# Theirs, which we have too: PaddleOCR itself gets what is asked for, and refuses.
_PIPELINES = frozenset({"pp-structurev3", "pp-ocr"})
_EITHER = (True, False)
# What is about the answer, and what is always or never done whatever reads.
_ANSWER: Mapping[str, tuple[bool, ...]] = MappingProxyType(
    {
        "visualize": _EITHER,
        "prettifyMarkdown": _EITHER,
        "showFormulaNumber": _EITHER,
        "returnMarkdownImages": _EITHER,
        "useLayoutDetection": (True,),
        "restructurePages": (False,),
        "mergeTables": (False,),
        "relevelTitles": (False,),
    }
)


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """What is asked for.

    Attributes:
        model: Ours, with its options.
        visualize: Whether links to the pages' pictures are wanted.
        figures: Whether Markdown shows figures.
        ignored: Labels of the blocks that Markdown leaves out.
        recognise: Kinds of blocks that are to be read beyond their text.
    """

    model: str
    visualize: bool = True
    figures: bool = True
    ignored: tuple[str, ...] = ()
    recognise: tuple[str, ...] = ()


def wanted(settings: Settings, name: str, payload: Mapping[str, object]) -> ReadingOptions:
    """What a model's name and `optionalPayload` ask for.

    Raises:
        UnknownModel: It is not run here, and the owner has said nothing to stand for it.
        BadOption: An option cannot be had of the model; the message names it.
    """
    model = _model(settings, name)
    given = {key: value for key, value in payload.items() if value is not None}
    ignored = _labels(given.pop("markdownIgnoreLabels", []))
    if given.pop("outputFormats", None):
        raise BadOption("`outputFormats` can only be empty: ask /v1/jobs for other formats.")
    answer = {key: given.pop(key) for key in _ANSWER.keys() & given.keys()}
    for key, value in sorted(answer.items()):
        _check(key, value)
    return ReadingOptions(
        model=_with_options(model, OCR if name in OCR_MODELS else LAYOUT, given),
        visualize=answer.get("visualize") is not False,
        figures=answer.get("returnMarkdownImages") is not False,
        ignored=ignored,
        recognise=tuple(k for k in KINDS if given.get(f"use{k.title()}Recognition") is True),
    )


def _model(settings: Settings, name: str) -> str:
    found = settings.model_named(name) or _MODELS.get(name)
    if found is None:
        shown = name[:80]
        raise UnknownModel(f"There is no model {shown!r} here; {nearest(shown, _MODELS)}")
    return found


def _with_options(model: str, known: OptionTable, given: Mapping[str, object]) -> str:
    """The model with the options that are its own."""
    if model.partition("?")[0] not in _PIPELINES:
        refuse_unknown(given, set(known))
    return with_options(model, known, given)


def _check(name: str, value: object) -> None:
    if not isinstance(value, bool):
        raise BadOption(f"`{name}` must be true or false.")
    if value not in _ANSWER[name]:
        raise BadOption(f"`{name}` can only be {str(not value).lower()} here.")


def _labels(value: object) -> tuple[str, ...]:
    labels = value if isinstance(value, list) else [None]
    if len(labels) > 100 or not all(isinstance(one, str) and len(one) < 40 for one in labels):
        raise BadOption("`markdownIgnoreLabels` must be a list of labels.")
    return tuple(labels)
