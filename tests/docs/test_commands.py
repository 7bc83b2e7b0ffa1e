"""Every document that is read on a command line in the documentation, read as it is shown."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from pagetide.cli import program
from tests.docs.shell import commands
from tests.docs.test_reference import ROOT, digital_pdf, texts
from tests.fake_server import FakeServer, Listening

LINE = re.compile(
    r"^(?:\$ |cat scan\.pdf \| )?((?:PAGETIDE_\w+=\S+ )*)pagetide (read [^|>\n]+)", re.M
)
ELSEWHERE = ("README", "tutorial", "coming-from")  # run from top to end by tests/acceptance
PULLED = ("--lang ko", "--model", "--option")  # networks that are not here


def shown() -> list[tuple[str, str, str]]:
    """The page, the variables before it, and the words of each such line."""
    return [
        (document.stem, variables, words.strip())
        for document, text in texts().items()
        if document.stem not in ELSEWHERE
        for block in re.findall(r"```(?:sh|console)\n(.*?)```", text, re.S)
        for variables, words in LINE.findall(block)
        if not any(each in words for each in PULLED)
    ]


@pytest.fixture
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the pages read: each is one page with text of its own."""
    monkeypatch.chdir(tmp_path)
    for name in (
        "scan.pdf",
        "report.pdf",
        "upload.pdf",
        "invoice.pdf",
        "scans/one.pdf",
        "scans/two.pdf",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(digital_pdf())
    (tmp_path / "more").mkdir()
    Image.new("L", (64, 64), 255).save(tmp_path / "more" / "empty.tif")
    return tmp_path


@pytest.mark.parametrize(
    ("page", "variables", "words"),
    [pytest.param(*each, id=f"{each[0]}: {each[2]}") for each in shown()],
)
def test_it_reads(page: str, variables: str, words: str, documents: Path) -> None:
    given = dict(each.split("=", 1) for each in shlex.split(variables))
    done = CliRunner(env=given).invoke(
        program, shlex.split(words), input=(documents / "scan.pdf").read_bytes()
    )
    assert done.exit_code == 0, done.output
    assert done.stdout.strip() or list((documents / "out").iterdir())


def test_they_are_found() -> None:
    assert len(shown()) > 20


def test_what_is_asked_of_a_server_is_done(
    documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = texts()[ROOT / "docs" / "how-to" / "client.md"]
    lines = re.findall(r"^pagetide ((?:submit|jobs).*)$", text, re.M)
    assert len(lines) > 5
    with Listening(FakeServer()) as server:
        monkeypatch.setenv("PAGETIDE_SERVER", server.url)
        submitted = ""
        for line in lines:
            done = CliRunner().invoke(program, shlex.split(line.replace("JOB", submitted)))
            assert done.exit_code == 0, (line, done.output)
            submitted = "".join(re.findall(r'"job": "(\w+)"', done.stdout)[:1]) or submitted


# What of a page's commands is done with no other machine than a server that reads nothing: not
# what stays until it is told to end, nor what is fetched.
ALONE = {
    "autoscaler": ("keys",),
    "batch": ("batch paths.txt",),
    "fields": ("submit",),
    "languages": ("models --languages",),
    "models": ("models list", "models verify"),
    "serve": ("keys",),
    "settings": ("doctor",),
    "simulate": ("simulate --trace monday", "simulate --calibrate", "simulate --calibration"),
    "watch": ("watch in out --once",),
}


@pytest.mark.parametrize("page", ALONE)
def test_what_needs_nothing_else_is_done(
    page: str, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (documents / "paths.txt").write_text("scan.pdf\nreport.pdf\n")
    (documents / "in").mkdir()
    (documents / "in" / "scan.pdf").write_bytes(digital_pdf())
    monkeypatch.setenv("PAGETIDE_DATA_DIR", str(documents / "data"))
    chosen = tuple(f"pagetide {each}" for each in ALONE[page])
    found = [
        each.words
        for each in commands()
        if each.whole
        and Path(each.page).stem == page
        and " ".join(each.words).startswith(chosen)
    ]
    assert len(found) >= len(chosen)
    made = ""
    with Listening(FakeServer()) as server:
        monkeypatch.setenv("PAGETIDE_SERVER", server.url)
        for words in found:
            told = [made if word == "ID" else word for word in words[1:]]
            done = CliRunner().invoke(program, told)
            assert done.exit_code == 0, (words, done.output)
            made = "".join(re.findall(r"pt_([^_]+)_", done.output)[:1]) or made
