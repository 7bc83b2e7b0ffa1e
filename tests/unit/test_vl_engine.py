"""The PaddleOCR-VL engine: what it makes of answers, and how it shares the server."""

from __future__ import annotations

import gc
import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress

import numpy as np
import pytest

from bench.fake_vl_server import OTSL, Asked, FakeVlServer, Reply
from pagetide.document import BlockKind, Failure, Line
from pagetide.engine import Engine, PageImage, PageReading
from pagetide.engines.vl import open_engine
from pagetide.engines.vl.crops import Pixels
from pagetide.engines.vl.page import MARGIN
from pagetide.engines.vl.server.client import Clock
from pagetide.errors import BadOption, EngineFailed, UnknownLanguage
from pagetide.geometry import Box, box_of, polygon_of
from pagetide.layout import Area
from pagetide.settings import Settings
from tests.waiting import until

Spot = tuple[BlockKind, Box]
SPOTS: tuple[Spot, ...] = (
    ("title", (0, 0, 100, 30)),
    ("text", (0, 40, 110, 70)),
    ("table", (0, 80, 120, 150)),
    ("figure", (0, 160, 130, 200)),
    ("formula", (0, 210, 140, 240)),
)
ONE: tuple[Spot, ...] = (("text", (0, 0, 100, 40)),)


async def at_once(seconds: float) -> None:
    """A retry that does not wait."""


def finder(spots: Sequence[Spot]) -> Callable[[Pixels], list[Area]]:
    return lambda _: [
        Area(label=f"a {kind}", kind=kind, polygon=polygon_of(box), order=order)
        for order, (kind, box) in enumerate(spots)
    ]


def image(shade: int = 0, width: int = 200) -> PageImage:
    """A page that no other shade has the same crops of."""
    pixels = np.full((260, width, 3), 255, np.uint8)
    pixels[:, 8:60:4] = shade
    return PageImage(pixels=pixels, dpi=144)


def shade_of(asked: Asked) -> int:
    """The shade of the page that a picture was cut from, to 10."""
    return round(min(asked.picture.convert("L").tobytes()) / 10) * 10


def well(asked: Asked) -> Reply:
    said = {"Table Recognition:": OTSL, "Formula Recognition:": "\\[E=mc^2\\]"}
    return Reply(text=said.get(asked.prompt, f"text {shade_of(asked)}"))


@pytest.fixture
def fake() -> Iterator[FakeVlServer]:
    with FakeVlServer(well) as server:
        yield server


@contextmanager
def opened(
    fake: FakeVlServer,
    spots: Sequence[Spot] = SPOTS,
    parameters: str = "",
    *,
    find_areas: Callable[[Pixels], Sequence[Area]] | None = None,
    other: Engine | None = None,
    slots: int = 8,
    cache_mb: int = 0,
    dialect: str = "vllm",
) -> Iterator[Engine]:
    settings = Settings(
        vl_url=fake.url,
        vl_concurrency=slots,
        vl_cache_mb=cache_mb,
        vl_dialect=dialect,
        threads=2,
    )
    engine = open_engine(
        settings,
        parameters,
        find_areas or finder(spots),
        open_other=(lambda: other) if other else None,
        clock=Clock(sleep=at_once),
    )
    try:
        yield engine
    finally:
        engine.close()


def read(engine: Engine, *shades: int) -> list[PageReading]:
    return list(engine.read((image(shade) for shade in shades), "en"))


def codes(reading: PageReading) -> list[list[str]]:
    assert reading.blocks is not None
    return [[notice.code for notice in block.warnings] for block in reading.blocks]


# What a page says.


def test_a_page_has_a_block_for_each_area_in_order(fake: FakeVlServer) -> None:
    with opened(fake) as engine:
        [reading] = read(engine, 0)
    assert reading.error is None and reading.lines == () and reading.warnings == ()
    assert reading.blocks
    assert [block.order for block in reading.blocks] == [0, 1, 2, 3, 4]
    assert [block.kind for block in reading.blocks] == [kind for kind, _ in SPOTS]
    assert [block.text for block in reading.blocks] == [
        *("text 0", "text 0", "Region\t\tSales\n\t\t2026\nNorth\t\t1&2", "", "E=mc^2")
    ]
    assert reading.blocks[2].table and reading.blocks[2].table.columns == 3
    assert all(block.confidence is None for block in reading.blocks)
    assert sorted(asked.prompt for asked in fake.asked) == [
        *("Formula Recognition:", "OCR:", "OCR:", "Table Recognition:")
    ]


def test_raw_holds_what_the_server_said(fake: FakeVlServer) -> None:
    with opened(fake) as engine:
        [reading] = read(engine, 0)
    raw = json.loads(reading.raw or b"")
    assert raw["answers"][2] == {
        "blocks": [2],
        "prompt": "Table Recognition:",
        "min_pixels": 112_896,
        "max_pixels": 1_003_520,
        "text": OTSL,
        "finish_reason": "stop",
        "usage": {"prompt_tokens": 300, "completion_tokens": 40, "total_tokens": 340},
    }
    assert [area["label"] for area in raw["areas"]] == [f"a {kind}" for kind, _ in SPOTS]


def test_a_failed_block_leaves_the_others(fake: FakeVlServer) -> None:
    def failing(asked: Asked) -> Reply:
        return Reply(status=400) if asked.prompt.startswith("Table") else well(asked)

    fake.answer = failing
    with opened(fake) as engine:
        [reading] = read(engine, 0)
    assert reading.error is None
    assert codes(reading) == [[], [], ["block_failed"], [], []]
    assert [(n.code, n.message) for n in reading.warnings] == [
        ("block_failed", "1 of 5 blocks could not be read.")
    ]
    assert reading.blocks and reading.blocks[1].text == "text 0"
    assert json.loads(reading.raw or b"")["answers"][2]["error"]


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(text="cut sho", finish="length"), "block_truncated"),
        (Reply(text="on and " * 60), "block_repeats"),
        (Reply(status=503), "block_failed"),
        (Reply(breaks=True), "block_failed"),
        (Reply(body=b"?"), "block_failed"),
    ],
)
def test_what_goes_wrong_with_a_block_is_marked(
    fake: FakeVlServer, reply: Reply, code: str
) -> None:
    fake.answer = lambda asked: well(asked) if asked.prompt.startswith("Table") else reply
    with opened(fake, SPOTS[1:3]) as engine:
        [reading] = read(engine, 0)
    assert codes(reading) == [[code], []]


def test_a_page_of_which_nothing_could_be_read_has_an_error(fake: FakeVlServer) -> None:
    fake.answer = lambda _: Reply(status=422)
    with opened(fake) as engine:
        [reading] = read(engine, 0)
    assert reading.error and reading.error.code == "engine_failed"
    assert "422" in reading.error.message


def test_a_server_that_is_gone_fails_pages_which_may_be_tried_again(fake: FakeVlServer) -> None:
    fake.stop()
    with opened(fake) as engine:
        readings = read(engine, 0, 10)
    assert [r.error.code if r.error else "" for r in readings] == ["engine_failed"] * 2
    assert all(r.error and r.error.retryable and r.blocks is None for r in readings)


def test_a_wrong_model_name_fails_the_page_with_what_to_set(fake: FakeVlServer) -> None:
    fake.answer = lambda _: Reply(status=404)
    with opened(fake) as engine:
        [reading] = read(engine, 0)
    assert reading.error and reading.error.code == "model_unavailable"
    assert "PAGETIDE_VL_SERVED_NAME" in reading.error.message


def test_answers_that_come_after_their_page_failed_do_no_harm(
    fake: FakeVlServer, caplog: pytest.LogCaptureFixture
) -> None:
    held = fake.hold()

    async def refusing(asked: Asked) -> Reply:
        if asked.prompt.startswith("Table"):
            return Reply(status=401)
        await held.wait()
        return well(asked)

    fake.answer = refusing
    with opened(fake) as engine:
        readings = engine.read((image(shade) for shade in (0, 10)), "en")
        assert next(readings).error
        held.release()
        assert next(readings).error
        until(lambda: fake.at_once == 0)
        fake.answer = well
        [after] = read(engine, 0)
    gc.collect()  # a task that broke says so when it goes
    assert after.error is None and after.blocks and after.blocks[0].text == "text 0"
    assert [record.name for record in caplog.records if record.name == "asyncio"] == []


def test_a_layout_that_fails_fails_its_page_alone(fake: FakeVlServer) -> None:
    def find(pixels: Pixels) -> list[Area]:
        if pixels.min() == 10:
            raise EngineFailed("The layout model failed.")
        return finder(ONE)(pixels)

    with opened(fake, find_areas=find) as engine:
        readings = read(engine, 0, 10, 20)
    assert [r.error.message if r.error else "" for r in readings] == [
        *("", "The layout model failed.", "")
    ]


def test_a_page_without_areas_is_read_whole_and_says_so(fake: FakeVlServer) -> None:
    with opened(fake, ()) as engine:
        [reading] = read(engine, 0)
    assert [notice.code for notice in reading.warnings] == ["no_layout"]
    assert reading.blocks and reading.blocks[0].text == "text 0"
    assert reading.blocks[0].label is None and reading.areas == ()


def test_a_blank_page_asks_nothing(fake: FakeVlServer) -> None:
    with opened(fake, ()) as engine:
        [reading] = read(engine, 255)
    assert (reading.blocks, reading.warnings, fake.asked) == ((), (), [])


def test_text_that_runs_on_is_read_as_one_picture(fake: FakeVlServer) -> None:
    spots: tuple[Spot, ...] = (("text", (0, 100, 90, 200)), ("text", (100, 0, 190, 100)))
    pixels = np.full((260, 200, 3), 255, np.uint8)
    for top in range(0, 200, 20):
        pixels[top + 4 : top + 14, :190:3] = 0
    page = PageImage(pixels=pixels, dpi=144)
    with opened(fake, spots) as engine:
        [reading] = engine.read(iter([page]), "en")
    with opened(fake, spots, "merge=no") as engine:
        [apart] = engine.read(iter([page]), "en")
    assert reading.blocks and apart.blocks
    assert [(b.text, b.continues) for b in reading.blocks] == [("text 0", None), ("", 0)]
    assert [b.text for b in apart.blocks] == ["text 0", "text 0"]
    assert fake.asked[0].picture.size == (90, 200)


def test_a_server_that_does_not_resize_gets_the_models_pixels(fake: FakeVlServer) -> None:
    with opened(fake, ONE, dialect="llama-cpp") as engine:
        read(engine, 0)
    picture = fake.asked[0].picture
    assert picture.format == "PNG"
    width, height = picture.size
    assert width % 28 == height % 28 == 0 and width * height >= 112_896


# Another model where this one could not.


class Reads:
    """An engine that finds one line on every picture, at a fixed place."""

    def __init__(self, *, fails: bool = False) -> None:
        self.sizes: list[tuple[int, ...]] = []
        self.closed = False
        self._fails = fails

    def describe(self, language: str) -> None:
        raise NotImplementedError

    def read(self, images: Iterator[PageImage], language: str) -> Iterator[PageReading]:
        for each in images:
            self.sizes.append(each.pixels.shape[:2])
            box = (MARGIN + 5, MARGIN + 6, MARGIN + 50, MARGIN + 20)
            line = Line(text="read by other", polygon=polygon_of(box), confidence=0.9)
            failure = (
                Failure(code="engine_failed", message="It broke.") if self._fails else None
            )
            yield PageReading(lines=(line,), error=failure)

    def close(self) -> None:
        self.closed = True


def test_a_failed_block_is_read_by_another_model_where_asked(fake: FakeVlServer) -> None:
    fake.answer = lambda asked: (
        Reply(status=400) if asked.prompt.startswith("OCR") else well(asked)
    )
    other = Reads()
    with opened(fake, SPOTS[1:3], "fallback=pp-ocrv6", other=other) as engine:  # type: ignore[arg-type]
        [reading] = read(engine, 0)
    assert codes(reading) == [["block_failed", "read_by_other_model"], []]
    assert reading.blocks and reading.blocks[0].text == "read by other"
    assert reading.blocks[0].line_indexes == (0,)
    assert box_of(reading.lines[0].polygon) == pytest.approx((5, 46, 50, 60))
    assert reading.lines[0].source == "ocr"
    assert [n.code for n in reading.warnings] == ["block_failed", "read_by_other_model"]
    assert other.sizes == [(30 + 2 * MARGIN, 110 + 2 * MARGIN)] and other.closed


def test_lines_of_a_resized_picture_come_back_to_the_page(fake: FakeVlServer) -> None:
    fake.answer = lambda _: Reply(text="x", finish="length")
    other = Reads()
    with opened(fake, ONE, "fallback=pp-ocrv6", other=other, dialect="openai") as engine:  # type: ignore[arg-type]
        [reading] = read(engine, 0)
    height, width = (side - 2 * MARGIN for side in other.sizes[0])
    assert width > 100
    x, y = 100 / width, 40 / height
    assert box_of(reading.lines[0].polygon) == pytest.approx((5 * x, 6 * y, 50 * x, 20 * y))


def test_another_model_that_fails_fails_the_page(fake: FakeVlServer) -> None:
    fake.answer = lambda _: Reply(status=400)
    with opened(fake, ONE, "fallback=pp-ocrv6", other=Reads(fails=True)) as engine:  # type: ignore[arg-type]
        [reading] = read(engine, 0)
    assert reading.error and reading.error.message == "It broke."


def test_a_fallback_that_is_not_there_is_refused(fake: FakeVlServer) -> None:
    with pytest.raises(BadOption), opened(fake, ONE, "fallback=pp-ocrv6"):
        pass


# Sharing the server.


def test_pages_come_in_order_and_work_goes_on_behind_a_slow_one(fake: FakeVlServer) -> None:
    held = fake.hold()

    async def first_is_slow(asked: Asked) -> Reply:
        if shade_of(asked) == 0:
            await held.wait()
        return well(asked)

    fake.answer = first_is_slow
    texts: list[str] = []

    def reading() -> None:
        for each in read(engine, *range(0, 100, 10)):
            assert each.blocks
            texts.append(each.blocks[0].text)

    with opened(fake, ONE, slots=2) as engine:
        thread = threading.Thread(target=reading)
        thread.start()
        until(lambda: len(fake.served) >= 6)
        assert texts == []
        held.release()
        thread.join()
    assert texts == [f"text {shade}" for shade in range(0, 100, 10)]


def test_no_more_is_asked_at_once_than_allowed_of_all_readings(fake: FakeVlServer) -> None:
    held = fake.hold()

    async def slow(asked: Asked) -> Reply:
        await held.wait()
        return well(asked)

    fake.answer = slow
    with opened(fake, slots=3) as engine:
        threads = [
            threading.Thread(target=read, args=(engine, *range(start, 240, 40)))
            for start in (0, 10, 20)
        ]
        for thread in threads:
            thread.start()
        until(lambda: fake.at_once == 3)
        held.release()
        for thread in threads:
            thread.join()
    assert fake.most_at_once == 3
    assert len(fake.asked) == 18 * 4


def test_two_readings_share_the_slots_by_turns(fake: FakeVlServer) -> None:
    started = fake.hold()

    async def slow(asked: Asked) -> Reply:
        await started.wait()
        return well(asked)

    fake.answer = slow
    with opened(fake, slots=1, find_areas=_rows) as engine:
        readers = [threading.Thread(target=read, args=(engine, shade)) for shade in (20, 100)]
        readers[0].start()
        until(lambda: _waiting(engine) == 19)
        readers[1].start()
        until(lambda: _waiting(engine) == 19 + 3)
        started.release()
        for reader in readers:
            reader.join()
    shades = [shade_of(asked) for asked in fake.asked]
    assert shades[:7] == [20, 20, 100, 20, 100, 20, 100]
    assert shades[7:] == [20] * 16


def _rows(pixels: Pixels) -> list[Area]:
    """Twenty areas on a page of shade 20, three on others, no two of them alike."""
    count = 20 if pixels.min() == 20 else 3
    return finder([("text", (0, 12 * i, 100 + i, 12 * i + 10)) for i in range(count)])(pixels)


def _waiting(engine: Engine) -> int:
    return len(engine._in_flight._waiting)  # type: ignore[attr-defined]


def test_pages_are_taken_only_a_bounded_number_ahead(fake: FakeVlServer) -> None:
    held = fake.hold()

    async def never(asked: Asked) -> Reply:
        await held.wait()
        return well(asked)

    fake.answer = never
    taken = 0

    def endless() -> Iterator[PageImage]:
        nonlocal taken
        while True:
            taken += 1
            yield image(taken % 250)

    with opened(fake, SPOTS, slots=4) as engine:
        readings = engine.read(endless(), "en")
        got: list[PageReading] = []
        thread = threading.Thread(target=lambda: got.append(next(readings)))
        thread.start()
        until(lambda: fake.at_once == 4 and taken >= 2)
        held.release()
        thread.join()
        readings.close()  # type: ignore[attr-defined]  # it is a generator
    assert len(got) == 1
    assert taken <= 12


def test_the_same_picture_is_asked_once(fake: FakeVlServer) -> None:
    held = fake.hold()

    async def slow(asked: Asked) -> Reply:
        await held.wait()
        return well(asked)

    fake.answer = slow
    with opened(fake, ONE, cache_mb=1) as engine:
        threads = [threading.Thread(target=read, args=(engine, 30, 30)) for _ in range(3)]
        for thread in threads:
            thread.start()
        until(lambda: fake.asked)
        held.release()
        for thread in threads:
            thread.join()
        read(engine, 30)
        assert len(fake.asked) == 1
        read(engine, 40)
    assert len(fake.asked) == 2


def test_without_memory_a_picture_is_asked_again(fake: FakeVlServer) -> None:
    with opened(fake, ONE, cache_mb=0) as engine:
        read(engine, 30)
        read(engine, 30)
    assert len(fake.asked) == 2


def test_a_failure_is_not_remembered(fake: FakeVlServer) -> None:
    fake.answer = lambda _: Reply(status=400)
    with opened(fake, ONE, cache_mb=1) as engine:
        assert read(engine, 30)[0].error
        fake.answer = well
        assert read(engine, 30)[0].error is None


def test_a_reader_who_leaves_frees_the_slots(fake: FakeVlServer) -> None:
    first, held = fake.hold(), fake.hold()

    async def stuck(asked: Asked) -> Reply:
        await (held if shade_of(asked) > 0 else first).wait()
        return well(asked)

    def images() -> Iterator[PageImage]:
        for shade in (0, 10, 20, 30, 40):
            if shade == 10:
                until(lambda: fake.asked)  # else two others may be planned, and asked, first
            if shade == 30:
                first.release()  # only now, so that two others have been taken by then
            yield image(shade)

    fake.answer = stuck
    with opened(fake, ONE, slots=2) as engine:
        readings = engine.read(images(), "en")
        next(readings)
        until(lambda: fake.at_once == 2)
        readings.close()  # type: ignore[attr-defined]
        [reading] = read(engine, 0)
    assert reading.error is None
    held.release()


def test_who_leaves_takes_no_answer_from_others(fake: FakeVlServer) -> None:
    held = fake.hold()

    async def slow(asked: Asked) -> Reply:
        if shade_of(asked) == 30:
            await held.wait()
        return well(asked)

    fake.answer = slow
    got: list[PageReading] = []
    with opened(fake, ONE, slots=4) as engine:
        leaving = engine.read((image(shade) for shade in (0, 30)), "en")
        next(leaving)
        until(lambda: fake.at_once == 1)
        staying = threading.Thread(target=lambda: got.extend(read(engine, 30, 50)))
        staying.start()
        until(lambda: len(fake.served) == 2)  # shades 0 and 50
        leaving.close()  # type: ignore[attr-defined]
        held.release()
        staying.join()
    assert [r.error for r in got] == [None, None]


def test_closing_ends_a_reading_with_an_error(fake: FakeVlServer) -> None:
    held = fake.hold()

    async def never(asked: Asked) -> Reply:
        await held.wait()
        return well(asked)

    fake.answer = never
    errors: list[Exception] = []

    def reading() -> None:
        try:
            read(engine, 0, 10, 20)
        except EngineFailed as error:
            errors.append(error)

    with opened(fake) as engine:
        thread = threading.Thread(target=reading)
        thread.start()
        until(lambda: fake.at_once)
        engine.close()
        thread.join()
        with pytest.raises(EngineFailed, match="closed"):
            read(engine, 0)
    assert "closed" in str(errors[0])
    held.release()


def test_an_error_of_the_source_comes_after_the_pages_before_it(fake: FakeVlServer) -> None:
    def failing() -> Iterator[PageImage]:
        yield image(0)
        yield image(10)
        raise OSError("the source failed")

    got = []
    with opened(fake) as engine, pytest.raises(OSError, match="the source failed"):
        for reading in engine.read(failing(), "en"):
            got.append(reading)
    assert len(got) == 2


def test_a_mistake_in_the_layout_reaches_the_caller(fake: FakeVlServer) -> None:
    def broken(_: Pixels) -> list[Area]:
        raise ZeroDivisionError

    with opened(fake, find_areas=broken) as engine, pytest.raises(ZeroDivisionError):
        read(engine, 0)


def test_the_engine_says_what_it_is(fake: FakeVlServer) -> None:
    with opened(fake, parameters="version=1.5&fallback=pp-ocrv6", other=Reads()) as engine:  # type: ignore[arg-type]
        model = engine.describe("en")
        with pytest.raises(UnknownLanguage):
            engine.describe("klingon")
    assert (model.name, model.version, model.runtime) == ("paddleocr-vl", "1.5", "vllm")
    assert model.parts == {"recognition": "PaddleOCR-VL-1.5-0.9B", "fallback": "pp-ocrv6"}


def test_the_stand_in_server_closes_connections_that_come_while_it_stops() -> None:
    for _ in range(20):
        with FakeVlServer() as server, ExitStack() as open_sockets:
            caller = threading.Thread(target=_call, args=(server.port, open_sockets))
            caller.start()
            server.stop()
            caller.join()
    gc.collect()  # a connection left open is a warning, and warnings are errors


def _call(port: int, open_sockets: ExitStack) -> None:
    with suppress(ConnectionRefusedError, ConnectionResetError):
        for _ in range(8):
            open_sockets.enter_context(socket.create_connection(("127.0.0.1", port)))
