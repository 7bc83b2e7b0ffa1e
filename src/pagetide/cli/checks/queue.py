"""The checks of notifications and the queue."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from pagetide.cli.checks.examination import Steps
from pagetide.errors import StoreFailed
from pagetide.server import wiring
from pagetide.server.jobs.job import Task
from pagetide.server.ports import Message, Queue, Receiver, Subscriber
from pagetide.settings import Settings

POOL = "doctor"
_LOOK_S = 0.05
_RINGS_S = (1.0, 2.0, 5.0)  # how long each is listened for
_SENDS_S = (5.0, 60.0)  # how long each is waited for; a broker that was slow once is no fault
_YOUNG_S = 60.0  # an older message is of a doctor that died


def check_notifications(settings: Settings, steps: Steps) -> None:
    """Publish, and receive it.

    Raises:
        PagetideError: Something is not as it must be.
    """
    steps.doing = "notifications were opened"
    text = secrets.token_hex(8)
    with (
        closing(wiring.open_notifications(settings)) as notifications,
        closing(notifications.subscribe(POOL)) as listener,
    ):
        steps.doing = "one was published"
        for wait_s in _RINGS_S:  # the first may come before the listener is known
            notifications.publish(POOL, text)
            if _hears(listener, text, time.monotonic() + min(wait_s, steps.left_s)):
                alone = settings.store.startswith("dynamodb:")
                steps.notes.append(
                    "they arrive in the same process; other processes poll the store"
                    if alone
                    else "they arrive"
                )
                return
    raise StoreFailed("A published notification does not arrive.")


def _hears(listener: Subscriber, text: str, until: float) -> bool:
    while (left_s := until - time.monotonic()) > 0:
        if (POOL, text) in listener.wait(left_s):
            return True
    return False


def check_queue(settings: Settings, steps: Steps) -> None:
    """Send a message, receive it, be done with it; likewise of each queue of a pool's own.

    Raises:
        PagetideError: Something is not as it must be.
    """
    own = settings.queues
    others = [pool for pool in settings.pools or ("cpu",) if pool not in own]
    for pool, url in {"": settings.queue, **own}.items():
        if url.startswith("sagemaker:"):
            _check_endpoints(url, [pool] if pool else others, settings, steps)
        else:
            _check_messages(replace(settings, queue=url, queues={}), steps)


def _check_endpoints(url: str, pools: Sequence[str], settings: Settings, steps: Steps) -> None:
    """Try all but the call itself: what answers it is in a container that it would start."""
    from pagetide.server.queues.sagemaker import queue as sagemaker

    with closing(sagemaker.open_queue(url, lease_s=settings.lease_s)) as queue:
        for pool in pools:
            steps.doing = f"the endpoint of the pool {pool} was looked at"
            steps.notes.append(queue.examine(pool))


def _check_messages(settings: Settings, steps: Steps) -> None:
    steps.doing = "the queue was opened"
    unstored = replace(settings, store="memory:")  # notifications have a check of their own
    with (
        closing(wiring.open_notifications(unstored)) as notifications,
        closing(wiring.open_queue(settings, notifications)) as queue,
    ):
        if settings.queue == "store:":
            steps.notes.append("the store is the queue")
            return
        queue.ready(POOL)  # says why where the queue cannot be reached; sending does not
        with closing(queue.receiver(POOL, 1)) as receiver:
            job_id = f"doctor-{int(time.time())}-{secrets.token_hex(8)}"
            _send(queue, receiver, job_id, steps)
            steps.doing = "the messages were counted"
            _count(queue, receiver, job_id, steps)
        steps.notes.append("a message came and went")


def _send(queue: Queue, receiver: Receiver, job_id: str, steps: Steps) -> None:
    """Send a message and receive it.

    Raises:
        StoreFailed: It did not come.
    """
    for wait_s in _SENDS_S:
        steps.doing = "a message was sent"
        queue.send([Task(id="r1", job_id=job_id, kind="read", pool=POOL, due=time.time())])
        steps.doing = "a message was waited for"
        until = time.monotonic() + min(wait_s, steps.left_s)
        while (left_s := until - time.monotonic()) > 0:
            if _received(receiver, job_id, min(1.0, left_s)):
                return
    raise StoreFailed("A sent message did not arrive.")


def _received(receiver: Receiver, job_id: str, wait_s: float) -> bool:
    """Whether a message came that is ours; it is done with."""
    message = receiver.receive(wait_s)
    if message is None:
        return False
    if message.job_id != job_id:
        _put_right(message)
        return False
    message.done()
    return True


def _put_right(message: Message) -> None:
    """Somebody else's: of a doctor that runs just now, or of one that was ended."""
    sent = message.job_id.split("-")[1:2]
    if sent and sent[0].isdigit() and time.time() - int(sent[0]) < _YOUNG_S:
        message.release()
    else:
        message.done()


def _count(queue: Queue, receiver: Receiver, job_id: str, steps: Steps) -> None:
    """Wait until nothing is left, also of a message that was sent twice."""
    while (ready := queue.ready(POOL)) and steps.left_s:
        _received(receiver, job_id, _LOOK_S)
    if ready:
        steps.warnings.append(
            f"it still counts {ready} messages of the pool {POOL}, which has none"
        )
