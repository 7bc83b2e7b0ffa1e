"""Pictures of every kind come out as the eye would see them: upright, over white, 8 bits."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageCms, ImageOps

from pagetide.errors import Damaged, TooManyPixels, UnsupportedType, installing
from pagetide.inputs.opened import PageReply
from pagetide.inputs.pictures.files import Picture
from pagetide.inputs.sniff import MediaType

WIDTH, HEIGHT = 40, 24
RED, BLUE, WHITE = [0, 0, 255], [255, 0, 0], [255, 255, 255]  # blue-green-red
PLENTY = 10**8
OPTIONS: dict[str, dict[str, Any]] = {
    "WEBP": {"lossless": True},
    "AVIF": {"quality": 100, "subsampling": "4:4:4"},
}
HEIC = Path(__file__).parents[1] / "data/heic"


def flag() -> Image.Image:
    """White, with a red corner at the top left and a blue one at the bottom right."""
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    image.paste("red", (0, 0, 10, 10))
    image.paste("blue", (30, 14, 40, 24))
    return image


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    written = io.BytesIO()
    image.save(written, kind, **options)
    return written.getvalue()


def page(
    source: bytes, media_type: MediaType, index: int = 0, max_pixels: int = PLENTY
) -> tuple[PageReply, NDArray[np.uint8]]:
    picture = Picture(source, media_type)
    parcel = picture.page(index, 144, "auto", max_pixels)
    payload = b"".join(bytes(part) for part in parcel.parts)
    picture.close()
    reply = parcel.value
    assert isinstance(reply, PageReply)
    assert len(payload) == parcel.size
    pixels = np.frombuffer(payload, np.uint8).reshape(reply.height, reply.width, reply.channels)
    return reply, np.repeat(pixels, 3 // reply.channels, axis=2)


def corners(pixels: NDArray[np.uint8]) -> list[list[int]]:
    return [pixels[4, 4].tolist(), pixels[-4, -4].tolist(), pixels[4, -4].tolist()]


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["PNG", "TIFF", "WEBP", "AVIF"])
def test_exif_orientation_is_applied(kind: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = OPTIONS.get(kind, {})
    source = encoded(flag(), kind, exif=exif.tobytes(), **options)
    turned = flag()
    turned.getexif()[0x0112] = orientation
    expected = np.asarray(ImageOps.exif_transpose(turned))[:, :, ::-1]
    reply, pixels = page(source, MediaType[kind])
    assert np.abs(expected.astype(int) - pixels).max() <= (3 if kind == "AVIF" else 0)
    assert reply.rotation == {3: 180, 6: 90, 8: 270}.get(orientation, 0)


@pytest.mark.parametrize("orientation", [1, 6])
@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_the_size_is_known_without_decoding(kind: str, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = Picture(encoded(flag(), kind, exif=exif.tobytes()), MediaType[kind])
    parcel = picture.page(0, 144, "only", PLENTY)
    reply = parcel.value
    assert isinstance(reply, PageReply)
    size = (WIDTH, HEIGHT) if orientation == 1 else (HEIGHT, WIDTH)
    assert (reply.width, reply.height) == size
    assert (parcel.size, reply.channels) == (0, 0)
    assert [notice.code for notice in reply.warnings] == ["text_layer_image_input"]
    picture.close()


@pytest.mark.parametrize(
    ("mode", "kind", "media_type"),
    [
        ("RGB", "PNG", MediaType.PNG),
        ("P", "PNG", MediaType.PNG),
        ("P", "GIF", MediaType.GIF),
        ("CMYK", "TIFF", MediaType.TIFF),
        ("YCbCr", "TIFF", MediaType.TIFF),
        ("RGBA", "TIFF", MediaType.TIFF),
        ("RGB", "BMP", MediaType.BMP),
        ("RGB", "JPEG2000", MediaType.JPEG2000),
        ("RGB", "AVIF", MediaType.AVIF),
    ],
)
def test_colours_come_out_right(mode: str, kind: str, media_type: MediaType) -> None:
    _, pixels = page(encoded(flag().convert(mode), kind), media_type)
    difference = np.abs(np.array(corners(pixels)) - np.array([RED, BLUE, WHITE]))
    assert difference.max() <= 2


def test_an_adobe_cmyk_jpeg_is_not_inverted() -> None:
    source = encoded(flag().convert("CMYK"), "JPEG", quality=100)
    _, pixels = page(source, MediaType.JPEG)
    assert np.abs(np.array(corners(pixels)) - np.array([RED, BLUE, WHITE])).max() <= 3


def test_a_lab_tiff_is_brought_to_rgb() -> None:
    spaces = (ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"))
    lab = ImageCms.profileToProfile(flag(), *spaces, outputMode="LAB")
    assert lab is not None
    _, pixels = page(encoded(lab, "TIFF"), MediaType.TIFF)
    assert np.abs(np.array(corners(pixels)) - np.array([RED, BLUE, WHITE])).max() <= 24


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_sixteen_bits_are_scaled_and_not_cut_off(kind: str) -> None:
    ramp = np.linspace(0, 65535, WIDTH * HEIGHT).astype(np.uint16).reshape(HEIGHT, WIDTH)
    reply, pixels = page(encoded(Image.fromarray(ramp), kind), MediaType[kind])
    assert reply.channels == 1
    assert np.abs(pixels[:, :, 0] - ramp / 257).max() <= 1


def test_a_white_is_zero_tiff_of_sixteen_bits_is_inverted() -> None:
    dark = Image.fromarray(np.zeros((HEIGHT, WIDTH), np.uint16))
    _, pixels = page(encoded(dark, "TIFF", tiffinfo={262: 0}), MediaType.TIFF)
    assert pixels.min() == 255


def test_floating_point_from_nought_to_one_spans_black_to_white() -> None:
    ramp = np.linspace(0, 1, WIDTH * HEIGHT, dtype=np.float32).reshape(HEIGHT, WIDTH)
    _, pixels = page(encoded(Image.fromarray(ramp), "TIFF"), MediaType.TIFF)
    assert np.abs(pixels[:, :, 0] - ramp * 255).max() <= 1


def test_black_text_in_the_alpha_channel_stands_on_white() -> None:
    image = Image.new("RGBA", (WIDTH, HEIGHT), (0, 0, 0, 0))
    image.paste((0, 0, 0, 255), (0, 0, 10, 10))
    _, pixels = page(encoded(image, "PNG"), MediaType.PNG)
    assert corners(pixels) == [[0, 0, 0], WHITE, WHITE]


@pytest.mark.parametrize("mode", ["L", "RGB", "P"])
def test_a_transparent_colour_shows_white(mode: str) -> None:
    image = Image.new("RGB", (WIDTH, HEIGHT), "black").convert(mode)
    clear = {"L": 0, "RGB": (0, 0, 0), "P": image.getpixel((0, 0))}[mode]
    _, pixels = page(encoded(image, "PNG", transparency=clear), MediaType.PNG)
    assert pixels.min() == 255


def test_a_bilevel_fax_has_one_channel_and_its_own_dpi() -> None:
    source = encoded(flag().convert("1"), "TIFF", compression="group4", dpi=(300, 300))
    reply, pixels = page(source, MediaType.TIFF)
    assert (reply.channels, reply.dpi, reply.width_pt) == (1, 300, WIDTH * 72 / 300)
    assert set(np.unique(pixels)) == {0, 255}


@pytest.mark.parametrize(("written", "read"), [(200, 200), (96, 96), (30, 144), (5000, 144)])
def test_an_implausible_dpi_is_not_believed(written: int, read: int) -> None:
    reply, _ = page(encoded(flag(), "PNG", dpi=(written, written)), MediaType.PNG)
    assert reply.dpi == read


def test_every_frame_of_a_tiff_is_a_page() -> None:
    frames = [Image.new("L", (10, 30), 7), Image.new("RGB", (20, 20), "red")]
    source = encoded(flag(), "TIFF", save_all=True, append_images=frames)
    picture = Picture(source, MediaType.TIFF)
    assert picture.page_count == 3
    picture.close()
    assert page(source, MediaType.TIFF, 2)[1][0, 0].tolist() == RED
    assert page(source, MediaType.TIFF, 1)[0].height == 30
    assert corners(page(source, MediaType.TIFF, 0)[1]) == [RED, BLUE, WHITE]


def test_an_animation_gives_its_first_frame_and_says_so() -> None:
    frames = [Image.new("RGB", (WIDTH, HEIGHT), "red")]
    source = encoded(flag(), "GIF", save_all=True, append_images=frames)
    picture = Picture(source, MediaType.GIF)
    assert picture.page_count == 1
    picture.close()
    reply, pixels = page(source, MediaType.GIF)
    assert [notice.code for notice in reply.warnings] == ["animation"]
    assert corners(pixels) == [RED, BLUE, WHITE]


def test_pixels_are_counted_before_they_are_decoded() -> None:
    with pytest.raises(TooManyPixels, match=f"{WIDTH * HEIGHT} .* 100"):
        page(encoded(flag(), "PNG"), MediaType.PNG, max_pixels=100)


@pytest.mark.parametrize(
    "kind", ["PNG", "JPEG", "TIFF", "WEBP", "GIF", "BMP", "JPEG2000", "AVIF"]
)
def test_half_a_picture_is_damaged(kind: str) -> None:
    noise = Image.effect_noise((200, 200), 90).convert("RGB")
    whole = encoded(noise, kind)
    with pytest.raises(Damaged):
        page(whole[: len(whole) // 2], MediaType[kind])


def test_a_tall_picture_is_sent_in_strips_without_seams() -> None:
    ramp = np.arange(700, dtype=np.uint16)[:, None].repeat(5, axis=1)
    image = Image.fromarray((ramp % 251).astype(np.uint8))
    _, pixels = page(encoded(image, "PNG"), MediaType.PNG)
    assert np.array_equal(pixels[:, :, 0], ramp % 251)


def heic(name: str) -> bytes:
    return (HEIC / f"{name}.heic").read_bytes()


@pytest.mark.parametrize("name", ["page", "on_its_side", "two"])
def test_a_telephones_pictures_are_read_upright(name: str) -> None:
    reply, pixels = page(heic(name), MediaType.HEIC)
    assert (reply.width, reply.height) == (760, 420)
    rows = np.flatnonzero((pixels.min(axis=2) < 100).any(axis=1))
    assert 90 < rows[0] < 130 < 330 < rows[-1] < 380, "two rows of text, the lower one last"
    codes = [notice.code for notice in reply.warnings]
    assert codes == (["further_pictures"] if name == "two" else [])


def test_half_a_telephones_picture_is_damaged() -> None:
    whole = heic("page")
    with pytest.raises(Damaged):
        page(whole[: len(whole) // 2], MediaType.HEIC)


def test_a_telephones_picture_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pi_heif", None)
    with pytest.raises(UnsupportedType, match=re.escape(installing("heif"))):
        Picture(heic("page"), MediaType.HEIC)
