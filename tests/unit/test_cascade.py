"""The cascade: which letters are sure, what is read again, and how it is put back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pagetide.engine import Engine, PageImage, PageReading
from pagetide.engines.ppocr import cascade, first_stage, open_engine
from pagetide.engines.ppocr.first_stage.letters import UNKNOWN, alike, collapsed
from pagetide.engines.ppocr.lines.crops import Crop
from pagetide.engines.ppocr.lines.decode import ReadLine, ReadWord
from pagetide.engines.ppocr.page import PageSteps
from pagetide.engines.structure_lite import LiteOptions
from pagetide.errors import BadOption
from pagetide.languages import find
from pagetide.settings import Settings
from tests.drawing import page_of

LETTERS = ("", " ", "a", "b", "c", "'", "’", UNKNOWN)
BLANK, SPACE, A, B, C, STRAIGHT, CURLY, FOREIGN = range(len(LETTERS))
SAME = alike(LETTERS)


def tell(*frames: dict[int, float]) -> tuple[list[int], list[float]]:
    """What is made of frames that give each class a probability, the rest to the blank."""
    blank = [1 - sum(frame.values()) for frame in frames]
    pairs = [sorted(frame.items(), key=lambda pair: -pair[1])[:2] for frame in frames]
    full = [pair + [(C, 0.0)] * (2 - len(pair)) for pair in pairs]
    classes = np.array([[number for number, _ in pair] for pair in full], np.int32)
    shares = np.array([[share for _, share in pair] for pair in full], np.float32)
    line, sure = collapsed(np.array(blank, np.float32), classes, shares, SAME, FOREIGN)
    return line.tolist(), [round(float(one), 3) for one in sure]


class TestSure:
    def test_a_letter_that_two_frames_share_is_sure(self) -> None:
        line, sure = tell({}, {A: 0.55}, {A: 0.44}, {})
        assert line == [BLANK, A, BLANK, BLANK]
        assert sure[1] == pytest.approx(0.99)

    def test_a_letter_that_may_be_another_is_not(self) -> None:
        _, sure = tell({}, {A: 0.6, B: 0.35}, {})
        assert sure[1] < 0.65

    def test_the_neighbour_that_it_touches_is_no_rival(self) -> None:
        line, sure = tell({A: 0.9}, {A: 0.6, B: 0.38}, {B: 0.95})
        assert [line[0], line[2]] == [A, B]
        assert sure[0] > 0.95 and sure[2] > 0.95

    def test_one_sign_with_two_codes_is_no_doubt(self) -> None:
        _, sure = tell({}, {STRAIGHT: 0.52, CURLY: 0.47}, {STRAIGHT: 0.5, CURLY: 0.45}, {})
        assert sure[1] > 0.9

    def test_two_codes_in_one_frame_are_as_sure_as_one(self) -> None:
        line, sure = tell({}, {STRAIGHT: 0.55, CURLY: 0.42}, {})
        assert line == [BLANK, STRAIGHT, BLANK]
        assert sure[1] == pytest.approx(0.97)

    def test_a_sign_that_the_network_does_not_know_is_never_sure(self) -> None:
        _, sure = tell({}, {FOREIGN: 0.99}, {})
        assert sure[1] == 0

    def test_a_letter_that_may_have_been_missed_is_a_doubt_beside_it(self) -> None:
        _, sure = tell({A: 1.0}, {}, {}, {B: 0.4}, {}, {}, {C: 1.0})
        assert min(sure[0], sure[6]) == pytest.approx(0.6)

    def test_where_it_is_doubtful_that_words_part_both_are(self) -> None:
        _, sure = tell({A: 1.0}, {}, {SPACE: 0.6}, {}, {B: 1.0})
        assert sure[0] == sure[4] == pytest.approx(0.6)

    def test_no_letters(self) -> None:
        assert tell({}, {}) == ([BLANK, BLANK], [0.0, 0.0])

    @given(
        st.lists(
            st.dictionaries(st.integers(1, 7), st.floats(0.01, 0.45), max_size=2), min_size=1
        )
    )
    def test_what_is_sure_is_a_share(self, frames: list[dict[int, float]]) -> None:
        line, sure = tell(*frames)
        assert len(line) == len(sure) == len(frames)
        assert all(0 <= one <= 1 for one in sure)


def line_of(*words: tuple[str, float], unread: float = 0.0) -> ReadLine:
    """Words of equal width side by side, each with how sure it is."""
    share = 1 / len(words)
    placed = tuple(
        ReadWord(
            text=text,
            confidence=sure,
            least=sure,
            start=(i + 0.1) * share,
            end=(i + 0.9) * share,
        )
        for i, (text, sure) in enumerate(words)
    )
    text = " ".join(word.text for word in placed)
    return ReadLine(text=text, confidence=0.9, words=placed, unread=unread)


def crop_of(width: int) -> Crop:
    return np.zeros((48, width, 3), np.uint8)


class TestReadAgain:
    def test_nothing_of_a_line_that_is_sure(self) -> None:
        assert cascade.doubtful(line_of(("a", 0.99), ("b", 0.95)), crop_of(400)) == []

    def test_the_doubtful_word_between_its_gaps(self) -> None:
        line = line_of(("a", 0.99), ("b", 0.5), ("c", 0.99), ("d", 0.99))
        (part,) = cascade.doubtful(line, crop_of(2400))
        assert (part.first, part.past, part.left, part.right) == (1, 2, 600, 1200)

    def test_a_narrow_one_with_its_neighbours(self) -> None:
        line = line_of(*((f"w{i}", 0.5 if i == 5 else 0.99) for i in range(10)))
        (part,) = cascade.doubtful(line, crop_of(1800))
        assert (part.first, part.past) == (4, 7)
        assert part.right - part.left >= cascade.LEAST

    def test_the_whole_line_where_most_of_it_is_in_doubt(self) -> None:
        line = line_of(("a", 0.5), ("b", 0.5), ("c", 0.99))
        (part,) = cascade.doubtful(line, crop_of(900))
        assert (part.left, part.right) == (0, 900)

    def test_the_whole_line_where_it_holds_an_unknown_sign(self) -> None:
        line = line_of(("a", 0.99), ("b", 0.99), (UNKNOWN, 0.99), ("c", 0.99), ("d", 0.99))
        (part,) = cascade.doubtful(line, crop_of(2000))
        assert (part.left, part.right) == (0, 2000)

    @pytest.mark.parametrize("text", ["γ", "∈", "∥"])
    def test_nothing_where_a_formula_is_sure(self, text: str) -> None:
        line = line_of(("a", 0.99), (text, 0.99), ("b", 0.99))
        assert cascade.doubtful(line, crop_of(2000)) == []

    def test_the_whole_line_where_ink_was_overlooked(self) -> None:
        (part,) = cascade.doubtful(line_of(("a", 0.99), unread=0.1), crop_of(300))
        assert (part.left, part.right) == (0, 300)

    @given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(20, 4000))
    def test_parts_are_in_order_and_hold_every_doubtful_word(
        self, sure: list[float], width: int
    ) -> None:
        line = line_of(*((f"w{i}", one) for i, one in enumerate(sure)))
        parts = cascade.doubtful(line, crop_of(width))
        edges = [edge for part in parts for edge in (part.left, part.right)]
        assert edges == sorted(edges) and all(0 <= edge <= width for edge in edges)
        inside = {i for part in parts for i in range(part.first, part.past)}
        assert inside >= {i for i, one in enumerate(sure) if one <= cascade.SURE}

    @given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(100, 4000))
    def test_every_word_is_said_once(self, sure: list[float], width: int) -> None:
        """What is sure stays, what is read again is what the better network says."""
        line = line_of(*((f"w{i}", one) for i, one in enumerate(sure)))
        parts = cascade.doubtful(line, crop_of(width))
        again = [
            line_of(*((word.text.upper(), 0.8) for word in line.words[part.first : part.past]))
            for part in parts
        ]
        joined = cascade.joined(line, parts, again, width)
        assert [word.text.lower() for word in joined.words] == [w.text for w in line.words]
        assert joined.text == " ".join(word.text for word in joined.words)
        assert all(
            word.text.isupper()
            for word, one in zip(joined.words, sure, strict=True)
            if one <= cascade.SURE
        )

    def test_what_writes_no_spaces_gets_none(self) -> None:
        line = line_of(("a", 0.99), ("tA", 0.5), ("c", 0.99), ("d", 0.99))
        parts = cascade.doubtful(line, crop_of(2400))
        again = replace(line_of(("七", 0.9), ("月", 0.9)), text="七月")
        joined = cascade.joined(line, parts, [again], 2400)
        assert joined.text == "a 七月 c d"
        assert [word.text for word in joined.words] == ["a", "七", "月", "c", "d"]


class TestSteps:
    def test_a_page_without_lines_asks_nobody(self) -> None:
        def steps() -> PageSteps:
            return PageReading(lines=())
            yield

        with pytest.raises(StopIteration) as end:
            next(cascade.staged(steps(), first=fails, better=fails))
        assert end.value.value == PageReading(lines=())

    def test_only_what_is_in_doubt_goes_to_the_better_network(self) -> None:
        line = line_of(("a", 0.99), ("b", 0.5), ("c", 0.99), ("d", 0.99))

        def steps() -> PageSteps:
            self.read = yield [crop_of(2400), crop_of(600)]
            return PageReading(lines=())

        asking = cascade.staged(steps(), first=fails, better=sure_of_all)
        assert [crop.shape[1] for crop in next(asking).crops] == [2400, 600]
        again = asking.send([line, replace(line, words=line.words[:1], text="a")])
        assert again.read is sure_of_all
        assert [crop.shape[1] for crop in again.crops] == [600]
        with pytest.raises(StopIteration):
            asking.send(sure_of_all(again.crops))
        assert [one.text for one in self.read] == ["a B c d", "a"]

    def test_where_a_part_alone_leaves_ink_unread_the_whole_line_is_read(self) -> None:
        line = line_of(("a", 0.99), ("b", 0.5), ("c", 0.99), ("d", 0.99))

        def steps() -> PageSteps:
            self.read = yield [crop_of(2400)]
            return PageReading(lines=())

        asking = cascade.staged(steps(), first=fails, better=sure_of_all)
        next(asking)
        asking.send([line])
        again = asking.send([line_of(("", 0.9), unread=0.4)])
        assert [crop.shape[1] for crop in again.crops] == [2400]
        with pytest.raises(StopIteration):
            asking.send([line_of(("all", 0.9), ("of", 0.9), ("it", 0.9))])
        assert [one.text for one in self.read] == ["all of it"]


def fails(crops: Sequence[Crop]) -> list[ReadLine]:
    raise AssertionError("nobody was to be asked")


def sure_of_all(crops: Sequence[Crop]) -> list[ReadLine]:
    return [line_of(("B", 0.99)) for _ in crops]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    opened = open_engine(Settings())
    yield opened
    opened.close()


class TestEngine:
    """The shipped networks."""

    def test_it_says_which_networks_read(self, engine: Engine) -> None:
        told = engine.describe("de")
        assert told.parts["first_stage"] == first_stage.NAME and "first_stage" in told.weights
        assert first_stage.NAME in told.version
        alone = engine.describe("vi")  # after a language that shares the recogniser
        assert set(alone.parts) == set(alone.weights) == {"detection", "recognition"}
        assert first_stage.NAME not in alone.version

    def test_off_it_reads_everything_with_the_best(self) -> None:
        plain = open_engine(Settings(), "cascade=off")
        try:
            told = plain.describe("de")
            assert set(told.parts) == set(told.weights) == {"detection", "recognition"}
            assert first_stage.NAME not in told.version
        finally:
            plain.close()
        with pytest.raises(BadOption, match="cascade is on or off, not 'perhaps'"):
            open_engine(Settings(), "cascade=perhaps")

    @pytest.mark.parametrize("code", ["vi", "az", "pi", "ang", "de+vi", "ch", "ru"])
    def test_languages_with_letters_that_it_has_not_seen_are_not_its_own(
        self, code: str
    ) -> None:
        assert not first_stage.reads(find(code))

    def test_it_reads_what_the_better_network_reads(self, engine: Engine) -> None:
        words = ["Rechnung Nr. 20260-17", "WITHOUT PREJUDICE", "Total 1,284.50 EUR"]
        page = page_of([((40, 40 + 60 * i), text) for i, text in enumerate(words)],
                       width=700, height=300)  # fmt: skip
        assert texts(engine, page) == words

    def test_other_scripts_among_latin_are_read_by_the_better_network(
        self, engine: Engine
    ) -> None:
        """The first stage knows no Chinese: it says so, and never a Latin letter instead."""
        plain = open_engine(Settings(), "cascade=off")
        try:
            page = PageImage(pixels=chinese(), dpi=144)
            # What stands beside a line in a batch may cost it a space, whoever reads.
            assert letters(engine, page) == letters(plain, page)
            assert any("一" <= letter <= "鿿" for letter in "".join(texts(engine, page)))
        finally:
            plain.close()


def chinese() -> NDArray[np.uint8]:
    found = cv2.imread("samples/chinese_english.png")
    assert found is not None
    return np.asarray(found, np.uint8)


def texts(engine: Engine, page: PageImage) -> list[str]:
    (reading,) = engine.read(iter([page]), "auto")
    return [line.text for line in reading.lines]


def letters(engine: Engine, page: PageImage) -> list[str]:
    return [text.replace(" ", "") for text in texts(engine, page)]


def test_the_model_with_tables_takes_the_option_too() -> None:
    assert LiteOptions.parse("cascade=off&size=small").lines == "cascade=off&size=small"
