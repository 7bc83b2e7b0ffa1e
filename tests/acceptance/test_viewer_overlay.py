"""What is drawn over the pictures lies where it should: checked by pixels, in a browser."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.browser import watched
from tests.known_pages import FIGURE, HEIGHT, WIDTH, KnownSite

Edges = tuple[float, float, float, float]
GREEN = (0x15, 0x80, 0x3D)  # of a figure's outline
STROKE = 1.5  # CSS pixels wide, half of it on either side of the box's edge
WINDOW = {"width": 1700, "height": 1250}
ZOOMS = {"-": 0.8, "": 1.0, "+": 1.25, "+++": 2.0, "+++++": 4.0}  # by keys, from 100 %
MARGIN = 8  # CSS pixels looked at around where a rectangle should be


@pytest.fixture(scope="module")
def job(site: KnownSite) -> str:
    return site.read(2)


@pytest.mark.parametrize(
    ("density", "keys"), [(1, ("-", "+", "+++", "+++++")), (1.5, ("",)), (2, ("-", "+++"))]
)
def test_boxes_lie_on_the_picture_at_every_zoom_and_turn(
    browser: Browser, site: KnownSite, job: str, density: float, keys: tuple[str, ...]
) -> None:
    with watched(browser, viewport=WINDOW, device_scale_factor=density) as seen:
        page = opened(seen.page, f"{site.url}/#/jobs/{job}")
        turn = 0
        for pressed in keys:
            for key in f"1{pressed}":
                page.keyboard.press(key)
            expect(page.locator(".percent")).to_have_text(f"{round(100 * ZOOMS[pressed])} %")
            for _ in range(4 if len(keys) == 1 or pressed == "+" else 2):
                check(page, ZOOMS[pressed], turn, density)
                page.keyboard.press("r")
                turn = (turn + 90) % 360
        assert seen.complaints == []


@pytest.mark.parametrize("key", ["0", "9"])
def test_boxes_lie_on_the_picture_where_it_fits_the_pane(
    browser: Browser, site: KnownSite, job: str, key: str
) -> None:
    with watched(browser, viewport={"width": 1300, "height": 1250}) as seen:
        page = opened(seen.page, f"{site.url}/#/jobs/{job}")
        page.keyboard.press("1")
        page.keyboard.press(key)
        expect(page.locator(".percent")).not_to_have_text("100 %")
        pane, sheet = box_of(page, ".pictures"), box_of(page, ".sheet")
        if key == "0":
            assert abs(sheet["width"] - (pane["width"] - 48)) <= 16  # a scroll bar
        else:
            assert sheet["height"] <= pane["height"] - 47
        check(page, sheet["width"] / WIDTH, 0, 1)


def test_a_page_fits_a_pane_however_small(browser: Browser, site: KnownSite, job: str) -> None:
    with watched(browser, viewport={"width": 160, "height": 900}) as seen:
        page = opened(seen.page, f"{site.url}/#/jobs/{job}")
        width = box_of(page, ".sheet")["width"]
        assert width <= 160 - 48 and width < 0.25 * WIDTH
        page.locator(".pictures").focus()
        page.keyboard.press("+")
        expect(page.locator(".percent")).to_have_text("25 %")


def test_the_wheel_zooms_about_the_pointer(browser: Browser, site: KnownSite, job: str) -> None:
    with watched(browser, viewport=WINDOW) as seen:
        page = opened(seen.page, f"{site.url}/#/jobs/{job}")
        page.keyboard.press("1")
        before = box_of(page, ".sheet")
        x, y = before["x"] + 200, before["y"] + 480  # in the black rectangle
        page.mouse.move(x, y)
        page.keyboard.down("Control")
        page.mouse.wheel(0, -240)
        page.keyboard.up("Control")
        expect(page.locator(".percent")).not_to_have_text("100 %")
        after = box_of(page, ".sheet")
        zoom = after["width"] / WIDTH
        assert zoom == pytest.approx(2**0.6, abs=0.01)
        assert after["y"] + 480 * zoom == pytest.approx(y, abs=1.5)
        page.keyboard.press("1")
        assert box_of(page, ".sheet")["width"] == WIDTH


def test_a_dense_page_is_drawn_with_few_elements(
    browser: Browser, site: KnownSite, job: str
) -> None:
    with watched(browser, viewport=WINDOW) as seen:
        page = opened(seen.page, f"{site.url}/#/jobs/{job}")
        page.get_by_role("button", name="Layers").click()
        for layer in ("lines", "words", "cells", "order"):
            page.locator(f"[data-layer={layer}]").check()
        drawing = page.locator(".sheet[data-page='1'] .overlay")
        expect(drawing.locator(".words path")).to_have_count(2)  # a path for each grade
        drawn = drawing.locator(".words path").evaluate_all(
            "paths => paths.flatMap(path => path.getAttribute('d').match(/M/g)).length"
        )
        assert drawn == 3 + 6 + 4 + 5  # every word of the page
        expect(drawing.locator(".cells path")).to_have_count(1)
        expect(drawing.locator(".block")).to_have_count(5)


def opened(page: Page, address: str) -> Page:
    """The viewer with both pages in it, at the places where they stay."""
    page.goto(address)
    for number in (1, 2):
        expect(page.locator(f".sheet[data-page='{number}'] .picture")).to_be_visible()
        expect(page.locator(f".sheet[data-page='{number}'] .block").first).to_be_attached()
    page.evaluate("() => new Promise(requestAnimationFrame)")  # sizes are laid out before it
    return page


def box_of(page: Page, selector: str) -> Any:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box


def check(page: Page, zoom: float, turn: int, density: float) -> None:
    """The black rectangle of the picture, and the outline over it, stand where they should."""
    middle = "figure => figure.scrollIntoView({block: 'center', inline: 'center'})"
    page.locator(".sheet[data-page='1'] .kind-figure").first.evaluate(middle)
    sheet = box_of(page, ".sheet")
    across, down = (WIDTH, HEIGHT) if turn % 180 == 0 else (HEIGHT, WIDTH)
    assert (sheet["width"], sheet["height"]) == (round(across * zoom), round(down * zoom))
    expected = tuple(
        edge * zoom + offset
        for edge, offset in zip(seen_at(turn), (sheet["x"], sheet["y"]) * 2, strict=True)
    )
    left, top, right, bottom = expected
    outer = (left - STROKE / 2, top - STROKE / 2, right + STROKE / 2, bottom + STROKE / 2)
    far = np.abs(shot(page, expected) - np.array(GREEN)).max(axis=2)
    assert_near(edges(far < 80, expected, density), outer, "the outline")
    drawn(page, "hidden")  # it covers the picture's own edges
    dark = shot(page, expected).sum(axis=2) < 382
    assert_near(edges(dark, expected, density), expected, "the picture")
    drawn(page, "visible")


def drawn(page: Page, visibility: str) -> None:
    hide = "(drawn, how) => { drawn.style.visibility = how; }"
    page.locator(".sheet[data-page='1'] .overlay").evaluate(hide, visibility)


def shot(page: Page, around: Edges) -> NDArray[np.int64]:
    """What is seen around a box: rows of columns of red, green and blue."""
    left, top, right, bottom = corners(around)
    clip: Any = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    taken = Image.open(io.BytesIO(page.screenshot(clip=clip)))
    return np.asarray(taken.convert("RGB")).astype(np.int64)


def corners(around: Edges) -> tuple[int, int, int, int]:
    """A box with a margin, on pairs of whole pixels, which 1.5 dots a pixel divide too."""
    left, top, right, bottom = (round(edge / 2) * 2 for edge in around)
    return left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN


def seen_at(turn: int) -> Edges:
    """The figure's box on the page turned clockwise: left, top, right, bottom."""
    left, top, right, bottom = FIGURE
    return {
        0: (left, top, right, bottom),
        90: (HEIGHT - bottom, left, HEIGHT - top, right),
        180: (WIDTH - right, HEIGHT - bottom, WIDTH - left, HEIGHT - top),
        270: (top, WIDTH - right, bottom, WIDTH - left),
    }[turn]


def edges(mask: NDArray[np.bool_], around: Edges, density: float) -> Edges:
    """Where a rectangle's edges lie in the window, in CSS pixels.

    An edge is a row or column most of whose pixels are of the rectangle's colour.

    Args:
        mask: Which pixels have that colour, of what `shot` gives.
        around: Where the rectangle should be.
        density: Pixels of the mask for each of the window.
    """
    left, top, _, _ = corners(around)
    inner = slice(round(2 * MARGIN * density), -round(2 * MARGIN * density))
    columns = np.flatnonzero(mask[inner].mean(axis=0) > 0.6) / density
    rows = np.flatnonzero(mask[:, inner].mean(axis=1) > 0.6) / density
    assert columns.size and rows.size, "nothing of that colour is there"
    dot = 1 / density
    return left + columns[0], top + rows[0], left + columns[-1] + dot, top + rows[-1] + dot


def assert_near(found: Edges, expected: Edges, what: str) -> None:
    apart = [abs(a - b) for a, b in zip(found, expected, strict=True)]
    assert max(apart) <= 1.0, f"{what}: {found} instead of {expected}"
