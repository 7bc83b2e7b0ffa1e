"""What documents, pages and tables can be had as, and how they are shown."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import pagetide
from bench.photos import photo_of
from pagetide.document import Block, Cell, Document, Failure, Page, Table, Word
from pagetide.document.known_source import source_of
from pagetide.errors import BadOption, CannotWrite, RuntimeUnavailable, installing
from pagetide.exports import export
from pagetide.exports.tables.cells import named_rows
from pagetide.geometry import polygon_of
from tests.conftest import CHECKOUT
from tests.digital import digital_pdf
from tests.documents import document_of, line, page_of

PICTURE = CHECKOUT / "samples" / "table.png"
LONG = "naufrage \N{PILE OF POO}\n\t\x00" * 500
BOX = polygon_of((1e300, -1e300, 3.5, float("inf")))


def table_of(*rows: Sequence[str], headers: int = 0) -> Table:
    cells = tuple(
        Cell(row=r, column=c, text=text, header=r < headers)
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    )
    return Table(rows=len(rows), columns=len(rows[0]), cells=cells)


def block(kind: str, order: int, **more: object) -> Block:
    place = polygon_of((100, 100 + 200 * order, 900, 250 + 200 * order))
    return msgspec.convert(
        {"kind": kind, "order": order, "polygon": place, **more}, Block, from_attributes=True
    )


DUES = table_of(("Berth", "Dues"), ("North", "=1+1"), headers=1)
PAGE = page_of(
    [line("Dues", (100, 100, 200, 130))],
    blocks=(
        block("heading", 0, text="Dues", line_indexes=(0,)),
        block("table", 2, table=DUES),
        block("figure", 1),
        block("chart", 3, table=table_of(("1", "2"))),
    ),
)


@pytest.fixture(scope="module")
def digital() -> Document:
    """A digital PDF, read from its bytes."""
    return pagetide.read(digital_pdf(), text_layer="only")


@pytest.mark.parametrize(
    "shown",
    [
        document_of(*[page_of([line(LONG, (0, 0, 9, 9))])] * 3000, name=LONG),
        page_of([line(LONG, (0, 0, 9, 9))] * 5000),
        line(LONG, (0, 0, 9, 9)),
        Word(text=LONG, polygon=BOX, confidence=0.123456789),
        Block(kind="page_number", polygon=BOX, order=10**9, text=LONG, confidence=1e-9),
        Table(rows=10**9, columns=10**9, cells=()),
        Cell(row=10**9, column=10**9, text=LONG, polygon=BOX, confidence=0.5),
        replace(PAGE, error=Failure(code=LONG, message=LONG)),
    ],
    ids=lambda shown: type(shown).__name__,
)
def test_a_part_of_a_result_is_shown_on_one_short_line(shown: object) -> None:
    said = repr(shown)
    assert len(said) <= 200 and said.isprintable()
    assert said.startswith(f"<{type(shown).__name__}")


@given(st.text())
def test_no_text_makes_it_long(text: str) -> None:
    document = document_of(PAGE, name=text)
    assert len(repr(document)) <= 200 and repr(document).isprintable()


def test_a_document_says_its_pages_words_tables_and_model() -> None:
    failed = replace(page_of([], number=2), error=Failure(code="page_timeout", message="No."))
    shown = repr(document_of(PAGE, failed))
    assert shown == "<Document 'scan.pdf': 2 pages, 1 failed, 1 word, 2 tables, 'fake'>"
    assert repr(failed) == "<Page 2: not read, 'page_timeout'>"
    assert repr(PAGE) == "<Page 1: 1000 × 1400 px, 1 line, 1 word, 4 blocks, 2 tables>"


def test_texts_are_what_exports_write() -> None:
    document = document_of(PAGE)
    for text, name in (
        (document.to_text(), "txt"),
        (document.to_markdown(), "md"),
        (document.to_html(), "html"),
    ):
        ((_, content),) = export(document, name)
        assert text == content.decode()
    assert document.to_dict() == json.loads(document.to_json())
    assert Document.from_json(json.dumps(document.to_dict())) == document


def test_a_page_is_had_by_itself() -> None:
    assert "## Dues" in PAGE.to_markdown() and "<h4>Dues</h4>" in PAGE.to_html()
    assert PAGE.to_text().startswith("Dues\n")
    assert Page.from_json(json.dumps(PAGE.to_dict())) == PAGE


def test_tables_and_figures_come_in_reading_order() -> None:
    document = document_of(PAGE, replace(PAGE, number=2))
    assert [table.rows for table in PAGE.tables] == [2, 1]
    assert [each.kind for each in PAGE.figures] == ["figure", "chart"]
    assert len(document.tables) == len(document.figures) == 4


def test_a_table_over_two_pages_is_one_of_the_document() -> None:
    first = replace(PAGE, blocks=(block("table", 0, table=DUES),))
    before = {"page": 1, "order": 0}
    more = block("table", 0, table=table_of(("South", "3")), continued_from=before)
    document = document_of(first, page_of([], number=2, blocks=(more,)))
    assert [table.rows for table in document.tables] == [3]


def test_a_table_is_had_as_rows_csv_text_markdown_and_html() -> None:
    assert DUES.to_rows() == [["Berth", "Dues"], ["North", "=1+1"]]
    assert DUES.to_csv() == "Berth,Dues\r\nNorth,'=1+1\r\n"
    assert DUES.to_text() == "Berth\tDues\nNorth\t=1+1"
    assert DUES.to_markdown().splitlines()[0] == "| Berth | Dues |"
    assert DUES._repr_html_() == DUES.to_html()
    assert '<th scope="col">Berth</th>' in DUES.to_html()
    assert msgspec.convert(DUES.to_dict(), Table) == DUES


def test_a_data_frame_has_the_head_as_names(clients_python: str) -> None:
    spanned = Table(
        rows=3,
        columns=3,
        cells=(
            Cell(row=0, column=0, row_span=2, text="Port", header=True),
            Cell(row=0, column=1, column_span=2, text="Height", header=True),
            Cell(row=1, column=1, text="low", header=True),
            Cell(row=1, column=2, text="high", header=True),
            Cell(row=2, column=0, text="Quay"),
            Cell(row=2, column=2, text="4.6"),
        ),
    )
    script = CHECKOUT / "tests" / "clients" / "pandas_frame.py"
    folders = (CHECKOUT / "src", sysconfig.get_path("purelib"))
    told = [
        json.loads(
            subprocess.run(
                [clients_python, script, *folders],
                input=msgspec.json.encode(table),
                capture_output=True,
                check=True,
            ).stdout
        )
        for table in (spanned, table_of(("1", "2")))
    ]
    assert told[0] == [["Port", "Height low", "Height high"], [["Quay", "", "4.6"]]]
    assert told[1] == [[0, 1], [["1", "2"]]]


def test_a_data_frame_without_pandas_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(RuntimeUnavailable, match=re.escape(installing("pandas"))):
        DUES.to_pandas()
    assert named_rows(DUES) == (["Berth", "Dues"], [["North", "=1+1"]])


@pytest.mark.parametrize("ending", ["json", "md", "txt", "html", "hocr", "pdf", "xlsx"])
def test_a_file_is_saved_in_the_format_of_its_ending(
    digital: Document, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / "new folder" / f"Report.{ending.upper()}"
    assert digital.save(path) == (path,)
    ((_, content),) = pagetide.export(digital, ending, source=digital_pdf())
    assert len(path.read_bytes()) == pytest.approx(len(content), abs=64)  # a workbook's time


def test_several_files_are_named_after_the_one_asked_for(tmp_path: Path) -> None:
    one = document_of(replace(PAGE, blocks=PAGE.blocks[:2]))
    assert one.save(tmp_path / "t.csv") == (tmp_path / "t.csv",)
    names = [path.name for path in document_of(PAGE).save(tmp_path / "t.csv")]
    assert names == ["t-p1-t1.csv", "t-p1-t2.csv"]
    (archive,) = document_of(PAGE).save(tmp_path / "t.csv.zip")
    assert archive.read_bytes().startswith(b"PK")


@pytest.mark.parametrize("name", ["report.docx", "report", ".md"])
def test_an_ending_that_is_no_format_is_told_with_those_there_are(name: str) -> None:
    endings = ".json, .md, .txt, .html, .fields.json, .hocr, .pdf, .csv, .xlsx"
    with pytest.raises(BadOption, match=f"'{name}' is not a known format; .* {endings}"):
        document_of(PAGE).save(name)


def test_nothing_is_written_where_there_is_nothing(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match=r"nothing to write to none\.csv"):
        document_of(page_of([])).save(tmp_path / "none.csv")
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite):
        document_of(PAGE).save(tmp_path / "file" / "x.md")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_page_read_here_has_its_picture(digital: Document) -> None:
    page = digital.pages[0]
    plain, drawn = page.image(), page.image(overlay=True)
    assert plain.size == drawn.size == (page.width, page.height)
    assert plain.mode == "RGB" and plain.tobytes() != drawn.tobytes()


def test_a_photo_of_a_page_is_shown_as_it_is_and_not_as_it_was_straightened() -> None:
    paper = np.full((800, 600, 3), 255, np.uint8)
    paper[100:700:40, 60:540] = 0
    photo, _ = photo_of(paper, 3)
    document = pagetide.read(photo[..., ::-1], model="fake")
    (page,) = document.pages
    assert [notice.code for notice in page.warnings] == ["straightened"]
    assert page.image().size == (page.width, page.height) == photo.shape[1::-1]
    assert (np.asarray(page.image())[..., ::-1] == photo).all()


def test_pages_that_come_one_by_one_know_their_source(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(digital_pdf())
    (page, *_) = pagetide.read_pages(path, text_layer="only")
    assert page.image().size == (page.width, page.height)
    path.write_bytes(digital_pdf() + b"\n")
    with pytest.raises(BadOption, match="has changed"):
        page.image()


def test_a_document_that_comes_from_json_is_given_its_source(digital: Document) -> None:
    for copy in (Document.from_json(digital.to_json()), pickle.loads(pickle.dumps(digital))):  # noqa: S301
        with pytest.raises(BadOption, match="pass `source`"):
            copy.pages[0].image()
        with pytest.raises(BadOption, match="pass `source`"):
            copy.save("never.pdf")
        assert copy.pages[0].image(source=digital_pdf()).width == copy.pages[0].width
        assert copy == digital


def test_where_it_was_read_from_is_no_part_of_it(digital: Document) -> None:
    assert b"known_source" not in msgspec.msgpack.encode(digital)
    known = source_of(pagetide.read(digital_pdf(), password=PICTURE.name))
    assert known and known.password == PICTURE.name and PICTURE.name not in repr(known)


def test_a_notebook_shows_pages_and_tables() -> None:
    document = pagetide.read(PICTURE)
    shown = document._repr_html_()
    assert shown.count("<svg") == 1 and shown.count("data:image/jpeg;base64,") == 1
    assert shown.count("<table>") == len(document.tables) == 2
    assert shown.count("<polygon") == len(document.pages[0].blocks)
    assert len(shown) < 300_000


def test_a_notebook_shows_texts_where_there_is_no_picture_and_runs_nothing() -> None:
    evil = page_of(
        [line('<script>"', (1, 1, 90, 20))], blocks=(block("text", 0, text='"><script>'),)
    )
    shown = document_of(evil, *[PAGE] * 9, name="<script>")._repr_html_()
    assert "<script" not in shown and "&lt;script&gt;&quot;</text>" in shown
    assert shown.count("<svg") == 4 and "6 more" in shown
    assert "<image" not in shown and PAGE._repr_html_().count("<svg") == 1


def test_a_notebook_says_which_page_could_not_be_read() -> None:
    failed = replace(PAGE, error=Failure(code="damaged", message="It is <damaged>."))
    assert "could not be read: It is &lt;damaged&gt;." in document_of(failed)._repr_html_()
