"""A benchmark's row: what was measured, against what, and its bar."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table.

    Attributes:
        measure: What was measured, on what.
        ours: Pagetide's figure, with its unit.
        peer: The peer's, or empty.
        value: The figure the bar is about: a ratio, a share, a difference, seconds.
        bar: The target, as the project states it.
        holds: Whether it is reached.
        note: What a reader must know to judge the figures.
    """

    measure: str
    ours: str
    peer: str
    value: str
    bar: str
    holds: bool
    note: str = ""


def at_least(
    measure: str, *, ours: str, peer: str, ratios: Sequence[float], bar: float, note: str = ""
) -> Row:
    """A row for "at least this many times": the median of ratios measured side by side."""
    ratio = statistics.median(ratios)
    spread = f"{min(ratios):.2f}–{max(ratios):.2f}" if len(ratios) > 1 else "1 run"
    return Row(
        measure=measure,
        ours=ours,
        peer=peer,
        value=f"{ratio:.2f}× ({spread})",
        bar=f"≥ {bar:g}×",
        holds=ratio >= bar,
        note=note,
    )


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table, notes below it."""
    lines = [
        "| measure | Pagetide | peer | figure | bar | |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    notes = []
    for row in rows:
        mark = ""
        if row.note:
            notes.append(row.note)
            mark = f" [{len(notes)}]"
        verdict = "holds" if row.holds else "**short**"
        lines.append(
            f"| {row.measure}{mark} | {row.ours} | {row.peer} | {row.value} | {row.bar} "
            f"| {verdict} |"
        )
    lines += ["", *(f"[{i}] {note}" for i, note in enumerate(notes, 1))]
    return "\n".join(lines)
