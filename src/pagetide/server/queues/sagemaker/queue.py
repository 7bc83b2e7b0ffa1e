"""The queue on SageMaker's asynchronous endpoints: an invocation wakes a worker in a container.

    sagemaker://REGION/ENDPOINT/PREFIX?bucket=BUCKET
    …&variant=NAME      the endpoint's variant; `AllTraffic` where none is named
    …&port=NUMBER       where the container is asked; SageMaker knows none but 8080
    …&endpoint=URL      other services that speak as AWS's

`{pool}` in ENDPOINT stands for the pool's name; without it, all pools share the endpoint.
Credentials are found as boto3 finds them.

A wake text is put into the bucket, as PREFIX/JOB/TASK.json, and the endpoint is invoked with
it. Before that the endpoint is looked at, and where it has no instance, it is given one. In the
container the receiver is what SageMaker asks: see `sagemaker_receiver`.

SageMaker hands invocations over in the order in which they came. What is urgent goes first only
among those that a container has in hand.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pagetide.errors import BadOption, StoreFailed, installing
from pagetide.net.aws_session import open_session
from pagetide.server.jobs.job import Task
from pagetide.server.queues.aws_failures import translated
from pagetide.server.queues.cloud import Parcel, Sending, parcels
from pagetide.server.queues.sagemaker.address import Address, parse_address
from pagetide.server.queues.sagemaker.capacity import Capacity
from pagetide.server.queues.sagemaker.receiver import SageMakerReceiver
from pagetide.server.queues.sagemaker.service import SageMaker

TOGETHER = 10  # tasks that one thread hands over in order; more go in several threads
SENDERS = 8
ANSWER_S = 3  # how long each try waits
MOST_KNOWN = 10_000  # parcels of the last minutes


def open_queue(url: str, *, lease_s: float) -> SageMakerQueue:
    """The queue at a `sagemaker://` URL; close it when done.

    Args:
        url: See above.
        lease_s: Of no use here: SageMaker holds an invocation until it is answered.

    Raises:
        BadOption: The URL is wrong, or boto3 is not installed.
        StoreFailed: The settings of the AWS SDK are of no use.
    """
    address = parse_address(url)
    return SageMakerQueue(address, open_service(address))


def open_service(address: Address) -> SageMaker:
    """The endpoints at an address; close it when done.

    Raises:
        BadOption: boto3 is not installed.
        StoreFailed: The settings of the AWS SDK are of no use.
    """
    try:
        from botocore.config import Config
    except ImportError:
        raise BadOption(
            f"The queue is on SageMaker, but boto3 is not installed: {installing('aws')}."
        ) from None
    # What is not taken is tried again: by a thread, by the sweep, by the reaper.
    quick: dict[str, Any] = {
        "connect_timeout": 1,
        "read_timeout": ANSWER_S,
        "retries": {"total_max_attempts": 2, "mode": "standard"},
        "max_pool_connections": SENDERS + 2,
        "request_checksum_calculation": "when_required",
    }
    style = {"s3": {"addressing_style": "path"}} if address.url else {}
    config = Config(**quick, **style)
    with translated(f"SageMaker endpoint {address.endpoint}"):
        session = open_session(address.region)
        control, runtime, s3, watch = (
            session.create_client(name, endpoint_url=address.url or None, config=config)
            for name in ("sagemaker", "sagemaker-runtime", "s3", "cloudwatch")
        )
    return SageMaker(address, control=control, runtime=runtime, s3=s3, watch=watch)


class SageMakerQueue:
    """The port `ports.Queue`."""

    def __init__(
        self, address: Address, service: SageMaker, clock: Callable[[], float] = time.time
    ) -> None:
        self._address, self._service, self._clock = address, service, clock
        self._sent: deque[tuple[float, str, int]] = deque(maxlen=MOST_KNOWN)
        self._capacity = Capacity(service)
        self._threads = ThreadPoolExecutor(SENDERS, "pagetide-send")

    def send(self, tasks: Sequence[Task], trace: str = "") -> None:
        """See `ports.Queue`; the endpoint is given an instance first, where it has none."""
        wanted = parcels(lambda task: self._address.name(task.pool), tasks, TOGETHER)
        first = {parcel.queue: parcel for parcel in reversed(wanted)}

        def post(parcel: Parcel) -> int:
            if parcel is first[parcel.queue]:
                self._capacity.wake(parcel.queue)
            unsent = self._service.post(parcel, trace)
            sent = len(parcel.tasks) - unsent
            self._sent.append((self._clock(), parcel.queue, sent))
            return unsent

        if wanted:
            Sending(wanted, post).send(self._threads)

    def receiver(self, pool: str, concurrency: int) -> SageMakerReceiver:
        """See `ports.Queue`: a server at the address's port, which SageMaker asks.

        Raises:
            BadOption: The port cannot be had.
        """
        return SageMakerReceiver(self._address.port, concurrency)

    def ready(self, pool: str) -> int:
        """See `ports.Queue`; those that are held, too.

        CloudWatch reports it minutes late, so what was sent from here since then is added: or
        the sweep, which takes what is not counted for lost, would send it again and again.
        """
        name = self._address.name(pool)
        count, until = self._service.counted(name, self._clock())
        later = (n for at, where, n in tuple(self._sent) if where == name and at > until)
        return count + sum(later)

    def examine(self, pool: str) -> str:
        """Try what sending to a pool needs, without waking anybody; what was found.

        Raises:
            StoreFailed: Something cannot be used.
        """
        name = self._address.name(pool)
        seen = self._service.seen(name)
        self._service.keep(f"{self._address.prefix}/doctor.json", "{}")
        self._service.backlog(name)
        if seen.broken:
            raise StoreFailed(f"The SageMaker endpoint {name} is {seen.status}.")
        return f"{name} is {seen.status} and should have {seen.desired} instances"

    def close(self) -> None:
        """See `ports.Queue`; what is on its way is sent first."""
        self._threads.shutdown()
        self._capacity.close()
        self._service.close()
