"""RabbitMQ, with its management API."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from tests.parts.server import Server, free_port, program
from tests.waiting import until

PLACE = "/usr/lib/rabbitmq/bin"
INSTALL = "apt-get install rabbitmq-server"


class RabbitMQ(Server):
    """A RabbitMQ node, with an Erlang port mapper of its own.

    Attributes:
        management: The port of the management API.
    """

    def __init__(self) -> None:
        super().__init__()
        self.management, self._distribution, self._mapper = (free_port() for _ in range(3))
        self._wiped = 0

    def command(self) -> list[str]:
        """See `Server`."""
        server = program("rabbitmq-server", INSTALL, PLACE)
        if server.startswith("/usr/sbin"):  # which changes the user, and minds no environment
            server = program(f"{PLACE}/rabbitmq-server", INSTALL)
        (self.folder / "plugins").write_text("[rabbitmq_management].")
        (self.folder / "rabbitmq.conf").write_text(
            f"listeners.tcp.default = 127.0.0.1:{self.port}\n"
            f"management.tcp.port = {self.management}\nmanagement.tcp.ip = 127.0.0.1\n"
            "collect_statistics_interval = 1000\n"
        )
        # How often a quorum queue counts itself; with the usual 5 s, tests wait for the counts.
        (self.folder / "advanced.config").write_text(
            "[{rabbit, [{quorum_tick_interval, 500}]}]."
        )
        return [server]

    def environment(self) -> Mapping[str, str]:
        """See `Server`."""
        folder = self.folder
        return {
            "HOME": str(folder),
            "RABBITMQ_NODENAME": f"pagetide{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self._distribution),
            "ERL_EPMD_PORT": str(self._mapper),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(folder / "advanced.config"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_MNESIA_BASE": str(self._data),
            "RABBITMQ_LOG_BASE": str(folder / "logs"),
            "RABBITMQ_SCHEMA_DIR": str(folder / "schema"),
            "RABBITMQ_GENERATED_CONFIG_DIR": str(folder / "schema"),
            "RABBITMQ_PID_FILE": str(folder / "pid"),
        }

    def ready(self) -> bool:
        """See `Server`: both its ports answer, AMQP with a greeting."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=2) as connection:
            connection.sendall(b"AMQP" + struct.pack(">BBBB", 0, 0, 9, 1))
            if not connection.recv(8):
                return False
        try:
            return self._get("overview") is not None
        except httpx.HTTPError:
            return False

    @property
    def url(self) -> str:
        """See `Server`."""
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def queue(self, name: str) -> dict[str, Any]:
        """What the management API says of a queue; empty where there is none."""
        return self._get(f"queues/%2F/{name}") or {}

    def messages(self, queue: str) -> int:
        """How many messages a queue holds, ready and unacknowledged; a second or so late."""
        said = self.queue(queue)
        return int(said.get("messages_ready", 0)) + int(said.get("messages_unacknowledged", 0))

    def drop(self, prefix: str) -> None:
        """Lose the queues of a name; each costs the server work as long as it is there."""
        for queue in self._get("queues/%2F?columns=name") or ():
            if str(queue["name"]).startswith(prefix):
                self._ask("DELETE", f"queues/%2F/{queue['name']}")

    @contextmanager
    def full(self, prefix: str) -> Iterator[None]:
        """As long as this lasts, the queues of a name refuse what comes when they hold one."""
        policy = {
            "pattern": f"^{prefix}",
            "apply-to": "queues",
            "definition": {"max-length": 1, "overflow": "reject-publish"},
        }
        self._ask("PUT", f"policies/%2F/{prefix}", json=policy).raise_for_status()
        try:
            yield
        finally:
            self._ask("DELETE", f"policies/%2F/{prefix}").raise_for_status()

    def wipe(self) -> None:
        """Lose all data, and be there again."""
        self.kill()
        shutil.rmtree(self._data, ignore_errors=True)
        self._wiped += 1
        self.start()

    def stop(self) -> None:
        """See `Server`; its port mapper, which outlives the node, is ended by its id."""
        super().stop()
        self._end_mapper()

    def kill(self) -> None:
        """See `Server`."""
        super().kill()
        self._end_mapper()

    @property
    def _data(self) -> Path:
        return self.folder / f"data-{self._wiped}"

    def _get(self, path: str) -> Any:
        answer = self._ask("GET", path)
        return answer.json() if answer.status_code == 200 else None

    def _ask(self, method: str, path: str, json: Any = None) -> httpx.Response:
        return httpx.request(
            method,
            f"http://127.0.0.1:{self.management}/api/{path}",
            json=json,
            auth=("guest", "guest"),
            timeout=60,
            trust_env=False,
        )

    def _end_mapper(self) -> None:
        """epmd leaves the process group; it is the one that was given our port."""
        mine = f"ERL_EPMD_PORT={self._mapper}".encode()
        for process in Path("/proc").iterdir():
            if re.fullmatch(r"\d+", process.name) and _is_mapper(process, mine):
                with suppress(ProcessLookupError):
                    os.kill(int(process.name), signal.SIGKILL)
                until(partial(_is_gone, process, mine))


def _is_gone(process: Path, mine: bytes) -> bool:
    return not _is_mapper(process, mine)


def _is_mapper(process: Path, mine: bytes) -> bool:
    with suppress(OSError):
        return (process / "comm").read_text() == "epmd\n" and mine in (
            process / "environ"
        ).read_bytes().split(b"\0")
    return False
