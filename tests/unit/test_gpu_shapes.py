"""What a GPU is given: few shapes, and in them all that was to be read."""

from __future__ import annotations

import threading

import numpy as np
import onnxruntime as ort
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from pagetide.engines.cuda_graphs import CudaGraphs
from pagetide.engines.ppocr import buckets
from pagetide.engines.ppocr.batches import PADDING
from pagetide.errors import EngineFailed


@given(height=st.integers(1, 3200), width=st.integers(1, 3200))
def test_a_page_is_padded_to_a_known_size(height: int, width: int) -> None:
    page = np.full((height, width, 3), 7, np.uint8)
    page[-1, -1] = 9
    padded = buckets.page(page)
    assert padded.shape[0] in buckets.SIDES
    assert padded.shape[1] in buckets.SIDES
    assert np.array_equal(padded[:height, :width], page)
    assert (padded[height - 1 :, width - 1 :] == 9).all()  # the edge is drawn out


def test_a_page_beyond_the_known_sizes_is_padded_too() -> None:
    assert buckets.page(np.zeros((3300, 64, 3), np.uint8)).shape == (6400, 160, 3)


@given(count=st.integers(1, 16), width=st.integers(1, 6400))
def test_a_batch_is_padded_to_a_known_size(count: int, width: int) -> None:
    batch = np.full((count, 2, width, 3), 5, np.uint8)
    padded = buckets.lines(batch)
    assert padded.shape[0] in buckets.LINES
    assert padded.shape[2] in buckets.WIDTHS
    assert np.array_equal(padded[:count, :, :width], batch)
    assert (padded[count:] == PADDING).all()
    assert (padded[:, :, width:] == PADDING).all()


@given(count=st.integers(1, 40_000))
def test_frames_are_padded_to_a_known_number(count: int) -> None:
    padded = buckets.frames(np.ones((count, 1), np.float32))
    known = buckets.FRAMES
    assert len(padded) in known or len(padded) % known[-1] == 0
    assert padded.sum() == count


def doubled() -> CudaGraphs:
    """A network that doubles what it is given."""
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "xy"]
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "x"], ["y"])], "doubled", ends[:1], ends[1:]
    )
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    providers = ["CPUExecutionProvider"]
    return CudaGraphs(
        ort.InferenceSession(model.SerializeToString(), providers=providers), "cpu"
    )


@given(shapes=st.lists(st.integers(1, 5), min_size=1, max_size=12))
def test_every_shape_is_bound_once_and_gives_its_own_answer(shapes: list[int]) -> None:
    network = doubled()
    answers = [network.run(np.full(n, k, np.float32))[0] for k, n in enumerate(shapes)]
    for number, (length, answer) in enumerate(zip(shapes, answers, strict=True)):
        assert answer.tolist() == [2 * number] * length  # none is written over by a later one
    assert len(network._captured) == len(set(shapes))


def test_whatever_thread_asks_one_thread_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX Runtime keeps CUDA graphs by thread: another one would capture them again."""
    network, seen = doubled(), set()
    run = network._run

    def noting(given: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> object:
        seen.add(threading.current_thread().name)
        return run(given)

    monkeypatch.setattr(network, "_run", noting)
    asking = [
        threading.Thread(target=network.run, args=(np.ones(2, np.float32),)) for _ in range(8)
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len(seen) == 1


def test_a_network_that_fails_says_so() -> None:
    with pytest.raises(EngineFailed, match="ONNX Runtime failed"):
        doubled().run(np.ones(2, np.int64))
