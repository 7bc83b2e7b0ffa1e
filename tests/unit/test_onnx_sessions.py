"""Networks on ONNX Runtime: what happens where a GPU is asked for and none is there."""

from __future__ import annotations

import threading

import numpy as np
import onnxruntime as ort
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

from pagetide.engines.networks import onnx_sessions
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
    network: bytes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As ONNX Runtime with CUDA does on a machine without: it goes on, on the CPU."""
    monkeypatch.setattr(onnx_sessions, "providers", lambda **_: ["CPUExecutionProvider"])
    onnx_sessions._have_shared_memory.cache_clear()
    with pytest.raises(RuntimeUnavailable, match="no CUDA device"):
        onnx_sessions.session(network, cuda=True, threads=1)
    assert "cannot share memory on the GPU" in caplog.text


def test_sessions_on_a_device_share_memory_but_for_their_weights(
    network: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries: dict[str, str] = {}

    def opened(_: bytes, options: ort.SessionOptions, *, providers: object) -> OnCuda:
        for name in ("use_env_allocators", "use_device_allocator_for_initializers"):
            entries[name] = options.get_session_config_entry(f"session.{name}")
        return OnCuda(set())

    monkeypatch.setattr(onnx_sessions, "providers", lambda **_: [])
    monkeypatch.setattr(onnx_sessions, "_have_shared_memory", lambda: True)
    monkeypatch.setattr(ort, "InferenceSession", opened)
    onnx_sessions.session(network, cuda=True, threads=1)
    assert entries == {
        "use_env_allocators": "1",
        "use_device_allocator_for_initializers": "1",
    }


class OnCuda:
    """A session that says it is on a device, and notes the threads that run it."""

    def __init__(self, threads: set[str]) -> None:
        self.threads = threads

    def get_providers(self) -> list[str]:
        return [onnx_sessions.CUDA]

    def get_inputs(self) -> list[object]:
        return [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])]

    def run(self, _: None, given: dict[str, NDArray[np.float32]]) -> list[NDArray[np.float32]]:
        self.threads.add(threading.current_thread().name)
        return [given["x"]]


def test_what_cannot_be_captured_runs_without_and_says_so(
    network: bytes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """On the device's thread as well, for a capture beside it would fail otherwise."""
    threads: set[str] = set()

    def opened(model: bytes, *, graphs: bool = False, **_: object) -> OnCuda:
        if graphs:
            raise ValueError("not all nodes are on the device")
        return OnCuda(threads)

    monkeypatch.setattr(onnx_sessions, "session", opened)
    run = onnx_sessions.network(network, cuda=True, threads=1)
    assert "cannot be captured as a CUDA graph" in caplog.text
    for _ in range(2):
        assert run(np.ones(1, np.float32))[0].tolist() == [1]
    assert len(threads) == 1
    assert threading.current_thread().name not in threads


def test_a_device_that_is_not_there_is_not_tried_twice(
    network: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(model: bytes, *, graphs: bool = False, **_: object) -> OnCuda:
        assert graphs
        raise RuntimeUnavailable("no device")

    monkeypatch.setattr(onnx_sessions, "session", opened)
    with pytest.raises(RuntimeUnavailable, match="no device"):
        onnx_sessions.network(network, cuda=True, threads=1)
