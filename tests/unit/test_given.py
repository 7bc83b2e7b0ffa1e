"""What may be given to be read: paths, bytes, files, pictures, arrays, addresses."""

from __future__ import annotations

import asyncio
import gc
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import pagetide
from pagetide.document import Document
from pagetide.errors import AddressRefused, BadOption, Damaged, NotFound, UnknownModel
from pagetide.reading import Progress, Reader
from pagetide.reading.given import Fetched, check_kind
from pagetide.reading.opening import open_reader
from pagetide.settings import Settings
from tests.digital import digital_pdf
from tests.loopback import Loopback, answering, loopback


def ink(*, mode: str = "RGB") -> Image.Image:
    """A page of 200 × 100 pixels, its top left quarter red."""
    picture = Image.new("RGB", (200, 100), "white")
    picture.paste((255, 0, 0), (0, 0, 100, 50))
    return picture.convert(mode)


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    settings = Settings(allow_hosts=("127.0.0.1",))
    with open_reader("fake", threads=1, settings=settings) as opened:
        yield opened


def is_red(document: Document) -> bool:
    """Whether the page's picture has its red quarter where it was."""
    red, white = (document.pages[0].image().getpixel(place) for place in ((20, 20), (150, 80)))
    assert isinstance(red, tuple) and isinstance(white, tuple)
    return red[0] > 200 and max(red[1:]) < 50 and min(white) > 200


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "CMYK"])
def test_a_pil_image_is_read_with_its_colours_and_resolution(reader: Reader, mode: str) -> None:
    picture = ink(mode=mode)
    picture.info["dpi"] = (300, 300)
    document = reader.read(picture)
    (page,) = document.pages
    assert (page.width, page.height, round(page.dpi)) == (200, 100, 300)
    assert document.source.media_type == "image/png" and is_red(document)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "I;16", "I", "F", "HSV"])
def test_a_pil_image_of_any_mode_is_read(reader: Reader, mode: str) -> None:
    picture = Image.new("L", (200, 100)).convert(mode) if mode != "HSV" else ink(mode=mode)
    assert reader.read(picture).pages[0].width == 200


def test_a_pil_image_stands_upright(reader: Reader) -> None:
    file = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6  # its right side is the top
    ink().save(file, "JPEG", exif=exif)
    with Image.open(file) as turned:
        (page,) = reader.read(turned).pages
    assert (page.width, page.height) == (100, 200)


@pytest.mark.parametrize(
    "array",
    [
        np.asarray(ink()),
        np.asarray(ink(mode="RGBA")),
        np.asarray(ink(mode="L")),
        np.asarray(ink(mode="L"))[..., None],
        np.asarray(ink(mode="L")) > 128,
        np.asarray(ink())[:, ::-1],
    ],
    ids=["rgb", "rgba", "grey", "one channel", "bool", "a view"],
)
def test_an_array_is_read(reader: Reader, array: np.ndarray[Any, Any]) -> None:
    (page,) = reader.read(array).pages
    assert (page.width, page.height) == (200, 100)


def test_an_arrays_channels_are_red_green_and_blue(reader: Reader) -> None:
    assert is_red(reader.read(np.asarray(ink())))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (7, "not int"),
        (None, "not NoneType"),
        (["a.pdf"], "not list"),
        (io.StringIO("%PDF"), "open it with 'rb'"),
        (np.zeros((4, 4)), "not an array of float64, (4, 4)"),
        (np.zeros((4, 4, 2), np.uint8), "(4, 4, 2)"),
    ],
    ids=["a number", "none", "a list", "a text file", "floats", "two channels"],
)
def test_anything_else_is_a_type_error_that_says_what_is_taken(given: Any, told: str) -> None:
    with pytest.raises(TypeError) as refused:
        pagetide.read(given)
    said = str(refused.value)
    assert told in said and "a path, an https address, bytes, a file" in said
    for read in (pagetide.read_pages, lambda one: pagetide.read_many([one])):
        with pytest.raises(TypeError):
            list(read(given))


def test_a_path_bytes_and_an_open_file_are_taken() -> None:
    for given in ("a", Path("a"), b"", bytearray(), memoryview(b""), io.BytesIO()):
        check_kind(given)


@pytest.mark.parametrize("given", [Image.new("L", (0, 9)), np.zeros((0, 9), np.uint8)])
def test_a_picture_without_pixels_is_damaged(reader: Reader, given: Any) -> None:
    with pytest.raises(Damaged, match="no pixels"):
        reader.read(given)


def test_a_picture_that_cannot_be_decoded_is_damaged(reader: Reader) -> None:
    file = io.BytesIO()
    ink().save(file, "PNG")
    with Image.open(io.BytesIO(file.getvalue()[:-60])) as cut, pytest.raises(Damaged):
        reader.read(cut)


@pytest.fixture
def site() -> Iterator[Loopback]:
    with loopback() as running:
        running.answers["/x/scan.pdf"] = answering(digital_pdf())
        yield running


def test_an_address_is_fetched_and_forgotten_with_the_document(
    site: Loopback, reader: Reader
) -> None:
    document = reader.read(
        f"http://127.0.0.1:{site.port}/x/scan.pdf?a=1", pagetide.ReadOptions(text_layer="only")
    )
    assert document.source.name == "scan.pdf"
    assert document.pages[1].image().width == document.pages[1].width
    assert len(site.received) == 1  # though it was opened twice


def test_the_file_of_an_address_goes_when_nobody_needs_it(site: Loopback) -> None:
    settings = Settings(allow_hosts=("127.0.0.1",))
    fetched = Fetched(f"http://127.0.0.1:{site.port}/x/scan.pdf", settings)
    place = Path(fetched)
    assert place.read_bytes() == digital_pdf()
    del fetched
    gc.collect()
    assert not place.parent.exists()


@pytest.mark.parametrize("scheme", ["http", "https", "HTTPS"])
def test_an_address_within_is_refused(site: Loopback, scheme: str) -> None:
    with pytest.raises(AddressRefused):
        pagetide.read(f"{scheme}://127.0.0.1:{site.port}/x/scan.pdf", model="fake")
    assert site.received == []


def test_what_cannot_be_read_does_not_stop_the_others(site: Loopback, reader: Reader) -> None:
    gone = f"http://127.0.0.1:{site.port}/gone.pdf"
    sources: list[Any] = [gone, ink(), "nowhere.pdf", digital_pdf()]
    results = list(reader.read_many(sources))
    assert [source for source, _ in results] == sources
    shown = [getattr(result, "code", "read") for _, result in results]
    assert shown == ["download_failed", "read", "not_found", "read"]


def test_a_path_is_told_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotFound, match=r"^gone\.pdf does not exist\.$"):
        pagetide.read("gone.pdf")
    Path("here.pdf").write_bytes(digital_pdf())
    document = pagetide.read("here.pdf", text_layer="only")
    monkeypatch.chdir("/")
    assert document.pages[0].image().width == document.pages[0].width


def test_progress_is_told_by_document_and_page() -> None:
    told: list[Progress] = []
    sources: list[bytes | str] = [digital_pdf(), "nowhere.pdf", digital_pdf()]
    found = list(pagetide.read_many(sources, on_progress=told.append, text_layer="only"))
    assert isinstance(found[1][1], NotFound) and len(found) == 3
    pages = len(getattr(found[0][1], "pages", ()))
    steps = [(one.pages_done, one.pages, one.documents_done, one.documents) for one in told]
    first = [(n, pages, int(n == pages), 3) for n in range(1, pages + 1)]
    last = [(n, pages, 2 + (n == pages), 3) for n in range(1, pages + 1)]
    assert steps == [*first, (0, 0, 2, 3), *last]
    assert told[0].page is not None and told[pages].page is None
    assert told[pages].source == "nowhere.pdf"
    streamed: list[Progress] = []
    list(pagetide.read_many(iter(sources[1:2]), on_progress=streamed.append))
    assert [one.documents for one in streamed] == [None]


def test_a_document_is_read_while_the_event_loop_goes_on() -> None:
    ticks = 0

    async def both() -> Document:
        nonlocal ticks
        task = asyncio.create_task(pagetide.aread(digital_pdf(), text_layer="only"))
        while not task.done():
            ticks += 1
            await asyncio.sleep(0.001)
        return await task

    read = asyncio.run(both())
    assert read.text == pagetide.read(digital_pdf(), text_layer="only").text
    assert ticks > 1


def test_options_are_those_of_read() -> None:
    ((_, refused),) = pagetide.read_many([digital_pdf()], dpi=1)
    assert isinstance(refused, BadOption) and "dpi" in refused.message
    with pytest.raises(UnknownModel):
        list(pagetide.read_many([digital_pdf()], model="nobody"))
