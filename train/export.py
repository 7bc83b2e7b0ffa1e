"""Write a checkpoint as ONNX: `python -m train.export CHECKPOINT TARGET`.

The network takes pixels in -1 … 1, N × 3 × 48 × width, blue-green-red, and returns for each
frame the blank's probability, and the two likeliest letters with theirs. Normalisations are
folded into the convolutions, grey into the first of them; weights are half floats.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from train.letters import LETTERS
from train.network import LineReader, Residual

GREY = (0.114, 0.587, 0.299)  # of blue, green and red (ITU-R BT.601)


class Graph:
    """Nodes and weights, each value named by a number."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def node(self, kind: str, *given: str, outputs: int = 1, **how: object) -> list[str]:
        """Add a node; returns the names of its outputs."""
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(given), names, **how))
        return names

    def weight(self, values: NDArray[np.float32]) -> str:
        """Half floats, and a cast to floats; the cast's name."""
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(values.astype(np.float16), name))
        return self.node("Cast", name, to=TensorProto.FLOAT)[0]

    def number(self, values: object) -> str:
        """Integers, for axes and counts."""
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def layer(self, given: str, layer: nn.Module) -> str:
        """The output of a layer for a value."""
        if isinstance(layer, Residual):
            changed = self.layer(given, layer.change)
            return self.node("Relu", self.node("Add", given, changed)[0])[0]
        parts = list(layer.children())
        if not isinstance(parts[0], nn.Conv2d):
            for part in parts:
                given = self.layer(given, part)
            return given
        made = self._convolution(given, parts[0], parts[1])
        return self.node("Relu", made)[0] if len(parts) > 2 else made

    def _convolution(self, given: str, layer: nn.Conv2d, norm: nn.Module) -> str:
        assert isinstance(norm, nn.BatchNorm2d)  # noqa: S101 - as `network` makes them
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        kernel = (layer.weight * scale[:, None, None, None]).numpy()
        bias = (norm.bias - norm.running_mean * scale).numpy()
        if layer.in_channels == 1:
            kernel = kernel * np.array(GREY, np.float32)[None, :, None, None]
        down, across = layer.padding
        return self.node(
            "Conv", given, self.weight(kernel), self.weight(bias), strides=list(layer.stride),
            pads=[down, across, down, across], group=layer.groups,
        )[0]  # fmt: skip


@torch.no_grad()
def exported(network: LineReader) -> onnx.ModelProto:
    """The network as ONNX."""
    graph = Graph()
    features = graph.layer("normalised", network.body)
    row = graph.node("Squeeze", features, graph.number([2]))[0]
    frames = graph.node("Transpose", row, perm=[0, 2, 1])[0]
    product = graph.node("MatMul", frames, graph.weight(network.head.weight.T.numpy()))[0]
    logits = graph.node("Add", product, graph.weight(network.head.bias.numpy()))[0]
    shares = graph.node("Softmax", logits, axis=-1)[0]
    axis, first = graph.number([2]), graph.number([1])
    blank, letters = graph.node(
        "Split", shares, graph.number([1, len(LETTERS) - 1]), outputs=2, axis=2
    )
    best, places = graph.node("TopK", letters, graph.number([2]), outputs=2, axis=-1)
    numbers = graph.node("Add", places, first)[0]
    graph.nodes += [
        helper.make_node("Squeeze", [blank, axis], ["blank"]),
        helper.make_node("Identity", [best], ["shares"]),
        helper.make_node("Cast", [numbers], ["classes"], to=TensorProto.INT32),
    ]
    value = helper.make_tensor_value_info
    outputs = [
        value("blank", TensorProto.FLOAT, ["lines", "frames"]),
        value("shares", TensorProto.FLOAT, ["lines", "frames", 2]),
        value("classes", TensorProto.INT32, ["lines", "frames", 2]),
    ]
    given = value("normalised", TensorProto.FLOAT, ["lines", 3, 48, "width"])
    made = helper.make_graph(graph.nodes, "first stage", [given], outputs, graph.weights)
    model = helper.make_model(
        made,
        opset_imports=[helper.make_opsetid("", 13)],
        ir_version=8,
        producer_name="pagetide",
    )
    helper.set_model_props(model, {"character": "\n".join(LETTERS[1:])})
    onnx.checker.check_model(model)
    return model


if __name__ == "__main__":
    checkpoint = torch.load(sys.argv[1], map_location="cpu")
    known = LineReader().eval()
    known.load_state_dict(checkpoint["network"])
    Path(sys.argv[2]).write_bytes(exported(known).SerializeToString())
