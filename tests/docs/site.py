"""The pages of the documentation site, laid out for its generator.

    python -m tests.docs.site out/docs

They are those of docs/, some that stand elsewhere, and one that is made of the HTTP API's own
description. Links lead to where their target is on the site; one to what is no page, such as a
module, becomes its text.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

from tests.docs import operations

ROOT = Path(__file__).parents[2]
# Where they stand in the repository, and on the site.
ELSEWHERE = {
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "contributing/conduct.md",
    "CONTRIBUTING.md": "contributing/index.md",
    "SECURITY.md": "security.md",
    "deploy/README.md": "deploy.md",
}
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def lay_out(target: Path) -> None:
    """Write all pages, and what they show; what was there is removed."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "docs", target)
    (target / "reference" / "operations.md").write_text(
        operations.written(operations.description()), encoding="utf-8"
    )
    own = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]
    places = {source: source.removeprefix("docs/") for source in own} | ELSEWHERE
    for source, place in places.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        (target / place).write_text(led(text, source, place), encoding="utf-8")


def led(text: str, source: str, place: str) -> str:
    """A page with its links as they are on the site.

    Args:
        text: As it stands in the repository.
        source: Where that is.
        place: Where it is on the site.
    """

    def link(found: re.Match[str]) -> str:
        target = normpath(join(dirname(source), found[2]))
        if target not in ELSEWHERE and not target.startswith("docs/"):
            return found[1]
        there = ELSEWHERE.get(target) or target.removeprefix("docs/")
        return f"[{found[1]}]({relpath(there, dirname(place) or '.')}{found[3] or ''})"

    return _LINK.sub(link, text)


if __name__ == "__main__":
    lay_out(Path(sys.argv[1]))
