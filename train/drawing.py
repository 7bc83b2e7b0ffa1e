"""Lines as in a page's scan, cut out as by the detector: 48 pixels high.

A line is drawn at the height that it has on the page (12 to 70 pixels), with its
surroundings (rules, frames, neighbours), degraded as by printers, scanners and cameras, then
scaled, as reading does.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from train.letters import CLASSES, SIGNS, label
from train.texts import Texts

HEIGHT = 48
PADDING = 127
SIZES = (9, 11, 13, 15, 17, 19, 21, 24, 27, 31, 36, 44)  # of the font, in pixels
LONGEST = 110  # maximum letters of a label

Gray = NDArray[np.uint8]


class Fonts:
    """The fonts of a folder, each opened in each size when first used."""

    def __init__(self, folder: Path) -> None:
        """The files' names begin with their weights, as `train.fonts` names them."""
        self._paths = sorted(folder.iterdir())
        weights = np.array([float(path.name.split("-")[0]) for path in self._paths])
        self._shares = weights / weights.sum()
        self._opened: dict[tuple[int, int], ImageFont.FreeTypeFont] = {}
        self._held: dict[int, frozenset[str]] = {}

    def pick(
        self, chance: np.random.Generator, size: int
    ) -> tuple[ImageFont.FreeTypeFont, frozenset[str]]:
        """A font of a size in pixels, and its signs."""
        place = int(chance.choice(len(self._paths), p=self._shares))
        if (place, size) not in self._opened:
            self._opened[place, size] = ImageFont.truetype(
                str(self._paths[place]), size, layout_engine=ImageFont.Layout.BASIC
            )
        if place not in self._held:
            self._held[place] = _signs(self._paths[place])
        return self._opened[place, size], self._held[place]

    def sized(self, font: ImageFont.FreeTypeFont, size: int) -> ImageFont.FreeTypeFont | None:
        """The same font in another size; None if it is not one of these, or too small."""
        if Path(str(font.path)).parent != self._paths[0].parent or size < 7:
            return None
        return font.font_variant(size=size)


def _signs(path: Path) -> frozenset[str]:
    from fontTools.ttLib import TTFont

    return frozenset(map(chr, TTFont(path, lazy=True).getBestCmap() or {}))


class Lines:
    """Endless lines: pictures and their text."""

    def __init__(self, data: Path, texts: Texts, seed: int) -> None:
        """Use the fonts in `latin/`, `signs/` and `foreign/` of a folder."""
        self._latin, self._foreign = Fonts(data / "latin"), Fonts(data / "foreign")
        self._signs = Fonts(data / "signs")
        self._texts, self._chance = texts, np.random.default_rng(seed)

    def batch(self, count: int, width: int) -> tuple[Gray, NDArray[np.int16]]:
        """Lines of at most a width: N × 48 × width, and N × `LONGEST` classes, -1 behind."""
        pictures = np.full((count, HEIGHT, width), PADDING, np.uint8)
        labels = np.full((count, LONGEST), -1, np.int16)
        ends = np.zeros(count, np.int16)
        done = 0
        while done < count:
            drawn = self._line(width)
            if drawn is None:
                continue
            picture, classes = drawn
            pictures[done, :, : picture.shape[1]] = picture
            labels[done, : len(classes)] = classes
            ends[done] = picture.shape[1]
            done += 1
        return pictures, np.concatenate([labels, ends[:, np.newaxis]], axis=1)

    def _line(self, width: int) -> tuple[Gray, list[int]] | None:
        chance = self._chance
        most = width // 20
        least = 1 if width <= 320 else most // 2
        text = self._texts.line(int(chance.integers(least, most + 1)))
        font, held = self._latin.pick(chance, int(chance.choice(SIZES)))
        runs = self._runs(text, font, held)
        if not runs:
            return None
        page, box, kept = self._drawn(runs, font, width)
        if not kept:
            return None
        picture = self._cut(_worse(page, chance), box, width)
        classes = label(kept)
        frames = -(-picture.shape[1] // 8)
        needed = len(classes) + sum(a == b for a, b in itertools.pairwise(classes))
        if needed > frames or len(classes) > LONGEST:
            return None
        return picture, classes

    def _runs(
        self, text: str, font: ImageFont.FreeTypeFont, held: frozenset[str]
    ) -> list[tuple[str, ImageFont.FreeTypeFont]]:
        """Words and the font of each; occasionally one in another script."""
        chance, runs = self._chance, []
        if chance.random() < 0.04:
            runs.append(self._other(self._signs, font, "■□▪▫●○◦▶►◆★☐☑☒✓✔✗", 1))
        for word in text.split():
            shown = "".join(c for c in word if c in held and c in CLASSES)
            way = chance.random()
            if shown and way < 0.02:
                runs.append(self._other(self._foreign, font, "", int(chance.integers(1, 5))))
            elif shown and way < 0.045:
                runs.append(
                    self._other(self._signs, font, SIGNS, int(chance.choice((1, 1, 2))))
                )
            elif shown:
                runs.append((shown, font))
        return runs

    def _other(
        self, fonts: Fonts, beside: ImageFont.FreeTypeFont, among: str, count: int
    ) -> tuple[str, ImageFont.FreeTypeFont]:
        """Signs in a font that has them: those among a text, or ones unknown to the network."""
        known: list[str] = []
        while not known:
            font, held = fonts.pick(self._chance, int(beside.size))
            known = sorted(held & set(among) if among else held - set(CLASSES))
        return "".join(self._chance.choice(known, count)), font

    def _drawn(
        self, runs: list[tuple[str, ImageFont.FreeTypeFont]], font: ImageFont.FreeTypeFont,
        width: int,
    ) -> tuple[Gray, tuple[int, int, int, int], str]:  # fmt: skip
        """The text on a page, the box of its ink, and which of it was drawn."""
        chance = self._chance
        size = font.size
        space = size * chance.choice(
            (0.2, 0.25, 0.3, 0.35, 0.5, 1.0), p=(0.1, 0.3, 0.3, 0.15, 0.1, 0.05)
        )
        tracked = chance.random() < 0.12
        tracking = size * chance.uniform(-0.04, 0.25) if tracked else 0.0
        room = int(width * size * 0.78 / HEIGHT) + 3 * size
        page = Image.new("L", (room + 2 * size, 3 * size), 255)
        pen = ImageDraw.Draw(page)
        x, base = float(size), 2 * size
        stroke = 1 if size > 24 and chance.random() < 0.06 else 0
        kept: list[str] = []
        for word, face in runs:
            shown = _with_ligatures(word, face, chance)
            wide = face.getlength(shown) + tracking * len(shown)
            if x + wide > room + size and kept:
                break
            if tracking:
                for letter in shown:
                    pen.text((x, base), letter, 0, face, "ls", stroke_width=stroke)
                    x += face.getlength(letter) + tracking
            else:
                pen.text((x, base), shown, 0, face, "ls", stroke_width=stroke)
                x += wide
            if chance.random() < 0.035:
                tail = self._texts.tail()
                small = self._latin.sized(face, int(size * 0.68))
                if small is not None:
                    pen.text(
                        (x, base + size * chance.choice((-0.38, 0.16))), tail, 0, small, "ls"
                    )
                    x, word = x + small.getlength(tail), word + tail
            kept.append(word)
            if chance.random() < 0.04:
                x += size * chance.uniform(0.5, 3)
            x += space
        ink = page.point(lambda value: 255 - value).getbbox()
        if ink is None or x > page.width + size:
            return np.asarray(page), (0, 0, 0, 0), ""
        self._surround(pen, ink, font, page.width)
        return np.array(page), ink, " ".join(kept)

    def _surround(
        self, pen: ImageDraw.ImageDraw, ink: tuple[int, int, int, int],
        font: ImageFont.FreeTypeFont, wide: int,
    ) -> None:  # fmt: skip
        """Rules, frames and neighbours, as in tables, forms and running text."""
        chance = self._chance
        x0, y0, x1, y1 = ink
        size = font.size
        thick = 1 + int(chance.random() < 0.25) + int(chance.random() < 0.1) * size // 12
        shade = int(chance.choice((0, 0, 60, 140)))
        if chance.random() < 0.15:
            y = y1 + int(chance.uniform(0.0, 0.35) * size)
            pen.line((0, y, wide, y), shade, thick)
        if chance.random() < 0.08:
            y = y0 - int(chance.uniform(0.05, 0.35) * size) - thick
            pen.line((0, y, wide, y), shade, thick)
        for edge, sign in ((x0, -1), (x1, 1)):
            if chance.random() < 0.08:
                x = edge + sign * int(chance.uniform(0.08, 0.4) * size)
                pen.line((x, 0, x, 3 * size), shade, thick)
        if chance.random() < 0.2:
            for y in (2 * size - 1.15 * size, 2 * size + 1.2 * size):
                text = self._texts.line(20)[:40]
                pen.text((chance.uniform(-size, x1 / 2), y), text, 0, font, "ls")

    def _cut(self, page: Gray, box: tuple[int, int, int, int], width: int) -> Gray:
        """The line as cut by the detector, 48 pixels high."""
        chance = self._chance
        x0, y0, x1, y1 = box
        high = y1 - y0
        above, below = chance.uniform(-0.04, 0.42, 2) * max(high, 8)
        left, right = chance.uniform(-0.02, 0.4, 2) * max(high, 8)
        if high < 10 or chance.random() < 0.3:  # a dash, a dot: in a box of the line's height
            above, below = above + 5, below + 3
        top, bottom = y0 - above, y1 + below
        tilt = chance.normal(0, 0.006) if chance.random() < 0.4 else 0.0
        shear = chance.uniform(-0.25, 0.25) if chance.random() < 0.05 else 0.0
        scale = HEIGHT / max(bottom - top, 4)
        squeeze = chance.uniform(0.8, 1.15) if chance.random() < 0.3 else 1.0
        wide = int(np.clip((x1 + right - x0 + left) * scale * squeeze, 8, width))
        across = max(8.0, x1 + right - x0 + left) / wide
        matrix = np.array(
            [[across, shear, x0 - left - shear * HEIGHT / 2],
             [tilt, 1 / scale, top - tilt * wide / 2]], np.float32,
        )  # fmt: skip
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        edge = int(np.median(page[::4, ::8]))
        if scale < 0.5:
            page = cv2.blur(page, (2, 2))
        return cv2.warpAffine(
            page, matrix, (wide, HEIGHT), flags=flags, borderMode=cv2.BORDER_CONSTANT,
            borderValue=edge,
        )  # fmt: skip


def _with_ligatures(
    word: str, face: ImageFont.FreeTypeFont, chance: np.random.Generator
) -> str:
    if ("fi" in word or "fl" in word) and chance.random() < 0.4:
        joined = word.replace("fi", "\ufb01").replace("fl", "\ufb02")
        if face.getmask("\ufb01").getbbox() and face.getlength("\ufb01") != face.getlength(
            "\uffff"
        ):
            return joined
    return word


def _worse(page: Gray, chance: np.random.Generator) -> Gray:
    """The page after printers, scanners, cameras and compression."""
    worse = page
    if chance.random() < 0.2:  # a worn or a fat print
        kernel = np.ones((2, 2), np.uint8)
        worse = cv2.erode(worse, kernel) if chance.random() < 0.5 else cv2.dilate(worse, kernel)
        worse = cv2.addWeighted(page, 0.5, worse, 0.5, 0)
    if chance.random() < 0.25:
        worse = cv2.GaussianBlur(worse, (0, 0), float(chance.uniform(0.3, 1.1)))
    if chance.random() < 0.2:  # scanned with fewer dots
        share = float(chance.uniform(0.5, 0.9))
        small = cv2.resize(worse, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        worse = cv2.resize(small, worse.shape[::-1], interpolation=cv2.INTER_LINEAR)
    if chance.random() < 0.08:  # two colours, as a fax has
        noise = chance.normal(0, 18, worse.shape)
        level = chance.uniform(140, 215)
        return np.where(worse + noise > level, 255, 0).astype(np.uint8)
    paper, ink = chance.uniform(170, 255), chance.uniform(0, 110)
    if chance.random() < 0.3:
        paper, ink = 255.0, chance.uniform(0, 60)
    if chance.random() < 0.07:  # light on dark
        paper, ink = ink, paper
    scaled = ink + worse.astype(np.float32) * ((paper - ink) / 255)
    if chance.random() < 0.25:
        scaled += chance.normal(0, chance.uniform(2, 14), worse.shape)
    if chance.random() < 0.1:  # light that falls from one side
        scaled += np.linspace(-1, 1, worse.shape[1]) * chance.uniform(5, 35)
    result = np.clip(scaled, 0, 255).astype(np.uint8)
    if chance.random() < 0.25:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(chance.integers(25, 90))]
        result = cv2.imdecode(cv2.imencode(".jpg", result, quality)[1], cv2.IMREAD_GRAYSCALE)
    return result
