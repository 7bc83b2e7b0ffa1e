"""The folders of public benchmarks, from our own pages to the printed row."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.public import __main__ as command
from bench.public import olmocr, omnidocbench, own_pages, puredocbench
from bench.public.facts import Fact
from bench.public.reading import Reading
from bench.public.result import published, spread, told
from pagetide import open_reader


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our own pages in all three formats."""
    path = tmp_path_factory.mktemp("own")
    own_pages.write(path)
    return path


def _run(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> None:
    monkeypatch.setattr(sys, "argv", ["bench.public", *map(str, arguments)])
    command.main()


def test_our_own_pages_are_read_and_scored(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = folder / "out.json"
    folders = [
        f"--{name}={folder / name}" for name in ("omnidocbench", "puredocbench", "olmocr")
    ]
    _run(monkeypatch, *folders, "--json", saved)
    said, figures = capsys.readouterr().out, json.loads(saved.read_text())
    assert list(figures) == ["OmniDocBench", "PureDocBench, clean", "olmOCR-bench"]
    assert figures["OmniDocBench"]["figures"]["text_edit"] < 0.05
    assert figures["OmniDocBench"]["figures"]["table_teds"] > 95
    assert figures["OmniDocBench"]["figures"] == figures["PureDocBench, clean"]["figures"]
    assert figures["olmOCR-bench"]["figures"]["without_math"] == 100
    assert figures["olmOCR-bench"]["figures"]["arxiv_math"] == 0
    assert len(figures["olmOCR-bench"]["pages"]) == 3
    assert said.count("| **Pagetide, structure-lite** |") == 3
    assert "| MinerU2.5 [1] | 90.7 |" in said
    assert "1 were read as text" in said


def test_some_pages_of_a_set_say_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    only = ("--olmocr", folder / "olmocr", "--model", "text-layer", "--limit", "2")
    _run(monkeypatch, *only, "--json", folder / "some.json")
    assert (
        "2 pages of 3, spread over the set: not the published set." in capsys.readouterr().out
    )


def test_a_page_that_cannot_be_read_counts_as_empty_and_is_named(tmp_path: Path) -> None:
    with open_reader("text-layer") as reader:
        reading = Reading(reader, "auto")
        assert reading.markdown(tmp_path / "gone.pdf") == ""
        (note,) = reading.notes(1, 1)[1:]
    assert note.startswith("1 could not be read and count as empty: gone.pdf: ")
    assert reading.anew().failed == []


def test_without_a_folder_the_command_says_what_it_wants(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        _run(monkeypatch)
    assert "name the folder of a benchmark" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("load", "arguments"),
    [(omnidocbench.load, ()), (olmocr.load, ()), (puredocbench.load, ("clean",))],
)
def test_a_folder_that_is_none_of_theirs_is_refused(
    tmp_path: Path, load: Any, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "images" / "clean").mkdir(parents=True)
    (tmp_path / "OmniDocBench.json").write_text("[{}]")
    with pytest.raises(SystemExit, match=str(tmp_path)):
        load(tmp_path, *arguments)


def test_a_track_whose_pictures_are_not_here_is_passed_over(folder: Path) -> None:
    assert puredocbench.load(folder / "puredocbench", "real") == []


def test_a_line_that_is_no_fact_is_named(tmp_path: Path) -> None:
    (tmp_path / "tables.jsonl").write_text('\n{"pdf": "a.pdf"}\n')
    with pytest.raises(SystemExit, match=r"tables\.jsonl, line 2"):
        olmocr.load(tmp_path)


def test_every_pdf_is_asked_whether_its_first_page_makes_sense(folder: Path) -> None:
    pages = olmocr.load(folder / "olmocr")
    assert [page.pdf.name for page in pages] == ["lesson.pdf", "notice.pdf", "prices.pdf"]
    assert all("baseline" in dict(page.facts) for page in pages)


def test_pages_are_taken_from_all_over_a_set() -> None:
    assert spread(range(10), 3) == [0, 3, 6]
    assert spread(range(3), 9) == spread(range(3), None) == [0, 1, 2]


def test_published_rows_have_sources_and_add_up() -> None:
    known = published()
    rows = [(name, row) for name, rows in known.items() if name != "sources" for row in rows]
    assert len(rows) > 30
    for name, row in rows:
        assert {"what", "date", "url"} == set(known["sources"][row["source"]])
        parts = {key: value for key, value in row.items() if key != "overall"}
        shares = [value for value in parts.values() if isinstance(value, float)]
        whole = (
            sum(shares) / len(shares)
            if name == "olmocr"
            else omnidocbench.with_overall(parts)["overall"]
        )
        assert whole == pytest.approx(row["overall"], abs=0.06), row["system"]


def test_a_lower_bound_is_marked() -> None:
    fact = Fact(pdf="a.pdf", page=1, id="a", type="math", math="x")
    result = olmocr.result([("a", [("arxiv_math", fact, False)])], ())
    assert "| **Pagetide, a model** | ≥ 0.0 | – | ≥ 0.0 |" in told(result, "a model")
