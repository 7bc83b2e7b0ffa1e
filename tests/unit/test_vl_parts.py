"""The parts of the PaddleOCR-VL client that ask nobody."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.document import BlockKind
from pagetide.engines.vl import check
from pagetide.engines.vl.areas import chosen
from pagetide.engines.vl.crops import Pixels, crop_of, has_ink, resized
from pagetide.engines.vl.merging import merged
from pagetide.engines.vl.server.answered import formula, meaning, unlooped
from pagetide.engines.vl.server.answers_kept import OVERHEAD, KeptAnswers
from pagetide.engines.vl.server.client import Answer
from pagetide.engines.vl.server.dialects import DIALECTS, question
from pagetide.engines.vl.server.fair_queue import FairQueue
from pagetide.engines.vl.tasks import TASKS, VlOptions
from pagetide.errors import BadOption, ModelUnavailable
from pagetide.geometry import Box, polygon_of
from pagetide.layout import Area
from pagetide.settings import Settings

SERVED = Settings(vl_url="http://127.0.0.1:1/v1")
OCR, TABLE = TASKS["ocr"], TASKS["table"]


def area(kind: BlockKind, box: Box, label: str = "", order: int | None = None) -> Area:
    return Area(label=label or kind, kind=kind, polygon=polygon_of(box), order=order)


def white(height: int, width: int) -> Pixels:
    return np.full((height, width, 3), 255, np.uint8)


# Parameters and settings.


def test_parameters_are_read() -> None:
    options = VlOptions.parse(
        "version=1.5&fallback=pp-ocrv6&charts=yes&seals=on&merge=no&max_tokens=99"
        "&max_pixels=500000&table_max_pixels=800000"
    )
    pixels = {task.name: task.max_pixels for task in options.tasks}
    assert options.model == "PaddleOCR-VL-1.5-0.9B"
    assert (options.fallback, options.charts, options.seals, options.merge) == (
        *("pp-ocrv6", True, True),
        False,
    )
    assert options.max_tokens == 99
    assert pixels["table"] == 800_000 and pixels["ocr"] == 500_000


@pytest.mark.parametrize(
    "parameters",
    [
        "version=2",
        "fallback=tesseract",
        "charts=maybe",
        "max_tokens=0",
        "max_tokens=0000000000019999999",
        "max_tokens=" + "1" * 5000,
        "max_tokens=many",
        "max_pixels=99999999999999999999999999",
        "min_pixels=900&max_pixels=800",
        "colour=blue",
        "version=1&seals=yes",
    ],
)
def test_a_wrong_parameter_is_refused(parameters: str) -> None:
    with pytest.raises(BadOption):
        check(SERVED, parameters)


def test_without_a_server_the_message_says_what_to_set() -> None:
    with pytest.raises(ModelUnavailable, match="PAGETIDE_VL_URL"):
        check(Settings())


@pytest.mark.parametrize(
    "wrong",
    [
        {"vl_url": "ftp://127.0.0.1"},
        {"vl_url": "http://[1"},
        {"vl_dialect": "vlm"},
        {"vl_concurrency": 0},
        {"vl_timeout_s": 0.0},
    ],
)
def test_a_wrong_setting_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadOption, match="PAGETIDE_VL_"):
        check(replace(SERVED, **wrong))  # type: ignore[arg-type]


def test_a_wrong_url_is_not_shown_as_it_may_hold_a_password() -> None:
    with pytest.raises(BadOption) as caught:
        check(replace(SERVED, vl_url="htp://me:secret@host/v1"))
    assert "secret" not in caught.value.message


# What is asked.


@pytest.mark.parametrize(
    ("kind", "label", "prompt"),
    [
        ("text", "text", "OCR:"),
        ("title", "doc_title", "OCR:"),
        ("page_number", "number", "OCR:"),
        ("table", "table", "Table Recognition:"),
        ("formula", "display_formula", "Formula Recognition:"),
        ("formula", "formula_number", "OCR:"),
        ("chart", "chart", "Chart Recognition:"),
        ("seal", "seal", "Seal Recognition:"),
        ("figure", "image", None),
        ("figure", "header_image", None),
    ],
)
def test_each_kind_has_its_prompt(kind: BlockKind, label: str, prompt: str | None) -> None:
    options = VlOptions.parse("charts=yes&seals=yes")
    task = options.task_of(area(kind, (0, 0, 9, 9), label))
    assert (task.prompt if task else None) == prompt


def test_charts_and_seals_are_left_alone_unless_asked_for() -> None:
    kinds: tuple[BlockKind, ...] = ("chart", "seal")
    assert [VlOptions().task_of(area(kind, (0, 0, 9, 9))) for kind in kinds] == [None, None]


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        (
            "vllm",
            {
                "max_completion_tokens": 7,
                "temperature": 0,
                "skip_special_tokens": True,
                "mm_processor_kwargs": {"min_pixels": 112_896, "max_pixels": 1_003_520},
            },
        ),
        ("sglang", {"max_completion_tokens": 7, "temperature": 0, "skip_special_tokens": True}),
        ("llama-cpp", {"max_tokens": 7, "temperature": 0}),
        (
            "fastdeploy",
            {
                "max_completion_tokens": 7,
                "temperature": 1,
                "top_p": 0,
                "skip_special_tokens": True,
            },
        ),
        ("openai", {"max_tokens": 7, "temperature": 0}),
    ],
)
def test_each_dialect_sends_its_own_fields_and_no_other(
    name: str, fields: dict[str, object]
) -> None:
    body = msgspec.json.decode(
        question(DIALECTS[name], model="m", task=OCR, picture=b"\1\2", max_tokens=7)
    )
    [message] = body.pop("messages")
    kind = "png" if name == "llama-cpp" else "jpeg"
    assert message["content"] == [
        {"type": "image_url", "image_url": {"url": f"data:image/{kind};base64,AQI="}},
        {"type": "text", "text": "OCR:"},
    ]
    assert body == {"model": "m", **fields}


# Which areas.


def kept(*areas: Area, charts: bool = False) -> list[str]:
    options = VlOptions(charts=charts)
    return [a.label for a in chosen(areas, 1000, 1000, lambda a: bool(options.task_of(a)))]


def test_the_smaller_of_two_readings_of_a_place_is_left_out() -> None:
    large, small = (
        area("text", (0, 0, 100, 100), "large"),
        area("text", (0, 0, 90, 90), "small"),
    )
    assert kept(small, large) == ["large"]


def test_text_in_a_table_is_read_with_the_table() -> None:
    cell = area("text", (10, 10, 90, 40), "cell")
    assert kept(cell, area("table", (0, 0, 200, 200))) == ["table"]


def test_text_in_a_figure_is_kept_as_nobody_else_reads_it() -> None:
    label = area("text", (10, 10, 90, 40), "label")
    assert set(kept(label, area("figure", (0, 0, 200, 200)))) == {"label", "figure"}


def test_text_in_a_chart_is_left_out_only_if_charts_are_read() -> None:
    areas = area("text", (10, 10, 90, 40), "axis"), area("chart", (0, 0, 200, 200))
    assert set(kept(*areas)) == {"axis", "chart"}
    assert kept(*areas, charts=True) == ["chart"]


def test_a_seal_over_text_is_kept() -> None:
    assert len(kept(area("seal", (10, 10, 90, 90)), area("text", (0, 0, 200, 200)))) == 2


def test_a_formula_in_a_line_is_read_with_the_line() -> None:
    line = area("text", (0, 0, 200, 20), "line")
    assert kept(line, area("formula", (150, 0, 230, 20), "inline_formula")) == ["line"]


def test_a_list_of_references_gives_way_to_its_entries() -> None:
    whole = area("reference", (0, 0, 200, 200), "reference")
    entry = area("reference", (0, 0, 200, 50), "reference_content")
    assert kept(whole, entry) == ["reference_content"]
    assert kept(whole) == ["reference"]


def test_what_is_too_thin_or_off_the_page_is_left_out() -> None:
    assert kept(area("text", (0, 0, 100, 5)), area("text", (990, 0, 1100, 5000))) == ["text"]
    assert kept(area("text", (2000, 0, 2100, 100))) == []


def test_the_models_order_is_kept_and_others_follow_where_they_stand() -> None:
    areas = [
        area("text", (0, 200, 100, 240), "c"),
        area("text", (0, 0, 100, 40), "b", 1),
        area("text", (0, 300, 100, 340), "a", 0),
    ]
    assert kept(*areas) == ["a", "b", "c"]


# Pictures.


def test_outside_the_polygon_a_crop_is_white() -> None:
    page = np.zeros((100, 100, 3), np.uint8)
    slanted = Area(label="t", kind="text", polygon=((10, 30), (50, 10), (50, 40), (10, 60)))
    crop = crop_of(page, slanted)
    assert crop.pixels.shape == (50, 40, 3) and (crop.left, crop.top) == (10, 10)
    assert crop.pixels[0, 0, 0] == 255 and crop.pixels[25, 20, 0] == 0
    assert not page.any()


def test_a_crop_ends_at_the_page() -> None:
    crop = crop_of(white(50, 60), area("text", (-5, -5, 100, 100)))
    assert crop.pixels.shape == (50, 60, 3) and (crop.left, crop.top) == (0, 0)


def test_white_around_a_formula_is_cut_off() -> None:
    page = white(100, 200)
    page[40:60, 90:130] = 0
    crop = crop_of(page, area("formula", (0, 0, 200, 100)))
    assert (crop.left, crop.top, *crop.pixels.shape[:2]) == (86, 36, 28, 48)
    assert crop_of(white(9, 9), area("formula", (0, 0, 9, 9))).pixels.shape == (9, 9, 3)


@given(st.integers(1, 3000), st.integers(1, 3000))
def test_a_resized_picture_has_the_models_pixels(height: int, width: int) -> None:
    down, across = resized(np.zeros((height, width, 3), np.uint8), OCR).shape[:2]
    assert down % 28 == across % 28 == 0
    # Each side was rounded to a multiple of 28, so it is at most 14 from where it came from.
    assert (down + 14) * (across + 14) >= OCR.min_pixels
    assert (down - 14) * (across - 14) <= OCR.max_pixels


def test_a_blank_page_has_no_ink() -> None:
    page = white(500, 500)
    assert not has_ink(page)
    page[10:20, 10:40] = 0
    assert has_ink(page)


# Text that runs on.


def column(last: float = 1.0, indent: int = 0, lines: int = 4) -> Pixels:
    """A column of text 200 pixels wide; its last line fills that share of it."""
    pixels = white(20 * lines, 200)
    for line in range(lines):
        end = 200 if line < lines - 1 else round(200 * last)
        letters = slice(indent if line == 0 else 0, end, 3)
        pixels[20 * line + 4 : 20 * line + 16, letters] = 0
    return pixels


def groups_of(*parts: tuple[Pixels, int, int], other: Area | None = None) -> list[list[int]]:
    page = white(600, 700)
    areas = []
    for pixels, x, y in parts:
        page[y : y + pixels.shape[0], x : x + 200] = pixels
        areas.append(area("text", (x, y, x + 200, y + pixels.shape[0]), "text"))
    if other:
        areas.insert(1, other)
    return merged(areas, [crop_of(page, each) for each in areas])


def test_a_paragraph_broken_by_a_column_is_read_as_one() -> None:
    assert groups_of((column(), 0, 300), (column(0.5), 250, 0)) == [[0, 1]]


def test_a_paragraph_that_ends_stays_alone() -> None:
    assert groups_of((column(0.6), 0, 300), (column(), 250, 0)) == [[0], [1]]


def test_an_indented_paragraph_begins_anew() -> None:
    assert groups_of((column(), 0, 300), (column(indent=30), 250, 0)) == [[0], [1]]


def test_paragraphs_one_below_the_other_stay_apart() -> None:
    assert groups_of((column(), 0, 0), (column(), 0, 100)) == [[0], [1]]


def test_a_picture_keeps_no_paragraph_apart() -> None:
    page = white(600, 700)
    page[0:80, 0:200] = column()
    page[300:380, 0:200] = column(0.4)
    areas = [
        area("text", (0, 0, 200, 80)),
        area("text", (0, 300, 200, 380)),
        area("table", (0, 100, 200, 280)),
    ]
    assert merged(areas, [crop_of(page, each) for each in areas]) == [[0, 1], [2]]


# What an answer means.


@pytest.mark.parametrize(
    "text", ["\\[E=mc^2\\]", "\\(E=mc^2\\)", "$E=mc^2$", " $$ E=mc^2 $$ ", "E=mc^2"]
)
def test_a_formula_loses_what_sets_it_off(text: str) -> None:
    assert formula(text) == "E=mc^2"


def test_two_formulas_keep_their_dollars() -> None:
    assert formula("$a$ and $b$") == "$a$ and $b$"


def test_formulas_in_text_are_set_off_by_dollars() -> None:
    assert meaning(Answer("so \\( a \\) is", "stop"), OCR).text == "so $a$ is"


def test_a_table_has_cells_and_text() -> None:
    found = meaning(Answer("<fcel>a<fcel>b<nl><fcel>c<ecel><nl>", "stop"), TABLE)
    assert found.text == "a\tb\nc" and found.table and found.notices == ()


def test_a_table_without_tags_keeps_its_text_and_says_so() -> None:
    found = meaning(Answer("just text", "stop"), TABLE)
    assert found.text == "just text" and found.table is None
    assert [notice.code for notice in found.notices] == ["block_without_cells"]


def test_a_charts_numbers_are_a_table() -> None:
    found = meaning(Answer("year | sales\n---|---\n2025 | 1", "stop"), TASKS["chart"])
    assert found.text == "year\tsales\n2025\t1"
    assert meaning(Answer("a rising line", "stop"), TASKS["chart"]).table is None


def test_an_answer_at_its_limit_is_marked() -> None:
    found = meaning(Answer("The quick brown fox", "length"), OCR)
    assert [notice.code for notice in found.notices] == ["block_truncated"]


def test_a_loop_is_cut_after_its_first_round_and_marked() -> None:
    found = meaning(Answer("Dear sir, " + "and so on " * 30 + "and", "stop"), OCR)
    assert found.text.startswith("Dear sir, and so on")
    assert len(found.text) < 30
    assert [notice.code for notice in found.notices] == ["block_repeats"]


@pytest.mark.parametrize(
    "text", ["Contents " + "." * 300, "_" * 400, "0 " * 40, "a normal sentence. " * 3]
)
def test_what_is_printed_again_and_again_is_no_loop(text: str) -> None:
    assert meaning(Answer(text, "stop"), OCR).notices == ()


def test_a_table_with_many_empty_rows_is_no_loop() -> None:
    rows = "<fcel>a<fcel>b<nl>" + "<ecel><ecel><nl>" * 40
    assert meaning(Answer(rows, "stop"), TABLE).notices == ()


@given(st.text(max_size=30), st.text("abc", min_size=1, max_size=6), st.integers(60, 200))
def test_a_loop_is_found_whatever_stands_before_it(start: str, unit: str, rounds: int) -> None:
    text, loops = unlooped(start + unit * rounds, least=60)
    assert loops and len(text) <= len(start) + len(unit)


# Turns and answers kept.


@given(st.lists(st.one_of(st.tuples(st.integers(0, 3), st.integers()), st.none())))
def test_turns_are_fair_and_lose_nothing(steps: list[tuple[int, int] | None]) -> None:
    turns: FairQueue[int] = FairQueue()
    queues: dict[int, deque[int]] = {i: deque() for i in range(4)}
    passed_over = dict.fromkeys(queues, 0)
    for step in steps:
        if step:
            turns.put(*step)
            queues[step[0]].append(step[1])
            continue
        turn = turns.take()
        assert (turn is None) == (not any(queues.values()))
        if turn is None:
            continue
        caller, item = turn
        assert isinstance(caller, int) and queues[caller].popleft() == item
        passed_over[caller] = 0
        for other, queue in queues.items():
            passed_over[other] = passed_over[other] + 1 if queue and other != caller else 0
            assert passed_over[other] <= 3
    assert len(turns) == sum(map(len, queues.values()))


def test_a_dropped_caller_has_no_turn() -> None:
    turns: FairQueue[int] = FairQueue()
    turns.put("a", 1)
    turns.put("b", 2)
    turns.drop("a")
    assert [turns.take(), turns.take()] == [("b", 2), None]


def test_the_answer_not_used_for_longest_goes_first() -> None:
    answers = KeptAnswers(2 * (OVERHEAD + 4))
    for name in ("a", "b"):
        answers.put(name.encode(), Answer(name, "stop"))
    assert answers.get(b"a")
    answers.put(b"c", Answer("c", "stop"))
    assert [bool(answers.get(key)) for key in (b"a", b"b", b"c")] == [True, False, True]
    answers.put(b"d", Answer("d" * 9000, "stop"))
    assert answers.get(b"d") is None and answers.get(b"a")
