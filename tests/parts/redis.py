"""Redis."""

from __future__ import annotations

import shutil
import socket

from tests.parts.server import Server, program


class Redis(Server):
    """A Redis server that keeps a log of what it was told, so that a restart loses nothing."""

    def command(self) -> list[str]:
        """See `Server`."""
        server = program("redis-server", "apt-get install redis-server", "/usr/sbin")
        here = ["--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder)]
        return [server, *here, "--save", "", "--appendonly", "yes", "--daemonize", "no"]

    def ready(self) -> bool:
        """See `Server`."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")

    @property
    def url(self) -> str:
        """See `Server`."""
        return f"redis://127.0.0.1:{self.port}/0"

    def wipe(self) -> None:
        """Lose all data, and be there again."""
        self.kill()
        shutil.rmtree(self.folder / "appendonlydir", ignore_errors=True)
        self.start()
