"""A line of the cluster's tables: what was measured, its bar, whether that is reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a table.

    Attributes:
        measure: What was measured, on what.
        figure: What came out, with its unit.
        bar: What it is held to; empty where it is only stated.
        holds: Whether that is reached; true where there is no bar.
    """

    measure: str
    figure: str
    bar: str = ""
    holds: bool = True

    @classmethod
    def none_of(cls, measure: str, count: int) -> Self:
        """A line of what must not be."""
        return cls(measure=measure, figure=str(count), bar="0", holds=count == 0)


def table(lines: Sequence[Line]) -> str:
    """The lines as a Markdown table."""
    shown = ["| measure | figure | bar | |", "| --- | --- | --- | --- |"]
    for line in lines:
        verdict = ("holds" if line.holds else "**short**") if line.bar else "stated"
        shown.append(f"| {line.measure} | {line.figure} | {line.bar} | {verdict} |")
    return "\n".join(shown)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of the values that so large a share of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -(-len(ordered) * share // 1).__int__() - 1))]
