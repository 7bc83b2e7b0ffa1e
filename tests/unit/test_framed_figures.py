"""A frame with short labels, above a figure's caption, is the figure."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagetide.document import Block, Line
from pagetide.layout import Drawn, Rule
from pagetide.structure import structure
from tests.unit.tables_drawn import HEIGHT, WIDTH, across, down, prose, text

LABELS = [("Station", 600, 330), ("Castle gate", 480, 300), ("Quay", 260, 420)]
SAID = [
    ("the boats that came in with the tide were unloaded", 220, 330 + 26 * n) for n in range(3)
]


def _frame(x0: float, y0: float, x1: float, y1: float) -> list[Rule]:
    return [across(y0, x0, x1), across(y1, x0, x1), down(x0, y0, y1), down(x1, y0, y1)]


def _blocks(labels: Sequence[tuple[str, float, float]], caption: str) -> list[Block]:
    inside: list[Line] = [text(*label) for label in labels]
    lines = [*prose(100), *inside, text(caption, 320, 530), *prose(600)]
    rules = [*_frame(200, 260, 800, 510), *_frame(580, 320, 720, 360), across(460, 240, 700)]
    _, blocks = structure(lines, WIDTH, HEIGHT, drawn=Drawn(rules=tuple(rules)))
    return list(blocks)


def test_a_frame_of_labels_above_a_figures_caption_is_a_figure() -> None:
    kinds = [block.kind for block in _blocks(LABELS, "Figure 1: A map of the quay")]
    assert kinds == ["text", "figure", "caption", "text"]


@pytest.mark.parametrize(
    ("labels", "caption"),
    [
        (LABELS, "The quay and the gate"),
        (SAID, "Figure 1: What was said"),
        (LABELS, "Table 1: A"),
    ],
)
def test_a_frame_of_text_or_without_a_figures_caption_is_none(
    labels: Sequence[tuple[str, float, float]], caption: str
) -> None:
    assert "figure" not in [block.kind for block in _blocks(labels, caption)]
