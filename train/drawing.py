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
from PIL import Image, ImageDraw

from train.faces import SMALLEST, Face, Faces, Piece, Word
from train.formulas import formula
from train.letters import CLASSES, LIGATURES, SIGNS, label
from train.mathematics import Formulas
from train.texts import Texts

HEIGHT = 48
PADDING = 127
SIZES = (9, 11, 13, 15, 17, 19, 21, 24, 27, 31, 36, 44)  # of the font, in pixels
LONGEST = 110  # maximum letters of a label
WITH_FORMULAS = 0.2  # the share of lines with formulas
SPACES = (0.2, 0.25, 0.3, 0.35, 0.5, 1.0)  # of the letters' height
SPACE_SHARES = (0.1, 0.3, 0.3, 0.15, 0.1, 0.05)
_INVERTED = [255 - value for value in range(256)]

Gray = NDArray[np.uint8]


class Lines:
    """Endless lines: pictures and their text."""

    def __init__(self, data: Path, texts: Texts, seed: int) -> None:
        """Use the fonts in `latin/`, `signs/`, `foreign/` and `math/` of a folder."""
        self._latin, self._foreign = Faces(data / "latin"), Faces(data / "foreign")
        self._signs, self._formulas = Faces(data / "signs"), Formulas(data)
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
        letters = int(chance.integers(least, most + 1))
        place, size = self._latin.any(chance), SIZES[chance.integers(len(SIZES))]
        words = self._words(letters, place, size)
        if not words:
            return None
        face = self._latin.sized(place, size)
        page, box, kept = self._drawn(words, face, width)
        if not kept:
            return None
        picture = self._cut(_worse(page, chance), box, width)
        classes = label(kept)
        frames = -(-picture.shape[1] // 8)
        needed = len(classes) + sum(a == b for a, b in itertools.pairwise(classes))
        if needed > frames or len(classes) > LONGEST:
            return None
        return picture, classes

    def _words(self, letters: int, place: int, size: int) -> list[Word]:
        """The words of a line of about this many letters: text, formulas, or both."""
        if self._chance.random() >= WITH_FORMULAS:
            return self._of_text(self._texts.line(letters), place, size)
        if self._chance.random() < 0.3:
            return [word for word in [self._formula(max(1, letters // 4), place, size)] if word]
        words: list[Word] = []
        for word in self._of_text(self._texts.line(letters), place, size):
            if self._chance.random() < 0.35:
                words.append(self._formula(int(self._chance.integers(1, 4)), place, size))
            words.append(word)
        return [word for word in words if word]

    def _formula(self, terms: int, place: int, size: int) -> Word:
        marks = formula(self._texts.random, terms)
        return self._formulas.word(marks, self._chance, (self._latin, place), size)

    def _of_text(self, text: str, place: int, size: int) -> list[Word]:
        """The words of a text, occasionally one in another script, a note's number behind."""
        chance, words = self._chance, []
        face, held = self._latin.sized(place, size), self._latin.held(place)
        if chance.random() < 0.04:
            words.append([self._other(self._signs, face, "■□▪▫●○◦▶►◆★☐☑☒✓✔✗", 1)])
        for word in text.split():
            shown = "".join(c for c in word if c in held and c in CLASSES)
            way = chance.random()
            if not shown:
                continue
            if way < 0.02:
                words.append([self._other(self._foreign, face, "", int(chance.integers(1, 5)))])
            elif way < 0.045:
                count = int(chance.choice((1, 1, 2)))
                words.append([self._other(self._signs, face, SIGNS, count)])
            else:
                piece = Piece(_with_ligatures(shown, held, chance), shown, face)
                words.append([piece, *self._tail(shown, place, size)])
        return words

    def _tail(self, word: str, place: int, size: int) -> list[Piece]:
        """A raised or lowered text behind a word, seldom."""
        ordinal = word.isdigit() and len(word) < 3
        if self._chance.random() > (0.2 if ordinal else 0.035):
            return []
        tail = self._texts.tail()
        if ordinal and self._chance.random() < 0.7:
            tail = self._texts.random.choice(
                ("st", "nd", "rd", "th", "th", "er", "e", "º", "ª")
            )
        if not set(tail) <= self._latin.held(place):
            return []
        small = self._latin.sized(place, max(SMALLEST, round(size * 0.68)))
        rise = size * self._chance.choice((0.38, 0.38, -0.16))
        pieces = [Piece(tail, tail, small, rise)]
        if self._chance.random() < 0.25:
            end = self._texts.random.choice(".,;:)")
            pieces.append(Piece(end, end, self._latin.sized(place, size)))
        return pieces

    def _other(self, fonts: Faces, beside: Face, among: str, count: int) -> Piece:
        """Signs in a font that has them: those among a text, or ones unknown to the network."""
        known: list[str] = []
        while not known:
            face, held = fonts.pick(self._chance, int(beside.size))
            known = sorted(held & set(among) if among else held - set(CLASSES))
        signs = "".join(self._chance.choice(known, count))
        return Piece(signs, signs, face)

    def _drawn(
        self, words: list[Word], font: Face, width: int
    ) -> tuple[Gray, tuple[int, int, int, int], str]:
        """The text on a page, the box of its ink, and which of it was drawn."""
        chance = self._chance
        size = font.size
        space = size * float(chance.choice(SPACES, p=SPACE_SHARES))
        tracked = chance.random() < 0.12
        tracking = size * chance.uniform(-0.04, 0.25) if tracked else 0.0
        room = int(width * size * 0.78 / HEIGHT) + 3 * size
        page = Image.new("L", (int(room + 2 * size), int(3 * size)), 255)
        pen = ImageDraw.Draw(page)
        x, base = float(size), 2 * size
        stroke = 1 if size > 24 and chance.random() < 0.06 else 0
        kept: list[str] = []
        for word in words:
            letters = sum(len(piece.shown) for piece in word)
            if (
                x + sum(piece.wide for piece in word) + tracking * letters > room + size
                and kept
            ):
                break
            for piece in word:
                x = _written(pen, piece, x, base, tracking, stroke)
            kept.append("".join(piece.text for piece in word))
            if chance.random() < 0.04:
                x += size * chance.uniform(0.5, 3)
            x += space
        ink = page.point(_INVERTED).getbbox()
        if ink is None or x > page.width + size:
            return np.asarray(page), (0, 0, 0, 0), ""
        self._surround(pen, ink, font, page.width)
        return np.array(page), ink, " ".join(kept)

    def _surround(
        self, pen: ImageDraw.ImageDraw, ink: tuple[int, int, int, int],
        font: Face, wide: int,
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


def _written(
    pen: ImageDraw.ImageDraw, piece: Piece, x: float, base: float, tracking: float, stroke: int
) -> float:
    """Write a piece; where the next one begins."""
    x += piece.gap
    if not tracking:
        pen.text((x, base - piece.rise), piece.shown, 0, piece.face, "ls", stroke_width=stroke)
        return x + piece.face.getlength(piece.shown)
    for letter in piece.shown:
        pen.text((x, base - piece.rise), letter, 0, piece.face, "ls", stroke_width=stroke)
        x += piece.face.getlength(letter) + tracking
    return x


def _with_ligatures(word: str, held: frozenset[str], chance: np.random.Generator) -> str:
    """The word as printed, in some lines with the ligatures that the font has."""
    if "f" in word and chance.random() < 0.4:
        for letters, ligature in LIGATURES.items():
            if ligature in held:
                word = word.replace(letters, ligature)
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
