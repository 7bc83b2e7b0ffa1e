"""What `pagetide simulate` is asked to replay: policies, workers, prices and a trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from itertools import count
from pathlib import Path
from typing import Any

from pagetide.cli.scaling.calibrate import read_calibration
from pagetide.errors import BadOption, nearest
from pagetide.server.scaling.control_loop import Policy
from pagetide.server.scaling.simulate.measures import Price
from pagetide.server.scaling.simulate.setups import Setup, parse, price, setup, setups
from pagetide.server.scaling.simulate.traces import SHAPES, Load, Trace, made, read_csv
from pagetide.server.scaling.simulate.workers.machine import Machine


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


def check(options: SimulationOptions) -> None:
    """Refuse what would be left out without a word.

    Raises:
        BadOption: Options that do not go together.
    """
    replays = not (options.recommend or options.calibrate or options.listing)
    rules = (
        (options.compare, "--compare", replays, "a plain replay"),
        (options.plot, "--plot", replays, "a plain replay"),
        (options.as_json, "--json", replays, "a plain replay"),
        (options.p95 is not None, "--p95", options.recommend, "--recommend"),
        (options.sample, "--sample", options.calibrate, "--calibrate"),
        (options.save, "--save", options.calibrate, "--calibrate"),
        (options.pool, "--pool", options.trace not in SHAPES, "a file as --trace"),
    )
    for given, option, right, with_what in rules:
        if given and not right:
            raise BadOption(f"{option} works only with {with_what}.")


def cases(options: SimulationOptions) -> list[Case]:
    """All that is to be replayed, each with a name of its own."""
    named: dict[str, Case] = {}
    for case in (first(options), *(_another(options, text) for text in options.compare)):
        names = (f"{case.name} ({n})" if n > 1 else case.name for n in count(1))
        name = next(name for name in names if name not in named)
        named[name] = replace(case, name=name)
    return list(named.values())


def first(options: SimulationOptions) -> Case:
    """The setup, with what the command line says otherwise."""
    known = setup(options.setup)
    policy = parse(known.policy if options.policy is None else options.policy)
    machine = _machine(options, known.machine)
    return Case(
        name=options.policy or options.setup,
        policy=policy,
        machine=machine,
        price=_price(options, known),
    )


def _another(options: SimulationOptions, text: str) -> Case:
    """Another setup as it is; or another policy, and all else as the first has it."""
    if text in setups():
        known = setup(text)
        return Case(
            name=text,
            policy=parse(known.policy),
            machine=known.machine,
            price=price(known.price),
        )
    return replace(first(options), name=text, policy=parse(text))


def _machine(options: SimulationOptions, machine: Machine) -> Machine:
    if options.calibration:
        machine = read_calibration(options.calibration).of(machine)
    changed: dict[str, Any] = {
        name: value
        for name in ("page_s", "cold_start_s")
        if (value := getattr(options, name)) is not None
    }
    kinds: dict[str, Any] = {each.name: type(each.default) for each in fields(machine)}
    for name, text in options.machine_options.items():
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


def _price(options: SimulationOptions, known: Setup) -> Price:
    if options.price is None:
        return price(known.price)
    try:
        usd = float(options.price)
    except ValueError:
        return price(options.price)
    if not 0 <= usd < float("inf"):
        raise BadOption("--price must be dollars per hour, 0 or more.")
    return replace(
        price(known.price), name="--price", usd_an_hour=usd, source="the command line"
    )


def trace(options: SimulationOptions) -> Trace:
    """The jobs: those of a file, or of a trace that is made."""
    if options.trace not in SHAPES:
        path = Path(options.trace)
        if not path.suffix and not path.exists():
            raise BadOption(
                f"There is no trace {options.trace!r}; {nearest(options.trace, SHAPES)}"
            )
        return read_csv(path, options.pool)
    load = Load(
        pages_a_month=options.pages_a_month,
        days=options.days,
        pages_a_job=options.pages_a_job,
        seed=options.seed,
    )
    return made(options.trace, load)


def notes(cases: list[Case], trace: Trace) -> list[str]:
    """What the figures stand on: the trace, the workers, the prices."""
    lines = [
        f"Trace: {trace.name}, {len(trace.at_s):,} jobs with {trace.page_count:,} pages in"
        f" {trace.span_s / 3600:,.1f} h."
    ]
    for machine in dict.fromkeys(case.machine for case in cases):
        lines.append(
            f"A worker: {machine.page_s:g} s per page, {machine.cold_start_s:g} s to"
            f" start, {machine.lanes} read at once, {machine.held} held."
        )
    for paid in dict.fromkeys(case.price for case in cases):
        usd = "no price known" if paid.usd_an_hour is None else f"${paid.usd_an_hour:g}/h"
        lines.append(f"Price: {paid.name}, {usd} ({paid.source}).")
    if any(case.price.usd_an_hour is None for case in cases):
        lines.append("Add --price USD to show the cost.")
    return list(dict.fromkeys(lines))
