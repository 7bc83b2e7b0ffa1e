"""The layout models' answers, decoded; the models opened, or refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pagetide.engines.layout import open_layout, open_pp_doclayout, picodet, weights
from pagetide.engines.networks import runtimes
from pagetide.errors import BadOption, EngineFailed, ModelUnavailable, RuntimeUnavailable
from pagetide.geometry import box_of
from pagetide.settings import Settings
from tests.layout_stubs import V2_LABELS, constant_layout, gray_layout

SIZE = (608, 800)
CELLS = (7600, 1900, 475, 130)
BOTH = pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])


def settings(runtime: str = "openvino") -> Settings:
    return Settings(runtime=runtime, threads=1, cache_dir="off")


def silent() -> list[NDArray[np.float32]]:
    """A network's outputs that hold nothing."""
    scores = [np.zeros((1, cells, 10), np.float32) for cells in CELLS]
    return scores + [np.zeros((1, cells, 32), np.float32) for cells in CELLS]


def slowly(
    scores: NDArray[np.float32], bins: NDArray[np.float32], cell: int, stride: int
) -> list[float]:
    """One cell's box as the papers write it, a number at a time."""
    columns = -(-SIZE[0] // stride)
    x, y = (cell % columns + 0.5) * stride, (cell // columns + 0.5) * stride
    reach = []
    for edge in range(4):
        odds = np.exp(bins[cell, 8 * edge : 8 * edge + 8].astype(float))
        reach.append(float(sum(n * each for n, each in enumerate(odds / odds.sum()))) * stride)
    return [x - reach[0], y - reach[1], x + reach[2], y + reach[3]]


@given(st.integers(0, 3), st.integers(0, 10**6), st.integers(0, 9), st.integers(0, 2**32 - 1))
def test_a_cells_box_is_where_its_distances_say(
    level: int, cell: int, number: int, seed: int
) -> None:
    outputs = silent()
    cell %= CELLS[level]
    outputs[level][0, cell, number] = 0.75
    bins = np.random.default_rng(seed).normal(0, 3, (CELLS[level], 32)).astype(np.float32)
    outputs[4 + level][0] = bins
    found = picodet.decoded(outputs[::-1], SIZE, least=0.5, overlap=0.5, across=True)
    expected: NDArray[np.float64] = np.array(
        slowly(outputs[level][0], bins, cell, picodet.STRIDES[level])
    )
    assert found.classes.tolist() == [number]
    assert found.confidences.tolist() == [0.75]
    assert np.allclose(found.boxes[0], expected.clip(0, (*SIZE, *SIZE)), atol=1e-3)


def test_nothing_sure_is_nothing_found() -> None:
    found = picodet.decoded(silent(), SIZE, least=0.5, overlap=0.5, across=True)
    assert found.boxes.shape == (0, 4)


@pytest.mark.parametrize(("same", "other", "kept"), [(0.5, 0.5, [0, 3]), (0.5, 1, [0, 1, 3])])
def test_of_boxes_in_one_place_the_surest_stays(
    same: float, other: float, kept: list[int]
) -> None:
    boxes = np.array(
        [[0, 0, 100, 100], [2, 0, 100, 100], [1, 1, 100, 100], [200, 0, 300, 100]], np.float32
    )
    classes = np.array([0, 1, 0, 0], np.intp)
    assert picodet.apart(boxes, classes, same=same, other=other).tolist() == kept


def test_overlaps_are_shares_of_the_union() -> None:
    boxes = np.array([[0, 0, 10, 10], [5, 0, 15, 10], [20, 20, 20, 20]], np.float32)
    assert np.allclose(
        picodet.overlaps(boxes),
        np.array([[1, 1 / 3, 0], [1 / 3, 1, 0], [0, 0, 0]]),
        atol=1e-6,
    )


@BOTH
@pytest.mark.parametrize(
    ("columns", "orders"), [(6, [None, None, None]), (7, [2, 0, 1]), (8, [2, 0, 1])]
)
def test_rows_of_every_edition_are_read(
    tmp_path: Path, runtime: str, columns: int, orders: list[int | None]
) -> None:
    rows = [
        [V2_LABELS.index("table"), 0.95, 8, 32, 56, 60, 5, 0],
        [V2_LABELS.index("doc_title"), 0.9, 8, 2, 56, 6, 1, 0],
        [V2_LABELS.index("text"), 0.45, 8, 8, 56, 30, 2, 0],
        [V2_LABELS.index("chart"), 0.45, 8, 8, 20, 30, 3, 0],  # not sure enough for a chart
    ]
    folder = constant_layout(tmp_path / "PP-DocLayoutV2_onnx", [r[:columns] for r in rows])
    layout = open_pp_doclayout(folder, settings(runtime))
    found = layout.find(np.full((640, 128, 3), 255, np.uint8))
    assert [area.label for area in found] == ["table", "doc_title", "text"]
    assert [area.kind for area in found] == ["table", "title", "text"]
    assert [area.confidence for area in found] == pytest.approx([0.95, 0.9, 0.45])
    assert box_of(found[0].polygon) == pytest.approx((16, 320, 112, 600))
    assert [area.order for area in found] == orders
    assert layout.name == "PP-DocLayoutV2"
    assert len(layout.sha256) == 64
    assert (
        layout.runtime
        == {"openvino": "openvino f32", "onnxruntime": "onnxruntime cpu"}[runtime]
    )
    layout.close()


def test_equal_places_are_ordered_by_their_votes(tmp_path: Path) -> None:
    rows = [[7, 0.9, 8, 2, 56, 6, 1, 3], [7, 0.8, 8, 20, 56, 26, 1, 9]]
    layout = open_pp_doclayout(constant_layout(tmp_path / "V2", rows), settings())
    assert [a.order for a in layout.find(np.zeros((64, 64, 3), np.uint8))] == [1, 0]


def test_v3_asks_less_of_a_box(tmp_path: Path) -> None:
    rows = [[V2_LABELS.index("chart"), 0.35, 8, 8, 20, 30, 0]]
    for name, count in (("PP-DocLayoutV3", 1), ("PP-DocLayoutV2", 0)):
        layout = open_pp_doclayout(constant_layout(tmp_path / name, rows), settings())
        assert len(layout.find(np.zeros((64, 64, 3), np.uint8))) == count


def test_classes_without_a_label_and_doubles_are_left_out(tmp_path: Path) -> None:
    rows = [
        [7, 0.9, 8, 2, 56, 30],
        [7, 0.8, 9, 2, 56, 30],
        [0, 0.7, 8, 2, 56, 30],
        [-1, 0.9, 0, 0, 9, 9],
        [99, 0.9, 0, 0, 9, 9],
    ]
    layout = open_pp_doclayout(constant_layout(tmp_path / "L", rows), settings())
    found = layout.find(np.zeros((64, 64, 3), np.uint8))
    assert [(area.label, area.confidence) for area in found] == [("text", 0.9)]


def test_boxes_end_at_the_pages_edge(tmp_path: Path) -> None:
    rows = [[7, 0.9, -5, -5, 90, 30]]
    layout = open_pp_doclayout(constant_layout(tmp_path / "L", rows), settings())
    (found,) = layout.find(np.zeros((100, 200, 3), np.uint8))
    assert box_of(found.polygon) == pytest.approx((0, 0, 200, 46.875))


@BOTH
def test_labels_may_stand_in_the_network(tmp_path: Path, runtime: str) -> None:
    rows = [[1, 0.9, 80, 80, 400, 400]]
    folder = constant_layout(
        tmp_path / "L", rows, labels=("text", "seal"), size=800, described=False, listed=True
    )
    (found,) = open_pp_doclayout(folder, settings(runtime)).find(
        np.zeros((800, 800, 3), np.uint8)
    )
    assert (found.label, found.kind) == ("seal", "seal")


@pytest.mark.parametrize(
    ("normal", "sureness"),
    [
        ("mean: [0.0, 0.0, 0.0], std: [1.0, 1.0, 1.0], norm_type: none", 204 / 255),
        ("mean: [0.3, 0.0, 0.0], std: [0.5, 1.0, 1.0], is_scale: true", 1.0),
        ("mean: [203.4, 0, 0], std: [1, 1, 1], is_scale: false", 0.6),
    ],
)
def test_the_picture_is_normalised_as_described(
    tmp_path: Path, normal: str, sureness: float
) -> None:
    layout = open_pp_doclayout(gray_layout(tmp_path / "L", normal=normal), settings())
    page = np.zeros((64, 64, 3), np.uint8)
    page[..., 2] = 204  # red comes first in the network
    (found,) = layout.find(page)
    assert found.confidence == pytest.approx(sureness, abs=1e-3)


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"no inference\.onnx"):
        open_pp_doclayout(tmp_path, settings())


def test_a_model_without_labels_is_refused(tmp_path: Path) -> None:
    folder = constant_layout(tmp_path / "L", [[0, 0.9, 0, 0, 9, 9]], described=False)
    with pytest.raises(ModelUnavailable, match="contains no labels"):
        open_pp_doclayout(folder, settings("onnxruntime"))
    with pytest.raises(ModelUnavailable, match="contains no labels"):
        open_pp_doclayout(folder, settings("openvino"))


@pytest.mark.parametrize(
    "text", ["", "[", "Preprocess: 5", "label_list: [text]\nPreprocess: []"]
)
def test_a_bad_description_is_refused(tmp_path: Path, text: str) -> None:
    folder = constant_layout(tmp_path / "L", [[0, 0.9, 0, 0, 9, 9]])
    (folder / "inference.yml").write_text(text)
    with pytest.raises(ModelUnavailable, match="does not describe a layout model"):
        open_pp_doclayout(folder, settings())


def test_a_network_of_another_kind_fails(tmp_path: Path) -> None:
    folder = constant_layout(tmp_path / "L", [[0, 0.9, 0, 0, 9, 9, 1, 2, 3]])
    layout = open_pp_doclayout(folder, settings())
    with pytest.raises(EngineFailed, match="no rows"):
        layout.find(np.zeros((64, 64, 3), np.uint8))


def test_an_unknown_runtime_is_refused() -> None:
    with pytest.raises(BadOption, match="openvino"):
        open_layout(settings("openvin"))


def test_a_runtime_that_is_not_installed_is_named() -> None:
    def missing() -> None:
        raise ImportError("no such module", name="openvino")

    with pytest.raises(RuntimeUnavailable, match="'auto' needs the package openvino"):
        runtimes.opened("auto", missing, lambda cuda: None)


def test_an_installation_without_the_weights_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "NAME", "absent")
    with pytest.raises(ModelUnavailable, match=r"lacks its absent\.onnx"):
        weights.bundled()
