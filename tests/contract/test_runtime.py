"""What `ppocr.runtime.Runtime` promises, of both runtimes: the networks' own results."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from numpy.typing import NDArray

from pagetide.engines.networks.cores import Cores
from pagetide.engines.networks.cuda_graphs import CudaGraphs
from pagetide.engines.networks.onnx_sessions import Run, session
from pagetide.engines.ppocr import first_stage
from pagetide.engines.ppocr.batches import stack
from pagetide.engines.ppocr.first_stage.letters import SPACE
from pagetide.engines.ppocr.inference.onnx_runtime import OnnxRuntime
from pagetide.engines.ppocr.inference.openvino_runtime import OpenVinoRuntime
from pagetide.engines.ppocr.inference.runtime import Runtime
from pagetide.engines.ppocr.inference.weights import bundled
from pagetide.engines.ppocr.lines.crops import cut
from pagetide.engines.ppocr.lines.line_reader import SURE, read_first
from tests.drawing import page_of

WORDS = (
    "Harbour dues 1,284.50",
    "Straße, façade & naïve",
    "(a) 17 % of § 4",
    "WITHOUT PREJUDICE",
)


@pytest.fixture(
    scope="module", params=["openvino", "openvino from the cache", "onnxruntime", "as on cuda"]
)
def runtime(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Runtime:
    if request.param == "onnxruntime":
        return OnnxRuntime(bundled(), Cores(2), cuda=False)
    if request.param == "as on cuda":
        return OnnxRuntime(bundled(), Cores(2), cuda=True, opening=bound_on_the_cpu)
    folder = tmp_path_factory.mktemp("compiled")

    def opened() -> OpenVinoRuntime:
        return OpenVinoRuntime(bundled(), Cores(2), bf16=False, cache_folder=folder)

    if request.param == "openvino from the cache":
        use(opened())
        assert list(folder.iterdir())
    return opened()


def bound_on_the_cpu(model: bytes, *, cuda: bool, threads: int) -> Run:
    """As a GPU's network is opened, but for the device: the same shapes and bindings."""
    assert cuda
    return CudaGraphs(partial(session, model, cuda=False, threads=threads), "cpu").run


def use(runtime: Runtime) -> None:
    """Have every network compiled and kept."""
    runtime.detect(page()[:160, :640])
    runtime.read_fully(runtime.recognise(crops()).features[0])


@cache
def page() -> NDArray[np.uint8]:
    drawn = [((30, 30 + 60 * i), text) for i, text in enumerate(WORDS)]
    return page_of(drawn, width=640, height=320).pixels


@cache
def lines() -> NDArray[np.uint8]:
    return stack(crops())


@cache
def crops() -> tuple[NDArray[np.uint8], ...]:
    return tuple(_crops())


def _crops() -> Iterator[NDArray[np.uint8]]:
    for i in range(len(WORDS)):
        top, bottom = 20 + 60 * i, 70 + 60 * i
        corners = [(20, top), (453, top), (453, bottom), (20, bottom)]
        yield cut(page(), np.array(corners, np.float32))


def original(path: Path, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """What the network says as it came, fed as it was trained."""
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    fed = ((pixels.astype(np.float32) - 127.5) / 127.5).transpose(0, 3, 1, 2)
    outputs: list[Any] = session.run(None, {session.get_inputs()[0].name: fed})
    result: NDArray[np.float32] = outputs[0]
    return result


def test_the_map_is_the_networks_own(runtime: Runtime) -> None:
    picture = page()
    expected = original(bundled().detector, picture[np.newaxis])[0, 0]
    found = runtime.detect(picture)
    assert found.shape == picture.shape[:2]
    assert np.abs(found - expected).max() < 1e-3


def test_pages_of_many_sizes_are_searched_alike(runtime: Runtime) -> None:
    for height, width in [
        (320, 640),
        (160, 640),
        (320, 480),
        (160, 480),
        (320, 640),
        (160, 480),
    ]:
        picture = np.ascontiguousarray(page()[:height, :width])
        expected = original(bundled().detector, picture[np.newaxis])[0, 0]
        assert np.abs(runtime.detect(picture) - expected).max() < 1e-3


def test_the_full_head_is_the_networks_own(runtime: Runtime) -> None:
    expected = original(bundled().recogniser, lines())
    frames = runtime.recognise(crops())
    classes, confidences = runtime.read_fully(frames.features.reshape(-1, 120))
    assert np.array_equal(classes, expected.argmax(axis=-1).reshape(-1))
    assert np.abs(confidences - expected.max(axis=-1).reshape(-1)).max() < 1e-3


def test_the_latin_head_agrees_wherever_it_is_sure(runtime: Runtime) -> None:
    expected = original(bundled().recogniser, lines())
    frames = runtime.recognise(crops())
    sure = frames.scores >= SURE
    assert sure.mean() > 0.5
    assert np.array_equal(frames.classes[sure], expected.argmax(axis=-1)[sure])
    assert np.abs(frames.confidences[sure] - expected.max(axis=-1)[sure]).max() < 0.01


def test_the_dictionary_is_whole(runtime: Runtime) -> None:
    characters = runtime.characters
    assert len(characters) == 18710
    assert characters[0] == "" and characters[-1] == " "
    assert {"a", "ß", "€", "漢", "か"} <= set(characters)


def test_the_first_stage_says_what_its_network_says(runtime: Runtime) -> None:
    network = ort.InferenceSession(first_stage.WEIGHTS, providers=["CPUExecutionProvider"])
    fed = ((lines().astype(np.float32) - 127.5) / 127.5).transpose(0, 3, 1, 2)
    blank, shares, classes = network.run(None, {"normalised": fed})
    found = runtime.read_first(crops())
    assert np.abs(found.blank - blank).max() < 0.01
    assert np.abs(found.shares - shares).max() < 0.01
    letters = found.blank < 0.4
    assert np.array_equal(found.classes[letters][:, 0], classes[letters][:, 0])


def test_the_first_stage_reads_print(runtime: Runtime) -> None:
    """Pillow's own font has no letters beside those of ASCII."""
    read = [line.text for line in read_first(runtime, crops())]
    assert [read[0], read[3]] == [WORDS[0], WORDS[3]]
    assert runtime.first_characters[SPACE] == " "
