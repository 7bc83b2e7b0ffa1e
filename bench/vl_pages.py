"""Drawn pages for `bench.vl`, and a layout model that knows their areas.

The model is an ONNX graph of constants with the inputs and outputs of PP-DocLayoutV3: the
shade of the page's first corner identifies the layout. Both sides run it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from pagetide.document import BlockKind
from pagetide.geometry import polygon_of
from pagetide.layout import Area

Pixels = NDArray[np.uint8]
Spot = tuple[str, tuple[int, int, int, int]]

WIDTH, HEIGHT = 1240, 1754  # A4 at 150 dpi
SIDE = 800  # what the model sees of a page
LAYOUTS = 8
SHADE = 24  # between the corners of two layouts
CORNER = 24  # pixels of it, each way
LABELS = [
    *("abstract", "algorithm", "aside_text", "chart", "content", "display_formula"),
    *("doc_title", "figure_title", "footer", "footer_image", "footnote", "formula_number"),
    *("header", "header_image", "image", "inline_formula", "number", "paragraph_title"),
    *("reference", "reference_content", "seal", "table", "text", "vertical_text"),
    "vision_footnote",
]
KINDS = {
    "doc_title": "title",
    "paragraph_title": "heading",
    "text": "text",
    "table": "table",
    "number": "page_number",
}


def layout(number: int) -> list[Spot]:
    """Areas of one of the layouts: a title, paragraphs of any length, mostly a table."""
    chance = random.Random(number)  # noqa: S311 - the same pages every time
    spots: list[Spot] = [("doc_title", (100, 80, 100 + chance.randrange(500, 1000), 140))]
    top, table_at = 190, chance.randrange(2, 9)
    while top < 1500:
        name, height = "text", chance.choice((48, 72, 96, 144, 192, 240))
        if len(spots) == table_at and number % 4:
            name, height = "table", chance.randrange(200, 420)
        spots.append((name, (100, top, chance.randrange(900, 1140), min(top + height, 1620))))
        top += height + 30
    return [*spots, ("number", (600, 1680, 640, 1704))]


def page(number: int) -> Pixels:
    """A page whose areas are filled with words that no other page has."""
    pixels = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    chance = random.Random(1000 + number)  # noqa: S311
    pixels[:CORNER, :CORNER] = SHADE * (number % LAYOUTS)
    for _, (x0, y0, x1, y1) in layout(number % LAYOUTS):
        for base in range(y0 + 18, y1, 24):
            words = " ".join(str(chance.randrange(10**6)) for _ in range(20))
            area = pixels[y0:y1, x0:x1]
            place = (0, base - y0)
            cv2.putText(area, words, place, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0), 1)
    return pixels


def write_model(folder: Path) -> None:
    """The layout model in PaddleX's form: `inference.onnx` and `inference.yml`."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    places = [layout(number) for number in range(LAYOUTS)]
    count = max(map(len, places))
    boxes = np.zeros((LAYOUTS, count, 7), np.float32)
    for number, spots in enumerate(places):
        for order, (label, box) in enumerate(spots):
            boxes[number, order] = [LABELS.index(label), 0.95, *box, order]
    constants = {
        "boxes_of": boxes,
        "starts": np.array([0, 1, 1], np.int64),
        "ends": np.array([1, 2, 2], np.int64),
        "axes": np.array([1, 2, 3], np.int64),
        "whole": np.array([-1], np.int64),
        "rows": np.array([-1, 7], np.int64),
        "scale": np.array(255 / SHADE, np.float32),
        "count": np.array([count], np.int32),
    }
    nodes = [
        helper.make_node("Slice", ["image", "starts", "ends", "axes"], ["corner"]),
        helper.make_node("Reshape", ["corner", "whole"], ["shade"]),
        helper.make_node("Mul", ["shade", "scale"], ["level"]),
        helper.make_node("Round", ["level"], ["rounded"]),
        helper.make_node("Cast", ["rounded"], ["which"], to=TensorProto.INT64),
        helper.make_node("Gather", ["boxes_of", "which"], ["all"], axis=0),
        helper.make_node("Reshape", ["all", "rows"], ["boxes"]),
        helper.make_node("Shape", ["shade"], ["batch"]),
        helper.make_node("Tile", ["count", "batch"], ["num"]),
    ]
    shapes = {"im_shape": ["B", 2], "image": ["B", 3, SIDE, SIDE], "scale_factor": ["B", 2]}
    graph = helper.make_graph(
        nodes,
        "layout",
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in shapes.items()],
        [
            helper.make_tensor_value_info("boxes", TensorProto.FLOAT, ["N", 7]),
            helper.make_tensor_value_info("num", TensorProto.INT32, ["B"]),
        ],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "inference.onnx")
    (folder / "inference.yml").write_text(_YAML + "".join(f"- {name}\n" for name in LABELS))


_YAML = f"""mode: paddle
draw_threshold: 0.5
metric: COCO
use_dynamic_shape: false
Global:
  model_name: PP-DocLayoutV3
arch: DETR
min_subgraph_size: 3
Preprocess:
- type: Resize
  interp: 2
  keep_ratio: false
  target_size: [{SIDE}, {SIDE}]
- type: NormalizeImage
  mean: [0.0, 0.0, 0.0]
  std: [1.0, 1.0, 1.0]
  norm_type: none
- type: Permute
label_list:
"""


def areas_by(folder: Path) -> Callable[[Pixels], list[Area]]:
    """Finds areas with the model in a folder, in the engine's form."""
    import onnxruntime

    session = onnxruntime.InferenceSession(folder / "inference.onnx")
    one = np.ones((1, 2), np.float32)

    def find(pixels: Pixels) -> list[Area]:
        small = cv2.resize(pixels, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
        image = (small.astype(np.float32) / 255).transpose(2, 0, 1)[None]
        boxes, _ = session.run(None, {"image": image, "im_shape": one, "scale_factor": one})
        return [
            Area(
                label=LABELS[int(row[0])],
                kind=cast(BlockKind, KINDS[LABELS[int(row[0])]]),
                polygon=polygon_of((row[2], row[3], row[4], row[5])),
                confidence=row[1],
                order=int(row[6]),
            )
            for row in boxes.tolist()
            if row[1] > 0
        ]

    return find
