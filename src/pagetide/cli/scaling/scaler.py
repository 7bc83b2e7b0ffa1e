"""`pagetide scaler`: tells KEDA how much there is to do."""

from __future__ import annotations

import logging
from contextlib import ExitStack

import click

from pagetide.errors import BadOption, installing
from pagetide.settings import Settings

log = logging.getLogger("pagetide")


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=9090, show_default=True)
@click.option("--host", help="Address to listen on. [default: PAGETIDE_HOST, or 127.0.0.1]")
def scaler(port: int, host: str | None) -> None:
    """Report each pool's backlog to KEDA over gRPC, and push as soon as there is work."""
    from pagetide.server.scaling.watching import Watch
    from pagetide.server.service.load.demand import DemandCache
    from pagetide.server.wiring import clock_of, open_notifications, open_store, pools
    from pagetide.telemetry.logs import configure

    try:
        from pagetide.server.scaling.keda.external_scaler import run
    except ImportError:
        raise BadOption(
            f"`pagetide scaler` needs grpcio and protobuf: {installing('scaler')}."
        ) from None
    settings = Settings.from_environment()
    configure(settings)
    host = host or settings.host
    shown = f"[{host}]" if ":" in host else host
    with ExitStack() as ends:
        store = open_store(settings)
        ends.callback(store.close)
        notifications = open_notifications(settings)
        ends.callback(notifications.close)
        looks = DemandCache(store, settings, clock_of(store, settings))
        reason = run(
            Watch(looks.look, notifications, pools(settings)),
            address=f"{shown}:{port}",
            announce=lambda port: click.echo(
                f"The scaler answers at {shown}:{port}.", err=True
            ),
        )
    log.info("scaler leaves", extra={"reason": reason})
    click.echo(f"The scaler stops: {reason}.", err=True)
