"""`pagetide worker` and `pagetide sweep`: the processes of a cluster beside the API's."""

from __future__ import annotations

import logging
import math
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagetide.settings import Settings

if TYPE_CHECKING:
    from pagetide.health import Health

log = logging.getLogger("pagetide")

PAGE = Path(__file__).with_name("self_test.png")  # is read once to warm a model
SILENT_LEASES = 2


@click.command()
@click.option("--pool", default="cpu", show_default=True, help="Whose tasks to take.")
@click.option("--models", "warm_models", help="Models to load before it is ready: A,B.")
@click.option("--concurrency", type=click.IntRange(1), help="Most tasks held at once.")
@click.option("--idle-exit", type=float, help="Leave after so many seconds without work.")
@click.option("--health-port", type=click.IntRange(0, 65535), help="Where to answer probes.")
@click.option("--threads", type=click.IntRange(0), help="Cores that it may use.")
def worker(pool: str, idle_exit: float | None, **given: str | int | None) -> None:
    """Take tasks of a pool, until told to end; drains on SIGTERM."""
    from pagetide import metrics
    from pagetide.wiring import open_worker

    told = {name: value for name, value in given.items() if value is not None}
    settings = replace(Settings.from_environment(), **told)  # type: ignore[arg-type]
    settings = replace(settings, idle_s=math.inf if idle_exit is None else idle_exit)
    with _watched(settings) as health:
        working = open_worker(settings, pool, beat=health.beat if health else _nothing)
        if health:
            metrics.report_to(None)  # they are asked for here

        def stop(*_: object) -> None:
            if health:
                health.ready = False
            working.stop()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)
        try:
            working.warm(_warmed(settings, pool), PAGE)
            log.info("worker is ready", extra={"pool": pool})
            if health:
                health.ready = True
            reason = working.run()
        finally:
            working.close()
    log.info("worker leaves", extra={"pool": pool, "reason": reason})
    click.echo(f"The worker leaves: {reason}.", err=True)


@click.command()
@click.option("--health-port", type=click.IntRange(0, 65535), help="Where to answer probes.")
def sweep(health_port: int | None) -> None:
    """Put right what died, wake who was not woken, call webhooks, remove what has expired."""
    from pagetide.wiring import open_house, open_service

    settings = Settings.from_environment()
    if health_port is not None:
        settings = replace(settings, health_port=health_port)
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    with _watched(settings) as health, ExitStack() as ends:
        service = open_service(settings)
        ends.callback(service.close)
        house = open_house(service, health.beat if health else _nothing)
        ends.callback(house.close)
        if health:
            health.ready = True
        log.info("the sweep begins")
        ending.wait()
    log.info("the sweep leaves", extra={"reason": "stopped"})
    click.echo("The sweep leaves: stopped.", err=True)


@contextmanager
def _watched(settings: Settings) -> Iterator[Health | None]:
    """What answers probes, where a port is set; logs and traces are set up as well."""
    from pagetide import tracing
    from pagetide.health import Health
    from pagetide.logs import configure

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


def _warmed(settings: Settings, pool: str) -> tuple[str, ...]:
    """The models to load before a worker is ready."""
    from pagetide.models import DEFAULT

    if settings.warm_models:
        return tuple(filter(None, map(str.strip, settings.warm_models.split(","))))
    run = settings.models_by_pool().get(pool.partition("-")[0], (DEFAULT,))
    return (DEFAULT,) if pool.startswith("cpu") and DEFAULT in run else ()


def _nothing() -> None:
    """Nobody watches."""
