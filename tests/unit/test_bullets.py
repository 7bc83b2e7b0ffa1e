"""Bullets that no recogniser read."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from pagetide.document import Line, Word
from pagetide.engines.pixels.bullets import with_bullets
from pagetide.geometry import polygon_of, turned

Pixels = NDArray[np.uint8]

HEIGHT = 36  # of a line's box
LEFT = 120.0


def _page() -> Pixels:
    return np.full((400, 600), 245, np.uint8)


def _line(text: str, page: Pixels, top: float, left: float = LEFT) -> Line:
    """A line of blocks as wide as letters, drawn on the page."""
    words: list[Word] = []
    x = left + 5
    for said in text.split():
        for _ in said:
            page[int(top) + 10 : int(top) + 26, int(x) : int(x) + 9] = 20
            x += 12
        box = (x - 12 * len(said), top, x, top + HEIGHT)
        words.append(Word(text=said, polygon=polygon_of(box)))
        x += 10
    polygon = polygon_of((left, top, x, top + HEIGHT))
    return Line(text=text, polygon=polygon, words=tuple(words), confidence=0.9)


def _dot(page: Pixels, top: float, x: float, radius: int = 4) -> None:
    cv2.circle(page, (int(x), int(top) + HEIGHT // 2), radius, (20,), -1)


def _list(page: Pixels, *gaps: float) -> list[Line]:
    """Lines below each other, each with a dot so far before it."""
    lines = []
    for place, gap in enumerate(gaps):
        lines.append(_line("word after word", page, 40.0 + 50 * place))
        _dot(page, 40.0 + 50 * place, LEFT - gap)
    return lines


def test_dots_before_lines_are_their_bullets() -> None:
    page = _page()
    found = with_bullets(_list(page, 30, 30, 31), page)
    assert [line.text for line in found] == ["• word after word"] * 3
    assert [line.words[0].text for line in found] == ["•"] * 3
    assert all(line.polygon[0][0] < LEFT - 30 for line in found)


def test_a_dot_in_a_lines_box_is_its_bullet_too() -> None:
    page = _page()
    lines = []
    for top in (40.0, 90.0):
        line = _line("word after word", page, top, LEFT)
        wide = polygon_of((LEFT - 40, top, line.polygon[1][0], top + HEIGHT))
        _dot(page, top, LEFT - 25)
        lines.append(Line(text=line.text, polygon=wide, words=line.words))
    assert [line.text[0] for line in with_bullets(lines, page)] == ["•", "•"]


def test_dashes_are_bullets() -> None:
    page = _page()
    lines = [_line("word after word", page, top) for top in (40.0, 90.0)]
    for top in (40, 90):
        page[top + 18 : top + 20, 85:100] = 20
    assert [line.text for line in with_bullets(lines, page)] == ["– word after word"] * 2


def test_a_dash_that_was_read_by_itself_is_not_said_twice() -> None:
    page = _page()
    lines = [_line("word after word", page, top) for top in (40.0, 90.0)]
    for top in (40, 90):
        page[top + 18 : top + 20, 85:100] = 20
    dashes = [
        Line(text="-", polygon=polygon_of((78, top, 107, top + HEIGHT)))
        for top in (40, 90, 300)
    ]
    said = [line.text for line in with_bullets([*dashes, *lines], page)]
    assert said == ["-", "– word after word", "– word after word"]


def test_what_was_read_of_a_bullet_is_the_bullet() -> None:
    page = _page()
    lines = []
    for top in (40.0, 90.0):
        line = _line("word after word", page, top)
        dot = Word(text=":", polygon=polygon_of((LEFT - 40, top, LEFT - 20, top + HEIGHT)))
        _dot(page, top, LEFT - 30)
        polygon = polygon_of((LEFT - 40, top, line.polygon[1][0], top + HEIGHT))
        lines.append(Line(text=": word after word", polygon=polygon, words=(dot, *line.words)))
    found = with_bullets(lines, page)
    assert [line.text for line in found] == ["• word after word"] * 2
    assert [word.text for word in found[0].words] == ["•", "word", "after", "word"]


@pytest.mark.parametrize("gaps", [(30,), (30, 60)], ids=["one alone", "at different distances"])
def test_dots_that_nothing_is_like_are_dirt(gaps: tuple[float, ...]) -> None:
    page = _page()
    lines = _list(page, *gaps)
    assert with_bullets(lines, page) == tuple(lines)


def test_the_last_letters_of_a_column_are_no_bullets_of_the_next() -> None:
    page = _page()
    lines = []
    for top in (40.0, 90.0, 140.0):
        _line("oooo", page, top, 20)
        _dot(page, top, 88)
        lines.append(_line("word after word", page, top))
    assert with_bullets(lines, page) == tuple(lines)


@pytest.mark.parametrize("text", ["1. word", "• word", "a) word", "שלום עולם"])
def test_what_has_a_mark_or_runs_to_the_left_stays(text: str) -> None:
    page = _page()
    lines = [_line(text, page, top) for top in (40.0, 90.0)]
    for top in (40, 90):
        _dot(page, top, LEFT - 30)
    assert with_bullets(lines, page) == tuple(lines)


def test_lists_that_stand_askew_have_theirs() -> None:
    page = _page()
    lines = _list(page, 30, 30, 30)
    angle = 4.0
    matrix = cv2.getRotationMatrix2D((0, 0), -angle, 1)
    askew = np.asarray(
        cv2.warpAffine(page, matrix, (600, 400), borderValue=(245, 245, 245)), np.uint8
    )
    moved = [
        Line(text=line.text, polygon=turned(line.polygon, np.radians(angle))) for line in lines
    ]
    assert [line.text[0] for line in with_bullets(moved, askew)] == ["•"] * 3


def test_a_line_as_high_as_a_page_is_looked_at_in_small() -> None:
    page = cv2.resize(_page(), (6000, 4000))
    lines = []
    for top in (100, 2100):
        page[top + 600 : top + 1400, 2600:3300] = 20
        page[top + 600 : top + 1400, 3500:4200] = 20
        cv2.circle(page, (1600, top + 1000), 200, (20,), -1)
        box = (2400.0, top, 4300.0, top + 1800.0)
        lines.append(Line(text="Ah", polygon=polygon_of((*box[:2], 6000.0, box[3]))))
    assert [line.text for line in with_bullets(lines, page)] == ["• Ah", "• Ah"]


def test_bullets_of_a_picture_that_is_longer_than_opencv_takes() -> None:
    page = np.full((33_000, 400), 245, np.uint8)
    lines = []
    for top in (32_500, 32_600):
        lines.append(_line("word word", page, top))
        _dot(page, top, LEFT - 30)
    assert [line.text for line in with_bullets(lines, page)] == ["• word word"] * 2


def test_a_line_beyond_the_pictures_edge_has_none() -> None:
    page = _page()
    lines = [_line("word word", page, top) for top in (40.0, 90.0)]
    away = [
        Line(text=line.text, polygon=polygon_of((-500, -200, -100, -150))) for line in lines
    ]
    assert with_bullets(away, page) == tuple(away)
