"""Questionnaires: bold questions above check boxes, which may be side by side."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagetide.document import Block, Line
from pagetide.structure import structure
from tests.unit.tables_drawn import HEIGHT, WIDTH, prose, text

ASKED = ("How old are you?", "How often do you come?", "What do you read here?")
ANSWERS = ("young", "in between", "older", "not said", "every day")


def _question(place: int, y: float) -> Line:
    """A question's number, far from its bold words."""
    words = replace(text(ASKED[place], 140, y), bold=True)
    number = text(f"{place + 1}.", 100, y)
    told = f"{number.text} {words.text}"
    (x0, _), *_ = number.polygon
    polygon = tuple((min(x, x0) if x == 140 else x, at) for x, at in words.polygon)
    return replace(words, text=told, polygon=polygon, words=(*number.words, *words.words))


def _page(across: int) -> list[Line]:
    """Three questions, each with five answers, so many of them in a row."""
    lines, y = list[Line](), 240.0
    for place in range(len(ASKED)):
        lines.append(_question(place, y))
        for n, answer in enumerate(ANSWERS):
            row, column = divmod(n, across)
            lines.append(text(f"☐ {answer}", 140 + 170 * column, y + 34 * (row + 1)))
        y += 34 * (len(ANSWERS) // across + 2) + 20
    return lines


@pytest.mark.parametrize("across", [1, 2, 3, 5])
def test_a_question_is_apart_from_its_answers(across: int) -> None:
    blocks = structure([*prose(60), *_page(across), *prose(1200)], WIDTH, HEIGHT)[1]
    asked = [block for block in blocks if "?" in block.text]
    assert [block.text for block in asked] == [
        f"{n}. {each}" for n, each in enumerate(ASKED, 1)
    ]
    assert {block.kind for block in asked} == {"heading"}
    answers = "\n".join(each.text for each in blocks if _is_answer(each)).split()
    assert answers == " ".join(f"☐ {answer}" for answer in ANSWERS * len(ASKED)).split()


def _is_answer(block: Block) -> bool:
    return block.kind == "text" and block.text.startswith("☐")
