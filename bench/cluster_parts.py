"""The real servers of a cluster, their content, and what native scalers read there."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from bench.cluster_database import Replicated
from bench.relay import Relay
from pagetide.server.queues.celery import open_queue
from pagetide.server.stores.notifications.fifo import notifications_folder
from tests.parts import moto
from tests.parts.azurite import Azurite
from tests.parts.moto import Moto
from tests.parts.postgres import Postgres
from tests.parts.rabbitmq import RabbitMQ
from tests.parts.redis import Redis
from tests.parts.server import Server

COMBINATIONS = (
    ("sqlite", "store"),
    ("postgres", "store"),
    ("postgres", "redis"),
    ("postgres", "amqp"),
    ("postgres", "azurequeue"),
    ("dynamodb", "sqs"),
)
STORES = ("sqlite", "postgres", "dynamodb")
QUEUES = ("store", "redis", "amqp", "sqs", "azurequeue")
LATE_S = 7.0  # a quorum queue reports its length every 5 s, and the statistics are a second old
S = TypeVar("S", bound=Server)


@dataclass(frozen=True)
class Scaler:
    """What a native autoscaler would read.

    Attributes:
        name: As KEDA calls it.
        advised: Whether our documentation recommends it.
        read: How many messages it sees now; None if unknown.
        slow_s: How long after a change it may still read the old value.
    """

    name: str
    advised: bool
    read: Callable[[], int | None]
    slow_s: float = 0.0


@dataclass(kw_only=True)
class Parts:
    """The parts of a combination.

    Attributes:
        name: `STORE+QUEUE`.
        prefix: The prefix of its queues' names.
        settings: The settings that refer to them.
        environment: Further environment variables of the processes.
        of_worker: Further environment variables of one worker, by its number.
        broker: Carries the wake-ups, can be killed and started; None if there is none.
        database: PostgreSQL, if it has a standby.
        objects: Relay before the object store, if that can be made to fail.
        table: The same before DynamoDB.
        disk: A folder that is a file system of its own and can be filled.
        wipe: Loses the broker's content; None if that is the source of truth.
        scalers: What native autoscalers would read.
        left: Number of remaining messages, including held ones.
        dead: Number of dead-lettered messages.
    """

    name: str
    prefix: str
    settings: dict[str, object]
    environment: Mapping[str, str] = field(default_factory=dict)
    of_worker: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    broker: Killed | None = None
    database: Replicated | None = None
    objects: Relay | None = None
    table: Relay | None = None
    disk: Path | None = None
    wipe: Callable[[], None] | None = None
    scalers: tuple[Scaler, ...] = ()
    left: Callable[[], int] = lambda: 0
    dead: Callable[[], int] = lambda: 0

    @property
    def names(self) -> tuple[str, ...]:
        """The queues of the pool `cpu`."""
        return tuple(f"{self.prefix}-cpu-{each}" for each in ("interactive", "batch"))

    @property
    def dead_name(self) -> str:
        """The dead-letter queue."""
        return f"{self.prefix}-dead"


class Killed(Protocol):
    """A server that can be killed and started again."""

    def kill(self) -> None:
        """Kill it."""
        ...

    def start(self) -> None:
        """Start it; returns when it answers."""
        ...


class Servers(Protocol):
    """Provides running servers."""

    def __call__(self, kind: type[S]) -> S:
        """A server of this kind."""
        ...


@contextmanager
def parts(
    store: str, queue: str, folder: Path, *, s3: bool = False, servers: Servers | None = None
) -> Iterator[Parts]:
    """Start the parts of a combination; they are stopped at the end.

    Args:
        store: One of `STORES`.
        queue: One of `QUEUES`.
        folder: For the data of parts that need no server.
        s3: Documents and results are in S3 (Moto), not in the folder.
        servers: Source of servers; by default they are started and used by nobody else.
    """
    with ExitStack() as ends:
        give = servers or OwnServers(ends)
        data = folder / "data"
        made = Parts(
            name=f"{store}+{queue}",
            prefix=f"bench-{secrets.token_hex(3)}",
            settings={"data_dir": data},
        )
        database = _store(store, made, give)
        _QUEUES[queue](made, give, ends)
        if queue == "store":
            made.broker = database
        if database is None and queue == "store":
            made.wipe = lambda: shutil.rmtree(notifications_folder(data), ignore_errors=True)
        if s3:
            _s3(made, give)
        yield made


class OwnServers:
    """Starts servers that end with a stack."""

    def __init__(self, ends: ExitStack) -> None:
        self._ends = ends

    def __call__(self, kind: type[S]) -> S:
        """Start one."""
        server = kind()
        self._ends.enter_context(server)
        return server


def _store(name: str, made: Parts, give: Servers) -> Server | None:
    """The store's server, if it has one that can be killed without losing the truth."""
    if name == "postgres":
        database = give(Postgres)
        made.settings["store"] = database.database()
        return database
    if name == "dynamodb":
        made.settings["store"] = give(Moto).table()
        made.environment = moto.environment_for_clients()
    return None


def _on_store(made: Parts, give: Servers, ends: ExitStack) -> None:
    made.settings["queue"] = "store:"


def _on_redis(made: Parts, give: Servers, ends: ExitStack) -> None:
    import redis

    server = give(Redis)
    client = redis.Redis(port=server.port, socket_timeout=2)
    ends.callback(client.close)

    def waiting() -> int:
        return sum(int(client.llen(name)) for name in made.names)

    def held() -> int:
        return sum(made.prefix.encode() in text for text in client.hvals("unacked"))

    made.settings["queue"] = f"{server.url}?prefix={made.prefix}"
    made.broker, made.wipe = server, server.wipe
    made.scalers = (Scaler("redis list (LLEN)", False, waiting),)
    made.left = lambda: waiting() + held()
    made.dead = lambda: int(client.llen(made.dead_name))


def _on_rabbitmq(made: Parts, give: Servers, ends: ExitStack) -> None:
    server = give(RabbitMQ)
    url = f"{server.url}?prefix={made.prefix}"
    queue = open_queue(url, lease_s=10.0)
    ends.callback(queue.close)

    def all_of_them() -> int:
        return sum(server.messages(name) for name in made.names)

    made.settings["queue"] = url
    made.broker, made.wipe = server, server.wipe
    made.scalers = (
        Scaler("rabbitmq (http)", True, all_of_them, slow_s=LATE_S),
        Scaler("rabbitmq (amqp)", False, lambda: queue.ready("cpu")),
    )
    made.left = all_of_them
    made.dead = lambda: server.messages(made.dead_name)


def _on_sqs(made: Parts, give: Servers, ends: ExitStack) -> None:
    """SQS has its own Moto, so that it can be killed without the table or the bucket."""
    import boto3

    server = give(Moto)
    made.environment = moto.environment_for_clients()
    given: dict[str, Any] = {
        "region_name": moto.REGION,
        "endpoint_url": server.endpoint,
        "aws_access_key_id": "test",
        "aws_secret_access_key": "test",
    }
    client = boto3.client("sqs", **given)
    ends.callback(client.close)
    asked = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")

    def count(names: tuple[str, ...], *attributes: str) -> int:
        found = 0
        for name in names:
            try:
                url = client.get_queue_url(QueueName=name)["QueueUrl"]
            except client.exceptions.QueueDoesNotExist:
                continue
            said = client.get_queue_attributes(QueueUrl=url, AttributeNames=list(attributes))
            found += sum(int(said["Attributes"][attribute]) for attribute in attributes)
        return found

    made.settings["queue"] = f"sqs://{moto.REGION}/{made.prefix}?endpoint={server.endpoint}"
    made.broker, made.wipe = server, server.wipe
    made.scalers = (Scaler("aws-sqs", True, lambda: count(made.names, *asked)),)
    made.left = lambda: count(made.names, *asked)
    made.dead = lambda: count((made.dead_name,), asked[0])


def _on_azure(made: Parts, give: Servers, ends: ExitStack) -> None:
    from azure.core.exceptions import ResourceNotFoundError
    from azure.storage.queue import QueueServiceClient

    server = give(Azurite)
    service = ends.enter_context(
        QueueServiceClient.from_connection_string(server.connection_string)
    )

    def count(*names: str) -> int:
        found = 0
        for name in names:
            with suppress(ResourceNotFoundError):
                properties = service.get_queue_client(name).get_queue_properties()
                found += properties.approximate_message_count or 0
        return found

    made.settings["queue"] = f"azurequeue://{server.account}/{made.prefix}"
    made.settings["azure_connection"] = server.connection_string
    made.broker, made.wipe = server, server.wipe
    made.scalers = (Scaler("azure-queue (all)", True, lambda: count(*made.names)),)
    made.left = lambda: count(*made.names)
    made.dead = lambda: count(made.dead_name)


_QUEUES: dict[str, Callable[[Parts, Servers, ExitStack], None]] = {
    "store": _on_store,
    "redis": _on_redis,
    "amqp": _on_rabbitmq,
    "sqs": _on_sqs,
    "azurequeue": _on_azure,
}


def _s3(made: Parts, give: Servers) -> None:
    import boto3

    server = give(Moto)
    made.environment = moto.environment_for_clients()
    client = boto3.client(
        "s3",
        region_name=moto.REGION,
        endpoint_url=server.endpoint,
        aws_access_key_id="test",
        aws_secret_access_key="test",  # noqa: S106 - Moto takes any
    )
    client.create_bucket(Bucket=made.prefix)
    client.close()
    made.settings["blobs"] = (
        f"s3://{made.prefix}/blobs?endpoint={server.endpoint}&region={moto.REGION}"
    )
