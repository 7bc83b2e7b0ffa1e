"""Every test that the page of promises names is there, and runs in a clone of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "promises.md"
NAMED = re.compile(r"`((?:tests/)?[\w/*]*(?:test_[\w*]+\.py|tests/\w+))`")
ELSEWHERE = ROOT / "tests" / "golden" / "corpus"  # other people's documents


def named() -> Iterator[tuple[str, list[Path]]]:
    """What each row names, with its files; a bare name stands in the folder named before it."""
    for row in PAGE.read_text(encoding="utf-8").splitlines():
        folder = ROOT
        for name in NAMED.findall(row):
            if name.startswith("tests/"):
                folder = (ROOT / name).parent
            yield name, sorted(folder.glob(name.rpartition("/")[2]))


def test_every_test_that_is_named_is_there() -> None:
    tests = dict(named())
    assert len(tests) > 30
    assert [name for name, files in tests.items() if not files] == []


def test_none_of_them_needs_what_stands_outside_of_the_repository() -> None:
    for name, files in named():
        for file in files:
            assert not file.is_relative_to(ELSEWHERE), name
            assert file.is_dir() or '"shared"' not in file.read_text(encoding="utf-8"), name
