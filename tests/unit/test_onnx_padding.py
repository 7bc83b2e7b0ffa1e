"""A padded picture is read as it is without its padding, whatever the padding holds."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import TensorProto, helper

from pagetide.engines.networks.onnx_padding import UnknownLayer, blind_to_padding
from pagetide.engines.ppocr.inference import onnx_graphs
from pagetide.engines.ppocr.inference.weights import bundled

Floats = NDArray[np.float32]


@cache
def detector() -> tuple[ort.InferenceSession, ort.InferenceSession]:
    """As it came, and told where padding begins."""
    model = onnx.load(bundled().detector)
    return opened(model), opened(blind_to_padding(model, size=(320, 320)))


@cache
def recogniser() -> tuple[ort.InferenceSession, ort.InferenceSession]:
    model = onnx.load(bundled().recogniser)
    onnx_graphs.cut_head(model)
    return opened(model), opened(blind_to_padding(model, size=(48, 320), frame=8))


def opened(model: onnx.ModelProto) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.log_severity_level = 3
    return ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def alone(network: ort.InferenceSession, picture: Floats) -> Floats:
    (output, *_) = network.run(None, {network.get_inputs()[0].name: picture[np.newaxis]})
    return np.asarray(output[0], np.float32)


def together(
    network: ort.InferenceSession, pictures: list[Floats], size: tuple[int, int], noise: Any
) -> Floats:
    """All of them in one batch, each in the left top corner of what is otherwise noise."""
    batch = noise.uniform(-1, 1, (len(pictures), 3, *size)).astype(np.float32)
    rows, columns = (np.zeros((len(pictures), side), np.uint8) for side in size)
    for place, picture in enumerate(pictures):
        _, height, width = picture.shape
        batch[place, :, :height, :width] = picture
        rows[place, :height], columns[place, :width] = 1, 1
    name = network.get_inputs()[0].name
    (output, *_) = network.run(None, {name: batch, "rows": rows, "columns": columns})
    return np.asarray(output, np.float32)


sides = st.integers(1, 6).map(lambda n: 32 * n)


@settings(max_examples=15, deadline=None)
@given(sizes=st.lists(st.tuples(sides, sides), min_size=1, max_size=3), seed=st.integers(0))
def test_a_page_is_searched_as_if_alone(sizes: list[tuple[int, int]], seed: int) -> None:
    noise = np.random.default_rng(seed)
    pages = [noise.uniform(-1, 1, (3, *size)).astype(np.float32) for size in sizes]
    plain, told = detector()
    found = together(told, pages, (224, 256), noise)
    for page, seen in zip(pages, found, strict=True):
        expected = alone(plain, page)
        _, height, width = expected.shape
        assert np.abs(seen[:, :height, :width] - expected).max() < 1e-4


@settings(max_examples=15, deadline=None)
@given(widths=st.lists(sides, min_size=1, max_size=4), seed=st.integers(0))
def test_a_line_is_read_as_if_alone(widths: list[int], seed: int) -> None:
    noise = np.random.default_rng(seed)
    lines = [noise.uniform(-1, 1, (3, 48, width)).astype(np.float32) for width in widths]
    plain, told = recogniser()
    found = together(told, lines, (48, 320), noise)
    for line, seen in zip(lines, found, strict=True):
        expected = alone(plain, line)
        assert np.abs(seen[: len(expected)] - expected).max() < 1e-3


def test_without_being_told_padding_changes_what_is_read() -> None:
    """Else the tests above would prove nothing."""
    noise = np.random.default_rng(7)
    line = noise.uniform(-1, 1, (3, 48, 96)).astype(np.float32)
    plain, _ = recogniser()
    padded = np.pad(line, ((0, 0), (0, 0), (0, 224)))
    expected = alone(plain, line)
    assert np.abs(alone(plain, padded)[: len(expected)] - expected).max() > 0.1


@pytest.mark.parametrize(
    ("kind", "attributes"),
    [
        ("GlobalMaxPool", {}),
        ("ReduceMean", {"axes": [3]}),
        ("ReduceMean", {"axes": [1, 2]}),
        ("MaxPool", {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    ],
)
def test_a_layer_that_may_see_padding_is_not_let_through(
    kind: str, attributes: dict[str, Any]
) -> None:
    ends = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 32, 32]),
        helper.make_tensor_value_info("y", TensorProto.FLOAT, None),
    ]
    node = helper.make_node(kind, ["x"], ["y"], **attributes)
    graph = helper.make_graph([node], "one", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=8)
    before = model.SerializeToString()
    with pytest.raises(UnknownLayer):
        blind_to_padding(model, size=(32, 32))
    assert model.SerializeToString() == before
