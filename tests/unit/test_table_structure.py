"""Table models of the SLANet family: tokens to grids, and a stub network end to end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from pagetide.document import Cell, Table
from pagetide.engines.table_structure import open_table_structure
from pagetide.engines.table_structure.description import END, START, Description, described
from pagetide.engines.table_structure.grid import Token, table_of
from pagetide.engines.table_structure.slanet import SlaNet
from pagetide.errors import EngineFailed, ModelUnavailable
from pagetide.geometry import box_of, polygon_of
from pagetide.settings import Settings

LISTED = (
    "<thead>", "</thead>", "<tbody>", "</tbody>", "<tr>", "</tr>", "<td>", "<td", ">", "</td>",
    ' colspan="2"', ' colspan="3"', ' rowspan="2"', ' rowspan="3"', ' rowspan="20"',
)  # fmt: skip
TOKENS = (START, *[text for text in LISTED if text != "<td>"], "<td></td>", END)
CELL = "<td></td>"


def wide(columns: int = 1, rows: int = 1) -> list[str]:
    """The tokens of a cell with spans."""
    spans = [f' colspan="{columns}"'] if columns > 1 else []
    spans += [f' rowspan="{rows}"'] if rows > 1 else []
    return ["<td", *spans, ">", "</td>"]


HTML = [
    "<thead>", "<tr>", *wide(rows=2), *wide(columns=2), "</tr>", "<tr>", CELL, CELL, "</tr>",
    "</thead>", "<tbody>", "<tr>", CELL, CELL, CELL, "</tr>", "</tbody>",
]  # fmt: skip
PLACES = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]


def grid(tokens: list[str]) -> Table:
    return table_of([Token(text=text) for text in tokens])


class TestGrid:
    def test_spans_push_cells_aside(self) -> None:
        table = grid(HTML)
        assert (table.rows, table.columns) == (3, 3)
        assert [(cell.row, cell.column) for cell in table.cells] == PLACES
        assert [(cell.row_span, cell.column_span) for cell in table.cells[:3]] == [
            (2, 1),
            (1, 2),
            (1, 1),
        ]
        assert [cell.header for cell in table.cells] == [True] * 4 + [False] * 3

    def test_a_span_ends_with_the_table(self) -> None:
        table = grid(["<tr>", *wide(rows=20), CELL, "</tr>", "<tr>", CELL, "</tr>"])
        assert table.rows == 2
        assert table.cells[0].row_span == 2

    def test_a_span_ends_where_another_cell_stands(self) -> None:
        table = grid(["<tr>", CELL, *wide(rows=2), "</tr>", "<tr>", *wide(columns=3), "</tr>"])
        assert table.cells[2].column_span == 1
        assert table.columns == 2

    def test_nothing_is_a_table_of_nothing(self) -> None:
        assert grid([]) == grid(["<tr>", "</tr>"]) == Table(rows=0, columns=0, cells=())

    def test_cells_without_a_row_are_in_the_first(self) -> None:
        assert grid([CELL, CELL]).cells == (Cell(row=0, column=0), Cell(row=0, column=1))

    @given(st.lists(st.sampled_from([*LISTED, CELL, "<junk>"]), max_size=80))
    def test_whatever_is_written_cells_do_not_overlap(self, tokens: list[str]) -> None:
        table = grid(tokens)
        taken = [
            (cell.row + down, cell.column + right)
            for cell in table.cells
            for down in range(cell.row_span)
            for right in range(cell.column_span)
        ]
        assert len(taken) == len(set(taken))
        assert all(row < table.rows and column < table.columns for row, column in taken)
        assert len(table.cells) == sum(token.startswith("<td") for token in tokens)


def stub(
    folder: Path,
    tokens: list[str],
    boxes: Mapping[int, tuple[float, ...]],
    *,
    corners: int = 8,
    boxes_first: bool = True,
    metadata: bool = True,
    listed: tuple[str, ...] = TOKENS,
) -> Path:
    """A folder with a network that says the same of every picture.

    Args:
        folder: Whose name is the model's.
        tokens: What it writes; then it ends.
        boxes: The numbers it gives at a step, zeros elsewhere.
        corners: How many numbers.
        boxes_first: The order of its outputs.
        metadata: Whether it carries its tokens.
        listed: Its classes.
    """
    written = [*tokens, END, CELL]
    chances = np.zeros((1, len(written), len(listed)), np.float32)
    places = np.zeros((1, len(written), corners), np.float32)
    for step, text in enumerate(written):
        chances[0, step, listed.index(text)] = 0.75
        places[0, step] = boxes.get(step, (0.0,) * corners)
    nodes = [
        helper.make_node("ReduceMean", ["x"], ["mean"], keepdims=0),
        helper.make_node("Mul", ["mean", "zero"], ["nothing"]),
    ]
    outputs, constants = [], [numpy_helper.from_array(np.float32(0), "zero")]
    both = [("places", places), ("chances", chances)]
    for name, array in both if boxes_first else both[::-1]:
        constants.append(numpy_helper.from_array(array, f"{name}_told"))
        nodes.append(helper.make_node("Add", [f"{name}_told", "nothing"], [name]))
        outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape))
    given_shape = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, None, None])
    graph = helper.make_graph(nodes, "stub", [given_shape], outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    if metadata:
        helper.set_model_props(model, {"character": "\n".join(LISTED)})
    folder.mkdir(parents=True)
    onnx.save(model, folder / "inference.onnx")
    return folder


def settings(runtime: str) -> Settings:
    return Settings(runtime=runtime, cache_dir="off", threads=1)


def picture(width: int, height: int) -> NDArray[np.uint8]:
    return np.full((height, width, 3), 255, np.uint8)


ROW = ["<tr>", CELL, CELL, "</tr>"]


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
class TestNetwork:
    def test_cells_stand_in_the_pictures_pixels(self, tmp_path: Path, runtime: str) -> None:
        # In shares of the padded square: 400 × 200 becomes 488 × 244, half of it is padding.
        boxes = {1: (0, 0, 0.5, 0, 0.5, 0.5, 0, 0.5), 2: (0.5, 0, 1, 0, 1, 0.5, 0.5, 0.5)}
        folder = stub(tmp_path / "SLANet_plus_onnx", ROW, boxes)
        model = open_table_structure(folder, settings(runtime))
        table = model.cells(picture(400, 200))
        assert (table.rows, table.columns) == (1, 2)
        polygons = [cell.polygon for cell in table.cells]
        assert polygons == [polygon_of((0, 0, 200, 200)), polygon_of((200, 0, 400, 200))]
        assert [cell.confidence for cell in table.cells] == [0.75, 0.75]
        assert model.name == "SLANet_plus"
        assert model.runtime.startswith(runtime)
        assert len(model.sha256) == 64

    def test_the_first_of_the_family_means_the_picture_itself(
        self, tmp_path: Path, runtime: str
    ) -> None:
        boxes = {1: (0.0, 0.0, 0.5, 1.0), 2: (0.5, 0.0, 1.0, 1.5)}
        folder = stub(tmp_path / "SLANet_en", ROW, boxes, corners=4, boxes_first=False)
        table = open_table_structure(folder, settings(runtime)).cells(picture(400, 200))
        polygons = [cell.polygon for cell in table.cells]
        assert polygons == [polygon_of((0, 0, 200, 200)), polygon_of((200, 0, 400, 200))]

    def test_a_cell_without_a_place_has_no_polygon(self, tmp_path: Path, runtime: str) -> None:
        folder = stub(tmp_path / "SLANet", ROW, {1: (0, 0, 1, 0, 1, 1, 0, 1)})
        first, second = (
            open_table_structure(folder, settings(runtime)).cells(picture(90, 300)).cells
        )
        assert first.polygon is not None
        assert box_of(first.polygon) == (0, 0, 90, 300)
        assert second.polygon is None

    def test_spans_and_heads(self, tmp_path: Path, runtime: str) -> None:
        folder = stub(tmp_path / "SLANet_plus", HTML, {})
        table = open_table_structure(folder, settings(runtime)).cells(picture(50, 50))
        assert [(cell.row, cell.column) for cell in table.cells] == PLACES

    def test_no_tokens_no_cells(self, tmp_path: Path, runtime: str) -> None:
        # The first token may be the end's without ending anything; the second may not.
        folder = stub(tmp_path / "SLANet_plus", [END], {})
        model = open_table_structure(folder, settings(runtime))
        assert model.cells(picture(50, 50)) == Table(rows=0, columns=0, cells=())
        assert model.cells(picture(0, 50)) == Table(rows=0, columns=0, cells=())

    def test_another_network_is_told(self, tmp_path: Path, runtime: str) -> None:
        folder = stub(tmp_path / "SLANet_plus", ROW, {}, listed=(*TOKENS, "more"))
        model = open_table_structure(folder, settings(runtime))
        with pytest.raises(EngineFailed, match="SLANet_plus does not match"):
            model.cells(picture(50, 50))


YML = """\
Global:
  model_name: SLANet
PreProcess:
  transform_ops:
  - DecodeImage: {img_mode: BGR}
  - TableLabelEncode: {merge_no_span_structure: true}
  - ResizeTableImage: {max_len: 512}
  - NormalizeImage: {mean: [0.5, 0.4, 0.3], std: [0.2, 0.2, 0.1], scale: 1/255}
  - PaddingTableImage: {size: [512, 512]}
  - ToCHWImage:
PostProcess:
  name: TableLabelDecode
  character_dict: ["<tr>", "<td>", "<td", ">"]
"""


class TestDescription:
    def test_the_file_beside_the_network(self, tmp_path: Path) -> None:
        (tmp_path / "inference.yml").write_text(YML)
        assert described(tmp_path, lambda: "not this") == Description(
            name="SLANet",
            tokens=(START, "<tr>", "<td", ">", CELL, END),
            side=512,
            mean=(0.5, 0.4, 0.3),
            deviation=(0.2, 0.2, 0.1),
            is_padded=False,
        )

    @pytest.mark.parametrize("text", ["", "a: [", "PreProcess: 3", "- 1", "Global: 4"])
    def test_another_file_is_told(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "inference.yml").write_text(text)
        with pytest.raises(ModelUnavailable, match=r"inference\.yml does not describe a table"):
            described(tmp_path, lambda: None)

    def test_no_tokens_at_all(self, tmp_path: Path) -> None:
        folder = stub(tmp_path / "SLANet", ROW, {}, metadata=False)
        with pytest.raises(ModelUnavailable, match="contains no tokens"):
            open_table_structure(folder, settings("onnxruntime"))

    def test_no_network(self, tmp_path: Path) -> None:
        with pytest.raises(ModelUnavailable, match=r"no inference\.onnx"):
            open_table_structure(tmp_path, settings("onnxruntime"))


def test_the_picture_fills_the_square_from_its_top_left() -> None:
    given_pictures: list[NDArray[np.float32]] = []

    class Recording:
        name = "recording"

        def listing(self) -> str | None:
            return None

        def run(self, given: dict[str, NDArray[np.float32]]) -> list[NDArray[np.float32]]:
            given_pictures.append(given["whatever"])
            return [np.zeros((1, 2, len(TOKENS)), np.float32)]

    model = SlaNet(Recording(), "", Description(name="SLANet_plus", tokens=TOKENS))  # type: ignore[arg-type]
    model.cells(picture(100, 50))
    (square,) = given_pictures
    assert square.shape == (1, 3, 488, 488)
    white = (1 - np.array([0.485, 0.456, 0.406])) / np.array([0.229, 0.224, 0.225])
    assert square[0, :, :244].mean(axis=(1, 2)) == pytest.approx(white, abs=1e-4)
    assert not square[0, :, 244:].any()
