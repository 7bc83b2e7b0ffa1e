"""What `pagetide simulate` is asked to replay: policies, workers, prices and a trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from itertools import count
from pathlib import Path
from typing import Any

from pagetide.errors import BadOption, nearest
from pagetide.server.scaling.control_loop import Policy
from pagetide.server.simulate.calibrate import read_calibration
from pagetide.server.simulate.machine import Machine
from pagetide.server.simulate.measures import Price
from pagetide.server.simulate.setups import Setup, parse, price, setup, setups
from pagetide.server.simulate.traces import SHAPES, Load, Trace, made, read_csv


@dataclass(frozen=True, kw_only=True)
class SimulationOptions:
    """What the command line says."""

    setup: str
    policy: str | None
    compare: tuple[str, ...]
    trace: str
    pool: str
    pages_a_month: float
    days: float
    pages_a_job: float
    seed: int
    price: str | None
    page_s: float | None
    cold_start_s: float | None
    machine_options: dict[str, str]
    calibration: Path | None
    plot: Path | None
    as_json: bool
    recommend: bool
    p95: float | None
    tries: int
    calibrate: bool
    sample: tuple[Path, ...]
    model: str
    save: Path | None
    listing: bool


@dataclass(frozen=True, kw_only=True)
class Case:
    """One thing to be replayed."""

    name: str
    policy: Policy
    machine: Machine
    price: Price


def check(asked: SimulationOptions) -> None:
    """Refuse what would be left out without a word.

    Raises:
        BadOption: Options that do not go together.
    """
    replays = not (asked.recommend or asked.calibrate or asked.listing)
    rules = (
        (asked.compare, "--compare", replays, "a replay alone"),
        (asked.plot, "--plot", replays, "a replay alone"),
        (asked.as_json, "--json", replays, "a replay alone"),
        (asked.p95 is not None, "--p95", asked.recommend, "--recommend"),
        (asked.sample, "--sample", asked.calibrate, "--calibrate"),
        (asked.save, "--save", asked.calibrate, "--calibrate"),
        (asked.pool, "--pool", asked.trace not in SHAPES, "a file as --trace"),
    )
    for given, option, right, with_what in rules:
        if given and not right:
            raise BadOption(f"{option} goes with {with_what}.")


def cases(asked: SimulationOptions) -> list[Case]:
    """All that is to be replayed, each with a name of its own."""
    named: dict[str, Case] = {}
    for case in (first(asked), *(_another(asked, text) for text in asked.compare)):
        names = (f"{case.name} ({n})" if n > 1 else case.name for n in count(1))
        name = next(name for name in names if name not in named)
        named[name] = replace(case, name=name)
    return list(named.values())


def first(asked: SimulationOptions) -> Case:
    """The setup, with what the command line says otherwise."""
    known = setup(asked.setup)
    policy = parse(known.policy if asked.policy is None else asked.policy)
    machine = _machine(asked, known.machine)
    return Case(
        name=asked.policy or asked.setup,
        policy=policy,
        machine=machine,
        price=_price(asked, known),
    )


def _another(asked: SimulationOptions, text: str) -> Case:
    """Another setup as it is; or another policy, and all else as the first has it."""
    if text in setups():
        known = setup(text)
        return Case(
            name=text,
            policy=parse(known.policy),
            machine=known.machine,
            price=price(known.price),
        )
    return replace(first(asked), name=text, policy=parse(text))


def _machine(asked: SimulationOptions, machine: Machine) -> Machine:
    if asked.calibration:
        machine = read_calibration(asked.calibration).of(machine)
    changed: dict[str, Any] = {
        name: value
        for name in ("page_s", "cold_start_s")
        if (value := getattr(asked, name)) is not None
    }
    kinds: dict[str, Any] = {each.name: type(each.default) for each in fields(machine)}
    for name, text in asked.machine_options.items():
        if name not in kinds:
            raise BadOption(f"A worker has no {name!r}; {nearest(name, kinds)}")
        changed[name] = _value(name, text, kinds[name])
    return replace(machine, **changed)


def _value(name: str, text: str, kind: Callable[[str], Any]) -> Any:
    if kind is bool:
        if text not in ("yes", "no"):
            raise BadOption(f"{name} must be yes or no, not {text!r}.")
        return text == "yes"
    try:
        return kind(text)
    except ValueError:
        raise BadOption(f"{name} must be a number, not {text!r}.") from None


def _price(asked: SimulationOptions, known: Setup) -> Price:
    if asked.price is None:
        return price(known.price)
    try:
        usd = float(asked.price)
    except ValueError:
        return price(asked.price)
    if not 0 <= usd < float("inf"):
        raise BadOption("--price must be dollars for an hour, 0 or more.")
    return replace(
        price(known.price), name="--price", usd_an_hour=usd, source="the command line"
    )


def trace(asked: SimulationOptions) -> Trace:
    """The jobs: those of a file, or of a trace that is made."""
    if asked.trace not in SHAPES:
        path = Path(asked.trace)
        if not path.suffix and not path.exists():
            raise BadOption(
                f"There is no trace {asked.trace!r}; {nearest(asked.trace, SHAPES)}"
            )
        return read_csv(path, asked.pool)
    load = Load(
        pages_a_month=asked.pages_a_month,
        days=asked.days,
        pages_a_job=asked.pages_a_job,
        seed=asked.seed,
    )
    return made(asked.trace, load)


def notes(cases: list[Case], trace: Trace) -> list[str]:
    """What the figures stand on: the trace, the workers, the prices."""
    lines = [
        f"Trace: {trace.name}, {len(trace.at_s):,} jobs with {trace.page_count:,} pages in"
        f" {trace.span_s / 3600:,.1f} h."
    ]
    for machine in dict.fromkeys(case.machine for case in cases):
        lines.append(
            f"A worker: {machine.page_s:g} s a page, {machine.cold_start_s:g} s to start,"
            f" {machine.lanes} read at once, {machine.held} held."
        )
    for paid in dict.fromkeys(case.price for case in cases):
        usd = "no price known" if paid.usd_an_hour is None else f"${paid.usd_an_hour:g}/h"
        lines.append(f"Price: {paid.name}, {usd} ({paid.source}).")
    if any(case.price.usd_an_hour is None for case in cases):
        lines.append("With --price USD the cost is shown.")
    return list(dict.fromkeys(lines))
