"""Layout models for tests: ONNX networks with a constant output, and their descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

V2_LABELS = (
    "abstract",
    "chart",
    "doc_title",
    "figure_title",
    "image",
    "number",
    "table",
    "text",
)


def constant_layout(
    folder: Path,
    rows: Sequence[Sequence[float]],
    *,
    labels: Sequence[str] = V2_LABELS,
    size: int = 64,
    described: bool = True,
    listed: bool = False,
    normal: str = "mean: [0.0, 0.0, 0.0], std: [1.0, 1.0, 1.0], norm_type: none",
) -> Path:
    """A model of the PP-DocLayout family whose network returns these rows for every page.

    The rows of the answer are scaled by the page's `scale_factor`, as the real ones are: they
    are given in pixels of the network's picture, and come out in pixels of the page.

    Args:
        folder: Where it is written.
        rows: Class, confidence, x0, y0, x1, y1, and the order where the edition gives one.
        labels: By class.
        size: Of the network's input picture.
        described: Whether an `inference.yml` is beside it.
        listed: Whether the network's metadata hold the labels.
        normal: The description's step of normalisation.
    """
    folder.mkdir(parents=True)
    onnx.save(
        _network(np.array(rows, np.float32), labels if listed else (), size),
        folder / "inference.onnx",
    )
    if described:
        listing = "\n".join(f"- {label}" for label in labels)
        (folder / "inference.yml").write_text(
            "Preprocess:\n"
            f"- {{type: Resize, interp: 2, keep_ratio: false, target_size: [{size}, {size}]}}\n"
            f"- {{type: NormalizeImage, {normal}}}\n"
            "- {type: Permute}\n"
            f"label_list:\n{listing}\n"
        )
    return folder


def _network(rows: np.ndarray, labels: Sequence[str], size: int) -> onnx.ModelProto:
    columns = rows.shape[1]
    # y then x: the factors are in rows of x0, y0, x1, y1.
    places = np.array([1, 0, 1, 0], np.int64)
    constants = {
        "head": rows[:, :2],
        "edges": rows[:, 2:6],
        "tail": rows[:, 6:],
        "places": places,
        "count": np.array([len(rows)], np.int32),
    }
    nodes = [
        helper.make_node("Gather", ["scale_factor", "places"], ["factors"], axis=1),
        helper.make_node("Div", ["edges", "factors"], ["boxes"]),
        helper.make_node("Concat", ["head", "boxes", "tail"], ["rows"], axis=1),
        helper.make_node("Identity", ["count"], ["counts"]),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "layout",
        [
            value("im_shape", TensorProto.FLOAT, [1, 2]),
            value("image", TensorProto.FLOAT, [1, 3, size, size]),
            value("scale_factor", TensorProto.FLOAT, [1, 2]),
        ],
        [
            value("rows", TensorProto.FLOAT, [len(rows), columns]),
            value("counts", TensorProto.INT32, [1]),
        ],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    if labels:
        helper.set_model_props(model, {"character": "\n".join(labels)})
    return model


def gray_layout(folder: Path, *, size: int = 64, normal: str) -> Path:
    """A model with one box; its confidence is the first channel's brightness at a corner."""
    folder.mkdir(parents=True)
    starts = np.array([0, 0, 0, 0], np.int64)
    ends = np.array([1, 1, 1, 1], np.int64)
    constants = {
        "starts": starts,
        "ends": ends,
        "shape": np.array([1, 1], np.int64),
        "head": np.array([[0]], np.float32),
        "edges": np.array([[0, 0, 8, 8]], np.float32),
    }
    nodes = [
        helper.make_node("Slice", ["image", "starts", "ends"], ["corner"]),
        helper.make_node("Reshape", ["corner", "shape"], ["sureness"]),
        helper.make_node("Concat", ["head", "sureness", "edges"], ["rows"], axis=1),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "layout",
        [value("image", TensorProto.FLOAT, [1, 3, size, size])],
        [value("rows", TensorProto.FLOAT, [1, 6])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, folder / "inference.onnx")
    (folder / "inference.yml").write_text(
        "Preprocess:\n"
        f"- {{type: Resize, target_size: [{size}, {size}]}}\n"
        f"- {{type: NormalizeImage, {normal}}}\n"
        "label_list: [image]\n"
    )
    return folder
