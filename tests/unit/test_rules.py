"""Rules and shades on pictures of pages, drawn here and turned, blurred and made noisy."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from pagetide.engines.pixels.ink import darkest
from pagetide.engines.rules import find_rules
from pagetide.engines.rules.letters import letter_height
from pagetide.engines.rules.upright import Upright
from pagetide.geometry import turned
from pagetide.layout import NOTHING_DRAWN, Drawn, Rule
from tests.drawing import font

Pixels = NDArray[np.uint8]

WIDTH, HEIGHT = 1190, 1684
LEFT, TOP, RIGHT, ROWS, ROW = 150, 300, 1040, 12, 44
XS = (150, 400, 620, 840, 1040)
YS = tuple(range(TOP, TOP + ROW * ROWS + 1, ROW))
PROSE = "The tide rises and the tide falls, and so it does again every day of the year"
SHOUT = "TEFT ZITTER EFFEKT TETE TOTTER ZETT TTTT EEEE FELT IIII LILLI HILL"


def rules_on(pixels: NDArray[np.uint8], angle: float = 0.0) -> Drawn:
    """The rules on a picture in colour."""
    return find_rules(darkest(pixels), angle)


def blank(width: int = WIDTH, height: int = HEIGHT) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGB", (width, height), "white")
    return image, ImageDraw.Draw(image)


def pixels_of(image: Image.Image) -> Pixels:
    return np.asarray(image)[:, :, ::-1].copy()


def prose(draw: ImageDraw.ImageDraw, first: int = 900, rows: int = 20) -> None:
    for row in range(rows):
        draw.text((120, first + 34 * row), PROSE, fill="black", font=font(24))


def grid(fill: str = "black", thickness: int = 2) -> Pixels:
    """A page with a grid of cells that hold text, and text below it."""
    image, draw = blank()
    for y in YS:
        draw.line((LEFT, y, RIGHT, y), fill=fill, width=thickness)
    for x in XS:
        draw.line((x, YS[0], x, YS[-1]), fill=fill, width=thickness)
    for row, y in enumerate(YS[:-1]):
        for x in XS[:-1]:
            draw.text((x + 12, y + 8), f"Tilly {row * 37}", fill="black", font=font(22))
    prose(draw)
    return pixels_of(image)


def noisy(pixels: Pixels, spread: float = 12) -> Pixels:
    noise = np.random.default_rng(7).normal(0, spread, pixels.shape[:2])[..., None]
    return np.clip(pixels + noise, 0, 255).astype(np.uint8)


def askew(pixels: Pixels, angle: float) -> Pixels:
    """The page turned clockwise by radians about its top left, on white."""
    cos, sin = math.cos(angle), math.sin(angle)
    matrix = np.array([[cos, -sin, 0.0], [sin, cos, 0.0]])
    size = (pixels.shape[1], pixels.shape[0])
    done = cv2.warpAffine(pixels, matrix, size, borderValue=(255, 255, 255))
    return np.asarray(done, np.uint8)


def across(drawn: Drawn) -> list[Rule]:
    return [
        rule
        for rule in drawn.rules
        if rule.end[0] - rule.start[0] > abs(rule.end[1] - rule.start[1])
    ]


def down(drawn: Drawn) -> list[Rule]:
    return [
        rule
        for rule in drawn.rules
        if rule.end[1] - rule.start[1] > abs(rule.end[0] - rule.start[0])
    ]


def assert_is_the_grid(drawn: Drawn, angle: float = 0.0, near: float = 4) -> None:
    """Its rules and no others, each from end to end."""
    level = sorted(turned((rule.start, rule.end), -angle) for rule in across(drawn))
    level.sort(key=lambda ends: ends[0][1])
    upright = sorted(turned((rule.start, rule.end), -angle) for rule in down(drawn))
    assert [(y0 + y1) / 2 for (_, y0), (_, y1) in level] == pytest.approx(list(YS), abs=near)
    assert [(x0 + x1) / 2 for (x0, _), (x1, _) in upright] == pytest.approx(list(XS), abs=near)
    for (x0, _), (x1, _) in level:
        assert (x0, x1) == pytest.approx((LEFT, RIGHT), abs=12)
    for (_, y0), (_, y1) in upright:
        assert (y0, y1) == pytest.approx((YS[0], YS[-1]), abs=12)


class TestGrid:
    def test_its_rules_and_no_others(self) -> None:
        drawn = rules_on(grid())
        assert_is_the_grid(drawn, near=2)
        assert drawn.fills == ()
        assert drawn.pictures == ()
        assert not drawn.too_many

    @pytest.mark.parametrize("thickness", [1, 2, 4])
    def test_of_any_thickness(self, thickness: int) -> None:
        drawn = rules_on(grid(thickness=thickness))
        assert_is_the_grid(drawn)
        for rule in drawn.rules:
            assert rule.thickness == pytest.approx(thickness, abs=1.5)

    @pytest.mark.parametrize("fill", ["#c8c8c8", "#d8d8ff", "#e0d8a0"])
    def test_in_pale_colours(self, fill: str) -> None:
        assert_is_the_grid(rules_on(grid(fill)))

    def test_in_noise(self) -> None:
        assert_is_the_grid(rules_on(noisy(grid())))

    def test_light_on_dark(self) -> None:
        assert_is_the_grid(rules_on(grid(thickness=2)))
        dark = (255 - grid().astype(np.int16)).astype(np.uint8)
        page = np.full((HEIGHT + 200, WIDTH + 200, 3), 255, np.uint8)
        page[100:-100, 100:-100] = dark
        drawn = rules_on(page)
        level = [rule for rule in across(drawn) if rule.thickness and rule.start[1] > 110]
        ys = [rule.start[1] - 100 for rule in level if rule.start[1] < HEIGHT]
        assert ys == pytest.approx(list(YS), abs=3)

    @pytest.mark.parametrize("degrees", [-3.0, -1.0, 0.3, 1.0, 2.0, 3.0])
    @pytest.mark.parametrize("spread", [0.0, 10.0])
    def test_askew(self, degrees: float, spread: float) -> None:
        angle = math.radians(degrees)
        pixels = noisy(askew(grid(), angle), spread)
        assert_is_the_grid(rules_on(pixels, angle), angle)

    def test_slightly_askew_without_being_told(self) -> None:
        angle = math.radians(0.3)
        assert_is_the_grid(rules_on(askew(grid(), angle)), angle, near=6)

    def test_with_gaps(self) -> None:
        pixels = grid()
        for x in range(LEFT + 30, RIGHT - 30, 60):
            pixels[YS[0] - 3 : YS[-1] + 4, x : x + 4] = 255
        level = sorted(across(rules_on(pixels)), key=lambda rule: rule.start[1])
        assert [rule.start[1] for rule in level] == pytest.approx(list(YS), abs=3)

    @pytest.mark.parametrize("scale", [0.5, 2.0])
    def test_at_other_sizes(self, scale: float) -> None:
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        pixels = cv2.resize(grid(), None, fx=scale, fy=scale, interpolation=how)
        level = across(rules_on(np.asarray(pixels, np.uint8)))
        ys = sorted(rule.start[1] / scale for rule in level)
        assert ys == pytest.approx(list(YS), abs=4)


class TestLines:
    @pytest.mark.parametrize(("dash", "gap"), [(10, 6), (3, 4), (2, 6)])
    def test_dashed_and_dotted(self, dash: int, gap: int) -> None:
        image, draw = blank()
        prose(draw)
        for x in range(LEFT, RIGHT, dash + gap):
            draw.rectangle((x, 500, x + dash - 1, 501), fill="black")
        (rule,) = across(rules_on(pixels_of(image)))
        assert rule.start == pytest.approx((LEFT, 501), abs=8)
        assert rule.end == pytest.approx((RIGHT, 501), abs=16)

    def test_leaders_are_none(self) -> None:
        image, draw = blank()
        for row in range(20):
            line = f"Chapter {row} " + ". " * 45 + f"{row * 7}"
            draw.text((120, 300 + 40 * row), line, fill="black", font=font(24))
        assert rules_on(pixels_of(image)) == NOTHING_DRAWN

    @pytest.mark.parametrize("size", [14, 20, 28, 44])
    @pytest.mark.parametrize("words", [PROSE, SHOUT, SHOUT.lower(), "il " * 30, "— – _ = " * 6])
    def test_letters_are_none(self, size: int, words: str) -> None:
        image, draw = blank()
        for row in range(1000 // size):
            draw.text((60, 80 + 1.4 * size * row), words, fill="black", font=font(size))
        assert rules_on(pixels_of(image)) == NOTHING_DRAWN

    def test_a_headings_letters_are_none_among_small_text(self) -> None:
        image, draw = blank()
        draw.text((120, 120), "Title ILLI", fill="black", font=font(90))
        prose(draw)
        assert rules_on(pixels_of(image)) == NOTHING_DRAWN

    def test_letters_in_noise_are_none(self) -> None:
        image, draw = blank()
        prose(draw, first=100, rows=44)
        assert rules_on(noisy(pixels_of(image), 15)) == NOTHING_DRAWN

    def test_a_short_upright_line_counts_where_it_meets_another(self) -> None:
        image, draw = blank()
        prose(draw)
        draw.line((LEFT, 400, RIGHT, 400), fill="black", width=2)
        draw.line((500, 401, 500, 440), fill="black", width=2)
        draw.line((500, 600, 500, 630), fill="black", width=2)
        drawn = rules_on(pixels_of(image))
        (meeting,) = down(drawn)
        assert meeting.end[1] == pytest.approx(440, abs=3)
        assert len(across(drawn)) == 1

    def test_text_close_above_does_not_hide_a_rule(self) -> None:
        image, draw = blank()
        draw.text((LEFT, 400), PROSE, fill="black", font=font(24))
        box = draw.textbbox((LEFT, 400), PROSE, font=font(24))
        draw.line((LEFT, box[3] + 3, RIGHT, box[3] + 3), fill="black", width=2)
        prose(draw)
        (rule,) = across(rules_on(pixels_of(image)))
        assert rule.start[1] == pytest.approx(box[3] + 3, abs=2)


class TestDots:
    @pytest.mark.parametrize("dense", [(), (300,), (300, 560)])
    def test_a_dotted_rule_is_one_though_its_dots_run_together_in_places(
        self, dense: tuple[int, ...]
    ) -> None:
        image = Image.new("RGB", (WIDTH, HEIGHT), "white")
        draw = ImageDraw.Draw(image)
        prose(draw)
        for x in range(LEFT, RIGHT, 6):
            draw.rectangle((x, 300, x + 2, 302), fill="black")
        for x in dense:
            draw.rectangle((x, 300, x + 130, 302), fill="black")
        [rule] = [
            each for each in across(rules_on(pixels_of(image))) if 295 < each.start[1] < 308
        ]
        assert (rule.start[0], rule.end[0]) == pytest.approx((LEFT, RIGHT), abs=12)

    def test_letters_behind_a_rule_do_not_make_it_longer(self) -> None:
        image = Image.new("RGB", (WIDTH, HEIGHT), "white")
        draw = ImageDraw.Draw(image)
        prose(draw)
        draw.rectangle((LEFT, 300, 500, 302), fill="black")
        draw.text((506, 288), "illiterate minimum", fill="black", font=font(22))
        [rule] = [
            each for each in across(rules_on(pixels_of(image))) if 295 < each.start[1] < 308
        ]
        assert rule.end[0] == pytest.approx(500, abs=12)


class TestShades:
    def zebra(self, shade: str, words: str = "black") -> Pixels:
        image, draw = blank()
        for row in range(0, 10, 2):
            draw.rectangle((LEFT, TOP + ROW * row, RIGHT, TOP + ROW * (row + 1)), fill=shade)
        for row in range(10):
            ink = words if row % 2 == 0 else "black"
            for x in XS[:-1]:
                place = (x + 12, TOP + ROW * row + 10)
                draw.text(place, f"Tide {row * 37}", fill=ink, font=font(22))
        prose(draw)
        return pixels_of(image)

    @pytest.mark.parametrize(
        ("shade", "words"),
        [
            ("#eeeeee", "black"),
            ("#ffffcc", "black"),
            ("#dde8ff", "black"),
            ("#203060", "white"),
            ("#808080", "white"),
        ],
    )
    @pytest.mark.parametrize("spread", [0.0, 3.0])
    def test_shaded_rows(self, shade: str, words: str, spread: float) -> None:
        drawn = rules_on(noisy(self.zebra(shade, words), spread))
        fills = sorted(drawn.fills, key=lambda box: box[1])
        assert len(fills) == 5
        for row, box in zip(range(0, 10, 2), fills, strict=True):
            top = TOP + ROW * row
            assert box == pytest.approx((LEFT, top, RIGHT, top + ROW), abs=5)
        edges = [rule for rule in across(drawn) if rule.thickness == 0]
        assert [rule.start[1] for rule in edges] == pytest.approx(
            [TOP + ROW * row for row in range(10)], abs=5
        )

    def test_what_hangs_from_a_shade_does_not_move_its_edge(self) -> None:
        image = Image.new("RGB", (WIDTH, HEIGHT), "white")
        draw = ImageDraw.Draw(image)
        draw.rectangle((LEFT, TOP, RIGHT, TOP + ROW), fill="#eeeeee")
        draw.rectangle((LEFT + 40, TOP + ROW, LEFT + 60, TOP + ROW + 24), fill="#eeeeee")
        [band] = rules_on(pixels_of(image)).fills
        assert band == pytest.approx((LEFT, TOP, RIGHT, TOP + ROW), abs=2)

    def test_white_lines_between_shaded_cells(self) -> None:
        image, draw = blank()
        draw.rectangle((LEFT, TOP, RIGHT, TOP + 4 * ROW), fill="#f0b070")
        for x in XS[1:-1]:
            draw.line((x, TOP, x, TOP + 4 * ROW), fill="white", width=2)
        prose(draw)
        xs = {round(rule.start[0]) for rule in down(rules_on(pixels_of(image)))}
        for x in XS[1:-1]:
            assert any(abs(x - found) <= 3 for found in xs)

    @pytest.mark.parametrize(("shade", "words"), [("#333333", "white"), ("#dddddd", "black")])
    def test_a_band_is_whole_around_close_letters(self, shade: str, words: str) -> None:
        image, draw = blank()
        band = (LEFT, TOP, RIGHT, TOP + 38)
        draw.rectangle(band, fill=shade)
        for x in (LEFT + 8, LEFT + 9):  # bold
            draw.text((x, TOP + 6), "1. ABOUT YOU MMMMMM HHH", fill=words, font=font(24))
        prose(draw)
        [fill] = rules_on(pixels_of(image)).fills
        assert fill == pytest.approx(band, abs=3)

    def test_text_alone_has_none(self) -> None:
        image, draw = blank()
        prose(draw, first=100, rows=44)
        assert rules_on(pixels_of(image)).fills == ()


class TestSizes:
    @pytest.mark.parametrize(
        ("width", "height"), [(1, 1), (1, 900), (900, 1), (16, 16), (17, 300), (300, 17)]
    )
    def test_tiny_pictures_do_no_harm(self, width: int, height: int) -> None:
        generator = np.random.default_rng(1)
        for pixels in (
            np.full((height, width, 3), 255, np.uint8),
            generator.integers(0, 255, (height, width, 3), np.uint8),
        ):
            for angle in (0.0, 0.05):
                assert isinstance(rules_on(pixels, angle), Drawn)

    def test_a_read_only_picture_is_left_as_it_is(self) -> None:
        pixels = grid()
        pixels.flags.writeable = False
        before = pixels.copy()
        rules_on(pixels, 0.01)
        assert (pixels == before).all()

    def test_letters_are_measured(self) -> None:
        image, draw = blank()
        prose(draw, first=100, rows=44)
        grey = np.asarray(image.convert("L"))
        assert letter_height(grey) == pytest.approx(0.7 * 24, abs=5)


@given(
    st.floats(-0.3, 0.3),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.tuples(st.floats(0, 1000), st.floats(0, 1000)),
)
@settings(max_examples=50)
def test_points_go_back_to_where_they_were(
    angle: float, scale: float, point: tuple[float, float]
) -> None:
    upright = Upright.of(1200, 1600, angle, scale)
    origin, right = upright.back((0.0, 0.0)), upright.back((100.0 * scale, 0.0))
    direction = math.atan2(right[1] - origin[1], right[0] - origin[0])
    assert math.dist(origin, right) == pytest.approx(100, abs=0.1)
    assert direction == pytest.approx(angle, abs=0.002)
