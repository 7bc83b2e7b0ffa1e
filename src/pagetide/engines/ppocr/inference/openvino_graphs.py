"""The networks' graphs, rewritten for OpenVINO before they are compiled.

Nothing here changes what a network computes: the rewriting moves the choice of the best class
into the graph, so that classes come out.
"""

from __future__ import annotations

import numpy as np

from pagetide.engines.networks.quiet_openvino import op, ov
from pagetide.engines.ppocr.inference.heads import Head
from pagetide.engines.ppocr.inference.openvino_rewrites import through


def split_head(model: ov.Model) -> tuple[ov.Output, Head]:
    """The features that the recogniser's last layer reads, and that layer."""
    softmax = model.get_results()[0].input_value(0).get_node()
    addition = through(softmax.input_value(0))
    product, bias = (through(value) for value in addition.input_values())
    features, weights = product.input_values()
    matrix, offset = through(weights).data, bias.data.reshape(-1)
    numbers = np.arange(offset.size, dtype=np.int32)
    return features, Head(weights=np.array(matrix), bias=np.array(offset), classes=numbers)


def with_head(model: ov.Model, features: ov.Output, head: Head) -> ov.Model:
    """The recogniser ending in a head: classes, confidences, scores, features."""
    return ov.Model([*_read(features, head), features], model.get_parameters())


def head_alone(head: Head) -> ov.Model:
    """A head over frames × channels: classes, confidences, scores."""
    frames = op.parameter(
        ov.PartialShape([-1, head.weights.shape[0]]), np.float32, name="frames"
    )
    return ov.Model(_read(frames.output(0), head), [frames])


def best_classes(model: ov.Model) -> ov.Model:
    """A recogniser as it comes, ending in the best class and its probability."""
    (probabilities,) = (result.input_value(0) for result in model.get_results())
    best = op.topk(probabilities, _whole(1), -1, "max", "none", index_element_type="i32")
    outputs = [op.squeeze(value, _whole([-1])).output(0) for value in reversed(best.outputs())]
    return ov.Model(outputs, model.get_parameters())


def _read(features: ov.Output, head: Head) -> list[ov.Output]:
    scores = op.add(
        op.matmul(features, op.constant(head.weights), False, False), op.constant(head.bias)
    )
    best = op.topk(scores, _whole(1), -1, "max", "none", index_element_type="i32")
    # The best class's softmax is 1 / Σ exp(score - best score); no other class's is needed.
    total = op.reduce_sum(op.exp(op.subtract(scores, best.output(0))), _whole([-1]), False)
    confidence = op.divide(_number(1.0), total)
    place = op.squeeze(best.output(1), _whole([-1]))
    classes = op.gather(op.constant(head.classes), place, _whole(0))
    score = op.squeeze(best.output(0), _whole([-1]))
    return [classes.output(0), confidence.output(0), score.output(0)]


def _number(value: float) -> ov.Node:
    return op.constant(np.float32(value))


def _whole(value: int | list[int]) -> ov.Node:
    return op.constant(np.array(value, np.int64))
