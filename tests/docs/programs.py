"""What each program that the documentation shows must be told: ours, Make, Python, pip, others.

A rule raises where a command would not be taken, or names what is not there.
"""

from __future__ import annotations

import argparse
import json
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
from packaging.requirements import Requirement

from pagetide.cli import program
from pagetide.settings import Settings
from tests.deploy.test_vllm import faults
from tests.docs.shell import ROOT, Command

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
ELSEWHERE: Mapping[str, str] = {  # what tests run of other people's, and which
    "locust": "tests/acceptance/test_facade_ocr_process.py",
    "openapi-generator-cli": "tests/acceptance/test_generated_clients.py",
    "openapi-python-client": "tests/acceptance/test_generated_clients.py",
    "paddleocr": "tests/acceptance/test_facade_paddleocr.py",
    "paddleocr_mcp": "tests/acceptance/test_facade_paddleocr.py",
    "systemd-sysusers": "tests/deploy/test_systemd.py",
}
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
UNITS = ROOT / "deploy" / "systemd"
MADE = ("out/", "scan", "report", "own", "secrets", "/", ".env", "pagetide")  # by the reader
MEDIA = re.compile(r"^/media/\w+$")  # a folder that must be there
# A reader's files and folders that must be there.
OWN = {
    "invoice.json": str(ROOT / "docs" / "reference" / "document.schema.json"),
    "$PWD": str(ROOT),
}
PIP = {"--upgrade", "--no-deps", "--force-reinstall"}
# Programs that make or test a release and stand in none of our locks.
RELEASING = {"build"}


class Taken(BaseException):
    """The arguments of a program were read, and it is to do nothing more."""


def of_pagetide(command: Command) -> None:
    """The arguments are read as the program reads them; only what prose leaves out may lack."""
    words, found = [MEDIA.sub(str(ROOT), word) for word in command.words[1:]], program
    words = [OWN.get(word, word) for word in words]
    while isinstance(found, click.Group) and words and words[0] in found.commands:
        found = found.commands[words.pop(0)]  # type: ignore[assignment]
    if command.whole and not isinstance(found, click.Group):
        found.make_context(found.name, words)
        return
    known = {name for each in found.params for name in (*each.opts, *each.secondary_opts)}
    options = {word.partition("=")[0] for word in words if re.match(r"--?\w", word)}
    assert options <= known | {"--help", "--version"}
    assert words == [] or not isinstance(found, click.Group) or words[0].startswith("-")


def of_make(command: Command) -> None:
    """Its target is there, and makes something of every variable."""
    [target] = [word for word in command.words[1:] if "=" not in word]
    found = re.search(rf"^{re.escape(target)}:.*\n((?:\t.*\n|\\\n)*)", MAKEFILE, re.M)
    assert found, f"no target {target}"
    given = dict(word.split("=", 1) for word in command.words[1:] if "=" in word)
    for name in given:
        assert re.search(rf"\$\(.*\b{name}\b.*\)", found[1]), f"{target} has no {name}"
    if "BENCH" in given:
        recipe = re.sub(r"\$\(or \$\(\w+\),([^)]+)\)", r"\1", found[1].replace("\\\n", ""))
        [(module, before)] = re.findall(r"-m ([\w.]+)([^\n]*)\$\(BENCH\)", recipe)
        usual = re.sub(r"\$\(if .*\)", "", before).split()
        reads_arguments(module, [*usual, *given["BENCH"].split()])


def of_python(command: Command) -> None:
    """A module of ours reads the arguments; other people's are a few known ones."""
    words = [word for word in command.words[1:] if word != "-P"]
    assert words.pop(0) == "-m"
    module, *rest = words
    match module:
        case "pagetide":
            of_pagetide(Command(command.page, ("pagetide", *rest)))
        case "pytest":
            of_pytest(Command(command.page, ("pytest", *rest)))
        case "venv":
            assert len(rest) == 1
        case "build":
            assert rest == ["--outdir", "out/dist"]
        case _ if command.whole or rest:
            reads_arguments(module, rest)
        case _:
            source_of(module)


@cache
def source_of(module: str) -> Path:
    """The file that `python -m` runs."""
    path = ROOT / Path(*module.split("."))
    found = path / "__main__.py" if path.is_dir() else path.with_suffix(".py")
    assert found.exists(), f"no module {module}"
    return found


def reads_arguments(module: str, words: list[str]) -> None:
    """A module of ours takes these arguments; it is ended once it has read them."""
    source = source_of(module)
    if "argparse" not in source.read_text(encoding="utf-8"):
        assert words == [], f"{module} takes no arguments"
        return
    parse = argparse.ArgumentParser.parse_args

    def parsed(parser: argparse.ArgumentParser) -> None:
        parse(parser)
        raise Taken

    with pytest.MonkeyPatch.context() as patch, pytest.raises(Taken):
        patch.setattr(sys, "argv", [str(source), *words])
        patch.setattr(argparse.ArgumentParser, "parse_args", parsed)
        runpy.run_path(str(source), run_name="__main__")


def of_pytest(command: Command) -> None:
    """The tests that are named are there."""
    for word in command.words[1:]:
        assert (ROOT / word).exists(), word


def of_pip(command: Command) -> None:
    """What is installed is a clone with extras that it has, or stands in one of our files."""
    assert command.words[1] == "install"
    for word in command.words[2:]:
        if word.startswith("-"):
            assert word in PIP, word
        elif word.startswith("."):
            extras = re.fullmatch(r"\.(?:\[([\w,-]+)\])?", word)
            assert extras, word
            assert set((extras[1] or "").split(",")) - {""} <= EXTRAS.keys(), word
        elif not word.startswith("out/dist/"):
            _is_known(Requirement(word))


def _is_known(wanted: Requirement) -> None:
    assert wanted.name != PROJECT["name"], "it is on no index yet"
    files = [ROOT / "pyproject.toml", *ROOT.glob("requirements*.txt"), *ROOT.glob("*.lock")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    exact = str(wanted.specifier).startswith("==")
    told = f"{wanted.name}{wanted.specifier}" if exact else wanted.name
    named = re.search(rf'(?:^|"){re.escape(told)}(?=[\[=<>~ ;"]|$)', text, re.M)
    assert named or wanted.name in RELEASING, f"{wanted}: nothing of ours names it"
    if wanted.specifier and not exact:
        ours = {Requirement(each).specifier for extra in EXTRAS.values() for each in extra}
        assert wanted.specifier in ours, f"{wanted}: other bounds than ours"


def of_npm(command: Command) -> None:
    """The script is one of the package's."""
    package = json.loads((ROOT / "clients" / "typescript" / "package.json").read_text())
    assert command.words[1] == "ci" or command.words[2] in package["scripts"]


def of_vllm(command: Command) -> None:
    """The arguments are those of the version that is shipped."""
    assert [*faults(command.words)] == []


def of_celery(command: Command) -> None:
    """The application and the command are those that `tests/acceptance/test_celery.py` runs."""
    text = (ROOT / "tests" / "acceptance" / "test_celery.py").read_text(encoding="utf-8")
    assert command.words[1] == "-A" and command.words[2] in text
    for word in command.words[3:]:
        assert f'"{word}"' in text, word


def of_openssl(command: Command) -> None:
    """It is run."""
    subprocess.run(command.words, check=True, capture_output=True)


def of_files(command: Command) -> None:
    """`cd`, `cp`, `cat`, `install`: what is in the repository is there."""
    words = [word for word in command.words[1:] if not word.startswith("-")]
    for word in words if command.program in ("cd", "cat") else words[:-1]:
        if word.startswith(("deploy/", "clients/", "example", "samples/", "docs/")):
            assert list((ROOT / command.folder).glob(word)), word
        else:
            assert word.startswith(MADE) or command.program == "install", word


def of_prepare(command: Command) -> None:
    """`tests/deploy/test_compose.py` runs it with each of the words that it takes."""
    source = (ROOT / command.folder / "prepare").read_text(encoding="utf-8")
    for word in command.words[1:]:
        assert f"\n{word})\n" in source, word


def of_units(command: Command) -> None:
    """`systemctl` and `journalctl`: the unit is one of ours."""
    for unit in re.findall(r"pagetide-[\w@]+", " ".join(command.words)):
        name = re.sub(r"@\w+", "@", unit)
        assert (UNITS / f"{name}.service").exists(), unit


def of_others(command: Command) -> None:
    """A test runs the program; the files that it is told are there."""
    test = (ROOT / ELSEWHERE[command.program]).read_text(encoding="utf-8")
    assert command.program.partition("_")[0] in test
    for word in command.words[1:]:
        assert not word.startswith("tests/") or (ROOT / word).exists(), word


def of_locust(command: Command) -> None:
    """What its file cannot do without is set on the page."""
    of_others(command)
    file = (ROOT / command.words[command.words.index("-f") + 1]).read_text(encoding="utf-8")
    page = (ROOT / command.page).read_text(encoding="utf-8")
    for name in re.findall(r'os\.environ\["(\w+)"\]', file):
        assert f"{name}=" in page, f"{name} is not set"


def are_settings(variables: dict[str, str]) -> None:
    """What begins like a setting is one, and its value can be read, unless it is a secret."""
    ours = {name: value for name, value in variables.items() if name.startswith("PAGETIDE_")}
    shown = {name: value for name, value in ours.items() if not re.search(r"[…$]", value)}
    known = {each.variable for each in Settings.known().values()}
    apart = {"PAGETIDE_CONFIG", *(f"{name}_FILE" for name in known)}
    assert ours.keys() <= known | apart
    Settings.from_environment({n: v for n, v in shown.items() if n in known})
