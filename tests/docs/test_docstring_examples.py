"""The examples in docstrings do what they say."""

from __future__ import annotations

import asyncio
import doctest
import importlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pagetide
from tests.conftest import CHECKOUT

SOURCE = CHECKOUT / "src"
MODULES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((SOURCE / "pagetide").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
# What has examples: a module that loses the last of them, or a name, is noticed.
SHOWN = {
    "pagetide.aread",
    "pagetide.read",
    "pagetide.read_many",
    "pagetide.read_pages",
    "pagetide.open_reader",
    "pagetide.export",
    "pagetide.document.Document.tables",
    "pagetide.document.Page.image",
    "pagetide.document.chunk.Chunk",
    *(
        f"pagetide.document.written.Written.{name}"
        for name in ("chunks", "save", "to_dict", "to_html", "to_markdown", "to_text")
    ),
    *(
        f"pagetide.document.tabular.Tabular.{name}"
        for name in ("to_csv", "to_markdown", "to_rows")
    ),
}


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the examples know."""
    document = pagetide.read(CHECKOUT / "samples" / "table.png")
    (page,) = document.pages
    known = {"document": document, "page": page, "table": page.tables[0]}
    return {"pagetide": pagetide, "asyncio": asyncio, **known}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the picture of the examples, which is the working directory."""
    shutil.copy(CHECKOUT / "samples" / "table.png", tmp_path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module_run(module: str, names: dict[str, Any], here: Path) -> None:
    tests = doctest.DocTestFinder(exclude_empty=True).find(
        importlib.import_module(module), extraglobs=names
    )
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in tests:
        runner.run(test, out=said.append)
    assert "".join(said) == ""


def test_what_people_use_first_has_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = {
        test.name
        for module in MODULES
        for test in finder.find(importlib.import_module(module))
        if test.examples
    }
    assert found >= SHOWN
