"""What the network says nothing of: ink without letters, gaps without spaces, lines too low."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pagetide.engines.ppocr import detection
from pagetide.engines.ppocr.lines import orientation, unread
from pagetide.engines.ppocr.lines.decode import ReadLine, decode
from pagetide.engines.ppocr.lines.gaps import may_part

CHARACTERS = ("", *"abcdeTAXINVOE.(漢12", " ")


def _crop(blocks: list[tuple[int, int]], width: int) -> NDArray[np.uint8]:
    """A line with black letters from column to column."""
    crop = np.full((48, width, 3), 255, np.uint8)
    for start, end in blocks:
        crop[8:40, start:end] = 0
    return crop


def _read(text: str, gaps: dict[int, int] | None = None, letter: int = 20) -> ReadLine:
    """Letters 20 pixels wide, 2 apart but where a gap is given; the network gives no space."""
    at, blocks, classes = 4, [], dict[int, int]()
    for place, each in enumerate(text):
        at += (gaps or {}).get(place, 2)
        blocks.append((at, at + letter))
        classes[(at + letter // 2) // 8] = CHARACTERS.index(each)
        at += letter
    crop = _crop(blocks, at + 8)
    frames = -(-crop.shape[1] // 8)
    found = np.array([classes.get(frame, 0) for frame in range(frames)])
    return decode(found, np.full(frames, 0.9, np.float32), CHARACTERS, crop)


class TestGaps:
    def test_a_wide_gap_is_a_space(self) -> None:
        line = _read("TAXINVOICE".replace("C", "E"), {3: 18})
        assert line.text == "TAX INVOIEE"
        assert [word.text for word in line.words] == ["TAX", "INVOIEE"]

    def test_letters_that_are_all_far_apart_are_one_word(self) -> None:
        assert _read("abcde", dict.fromkeys(range(5), 18)).text == "abcde"

    def test_no_space_comes_before_a_full_stop_or_within_a_number(self) -> None:
        assert _read("abcd.", {4: 18}).text == "abcd."
        assert _read("a1212", {3: 18}).text == "a1212"

    def test_chinese_has_no_spaces(self) -> None:
        assert _read("ab漢漢漢", {3: 18}).text == "ab漢漢漢"

    @pytest.mark.parametrize("pair", ["ab", "a(", ")b", "1a", ".T", "жш", "a&"])
    def test_what_a_gap_may_part(self, pair: str) -> None:
        assert may_part(*pair)

    @pytest.mark.parametrize("pair", ["a.", "a,", "(a", "12", "漢字", "لا", "'a", "a-", ".b"])
    def test_what_no_gap_parts(self, pair: str) -> None:
        assert not may_part(*pair)

    @given(
        st.text("abcdeTAX.(漢12", min_size=1, max_size=12),
        st.dictionaries(st.integers(0, 11), st.integers(0, 60)),
    )
    def test_letters_stay_as_they_are(self, text: str, gaps: dict[int, int]) -> None:
        line = _read(text, gaps)
        assert line.text.replace(" ", "") == text
        assert "".join(word.text for word in line.words) == text
        assert "  " not in line.text and line.text == line.text.strip()


class TestUnread:
    def test_ink_without_letters_is_unread(self) -> None:
        crop = _crop([(at, at + 20) for at in range(0, 400, 24)], 400)
        classes = np.zeros(50, int)
        confidences = np.full(50, 0.9, np.float32)
        assert decode(classes, confidences, CHARACTERS, crop).unread == 1.0
        classes[2] = 1
        assert 0.8 < decode(classes, confidences, CHARACTERS, crop).unread < 1.0

    def test_read_letters_leave_nothing_however_far_apart(self) -> None:
        assert _read("abcde").unread == 0.0
        assert _read("abcde", dict.fromkeys(range(5), 60)).unread == 0.0

    def test_rules_and_leaders_are_no_letters(self) -> None:
        line = _crop([(4, 24)], 400)
        line[36:39, 30:390] = 0
        classes = np.zeros(50, int)
        classes[1] = 1
        assert decode(classes, np.full(50, 0.9, np.float32), CHARACTERS, line).unread == 0.0

    def test_a_page_is_unread_by_the_length_of_its_lines(self) -> None:
        read, lost = ReadLine(text="a", confidence=0.9), ReadLine(unread=1.0)
        assert unread.is_unread([(20.0, read), (20.0, lost)])
        assert not unread.is_unread([(200.0, read), (20.0, lost)])
        assert not unread.is_unread([(0.6, lost)])
        assert not unread.is_unread([])

    def test_on_such_a_page_only_what_is_sure_is_kept(self) -> None:
        number = ReadLine(text="12.50", confidence=0.95)
        assert unread.is_kept(9.0, number, page_is_unread=True)
        assert not unread.is_kept(9.0, replace(number, confidence=0.7), page_is_unread=True)
        soup = replace(number, unread=0.3)
        assert not unread.is_kept(9.0, soup, page_is_unread=True)
        assert unread.is_kept(9.0, soup, page_is_unread=False)
        assert not unread.is_kept(9.0, replace(number, unread=0.6), page_is_unread=False)

    def test_a_line_full_of_letters_is_read_whatever_is_behind_it(self) -> None:
        shaded = ReadLine(text="half of it is shaded", confidence=0.95, unread=0.8)
        assert unread.is_kept(9.0, shaded, page_is_unread=False)
        assert not unread.is_unread([(9.0, shaded)])

    def test_nonsense_does_not_turn_a_page(self) -> None:
        straight = [ReadLine(text="ab", confidence=0.6)]
        turned = [ReadLine(text="ab", confidence=0.9)]
        assert orientation.reads_better_turned(straight, turned)
        nonsense = [replace(turned[0], unread=0.5)]
        assert not orientation.reads_better_turned(straight, nonsense)


def _lines(height: float, count: int = 40) -> NDArray[np.float32]:
    return np.array(
        [
            [(0, y), (400, y), (400, y + height), (0, y + height)]
            for y in np.arange(count) * 2 * height
        ],
        np.float32,
    )


class TestLowLines:
    def test_the_lower_quarter_by_length_tells(self) -> None:
        assert detection.low_line(_lines(20.0)) == 20.0
        assert detection.low_line(np.concatenate([_lines(8.0, 2), _lines(20.0, 38)])) == 20.0
        assert detection.low_line(np.concatenate([_lines(8.0, 20), _lines(20.0, 20)])) == 8.0
        assert detection.low_line(np.empty((0, 4, 2), np.float32)) == 0.0

    def test_text_that_stands_high_enough_is_searched_once(self) -> None:
        assert detection.closer_side(40.0, 3200, 1600) is None
        assert detection.closer_side(10.0, 1500, 1600) is None  # the picture has no more
        assert detection.closer_side(0.0, 3200, 1600) is None

    @given(st.floats(0.5, 60), st.integers(200, 20_000), st.integers(320, 4000))
    def test_a_closer_look_is_closer_and_has_limits(
        self, line: float, own: int, side: int
    ) -> None:
        closer = detection.closer_side(line, own, side)
        if closer is not None:
            assert side < closer <= min(own, detection.MOST_CLOSER * side)
            assert line * closer / own <= detection.HIGH_LINE + 1
