"""PostgreSQL with a standby: two servers behind one address; the second takes over."""

from __future__ import annotations

import os
import subprocess
from contextlib import ExitStack

from bench.relay import Relay
from tests.parts.postgres import PASSWORD, USER, Postgres
from tests.waiting import until


class Standby(Postgres):
    """A server that follows another by streaming replication, until it is promoted.

    Args:
        primary: The server it follows.
    """

    def __init__(self, primary: Postgres) -> None:
        super().__init__()
        self._primary = primary

    def _init(self) -> None:
        """A copy of the primary's data, configured to follow it."""
        self._hand_over(self.folder)
        tool = [*self._as_servant(), self._tool("pg_basebackup"), "--checkpoint=fast"]
        at = ["-h", "127.0.0.1", "-p", str(self._primary.port), "-U", USER]
        environment = {**os.environ, "PGPASSWORD": PASSWORD}
        command = [*tool, *at, "--write-recovery-conf", "-D", str(self._data)]
        subprocess.run(command, check=True, env=environment, timeout=120)

    def promote(self) -> None:
        """Accept writes from now on."""
        self.query("SELECT pg_promote()")


class Replicated:
    """A primary and its standby, for which each commit waits.

    If a commit did not wait for it, a job answered with 202 could be lost with the
    primary: no service can repair that.
    """

    def __init__(self, ends: ExitStack) -> None:
        self._server: Postgres = ends.enter_context(Postgres())
        self._standby = ends.enter_context(Standby(self._server))
        self._server.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self._server.query("SELECT pg_reload_conf()")
        until(
            lambda: "sync" in self._server.query("SELECT sync_state FROM pg_stat_replication")
        )
        self._relay = ends.enter_context(Relay(self._server.port))

    def database(self) -> str:
        """The URL of a new database, at the stable address."""
        made = self._server.database()
        return made.replace(f":{self._server.port}/", f":{self._relay.port}/")

    def dump(self, url: str) -> bytes:
        """The content of a database, as SQL."""
        return self._server.dump(url.rpartition("/")[2].partition("?")[0])

    def kill(self) -> None:
        """Kill the server that accepts writes."""
        self._server.kill()

    def start(self) -> None:
        """Start it again."""
        self._server.start()

    def fail_over(self) -> None:
        """The primary is gone for good, and its standby replaces it."""
        self._server.kill()
        self._standby.promote()
        self._server = self._standby
        self._relay.target = self._server.port
