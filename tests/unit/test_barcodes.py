"""Bar codes and QR codes: kinds, texts and places, on pictures and on pages of PDFs."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import numpy as np
import pytest
import zxingcpp
from numpy.typing import NDArray
from PIL import Image

import pagetide
from pagetide.client.uploads import fields_of, form_of
from pagetide.document import Page, TextLayerMode
from pagetide.errors import RuntimeUnavailable, installing
from pagetide.geometry import box_of
from tests.written_pdf import FIRST_EXTRA, stream, text, written_pdf

Pixels = NDArray[np.uint8]
SAID = "https://quay.example/rope?n=7"
KINDS = [
    ("QRCode", "qr_code", SAID),
    ("DataMatrix", "data_matrix", "MINNOW 42"),
    ("Aztec", "aztec", "Berth 7"),
    ("PDF417", "pdf417", "M1FENN/MAUD"),
    ("Code128", "code_128", "RR123456785GB"),
    ("Code39", "code_39", "SAIL 9"),
    ("EAN13", "ean_13", "4006381333931"),
    ("ITF", "itf", "00123456789050"),
]


def code_of(name: str, said: str, scale: int = 3) -> Pixels:
    made = zxingcpp.create_barcode(said, getattr(zxingcpp.BarcodeFormat, name))
    return np.array(zxingcpp.write_barcode_to_image(made, scale=scale), np.uint8)


def picture_of(*codes: tuple[Pixels, int, int]) -> bytes:
    """A white picture with codes on it, each from its left and top."""
    page = np.full((900, 900), 255, np.uint8)
    for code, left, top in codes:
        page[top : top + code.shape[0], left : left + code.shape[1]] = code
    file = io.BytesIO()
    Image.fromarray(page).save(file, "PNG")
    return file.getvalue()


def pdf_of(code: Pixels, place: Sequence[int], rotate: int = 0) -> bytes:
    """A page with text, and a code drawn as a picture 72 points wide."""
    height, width = code.shape
    header = b"/Type/XObject/Subtype/Image/ColorSpace/DeviceGray/BitsPerComponent 8"
    header += b"/Width %d/Height %d" % (width, height)
    lines = b"".join(
        text(b"The harbour office keeps a record.", 72, 700 - 20 * n) for n in range(9)
    )
    drawn = b"q 72 0 0 %d %d %d cm /Im Do Q\n" % (72 * height // width, *place)
    return written_pdf(
        lines + drawn,
        page=b"/Rotate %d" % rotate,
        resources=b"/XObject<</Im %d 0 R>>" % FIRST_EXTRA,
        extra=(stream(header, code.tobytes()),),
    )


def read(document: bytes, text_layer: TextLayerMode = "auto") -> Page:
    return pagetide.read(document, model="fake", barcodes=True, text_layer=text_layer).pages[0]


@pytest.mark.parametrize(("name", "kind", "said"), KINDS)
def test_a_code_on_a_picture_has_its_kind_text_and_bytes(
    name: str, kind: str, said: str
) -> None:
    [code] = read(picture_of((code_of(name, said), 200, 300))).barcodes
    assert (code.kind, code.text, code.content) == (kind, said, said.encode())
    left, top, right, bottom = box_of(code.polygon)
    assert 200 <= left < right < 900 and 300 <= top < bottom < 900


def test_several_come_from_the_top_down_and_turned_ones_say_how() -> None:
    upright = code_of("QRCode", "one")
    turned = np.rot90(code_of("QRCode", "two"), 2)
    first, second = read(picture_of((turned, 500, 600), (upright, 100, 50))).barcodes
    assert (first.text, second.text) == ("one", "two")
    assert first.polygon[0][0] < first.polygon[1][0]
    assert second.polygon[0][0] > second.polygon[1][0]


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize("text_layer", ["auto", "never"])
def test_a_code_on_a_pdfs_page_stands_in_the_pages_pixels(
    rotate: int, text_layer: TextLayerMode
) -> None:
    page = read(pdf_of(code_of("QRCode", SAID), (400, 100), rotate), text_layer=text_layer)
    assert page.text_layer.used == (text_layer == "auto")
    [code] = page.barcodes
    assert code.text == SAID
    middle = {
        0: (436, 792 - 136),
        90: (136, 436),
        180: (612 - 436, 136),
        270: (792 - 136, 612 - 436),
    }
    x0, y0, x1, y1 = box_of(code.polygon)
    x, y = middle[rotate]
    assert abs((x0 + x1) / 2 - 2 * x) < 4 and abs((y0 + y1) / 2 - 2 * y) < 4
    assert page.timings_ms["barcodes"] > 0


def test_they_are_looked_for_where_that_is_asked_for_alone() -> None:
    document = picture_of((code_of("QRCode", SAID), 200, 300))
    page = pagetide.read(document, model="fake").pages[0]
    assert page.barcodes == () and "barcodes" not in page.timings_ms


def test_they_are_in_the_json_and_come_back() -> None:
    page = read(picture_of((code_of("DataMatrix", "MINNOW 42"), 200, 300)))
    told = page.to_dict()["barcodes"][0]
    assert (told["kind"], told["text"], told["content"]) == (
        "data_matrix",
        "MINNOW 42",
        "TUlOTk9XIDQy",
    )


def test_without_zxing_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "zxingcpp", None)
    with pytest.raises(RuntimeUnavailable) as told:
        read(picture_of())
    assert told.value.message == f"Bar codes need zxing-cpp: {installing('barcodes')}."


def test_a_client_asks_for_them_in_the_words_of_json() -> None:
    assert form_of(fields_of({"barcodes": True})) == {"barcodes": "true"}
    assert form_of(fields_of({"barcodes": False})) == {"barcodes": "false"}
    assert fields_of({}) == {}
