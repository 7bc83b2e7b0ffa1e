"""A broker's URL, and what Celery needs to know of it."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from pagetide.errors import BadOption
from pagetide.server.jobs.job import Urgency

TASK = "pagetide.read"
ANSWER_S = 2.0  # how long one who sends or counts waits for the broker, each time
RECEIVER_ANSWER_S = 5.0
LEASES_VISIBLE = 4  # renewals that may fail before somebody else gets a message

_SCHEMES = ("redis", "rediss", "amqp", "amqps")
_PREFIX = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@dataclass(frozen=True, kw_only=True)
class Broker:
    """Where a queue is.

    Attributes:
        url: With a password, maybe; without our own parameters.
        prefix: What the names of its queues begin with.
        lease_s: How often a message that is held is renewed at least.
    """

    url: str = field(repr=False)
    prefix: str
    lease_s: float

    @classmethod
    def at(cls, url: str, lease_s: float) -> Self:
        """The broker that a URL names.

        Raises:
            BadOption: It is no URL of a broker, or has a parameter that is not known.
        """
        try:
            parts = urlsplit(url)
            query = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True)
            named = parts.port is None or bool(parts.hostname)
        except ValueError:
            query, named = [], not url.partition("?")[2]
            parts = urlsplit(url.partition("?")[0]) if named else urlsplit("")
        if parts.scheme not in _SCHEMES or not parts.hostname or not named or parts.fragment:
            raise BadOption(
                "A Celery queue needs a URL like redis://HOST:PORT/0 or"
                " amqp://USER:PASSWORD@HOST:PORT/VHOST."
            )
        return cls(
            url=parts._replace(query="").geturl(), prefix=_prefix(query), lease_s=lease_s
        )

    @property
    def scheme(self) -> str:
        """`redis`, `rediss`, `amqp` or `amqps`."""
        return self.url.partition(":")[0]

    @property
    def is_redis(self) -> bool:
        """Whether it is Redis, not RabbitMQ."""
        return self.scheme.startswith("redis")

    @property
    def dead(self) -> str:
        """The queue of what nobody could read."""
        return f"{self.prefix}-dead"

    def queue(self, pool: str, urgency: Urgency) -> str:
        """The name of the queue of a pool's tasks of this urgency."""
        return f"{self.prefix}-{pool}-{urgency}"

    def tls(self) -> dict[str, Any] | None:
        """Options that have the broker's certificate checked, by those this system trusts."""
        if self.scheme == "rediss":
            return {"ssl_cert_reqs": ssl.CERT_REQUIRED, "ssl_check_hostname": True}
        if self.scheme == "amqps":
            named = urlsplit(self.url).hostname  # Kombu makes an address of `localhost`
            return {"cert_reqs": ssl.CERT_REQUIRED, "server_hostname": named}
        return None

    def transport(self, answer_s: float) -> dict[str, Any]:
        """Kombu's transport options.

        Redis knows no receiver that is gone: a message is somebody else's once it has not been
        renewed for the visibility time. By default Kombu looks for those every 100 s.

        Args:
            answer_s: How long to wait for the broker's answer.
        """
        once = {"max_retries": 0, "interval_start": 0, "interval_step": 0}
        if not self.is_redis:
            patience = {"read_timeout": answer_s, "write_timeout": answer_s}
            return {"confirm_publish": True, **patience, **once}
        visible_s = self.lease_s * LEASES_VISIBLE
        return {
            **once,
            "visibility_timeout": visible_s,
            "unacked_restore_interval": min(10.0, max(1.0, visible_s / 4)),
            "unacked_restore_throttle": 1,
            "queue_order_strategy": "priority",
            "socket_connect_timeout": answer_s,
            "socket_timeout": answer_s,
            "socket_keepalive": True,
        }


def _prefix(query: list[tuple[str, str]]) -> str:
    named = [value for name, value in query if name == "prefix"]
    if unknown := sorted({name for name, _ in query} - {"prefix"}):
        raise BadOption(
            f"A Celery queue's URL has no parameter {unknown[0][:40]!r}; known: prefix."
        )
    prefix = named[0] if len(named) == 1 else "" if named else "pagetide"
    if not _PREFIX.fullmatch(prefix):
        raise BadOption(
            "prefix must be given once: 1 to 40 characters of a-z, 0-9, `-` and `_`."
        )
    return prefix
