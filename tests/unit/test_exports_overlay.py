"""Overlay pictures."""

import io

import msgspec
import numpy as np
from PIL import Image

from pagetide.document import Failure
from pagetide.engine import PageImage
from pagetide.exports import Origin, export
from pagetide.geometry import Polygon
from tests.documents import document_of, grouped_page, line, page_of


class _Pages:
    """White pages, 1000 × 1400."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, float]] = []

    def displayed(self, number: int, *, dpi: float = 144) -> PageImage:
        self.asked.append((number, dpi))
        pixels = np.full((1400, 1000, 3), 255, np.uint8)
        pixels.flags.writeable = False
        return PageImage(pixels=pixels, dpi=dpi)

    def page_picture(self, number: int, *, dpi: float = 144, ending: str = "png") -> bytes:
        raise AssertionError("no page is wanted as a file")

    def figure_png(self, number: int, polygon: Polygon, *, dpi: float = 144) -> bytes:
        raise AssertionError("an overlay shows whole pages")


class _NoChild:
    def call(self, *args: object, timeout_s: float | None = None) -> object:
        raise AssertionError("an overlay parses nothing")


def _origin(pages: _Pages) -> Origin:
    return Origin(source=b"", pages=pages, child=_NoChild())


def test_lines_and_blocks_are_drawn_on_the_page() -> None:
    page = grouped_page([line("Hello", (100, 200, 300, 240))])
    ((suffix, content),) = export(document_of(page), "png", _origin(_Pages()))
    assert suffix == ".png"
    image = Image.open(io.BytesIO(content))
    assert (image.format, image.size) == ("PNG", (1000, 1400))
    drawn = np.asarray(image)
    assert (drawn[200, 150] != 255).any()
    assert (drawn[220, 200] == 255).all()  # the text itself stays in sight


def test_every_page_that_was_read_is_a_picture_of_its_own_drawn_when_taken() -> None:
    failed = msgspec.structs.replace(
        page_of([], number=2), error=Failure(code="damaged", message="No.")
    )
    pages = _Pages()
    document = document_of(page_of([]), failed, page_of([], number=3), page_count=12)
    files = export(document, "png", _origin(pages))
    assert next(files)[0] == ".01.png"
    assert pages.asked == [(1, 144)]
    assert [suffix for suffix, _ in files] == [".03.png"]
