"""Networks on ONNX Runtime: what happens where a GPU is asked for and none is there."""

from __future__ import annotations

import onnxruntime as ort
import pytest
from onnx import TensorProto, helper

from pagetide.engines import onnx_sessions
from pagetide.errors import RuntimeUnavailable


@pytest.fixture
def network() -> bytes:
    """One that gives back what it is given."""
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy"]
    graph = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["y"])], "same", ends[:1], ends[1:]
    )
    opset = helper.make_opsetid("", 17)
    made: bytes = helper.make_model(
        graph, opset_imports=[opset], ir_version=8
    ).SerializeToString()
    return made


def test_the_cpu_is_taken_where_it_is_asked_for(network: bytes) -> None:
    made = onnx_sessions.session(network, cuda=False, threads=1)
    assert made.get_providers() == ["CPUExecutionProvider"]


def test_a_runtime_without_cuda_is_told_of(network: bytes) -> None:
    assert "CUDAExecutionProvider" not in ort.get_available_providers()
    with pytest.raises(RuntimeUnavailable, match="has no CUDA provider"):
        onnx_sessions.session(network, cuda=True, threads=1)


def test_the_cpu_is_never_taken_for_a_gpu_that_cannot_be_used(
    network: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ONNX Runtime with CUDA does on a machine without: it goes on, on the CPU."""
    monkeypatch.setattr(onnx_sessions, "providers", lambda **_: ["CPUExecutionProvider"])
    with pytest.raises(RuntimeUnavailable, match="no CUDA device"):
        onnx_sessions.session(network, cuda=True, threads=1)
