"""A replay over time as four graphs, one below the other, in shapes that are easily drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pagetide.server.scaling.simulate.measures import Measures, percentile
from pagetide.server.scaling.simulate.traces import Floats

WIDTH, PANEL, LEFT, RIGHT, TOP, GAP = 960, 150, 70, 20, 60, 44
INK, GRID, TITLE = "#333333", "#dddddd", "#000000"
COLOURS = ("#0b62a4", "#d1495b", "#2e8b57", "#b8860b", "#6a4c93", "#555555")
VALUES = (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 5, 6, 8, 10)  # what an axis ends with, times 10^n
TIMES = (1, 2, 4, 6, 10)  # the steps of the time axis
_BINS = 200


@dataclass(frozen=True, kw_only=True)
class Path:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    colour: str
    width: float = 1.5


@dataclass(frozen=True, kw_only=True)
class Label:
    """A line of text; `x`, `y` is where it starts, ends or has its middle, at its foot."""

    x: float
    y: float
    text: str
    colour: str = INK
    anchor: str = "start"


@dataclass(frozen=True, kw_only=True)
class Chart:
    """What is to be drawn, in pixels from the top left."""

    width: int
    height: int
    title: str
    shapes: tuple[Path | Label, ...]


Curve = tuple[Floats, Floats]


def chart(runs: Sequence[tuple[str, Measures]], *, in_usd: bool) -> Chart:
    """Backlog, workers, wait and cost over time, a colour for each run.

    Args:
        runs: Each with its name.
        in_usd: Whether the cost is shown; else replica-hours, as where a price is not known.
    """
    spent = "cost, $" if in_usd else "replica-hours"
    panels = (
        ("tasks waiting or held", [_backlog(one) for _, one in runs]),
        ("workers", [_workers(one) for _, one in runs]),
        ("wait until the results, P95, s", [_wait(one) for _, one in runs]),
        (spent, [_spent(one, in_usd) for _, one in runs]),
    )
    span_s = max((one.span_s for _, one in runs), default=1.0)
    shapes: list[Path | Label] = []
    for index, (name, _) in enumerate(runs):
        colour = COLOURS[index % len(COLOURS)]
        shapes.append(
            Label(x=LEFT + 440 * (index % 2), y=_legend_y(index), text=name, colour=colour)
        )
    top = TOP + 16 * ((len(runs) - 1) // 2)
    for number, (title, curves) in enumerate(panels):
        shapes += _panel(title, curves, span_s, top + number * (PANEL + GAP))
    height = top + len(panels) * (PANEL + GAP) + 10
    title = "pagetide simulate: " + ", ".join(name for name, _ in runs)
    return Chart(width=WIDTH, height=height, title=title, shapes=tuple(shapes))


def _legend_y(index: int) -> float:
    return 24 + 16 * (index // 2)


def _panel(title: str, curves: list[Curve], span_s: float, top: float) -> list[Path | Label]:
    most = max((float(y.max()) for _, y in curves if len(y)), default=0.0)
    most = _round_up(most)
    right, foot = WIDTH - RIGHT, top + PANEL
    shapes: list[Path | Label] = [Label(x=LEFT, y=top - 6, text=title, colour=TITLE)]
    for part in range(5):
        y = foot - PANEL * part / 4
        shapes.append(Path(points=((LEFT, y), (right, y)), colour=GRID, width=1))
        shapes.append(Label(x=LEFT - 6, y=y + 4, text=f"{most * part / 4:,.6g}", anchor="end"))
    for at_s, text in _times(span_s):
        x = LEFT + (right - LEFT) * at_s / span_s
        shapes.append(Path(points=((x, foot), (x, foot + 4)), colour=INK, width=1))
        shapes.append(Label(x=x, y=foot + 16, text=text, anchor="middle"))
    for index, (xs, ys) in enumerate(curves):
        if len(xs):
            px = LEFT + (right - LEFT) * xs / span_s
            py = foot - PANEL * ys / most
            points = tuple(zip(px.round(1).tolist(), py.round(1).tolist(), strict=True))
            shapes.append(Path(points=points, colour=COLOURS[index % len(COLOURS)]))
    return shapes


def _backlog(measures: Measures) -> Curve:
    return _steps(measures, [float(one.tasks) for one in measures.samples])


def _workers(measures: Measures) -> Curve:
    return _steps(measures, [float(one.replicas) for one in measures.samples])


def _spent(measures: Measures, in_usd: bool) -> Curve:
    """Paid seconds so far, scaled to end at the whole cost."""
    paid = np.array([one.paid_s for one in measures.samples])
    whole = measures.cost_usd if in_usd else measures.replica_hours
    last = measures.replica_s or 1.0
    return np.array([one.at_s for one in measures.samples]), np.minimum(paid / last, 1) * (
        whole or 0
    )


def _wait(measures: Measures) -> Curve:
    """P95 of the jobs that came in each part of the span; parts without any are left out."""
    arrived = measures.arrived_s
    edges = np.linspace(0, max(measures.span_s, 1e-9), _BINS + 1)
    places = np.searchsorted(arrived, edges)
    bins = [(i, measures.waits_s[places[i] : places[i + 1]]) for i in range(_BINS)]
    kept = [(edges[i + 1], percentile(waits, 95)) for i, waits in bins if len(waits)]
    return np.array([x for x, _ in kept]), np.array([y for _, y in kept])


def _steps(measures: Measures, values: list[float]) -> Curve:
    """A value that holds until the next one: two points for each change."""
    at_s = np.array([one.at_s for one in measures.samples])
    return np.repeat(at_s, 2)[1:], np.repeat(np.array(values), 2)[:-1]


def _times(span_s: float) -> list[tuple[float, str]]:
    """Where the time axis has a mark, and what it says."""
    units = ((86_400.0, "d"), (3600.0, "h"), (60.0, "min"))
    unit, sign = next((u for u in units if span_s >= 2 * u[0]), (1.0, "s"))
    each = _round_up(span_s / unit / 6, TIMES) * unit
    return [(n * each, f"{n * each / unit:g} {sign}") for n in range(int(span_s / each) + 1)]


def _round_up(value: float, steps: tuple[float, ...] = VALUES) -> float:
    """The next number that is easily read."""
    if value <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(step * power for step in steps if value <= step * power))
