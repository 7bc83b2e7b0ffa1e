"""What PaddleOCR's clients ask of a model, as ours take it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pagetide.api.job_form import MOST_OPTIONS_BYTES
from pagetide.errors import BadOption, UnknownModel, nearest
from pagetide.models import VL, Option, canonical
from pagetide.settings import Settings

OCR_MODELS = frozenset({"PP-OCRv5", "PP-OCRv5-latin", "PP-OCRv6"})
_MODELS = {
    "PP-OCRv5": "pp-ocrv5",
    "PP-OCRv5-latin": "pp-ocrv5?recogniser=latin_PP-OCRv5_mobile_rec",
    "PP-OCRv6": "pp-ocrv6",
    "PP-StructureV3": "pp-structurev3",
    "PaddleOCR-VL-1.6": VL,
}
# Theirs, which we have too: PaddleOCR itself is told what is asked for, under its own names.
_PIPELINES = frozenset({"pp-structurev3", "pp-ocr"})
_YES, _NO, _EITHER = (True,), (False,), (True, False)
# What must not be asked for otherwise, because it is always or never done; and hints, whose
# following changes no result.
_ALWAYS: Mapping[str, tuple[bool, ...]] = MappingProxyType(
    {
        "visualize": _EITHER,
        "prettifyMarkdown": _EITHER,
        "showFormulaNumber": _EITHER,
        "returnMarkdownImages": _EITHER,
        "useLayoutDetection": _YES,
        "restructurePages": _NO,
        "mergeTables": _NO,
        "relevelTitles": _NO,
    }
)
_OWN: Mapping[str, tuple[bool, ...]] = MappingProxyType(
    {
        "useDocOrientationClassify": _EITHER,
        "useTextlineOrientation": _NO,
        "useDocUnwarping": _NO,
        "useTableRecognition": _YES,
        "useSealRecognition": _NO,
        "useFormulaRecognition": _NO,
        "useChartRecognition": _NO,
        "useRegionDetection": _NO,
        "useOcrForImageBlock": _NO,
        "formatBlockContent": _NO,
    }
)
_OWN_VL: Mapping[str, tuple[bool, ...]] = MappingProxyType(
    {
        "useDocOrientationClassify": _NO,
        "useDocUnwarping": _NO,
        "useOcrForImageBlock": _NO,
        "formatBlockContent": _NO,
    }
)
_VL_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "useChartRecognition": "charts",
        "useSealRecognition": "seals",
        "mergeLayoutBlocks": "merge",
        "maxNewTokens": "max_tokens",
        "minPixels": "min_pixels",
        "maxPixels": "max_pixels",
    }
)
_CAPITAL = re.compile(r"(?<!^)([A-Z])")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is asked for.

    Attributes:
        model: Ours, with its options.
        visualize: Whether links to the pages' pictures are wanted.
        figures: Whether Markdown shows figures.
        ignored: Labels of the blocks that Markdown leaves out.
    """

    model: str
    visualize: bool = True
    figures: bool = True
    ignored: tuple[str, ...] = ()


def wanted(settings: Settings, name: str, payload: Mapping[str, object]) -> Wanted:
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
    options = _options(model.partition("?")[0], given)
    return Wanted(
        model=canonical(model, options),
        visualize=given.get("visualize") is not False,
        figures=given.get("returnMarkdownImages") is not False,
        ignored=ignored,
    )


def _model(settings: Settings, name: str) -> str:
    found = settings.model_named(name) or _MODELS.get(name)
    if found is None:
        shown = name[:80]
        raise UnknownModel(f"There is no model {shown!r} here; {nearest(shown, _MODELS)}")
    return found


def _options(model: str, given: Mapping[str, object]) -> dict[str, Option]:
    """The model's own options."""
    own = {} if model in _PIPELINES else _OWN_VL if model == VL else _OWN
    known = {**_ALWAYS, **own}
    left: dict[str, Option] = {}
    for name, value in given.items():
        if name in known:
            _check(model, name, value, known[name])
        elif model in _PIPELINES:
            left[_CAPITAL.sub(r"_\1", name).lower()] = _text(name, value)
        elif model == VL and name in _VL_NAMES:
            left[_VL_NAMES[name]] = _text(name, value)
        else:
            raise BadOption(f"The model {model} has no option `{name[:80]}` here.")
    size = sum(len(name) + len(str(value)) for name, value in left.items())
    if size > MOST_OPTIONS_BYTES:
        raise BadOption(f"`optionalPayload` may have {MOST_OPTIONS_BYTES} bytes, not {size}.")
    return left


def _check(model: str, name: str, value: object, allowed: tuple[bool, ...]) -> None:
    if not isinstance(value, bool):
        raise BadOption(f"`{name}` must be true or false.")
    if value not in allowed:
        raise BadOption(f"`{name}` can only be {str(not value).lower()} with {model} here.")


def _text(name: str, value: object) -> Option:
    """A value as it stands behind a model's name."""
    if isinstance(value, list):
        return ",".join(str(_plain(name, part)) for part in value)
    if not isinstance(value, dict):
        return _plain(name, value)
    try:
        return json.dumps(value)
    except RecursionError:
        raise BadOption(f"`{name[:80]}` has no such value.") from None


def _plain(name: str, value: object) -> Option:
    if not isinstance(value, bool | int | float | str):
        raise BadOption(f"`{name[:80]}` has no such value.")
    return value


def _labels(value: object) -> tuple[str, ...]:
    labels = value if isinstance(value, list) else [None]
    if len(labels) > 100 or not all(isinstance(one, str) and len(one) < 40 for one in labels):
        raise BadOption("`markdownIgnoreLabels` must be a list of labels.")
    return tuple(labels)
