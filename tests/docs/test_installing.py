"""Pages and messages name one way to install, that of `pagetide.errors.INSTALL`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pagetide.errors import INSTALL
from tests.docs.programs import EXTRAS, PROJECT
from tests.docs.shell import ROOT, pages

NAMED = re.compile(
    r"pip install ['\"]?(\.|pagetide)(?:\[([\w,{}-]+)\])?['\"]?(?=[ `\n]|$)", re.M
)
[(WHAT, _)] = NAMED.findall(INSTALL)


def texts() -> Iterator[tuple[Path, str]]:
    """Pages, modules and what is beside them in `deploy`, but for other people's lists."""
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "deploy").rglob("*"), *pages()]
    for path in files:
        if path.is_file() and path.suffix not in (".lock", ".tgz", ".pyc"):
            yield path, path.read_text(encoding="utf-8")


def test_every_page_installs_as_the_messages_say() -> None:
    found = [(path.name, *each) for path, text in texts() for each in NAMED.findall(text)]
    assert len(found) > 12
    assert [each for each in found if each[1] != WHAT] == []


def test_every_extra_that_is_named_is_there() -> None:
    named = {
        one
        for _, text in texts()
        for _, found in NAMED.findall(text)
        for one in found.split(",")
    }
    assert len(named) > 8
    assert named - {"", "{extra}"} <= EXTRAS.keys()


def test_nothing_is_installed_from_an_index_that_does_not_have_it() -> None:
    name = PROJECT["name"]
    asked = [path.name for path, text in texts() if re.search(rf"\b{name}\[\w", text)]
    assert name == WHAT or asked == []
