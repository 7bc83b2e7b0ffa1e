"""Options with check boxes before them: each is a paragraph, with the rows it goes on in."""

from __future__ import annotations

import pytest

from tests.set_rows import blocks_of

LEFT, BESIDE = 100.0, 130.0


@pytest.mark.parametrize("box", ["☐", "☑", "☒"])
def test_a_check_box_starts_a_paragraph(box: str) -> None:
    said = f"{box} I agree that the boats may go out with the tide of the morning"
    found = blocks_of([(LEFT, said)] * 3)
    assert found == [("text", said)] * 3


def test_a_row_set_in_below_an_option_is_of_it() -> None:
    options = [
        "☒ I allow the harbour board to take what is due to it\neach year from this account",
        "☐ I would rather have a bill sent to me by the post\n(at a cost of three pounds)",
    ]
    text = "what is written here goes on until it is taken back by the one"
    rows = [(LEFT, f"{text} {n}") for n in range(4)]
    for option in options:
        first, second = option.split("\n")
        rows += [(LEFT, first), (BESIDE, second)]
    found = [text for _, text in blocks_of([*rows, *rows[:4]])]
    assert [text for text in found if text[0] in "☐☑☒"] == options
