"""Digital, scanned, turned and blank pages are told apart, and their text stands in place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from pagetide.inputs import PageContent, Sandbox, open_input
from tests.browser import chromium
from tests.drawn.files import FILES, drawn
from tests.drawn.lies import chinese, chinese_lines
from tests.page_classes import Truth, characters_off, is_digital, places


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as box:
        yield box


def pages_of(name: str, sandbox: Sandbox) -> Iterator[tuple[Truth, PageContent]]:
    file = drawn(name)
    with open_input(file.content, sandbox=sandbox) as document:
        for truth in file.truth:
            yield truth, document.page(truth["page"])


@pytest.mark.parametrize("name", ["mixed", "turned by flags"])
def test_every_line_of_a_digital_page_is_read(sandbox: Sandbox, name: str) -> None:
    digital = [(truth, page) for truth, page in pages_of(name, sandbox) if is_digital(truth)]
    assert len(digital) >= 2
    for truth, page in digital:
        assert page.text_layer.reason == "trusted"
        assert characters_off(truth, page) == (0, 0)
        assert Counter(line.text for line in page.lines) == Counter(
            line["text"] for line in truth["lines"]
        )


def test_so_is_every_line_in_chinese(sandbox: Sandbox) -> None:
    with open_input(chinese(), sandbox=sandbox) as document:
        page = document.page(1)
    assert page.text_layer.reason == "trusted"
    assert [line.text for line in page.lines] == chinese_lines()


def test_lines_stand_where_they_are_under_rotate(sandbox: Sandbox) -> None:
    turns = []
    for truth, page in pages_of("turned by flags", sandbox):
        turns.append(page.rotation)
        assert [page.width_pt, page.height_pt] == truth["size_pt"]
        found = list(places(truth, page))
        assert len(found) == len(truth["lines"])
        for box, expected in found:
            assert box == pytest.approx(expected, abs=1)
    assert turns == [0, 90, 180, 270]


LEFTWARD = (
    "تقرير سنوي عن أعمال الشركة (2024) بقيمة 3 001 ريال و PDF file v2.1 هنا.",
    "The word תקציר means abstract, see (12) דוח here.",
    "שלום עולם, 25% מתוך 1,234.",
)


MONOSPACED = ("بطاقة نحاس، شاي أخضر", "زيارة الموقع 500 غ.")


@pytest.mark.parametrize(
    ("font", "texts"), [("DejaVu Sans", LEFTWARD), ("DejaVu Sans Mono", MONOSPACED)]
)
def test_lines_that_run_to_the_left_are_read_as_they_were_written(
    sandbox: Sandbox, font: str, texts: tuple[str, ...]
) -> None:
    """As a browser prints them, from which PDFium takes the letters of a word turned round.

    Letters of one width leave gaps in words as wide as spaces.
    """
    lines = "".join(f"<p dir=auto>{line}</p>" for line in texts)
    with chromium() as browser:
        page = browser.new_page()
        page.set_content(f'<body style="font-family: {font}">{lines}')
        pdf = page.pdf()
    with open_input(pdf, sandbox=sandbox) as document:
        read = document.page(1)
    assert read.text_layer.reason == "trusted"
    assert tuple(line.text for line in read.lines) == texts


WIDE = {
    "KR": (
        "설정 화면을 여는 방법",
        "제품 바닥면에 적힌 주소를 입력하면 관리자 화면이 열립니다.",
    ),
    "SC": (
        "第二条 房屋的使用与维护",
        "房屋仅作办公使用，租赁期限自二〇二五年六月一日起，三年为止。",
    ),
    "JP": ("到達しやすさの指標", "町の中心から停留所までの道のりを歩いて調べ、地図に記した。"),
}


@pytest.mark.parametrize("region", WIDE)
def test_only_bold_letters_of_wide_scripts_are_bold(sandbox: Sandbox, region: str) -> None:
    """A browser sets them in many fonts without names, some for a single letter."""
    bold, regular = WIDE[region]
    with chromium() as browser:
        page = browser.new_page()
        page.set_content(
            f"<body style=\"font: 11pt 'Noto Sans CJK {region}'\"><p><b>{bold}</b>"
            f"<p>{regular}" + f"<p>{regular[::-1]}" * 3
        )
        pdf = page.pdf()
    with open_input(pdf, sandbox=sandbox) as document:
        lines = document.page(1).lines
    assert [line.bold for line in lines] == [True] + [False] * 4
    assert not any(line.styles for line in lines[1:])


@pytest.mark.parametrize("name", FILES)
def test_scanned_pages_are_left_to_be_read(sandbox: Sandbox, name: str) -> None:
    for truth, page in pages_of(name, sandbox):
        is_scan = "scan" in truth["class"]
        assert page.text_layer.used is not is_scan
        assert (page.image is not None) is is_scan


def test_sideways_scans_are_pictures_as_displayed(sandbox: Sandbox) -> None:
    for truth, page in pages_of("scanned as they lay", sandbox):
        width, height = truth["size_pt"]
        assert page.image is not None
        assert page.image.pixels.shape == (2 * height, 2 * width, 3)


def test_blank_pages_need_no_reading(sandbox: Sandbox) -> None:
    for truth, page in pages_of("blank backs", sandbox):
        expected = "blank" if truth["class"] == "blank" else "no_text"
        assert page.text_layer.reason == expected
