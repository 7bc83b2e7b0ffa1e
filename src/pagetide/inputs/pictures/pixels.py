"""A decoded picture on its way to three 8-bit channels: upright, over white, in strips.

A strip is converted when it is sent, so that a large picture is never held twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PIL import Image

_STRIP_ROWS = 256
_ORIENTATION = 0x0112  # EXIF and TIFF
_PHOTOMETRIC, _WHITE_IS_ZERO = 262, 0
_GREY_MODES = {"1", "L", "I", "F", "I;16", "I;16B", "I;16L", "I;16N"}
_ALPHA_MODES = {"RGBA", "RGBa", "LA", "La", "PA"}

_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_DEGREES = {3: 180, 6: 90, 8: 270}
_ON_THEIR_SIDE = {5, 6, 7, 8}


@dataclass(frozen=True)
class Turn:
    """How a picture is displayed.

    Attributes:
        orientation: The EXIF code that is still to be applied, 1 for none.
        degrees: The whole turn, clockwise; 0 if the picture is mirrored, too.
        width: Pixels, as displayed; the same for `height`.
    """

    orientation: int
    degrees: int
    width: int
    height: int


@dataclass(frozen=True)
class Decoded:
    """A picture, decoded and upright.

    Attributes:
        channels: 1 (grey) or 3 (blue-green-red).
    """

    image: Image.Image
    channels: int
    convert: Callable[[Image.Image], Image.Image]

    @property
    def size(self) -> int:
        """Bytes of all strips together."""
        return self.image.width * self.image.height * self.channels

    def strips(self) -> Iterator[bytes]:
        """The pixels, some rows at a time from the top, with nothing between rows."""
        packing = "L" if self.channels == 1 else "BGR"
        width, height = self.image.size
        for top in range(0, height, _STRIP_ROWS):
            bottom = min(top + _STRIP_ROWS, height)
            strip = self.convert(self.image.crop((0, top, width, bottom)))
            yield strip.tobytes("raw", packing)


def turn_of(image: Image.Image) -> Turn:
    """How an opened picture, decoded or not, is displayed."""
    orientation = image.getexif().get(_ORIENTATION, 1)
    degrees = _DEGREES.get(orientation, 0)
    width, height = image.size
    if image.format == "TIFF":  # Pillow turns one as it loads it, and gives its size so
        return Turn(1, degrees, width, height)
    if orientation in _ON_THEIR_SIDE:
        width, height = height, width
    return Turn(orientation, degrees, width, height)


def decode(image: Image.Image, turn: Turn) -> Decoded:
    """The picture, decoded and turned, ready for conversion."""
    image.load()
    if turn.orientation in _TURNS:
        image = image.transpose(_TURNS[turn.orientation])
    convert = _conversion(image)
    channels = 1 if convert(image.crop((0, 0, 1, 1))).mode == "L" else 3
    return Decoded(image, channels, convert)


def _conversion(image: Image.Image) -> Callable[[Image.Image], Image.Image]:
    """The conversion of a strip of this picture to 8-bit grey (mode L) or colour (mode RGB)."""
    if image.mode in {"L", "RGB"} and "transparency" not in image.info:
        return lambda strip: strip
    if image.mode in _ALPHA_MODES or "transparency" in image.info:
        return _over_white
    if image.mode == "LAB":
        return _from_lab
    if image.mode in {"1", "L"}:
        return lambda strip: strip.convert("L")
    if image.mode in _GREY_MODES:
        return _deep_grey(image)
    return lambda strip: strip.convert("RGB")


def _over_white(strip: Image.Image) -> Image.Image:
    if strip.mode in _GREY_MODES and strip.mode not in {"1", "L"}:
        return _deep_grey(strip)(strip)  # 16-bit grey with one value as transparent
    clear = strip.convert("RGBA")
    white = Image.new("RGB", strip.size, "white")
    white.paste(clear, mask=clear)
    return white


def _from_lab(strip: Image.Image) -> Image.Image:
    from PIL import ImageCms

    spaces = (ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB"))
    converted = ImageCms.profileToProfile(strip, *spaces, outputMode="RGB")
    assert converted is not None  # noqa: S101  # for the type: it was not done in place
    return converted


def _deep_grey(image: Image.Image) -> Callable[[Image.Image], Image.Image]:
    """The conversion of grey of more than 8 bits to 8.

    16 bits are scaled by their full range; wider integers and floating point, whose range no
    format states, by 0–1 or 0–255 or 0–65535 if that contains them, otherwise by their own.
    """
    low, high = image.getextrema()
    assert isinstance(low, int | float) and isinstance(high, int | float)  # noqa: S101  # one channel
    floor, ceiling = 0.0, 65535.0
    if image.mode in {"I", "F"}:
        whole = next((top for top in (1, 255, 65535) if high <= top), None)
        if image.mode == "I" and high <= 1:
            whole = 255
        floor, ceiling = (0.0, float(whole)) if whole and low >= 0 else (low, high)
    scale = 255 / (ceiling - floor) if ceiling > floor else 1.0
    if _is_inverted(image):
        floor, scale = ceiling, -scale

    def convert(strip: Image.Image) -> Image.Image:
        wide = strip if strip.mode in {"I", "F"} else strip.convert("I")
        return wide.point(lambda value: value * scale + (0.5 - floor * scale)).convert("L")

    return convert


def _is_inverted(image: Image.Image) -> bool:
    # Pillow inverts a white-is-zero TIFF of up to 8 bits, and leaves wider ones alone.
    tags = getattr(image, "tag_v2", {})
    return tags.get(_PHOTOMETRIC) == _WHITE_IS_ZERO
