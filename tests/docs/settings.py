"""The tables of docs/reference/settings.md: `python -m tests.docs.settings` writes them anew.

They are the docstrings of the settings: the ten to decide first, then the others by topic.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from pagetide.settings import Settings

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "settings.md"
TEN = (
    *("data_dir", "store", "blobs", "queue", "secret"),
    *("auth", "public_url", "pools", "languages", "max_workers"),
)
HEAD = "| variable | default | meaning |\n| --- | --- | --- |\n"


def written(page: str) -> str:
    """The page with its tables as they are today; what is above the first is kept."""
    intro = page.partition("\n## ")[0].rstrip()
    said = {topic: described(topic) for topic in Settings.__bases__}
    all_said = {name: text for topic in said.values() for name, text in topic.items()}
    first = _section("The ten to decide", {name: all_said[name] for name in TEN})
    topics = [_section(_title(topic), _others(texts)) for topic, texts in said.items()]
    return "\n\n".join([intro, first, *topics]) + "\n"


def described(topic: type) -> dict[str, str]:
    """What the docstring of a topic says of each of its settings, by name."""
    text = inspect.cleandoc(topic.__doc__ or "").partition("Attributes:\n")[2]
    found = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", text, re.M)
    return {name: re.sub(r"\s+", " ", said) for name, said in found}


def _title(topic: type) -> str:
    return (topic.__doc__ or "").splitlines()[0].rstrip(".")


def _others(said: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in said.items() if name not in TEN}


def _section(title: str, said: dict[str, str]) -> str:
    rows = [
        f"| `{Settings.known()[name].variable}` | {_default(name)} | {text} |"
        for name, text in said.items()
    ]
    return f"## {title}\n\n{HEAD}" + "\n".join(rows)


def _default(name: str) -> str:
    default = getattr(Settings(), name)
    if isinstance(default, bool):
        return "`yes`" if default else "`no`"
    if isinstance(default, float):
        return f"`{default:.0f}`" if default.is_integer() else f"`{default}`"
    return f"`{default}`" if default or default == 0 else "empty"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
