"""A line of the cluster's tables: what was measured, its bar, whether it is reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a table.

    Attributes:
        measure: What was measured, on what.
        figure: The result, with its unit.
        bar: The target; empty if the figure is only stated.
        holds: Whether the bar is reached; true without a bar.
    """

    measure: str
    figure: str
    bar: str = ""
    holds: bool = True

    @classmethod
    def none_of(cls, measure: str, count: int) -> Self:
        """A line for something that must not occur."""
        return cls(measure=measure, figure=str(count), bar="0", holds=count == 0)


def table(lines: Sequence[Line]) -> str:
    """The lines as a Markdown table."""
    shown = ["| measure | figure | bar | |", "| --- | --- | --- | --- |"]
    for line in lines:
        verdict = ("holds" if line.holds else "**short**") if line.bar else "stated"
        shown.append(f"| {line.measure} | {line.figure} | {line.bar} | {verdict} |")
    return "\n".join(shown)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -(-len(ordered) * share // 1).__int__() - 1))]
