"""`pagetide simulate`: what a way of scaling would cost, and how long its users would wait."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pagetide.cli.options import pairs
from pagetide.errors import BadOption

if TYPE_CHECKING:
    from pagetide.cli.scaling.simulate_cases import Case, SimulationOptions
    from pagetide.server.scaling.control_loop import Policy
    from pagetide.server.scaling.simulate.measures import Measures
    from pagetide.server.scaling.simulate.traces import Trace

SAMPLE = Path(__file__).parents[1].joinpath("self_test.png")
_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.option(
    "--setup", default="kubernetes-cpu", show_default=True, help="The deployment to start from."
)
@click.option("--policy", metavar="POLICY", help="The scaling policy: NAME:option=value,…")
@click.option(
    "--compare",
    metavar="POLICY",
    multiple=True,
    help="Another policy or setup for the same table; can be repeated.",
)
@click.option(
    "--trace",
    metavar="FILE",
    default="daily",
    show_default=True,
    help="A CSV with at_s,pages[,pool], or a generated trace: poisson, daily, bursts or"
    " monday.",
)
@click.option("--pool", default="", help="Take only this pool's jobs from the file.")
@click.option("--pages-a-month", type=float, default=1e6, show_default=True, metavar="PAGES")
@click.option(
    "--days", type=float, default=1.0, show_default=True, help="Length of a generated trace."
)
@click.option(
    "--pages-a-job", type=float, default=4.0, show_default=True, help="Average pages per job."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--price", metavar="USD", help="Price of a worker per hour, or a price's name.")
@click.option("--page-s", type=float, metavar="SECONDS", help="Time to read one page.")
@click.option("--cold-start-s", type=float, metavar="SECONDS", help="Time to start a worker.")
@click.option(
    "--machine",
    "machine_options",
    metavar="NAME=VALUE",
    multiple=True,
    callback=pairs,
    help="Another property of a worker, such as lanes=2 or idle_exit_s=30.",
)
@click.option("--calibration", type=_FILE, metavar="FILE", help="Times from --calibrate.")
@click.option(
    "--plot", type=_FILE, metavar="FILE", help="Draw a plot into a .png or .html file."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--recommend", is_flag=True, help="Search for the cheapest way to reach --p95.")
@click.option(
    "--p95", type=float, metavar="SECONDS", help="Goal: 95 % of jobs wait no longer than this."
)
@click.option("--tries", type=click.IntRange(1), default=80, show_default=True)
@click.option("--calibrate", is_flag=True, help="Only measure this machine.")
@click.option("--sample", type=_FILE, multiple=True, help="A document to measure with.")
@click.option("--model", default="structure-lite", show_default=True, help="Model to measure.")
@click.option("--save", type=_FILE, metavar="FILE", help="File that --calibrate writes.")
@click.option("--list", "listing", is_flag=True, help="List the setups and prices.")
def simulate(**given: Any) -> None:
    """Replay jobs against a scaling policy: cost, idle share, waits, kills."""
    from pagetide.cli.scaling import simulate_cases
    from pagetide.cli.scaling.simulate_cases import SimulationOptions

    options = SimulationOptions(**given)
    simulate_cases.check(options)
    if options.listing:
        _list()
    elif options.calibrate:
        _calibrate(options)
    elif options.recommend:
        _recommend(options)
    else:
        _simulate(options)


def _simulate(options: SimulationOptions) -> None:
    from pagetide.cli.scaling import simulate_cases
    from pagetide.server.scaling.simulate.replay import replay
    from pagetide.server.scaling.simulate.reports import report

    _check_plot(options.plot)
    cases = simulate_cases.cases(options)
    trace = simulate_cases.trace(options)
    runs = [
        (one.name, replay(trace, one.policy, one.machine, price=one.price, seed=options.seed))
        for one in cases
    ]
    if options.as_json:
        click.echo(json.dumps({name: _plain(measures) for name, measures in runs}, indent=2))
    else:
        shown = report.lines(runs[0][1]) if len(runs) == 1 else report.table(runs)
        click.echo("\n".join([*shown, "", *simulate_cases.notes(cases, trace)]))
    if options.plot:
        _plot(options.plot, runs, cases, trace)


def _recommend(options: SimulationOptions) -> None:
    from pagetide.cli.scaling import simulate_cases
    from pagetide.server.scaling.simulate.recommend import recommend
    from pagetide.server.scaling.simulate.replay import replay
    from pagetide.server.scaling.simulate.reports import report
    from pagetide.server.scaling.simulate.setups import text_of

    if options.p95 is None:
        raise click.UsageError("--recommend needs a goal: --p95 SECONDS.")
    case = simulate_cases.first(options)
    if case.price.usd_an_hour is None:
        raise BadOption(f"The price of {case.price.name} is not known: add --price USD.")
    trace = simulate_cases.trace(options)

    def attempt(policy: Policy) -> Measures:
        return replay(
            trace, policy, case.machine, price=case.price, seed=options.seed, samples=2
        )

    found = recommend(case.policy, attempt, p95_s=options.p95, most_tries=options.tries)
    said = "reached" if found.reached else "NOT REACHED by any tried setting"
    before = attempt(case.policy)
    runs = [(f"as it was: {case.name}", before), (text_of(found.policy), found.measures)]
    ended = "until nothing was better" if found.whole else "until --tries was used up"
    click.echo(
        "\n".join(
            [
                f"P95 of {options.p95:g} s: {said}",
                text_of(found.policy),
                "",
                *report.table(runs),
                "",
                f"Searched: {', '.join(found.options)}, one at a time, {ended};"
                f" {found.tried} settings replayed.",
                "Not searched: two options changed at once, other policies, other"
                " machines and prices, another day's trace, and the policy's other"
                " options.",
                *simulate_cases.notes([case], trace),
            ]
        )
    )


def _plain(measures: Measures) -> dict[str, Any]:
    """The figures alone, as JSON has them."""
    return {
        each.name: getattr(measures, each.name) for each in fields(measures) if each.repr
    } | {"replica_hours": measures.replica_hours}


def _check_plot(path: Path | None) -> None:
    if path and path.suffix.lower() not in (".png", ".html"):
        raise BadOption("--plot needs a .png or .html file.")
    if path and not path.parent.is_dir():
        raise BadOption(f"{path} cannot be written: its folder does not exist.")


def _plot(
    path: Path, runs: list[tuple[str, Measures]], cases: list[Case], trace: Trace
) -> None:
    from pagetide.server.scaling.simulate.reports.chart import chart

    known = all(case.price.usd_an_hour is not None for case in cases)
    drawn = chart(runs, in_usd=known)
    if path.suffix.lower() == ".html":
        from pagetide.cli.scaling import simulate_cases
        from pagetide.server.scaling.simulate.reports import report
        from pagetide.server.scaling.simulate.reports.web_page import html

        notes = [*report.table(runs), "", *simulate_cases.notes(cases, trace)]
        content = html(drawn, notes).encode()
    else:
        from pagetide.server.scaling.simulate.reports.picture import png

        content = png(drawn)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise BadOption(f"{path} cannot be written: {error.strerror}.") from error
    click.echo(f"Drawn: {path}", err=True)


def _calibrate(options: SimulationOptions) -> None:
    from datetime import date

    from pagetide.cli.scaling.calibrate import calibrate
    from pagetide.settings import Settings, available_cores

    settings = Settings.from_environment()
    cores = settings.threads or available_cores()
    found = calibrate(
        settings,
        options.sample or (SAMPLE,),
        options.model,
        cores=cores,
        today=date.today().isoformat(),
    )
    click.echo(found.text(), nl=False)
    if options.save:
        try:
            options.save.write_text(found.text(), encoding="utf-8")
        except OSError as error:
            raise BadOption(f"{options.save} cannot be written: {error.strerror}.") from error


def _list() -> None:
    from pagetide.server.scaling.simulate.setups import prices, setups

    click.echo("Setups:")
    for name, each in setups().items():
        click.echo(f"  {name}: {each.about}")
        click.echo(f"      policy {each.policy}; price {each.price}")
        click.echo(f"      from: {each.source}")
        if each.assumed:
            click.echo(f"      assumed: {each.assumed}")
    click.echo("Prices of a worker:")
    for name, known in prices().items():
        usd = "no price known" if known.usd_an_hour is None else f"${known.usd_an_hour:g}/h"
        click.echo(f"  {name}: {usd}; {known.source}")
