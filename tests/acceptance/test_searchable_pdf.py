"""Searchable PDFs, as readers that are not ours see them (poppler, PDFium, pypdf)."""

import ctypes
import io
import math
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import msgspec
import pypdfium2
import pytest
from msgspec import structs
from PIL import Image, ImageDraw, ImageOps
from pypdf import PdfReader, PdfWriter
from pypdf.generic import RectangleObject
from pypdfium2 import raw

from pagetide.document import Line, Page, Word
from pagetide.errors import BadOption, Damaged, PasswordNeeded
from pagetide.exports import Origin, export
from pagetide.exports.pdf.pdf_append import appended
from pagetide.exports.pdf.text_layer import PageLayer, layer_of
from pagetide.geometry import Box, area, box_of, intersection_area, polygon_of, turned, union
from pagetide.inputs import Sandbox, open_input
from tests.documents import document_of, line, page_of
from tests.drawing import font

pytestmark = pytest.mark.skipif(
    shutil.which("pdftotext") is None, reason="poppler-utils is not installed"
)

WORDS = {
    "Hello": (100, 200, 300, 240),
    "déjà": (100, 900, 220, 930),
    "世界你好": (400, 200, 600, 240),
    "a😀b𠀀": (100, 600, 300, 640),
    "שלום": (100, 400, 200, 440),
    "العربية": (500, 400, 700, 440),
}


def _scan(
    *, rotate: int = 0, crop: Box | None = None, media: Box | None = None, pages: int = 1
) -> bytes:
    """A PDF whose pages, 600 × 800 points, are pictures."""
    picture = Image.new("RGB", (600, 800), "white")
    pen = ImageDraw.Draw(picture)
    pen.text((100, 100), "A picture of text", fill="black", font=font(40))
    pen.rectangle((20, 20, 580, 780), outline="red")
    one, out, writer = io.BytesIO(), io.BytesIO(), PdfWriter()
    picture.save(one, "PDF", resolution=72)
    for _ in range(pages):
        writer.append(one)
    for page in writer.pages:
        page.rotate(rotate)
        if media:
            page.mediabox = RectangleObject(media)
        if crop:
            page.cropbox = RectangleObject(crop)
    writer.write(out)
    return out.getvalue()


def _with_layers(pdf: bytes, layers: list[PageLayer], password: str | None = None) -> bytes:
    return pdf + appended(pdf, msgspec.msgpack.encode(layers), password)


def _with_words(pdf: bytes, page: Page, password: str | None = None) -> bytes:
    return _with_layers(pdf, [layer_of(page)], password)


def _poppler(pdf: bytes, *options: str) -> str:
    done = subprocess.run(
        ["pdftotext", *options, "-", "-"], input=pdf, capture_output=True, check=True
    )
    return done.stdout.decode()


def _boxes(pdf: bytes) -> dict[str, Box]:
    """Each word with its box in points of the page as displayed."""
    found = re.findall(
        r'xMin="(.*?)" yMin="(.*?)" xMax="(.*?)" yMax="(.*?)">(.*?)</word>',
        _poppler(pdf, "-bbox", "-cropbox"),
    )
    return {
        unescape(text): (float(x0), float(y0), float(x1), float(y1))
        for x0, y0, x1, y1, text in found
    }


def _pdfium(pdf: bytes, password: str | None = None) -> str:
    document = pypdfium2.PdfDocument(pdf, password)
    try:
        text: str = document[0].get_textpage().get_text_range()
        return text
    finally:
        document.close()


def _pixels(pdf: bytes, tmp_path: Path) -> bytes:
    path = tmp_path / "page.pdf"
    path.write_bytes(pdf)
    return subprocess.run(
        ["pdftoppm", "-r", "72", path], capture_output=True, check=True
    ).stdout


def _overlap(a: Box, b: Box) -> float:
    shared = intersection_area(a, b)
    return shared / (area(a) + area(b) - shared)


_PAGES = [
    {"rotate": rotate, "crop": crop, "media": media}
    for rotate in (0, 90, 180, 270)
    for crop, media in (
        (None, None),
        ((50, 100, 550, 750), None),
        (None, (-30, -40, 600, 800)),
        ((-100, 60, 480, 2000), (-30, -40, 600, 800)),
    )
]


def _displayed(pdf: bytes) -> tuple[int, int]:
    """The page's size at 144 dpi, as PDFium displays it."""
    document = pypdfium2.PdfDocument(pdf)
    width, height = document[0].get_size()
    document.close()
    return round(width * 2), round(height * 2)


def _in_pixels(page: pypdfium2.PdfPage, size: tuple[int, int], box: Box) -> Box:
    """A box in the page's own points as pixels of the page as displayed, by PDFium."""
    corners = []
    for x, y in ((box[0], box[1]), (box[2], box[3])):
        across, down = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(page, 0, 0, *size, 0, x, y, across, down)
        corners.append((float(across.value), float(down.value)))
    return box_of(corners)


# poppler counts from a CropBox as it is written, even where that exceeds the MediaBox.
@pytest.mark.parametrize("page", [p for i, p in enumerate(_PAGES) if i % 4 != 3], ids=str)
def test_poppler_finds_words_where_they_stand(page: dict[str, Any]) -> None:
    pdf = _scan(**page)
    found = page_of([line(text, box) for text, box in WORDS.items()], size=_displayed(pdf))
    boxes = _boxes(_with_words(pdf, found))
    for text, (x0, y0, x1, y1) in WORDS.items():
        # poppler gives a word's letters as they stand; right-to-left ones come reversed.
        seen = boxes.get(text) or boxes[text[::-1]]
        assert _overlap(seen, (x0 / 2, y0 / 2, x1 / 2, y1 / 2)) > 0.9, text


@pytest.mark.parametrize("page", _PAGES, ids=str)
def test_pdfium_finds_words_where_they_stand(page: dict[str, Any]) -> None:
    pdf, word = _scan(**page), (100.0, 200.0, 300.0, 240.0)
    size = _displayed(pdf)
    document = pypdfium2.PdfDocument(
        _with_words(pdf, page_of([line("Hello", word)], size=size))
    )
    text = document[0].get_textpage()
    letters = [_in_pixels(document[0], size, text.get_charbox(i)) for i in range(5)]
    assert _overlap(union(letters), word) > 0.9
    document.close()


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_text_copies_out_as_it_was_read(rotate: int) -> None:
    pdf = _scan(rotate=rotate)
    found = page_of([line(text, box) for text, box in WORDS.items()], size=_displayed(pdf))
    out = _with_words(pdf, found)
    for text in WORDS:
        assert text in _poppler(out, "-raw")
        assert text in _pdfium(out)


def test_words_of_a_line_come_apart_at_spaces_and_only_there() -> None:
    lines = [
        line("two wide words", (100, 200, 700, 240)),
        line("世界 你好", (100, 400, 300, 440)),
    ]
    found = page_of(lines, size=(1200, 1600))
    out = _with_words(_scan(), found)
    assert _poppler(out, "-raw").split("\n")[:2] == ["two wide words", "世界 你好"]
    assert "two wide words" in _pdfium(out)


@pytest.mark.parametrize("degrees", [90, 180, 270, 7, -7])
def test_slanted_and_sideways_lines_lie_on_their_polygons(degrees: int) -> None:
    straight = polygon_of((-150, -20, 150, 20))
    polygon = tuple((x + 600, y + 800) for x, y in turned(straight, math.radians(degrees)))
    found = page_of([Line(text="Sideways", polygon=polygon)], size=(1200, 1600))
    document = pypdfium2.PdfDocument(_with_words(_scan(), found))
    text = document[0].get_textpage()
    assert text.get_text_range() == "Sideways"
    first = text.get_charbox(0)  # left, bottom, right, top in points, y up
    document.close()
    middle = ((first[0] + first[2]) / 2, 800 - (first[1] + first[3]) / 2)
    expected = turned(((-150 + 300 / 16, 0),), math.radians(degrees))[0]
    assert math.dist(middle, (300 + expected[0] / 2, 400 + expected[1] / 2)) < 8


@pytest.mark.parametrize("rotate", [0, 90])
def test_the_original_is_untouched_and_looks_the_same(rotate: int, tmp_path: Path) -> None:
    pdf = _scan(rotate=rotate, crop=(50, 100, 550, 750))
    out = _with_words(pdf, page_of([line("Hello", (100, 200, 300, 240))]))
    assert out.startswith(pdf)
    assert _pixels(out, tmp_path) == _pixels(pdf, tmp_path)


def test_content_that_leaves_its_state_behind_does_not_move_the_text() -> None:
    writer = PdfWriter(io.BytesIO(_scan()))
    page = writer.pages[0]
    contents = page.get_contents()
    assert contents is not None
    contents.set_data(b"Q Q .5 0 0 .5 90 90 cm q q " + contents.get_data())
    page.replace_contents(contents)
    out = io.BytesIO()
    writer.write(out)
    found = page_of([line("Hello", (100, 200, 300, 240))], size=(1200, 1600))
    assert (
        _overlap(_boxes(_with_words(out.getvalue(), found))["Hello"], (50, 100, 150, 120)) > 0.9
    )


@pytest.mark.parametrize("algorithm", ["RC4-40", "RC4-128", "AES-128", "AES-256-R5", "AES-256"])
def test_an_encrypted_pdf_stays_encrypted_with_the_same_password(algorithm: str) -> None:
    writer, out = PdfWriter(io.BytesIO(_scan())), io.BytesIO()
    writer.encrypt("user", "owner", algorithm=algorithm)
    writer.write(out)
    found = page_of([line("Hello", (100, 200, 300, 240))], size=(1200, 1600))
    done = _with_words(out.getvalue(), found, "user")
    assert "Hello" in _poppler(done, "-upw", "user")
    assert "Hello" in _pdfium(done, "user")
    assert PdfReader(io.BytesIO(done)).is_encrypted
    with pytest.raises(PasswordNeeded):
        _with_words(out.getvalue(), found, "wrong")


def test_a_pdf_whose_table_is_broken_gets_a_new_one() -> None:
    pdf = re.sub(rb"startxref\s+\d+", b"startxref\n7", _scan())
    found = page_of([line("Hello", (100, 200, 300, 240))], size=(1200, 1600))
    out = _with_words(pdf, found)
    assert out.startswith(pdf)
    assert "Hello" in _poppler(out)
    assert "Hello" in _pdfium(out)


def test_a_second_text_layer_leaves_the_first_readable() -> None:
    # A broken table is replaced by a stream, which the next update is to continue.
    broken = re.sub(rb"startxref\s+\d+", b"startxref\n7", _scan())
    first, second = (
        page_of([line(text, (100, y, 300, y + 40))], size=(1200, 1600))
        for text, y in (("First", 200), ("Second", 400))
    )
    once = _with_words(broken, first)
    twice = _with_words(once, second)
    assert b"/Type /XRef" in once and twice.count(b"/Type /XRef") == 2
    assert {"First", "Second"} <= set(_poppler(twice).split())
    assert {"First", "Second"} <= set(_pdfium(twice).split())


def test_what_is_no_pdf_is_refused() -> None:
    with pytest.raises(Damaged):
        _with_words(b"%PDF-1.4\nnothing", page_of([line("Hello", (100, 200, 300, 240))]))


def test_200_pages_take_time_and_bytes_by_the_page() -> None:
    pdf = _scan(pages=200)
    words = [line(f"word {i}", (100, 20 + 15 * i, 300, 34 + 15 * i)) for i in range(60)]
    layers = [layer_of(page_of(words, number=n, size=(1200, 1600))) for n in range(1, 201)]
    out = _with_layers(pdf, layers)
    assert len(out) - len(pdf) < 200 * 3000
    assert _poppler(out, "-f", "200", "-l", "200").count("word") == 60


def _exported(source: bytes | Path, media_type: str, page: Page) -> bytes:
    content = source if isinstance(source, bytes) else source.read_bytes()
    document = document_of(page, content=content, media_type=media_type)
    with Sandbox() as sandbox, open_input(source, sandbox=sandbox) as opened:
        origin = Origin(source=source, pages=opened, child=sandbox)
        ((suffix, out),) = export(document, "pdf", origin)
    assert suffix == ".pdf"
    return out


def test_a_pdf_is_parsed_in_the_sandbox(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(_scan())
    found = page_of([line("Hello", (100, 200, 300, 240))], size=(1200, 1600))
    assert "Hello" in _poppler(_exported(path, "application/pdf", found))


def test_a_page_with_its_own_text_gets_no_second(tmp_path: Path) -> None:
    pdf = _scan()
    found = page_of([line("Hello", (100, 200, 300, 240))], is_text_layer=True)
    assert _exported(pdf, "application/pdf", found) == pdf


def test_a_file_that_changed_since_is_refused() -> None:
    document = document_of(page_of([line("Hello", (100, 200, 300, 240))]), content=b"before")
    pdf = _scan()
    with Sandbox() as sandbox, open_input(pdf, sandbox=sandbox) as opened:
        origin = Origin(source=pdf, pages=opened, child=sandbox)
        with pytest.raises(BadOption, match="changed"):
            list(export(document, "pdf", origin))


_PICTURE = Image.linear_gradient("L").resize((400, 300))


def _picture(kind: str, image: Image.Image = _PICTURE, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_jpeg_keeps_its_bytes_and_stands_as_its_orientation_asks(
    orientation: int, tmp_path: Path
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    pen = _PICTURE.copy()
    pen.paste(255, (0, 0, 120, 60))
    content = _picture("JPEG", pen, exif=exif, quality=95)
    size = (400, 300) if orientation < 5 else (300, 400)
    found = page_of([line("Hello", (50, 100, 150, 140))], size=size)
    out = _exported(content, "image/jpeg", found)
    assert content in out
    assert _overlap(_boxes(out)["Hello"], (25, 50, 75, 70)) > 0.9
    shown = Image.open(io.BytesIO(_pixels(out, tmp_path))).convert("L")
    upright = ImageOps.exif_transpose(Image.open(io.BytesIO(content))).convert("L")
    assert shown.size == (size[0] // 2, size[1] // 2)
    expected = upright.resize(shown.size, Image.Resampling.BOX)
    # Corners and middle; renderers differ at edges.
    for x, y in ((0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9), (0.5, 0.5)):
        place = (int(x * shown.width), int(y * shown.height))
        difference = int(shown.getpixel(place)) - int(expected.getpixel(place))  # type: ignore[arg-type]
        assert abs(difference) < 12


@pytest.mark.parametrize(
    ("kind", "media_type", "mode"),
    [("PNG", "image/png", "L"), ("PNG", "image/png", "RGB"), ("TIFF", "image/tiff", "1")],
)
def test_other_pictures_become_pages_pixel_by_pixel(
    kind: str, media_type: str, mode: str, tmp_path: Path
) -> None:
    image = _PICTURE.convert(mode)
    found = page_of([line("Hello", (50, 100, 150, 140))], size=(400, 300))
    out = _exported(_picture(kind, image), media_type, found)
    assert "Hello" in _poppler(out)
    path = tmp_path / "page.pdf"
    path.write_bytes(out)
    subprocess.run(["pdfimages", "-png", path, tmp_path / "found"], check=True)
    stored = Image.open(tmp_path / "found-000.png").convert("RGB")
    assert stored.tobytes() == image.convert("RGB").tobytes()


def test_an_inverted_cmyk_jpeg_is_not_shown_as_a_negative(tmp_path: Path) -> None:
    content = _picture("JPEG", Image.new("CMYK", (64, 64), (0, 0, 0, 0)))
    out = _exported(content, "image/jpeg", page_of([], size=(64, 64)))
    shown = Image.open(io.BytesIO(_pixels(out, tmp_path))).convert("L")
    assert shown.getpixel((16, 16)) == 255


def test_characters_that_no_space_parts_are_copied_without_one() -> None:
    """Each is a word of its own, with a gap of paper before the next."""
    text = "北港潮汐观测站年度简报"
    words = tuple(
        Word(text=letter, polygon=polygon_of((100 + 50 * i, 200, 132 + 50 * i, 240)))
        for i, letter in enumerate(text)
    )
    whole = line(text, (100, 200, 632, 240))
    page = page_of([structs.replace(whole, words=words)])
    pdf = _with_words(_scan(), page)
    assert text in _poppler(pdf).split()
    assert text in _pdfium(pdf).split()
