"""A reading's results on a benchmark, and their presentation beside published ones."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, TypeVar

Figures = Mapping[str, float | None]
_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class Result:
    """A row of the table.

    Attributes:
        title: Of the benchmark, and its part.
        published: The table of `published.toml` that has the others' rows.
        columns: Names of figures, each with its heading; shares are percentages, but
            those whose names end in `_edit` are edits, 0–1.
        figures: Ours; None if the set has nothing of the kind, or it is not scored.
        floors: Names of figures that are lower bounds: part of them is not scored.
        derived: Returns a published row's figures with those that follow from them.
        notes: What was and was not scored.
        pages: Each page's figures, for the JSON.
    """

    title: str
    published: str
    columns: Mapping[str, str]
    figures: Figures
    floors: frozenset[str] = frozenset()
    derived: Callable[[dict[str, Any]], dict[str, Any]] = dict
    notes: Sequence[str]
    pages: Sequence[dict[str, object]]


def told(result: Result, model: str) -> str:
    """A Markdown table: our row, the others' below it, and what a reader must know."""
    ours = [
        ("≥ " if name in result.floors and result.figures.get(name) is not None else "")
        + _cell(name, result.figures)
        for name in result.columns
    ]
    lines = [
        f"## {result.title}",
        "",
        _line(["system", *result.columns.values()]),
        _line(["---"] * (len(result.columns) + 1)),
        _line([f"**Pagetide, {model}**", *ours]),
    ]
    known = published()
    systems = [result.derived(system) for system in known.get(result.published, [])]
    sources = list(dict.fromkeys(system["source"] for system in systems))
    for system in systems:
        mark = f"{system['system']} [{sources.index(system['source']) + 1}]"
        lines.append(_line([mark, *(_cell(name, system) for name in result.columns)]))
    lines += ["", *(f"- {note}" for note in result.notes)]
    for number, name in enumerate(sources, 1):
        source = known["sources"][name]
        lines.append(f"- [{number}] {source['what']}, {source['date']}: {source['url']}")
    return "\n".join(lines)


def published() -> dict[str, Any]:
    """Published results, from `published.toml`."""
    return tomllib.loads(resources.files(__package__).joinpath("published.toml").read_text())


def spread(pages: Sequence[_T], limit: int | None) -> list[_T]:
    """At most this many of the pages, evenly from the whole set."""
    if limit is None or limit >= len(pages):
        return list(pages)
    return [pages[place * len(pages) // limit] for place in range(limit)]


def mean_of(values: Sequence[float | None]) -> float | None:
    """The mean of the known values; None without any."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _cell(name: str, figures: Figures) -> str:
    value = figures.get(name)
    return "–" if value is None else f"{value:.{3 if name.endswith('_edit') else 1}f}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
