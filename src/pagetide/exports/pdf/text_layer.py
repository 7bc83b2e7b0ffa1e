"""A page's words as invisible text in a PDF page's own space."""

from __future__ import annotations

import math
from collections.abc import Iterator
from unicodedata import bidirectional, combining

import msgspec
from msgspec import Struct

from pagetide.document import Page
from pagetide.exports.pdf.glyphless import ADVANCE, DESCENT, Codes
from pagetide.geometry import Box, Point, Polygon, oriented
from pagetide.layout.words import spaced_words

FONT_NAME = "PagetideGlyphless"  # in a page's resources


class PlacedWord(Struct, frozen=True, array_like=True):
    """A word, the rectangle it fills, and the next word's start where a space lies between.

    Both are fractions of the displayed page's width and height, from its top left.
    """

    text: str
    polygon: Polygon
    next_start: Point | None


class PageLayer(Struct, frozen=True, array_like=True):
    """The words to lay over one page.

    Attributes:
        number: The page's, from 1.
    """

    number: int
    words: tuple[PlacedWord, ...]


layers_from_msgpack = msgspec.msgpack.Decoder(list[PageLayer]).decode


def layer_of(page: Page) -> PageLayer:
    """The words of a page that was read as a picture, with page fractions for places."""

    def fraction(point: Point) -> Point:
        return (point[0] / page.width, point[1] / page.height)

    words: list[PlacedWord] = []
    for line in page.lines:
        found = [(word, oriented(word.polygon), space) for word, space in spaced_words(line)]
        for place, (word, polygon, is_spaced) in enumerate(found):
            follows = found[place + 1][1] if place + 1 < len(found) else None
            if follows and not is_spaced:
                polygon = _reaching(polygon, follows)
            words.append(
                PlacedWord(
                    word.text,
                    tuple(fraction(point) for point in polygon),
                    fraction(follows[3]) if follows and is_spaced else None,
                )
            )
    return PageLayer(page.number, tuple(words))


def _reaching(word: Polygon, follows: Polygon) -> Polygon:
    """A word drawn out to the next, where no space lies between: readers take gaps for one."""
    (_, _, right, left), start = word, follows[3]
    along = (right[0] - left[0], right[1] - left[1])
    gap = (start[0] - right[0], start[1] - right[1])
    if along[0] * gap[0] + along[1] * gap[1] <= 0:
        return word
    return (word[0], (word[1][0] + gap[0], word[1][1] + gap[1]), start, left)


class UserSpace:
    """From fractions of a page as displayed to the page's own coordinates.

    Args:
        box: The part of the page that is displayed, in its own coordinates.
        rotate: How far it is turned clockwise when displayed: 0, 90, 180 or 270.
    """

    def __init__(self, box: Box, rotate: int) -> None:
        self._box = box
        self._rotate = rotate % 360

    def point(self, fraction: Point) -> Point:
        """The page's own coordinates, y up, of a point given in fractions, y down."""
        u, v = fraction
        left, bottom, right, top = self._box
        across, up = {
            0: (u, 1 - v),
            90: (v, u),
            180: (1 - u, v),
            270: (1 - v, 1 - u),
        }.get(self._rotate, (u, 1 - v))
        return (left + across * (right - left), bottom + up * (top - bottom))


def content(layer: PageLayer, space: UserSpace, codes: Codes, font: str = FONT_NAME) -> bytes:
    """The layer as a content stream.

    It leaves the graphics state as it was, and draws nothing (text rendering mode 3), so
    that it may stand before a page's own content, whatever state that leaves behind.

    Args:
        layer: The words.
        space: The page's.
        codes: The document's; new characters get theirs.
        font: The font's name in the page's resources.
    """
    parts = ["q BT 3 Tr", f"/{font} 1 Tf"]
    for word in layer.words:
        parts += _shown(word, space, codes)
    return "\n".join([*parts, "ET Q", ""]).encode("ascii")


def _shown(word: PlacedWord, space: UserSpace, codes: Codes) -> Iterator[str]:
    top_left, _, bottom_right, bottom_left = map(space.point, word.polygon)
    along = (bottom_right[0] - bottom_left[0], bottom_right[1] - bottom_left[1])
    length = math.hypot(*along)
    height = math.dist(top_left, bottom_left)
    if not word.text or length <= 0 or height <= 0:
        return
    # The font's height stands at a right angle to the word's run, as readers expect.
    up = (-along[1] / length * height, along[0] / length * height)
    origin = (
        bottom_left[0] - up[0] * DESCENT / 1000,
        bottom_left[1] - up[1] * DESCENT / 1000,
    )
    yield _run(_visual(word.text), along, up, origin, codes)
    if word.next_start:
        end = (origin[0] + along[0], origin[1] + along[1])
        start = space.point(word.next_start)
        gap = [start[axis] - bottom_right[axis] for axis in (0, 1)]
        wide = (gap[0] * along[0] + gap[1] * along[1]) / length
        # Words that touch or stand in reverse order still get a space, a thin one.
        share = max(wide, height / 20) / length
        yield _run(" ", (along[0] * share, along[1] * share), up, end, codes)


def _run(text: str, along: Point, up: Point, origin: Point, codes: Codes) -> str:
    """The text, stretched from `origin` by `along`, in a font of size 1."""
    stretch = 1000 / (ADVANCE * len(text))
    a, b = along[0] * stretch, along[1] * stretch
    numbers = " ".join(f"{value:.4f}".rstrip("0").rstrip(".") for value in (a, b, *up, *origin))
    return f"{numbers} Tm <{codes.hex(text)}> Tj"


def _visual(text: str) -> str:
    """The characters in the order they stand on the page, from left to right.

    Readers take a right-to-left run from the page's right end; so it is laid out the way a
    typesetter would. Marks stay behind the letter that bears them, digits keep their order.
    """
    if not any(bidirectional(letter) in ("R", "AL") for letter in text):
        return text
    clusters: list[str] = []
    for letter in text:
        joins = clusters and (
            combining(letter) or (_is_digit(letter) and _is_digit(clusters[-1][-1]))
        )
        if joins:
            clusters[-1] += letter
        else:
            clusters.append(letter)
    return "".join(reversed(clusters))


def _is_digit(letter: str) -> bool:
    return bidirectional(letter) in ("EN", "AN")
