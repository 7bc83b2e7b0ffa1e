"""Letters in the boxes of a comb are the words that they spell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import Line, TextStyle, Word
from pagetide.geometry import box_of, polygon_of
from pagetide.layout import Rule
from pagetide.layout.combs import with_combs

PITCH, HIGH, SIZE = 28.0, 30.0, 22.0
LEFT, TOP = 70.0, 100.0


def _comb(boxes: int, top: float = TOP, left: float = LEFT) -> list[Rule]:
    places = [left + PITCH * n for n in range(boxes + 1)]
    return [Rule(start=(x, top), end=(x, top + HIGH)) for x in places]


def _line(text: str, top: float = TOP, pitch: float = PITCH, wide: float = 12) -> Line:
    """A letter in each box; none where the text has a space."""
    words = [
        Word(text=letter, polygon=polygon_of((x, top + 4, x + wide, top + 4 + SIZE)))
        for x, letter in zip(
            (LEFT + 8 + pitch * n for n in range(len(text))), text, strict=True
        )
        if letter != " "
    ]
    x0, y0, _, _ = box_of(words[0].polygon)
    _, _, x1, y1 = box_of(words[-1].polygon)
    said = " ".join(word.text for word in words)
    return Line(text=said, polygon=polygon_of((x0, y0, x1, y1)), words=tuple(words))


@pytest.mark.parametrize("text", ["173904526", "4381 KB", "GT-482-P"])
def test_letters_in_boxes_are_words(text: str) -> None:
    [line] = with_combs([_line(text)], _comb(len(text)))
    assert line.text == text
    assert [word.text for word in line.words] == text.split()


def test_letters_of_two_lines_may_be_in_one_comb() -> None:
    whole = _line("4381 KB")
    lines = [
        Line(text="4 3 8 1", polygon=whole.polygon, words=whole.words[:4]),
        Line(text="K B", polygon=whole.polygon, words=whole.words[4:]),
    ]
    assert [line.text for line in with_combs(lines, _comb(7))] == ["4381", "KB"]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("173904526", []),
        ("123456789", _comb(9)),
        ("17", _comb(9)),
        ("173", _comb(3)),
        ("173904526", _comb(9, top=300)),
    ],
    ids=["no boxes", "a scale", "two letters", "a few boxes", "boxes elsewhere"],
)
def test_other_letters_stay_as_they_are(text: str, rules: list[Rule]) -> None:
    assert with_combs([_line(text)], rules) == (_line(text),)


def test_words_in_boxes_stay_as_they_are() -> None:
    words = tuple(
        Word(text=text, polygon=polygon_of((x, 104, x + 16, 126)))
        for x, text in ((78, "10"), (106, "3"), (134, "12"), (162, "4"))
    )
    line = Line(text="10 3 12 4", polygon=polygon_of((78, 104, 178, 126)), words=words)
    assert with_combs([line], _comb(4)) == (line,)


def test_styles_of_other_words_stay_with_them() -> None:
    spelled = _line("4381")
    name = Word(text="Code", polygon=polygon_of((10, 104, 60, 126)))
    line = Line(
        text=f"Code {spelled.text}",
        polygon=spelled.polygon,
        words=(name, *spelled.words),
        styles=(TextStyle(kind="bold", start=0, end=4),),
    )
    [found] = with_combs([line], _comb(4))
    assert (found.text, found.styles) == ("Code 4381", line.styles)


@given(st.text("AB7K9-3 ", min_size=4, max_size=20).filter(lambda text: text.strip()))
def test_no_letter_is_lost(text: str) -> None:
    [line] = with_combs([_line(text)], _comb(len(text)))
    assert line.text.replace(" ", "") == text.replace(" ", "")
    assert line.text == " ".join(word.text for word in line.words)
