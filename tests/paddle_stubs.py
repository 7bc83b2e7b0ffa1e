"""Weights for PaddleOCR's pipelines without its weights.

Text is read by the real PP-OCRv6 small from the package `rapidocr`. Every other
network is a stub with the same output for any picture: the layout of one drawn page, its table,
its orientation. The pipelines are thus the real ones, and their output is known.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from PIL import Image, ImageDraw

from pagetide.engine import PageImage
from pagetide.geometry import Box
from tests.drawing import font

Json = dict[str, Any]
Floats = NDArray[np.float32]

WIDTH, HEIGHT = 800, 700
TITLE = "Quarterly Report 2026"
PARAGRAPH = ("Revenue rose by a fifth while", "the costs of the year fell.")
CAPTION = "Table 1. Sales by region"
# Cells of the table: text, and the lines that enclose it.
ACROSS, DOWN = (60, 300, 500, 700), (340, 400, 460, 520)
HEAD = (("Region", 0, 1), ("Sales", 1, 3))
ROWS = (("North", "1012", "1215"), ("South", "790", "964"))

DOC_LAYOUT = [
    "paragraph_title",
    "image",
    "text",
    "number",
    "abstract",
    "content",
    "figure_title",
    "formula",
    "table",
    "reference",
    "doc_title",
    "footnote",
    "header",
    "algorithm",
    "footer",
    "seal",
    "chart",
    "formula_number",
    "aside_text",
    "reference_content",
]
AREAS: tuple[tuple[str, float, Box], ...] = (
    ("doc_title", 0.98, (40, 30, 520, 100)),
    ("text", 0.97, (40, 120, 640, 230)),
    ("figure_title", 0.90, (40, 270, 560, 325)),
    ("table", 0.96, (50, 330, 710, 530)),
)
_TOKENS = ["<tr>", "</tr>", "<td", ">", "</td>", ' colspan="2"', "<td></td>"]


@dataclass(frozen=True)
class Stubs:
    """A folder with the folders of networks, named as the hub names them."""

    folder: Path

    def find(self, name: str) -> Path:
        """The folder of a network's weights."""
        return self.folder / name


def page() -> PageImage:
    """The page that the stubs describe."""
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(image)
    draw.text((50, 45), TITLE, fill="black", font=font(38))
    for i, text in enumerate(PARAGRAPH):
        draw.text((50, 135 + 46 * i), text, fill="black", font=font(30))
    draw.text((50, 282), CAPTION, fill="black", font=font(28))
    for (x0, y0, x1, y1), text in cells():
        draw.rectangle((x0, y0, x1, y1), outline="black", width=2)
        draw.text((x0 + 20, y0 + 14), text, fill="black", font=font(28))
    return PageImage(pixels=np.asarray(image)[:, :, ::-1].copy(), dpi=144)


def cells() -> list[tuple[Box, str]]:
    """The table's cells on the page, row by row."""
    placed: list[tuple[Box, str]] = [
        ((ACROSS[start], DOWN[0], ACROSS[end], DOWN[1]), text) for text, start, end in HEAD
    ]
    for i, row in enumerate(ROWS, 1):
        for j, text in enumerate(row):
            placed.append(((ACROSS[j], DOWN[i], ACROSS[j + 1], DOWN[i + 1]), text))
    return placed


def make(folder: Path) -> Stubs:
    """Write the networks of PP-OCR and PP-StructureV3 into a folder."""
    stubs = Stubs(folder)
    _text_networks(stubs)
    labels = [label for label, _, _ in AREAS]
    boxes = [
        [DOC_LAYOUT.index(label), score, *box]
        for label, (_, score, box) in zip(labels, AREAS, strict=True)
    ]
    _detector(stubs, "PP-DocLayout_plus-L", boxes, DOC_LAYOUT, 800)
    _detector(stubs, "PP-DocBlockLayout", [[0, 0.9, 20, 20, 780, 680]], ["Region"], 640)
    _classifier(stubs, "PP-LCNet_x1_0_doc_ori", 0, ["0", "90", "180", "270"])
    _classifier(stubs, "PP-LCNet_x1_0_textline_ori", 0, ["0_degree", "180_degree"])
    _classifier(stubs, "PP-LCNet_x1_0_table_cls", 0, ["wired_table", "wireless_table"])
    _table_networks(stubs)
    _flattener(stubs)
    return stubs


def turned_classifier(stubs: Stubs, turn: int) -> Path:
    """A folder of a network that reports this rotation for every page."""
    beside = Stubs(stubs.folder / f"turned-{turn}")
    name = "PP-LCNet_x1_0_doc_ori"
    _classifier(beside, name, turn // 90, ["0", "90", "180", "270"])
    return beside.find(f"{name}_onnx")


def _text_networks(stubs: Stubs) -> None:
    package = importlib.util.find_spec("rapidocr")
    assert package and package.submodule_search_locations
    models = Path(package.submodule_search_locations[0]) / "models"
    session = onnxruntime.InferenceSession(
        models / "PP-OCRv6_rec_small.onnx", providers=["CPUExecutionProvider"]
    )
    letters = session.get_modelmeta().custom_metadata_map["character"].split("\n")
    normalise = {
        "mean": [0.485, 0.456, 0.406],
        "std": [0.229, 0.224, 0.225],
        "scale": "1./255.",
        "order": "hwc",
    }
    detection = {
        "PreProcess": {
            "transform_ops": [
                {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
                {"DetResizeForTest": {"resize_long": 960}},
                {"NormalizeImage": normalise},
                {"ToCHWImage": None},
            ]
        },
        "PostProcess": {
            "name": "DBPostProcess",
            "thresh": 0.3,
            "box_thresh": 0.6,
            "max_candidates": 1000,
            "unclip_ratio": 1.5,
        },
    }
    recognition = {
        "PreProcess": {
            "transform_ops": [
                {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
                {"RecResizeImg": {"image_shape": [3, 48, 320]}},
            ]
        },
        "PostProcess": {"name": "CTCLabelDecode", "character_dict": letters},
    }
    for part, setup in (("det", detection), ("rec", recognition)):
        # The engine asks for the medium ones; these small ones use their names too.
        for size in ("small", "medium"):
            name = f"PP-OCRv6_{size}_{part}"
            folder = _folder(stubs, name, setup)
            shutil.copy(models / f"PP-OCRv6_{part}_small.onnx", folder / "inference.onnx")


def _folder(stubs: Stubs, name: str, setup: Json) -> Path:
    folder = stubs.find(f"{name}_onnx")
    folder.mkdir(parents=True, exist_ok=True)
    said = [f"Global:\n  model_name: {name}\n"]
    # A JSON value is a YAML one.
    said += [f"{key}: {json.dumps(value)}\n" for key, value in setup.items()]
    (folder / "inference.yml").write_text("".join(said), encoding="utf-8")
    return folder


def _detector(
    stubs: Stubs, name: str, boxes: Sequence[Sequence[float]], labels: list[str], side: int
) -> None:
    """A network of the DETR kind: class, score and box of the given picture, row by row."""
    setup = {
        "mode": "paddle",
        "arch": "DETR",
        "metric": "COCO",
        "draw_threshold": 0.5,
        "use_dynamic_shape": False,
        "min_subgraph_size": 3,
        "Preprocess": [
            {
                "type": "Resize",
                "target_size": [side, side],
                "keep_ratio": False,
                "interp": 2,
            },
            {
                "type": "NormalizeImage",
                "mean": [0.0, 0.0, 0.0],
                "std": [1.0, 1.0, 1.0],
                "norm_type": "none",
            },
            {"type": "Permute"},
        ],
        "label_list": labels,
    }
    rows = np.asarray(boxes, np.float32)
    count = np.asarray([len(rows)], np.int32)
    inputs = {
        "im_shape": ("B", 2),
        "image": ("B", 3, side, side),
        "scale_factor": ("B", 2),
    }
    outputs = {"boxes": (rows, ("N", 6)), "num": (count, ("B",))}
    _save(_folder(stubs, name, setup), inputs, outputs, batched_by="image")


def _classifier(stubs: Stubs, name: str, answer: int, labels: list[str]) -> None:
    scores = np.full(len(labels), 0.01, np.float32)
    scores[answer] = 0.97
    setup = {
        "PreProcess": {
            "transform_ops": [
                {"ResizeImage": {"size": [224, 224]}},
                {
                    "NormalizeImage": {
                        "channel_num": 3,
                        "mean": [0.485, 0.456, 0.406],
                        "std": [0.229, 0.224, 0.225],
                        "scale": 1.0 / 255,
                        "order": "",
                    }
                },
                {"ToCHWImage": None},
            ]
        },
        "PostProcess": {"Topk": {"topk": 1, "label_list": labels}},
    }
    outputs = {"scores": (scores[None], ("B", len(labels)))}
    _save(_folder(stubs, name, setup), {"x": ("B", 3, "H", "W")}, outputs, batched_by="x")


def _table_networks(stubs: Stubs) -> None:
    """The table's structure, and its cells, in pixels of the cut-out table."""
    left, top, right, bottom = AREAS[-1][2]
    inner = [
        [0, 0.9, x0 - left, y0 - top, x1 - left, y1 - top] for (x0, y0, x1, y1), _ in cells()
    ]
    for name in ("RT-DETR-L_wired_table_cell_det", "RT-DETR-L_wireless_table_cell_det"):
        _detector(stubs, name, inner, ["cell"], 640)
    side = max(right - left, bottom - top)
    tokens = ["<tr>", "<td></td>", "<td", ' colspan="2"', ">", "</td>", "</tr>"]
    for row in ROWS:
        tokens += ["<tr>", *["<td></td>"] * len(row), "</tr>"]
    boxes = iter(inner)
    known = ["sos", *_TOKENS, "eos"]
    structure = np.zeros((len(tokens) + 1, len(known)), np.float32)
    places = np.zeros((len(tokens) + 1, 8), np.float32)
    for i, token in enumerate([*tokens, "eos"]):
        structure[i, known.index(token)] = 0.99
        if token in ("<td></td>", "<td"):
            _, _, x0, y0, x1, y1 = next(boxes)
            places[i] = np.asarray([x0, y0, x1, y0, x1, y1, x0, y1]) / side
    for name, size in (("SLANeXt_wired", 512), ("SLANet_plus", 488)):
        _structure(stubs, name, size, places, structure)


def _structure(stubs: Stubs, name: str, size: int, places: Floats, structure: Floats) -> None:
    setup = {
        "PreProcess": {
            "transform_ops": [
                {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}},
                {"TableLabelEncode": {"loc_reg_num": 8, "merge_no_span_structure": True}},
                {"TableBoxEncode": {"out_box_format": "xyxyxyxy"}},
                {"ResizeTableImage": {"max_len": size}},
                {
                    "NormalizeImage": {
                        "mean": [0.485, 0.456, 0.406],
                        "std": [0.229, 0.224, 0.225],
                        "scale": "1./255.",
                        "order": "hwc",
                    }
                },
                {"PaddingTableImage": {"size": [size, size]}},
                {"ToCHWImage": None},
            ]
        },
        "PostProcess": {
            "name": "TableLabelDecode",
            "merge_no_span_structure": True,
            "character_dict": _TOKENS,
        },
    }
    outputs = {
        "places": (places[None], ("B", *places.shape)),
        "structure": (structure[None], ("B", *structure.shape)),
    }
    _save(_folder(stubs, name, setup), {"x": ("B", 3, "H", "W")}, outputs, batched_by="x")


def _flattener(stubs: Stubs) -> None:
    """A network that flattens nothing: the picture unchanged, as fractions of white."""
    picture = helper.make_tensor_value_info("img", TensorProto.FLOAT, ("B", 3, "H", "W"))
    flat = helper.make_tensor_value_info("flat", TensorProto.FLOAT, ("B", 3, "H", "W"))
    nodes = [helper.make_node("Identity", ["img"], ["flat"])]
    model = helper.make_model(
        helper.make_graph(nodes, "stub", [picture], [flat]),
        opset_imports=[helper.make_opsetid("", 13)],
    )
    model.ir_version = 8
    onnx.save(model, _folder(stubs, "UVDoc", {}) / "inference.onnx")


def _save(
    folder: Path,
    inputs: dict[str, tuple[Any, ...]],
    outputs: dict[str, tuple[NDArray[Any], tuple[Any, ...]]],
    *,
    batched_by: str,
) -> None:
    """A network that returns the same for every picture of a batch."""
    constants = [
        numpy_helper.from_array(np.asarray([0], np.int64), "first"),
    ]
    nodes = [
        helper.make_node("Shape", [batched_by], ["shape"]),
        helper.make_node("Gather", ["shape", "first"], ["batch"], axis=0),
    ]
    for name, (value, _) in outputs.items():
        constants.append(numpy_helper.from_array(value, f"{name}_once"))
        ones = np.ones(value.ndim - 1, np.int64)
        constants.append(numpy_helper.from_array(ones, f"{name}_ones"))
        nodes.append(
            helper.make_node("Concat", ["batch", f"{name}_ones"], [f"{name}_times"], axis=0)
        )
        nodes.append(helper.make_node("Tile", [f"{name}_once", f"{name}_times"], [name]))
    graph = helper.make_graph(
        nodes,
        "stub",
        [helper.make_tensor_value_info(k, TensorProto.FLOAT, v) for k, v in inputs.items()],
        [
            helper.make_tensor_value_info(k, helper.np_dtype_to_tensor_dtype(v.dtype), shape)
            for k, (v, shape) in outputs.items()
        ],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, folder / "inference.onnx")
