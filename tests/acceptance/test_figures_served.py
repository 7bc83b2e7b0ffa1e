"""Figures and tables of documents that are really opened: by service, client and command."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from pagetide import AsyncClient, Client, export
from pagetide.cli import program
from pagetide.document import Block, Cell, Document, ModelInfo, Table
from pagetide.engine import PageImage, PageReading
from pagetide.errors import (
    BadOption,
    JobEnded,
    JobUnknown,
    NotFound,
    PasswordNeeded,
    ResultNotReady,
)
from pagetide.geometry import polygon_of
from pagetide.reading import Reader
from pagetide.server.app import create_app
from pagetide.server.service.submitting.inspection import Inspector
from tests.fake_server import FakeServer, transport
from tests.serving import Place, inspector, pdf

# The black rectangle that `serving.pdf` draws on each page, and what is around it.
DRAWN = polygon_of((40.0, 80.0, 140.0, 160.0))
ROUND = polygon_of((30.0, 70.0, 150.0, 170.0))
TIDE = "tide"  # a password
TABLE = Table(
    rows=1, columns=2, cells=(Cell(row=0, column=0, text="-5"), Cell(row=0, column=1))
)
BLOCKS = (
    Block(kind="table", polygon=ROUND, order=0, table=TABLE),
    Block(kind="figure", polygon=DRAWN, order=1),
    Block(kind="caption", polygon=ROUND, order=2, text="Fig. 1", caption_of=1),
)


class Seeing:
    """An engine that sees the same on every page; see `ports.Engine`."""

    def describe(self, language: str) -> ModelInfo:
        return ModelInfo(
            name="fake", engine="fake", version="1", runtime="none", language=language
        )

    def read(self, images: Iterator[PageImage], language: str) -> Iterator[PageReading]:
        for _ in images:
            yield PageReading(lines=(), blocks=BLOCKS)

    def close(self) -> None:
        pass


@pytest.fixture(scope="module")
def opener() -> Iterator[Inspector]:
    opener = inspector()
    yield opener
    opener.close()


@pytest.fixture
def place(tmp_path: Path, opener: Inspector) -> Place:
    return Place(tmp_path, opener)


def work(place: Place) -> None:
    place.work(open_reader=lambda _: Reader(Seeing, place.settings))


def play(place: Place, steps: Callable[[AsyncClient], Any]) -> None:
    """What a test does with a client of the place's application."""

    async def all_of_it() -> None:
        app = create_app(place.service, place.settings, keys_needed=False)
        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(app)
            async with AsyncClient("http://127.0.0.1:8000", transport=transport) as client:
                await steps(client)

    asyncio.run(all_of_it())


def picture(png: bytes) -> np.ndarray[Any, Any]:
    return np.asarray(Image.open(io.BytesIO(png)).convert("L"))


def archive(content: bytes | str) -> dict[str, bytes]:
    assert isinstance(content, bytes)
    found = zipfile.ZipFile(io.BytesIO(content))
    return {name: found.read(name) for name in found.namelist()}


def test_a_figure_is_cut_from_the_page_that_was_read(place: Place) -> None:
    job = place.submit(pdf(2))
    work(place)

    async def steps(client: AsyncClient) -> None:
        document = await client.document(job.id)
        figure = picture(await client.figure(job.id, 2, 1))
        around = picture(await client.figure(job.id, 2, 0))
        assert document.pages[1].blocks == BLOCKS
        assert figure.shape == (80, 100) and not figure.any()  # all of it is black
        assert around.shape == (100, 120) and around[0, 0] == 255
        with pytest.raises(NotFound, match="no block 3"):
            await client.figure(job.id, 1, 3)

    play(place, steps)


def test_figures_and_tables_are_made_along(place: Place) -> None:
    job = place.submit(pdf(2), options={"formats": ("md", "html", "csv", "xlsx", "figures")})
    work(place)

    async def steps(client: AsyncClient) -> None:
        figures = archive(await client.result(job.id, "figures"))
        assert list(figures) == ["figures/p0001-b1.png", "figures/p0002-b1.png"]
        assert all(picture(png).shape == (80, 100) for png in figures.values())
        for name in ("md", "html"):
            text = await client.result(job.id, name)
            assert isinstance(text, str)
            assert [figure for figure in figures if figure in text] == list(figures)
        tables = archive(await client.result(job.id, "csv"))
        assert tables == {f"p{number}-t1.csv": b"-5,\r\n" for number in (1, 2)}
        assert "xl/workbook.xml" in archive(await client.result(job.id, "xlsx"))

    play(place, steps)


def test_figures_that_were_not_asked_for_are_not_linked_to(place: Place) -> None:
    job = place.submit(pdf(1), options={"formats": ("md", "html")})
    work(place)
    for name in ("md", "html"):
        text = place.blobs.get(place.job(job).results[name].key)
        assert b"Fig. 1" in text and b".png" not in text


def test_figures_of_an_encrypted_document_can_be_had_while_the_job_runs(place: Place) -> None:
    job = place.submit(pdf(1, password=TIDE), password=TIDE, options={"formats": ("figures",)})
    work(place)
    ended = place.job(job)
    assert list(archive(place.blobs.get(ended.results["figures"].key))) == [
        "figures/p0001-b1.png"
    ]
    with pytest.raises(PasswordNeeded):
        place.service.pages.figure(ended, 1, 1)
    later = place.submit(pdf(1, first=300, password=TIDE), password=TIDE)
    work(place)
    with pytest.raises(ResultNotReady, match="being created"):
        place.service.result(place.job(later), "figures")
    work(place)
    with pytest.raises(JobEnded, match="cannot be created"):
        place.service.result(place.job(later), "figures")


class Read:
    """A reader that has read already."""

    def __init__(self, document: Document) -> None:
        self._document = document

    def __call__(self, *_: object, **__: object) -> Read:
        return self

    def read_many(
        self, sources: Iterable[Any], *_: object, **__: object
    ) -> Iterator[tuple[Any, Document]]:
        for source in sources:
            yield source, self._document

    def __enter__(self) -> Read:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture
def document(place: Place) -> Document:
    """What was read of `pdf(2)`."""
    with Reader(Seeing, place.settings) as reader:
        return reader.read(pdf(2))


def test_the_command_writes_figures_beside_the_text_that_links_to_them(
    tmp_path: Path, document: Document
) -> None:
    source, out = tmp_path / "a (b) ü.pdf", tmp_path / "out"
    source.write_bytes(pdf(2))
    formats = "md,html,csv,xlsx,figures"
    arguments = ["read", str(source), "-o", str(out), "-f", formats]
    done = CliRunner().invoke(program, arguments, obj=Read(document))
    assert (done.exit_code, done.stderr) == (0, "")
    stem = "a (b) ü.pdf"
    figures = [f"{stem}-figures/p{number:04}-b1.png" for number in (1, 2)]
    tables = [f"{stem}-p{number}-t1.csv" for number in (1, 2)]
    wanted = [f"{stem}.md", f"{stem}.html", f"{stem}.xlsx", *tables, *figures]
    written = [str(Path(file).relative_to(out)) for file in json.loads(done.stdout)["files"]]
    assert written == wanted
    assert picture((out / figures[1]).read_bytes()).shape == (80, 100)
    assert (out / tables[0]).read_bytes() == b"-5,\r\n"
    linked = "a%20%28b%29%20%C3%BC.pdf-figures/p0001-b1.png"
    for name in ("md", "html"):
        assert linked in (out / f"{stem}.{name}").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["csv", "figures"])
def test_many_files_need_a_folder(name: str, tmp_path: Path, document: Document) -> None:
    source = tmp_path / "scan.pdf"
    source.write_bytes(pdf(2))
    done = CliRunner().invoke(program, ["read", str(source), "-f", name], obj=Read(document))
    assert done.exit_code == 64
    assert "needs a folder" in done.stderr


def test_a_program_gets_figures_one_by_one(document: Document) -> None:
    files = export(document, "figures", source=pdf(2))
    ending, png = next(files)
    assert (ending, picture(png).shape) == ("-figures/p0001-b1.png", (80, 100))
    assert [ending for ending, _ in files] == ["-figures/p0002-b1.png"]
    ((_, text),) = export(document, "md", figures="pictures/")
    assert b"](pictures/p0002-b1.png)" in text
    with pytest.raises(BadOption, match="has changed"):
        list(export(document, "figures", source=pdf(1)))


def test_a_block_beside_the_page_is_said_and_stops_no_other(document: Document) -> None:
    away = Block(kind="figure", polygon=polygon_of((-50.0, 0.0, -10.0, 20.0)), order=3)
    page = msgspec.structs.replace(document.pages[0], blocks=(*BLOCKS, away))
    moved = msgspec.structs.replace(document, pages=(page,))
    assert [ending for ending, _ in export(moved, "figures", source=pdf(2))] == [
        "-figures/p0001-b1.png"
    ]
    ((_, text),) = export(moved, "md", figures="pictures/")
    assert b"<!-- figure: page 1, block 3 -->" in text


def test_both_clients_ask_for_a_figure_alike() -> None:
    server = FakeServer()
    with Client(transport=transport(server)) as client:
        job = client.submit(b"%PDF", name="scan.pdf")
        assert client.figure(job, 2, 12) == b"\x89PNG 2 12.png"
        with pytest.raises(JobUnknown):
            client.figure("none", 2, 12)
