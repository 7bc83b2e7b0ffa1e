"""Documents whose every box is known, read by an engine that a test can hold back.

Page 1 has one block of most kinds; the figure is drawn as a black rectangle.
Page 2 warns, page 3 could not be read, the others are like page 1. Pages are identified by
their width.
"""

from __future__ import annotations

import functools
import io
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pypdf
import uvicorn
from pypdf.generic import DecodedStreamObject, NameObject

from pagetide.document import Block, Cell, Failure, Line, ModelInfo, Notice, Table, Word
from pagetide.engine import PageImage, PageReading
from pagetide.geometry import Box, part_of, polygon_of
from pagetide.reading import Reader
from pagetide.server.app import create_app
from tests.serving import Place, inspector
from tests.waiting import until

WIDTH, HEIGHT = 500, 700  # pixels of page 1; every further page is 2 wider
FIGURE: Box = (100.0, 420.0, 300.0, 540.0)
TITLE: Box = (50.0, 40.0, 450.0, 90.0)
DOUBTED = "dusk"
FAILED = 3
TABLE_TEXTS = ("Tide tables", "High", "4.61", "Low", "1.38")


@functools.cache
def known_pdf(pages: int, password: str = "") -> bytes:
    """A document of such pages, encrypted if a password is given."""
    writer, drawing = pypdf.PdfWriter(), DecodedStreamObject()
    left, top, right, bottom = (edge / 2 for edge in FIGURE)  # 144 pixels are 72 points
    place = f"{left} {HEIGHT / 2 - bottom} {right - left} {bottom - top}"
    drawing.set_data(f"{place} re f".encode())
    for i in range(pages):
        page = writer.add_blank_page(width=WIDTH / 2 + i, height=HEIGHT / 2)
        page[NameObject("/Contents")] = writer._add_object(drawing)
    if password:
        writer.encrypt(password, algorithm="AES-256")
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


class Knowing:
    """An engine that knows its pages; see `ports.Engine`.

    Args:
        gate: Each release lets a page through; None lets all through.
    """

    def __init__(self, gate: Callable[[], threading.Semaphore | None]) -> None:
        self._gate = gate

    def describe(self, language: str) -> ModelInfo:
        return ModelInfo(
            name="fake", engine="fake", version="1", runtime="none", language=language
        )

    def read(self, images: Iterator[PageImage], language: str) -> Iterator[PageReading]:
        for image in images:
            if gate := self._gate():
                gate.acquire()
            yield reading((image.pixels.shape[1] - WIDTH) // 2 + 1)

    def close(self) -> None:
        pass


def reading(number: int) -> PageReading:
    """The content of a page."""
    if number == FAILED:
        error = Failure(code="engine_failed", message="The engine failed, as told.")
        return PageReading(lines=(), error=error)
    lines = (
        _line(f"Known boxes {number}", TITLE),
        _line("The Café Übersee opens at nine", (50.0, 120.0, 450.0, 150.0)),
        _line(f"and closes at {DOUBTED}", (50.0, 160.0, 350.0, 190.0), doubted=0.42),
        _line("Figure 1. A black box", (100.0, 560.0, 300.0, 590.0)),
    )
    notice = Notice(code="tables_not_searched", message="Too much is drawn to find tables.")
    return PageReading(
        lines=lines, blocks=_blocks(lines, number), warnings=(notice,) if number == 2 else ()
    )


def _blocks(lines: tuple[Line, ...], number: int) -> tuple[Block, ...]:
    cut = Notice(code="block_truncated", message="The model's answer was cut at its limit.")
    return (
        Block(
            kind="heading",
            level=1,
            polygon=polygon_of(TITLE),
            order=0,
            line_indexes=(0,),
            text=lines[0].text,
        ),
        Block(
            kind="text",
            polygon=polygon_of((45.0, 115.0, 455.0, 195.0)),
            order=1,
            confidence=0.9,
            line_indexes=(1, 2),
            text=f"{lines[1].text}\n{lines[2].text}",
            warnings=(cut,) if number == 2 else (),
        ),
        Block(
            kind="table",
            polygon=polygon_of((50.0, 230.0, 450.0, 380.0)),
            order=2,
            table=_table(),
        ),
        Block(kind="figure", polygon=polygon_of(FIGURE), order=3),
        Block(
            kind="caption",
            polygon=polygon_of((95.0, 555.0, 305.0, 595.0)),
            order=4,
            caption_of=3,
            line_indexes=(3,),
            text=lines[3].text,
        ),
    )


def _table() -> Table:
    places = ((0, 0, 2), (1, 0, 1), (1, 1, 1), (2, 0, 1), (2, 1, 1))
    return Table(
        rows=3,
        columns=2,
        cells=tuple(
            Cell(
                row=row,
                column=column,
                column_span=span,
                text=text,
                header=row == 0,
                polygon=polygon_of(
                    (
                        50.0 + 200 * column,
                        230.0 + 50 * row,
                        250.0 + 200 * (column + span - 1),
                        280.0 + 50 * row,
                    )
                ),
            )
            for text, (row, column, span) in zip(TABLE_TEXTS, places, strict=True)
        ),
    )


def _line(text: str, box: Box, doubted: float = 0.99) -> Line:
    names, polygon = text.split(" "), polygon_of(box)
    words = tuple(
        Word(
            text=name,
            polygon=part_of(polygon, i / len(names), (i + 1) / len(names)),
            confidence=doubted if name == DOUBTED else 0.99,
        )
        for i, name in enumerate(names)
    )
    return Line(text=text, polygon=polygon, confidence=0.99, words=words)


class KnownSite:
    """A service that reads known pages, on the loopback interface.

    Attributes:
        url: Its address, without a slash at the end.
        gate: Each release lets a page through; None lets all through.
    """

    def __init__(self, place: Place, url: str) -> None:
        self.place, self.url = place, url
        self.gate: threading.Semaphore | None = None

    def submit(
        self, pages: int, name: str = "known.pdf", password: str = "", **options: object
    ) -> str:
        """Submit such a document; the job's id."""
        asked = {"password": password} if password else {}
        content = known_pdf(pages, password)
        return self.place.submit(content, name=name, options=options, **asked).id

    def read(
        self, pages: int, name: str = "known.pdf", password: str = "", **options: object
    ) -> str:
        """The id of a job that has been read."""
        job_id = self.submit(pages, name, password, **options)
        until(lambda: self.place.service.job(job_id).ended or None)
        return job_id

    @contextmanager
    def held_back(self) -> Iterator[threading.Semaphore]:
        """Read one page for each release."""
        self.gate = gate = threading.Semaphore(0)
        try:
            yield gate
        finally:
            self.gate = None
            gate.release(1000)

    def open_reader(self, model: str) -> Reader:
        """The engine for this site, whatever the model."""
        return Reader(lambda: Knowing(lambda: self.gate), self.place.settings)


@contextmanager
def known_site(folder: Path) -> Iterator[KnownSite]:
    """Run such a service in this process."""
    opener = inspector()
    place = Place(folder, opener)
    app = create_app(place.service, place.settings, keys_needed=False)
    # Without a logging configuration, which would change the loggers of this process.
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None))
    running = threading.Thread(target=server.run, name="known-site")
    running.start()
    try:
        site = KnownSite(place, _address(server))
        with place.working(open_reader=site.open_reader, idle_s=3600.0):
            yield site
    finally:
        app.state.context.hub.stop()
        server.should_exit = True
        running.join()
        opener.close()


def _address(server: uvicorn.Server) -> str:
    until(lambda: server.started or None)
    port = server.servers[0].sockets[0].getsockname()[1]
    return f"http://127.0.0.1:{port}"
