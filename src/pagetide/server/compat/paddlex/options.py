"""PaddleX's options: which of our models has them, and which change nothing.

PaddleOCR's own pipelines take them by their own names; PaddleOCR-VL has some by ours. To a
model of ours most values are strange, and are refused; those that it would act by anyway are
not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

import msgspec

from pagetide.engines.catalogue import VL, Option
from pagetide.errors import BadOption

Values = tuple[object, ...]
_EITHER: Values = (True, False)
_THEIRS = ("pp-structurev3", "pp-ocr")
_OF_VL = {
    "useChartRecognition": "charts",
    "useSealRecognition": "seals",
    "mergeLayoutBlocks": "merge",
    "maxNewTokens": "max_tokens",
    "minPixels": "min_pixels",
    "maxPixels": "max_pixels",
}


class OptionTable(dict[str, Values]):
    """A pipeline's options, and the values that our own models act by in any case."""

    def translated(self, model: str, given: Mapping[str, object]) -> dict[str, Option]:
        """Options of a model of ours, for those of a request.

        Raises:
            BadOption: The model has no such option.
        """
        if model in _THEIRS:
            return {_snake(name): _written(value) for name, value in given.items()}
        names = _OF_VL if model == VL else {}
        for name, value in given.items():
            if name not in names and not _among(value, self[name]):
                shown = msgspec.json.encode(value).decode()[:80]
                raise BadOption(f"The model {model} cannot be told `{name}` {shown}.")
        return {names[name]: _written(given[name]) for name in given if name in names}


_ANY_PIPELINE: dict[str, Values] = {
    # Pages and lines are turned upright for reading and mapped back, whenever they need it.
    "useDocOrientationClassify": _EITHER,
    "useTextlineOrientation": _EITHER,
    "useDocUnwarping": (False,),
    "textDetLimitSideLen": (),
    "textDetLimitType": (),
    "textDetThresh": (),
    "textDetBoxThresh": (),
    "textDetUnclipRatio": (),
    "textRecScoreThresh": (),
}
OCR = OptionTable(_ANY_PIPELINE)
LAYOUT = OptionTable(
    {
        **_ANY_PIPELINE,
        # Whoever asks for these has what could be had of them; the answer's
        # `model_settings` say which were, and a page says where one was missed.
        "useSealRecognition": _EITHER,
        "useChartRecognition": _EITHER,
        "useFormulaRecognition": _EITHER,
        "useTableRecognition": (True,),
        "useLayoutDetection": (True,),
        "useRegionDetection": _EITHER,
        "useOcrForImageBlock": (False,),
        "formatBlockContent": (False,),
        "layoutShapeMode": ("auto", "rect"),
        "useWiredTableCellsTransToHtml": (False,),
        "useWirelessTableCellsTransToHtml": (False,),
        "useTableOrientationClassify": (True,),
        "useOcrResultsWithTableCells": (True,),
        "useE2eWiredTableRecModel": (False,),
        "useE2eWirelessTableRecModel": (True,),
        "layoutThreshold": (),
        "layoutNms": (),
        "layoutUnclipRatio": (),
        "layoutMergeBboxesMode": (),
        "sealDetLimitSideLen": (),
        "sealDetLimitType": (),
        "sealDetThresh": (),
        "sealDetBoxThresh": (),
        "sealDetUnclipRatio": (),
        "sealRecScoreThresh": (),
        "promptLabel": (),
        "repetitionPenalty": (),
        "temperature": (),
        "topP": (),
        "minPixels": (),
        "maxPixels": (),
        "maxNewTokens": (),
        "mergeLayoutBlocks": (),
        "vlmExtraArgs": (),
    }
)


def _among(value: object, known: Values) -> bool:
    """Whether a value is one of these; 1 is not true here."""
    return any(type(value) is type(other) and value == other for other in known)


def _snake(name: str) -> str:
    """`useE2eWiredTableRecModel` as `use_e2e_wired_table_rec_model`."""
    return re.sub("([A-Z])", lambda found: f"_{found[1].lower()}", name)


def _written(value: object) -> Option:
    """A value as it stands behind a model's name."""
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return ",".join(str(cast(object, part)) for part in value)
    return msgspec.json.encode(value).decode()
