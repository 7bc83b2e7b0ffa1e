"""What docs/architecture.md says is where is there, and its picture is that of today."""

from __future__ import annotations

import re

from tests.docs.architecture import PICTURE, ROOT, drawn

TEXT = (ROOT / "docs" / "architecture.md").read_text()
PACKAGE = ROOT / "src" / "pagetide"


def test_the_picture_shows_the_contracts() -> None:
    assert PICTURE.read_text() == drawn(), "draw it anew: make architecture"


def test_every_path_in_it_is_there() -> None:
    named = re.findall(r"`([\w./-]+(?:/|\.py|\.csv|\.toml|\.md))`", TEXT)
    there = [str(path) for folder in (PACKAGE, ROOT) for path in folder.glob("*")]
    there += [str(path) for folder in ("src", "docs") for path in (ROOT / folder).rglob("*")]
    known = {f"/{one.rstrip('/')}" for one in named}
    missing = {one for one in known if not any(path.endswith(one) for path in there)}
    assert {one for one in missing if not (ROOT / one[1:]).exists()} == set()


def test_every_package_is_in_it() -> None:
    packages = [*PACKAGE.glob("*/__init__.py"), *(PACKAGE / "server").glob("*/__init__.py")]
    assert [one.parent.name for one in packages if f"`{one.parent.name}/`" not in TEXT] == []
