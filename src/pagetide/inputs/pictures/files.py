"""Picture files, in the child: opened, measured, decoded; Pillow's errors become ours here."""

from __future__ import annotations

import io
import math
import os
import struct
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import IO

from PIL import Image

from pagetide.document import Notice, TextLayerDecision, TextLayerMode
from pagetide.errors import Damaged, TooManyPixels, UnsupportedType, installing
from pagetide.inputs.opened import PageReply
from pagetide.inputs.pictures import pixels
from pagetide.inputs.sniff import MediaType
from pagetide.inputs.wire import Parcel

Image.MAX_IMAGE_PIXELS = None  # ours is checked before a picture is decoded

ASSUMED_DPI = 144.0
_PLAUSIBLE_DPI = (72.0, 1200.0)

_PLUGINS = {
    MediaType.PNG: ("PNG", "PngImagePlugin"),
    MediaType.JPEG: ("JPEG", "JpegImagePlugin"),
    MediaType.TIFF: ("TIFF", "TiffImagePlugin"),
    MediaType.BMP: ("BMP", "BmpImagePlugin"),
    MediaType.WEBP: ("WEBP", "WebPImagePlugin"),
    MediaType.JPEG2000: ("JPEG2000", "Jpeg2KImagePlugin"),
    MediaType.GIF: ("GIF", "GifImagePlugin"),
    MediaType.AVIF: ("AVIF", "AvifImagePlugin"),
}
# A further frame of these is a moment of an animation; a TIFF's is a page, a JPEG's a preview.
_ANIMATED = {MediaType.GIF, MediaType.WEBP, MediaType.PNG, MediaType.AVIF}
# What Pillow raises on files that are merely damaged, as far as seen.
_DAMAGE = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    EOFError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
_NO_TEXT_LAYER = TextLayerDecision(
    used=False, reason="image_input", detail="A picture has no text of its own."
)

_NO_TEXT = Notice(code="text_layer_image_input", message=_NO_TEXT_LAYER.detail)


class Picture:
    """An open picture file; every frame of a TIFF is a page.

    Args:
        source: A descriptor, or the bytes themselves.
        media_type: Any but PDF.

    Raises:
        Damaged: It cannot be opened.
        NotFound: The file is gone.
    """

    def __init__(self, source: int | bytes, media_type: MediaType) -> None:
        self._media_type = media_type
        self._stream = _stream(source)
        with _translated():
            self._image = self._opened()
            is_paged = media_type is MediaType.TIFF
            self.page_count: int = getattr(self._image, "n_frames", 1) if is_paged else 1

    def page(self, index: int, dpi: float, mode: TextLayerMode, max_pixels: int) -> Parcel:
        """A `PageReply` with the frame's pixels; `dpi` has no effect on them.

        Raises:
            TooManyPixels: The frame has more than the limit.
            Damaged: It cannot be decoded, or only in part.
        """
        started = time.perf_counter()
        with _translated():
            image = self._frame(index)
            _check(image, max_pixels)
            own_dpi = _dpi(image) or ASSUMED_DPI
            warnings = self._warnings(image)
            turn = pixels.turn_of(image)
            picture = None if mode == "only" else pixels.decode(image, turn)
        if not picture:
            warnings += (_NO_TEXT,)
        reply = PageReply(
            width=turn.width,
            height=turn.height,
            dpi=own_dpi,
            width_pt=turn.width * 72 / own_dpi,
            height_pt=turn.height * 72 / own_dpi,
            rotation=turn.degrees,
            text_layer=_NO_TEXT_LAYER,
            warnings=warnings,
            timings_ms={"decode": (time.perf_counter() - started) * 1000},
            channels=picture.channels if picture else 0,
        )
        return Parcel(reply, picture.strips(), picture.size) if picture else Parcel(reply)

    def close(self) -> None:
        """Release the file and what was decoded from it."""
        self._image.close()
        self._stream.close()

    def _opened(self) -> Image.Image:
        if self._media_type is MediaType.HEIC:
            return _heic(self._stream)
        kind, plugin = _PLUGINS[self._media_type]
        module = import_module(f"PIL.{plugin}")
        if self._media_type is MediaType.AVIF:
            vars(module)["DEFAULT_MAX_THREADS"] = 1  # the child may start none
        return Image.open(self._stream, formats=[kind])

    def _frame(self, index: int) -> Image.Image:
        if self._media_type is not MediaType.TIFF:
            return self._opened()  # so that a decoded picture is not kept
        self._image.seek(index)
        return self._image

    def _warnings(self, image: Image.Image) -> tuple[Notice, ...]:
        if self._media_type in _ANIMATED and getattr(image, "is_animated", False):
            text = "The picture is an animation; only its first frame is read."
            return (Notice(code="animation", message=text),)
        if self._media_type is MediaType.HEIC and getattr(image, "is_animated", False):
            text = "The file holds several pictures; only its main one is read."
            return (Notice(code="further_pictures", message=text),)
        return ()


def _heic(stream: IO[bytes]) -> Image.Image:
    try:
        plugin = import_module("pi_heif")
    except ImportError:
        raise UnsupportedType(f"HEIC pictures need pi-heif: {installing('heif')}.") from None
    plugin.options.DECODE_THREADS = 1  # likewise
    opened: Image.Image = plugin.HeifImageFile(stream)
    return opened


def _stream(source: int | bytes) -> IO[bytes]:
    return io.BytesIO(source) if isinstance(source, bytes) else os.fdopen(source, "rb")


def _check(image: Image.Image, max_pixels: int) -> None:
    count = image.width * image.height
    if count < 1:
        raise Damaged("The picture is damaged: it has no size.")
    if count > max_pixels:
        raise TooManyPixels(
            f"The picture has {count} pixels, more than the limit of {max_pixels}."
        )


def _dpi(image: Image.Image) -> float | None:
    """The picture's own pixels per inch, if it states a plausible value."""
    try:
        across, down = (float(value) for value in image.info["dpi"])
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return None
    low, high = _PLAUSIBLE_DPI
    # PNG and BMP count whole pixels per metre: 72 dpi comes back as 71.98.
    plausible = math.isfinite(across + down) and low - 0.1 <= min(across, down)
    return max(low, round(across, 1)) if plausible and max(across, down) <= high else None


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except _DAMAGE:
        raise Damaged("The picture is damaged and cannot be fully decoded.") from None
