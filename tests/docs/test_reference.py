"""The reference says what the program does: nothing missing, nothing made up."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pagetide import errors
from pagetide.cli import program
from pagetide.errors import PagetideError
from pagetide.settings import Settings
from samples import pdf
from samples.sheet import Sheet
from tests.docs import settings
from tests.fake_server import FakeServer, Listening

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"


def rows(file: str) -> list[list[str]]:
    """The cells of a document's table rows, without ticks and without the heads."""
    lines = (REFERENCE / file).read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("| `")]
    return [[c.strip().strip("`") for c in line.strip("|").split("|")] for line in table]


def leaves(kind: type[PagetideError]) -> Iterator[type[PagetideError]]:
    yield kind
    for below in kind.__subclasses__():
        if below.__module__ == errors.__name__:
            yield from leaves(below)


def test_every_error_is_in_the_reference_as_it_is() -> None:
    wanted = [
        [
            kind.code,
            kind.__name__,
            str(kind.exit_code),
            str(kind.http_status),
            "yes" if kind.retryable else "no",
            (kind.__doc__ or "").splitlines()[0],
        ]
        for kind in leaves(PagetideError)
    ]
    assert sorted(wanted) == sorted(rows("errors.md"))


def test_every_setting_is_in_the_reference_as_its_docstring_says() -> None:
    page = (REFERENCE / "settings.md").read_text(encoding="utf-8")
    assert page == settings.written(page), "write it anew: make settings"
    named = re.findall(r"^\| `PAGETIDE_(\w+)`", page, re.M)
    assert sorted(named) == sorted(name.upper() for name in Settings.known())
    assert tuple(name.lower() for name in named[:10]) == settings.TEN


def commands(group: click.Group, *words: str) -> Iterator[tuple[str, ...]]:
    """The words of a group and of every command in it."""
    yield words
    for name, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from commands(command, *words, name)
        else:
            yield *words, name


def helps() -> dict[str, str]:
    """What each command shows for `--help`, by the command."""
    runner = CliRunner()
    return {
        " ".join(["pagetide", *words]): runner.invoke(
            program, [*words, "--help"], prog_name="pagetide", terminal_width=80
        ).stdout.rstrip()
        for words in commands(program)
    }


def test_the_help_of_every_command_is_in_the_reference() -> None:
    text = (REFERENCE / "command_line.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^## `(.+?)`\n\n```text\n(.*?)\n```", text, re.M | re.S))
    assert helps() == shown


def documents() -> list[Path]:
    folders = ("docs/**/*.md", "deploy/**/*.md", "*.md")
    return [path for folder in folders for path in sorted(ROOT.glob(folder))]


@cache
def texts() -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in documents()}


def test_every_link_of_a_document_leads_somewhere() -> None:
    lost = [
        (document.name, target)
        for document, text in texts().items()
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
        if "://" not in target and not (document.parent / target).exists()
    ]
    assert lost == []


def test_every_deployment_is_on_the_page_that_says_which_one() -> None:
    text = texts()[ROOT / "deploy" / "README.md"]
    there = {each.name for each in (ROOT / "deploy").iterdir() if each.is_dir()}
    assert there and [name for name in sorted(there) if f"`{name}`" not in text] == []


def test_every_python_example_of_a_document_compiles() -> None:
    for document, text in texts().items():
        for example in re.findall(r"```python\n(.*?)```", text, re.S):
            compile(example, document.name, "exec")


def test_every_command_of_a_document_has_options_that_exist() -> None:
    for document, text in texts().items():
        for line in re.findall(r"^pagetide (.+)$", text, re.M):
            if not line.startswith("[OPTIONS]"):
                used, known = options_of(line)
                assert used <= known, (document.name, line)


def test_every_target_of_make_that_a_document_names_exists() -> None:
    known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    named = {
        target
        for text in texts().values()
        for target in re.findall(r"(?:`|\$ |\n)make ([a-z-]+)(?=`| +#| [A-Z]+=|\n)", text)
    }
    assert len(named) > 20 and named <= known


def test_every_file_that_a_document_names_is_there() -> None:
    """But for what its reader is to make: `NAME`, `mine`."""
    named = {
        path
        for text in texts().values()
        for path in re.findall(r"`((?:src|tests|docs|deploy|bench|samples)/[\w./-]+)`", text)
    }
    assert len(named) > 80
    lost = {path for path in named if not (ROOT / path).exists()}
    assert {path for path in lost if not re.search("NAME|/mine/", path)} == set()


def options_of(line: str) -> tuple[set[str], set[str]]:
    """The options that a command line has, and those that its command knows."""
    words = re.split(r"\s+", re.split(r"\s[|>#]\s?|;", line)[0])
    command: click.Command = program
    for word in words:
        command = getattr(command, "commands", {}).get(word, command)
    known = {name for p in command.params for name in (*p.opts, *p.secondary_opts)}
    used = {word.split("=")[0] for word in words if word.startswith("-") and word != "-"}
    return used, known | {"--help", "--version"}


def test_every_setting_that_a_document_names_exists() -> None:
    known = {f"PAGETIDE_{field.name.upper()}" for field in dataclasses.fields(Settings)}
    files = {f"{name}_FILE" for name in known} | {"PAGETIDE_CONFIG", "PAGETIDE_SECRETS_DIR"}
    allowed = known | files | {"PAGETIDE_", "PAGETIDE_TEST_", "PAGETIDE_TEST_REQUIRE"}
    for document, text in texts().items():
        assert set(re.findall(r"PAGETIDE_[A-Z_]+", text)) <= allowed, document.name


def test_every_value_of_a_setting_in_a_document_can_be_read() -> None:
    shaped = "|".join(each.variable for each in Settings.known().values() if each.shape)
    found = [
        (name, quoted[1:-1] if quoted.startswith("'") else quoted)
        for text in texts().values()
        for name, quoted in re.findall(rf"\b({shaped})=('[^'\n]*'|[^\s'`]+)", text)
    ]
    assert len(found) > 20
    for name, value in found:
        Settings.from_environment({name: value})


def examples() -> list[tuple[str, str]]:
    """Those of ours; `tests/clients` runs other people's clients, as their pages show them."""
    found = []
    for document, text in texts().items():
        if document.parent.name == "clients":
            continue
        blocks = re.findall(r"```python\n(.*?)```", text, re.S)
        found += [(f"{document.stem}-{i}", block) for i, block in enumerate(blocks, 1)]
    return found


@pytest.mark.parametrize(
    ("name", "example"), [pytest.param(*each, id=each[0]) for each in examples()]
)
def test_every_python_example_of_a_document_runs(
    name: str, example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scan.pdf").write_bytes(digital_pdf())
    Path("samples").symlink_to(ROOT / "samples")
    with Listening(FakeServer()) as server:
        example = example.replace("http://127.0.0.1:8000", server.url)
        exec(compile(example, name, "exec"), {"__name__": name})  # noqa: S102 - our own


def digital_pdf() -> bytes:
    """One page with text of its own, so that no engine is needed."""
    sheet = Sheet(measure=lambda text, face: 0.5 * len(text))
    for i in range(30):
        sheet.write(60, 80 + 20 * i, "The tide tables of the harbour office", 12, "sans")
    return pdf.write([pdf.text_page(sheet)], jpeg_quality=50)
