"""The parts of the PP-OCR pipeline that need no model."""

from __future__ import annotations

import threading

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pagetide.engines.networks.cores import Cores
from pagetide.engines.ppocr import batches, detection
from pagetide.engines.ppocr.inference.heads import Head
from pagetide.engines.ppocr.lines import orientation
from pagetide.engines.ppocr.lines.crops import LINE_HEIGHT, cut, is_tall, turned
from pagetide.engines.ppocr.lines.decode import ReadLine, decode, stands_alone
from tests.waiting import until

LETTERS = ("", "a", "b", "漢", "字", " ")


def quad(x0: float, y0: float, x1: float, y1: float) -> NDArray[np.float32]:
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], np.float32)


def read(classes: list[int], crop: NDArray[np.uint8] | None = None) -> ReadLine:
    picture = crop if crop is not None else np.zeros((48, 8 * len(classes), 3), np.uint8)
    confidences = np.full(len(classes), 0.9, np.float32)
    return decode(np.array(classes), confidences, LETTERS, picture)


class TestDecode:
    def test_a_class_in_several_frames_is_one_letter(self) -> None:
        assert read([0, 1, 1, 0, 2]).text == "ab"

    def test_a_blank_parts_equal_letters(self) -> None:
        assert read([1, 0, 1]).text == "aa"

    def test_frames_past_the_line_are_padding(self) -> None:
        classes, confidences = np.array([1, 2, 2, 2]), np.full(4, 0.9, np.float32)
        assert (
            decode(classes, confidences, LETTERS, np.zeros((48, 16, 3), np.uint8)).text == "ab"
        )

    def test_spaces_at_the_ends_go_and_a_blank_line_is_empty(self) -> None:
        assert read([5, 1, 5]).text == "a"
        assert read([0, 5, 0]) == ReadLine()

    def test_a_space_parts_words_and_a_han_character_is_a_word(self) -> None:
        words = [word.text for word in read([1, 5, 2, 0, 3, 4, 1]).words]
        assert words == ["a", "b", "漢", "字", "a"]

    def test_words_begin_and_end_at_ink(self) -> None:
        crop = np.full((48, 160, 3), 255, np.uint8)
        crop[10:40, 16:56] = 0
        crop[10:40, 100:140] = 0
        first, second = read(
            [0, 0, 1, 0, 1, 0, 1, 0, 0, 5, 5, 0, 0, 2, 0, 2, 0, 0, 0, 0], crop
        ).words
        assert (first.start * 160, first.end * 160) == (16, 56)
        assert (second.start * 160, second.end * 160) == (100, 140)

    @given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(0, 2**32 - 1))
    def test_words_hold_every_letter_in_order_and_do_not_overlap(
        self, classes: list[int], seed: int
    ) -> None:
        noise = np.random.default_rng(seed).integers(
            0, 255, (48, 8 * len(classes), 3), np.uint8
        )
        line = read(classes, noise)
        assert "".join(word.text for word in line.words) == line.text.replace(" ", "")
        edges = [edge for word in line.words for edge in (word.start, word.end)]
        assert edges == sorted(edges)
        assert all(0 <= edge <= 1 for edge in edges)

    def test_scripts_without_spaces(self) -> None:
        assert stands_alone("漢") and stands_alone("か")
        assert not stands_alone("a") and not stands_alone("，")


class TestBatches:
    @given(st.lists(st.integers(8, 3200), max_size=60))
    def test_every_line_is_in_one_batch(self, widths: list[int]) -> None:
        plan = batches.plan(widths, batches.on_cpu)
        assert sorted(i for batch in plan for i in batch) == list(range(len(widths)))

    @given(st.lists(st.integers(8, 3200), min_size=1, max_size=60))
    def test_batches_are_bounded(self, widths: list[int]) -> None:
        for batch in batches.plan(widths, batches.on_cpu):
            widest = batches.padded(max(widths[i] for i in batch))
            assert len(batch) == 1 or len(batch) * widest <= batches.COLUMNS
            assert len(batch) <= batches.LINES

    @given(st.lists(st.integers(8, 3200), min_size=2, max_size=60), st.integers(1, 8))
    def test_few_lines_are_shared_out(self, widths: list[int], lanes: int) -> None:
        plan = batches.plan(widths, batches.on_cpu, lanes)
        assert sorted(i for batch in plan for i in batch) == list(range(len(widths)))
        assert max(map(len, plan)) <= -(-len(widths) // lanes)

    def test_lines_are_padded_on_the_right(self) -> None:
        stacked = batches.stack([np.zeros((48, n, 3), np.uint8) for n in (10, 100)])
        assert stacked.shape == (2, 48, 128, 3)
        assert not stacked[0, :, :10].any() and (stacked[0, :, 10:] == batches.PADDING).all()


class TestDetection:
    @given(st.integers(1, 20000), st.integers(1, 20000), st.sampled_from([320, 1280, 1600]))
    def test_the_input_is_of_multiples_of_32_within_the_limit(
        self, height: int, width: int, side: int
    ) -> None:
        sides = detection.input_size(height, width, long_side=side)
        assert all(n % 32 == 0 and 32 <= n <= side + 16 for n in sides)

    def test_small_pictures_are_enlarged_and_large_ones_reduced(self) -> None:
        assert detection.input_size(368, 368, long_side=1280) == (736, 736)
        assert detection.input_size(2560, 1280, long_side=1280) == (1280, 640)

    def test_an_area_is_grown_back_and_scaled_to_the_page(self) -> None:
        probability = np.zeros((64, 128), np.float32)
        probability[20:28, 20:100] = 0.9
        quads, dropped = detection.find_boxes(probability, 128, 256)
        assert dropped == 0
        assert quads[0].min(axis=0) == pytest.approx((29, 29), abs=3)
        assert quads[0].max(axis=0) == pytest.approx((211, 67), abs=3)

    def test_faint_areas_are_not_text(self) -> None:
        probability = np.zeros((64, 128), np.float32)
        probability[20:28, 20:100] = 0.4
        assert len(detection.find_boxes(probability, 64, 128)[0]) == 0

    def test_a_line_that_touches_an_index_above_it_is_found(self) -> None:
        """Their area fills too little of one rectangle: it is two where it is less sure."""
        probability = np.zeros((64, 512), np.float32)
        probability[36:45, 20:490] = 0.9
        probability[14:22, 100:120] = 0.9
        probability[22:36, 110:114] = 0.4  # where they touch
        quads, _ = detection.find_boxes(probability, 64, 512)
        spans = [(round(quad[0][0]), round(quad[1][0])) for quad in quads]
        assert spans == [
            (pytest.approx(95, abs=5), pytest.approx(126, abs=5)),
            (pytest.approx(12, abs=5), pytest.approx(497, abs=5)),
        ]

    def test_a_frame_is_not_text_though_its_edges_are_sure(self) -> None:
        probability = np.zeros((128, 256), np.float32)
        cv2.rectangle(probability, (20, 20), (230, 100), 0.9, 2)
        assert len(detection.find_boxes(probability, 128, 256)[0]) == 0

    def test_an_empty_map_has_no_boxes(self) -> None:
        quads, dropped = detection.find_boxes(np.zeros((32, 32), np.float32), 100, 100)
        assert quads.shape == (0, 4, 2) and dropped == 0


class TestCrops:
    def test_a_crop_is_48_high_and_keeps_its_shape(self) -> None:
        page = np.zeros((200, 400, 3), np.uint8)
        assert cut(page, quad(10, 10, 210, 34)).shape == (LINE_HEIGHT, 400, 3)

    def test_a_tilted_box_is_straightened(self) -> None:
        page = np.zeros((200, 200, 3), np.uint8)
        page[:, 100:] = 255
        tilted = np.array([(60, 40), (140, 60), (134, 84), (54, 64)], np.float32)
        crop = cut(page, tilted)
        assert crop[:, : crop.shape[1] // 3].mean() < 60 < 200 < crop[:, -40:].mean()

    def test_a_box_past_the_edge_is_cut_at_it(self) -> None:
        assert (
            cut(np.zeros((50, 50, 3), np.uint8), quad(45, 45, 90, 60)).shape[0] == LINE_HEIGHT
        )

    def test_turning_a_box_turns_what_is_cut(self) -> None:
        page = np.zeros((100, 40, 3), np.uint8)
        page[:20] = 255  # light on top: the start of text that reads down the page
        box = quad(5, 0, 35, 100)
        assert is_tall(box)
        down, up = cut(page, turned(box, 1)), cut(page, turned(box, 3))
        assert down[:, :10].mean() > 200 > 50 > down[:, -10:].mean()
        assert up[:, -10:].mean() > 200 > 50 > up[:, :10].mean()


class TestOrientation:
    def test_standing_boxes_mean_a_sideways_page(self) -> None:
        standing = np.stack([quad(10, 0, 30, 300), quad(50, 0, 70, 280), quad(0, 310, 60, 330)])
        assert orientation.stands_sideways(standing)
        assert not orientation.stands_sideways(standing[[2]])

    def test_long_lines_are_the_sample(self) -> None:
        boxes = np.stack([quad(0, i, 10 * i + 10, i + 1) for i in range(20)])
        assert orientation.sample(boxes) == list(range(19, 19 - orientation.SAMPLE, -1))

    def test_confidence_is_weighted_by_letters(self) -> None:
        lines = [ReadLine(text="a", confidence=0.0), ReadLine(text="bbb", confidence=1.0)]
        assert orientation.mean_confidence(lines) == 0.75
        assert orientation.mean_confidence([]) == 0


class TestHeads:
    def test_the_latin_head_keeps_columns_with_their_numbers(self) -> None:
        full = Head(
            weights=np.arange(12, dtype=np.float32).reshape(2, 6),
            bias=np.arange(6, dtype=np.float32),
            classes=np.arange(6, dtype=np.int32),
        )
        latin = full.latin(LETTERS)
        assert latin.classes.tolist() == [0, 1, 2, 5]
        assert latin.weights.tolist() == [[0, 1, 2, 5], [6, 7, 8, 11]]


class TestCores:
    def test_no_more_are_lent_than_there_are(self) -> None:
        cores, most, working = Cores(3), 0, 0
        guard = threading.Lock()

        def work(wanted: int) -> None:
            nonlocal most, working
            for _ in range(50):
                with cores.lend(wanted):
                    with guard:
                        working += min(wanted, 3)
                        most = max(most, working)
                    with guard:
                        working -= min(wanted, 3)

        threads = [threading.Thread(target=work, args=(n,)) for n in (1, 1, 2, 3, 4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 1 <= most <= 3

    def test_who_asks_first_is_served_first(self) -> None:
        cores, order = Cores(2), []
        asked = [threading.Event() for _ in range(2)]

        def ask(place: int, wanted: int) -> None:
            asked[place].set()
            with cores.lend(wanted):
                order.append(place)

        with cores.lend(1):
            large = threading.Thread(target=ask, args=(0, 2))
            large.start()
            asked[0].wait()
            until(lambda: cores.waiting)
            small = threading.Thread(target=ask, args=(1, 1))
            small.start()
            until(lambda: cores.waiting == 2)
            assert order == []
        large.join()
        small.join()
        assert order == [0, 1]
