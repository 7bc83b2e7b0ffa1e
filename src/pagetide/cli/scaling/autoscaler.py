"""`pagetide autoscaler`: starts and ends workers on this host as the work asks for."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from pagetide.cli.options import server as server_options
from pagetide.cli.scaling.autoscaler_plan import Plan, driver_of
from pagetide.settings import Settings

if TYPE_CHECKING:
    from pagetide.client import Client
    from pagetide.server.ports import Backlog
    from pagetide.server.supervisor.drivers.ports import Driver

log = logging.getLogger("pagetide")

SILENT_S = 120.0  # without a round for so long it hangs; listing containers may take a while
ANSWER_S = 5.0  # longest that the API may take to tell the backlog


@click.command()
@click.option(
    "--pool",
    "pools",
    multiple=True,
    metavar="POOL=LEAST..MOST",
    help="A pool with its minimum and maximum of workers, such as cpu=0..4; can be"
    " repeated. [default: cpu, as the settings say]",
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="[POOL=]POLICY",
    help="The scaling policy, such as one-box or keda:target=10. [default: one-box]",
)
@click.option(
    "--image",
    "images",
    multiple=True,
    metavar="[POOL=]IMAGE",
    help="Run workers as containers of this image, not as processes.",
)
@click.option("--tool", metavar="TOOL", help="The container tool: podman or docker.")
@click.option(
    "--env-file", metavar="FILE", help="A file with environment variables for containers."
)
@click.option(
    "--run-option",
    "run_options",
    multiple=True,
    metavar="[POOL=]OPTION",
    help="An extra option for the tool's `run`, such as --network=pagetide.",
)
@click.option(
    "--name",
    default="pagetide",
    show_default=True,
    help="Name by which it finds its containers after a restart.",
)
@click.option(
    "--command",
    metavar="TEXT",
    help="Run this command, without a shell, whenever the number of workers changes:"
    " './scale.sh {pool} {replicas}'.",
)
@click.option(
    "--idle-exit",
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="Stop workers after this time without work. [default: set by the policy]",
)
@click.option(
    "--drain",
    is_flag=True,
    help="Stop surplus workers at once, not only when they are idle; they finish their"
    " current tasks.",
)
@click.option(
    "--grace",
    type=click.FloatRange(1),
    default=900.0,
    show_default=True,
    metavar="SECONDS",
    help="Kill a worker that has not stopped after this time.",
)
@click.option("--leave", is_flag=True, help="Leave the workers running at the end.")
@click.option("--health-port", type=click.IntRange(0, 65535), help="Port for health probes.")
@server_options
def autoscaler(server: str | None, key: str | None, **given: Any) -> None:
    """Start workers on this host when there is work, and stop them when there is none.

    It asks the server for the backlog: every half second while a pool may have more workers, so
    that the first starts within a second of a submit, otherwise at the policy's interval. A
    worker that dies is restarted. While the server does not answer, the workers stay as they
    are.
    """
    from pagetide.cli.serving.processes import Ending

    ending = Ending()
    settings = Settings.from_environment()
    if given["health_port"] is not None:
        settings = replace(settings, health_port=given["health_port"])
    plan = Plan.of(settings, given)
    driver = driver_of(settings, plan, given)
    _run(settings, plan, driver, (server, key), given["leave"], ending.then)
    log.info("the autoscaler leaves", extra={"reason": "stopped"})
    click.echo("The autoscaler stops.", err=True)


def _run(
    settings: Settings,
    plan: Plan,
    driver: Driver,
    named: tuple[str | None, str | None],
    leave: bool,
    at_end: Callable[[Callable[[], None]], None],
) -> None:
    from pagetide.client import Client
    from pagetide.server.supervisor.autoscaler import Autoscaler
    from pagetide.telemetry.health import Health
    from pagetide.telemetry.logs import configure

    configure(settings)
    server, key = named
    with ExitStack() as ends:
        client = ends.enter_context(
            Client(
                server or settings.server,
                key=key or settings.key or None,
                timeout_s=ANSWER_S,
                tries=1,
            )
        )
        health = Health(settings.health_port, SILENT_S) if settings.health_port else None
        if health:
            ends.callback(health.close)
        scaling = Autoscaler(
            plan.policies,
            driver,
            lambda: work_of(client),
            now=time.monotonic(),
            beat=health.beat if health else lambda: None,
        )
        at_end(scaling.stop)
        log.info("the autoscaler begins", extra={"pool": ",".join(plan.policies)})
        if health:
            health.ready = True
            at_end(health.unready)
        scaling.run(leave=leave)


def work_of(client: Client) -> dict[str, Backlog]:
    """What each pool has to do, as the API tells: what kept workers are worth counts, too.

    Raises:
        PagetideError: It cannot be asked.
    """
    from pagetide.server.ports import Backlog

    return {
        pool: Backlog(waiting=max(0, backlog.size - backlog.leased), leased=backlog.leased)
        for pool, backlog in client.backlog().items()
    }
