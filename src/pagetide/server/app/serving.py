"""The API as a process of its own: uvicorn, and the maintenance beside it."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from types import FrameType

import uvicorn

from pagetide.inputs.confined import report_confinement
from pagetide.server.api.callers.connections import connection_type, most_connections
from pagetide.server.api.hub import Hub
from pagetide.server.app import create_app
from pagetide.server.compat import vet_settings
from pagetide.server.wiring import open_maintenance, open_service
from pagetide.settings import Settings
from pagetide.telemetry import tracing

log = logging.getLogger("pagetide")


def run(
    settings: Settings, listening: socket.socket, *, keys_needed: bool, parented: bool
) -> None:
    """Answer until SIGTERM or SIGINT; requests in hand are answered to their end.

    Args:
        settings: As given.
        listening: Where to answer; taken.
        keys_needed: Whether callers need an API key.
        parented: End as well when standard input is closed: its parent is gone then.
    """
    report_confinement(settings)
    tracing.configure(settings)
    vet_settings(settings.compat)
    service = open_service(settings)
    maintenance = open_maintenance(service) if settings.sweep else None
    app = create_app(service, settings, keys_needed=keys_needed)
    config = uvicorn.Config(
        app,
        http=connection_type(most_connections()),
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",  # nothing here speaks it, and uvicorn would log addresses, keys in them
        timeout_graceful_shutdown=5,
        timeout_keep_alive=30,
    )
    # Connections take this over. Asyncio sets it only where it knows that the protocol is TCP,
    # and without it every answer waits 40 ms for an acknowledgement.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if parented:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        _Server(config, app.state.context.hub).run(sockets=[listening])
        log.info("the API leaves", extra={"reason": "stopped"})
    finally:
        if maintenance:
            maintenance.close()
        service.close()
        tracing.flush()


class _Server(uvicorn.Server):
    """Sends home those who wait for changes when it is asked to end, and ends with status 0.

    Uvicorn's own way is to die of the signal in the end, before anything can be closed.
    """

    def __init__(self, config: uvicorn.Config, hub: Hub) -> None:
        super().__init__(config)
        self._hub = hub

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._hub.stop()
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


def _end_with_parent() -> None:
    # Not through `sys.stdin`: Python would abort in the end over the lock that it holds.
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
