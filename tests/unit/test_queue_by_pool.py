"""Queues by pool: who is sent what, and what the setting may say."""

from __future__ import annotations

from contextlib import closing

import pytest

from pagetide.errors import BadOption, StoreFailed
from pagetide.server import wiring
from pagetide.server.jobs.job import Task
from pagetide.server.queues.by_pool import QueueByPool
from pagetide.server.queues.store import StoreQueue
from pagetide.server.stores.notifications.memory import MemoryNotifications
from pagetide.settings import Settings
from tests.messages import MessageQueue
from tests.parts.moto import aws_credentials as aws_credentials

GPU = "sagemaker://eu-west-1/ocr/wakes?bucket=my-wakes"


def task(pool: str, number: int) -> Task:
    return Task(id=f"job.{number}", job_id="job", kind="read", pool=pool, due=0.0)


def test_each_pool_has_its_queue_and_a_canary_its_familys() -> None:
    others, gpu, own = MessageQueue(), MessageQueue(), MessageQueue()
    queue = QueueByPool(others, {"gpu": gpu, "gpu-own": own})
    pools = ("cpu", "gpu", "gpu-next", "cpu-next", "gpu-own", "gpu")
    queue.send([task(pool, number) for number, pool in enumerate(pools)], "trace")
    sent = [[wake.task_id for wake in each.messages] for each in (others, gpu, own)]
    assert sent == [["job.0", "job.3"], ["job.1", "job.2", "job.5"], ["job.4"]]
    assert {wake.trace for wake in gpu.messages} == {"trace"}
    assert (queue.ready("gpu"), queue.ready("cpu"), queue.ready("gpu-own")) == (2, 1, 1)
    message = queue.receiver("gpu", 1).receive(1)
    assert message and message.task_id == "job.1"


def test_all_are_closed_whatever_one_raises() -> None:
    closed: list[str] = []

    class Closing(MessageQueue):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def close(self) -> None:
            closed.append(self.name)
            raise StoreFailed("It is away.")

    queue = QueueByPool(Closing("others"), {"gpu": Closing("gpu"), "vl": Closing("vl")})
    with pytest.raises(StoreFailed):
        queue.close()
    assert sorted(closed) == ["gpu", "others", "vl"]


@pytest.mark.usefixtures("aws_credentials")
def test_the_settings_name_them() -> None:
    settings = Settings(queues={"gpu": GPU, "vl": "store:"})
    with closing(wiring.open_queue(settings, MemoryNotifications())) as queue:
        assert isinstance(queue, QueueByPool)
        assert isinstance(queue.of("cpu"), StoreQueue) and queue.ready("cpu") is None
        assert not isinstance(queue.of("gpu"), StoreQueue)
    assert isinstance(wiring.open_queue(Settings(), MemoryNotifications()), StoreQueue)


@pytest.mark.parametrize(
    "said",
    [
        "gpu",
        "gpu=store:",
        '{gpu = ""}',
        '{"" = "store:"}',
        '{GPU = "store:"}',
        '{gpu = "store:", gpu = "store:"}',
        '{gpu = ["hunter2"]}',
        '{"redis://:hunter2@host" = "gpu"}',
        '{gpu = "redis://:hunter2@host}',
    ],
)
def test_what_is_no_pool_and_queue_is_refused(said: str) -> None:
    with pytest.raises(BadOption, match="PAGETIDE_QUEUES must be a table of pools") as refused:
        Settings.from_environment({"PAGETIDE_QUEUES": said})
    assert "hunter2" not in refused.value.message


def test_an_unknown_kind_of_queue_is_refused_without_its_secret() -> None:
    settings = Settings(queues={"gpu": "kafka://ada:hunter2@host"})
    with pytest.raises(BadOption, match="PAGETIDE_QUEUES uses 'kafka'") as refused:
        wiring.open_queue(settings, MemoryNotifications())
    assert "hunter2" not in refused.value.message and "hunter2" not in repr(settings)
