"""The queues under contract, tasks to send through them, and a process that holds a message.

`python -m tests.contract.queues KIND URL POOL` is such a process: it opens a queue, prints the
id of each task that it receives, and holds them until it is killed.
"""

from __future__ import annotations

import base64
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from pagetide.server.jobs.job import Priority, Task
from pagetide.server.ports import Message, Queue, Receiver
from pagetide.server.queues import celery
from pagetide.server.queues.azure import queue as azure
from pagetide.server.queues.sagemaker.address import Address, parse_address
from pagetide.server.queues.sagemaker.queue import SageMakerQueue, open_service
from pagetide.server.queues.sagemaker.receiver import SageMakerReceiver
from pagetide.server.queues.sqs import queue as sqs
from tests.parts import azurite, cloudformation, forks
from tests.parts.moto import REGION
from tests.parts.server import free_port

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
LEASE_S = 1.0  # a tenth of what any user would set: so that what takes leases can be waited for
LASTING_S = 60.0  # a lease that does not run out while a test looks


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A queue under contract.

    Attributes:
        part: The fixture of the server that it needs; see `tests.parts.fixtures`.
        url: Its URL, given that server and a prefix for the names of its queues.
        open: Opens it, given how long leases are.
        visible_s: A message that is not renewed is its receiver's for at least so long where a
            lease is `LEASE_S`; where it stays so for ever, what a test is to wait.
        puts_off: What is released with a delay comes again after it; others drop it.
        counts_held: `ready` counts those that are held, too.
        lasting: What was sent outlives the server's restart.
        in_hand: Where what is urgent comes first only among the messages that a receiver was
            handed: how many it has that were not received yet.
        put: Puts bytes that are no message of ours into the queue at a URL, for a pool.
        refused: Endings of URLs that are refused, as in `?unknown=1`.
    """

    part: str
    url: Callable[[Any, str], str]
    open: Callable[[str, float], Queue]
    visible_s: float
    puts_off: bool = True
    counts_held: bool = False
    lasting: bool = True
    in_hand: Callable[[Receiver], int] | None = None
    put: Callable[[str, str, bytes], None]
    refused: tuple[str, ...] = ("?unknown=1", "?prefix=A%20B", "?prefix=a&prefix=b")


def _put_by_kombu(url: str, pool: str, body: bytes) -> None:
    from kombu import Connection

    address, _, prefix = url.partition("?prefix=")
    with Connection(address) as connection:
        connection.default_channel.basic_publish(
            connection.default_channel.prepare_message(
                body, content_type="text/plain", content_encoding="utf-8"
            ),
            exchange="",
            routing_key=f"{prefix}-{pool}-interactive",
        )


def _put_in_sqs(url: str, pool: str, body: bytes) -> None:
    address, _, endpoint = url.partition("?endpoint=")
    client = cloudformation.client(endpoint, "sqs")
    name = f"{address.rpartition('/')[2]}-{pool}-interactive"
    where = client.get_queue_url(QueueName=name)["QueueUrl"]
    client.send_message(QueueUrl=where, MessageBody=body.decode("latin-1").replace("\0", "?"))
    client.close()


def _put_in_azure(url: str, pool: str, body: bytes) -> None:
    from azure.core.credentials import AzureNamedKeyCredential
    from azure.storage.queue import QueueClient

    address, _, endpoint = url.partition("?endpoint=")
    name = f"{address.rpartition('/')[2]}-{pool}-interactive"
    key = AzureNamedKeyCredential(azurite.ACCOUNT, azurite.KEY)
    with QueueClient(endpoint, name, credential=key) as client:
        client.send_message(base64.b64encode(body).decode())


class InContainers(SageMakerQueue):
    """Tells SageMaker of its receivers, which otherwise are in containers that it started.

    It asks them for ever, closed or not, so they listen where no other test's server will:
    one that was given "any free port" has been asked for a `/ping`.
    """

    def __init__(self, address: Address) -> None:
        super().__init__(address, open_service(address))
        self._told = address

    def receiver(self, pool: str, concurrency: int) -> SageMakerReceiver:
        receiver = SageMakerReceiver(free_port(), concurrency)
        said = {"name": self._told.name(pool), "port": receiver.port, "most": concurrency}
        httpx.post(f"{self._told.url}/control/register", json=said).raise_for_status()
        return receiver


def _put_in_sagemaker(url: str, pool: str, body: bytes) -> None:
    address = parse_address(url)
    key = f"{address.bucket}/{address.prefix}/strange.json"
    httpx.put(f"{address.url}/{key}", content=body).raise_for_status()
    head = {"X-Amzn-SageMaker-InputLocation": f"s3://{key}"}
    where = f"{address.url}/endpoints/{address.name(pool)}/async-invocations"
    httpx.post(where, headers=head).raise_for_status()


def _waiting(receiver: Receiver) -> int:
    assert isinstance(receiver, SageMakerReceiver)
    return receiver.waiting


QUEUES: dict[str, Kind] = {
    "sqs": Kind(
        part="moto",
        url=lambda server, prefix: f"sqs://{REGION}/{prefix}?endpoint={server.endpoint}",
        open=lambda url, lease_s: sqs.open_queue(url, lease_s=2 * lease_s),
        visible_s=2 * LEASE_S,
        lasting=False,
        put=_put_in_sqs,
        refused=("?unknown=1", "?create=maybe", "?endpoint=ftp://x", "?create=no&create=no"),
    ),
    "azure": Kind(
        part="azurite",
        url=lambda server, prefix: (
            f"azurequeue://{azurite.ACCOUNT}/{prefix}?endpoint={server.queue_endpoint}"
        ),
        open=lambda url, lease_s: azure.open_queue(url, lease_s=2 * lease_s, key=azurite.KEY),
        visible_s=2 * LEASE_S,
        counts_held=True,
        put=_put_in_azure,
        refused=("?unknown=1", "?create=maybe", "?endpoint=ftp://x", "?create=no&create=no"),
    ),
    "sagemaker": Kind(
        part="sagemaker",
        url=lambda server, prefix: server.queue(prefix, port=0),
        open=lambda url, _: InContainers(parse_address(url)),
        visible_s=1.0,
        counts_held=True,
        lasting=False,
        in_hand=_waiting,
        put=_put_in_sagemaker,
        refused=(
            "",
            "?bucket=wakes&unknown=1",
            "?bucket=WAKES",
            "?bucket=wakes&bucket=wakes",
            "?bucket=wakes&endpoint=ftp://x",
            "?bucket=wakes&port=70000",
            "?bucket=wakes&variant=",
        ),
    ),
    "redis": Kind(
        part="redis",
        url=lambda server, prefix: f"{server.url}?prefix={prefix}",
        open=lambda url, lease_s: celery.open_queue(url, lease_s=lease_s),
        visible_s=4 * LEASE_S,
        puts_off=False,
        put=_put_by_kombu,
    ),
    "rabbitmq": Kind(
        part="rabbitmq",
        url=lambda server, prefix: f"{server.url}?prefix={prefix}",
        open=lambda url, lease_s: celery.open_queue(url, lease_s=lease_s),
        visible_s=2.0,
        puts_off=False,
        put=_put_by_kombu,
    ),
}


def tasks(
    count: int = 1,
    *,
    pool: str = "cpu",
    priority: Priority = "interactive",
    job: str = "job",
    lost: int = 0,
) -> tuple[Task, ...]:
    """Tasks of one job."""
    return tuple(
        Task(
            id=f"{job}.{'lost' if lost else priority}.{n}",
            attempts=lost,
            job_id=job,
            kind="read",
            pool=pool,
            priority=priority,
            due=0.0,
        )
        for n in range(count)
    )


def hold(kind: str, url: str, pool: str) -> subprocess.Popen[str]:
    """Start a process that receives messages and holds them."""
    command = [sys.executable, "-m", __name__, kind, url, pool]
    return forks.Popen(command, stdout=subprocess.PIPE, text=True)


def _hold(queue: Queue, pool: str) -> None:
    receiver, held = queue.receiver(pool, 4), list[Message]()
    while True:
        if message := receiver.receive(60):
            held.append(message)
            print(message.task_id, flush=True)  # noqa: T201


if __name__ == "__main__":
    _, kind, url, pool = sys.argv
    _hold(QUEUES[kind].open(url, LEASE_S), pool)
