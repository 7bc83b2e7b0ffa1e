"""Celery's own tools see a queue of ours; and RabbitMQ says how it keeps it."""

from __future__ import annotations

import json
import logging
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from os import EX_UNAVAILABLE
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagetide.errors import BadOption, installing
from pagetide.server.ports import Message, Queue
from pagetide.server.queues.celery import open_queue
from tests.contract.queues import tasks
from tests.contract.test_queue import patient as patient
from tests.contract.test_queue import take
from tests.parts import forks
from tests.parts.server import free_port
from tests.waiting import until

# Who sends goes on without a broker that takes more than 2 s to answer.
pytestmark = pytest.mark.usefixtures("patient")

LONG_S = 60.0


@pytest.fixture(
    params=[
        "redis",
        pytest.param(
            "rabbitmq", marks=pytest.mark.slow("runs Celery's programs on one more broker")
        ),
    ]
)
def url(request: pytest.FixtureRequest) -> str:
    """A queue's URL, with names of its own."""
    server = request.getfixturevalue(request.param)
    return f"{server.url}?prefix=a{secrets.token_hex(4)}"


@contextmanager
def held(url: str, pool: str = "cpu") -> Iterator[tuple[Queue, Message]]:
    """A queue whose one message a receiver of ours holds."""
    with ExitStack() as ends:
        queue = open_queue(url, lease_s=30.0)
        ends.callback(queue.close)
        receiver = ends.enter_context(closing(queue.receiver(pool, 1)))
        queue.send(tasks(pool=pool, job=secrets.token_hex(8)))
        yield queue, take(receiver, LONG_S)


def environment(url: str) -> dict[str, str]:
    return {**os.environ, "PAGETIDE_QUEUE": url}


def celery(url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `celery -A pagetide.server.queues.celery …`."""
    command = [
        sys.executable,
        "-m",
        "celery",
        "-A",
        "pagetide.server.queues.celery",
        *arguments,
    ]
    return forks.run(
        command, env=environment(url), capture_output=True, text=True, timeout=3 * LONG_S
    )


def inspect(url: str, what: str, name: str = "") -> dict[str, Any]:
    """What `celery inspect` says of each worker, by name; or of one, without waiting on.

    Of all it hears only those that answer within a second, perhaps none.
    """
    told = ("--timeout", f"{LONG_S}", "--destination", name) if name else ("--timeout", "1")
    done = celery(url, "inspect", what, "--json", *told)
    if done.returncode == EX_UNAVAILABLE and not name:
        return {}
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_celery_inspect_shows_a_receiver_and_what_it_holds(url: str) -> None:
    with held(url, "gpu") as (_, message):
        ((name, answer),) = until(lambda: inspect(url, "ping"), LONG_S).items()
        assert name.startswith("pagetide-gpu@")
        assert answer == {"ok": "pong"}
        ((task,),) = inspect(url, "active", name).values()
        assert task["id"] == message.task_id
        assert task["name"] == "pagetide.read"
        assert task["args"] == [message.job_id, message.task_id]
        (stats,) = inspect(url, "stats", name).values()
        assert stats["pool"]["max-concurrency"] == 1
        message.done()
        until(lambda: inspect(url, "active", name)[name] == [], LONG_S)


def test_celerys_report_shows_no_password(url: str) -> None:
    scheme, _, rest = url.partition("://")
    report = celery(f"{scheme}://ada:open-sesame@{rest.rpartition('@')[2]}", "report")
    assert report.returncode == 0, report.stderr
    assert "broker_url" in report.stdout
    assert "open-sesame" not in report.stdout + report.stderr


def test_flower_shows_the_worker_and_the_task(url: str, tmp_path: Path) -> None:
    with ExitStack() as ends:
        queue = open_queue(url, lease_s=30.0)
        ends.callback(queue.close)
        receiver = ends.enter_context(closing(queue.receiver("cpu", 1)))
        api = ends.enter_context(flower(url, tmp_path))
        name = until(lambda: heard_of(api), LONG_S)
        assert name.startswith("pagetide-cpu@")
        (task,) = tasks(job=secrets.token_hex(8))
        queue.send([task])
        message = take(receiver, LONG_S)
        begun = {"state": "STARTED", "name": "pagetide.read", "worker": name}
        until(lambda: begun.items() <= shown(api, task.id).items(), LONG_S)
        message.done()
        until(lambda: shown(api, task.id).get("state") == "SUCCESS", LONG_S)


def heard_of(api: str) -> str | None:
    """A worker of which Flower has had an event."""
    workers = get(api, "workers?status=1") or {}
    return next((name for name, alive in workers.items() if alive), None)


def shown(api: str, task_id: str) -> dict[str, Any]:
    """What Flower says of a task."""
    tasks: dict[str, dict[str, Any]] = get(api, "tasks") or {}
    return tasks.get(task_id, {})


@contextmanager
def flower(url: str, folder: Path) -> Iterator[str]:
    """Flower, once it answers: where its API is."""
    port = free_port()
    command = [sys.executable, "-m", "celery", "-A", "pagetide.server.queues.celery", "flower"]
    options = ["--address=127.0.0.1", f"--port={port}"]
    allowed = {"FLOWER_UNAUTHENTICATED_API": "true"}
    with (folder / "flower.log").open("wb") as log:
        process = forks.Popen(
            command + options,
            env={**environment(url), **allowed},
            stdout=log,
            stderr=log,
            cwd=folder,
        )
    try:
        api = f"http://127.0.0.1:{port}/api"
        until(lambda: get(api, "tasks") is not None, LONG_S)
        yield api
    finally:
        process.terminate()
        process.wait(LONG_S)


def get(api: str, path: str) -> Any:
    """What Flower answers; None while it does not."""
    try:
        answer = httpx.get(f"{api}/{path}", timeout=10, trust_env=False)
    except httpx.HTTPError:
        return None
    return answer.json() if answer.status_code == 200 else None


def test_rabbitmqs_queues_are_replicated_and_never_seem_empty(rabbitmq: Any) -> None:
    prefix = f"a{secrets.token_hex(4)}"
    name = f"{prefix}-cpu-interactive"
    with held(f"{rabbitmq.url}?prefix={prefix}") as (queue, message):
        until(lambda: rabbitmq.messages(name) == 1, LONG_S)
        assert rabbitmq.queue(name)["type"] == "quorum"
        assert queue.ready("cpu") == 0
        message.done()
        until(lambda: rabbitmq.messages(name) == 0, LONG_S)


def test_what_rabbitmq_does_not_take_at_once_is_sent_again(rabbitmq: Any) -> None:
    """As where a queue just declared has no leader yet; here it is full."""
    prefix, many = f"a{secrets.token_hex(4)}", tasks(20)
    with (
        closing(open_queue(f"{rabbitmq.url}?prefix={prefix}", lease_s=30.0)) as queue,
        rabbitmq.full(prefix),
    ):
        sender = threading.Thread(target=queue.send, args=(many,))
        sender.start()
        until(lambda: queue.ready("cpu") > 0, LONG_S)
        came: set[str] = set()
        with closing(queue.receiver("cpu", 1)) as receiver:
            while came != {task.id for task in many}:
                message = take(receiver, LONG_S)
                came.add(message.task_id)
                message.done()
        sender.join(LONG_S)


def test_rabbitmq_puts_aside_what_nobody_can_read(rabbitmq: Any) -> None:
    from kombu import Connection

    prefix = f"a{secrets.token_hex(4)}"
    with Connection(rabbitmq.url) as connection:
        with held(f"{rabbitmq.url}?prefix={prefix}") as (_, message):
            message.done()
            producer = connection.Producer()
            for body, headers in (("{", {}), ({"a": 1}, {}), ([[1], {}, {}], HEADERS)):
                producer.publish(body, routing_key=f"{prefix}-cpu-batch", headers=headers)
            until(lambda: ready(connection, f"{prefix}-dead") == 3, LONG_S)
        # What the receiver still held would be back.
        assert ready(connection, f"{prefix}-cpu-batch") == 0


def test_a_broker_that_refuses_us_is_asked_again_and_told_of_once(
    rabbitmq: Any, caplog: pytest.LogCaptureFixture
) -> None:
    refused = rabbitmq.url.replace("guest:guest", "guest:geheim")
    with ExitStack() as ends:
        queue = ends.enter_context(closing(open_queue(refused, lease_s=30.0)))
        receiver = ends.enter_context(closing(queue.receiver("cpu", 1)))
        until(lambda: "broker away" in caplog.text, LONG_S)
        assert receiver.receive(2.0) is None
    away = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [(record.message, record.__dict__["reason"]) for record in away] == [
        ("broker away", "AccessRefused")
    ]
    assert "geheim" not in caplog.text


@pytest.mark.parametrize("name", ["../x", "a\0", "\ud83d", "a" * 129, "", 7, "job' OR 1=1"])
def test_ids_that_are_none_are_put_aside(rabbitmq: Any, name: object) -> None:
    from kombu import Connection

    prefix = f"a{secrets.token_hex(4)}"
    with Connection(rabbitmq.url) as connection:
        with held(f"{rabbitmq.url}?prefix={prefix}") as (_, message):
            message.done()
            producer = connection.Producer()
            for names in ((name, "task"), ("job", name)):
                body = json.dumps([names, {}, {}])
                producer.publish(
                    body,
                    routing_key=f"{prefix}-cpu-batch",
                    content_type="application/json",
                    content_encoding="utf-8",
                    headers=HEADERS,
                )
            until(lambda: ready(connection, f"{prefix}-dead") == 2, LONG_S)
        # What the receiver still held would be back.
        assert ready(connection, f"{prefix}-cpu-batch") == 0


def ready(connection: Any, queue: str) -> int:
    """How many messages nobody holds, from the queue itself: the management API tells late."""
    with connection.channel() as channel:
        count: int = channel.queue_declare(queue, passive=True).message_count
        return count


HEADERS = {"task": "pagetide.read", "id": "not-ours"}


@pytest.mark.parametrize(
    "broker",
    [
        "own_redis",
        pytest.param("own_rabbitmq", marks=pytest.mark.slow("starts a RabbitMQ of its own")),
    ],
)
def test_a_broker_that_has_lost_everything_is_used_again(
    broker: str, request: pytest.FixtureRequest
) -> None:
    server = request.getfixturevalue(broker)
    url = f"{server.url}?prefix=a{secrets.token_hex(4)}"
    with ExitStack() as ends:
        queue = open_queue(url, lease_s=30.0)
        ends.callback(queue.close)
        receiver = ends.enter_context(closing(queue.receiver("cpu", 1)))
        queue.send(tasks(job="lost"))
        take(receiver, LONG_S).done()
        server.wipe()
        queue.send(tasks(job="after"))
        while (message := take(receiver, LONG_S)).job_id != "after":
            message.done()


def test_without_celery_it_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['celery'] = sys.modules['kombu'] = None\n"
        "from pagetide.errors import BadOption\n"
        "from pagetide.server.queues.celery import open_queue\n"
        "try: open_queue('redis://localhost/0', lease_s=30)\n"
        "except BadOption as error: print(error.message)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert installing("celery") in done.stdout, done.stderr


def test_naming_the_queue_loads_no_celery() -> None:
    code = "import sys, pagetide.server.queues.celery; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not {"celery", "kombu", "amqp", "redis"} & set(done.stdout.split())


def test_celerys_application_needs_a_queue_of_celerys() -> None:
    with pytest.raises(BadOption):
        open_queue("store:", lease_s=30.0)
    assert celery("store:", "report").returncode != 0
