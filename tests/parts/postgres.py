"""PostgreSQL from Debian's package, in a folder of its own."""

from __future__ import annotations

import os
import pwd
import secrets
import signal
import socket
import struct
import subprocess
from contextlib import suppress
from pathlib import Path

from tests.parts.server import Server, program
from tests.waiting import until

INSTALL = "apt-get install postgresql"
SERVANT = "postgres"  # who runs it where we are root, which it refuses
USER, PASSWORD = "pagetide", "geheim"


class Postgres(Server):
    """A PostgreSQL server; every `database()` is empty and nobody else's.

    Args:
        durable: Sync to the disk as in earnest; a test needs no more than that a killed
            server keeps what it was told.
    """

    def __init__(self, durable: bool = False) -> None:
        super().__init__()
        self._durable = durable
        self._data = self.folder / "data"
        self._made: list[str] = []
        self._certificate = self.folder / "server.pem"

    def command(self) -> list[str]:
        if not self._data.exists():
            self._init()
        options = [f"port={self.port}", "listen_addresses=127.0.0.1"]
        options += [f"unix_socket_directories={self.folder}", "max_connections=200"]
        if not self._durable:
            options += ["fsync=off", "full_page_writes=off"]
        if self._certificate.exists():
            options += ["ssl=on"]
            options += [f"ssl_{kind}_file={self._certificate}" for kind in ("cert", "key")]
        settings = [word for option in options for word in ("-c", option)]
        return [*self._as_servant(), self._tool("postgres"), "-D", str(self._data), *settings]

    def ready(self) -> bool:
        """Whether it takes sessions: until then it answers every start with an error."""
        details = b"\0".join((b"user", USER.encode(), b"database", b"postgres", b"", b""))
        with socket.create_connection(("127.0.0.1", self.port), timeout=1) as asking:
            asking.sendall(struct.pack("!ii", len(details) + 8, 196608) + details)
            return asking.recv(1) == b"R"

    def stop(self) -> None:
        """End it without waiting for those who use it."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
        super().stop()

    def kill(self) -> None:
        """End it at once, with its children: they are groups of their own."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGSTOP)  # so that it has no more of them
        until(lambda: _state(self.pid) in "TZ")
        listed = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
        children = [int(child) for child in listed.split()]
        super().kill()
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        until(lambda: set(map(_state, children)) <= {"Z"}, why="children of the server run on")

    @property
    def url(self) -> str:
        """A database that all tests share."""
        return self._url_of("postgres")

    def database(self) -> str:
        """The URL of a new database."""
        name = f"test_{secrets.token_hex(6)}"
        self._run("createdb", name)
        self._made.append(name)
        return self._url_of(name)

    def encrypt(self, certificate: bytes) -> None:
        """Offer TLS from now on, with a certificate and its key in PEM; it is restarted."""
        self.stop()
        self._certificate.write_bytes(certificate)
        self._certificate.chmod(0o600)
        self._hand_over(self._certificate)
        self.start()

    def wipe(self) -> None:
        """Lose all that is in the databases; they are there, and empty."""
        for name in self._made:
            self._run("dropdb", "--force", name)
            self._run("createdb", name)

    def query(self, statement: str) -> str:
        """What a statement gives, in the database that all tests share."""
        words = ("--no-psqlrc", "--tuples-only", "--no-align", "--command", statement)
        return self._run("psql", *words, "postgres").decode()

    def dump(self, database: str) -> bytes:
        """All that is in a database, as SQL."""
        return self._run("pg_dump", database)

    def _init(self) -> None:
        self._hand_over(self.folder)
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        command = [*self._as_servant(), self._tool("initdb"), "--no-sync", "-U", USER]
        command += ["--locale=C.UTF-8", "--auth=scram-sha-256", f"--pwfile={secret}"]
        subprocess.run(
            [*command, "-D", str(self._data)], check=True, stdout=subprocess.DEVNULL, timeout=60
        )

    def _hand_over(self, path: Path) -> None:
        if os.geteuid() == 0:
            owner = pwd.getpwnam(SERVANT)
            os.chown(path, owner.pw_uid, owner.pw_gid)

    def _as_servant(self) -> list[str]:
        if os.geteuid():
            return []
        setpriv = program("setpriv", "apt-get install util-linux")
        return [setpriv, f"--reuid={SERVANT}", f"--regid={SERVANT}", "--clear-groups"]

    def _run(self, tool: str, *words: str) -> bytes:
        at = ["-h", "127.0.0.1", "-p", str(self.port), "-U", USER]
        environment = {**os.environ, "PGPASSWORD": PASSWORD}
        command = [self._tool(tool), *at, *words]
        ended = subprocess.run(
            command, check=True, env=environment, timeout=60, stdout=subprocess.PIPE
        )
        return ended.stdout

    @staticmethod
    def _tool(name: str) -> str:
        """A program of the newest PostgreSQL here: Debian keeps them out of `PATH`."""
        places = sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True)
        return program(name, INSTALL, *places)

    def _url_of(self, name: str) -> str:
        return f"postgresql://{USER}:{PASSWORD}@127.0.0.1:{self.port}/{name}?sslmode=disable"


def _state(process: int) -> str:
    """The letter that Linux has for what a process does; Z for one that is not there."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return "Z"
    return stat.rpartition(")")[2].split()[0]
