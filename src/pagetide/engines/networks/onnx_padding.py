"""ONNX networks that read a padded picture as they would read it without its padding.

What lies past a picture's end changes what a network says of all of it: means over the whole
picture and attention take it in, and wide kernels take it in at the edge. Here each of them is
told where the picture ends, so that pictures of any size can be given in a few shapes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper

from pagetide.engines.networks.onnx_pixels import constants

# Of each number by itself, or of the channels of one place: padding stays padding.
IN_PLACE = {
    *("Add", "BatchNormalization", "Cast", "Clip", "Concat", "Constant", "Div", "Erf", "Exp"),
    *("HardSigmoid", "HardSwish", "Identity", "LeakyRelu", "MatMul", "Mul", "Pow", "Relu"),
    *("Reshape", "Resize", "Shape", "Sigmoid", "Slice", "Sqrt", "Squeeze", "Sub", "Tanh"),
    *("Transpose", "Unsqueeze"),
}
WINDOWS = {"Conv", "ConvTranspose", "MaxPool", "AveragePool"}
FAR_BELOW = 1e4  # off an attention's logit


class UnknownLayer(Exception):
    """The network has a layer of which it is not known how padding changes it."""


def blind_to_padding(
    model: onnx.ModelProto, *, size: tuple[int, int], frame: int = 1
) -> onnx.ModelProto:
    """The network with two more inputs, which say where each picture is no padding.

    `rows`, N × height, and `columns`, N × width, are 1 where the picture is and 0 behind it,
    bytes. A picture's own sides have to be multiples of what the network divides them by. What
    the network says of the padding itself means nothing.

    Args:
        model: Its only input is N × 3 × height × width.
        size: A height and a width that it can be given.
        frame: How many columns a step of its attention stands for.

    Raises:
        UnknownLayer: The network is of a kind that is not known here.
    """
    blind = onnx.ModelProto()
    blind.CopyFrom(model)
    rewriting = _Rewriting(blind, size, frame)
    for node in blind.graph.node:
        rewriting.take(node)
    del blind.graph.node[:]
    blind.graph.node.extend(rewriting.nodes)
    return taking_ends(blind)


def taking_ends(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with the two more inputs, and no use made of them."""
    for name, side in (("rows", "height"), ("columns", "width")):
        given = helper.make_tensor_value_info(name, TensorProto.UINT8, ["lines", side])
        model.graph.input.append(given)
    return model


class _Rewriting:
    """The nodes so far."""

    def __init__(self, model: onnx.ModelProto, size: tuple[int, int], frame: int) -> None:
        self._graph, self._size, self._frame = model.graph, size, frame
        self._shapes = _shapes(model, size)
        self._made_by = {output: n.op_type for n in model.graph.node for output in n.output}
        self._made: set[str] = set()
        self.nodes: list[onnx.NodeProto] = []
        constants(
            self._graph,
            pad_one=np.float32(1),
            pad_far=np.float32(FAR_BELOW),
            pad_rows=np.array([0, 1, -1, 1], np.int64),
            pad_columns=np.array([0, 1, 1, -1], np.int64),
            pad_first=np.array([0], np.int64),
            pad_last=np.array([np.iinfo(np.int64).max], np.int64),
            pad_axis=np.array([1], np.int64),
        )

    def take(self, node: onnx.NodeProto) -> None:
        """Copy a node; one that would see padding is given none."""
        attributes = {item.name: helper.get_attribute_value(item) for item in node.attribute}
        if node.op_type == "GlobalAveragePool" or self._is_mean_of_sides(node, attributes):
            return self._mean(node)
        if node.op_type == "Softmax" and len(self._shapes[node.input[0]]) == 4:
            node.input[0] = self._looking_at_no_padding(node.input[0])
        elif node.op_type in WINDOWS and self._reaches_over(node, attributes):
            node.input[0] = self._blank(node.input[0])
        elif node.op_type not in IN_PLACE | WINDOWS | {"ReduceMean", "Softmax"}:
            raise UnknownLayer(node.op_type)
        self.nodes.append(node)

    def _is_mean_of_sides(self, node: onnx.NodeProto, attributes: Mapping[str, Any]) -> bool:
        """Whether it is one over the whole picture, and not over channels."""
        if node.op_type != "ReduceMean":
            return False
        count = len(self._shapes[node.input[0]])
        axes = sorted(axis % count for axis in attributes.get("axes", ()))
        if (count, axes) not in ((4, [2, 3]), (3, [2])):  # the latter are channels
            raise UnknownLayer(f"ReduceMean over {axes} of {count}")
        return count == 4

    def _reaches_over(self, node: onnx.NodeProto, attributes: Mapping[str, Any]) -> bool:
        """Whether windows hold more than one place and lie across the picture's end."""
        kernel = attributes.get("kernel_shape") or self._shapes[node.input[1]][2:]
        tiles = list(kernel) == list(attributes.get("strides", (1, 1)))
        if tiles and not any(attributes.get("pads", ())):
            return False
        if node.op_type != "Conv" and self._made_by.get(node.input[0]) != "Relu":
            raise UnknownLayer(f"{node.op_type} that overlaps, of numbers below 0")
        return True

    def _mean(self, node: onnx.NodeProto) -> None:
        """The mean over all of it without padding, by the share that is no padding."""
        mask = self._mask(node.input[0])
        share = self._once(f"{mask}_share", node.op_type, [mask], node.attribute)
        (output,) = node.output
        node.input[0], node.output[0] = self._blank(node.input[0]), f"{output}_of_all"
        self.nodes.append(node)
        self.nodes.append(helper.make_node("Div", [node.output[0], share], [output]))

    def _blank(self, given: str) -> str:
        """The same with nothing where the padding is."""
        return self._once(f"{given}_blank", "Mul", [given, self._mask(given)])

    def _looking_at_no_padding(self, logits: str) -> str:
        """An attention's logits, N × heads × frames × frames."""
        columns = self._side("columns", self._frame)
        away = self._once(f"{columns}_away", "Sub", [columns, "pad_one"])
        far = self._once(f"{columns}_far", "Mul", [away, "pad_far"])
        return self._once(f"{logits}_looking", "Add", [logits, far])

    def _mask(self, given: str) -> str:
        """1 where the picture is, as large as these features: N × 1 × height × width."""
        _, _, height, width = self._shapes[given]
        rows = self._side("rows", self._size[0] / height)
        columns = self._side("columns", self._size[1] / width)
        return self._once(f"{rows}_{columns}", "Mul", [rows, columns])

    def _side(self, side: str, step: float) -> str:
        """One of the two inputs as numbers, every so many of them."""
        if step != int(step):
            raise UnknownLayer(f"features of 1/{step:.3g} of the picture's size")
        name, step_name = f"{side}_{step:.0f}", f"pad_step_{step:.0f}"
        if step_name not in self._made:
            constants(self._graph, **{step_name: np.array([step], np.int64)})
            self._made.add(step_name)
        numbers = self._once(f"{side}_f", "Cast", [side], to=TensorProto.FLOAT)
        ends = ["pad_first", "pad_last", "pad_axis", step_name]
        some = self._once(f"{name}_flat", "Slice", [numbers, *ends])
        return self._once(name, "Reshape", [some, f"pad_{side}"])

    def _once(
        self, name: str, kind: str, given: list[str], attributes: Any = (), **more: Any
    ) -> str:
        """What a node of this name gives; it is made when first asked for."""
        if name not in self._made:
            self._made.add(name)
            node = helper.make_node(kind, given, [name], **more)
            node.attribute.extend(attributes)
            self.nodes.append(node)
        return name


def _shapes(model: onnx.ModelProto, size: tuple[int, int]) -> dict[str, tuple[int, ...]]:
    """The shapes of all that the network computes, of one picture of this size.

    Found by computing it: ONNX's own inference loses its way in the recognisers' reshapes.
    """
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    names = [output for node in whole.graph.node for output in node.output if output]
    del whole.graph.output[:]
    whole.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    network = ort.InferenceSession(
        whole.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    given = whole.graph.input[0].name
    found = network.run(names, {given: np.zeros((1, 3, *size), np.float32)})
    shapes = {item.name: tuple(item.dims) for item in whole.graph.initializer}
    shapes[given] = (1, 3, *size)
    return shapes | {name: array.shape for name, array in zip(names, found, strict=True)}
