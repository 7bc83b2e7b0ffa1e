"""The networks that PaddleOCR's pipelines are made of, and which of them a request needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Part:
    """A network of a pipeline.

    Attributes:
        network: Its name with the hub; empty where the language decides.
        switch: The parameter without which it is not loaded; empty where it always is.
        place: Where PaddleX's configuration of the pipeline has it, where it is to be told
            something there: a network that no runtime but PaddlePaddle runs.
    """

    network: str = ""
    switch: str = ""
    place: str = ""


# Upstream's defaults, but for the text networks: its own PP-OCRv5 is older and worse. Those
# with a `place` are published for PaddlePaddle alone (paddlex 3.7.2, `official_models`).
_TURN = Part(network="PP-LCNet_x1_0_doc_ori", switch="use_doc_orientation_classify")
_FLATTEN = Part(network="UVDoc", switch="use_doc_unwarping")
_LINE_TURN = Part(network="PP-LCNet_x1_0_textline_ori", switch="use_textline_orientation")
_DETECTION = Part(network="PP-OCRv6_medium_det")
_TABLE = "use_table_recognition"
_SEAL = "use_seal_recognition"

PP_OCR: Mapping[str, Part] = MappingProxyType(
    {
        "doc_orientation_classify": _TURN,
        "doc_unwarping": _FLATTEN,
        "text_detection": _DETECTION,
        "textline_orientation": _LINE_TURN,
        "text_recognition": Part(),
    }
)
STRUCTURE_V3: Mapping[str, Part] = MappingProxyType(
    {
        "layout_detection": Part(network="PP-DocLayout_plus-L"),
        "region_detection": Part(network="PP-DocBlockLayout", switch="use_region_detection"),
        **PP_OCR,
        "table_classification": Part(network="PP-LCNet_x1_0_table_cls", switch=_TABLE),
        "wired_table_structure_recognition": Part(network="SLANeXt_wired", switch=_TABLE),
        "wireless_table_structure_recognition": Part(network="SLANet_plus", switch=_TABLE),
        "wired_table_cells_detection": Part(
            network="RT-DETR-L_wired_table_cell_det", switch=_TABLE
        ),
        "wireless_table_cells_detection": Part(
            network="RT-DETR-L_wireless_table_cell_det", switch=_TABLE
        ),
        "table_orientation_classify": Part(network="PP-LCNet_x1_0_doc_ori", switch=_TABLE),
        "seal_text_detection": Part(
            network="PP-OCRv4_server_seal_det",
            switch=_SEAL,
            place="SubPipelines.SealRecognition.SubPipelines.SealOCR.SubModules.TextDetection",
        ),
        "seal_text_recognition": Part(network="PP-OCRv6_medium_rec", switch=_SEAL),
        "formula_recognition": Part(
            network="PP-FormulaNet_plus-L",
            switch="use_formula_recognition",
            place="SubPipelines.FormulaRecognition.SubModules.FormulaRecognition",
        ),
        "chart_recognition": Part(
            network="PP-Chart2Table",
            switch="use_chart_recognition",
            place="SubModules.ChartRecognition",
        ),
    }
)


def networks(
    parts: Mapping[str, Part], options: Mapping[str, Any], recogniser: str
) -> dict[str, str]:
    """The networks that a pipeline with these options loads: part to name.

    Args:
        parts: `PP_OCR` or `STRUCTURE_V3`.
        options: All that is given, our defaults among it.
        recogniser: The network that reads the language.
    """
    return {
        name: options.get(f"{name}_model_name") or part.network or recogniser
        for name, part in parts.items()
        if not part.switch or options.get(part.switch)
    }
