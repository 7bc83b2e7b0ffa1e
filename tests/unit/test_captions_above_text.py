"""A caption in smaller type ends where the sentences of the text below it start."""

from __future__ import annotations

import pytest

from pagetide.document import Line
from pagetide.geometry import polygon_of
from pagetide.structure import structure

CAPTION = "Fig. 4. The harbour in the year of the flood, from the north."
TEXT = (
    "Nobody knew who had drawn the map, nor why it was in the box.",
    "It was found when the house was sold to the bank.",
)


@pytest.mark.parametrize(("height", "letter", "parts"), [(17.0, 8.6, 2), (20.0, 10.0, 1)])
def test_a_caption_ends_where_its_type_does(height: float, letter: float, parts: int) -> None:
    lines = [
        Line(
            text=text,
            polygon=polygon_of((100, top, 100 + wide * len(text), top + high)),
            source="text_layer",
        )
        for text, top, high, wide in (
            (CAPTION, 300, height, letter),
            (TEXT[0], 331, 20, 10),
            (TEXT[1], 362, 20, 10),
        )
    ]
    _, blocks = structure(lines, 1000, 1400)
    texts = "\n\n".join(block.text for block in blocks)
    assert (f"{CAPTION}\n\n{TEXT[0]}" in texts) is (parts == 2)
