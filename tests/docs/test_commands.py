"""Every document that is read on a command line in the documentation, read as it is shown."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from pagetide.cli import program
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
