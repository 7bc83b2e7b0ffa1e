"""The networks' graphs, rewritten for ONNX Runtime: what `openvino_graphs` does, in ONNX."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from pagetide.engines.networks.onnx_pixels import constants
from pagetide.engines.ppocr.inference.heads import Head

OUTPUTS = ("classes", "confidences", "scores")


def cut_head(model: onnx.ModelProto) -> Head:
    """Take the last layer off the recogniser, which then gives features; the layer."""
    graph = model.graph
    _drop_identities(graph)
    made_by = {output: node for node in graph.node for output in node.output}
    values = {item.name: numpy_helper.to_array(item) for item in graph.initializer}
    softmax = made_by[graph.output[0].name]
    addition = made_by[softmax.input[0]]
    product_name, bias_name = sorted(addition.input, key=lambda name: name in values)
    product = made_by[product_name]
    features, weights_name = product.input
    weights, bias = values[weights_name], values[bias_name]
    for node in (softmax, addition, product):
        graph.node.remove(node)
    del graph.output[:]
    shape = ["lines", "frames", weights.shape[0]]
    graph.output.append(helper.make_tensor_value_info(features, TensorProto.FLOAT, shape))
    classes = np.arange(bias.size, dtype=np.int32)
    return Head(weights=np.array(weights), bias=np.array(bias.reshape(-1)), classes=classes)


def with_head(model: onnx.ModelProto, head: Head) -> onnx.ModelProto:
    """The cut recogniser ending in a head: classes, confidences, scores, features."""
    graph = model.graph
    features = graph.output[0]
    _append_head(graph, features.name, head)
    outputs = _outputs(["lines", "frames"])
    del graph.output[:]
    graph.output.extend([*outputs, features])
    return model


def head_alone(head: Head) -> onnx.ModelProto:
    """A head over frames × channels: classes, confidences, scores."""
    shape = ["frames", head.weights.shape[0]]
    given = helper.make_tensor_value_info("features", TensorProto.FLOAT, shape)
    graph = helper.make_graph([], "head", [given], _outputs(["frames"]))
    _append_head(graph, "features", head)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8)


def best_classes(model: onnx.ModelProto) -> onnx.ModelProto:
    """A recogniser as it comes, ending in the best class and its probability."""
    graph = model.graph
    given = graph.output[0].name
    constants(graph, plain_first=np.array([1], np.int64))
    # Reshape, not Squeeze: the latter takes its axes differently before and after opset 13.
    node = helper.make_node
    constants(graph, plain_flat=np.array([0, -1], np.int64))
    graph.node.extend(
        [
            node("TopK", [given, "plain_first"], ["plain_best", "plain_place"], axis=-1),
            node("Reshape", ["plain_place", "plain_flat"], ["plain_classes"]),
            node("Cast", ["plain_classes"], ["classes"], to=TensorProto.INT32),
            node("Reshape", ["plain_best", "plain_flat"], ["confidences"]),
        ]
    )
    outputs = _outputs(["lines", "frames"])[:2]
    del graph.output[:]
    graph.output.extend(outputs)
    return model


def _drop_identities(graph: onnx.GraphProto) -> None:
    """Let every node read past the identities, which only rename what goes through them."""
    source: dict[str, str] = {}
    for node in list(graph.node):
        node.input[:] = [source.get(name, name) for name in node.input]
        if node.op_type == "Identity":
            source[node.output[0]] = node.input[0]
            graph.node.remove(node)


def _append_head(graph: onnx.GraphProto, features: str, head: Head) -> None:
    constants(
        graph,
        head_weights=head.weights,
        head_bias=head.bias,
        head_classes=head.classes,
        head_one=np.float32(1.0),
        head_first=np.array([1], np.int64),
    )
    node = helper.make_node
    graph.node.extend(
        [
            node("MatMul", [features, "head_weights"], ["head_product"]),
            node("Add", ["head_product", "head_bias"], ["head_scores"]),
            node("TopK", ["head_scores", "head_first"], ["head_best", "head_place"], axis=-1),
            node("Squeeze", ["head_best"], ["scores"], axes=[-1]),
            node("Squeeze", ["head_place"], ["head_index"], axes=[-1]),
            node("Gather", ["head_classes", "head_index"], ["classes"]),
            node("Sub", ["head_scores", "head_best"], ["head_below"]),
            node("Exp", ["head_below"], ["head_odds"]),
            node("ReduceSum", ["head_odds"], ["head_total"], axes=[-1], keepdims=0),
            node("Div", ["head_one", "head_total"], ["confidences"]),
        ]
    )


def _outputs(shape: list[str]) -> list[onnx.ValueInfoProto]:
    kinds = (TensorProto.INT32, TensorProto.FLOAT, TensorProto.FLOAT)
    return [
        helper.make_tensor_value_info(name, kind, shape)
        for name, kind in zip(OUTPUTS, kinds, strict=True)
    ]
