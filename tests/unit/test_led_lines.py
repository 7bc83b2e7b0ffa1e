"""Leaders of which a recogniser read only some dots, at the one line or the other."""

from itertools import chain, product
from typing import Literal

import pytest

from pagetide.document import Line, Word
from pagetide.geometry import box_of, polygon_of
from pagetide.layout.led_lines import with_leaders

Source = Literal["ocr", "text_layer"]
NAME, VALUE = ("Honey, 500 g", "7,25 €")


def _line(text: str, left: float, top: float, source: Source = "ocr") -> Line:
    """A line of words, ten pixels for each letter."""
    words, at = [], left
    for word in text.split():
        box = (at, top, at + 10 * len(word), top + 24)
        words.append(Word(text=word, polygon=polygon_of(box), confidence=0.9))
        at = box[2] + 10
    box = (left, top, at - 10, top + 24)
    return Line(text=text, polygon=polygon_of(box), words=tuple(words), source=source)


def _row(number: int, end: str, start: str, source: Source = "ocr") -> list[Line]:
    value = f"{start} {VALUE}".strip()
    name = _line(f"{NAME} {end}".strip(), 80, 40 * number, source)
    return [name, _line(value, 560 - 10 * len(value), 40 * number, source)]


def _texts(lines: list[Line]) -> list[str]:
    return [line.text for line in with_leaders(lines)]


@pytest.mark.parametrize(("end", "start"), [*product(("", "..", ".…."), ("", ".", "..."))])
def test_a_leader_reaches_from_the_name_to_the_value(end: str, start: str) -> None:
    read = [_row(0, "..", ""), _row(1, end, start), _row(2, "", ".."), _row(3, "....", ".")]
    lines = with_leaders(list(chain(*read)))
    for name, value in zip(lines[::2], lines[1::2], strict=True):
        assert value.text == VALUE and [word.text for word in value.words] == VALUE.split()
        assert name.text.startswith(f"{NAME} ....") and set(name.words[-1].text) == {"."}
        assert box_of(name.polygon)[2] == box_of(value.polygon)[0]


def test_two_rows_may_be_sentences_left_open() -> None:
    lines = [*_row(0, "...", ""), *_row(1, "...", "")]
    assert with_leaders(lines) == tuple(lines)


def test_a_file_s_own_text_stays() -> None:
    lines = list(chain(*(_row(n, "..", "..", "text_layer") for n in range(5))))
    assert with_leaders(lines) == tuple(lines)


def test_a_description_and_the_next_column_s_value_are_no_row() -> None:
    left = list(chain(*(_row(n, "..", "") for n in range(3))))
    note = _line("new", 100, 20)
    right = [_line(f"{NAME} ..", 700, 18), _line(f"... {VALUE}", 1080, 18)]
    texts = _texts([*left, note, *right])
    assert "new" in texts and sum(text.startswith(f"{NAME} ....") for text in texts) == 4
