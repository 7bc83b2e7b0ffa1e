"""The picture of docs/architecture.md: `python -m tests.docs.architecture` draws it anew.

It shows the contracts of `pyproject.toml` that import-linter holds, and nothing else: a package
imports only what lies below it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "architecture.svg"
WIDTH, ROW, GAP, TITLE = 520, 40, 8, 34
COLOURS = {"around": "#e8eefc", "serving": "#fdeedd", "reading": "#e6f5ea", "under": "#eeeeee"}
AROUND = {"cli", "integrations", "client"}
UNDER = {"net", "telemetry", "settings", "system", "errors", "geometry"}


def drawn() -> str:
    """The picture as SVG: the layers of the program, and those of the server beside them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    columns = [
        [layer.split(" | ") for layer in one["layers"]] for one in contracts["contracts"]
    ]
    height = TITLE + max(map(len, columns)) * (ROW + GAP) + GAP
    size = f'width="{2 * WIDTH + GAP}" height="{height}"'
    inner = "\n".join(
        piece for at, layers in enumerate(columns) for piece in _column(at, layers)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" '
        f'font-size="14" text-anchor="middle">\n<rect {size} fill="white"/>\n{inner}\n</svg>\n'
    )


def _column(at: int, layers: list[list[str]]) -> Iterator[str]:
    left = at * (WIDTH + GAP)
    title = ("pagetide", "pagetide.server")[at]
    yield f'<text x="{left + WIDTH / 2:g}" y="22" font-weight="bold">{title}</text>'
    for row, names in enumerate(layers):
        wide = (WIDTH - GAP * (len(names) + 1)) / len(names)
        for place, name in enumerate(names):
            x, y = left + GAP + place * (wide + GAP), TITLE + row * (ROW + GAP)
            short = name.removeprefix("pagetide.")
            yield (
                f'<rect x="{x:g}" y="{y}" width="{wide:g}" height="{ROW}" rx="4" '
                f'fill="{COLOURS[_wing(short, at)]}" stroke="#999"/>'
            )
            yield f'<text x="{x + wide / 2:g}" y="{y + 25}">{escape(short)}</text>'


def _wing(name: str, column: int) -> str:
    if column or name == "server":
        return "serving"
    return "around" if name in AROUND else "under" if name in UNDER else "reading"


if __name__ == "__main__":
    PICTURE.write_text(drawn())
