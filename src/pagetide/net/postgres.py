"""Where a PostgreSQL server is, and a wire to it.

The driver is given a socket that is connected and encrypted already, so that its timeouts
are ours to set, and that we can tell whether the server has said something unasked.
"""

from __future__ import annotations

import ipaddress
import select
import socket
import ssl
import struct
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from pagetide.errors import BadOption, StoreFailed

PORT = 5432
MODES = ("disable", "require", "verify-full")
_ASK_FOR_TLS = struct.pack("!ii", 8, 80877103)  # the protocol's SSLRequest
_KEEPALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}


@dataclass(frozen=True, kw_only=True)
class PostgresPlace:
    """A database of a PostgreSQL server, and who enters it how.

    Attributes:
        tls: None where the way is not encrypted.
    """

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    database: str
    tls: ssl.SSLContext | None = field(repr=False)

    def connect(self, timeout_s: float) -> Wire:
        """A wire to the server, encrypted if it is to be.

        Args:
            timeout_s: How long one step of it may take, and later one wait for an answer.

        Raises:
            StoreFailed: The server cannot be reached, or its certificate is not trusted.
        """
        try:
            plain = socket.create_connection((self.host, self.port), timeout_s)
            try:
                for option, value in _KEEPALIVE.items():
                    if hasattr(socket, option):  # not on every system
                        plain.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                return Wire(plain if self.tls is None else self._encrypted(plain, self.tls))
            except BaseException:
                plain.close()
                raise
        except ssl.SSLCertVerificationError:
            raise StoreFailed("The PostgreSQL server's certificate is not trusted.") from None
        except OSError:
            raise StoreFailed("The PostgreSQL server cannot be reached.") from None

    def login(self) -> dict[str, object]:
        """Who enters where, by the names of the driver; the wire is encrypted already."""
        return {
            "user": self.user,
            "password": self.password,
            "host": self.host,
            "database": self.database,
            "ssl_context": False,
            "application_name": "pagetide",
        }

    def _encrypted(self, plain: socket.socket, tls: ssl.SSLContext) -> ssl.SSLSocket:
        plain.sendall(_ASK_FOR_TLS)
        if plain.recv(1) != b"S":
            raise StoreFailed(
                "The PostgreSQL server offers no TLS. Where the way to it is safe without, "
                "add sslmode=disable to the store's URL."
            )
        return tls.wrap_socket(plain, server_hostname=self.host)


class Wire:
    """A socket that reads no more than asked for, so that what is left is seen by a wait.

    The driver takes it for a socket, and for the file of one.
    """

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._waiting = select.poll()
        self._waiting.register(connected, select.POLLIN)
        self._unsent = b""

    def makefile(self, mode: str) -> Wire:
        """What the driver reads from and writes to."""
        return self

    def settimeout(self, timeout_s: float | None) -> None:
        """How long one read or write may take."""
        self._socket.settimeout(timeout_s)

    def read(self, size: int) -> bytes:
        """Some bytes, none at the end."""
        return self._socket.recv(size)

    def write(self, data: bytes) -> None:
        """Send these with the next `flush`."""
        self._unsent += data

    def flush(self) -> None:
        """Send what was written."""
        data, self._unsent = self._unsent, b""
        self._socket.sendall(data)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def speaks(self, timeout_s: float) -> bool:
        """Whether there is something to read, or the end, waiting for it so long."""
        if isinstance(self._socket, ssl.SSLSocket) and self._socket.pending():
            return True
        return bool(self._waiting.poll(timeout_s * 1000))

    def interrupt(self) -> None:
        """Have whoever waits or reads find the end."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)


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
            "The store's URL names no user, host or database: write "
            "postgresql://USER:PASSWORD@HOST/DATABASE."
        )
    mode = options.pop("sslmode", "require" if _is_here(parts.hostname) else "verify-full")
    tls = _tls(mode, options.pop("sslrootcert", ""))
    for name in options:
        raise BadOption(f"There is no {name} in a PostgreSQL URL: sslmode, sslrootcert.")
    return PostgresPlace(
        host=parts.hostname,
        port=port or PORT,
        user=unquote(parts.username),
        password=unquote(parts.password or ""),
        database=database,
        tls=tls,
    )


def _is_here(host: str) -> bool:
    """Whether a host is this computer."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _split(url: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(url)
        return parts, parts.port
    except ValueError:
        raise BadOption("The store's URL is no URL: is a character not escaped?") from None


def _tls(mode: str, root: str) -> ssl.SSLContext | None:
    if mode not in MODES:
        raise BadOption(f"The store's sslmode is none of {', '.join(MODES)}.")
    if mode == "disable":
        return None
    try:
        tls = ssl.create_default_context(cafile=str(Path(root)) if root else None)
    except OSError:  # which ssl.SSLError is
        raise BadOption("The file that sslrootcert names holds no certificate.") from None
    if mode == "require":
        tls.check_hostname = False
        tls.verify_mode = ssl.CERT_REQUIRED if root else ssl.CERT_NONE
    return tls
