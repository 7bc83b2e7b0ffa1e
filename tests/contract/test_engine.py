"""What `ports.Engine` promises, of every engine, without an exception."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bench.fake_vl_server import FakeVlServer, Reply
from pagetide.document import Line, Word
from pagetide.engine import Engine, PageImage, PageReading
from pagetide.engines import vl
from pagetide.engines.catalogue import MODELS, open_engine
from pagetide.engines.paddle import open_ppocr, open_structurev3
from pagetide.errors import UnknownLanguage
from pagetide.geometry import box_of, polygon_of
from pagetide.layout import Area
from pagetide.settings import Settings
from tests import paddle_stubs
from tests.drawing import page_saying

OPTIONS = Settings(threads=2, detection_side=320)
# PP-OCRv5's own networks are not here: the engine that reads with them is, with others.
BUNDLED = "detector=PP-OCRv6_small_det&recogniser=PP-OCRv6_small_rec"
# Else PaddleOCR makes a page's short side 736 pixels long: two seconds for each.
SMALL = "text_det_limit_side_len=320&text_det_limit_type=max"


def _opened(model: str, runtime: str = "auto") -> Engine:
    return open_engine(model, replace(OPTIONS, runtime=runtime))


def _structurev3(request: pytest.FixtureRequest) -> Engine:
    return _paddle(request, open_structurev3)


def _ppocr(request: pytest.FixtureRequest) -> Engine:
    return _paddle(request, open_ppocr)


def _paddle(request: pytest.FixtureRequest, opener: Callable[..., Engine]) -> Engine:
    python: str = request.getfixturevalue("paddle_python")
    folder: Path = request.getfixturevalue("tmp_path_factory").mktemp("networks")
    find = paddle_stubs.make(folder).find
    return opener(replace(OPTIONS, paddle_python=python), SMALL, find_model=find)


def _vl(request: pytest.FixtureRequest) -> Engine:
    server = FakeVlServer(lambda asked: Reply(text=f"{asked.picture.size} in a picture"))
    request.getfixturevalue("while_open").enter_context(server)
    settings = replace(OPTIONS, vl_url=server.url, vl_concurrency=4)
    return vl.open_engine(settings, "", lambda pixels: [_whole(pixels)])


def _whole(pixels: NDArray[np.uint8]) -> Area:
    """All of a page as text."""
    height, width = pixels.shape[:2]
    return Area(label="text", kind="text", polygon=polygon_of((0, 0, width, height)))


ENGINES: dict[str, Callable[[pytest.FixtureRequest], Engine]] = {
    "auto": lambda _: _opened("auto"),
    "structure-lite": lambda _: _opened("structure-lite"),
    "structure-lite on onnxruntime": lambda _: _opened("structure-lite", "onnxruntime"),
    "pp-ocrv6": lambda _: _opened("pp-ocrv6"),
    "pp-ocrv6 on onnxruntime": lambda _: _opened("pp-ocrv6", "onnxruntime"),
    "pp-ocrv5": lambda _: _opened(f"pp-ocrv5?{BUNDLED}"),
    "pp-structurev3": _structurev3,
    "pp-ocr": _ppocr,
    "paddleocr-vl": _vl,
    "fake": lambda _: _opened("fake"),
}


@pytest.fixture(scope="module")
def while_open() -> Iterator[ExitStack]:
    """Contexts that stay open as long as the engine does."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    opened = ENGINES[request.param](request)
    yield opened
    opened.close()


def said(reading: PageReading) -> list[str]:
    """The text on a page: its lines, or its blocks where a model writes only those."""
    assert reading.error is None
    lines = [line.text for line in reading.lines]
    return lines or [block.text for block in reading.blocks or ()]


def test_every_model_with_an_engine_is_under_contract() -> None:
    under = {name.partition(" ")[0] for name in ENGINES}
    assert {name for name, entry in MODELS.items() if entry.open} == under


def test_there_is_one_reading_for_each_page_in_order(engine: Engine) -> None:
    widths = [640, 320, 480, 640]
    pages = [page_saying("in order", width=width) for width in widths]
    readings = list(engine.read(iter(pages), "auto"))
    assert [len(said(reading)) for reading in readings] == [1] * len(widths)
    alone = [said(next(engine.read(iter([page]), "auto"))) for page in pages]
    assert [said(reading) for reading in readings] == alone


def test_an_empty_page_has_no_error(engine: Engine) -> None:
    blank = PageImage(pixels=np.full((200, 300, 3), 255, np.uint8), dpi=144)
    (reading,) = engine.read(iter([blank]), "auto")
    assert reading.error is None


def test_no_pages_give_no_readings(engine: Engine) -> None:
    assert list(engine.read(iter([]), "auto")) == []


def test_lines_and_words_lie_on_the_page(engine: Engine) -> None:
    page = page_saying("two words", width=400)
    (reading,) = engine.read(iter([page]), "auto")
    height, width = page.pixels.shape[:2]
    for line in reading.lines:
        assert "".join(word.text for word in line.words) == line.text.replace(" ", "")
        items: list[Line | Word] = [line, *line.words]
        for item in items:
            x0, y0, x1, y1 = box_of(item.polygon)
            assert 0 <= x0 <= x1 <= width and 0 <= y0 <= y1 <= height
            assert item.confidence is not None and 0 <= item.confidence <= 1


def test_images_are_taken_only_a_bounded_number_ahead(engine: Engine) -> None:
    taken = 0

    def endless() -> Iterator[PageImage]:
        nonlocal taken
        while True:
            taken += 1
            yield page_saying("again", width=320)

    readings = engine.read(endless(), "auto")
    for _ in range(3):
        next(readings)
    readings.close()  # type: ignore[attr-defined]  # every engine's reading is a generator
    assert taken <= 20


def test_an_error_of_the_source_comes_after_the_pages_before_it(engine: Engine) -> None:
    def failing() -> Iterator[PageImage]:
        for _ in range(3):
            yield page_saying("before", width=320)
        raise UnknownLanguage("the source failed")

    readings = engine.read(failing(), "auto")
    got = []
    with pytest.raises(UnknownLanguage, match="the source failed"):
        for reading in readings:
            got.append(reading)
    assert len(got) == 3


def test_an_unknown_language_is_refused(engine: Engine) -> None:
    with pytest.raises(UnknownLanguage):
        list(engine.read(iter([page_saying("x", width=320)]), "klingon"))
    with pytest.raises(UnknownLanguage):
        engine.describe("klingon")


def test_threads_may_share_an_engine(engine: Engine) -> None:
    pages = [page_saying(f"page {i}", width=320 + 32 * i) for i in range(2)]
    expected = [said(reading) for reading in engine.read(iter(pages), "auto")]
    results: list[list[list[str]]] = []

    def read() -> None:
        readings = engine.read(iter(pages), "auto")
        results.append([said(reading) for reading in readings])

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 3


def test_the_engine_says_what_it_is(engine: Engine) -> None:
    model = engine.describe("en")
    assert model.name in MODELS
    assert model.language == "en"
    assert model.version and model.runtime
