"""What a GPU is given: few shapes, and in them all that was to be read."""

from __future__ import annotations

import threading
from functools import partial

import numpy as np
import onnxruntime as ort
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from pagetide.engines.networks.cuda_graphs import CudaGraphs, on_device
from pagetide.engines.ppocr.batches import PADDING, padded, plan
from pagetide.engines.ppocr.inference import buckets
from pagetide.errors import EngineFailed


@given(height=st.integers(1, 3200), width=st.integers(1, 3200))
def test_a_page_is_padded_to_a_known_size(height: int, width: int) -> None:
    page = np.full((height, width, 3), 7, np.uint8)
    (padded,), (rows,), (columns,) = buckets.page(page)
    assert padded.shape[0] in buckets.SIDES and padded.shape[1] in buckets.SIDES
    assert np.array_equal(padded[:height, :width], page)
    assert rows.tolist() == [1] * height + [0] * (len(padded) - height)
    assert columns.tolist() == [1] * width + [0] * (padded.shape[1] - width)


def test_a_page_beyond_the_known_sizes_is_padded_too() -> None:
    assert buckets.page(np.zeros((3300, 64, 3), np.uint8))[0].shape == (1, 6400, 320, 3)


@given(widths=st.lists(st.integers(1, 6400), min_size=1, max_size=80))
def test_batches_are_of_few_shapes_and_each_line_ends_where_it_ends(widths: list[int]) -> None:
    shapes = {(buckets.fits(width), 48, width, 3) for width in buckets.WIDTHS}
    for chosen in plan(widths, buckets.fits):
        crops = [np.full((48, widths[place], 3), 5, np.uint8) for place in chosen]
        batch, rows, columns = buckets.lines(crops)
        assert batch.shape in shapes
        assert rows.all() and rows.shape == (len(batch), 48)
        for line, told, crop in zip(batch, columns, crops, strict=False):
            assert np.array_equal(line[:, : crop.shape[1]], crop)
            assert (line[:, crop.shape[1] :] == PADDING).all()
            assert told.sum() == padded(crop.shape[1]) and told[: told.sum()].all()


@given(count=st.integers(1, 6000))
def test_frames_are_padded_to_a_known_number(count: int) -> None:
    given = buckets.frames(np.ones((count, 1), np.float32))
    known = buckets.FRAMES
    assert len(given) in known or len(given) % known[-1] == 0
    assert given.sum() == count


def doubled() -> CudaGraphs:
    """A network that doubles what it is given."""
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in "xy"]
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "x"], ["y"])], "doubled", ends[:1], ends[1:]
    )
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    providers = ["CPUExecutionProvider"]
    opened = partial(ort.InferenceSession, model.SerializeToString(), providers=providers)
    return CudaGraphs(opened, "cpu")


@given(shapes=st.lists(st.integers(1, 5), min_size=1, max_size=12))
def test_every_shape_is_bound_once_and_gives_its_own_answer(shapes: list[int]) -> None:
    network = doubled()
    answers = [network.run(np.full(n, k, np.float32))[0] for k, n in enumerate(shapes)]
    for number, (length, answer) in enumerate(zip(shapes, answers, strict=True)):
        assert answer.tolist() == [2 * number] * length  # none is written over by a later one
    sessions = {id(each.session) for each in network._captured.values()}
    assert len(sessions) == len(set(shapes))


def test_whatever_thread_asks_one_thread_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX Runtime keeps CUDA graphs by thread: another one would capture them again."""
    network, seen = doubled(), set()
    run = network._run

    def noting(given: tuple[np.ndarray[tuple[int, ...], np.dtype[np.float32]], ...]) -> object:
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


def test_the_devices_thread_may_ask_itself() -> None:
    """A shape's first time opens a session, which asks the device too."""
    assert on_device(lambda: on_device(threading.current_thread)) == on_device(
        threading.current_thread
    )


def test_a_network_that_fails_says_so() -> None:
    with pytest.raises(EngineFailed, match="ONNX Runtime failed"):
        doubled().run(np.ones(2, np.int64))
