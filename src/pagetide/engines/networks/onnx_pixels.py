"""ONNX networks that take a picture's bytes: what `openvino_pixels` does, in ONNX."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

CENTRE = (127.5,)  # PP-OCR's normalisation: bytes to -1…1
SCALE = (1 / 127.5,)


def taking_pixels(
    model: onnx.ModelProto, centre: Sequence[float] = CENTRE, scale: Sequence[float] = SCALE
) -> onnx.ModelProto:
    """The model with an input of bytes: N × height × width × 3, blue-green-red.

    Args:
        model: Its first input is N × 3 × height × width.
        centre: What is taken off each channel's bytes: one number, or three.
        scale: What they are then multiplied by, likewise.
    """
    graph = model.graph
    old = graph.input[0].name
    shape = ["lines", "height", "width", 3]
    given = helper.make_tensor_value_info("pixels", TensorProto.UINT8, shape)
    nodes = [
        helper.make_node("Cast", ["pixels"], ["pixels_f"], to=TensorProto.FLOAT),
        helper.make_node("Sub", ["pixels_f", "pixels_mean"], ["pixels_centred"]),
        helper.make_node("Mul", ["pixels_centred", "pixels_scale"], ["pixels_scaled"]),
        helper.make_node("Transpose", ["pixels_scaled"], [old], perm=[0, 3, 1, 2]),
    ]
    constants(graph, pixels_mean=_numbers(centre), pixels_scale=_numbers(scale))
    rest = list(graph.node)
    del graph.node[:]
    graph.node.extend(nodes + rest)
    graph.input[0].CopyFrom(given)
    return model


def constants(graph: onnx.GraphProto, **arrays: NDArray[np.generic] | np.generic) -> None:
    """Give the graph constants under these names."""
    for name, array in arrays.items():
        graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))


def _numbers(values: Sequence[float]) -> NDArray[np.float32]:
    return np.squeeze(np.array(values, np.float32))
