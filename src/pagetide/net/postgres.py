"""Where a PostgreSQL server is, and sessions with it that do not wait too long for an answer.

libpq encrypts, verifies the server and tries each address of its name.
"""

from __future__ import annotations

import os
import select
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from pagetide.errors import BadOption, StoreFailed, installing
from pagetide.system.loopback import is_loopback

try:
    import psycopg
    from psycopg.conninfo import make_conninfo
except ModuleNotFoundError:
    raise BadOption(f"PostgreSQL needs psycopg: {installing('postgres')}.") from None

if TYPE_CHECKING:
    from psycopg.abc import PQGen

PORT = 5432
MODES = ("disable", "require", "verify-full")
T = TypeVar("T")


class Session(psycopg.Connection[tuple[Any, ...]]):
    """A session that is closed where the server does not answer in time.

    Attributes:
        answer_s: How long one answer may take; None for as long as it takes.
    """

    answer_s: float | None = None

    def wait(self, gen: PQGen[T], interval: float = 1.0, timeout: float | None = None) -> T:
        """Called by the driver whenever it waits for the server.

        Raises:
            psycopg.OperationalError: The server is gone, or did not answer in time.
        """
        if timeout is not None or self.answer_s is None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, self.answer_s)
        except psycopg.errors._WaitTimeout:
            self.close()
            raise psycopg.OperationalError("no answer in time") from None

    def speaks(self, timeout_s: float) -> bool:
        """Whether there is something to read, or the end, waiting for it so long."""
        waiting = select.poll()
        waiting.register(self.fileno(), select.POLLIN)
        return bool(waiting.poll(timeout_s * 1000))

    def interrupt(self) -> None:
        """End the session for those who wait or read."""
        with (
            suppress(OSError, psycopg.Error),
            socket.socket(fileno=os.dup(self.fileno())) as same,
        ):
            same.shutdown(socket.SHUT_RDWR)


@dataclass(frozen=True, kw_only=True)
class PostgresPlace:
    """A database of a PostgreSQL server, and who enters it how.

    Attributes:
        mode: One of `MODES`: whether the way is encrypted, and the server verified.
        roots: The file of certificates that the server's is verified against, if it is.
    """

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    database: str
    mode: str
    roots: str

    def connect(self, timeout_s: int, answer_s: float, options: str) -> Session:
        """A session.

        Args:
            timeout_s: How long entering may take, at each address; at least 2.
            answer_s: How long one answer may take.
            options: Settings of the session: `-c NAME=VALUE`, with spaces between.

        Raises:
            StoreFailed: The server cannot be reached, its certificate is not trusted, or it
                does not let us in.
        """
        conninfo = make_conninfo(
            host=self.host,
            port=self.port,
            user=self.user,
            password=self.password,
            dbname=self.database,
            sslmode=self.mode,
            sslrootcert=self.roots or None,
            gssencmode="disable",
            connect_timeout=timeout_s,
            application_name="pagetide",
            client_encoding="UTF8",
            options=options,
            keepalives_idle=30,
            keepalives_interval=10,
            keepalives_count=3,
        )
        try:
            session = Session.connect(conninfo, autocommit=True)
        except psycopg.Error as error:
            raise StoreFailed(_why(str(error))) from None
        session.answer_s = answer_s
        return session


def postgres_place(url: str) -> PostgresPlace:
    """The place that a URL names.

    Args:
        url: `postgresql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…&sslrootcert=…`. Without
            `sslmode` it is `verify-full`; on this computer `require`: encrypted, and checked
            only against a `sslrootcert`.

    Raises:
        BadOption: The URL is incomplete, or says what is not known. The message holds no
            part of it but names of parameters.
    """
    parts, port = _split(url)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    database = unquote(parts.path.removeprefix("/"))
    if parts.scheme != "postgresql" or not (parts.hostname and parts.username and database):
        raise BadOption(
            "The store's URL lacks a user, host or database: write"
            " postgresql://USER:PASSWORD@HOST/DATABASE."
        )
    mode = options.pop("sslmode", "require" if is_loopback(parts.hostname) else "verify-full")
    roots = _roots(mode, options.pop("sslrootcert", ""))
    for name in options:
        raise BadOption(
            f"A PostgreSQL URL has no parameter {name}; known: sslmode, sslrootcert."
        )
    return PostgresPlace(
        host=parts.hostname,
        port=port or PORT,
        user=unquote(parts.username),
        password=unquote(parts.password or ""),
        database=database,
        mode=mode,
        roots=roots,
    )


def _split(url: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(url)
        return parts, parts.port
    except ValueError:
        raise BadOption("The store's URL is not a URL: is a character not escaped?") from None


def _roots(mode: str, named: str) -> str:
    """The file of certificates to trust: the one named, or for `verify-full` the system's."""
    if mode not in MODES:
        raise BadOption(f"The store's sslmode must be one of {', '.join(MODES)}.")
    if named:
        try:
            ssl.create_default_context(cafile=named)
        except OSError:  # which ssl.SSLError is
            raise BadOption(
                "The file that sslrootcert names contains no certificate."
            ) from None
        return str(Path(named).absolute())
    if mode != "verify-full":
        return ""
    known = ssl.get_default_verify_paths()
    # libpq takes no folder; Debian's has one file of all, beside those of each.
    for path in (known.cafile, f"{known.capath}/ca-certificates.crt"):
        if path and Path(path).is_file():
            return path
    raise BadOption(
        "This system has no file of trusted certificates: set one with sslrootcert=."
    )


STARTS_OR_STOPS = "The PostgreSQL server is starting or stopping; try again."
_NO_TLS = (
    "The PostgreSQL server offers no TLS. If the connection is safe without it, add"
    " sslmode=disable to the store's URL."
)
_UNTRUSTED = "The PostgreSQL server's certificate is not trusted."
_FULL = "The PostgreSQL server has no free connection: raise its max_connections."
# What libpq and the server say before there is a session, when no SQLSTATE reaches us.
_REFUSALS = {
    "does not support SSL": _NO_TLS,
    "certificate verify failed": _UNTRUSTED,
    "server certificate for": _UNTRUSTED,
    "too many": _FULL,
    "connection slots": _FULL,
    "the database system is": STARTS_OR_STOPS,
    "FATAL:  database": "The PostgreSQL server has no database named as in the store's URL.",
    "FATAL": "The PostgreSQL server rejects the user or the password in the store's URL.",
}


def _why(message: str) -> str:
    """Why there is no session, without names or secrets that the driver's words may hold."""
    known = (why for words, why in _REFUSALS.items() if words in message)
    return next(known, "The PostgreSQL server cannot be reached, or rejects the connection.")
