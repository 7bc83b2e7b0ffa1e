"""`pagetide worker` and `pagetide sweep`: the processes of a cluster beside the API's."""

from __future__ import annotations

import logging
import math
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagetide.errors import BadOption, PagetideError, StoreFailed, nearest
from pagetide.settings import Settings
from pagetide.settings.tables import is_pool, split_names

if TYPE_CHECKING:
    from pagetide.server.worker.worker import Worker
    from pagetide.telemetry.health import Health

log = logging.getLogger("pagetide")

PAGE = Path(__file__).parents[1].joinpath("self_test.png")  # is read once to warm a model
SILENT_LEASES = 2


@click.command()
@click.option("--pool", default="cpu", show_default=True, help="Pool whose tasks to take.")
@click.option(
    "--models",
    "warm_models",
    callback=lambda _, __, text: None if text is None else split_names(text),
    help="Models to load before the worker is ready: A,B.",
)
@click.option("--pull/--no-pull", default=None, help="Fetch missing networks.")
@click.option(
    "--trust-first-use",
    is_flag=True,
    default=None,
    help="With --pull: also networks without a known hash.",
)
@click.option("--concurrency", type=click.IntRange(1), help="Maximum tasks held at once.")
@click.option("--idle-exit", type=float, help="Exit after this many seconds without work.")
@click.option("--health-port", type=click.IntRange(0, 65535), help="Port for health probes.")
@click.option("--threads", type=click.IntRange(0), help="Cores the worker may use.")
def worker(pool: str, idle_exit: float | None, **given: object) -> None:
    """Take and run tasks of a pool; drains and exits on SIGTERM."""
    from pagetide.inputs.confined import report_confinement
    from pagetide.server.wiring import open_worker
    from pagetide.server.worker.deletion_cost import reporting_cost
    from pagetide.telemetry import metrics

    told = {name: value for name, value in given.items() if value is not None}
    settings = replace(Settings.from_environment(), **told)  # type: ignore[arg-type]
    settings = replace(settings, idle_s=math.inf if idle_exit is None else idle_exit)
    _check_pool(settings, pool)
    ending = Ending()
    report_confinement(settings)
    with _watched(settings) as health:
        working = open_worker(settings, pool, beat=health.beat if health else _nothing)
        if health:
            metrics.report_to(None)  # they are asked for here
        ending.then(working.stop)
        try:
            _begin(working, settings, pool, ending)
            if health and not ending.requested:
                health.ready = True
                ending.then(health.unready)
            log.info("worker is ready", extra={"pool": pool})
            with reporting_cost(settings.pod_name, lambda: working.held):
                reason = working.run()
        finally:
            working.close()
    log.info("worker leaves", extra={"pool": pool, "reason": reason})
    click.echo(f"The worker stops: {reason}.", err=True)


def _begin(working: Worker, settings: Settings, pool: str, ending: Ending) -> None:
    """Have the models of a worker here and loaded; what keeps it from that is told to servers.

    Raises:
        PagetideError: They cannot be had, or cannot read.
    """
    from pagetide.engines.models import Weights
    from pagetide.engines.provision import networks, provision

    warmed, stopping = _warmed(settings, pool), threading.Event()
    ending.then(stopping.set)
    try:
        if settings.pull:
            provision(
                Weights(settings),
                networks(settings, pool, warmed),
                trust=settings.trust_first_use,
                stopping=stopping,
            )
        working.warm(warmed, PAGE)
    except StoreFailed:
        raise
    except PagetideError as error:
        working.cannot_start(error.message)
        raise
    working.can_start()


@click.command()
@click.option("--health-port", type=click.IntRange(0, 65535), help="Port for health probes.")
def sweep(health_port: int | None) -> None:
    """Recover dead workers' tasks, resend lost wake-ups, call webhooks, remove expired data."""
    from pagetide.server.wiring import open_maintenance, open_service
    from pagetide.telemetry import metrics

    settings = Settings.from_environment()
    if health_port is not None:
        settings = replace(settings, health_port=health_port)
    ended = threading.Event()
    Ending().then(ended.set)
    with _watched(settings) as health, ExitStack() as ends:
        service = open_service(settings)
        ends.callback(service.close)
        if not health:  # nobody can ask here
            metrics.report_to(service.notifier.notifications.publish)
            ends.callback(metrics.report_to, None)
        maintenance = open_maintenance(service, health.beat if health else _nothing)
        ends.callback(maintenance.close)
        if health:
            health.ready = True
        log.info("the sweep begins")
        ended.wait()
    log.info("the sweep leaves", extra={"reason": "stopped"})
    click.echo("The sweep stops.", err=True)


class Ending:
    """Whether SIGTERM or SIGINT has come, and what is to happen then.

    It is made first of all: a process that is told to end while it begins ends well, too.
    """

    def __init__(self) -> None:
        self.requested = False
        self._calls: list[Callable[[], None]] = []
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end)

    def then(self, call: Callable[[], None]) -> None:
        """Call this then; at once, if it has come already."""
        self._calls.append(call)
        if self.requested:
            call()

    def _end(self, *_: object) -> None:
        self.requested = True
        for call in self._calls:
            call()


@contextmanager
def _watched(settings: Settings) -> Iterator[Health | None]:
    """What answers probes, where a port is set; logs and traces are set up as well."""
    from pagetide.telemetry import tracing
    from pagetide.telemetry.health import Health
    from pagetide.telemetry.logs import configure

    configure(settings)
    tracing.configure(settings)
    silence_s = SILENT_LEASES * settings.lease_s
    health = Health(settings.health_port, silence_s) if settings.health_port else None
    try:
        yield health
    finally:
        if health:
            health.close()
        tracing.flush()


def _check_pool(settings: Settings, pool: str) -> None:
    """See that there may be work in it; a worker knows no canary but by its name.

    Raises:
        BadOption: There is none, or it needs no worker.
    """
    from pagetide.server.jobs.job import SYSTEM

    if pool == SYSTEM:
        raise BadOption(
            f"The pool {SYSTEM} has no workers: run `pagetide sweep` for its tasks."
        )
    if not is_pool(pool):
        raise BadOption("--pool must be a name such as cpu, or cpu-next for a canary.")
    known = settings.pools
    if known and pool.partition("-")[0] not in known:
        raise BadOption(f"PAGETIDE_POOLS has no pool {pool!r}; {nearest(pool, known)}")


def _warmed(settings: Settings, pool: str) -> tuple[str, ...]:
    """The models to load before a worker is ready."""
    from pagetide.engines.catalogue import DEFAULT

    if settings.warm_models:
        return settings.warm_models
    run = settings.pools.get(pool.partition("-")[0], (DEFAULT,))
    return (DEFAULT,) if pool.startswith("cpu") and DEFAULT in run else ()


def _nothing() -> None:
    """Nobody watches."""
