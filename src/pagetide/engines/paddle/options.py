"""What may stand behind the names of PaddleOCR's models: `pp-structurev3?NAME=VALUE&…`.

The names are those of the constructors `PPStructureV3` and `PaddleOCR` of PaddleOCR 3.7 and
of `PPStructureV3.predict`; a test holds them against the package.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl

from pagetide.engines.paddle.parts import PP_OCR, STRUCTURE_V3, Part
from pagetide.errors import BadOption, nearest
from pagetide.settings.values import yes_or_no

Parse = Callable[[str], Any]

# A job of somebody else's may not say these: they name files of this machine, or its parts, or
# take as many threads of it as they like.
LOCAL_ONLY = ("_dir", "paddlex_config", "device", "engine_config", "cpu_threads")
_LANGUAGE = ("lang", "ocr_version")


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value


def _numbers(text: str) -> list[float]:
    return [_number(part) for part in text.split(",")]


def _whole_numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _per_class(text: str) -> dict[int, Any]:
    """A value for each class of the layout model, by the class's number: `{"0": 0.3}`."""
    return {int(name): value for name, value in _object(text).items()}


def _threshold(text: str) -> float | dict[int, Any]:
    return _per_class(text) if text.startswith("{") else _number(text)


def _unclip(text: str) -> float | list[float] | dict[int, Any]:
    if text.startswith("{"):
        return _per_class(text)
    return _numbers(text) if "," in text else _number(text)


def _merge(text: str) -> str | dict[int, Any]:
    return (
        _per_class(text) if text.startswith("{") else _one_of("large", "small", "union")(text)
    )


def _object(text: str) -> dict[str, Any]:
    value = json.loads(text, parse_constant=_number)  # NaN and the infinities are no JSON
    if not isinstance(value, dict):
        raise ValueError
    return value


def _one_of(*known: str) -> Parse:
    def parse(text: str) -> str:
        if text not in known:
            raise ValueError
        return text

    parse.__doc__ = " or ".join(known)
    return parse


_DET: dict[str, Parse] = {
    "text_det_limit_side_len": int,
    "text_det_limit_type": _one_of("min", "max"),
    "text_det_thresh": _number,
    "text_det_box_thresh": _number,
    "text_det_unclip_ratio": _number,
    "text_rec_score_thresh": _number,
}
_ANY_PIPELINE: dict[str, Parse] = {
    "device": str,
    "engine": _one_of("onnxruntime", "paddle", "paddle_static", "transformers"),
    "engine_config": _object,
    "enable_hpi": yes_or_no,
    "use_tensorrt": yes_or_no,
    "precision": _one_of("fp32", "fp16"),
    "enable_mkldnn": yes_or_no,
    "mkldnn_cache_capacity": int,
    "cpu_threads": int,
    "enable_cinn": yes_or_no,
    "paddlex_config": str,
}
_OCR: dict[str, Parse] = {
    **_DET,
    **_ANY_PIPELINE,
    "textline_orientation_batch_size": int,
    "text_recognition_batch_size": int,
    "use_doc_orientation_classify": yes_or_no,
    "use_doc_unwarping": yes_or_no,
    "use_textline_orientation": yes_or_no,
    "text_det_input_shape": _whole_numbers,
    "text_rec_input_shape": _whole_numbers,
    "return_word_box": yes_or_no,
}
_STRUCTURE: dict[str, Parse] = {
    **_DET,
    **_ANY_PIPELINE,
    "layout_threshold": _threshold,
    "layout_nms": yes_or_no,
    "layout_unclip_ratio": _unclip,
    "layout_merge_bboxes_mode": _merge,
    "chart_recognition_batch_size": int,
    "textline_orientation_batch_size": int,
    "text_recognition_batch_size": int,
    "seal_text_recognition_batch_size": int,
    "formula_recognition_batch_size": int,
    "seal_det_limit_side_len": int,
    "seal_det_limit_type": _one_of("min", "max"),
    "seal_det_thresh": _number,
    "seal_det_box_thresh": _number,
    "seal_det_unclip_ratio": _number,
    "seal_rec_score_thresh": _number,
    "use_doc_orientation_classify": yes_or_no,
    "use_doc_unwarping": yes_or_no,
    "use_textline_orientation": yes_or_no,
    "use_seal_recognition": yes_or_no,
    "use_table_recognition": yes_or_no,
    "use_formula_recognition": yes_or_no,
    "use_chart_recognition": yes_or_no,
    "use_region_detection": yes_or_no,
    "format_block_content": yes_or_no,
    "markdown_ignore_labels": _names,
}
_STRUCTURE_PAGE: dict[str, Parse] = {
    "use_wired_table_cells_trans_to_html": yes_or_no,
    "use_wireless_table_cells_trans_to_html": yes_or_no,
    "use_table_orientation_classify": yes_or_no,
    "use_ocr_results_with_table_cells": yes_or_no,
    "use_e2e_wired_table_rec_model": yes_or_no,
    "use_e2e_wireless_table_rec_model": yes_or_no,
}
_WANTED = {
    int: "a whole number",
    _number: "a number",
    yes_or_no: "yes or no",
    _numbers: "numbers, split by commas",
    _whole_numbers: "whole numbers, split by commas",
    _names: "names, split by commas",
    _object: "a JSON object",
    _threshold: "a number, or a JSON object of class numbers and numbers",
    _unclip: "a number, two split by a comma, or a JSON object of class numbers and such",
    _merge: "large, small or union, or a JSON object of class numbers and such",
}


@dataclass(frozen=True, kw_only=True)
class Family:
    """A pipeline of PaddleOCR.

    Attributes:
        model: Our name for it.
        class_name: The class of the package `paddleocr`.
        pipeline: PaddleX's name for its configuration.
        parts: Its networks, by the beginning of their parameters' names.
        options: What its constructor takes, besides the parts' names and folders.
        page_options: What its `predict` alone takes.
        defaults: What we say where nothing is asked for.
    """

    model: str
    class_name: str
    pipeline: str
    parts: Mapping[str, Part]
    options: Mapping[str, Parse]
    page_options: Mapping[str, Parse]
    defaults: Mapping[str, Any]

    @property
    def known(self) -> dict[str, Parse]:
        """All names, with what parses their values."""
        models = {
            f"{part}_model_{what}": str for part in self.parts for what in ("name", "dir")
        }
        return {**models, **self.options, **self.page_options}


# Upstream turns unwarping on; nothing maps what was read back onto the page then. Formulas
# need PaddlePaddle: their networks exist in no other form.
_DEFAULTS = {
    "engine": "onnxruntime",
    "use_doc_orientation_classify": True,
    "use_doc_unwarping": False,
    "use_textline_orientation": False,
}
STRUCTUREV3 = Family(
    model="pp-structurev3",
    class_name="PPStructureV3",
    pipeline="PP-StructureV3",
    parts=STRUCTURE_V3,
    options=MappingProxyType(_STRUCTURE),
    page_options=MappingProxyType(_STRUCTURE_PAGE),
    defaults=MappingProxyType(
        {
            **_DEFAULTS,
            "use_table_recognition": True,
            "use_region_detection": True,
            "use_formula_recognition": False,
            "use_seal_recognition": False,
            "use_chart_recognition": False,
        }
    ),
)
PPOCR = Family(
    model="pp-ocr",
    class_name="PaddleOCR",
    pipeline="OCR",
    parts=PP_OCR,
    options=MappingProxyType(_OCR),
    page_options=MappingProxyType({}),
    defaults=MappingProxyType({**_DEFAULTS, "return_word_box": True}),
)


def parse(family: Family, parameters: str) -> dict[str, Any]:
    """What `use_formula_recognition=true&text_recognition_batch_size=16` asks for.

    Returns:
        Only what is asked for, by name, as the constructor or `predict` takes it.

    Raises:
        BadOption: There is no such parameter, or its value is of another kind.
    """
    known = family.known
    asked: dict[str, Any] = {}
    for name, text in parse_qsl(parameters, keep_blank_values=True):
        if name in _LANGUAGE:
            raise BadOption(
                f"The model {family.model} has no option {name}: set the job's"
                " language, or text_detection_model_name and"
                " text_recognition_model_name."
            )
        if name not in known:
            raise BadOption(
                f"The model {family.model} has no parameter {name!r}; {nearest(name, known)}"
            )
        asked[name] = _value(family, name, text, known[name])
    return asked


def local_only(family: Family, parameters: str) -> list[str]:
    """The parameters among these that only the machine's owner may give, in order."""
    return [name for name in parse(family, parameters) if name.endswith(LOCAL_ONLY)]


def _value(family: Family, name: str, text: str, kind: Parse) -> Any:
    try:
        return kind(text)
    except (ValueError, KeyError, AttributeError, RecursionError):
        wanted = _WANTED.get(kind) or kind.__doc__
        raise BadOption(
            f"{family.model}: {name} must be {wanted}, not {text[:80]!r}."
        ) from None
