"""Malformed and hostile pictures, each created by a small program, and the expected outcome.

The expectation is written as in `hostile_pdfs`.
"""

from __future__ import annotations

import functools
import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageChops, PngImagePlugin

from tests.drawing import page_of

LINES = [
    ((40, 40 + 60 * row), f"High water at {row}:14, low water at {row}:32") for row in (1, 5)
]
HEIC = Path(__file__).parents[1] / "data/heic"
UPRIGHT, UPSIDE_DOWN, ON_ITS_SIDE = 1, 3, 6  # as in EXIF


@functools.cache
def paper() -> Image.Image:
    """Black text on white, wider than tall."""
    return Image.fromarray(page_of(LINES, width=760, height=420).pixels)


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    """The picture as a file."""
    written = io.BytesIO()
    image.save(written, kind, **options)
    return written.getvalue()


def turned(orientation: int) -> bytes:
    """A picture that is upright once it is turned according to its EXIF data."""
    turn = {UPSIDE_DOWN: Image.Transpose.ROTATE_180, ON_ITS_SIDE: Image.Transpose.ROTATE_90}
    exif = Image.Exif()
    exif[0x0112] = orientation
    lying = paper().transpose(turn[orientation]) if orientation in turn else paper()
    return saved(lying, "JPEG", quality=90, exif=exif)


def heic(name: str) -> bytes:
    """A picture in the format of telephones; no installed package writes one."""
    return (HEIC / f"{name}.heic").read_bytes()


def black_in_alpha() -> bytes:
    """Every pixel is black; the letters are the opaque part."""
    black = Image.new("RGB", paper().size)
    black.putalpha(ImageChops.invert(paper().convert("L")))
    return saved(black, "PNG")


@functools.cache
def jpeg() -> bytes:
    """A valid one, to be cut and corrupted."""
    return saved(paper(), "JPEG", quality=80)


def flipped() -> bytes:
    """Sixty bytes of it are replaced."""
    chance, dirty = np.random.default_rng(3), bytearray(jpeg())
    for place in chance.integers(len(dirty), size=60):
        dirty[place] ^= int(chance.integers(1, 256))
    return bytes(dirty)


def boasting() -> bytes:
    """It claims to be 65,500 pixels wide and tall."""
    dirty = bytearray(jpeg())
    size = dirty.index(b"\xff\xc0") + 5
    dirty[size : size + 4] = struct.pack(">HH", 65_500, 65_500)
    return bytes(dirty)


def sized_png(width: int, height: int) -> bytes:
    """A PNG's beginning and end, with nothing between."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = (header, b"IDAT" + zlib.compress(b""), b"IEND")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        for chunk in chunks
    )


def remarks() -> bytes:
    """Twenty MiB of comments, deflated."""
    told = PngImagePlugin.PngInfo()
    told.add_text("Comment", "tide" * 5 * 2**20, zip=True)
    return saved(paper(), "PNG", pnginfo=told, icc_profile=bytes(20 * 2**20))


def frames_in_a_ring() -> bytes:
    """A TIFF whose first frame names itself as the next."""
    dirty = bytearray(saved(paper().convert("1"), "TIFF", compression="group4"))
    first = struct.unpack_from("<I", dirty, 4)[0]
    count = struct.unpack_from("<H", dirty, first)[0]
    struct.pack_into("<I", dirty, first + 2 + 12 * count, first)
    return bytes(dirty)


PICTURES: dict[str, tuple[Callable[[], bytes], str]] = {
    "upside_down.jpg": (lambda: turned(UPSIDE_DOWN), "ok"),
    "on_its_side.jpg": (lambda: turned(ON_ITS_SIDE), "ok"),
    "black_in_alpha.png": (black_in_alpha, "ok"),
    "page.webp": (lambda: saved(paper(), "WEBP"), "ok"),
    "page.avif": (lambda: saved(paper(), "AVIF"), "ok"),
    "page.heic": (lambda: heic("page"), "ok"),
    "on_its_side.heic": (lambda: heic("on_its_side"), "ok"),
    "cut_in_half.heic": (lambda: heic("page")[:4500], "Damaged"),
    "page.jp2": (lambda: saved(paper(), "JPEG2000"), "ok"),
    "picture.pdf": (lambda: saved(paper(), "PNG"), "ok"),
    "one_pixel.png": (lambda: saved(Image.new("L", (1, 1), 255), "PNG"), "ok"),
    "ribbon.png": (lambda: saved(Image.new("L", (3, 15_000), 255), "PNG"), "ok"),
    "flipped.jpg": (flipped, "either"),
    "cut_in_half.jpg": (lambda: jpeg()[: len(jpeg()) // 2], "either"),
    "cut_off.jpg": (lambda: jpeg()[:200], "Damaged"),
    "boasting.jpg": (boasting, "TooManyPixels"),
    "no_pixels.png": (lambda: sized_png(0, 0), "Damaged"),
    "more_pixels_than_there_are.png": (lambda: sized_png(60_000, 60_000), "TooManyPixels"),
    "remarks.png": (remarks, "either"),
    "frames_in_a_ring.tiff": (frames_in_a_ring, "either"),
    "file_of_the_machine.svg": (
        lambda: b'<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/hostname">]><svg>&x;</svg>',
        "UnsupportedType",
    ),
}
