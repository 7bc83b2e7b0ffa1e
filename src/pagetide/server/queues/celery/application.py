"""Celery's application: how it is set up, its queues, its one task."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from celery import Celery
from celery.exceptions import Reject
from kombu import Exchange, Queue

from pagetide.server.jobs.job import URGENCIES
from pagetide.server.queues.celery.broker import ANSWER_S, RECEIVER_ANSWER_S, TASK, Broker
from pagetide.server.queues.wake_text import is_id

log = logging.getLogger(__name__)

HEADER = "traceparent"

_SETTINGS = {
    "task_ignore_result": True,
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "task_serializer": "json",
    "accept_content": ["json"],
    "result_accept_content": ["json"],
    "event_serializer": "json",
    "task_send_sent_event": True,
    "task_publish_retry": False,
    "task_create_missing_queues": False,
    "broker_heartbeat": 10,
    "broker_connection_timeout": ANSWER_S,
    "broker_connection_retry_on_startup": True,
    "broker_channel_error_retry": True,
    "broker_connection_max_retries": None,
    "worker_send_task_events": True,
    "worker_prefetch_multiplier": 1,
    "worker_detect_quorum_queues": True,
    "worker_hijack_root_logger": False,
    "worker_redirect_stdouts": False,
}


def application(
    broker: Broker,
    pools: tuple[str, ...] = (),
    hold: Callable[[Any, str, str], None] | None = None,
) -> Celery:
    """An application, apart from any other of this process.

    Args:
        broker: Where its queues are.
        pools: Whose tasks a worker of it takes.
        hold: What a task does there: it is given Celery's request, our job's id, our task's.
    """
    # It warns, with a traceback, of every message that a worker gives back when it ends.
    logging.getLogger("celery.app.trace").setLevel(logging.ERROR)
    app = Celery("pagetide", broker=broker.url, set_as_current=False)
    app.conf.update(
        _SETTINGS,
        broker_transport_options=broker.transport(RECEIVER_ANSWER_S if pools else ANSWER_S),
        broker_use_ssl=broker.tls(),
        task_default_queue=broker.dead,
        task_queues=[
            entity(broker, broker.queue(pool, urgency))
            for pool in pools
            for urgency in URGENCIES
        ],
    )

    def read(task: Any, *names: Any, **_: Any) -> None:
        if hold is None or len(names) != 2 or not all(map(is_id, names)):
            log.warning("not a message of Pagetide", extra={"reason": "its arguments"})
            raise Reject("not a message of Pagetide", requeue=False)
        hold(task.request, *names)

    app.task(read, name=TASK, bind=True, shared=False)
    app.finalize()
    return app


def entity(broker: Broker, name: str) -> Queue:
    """A queue; on RabbitMQ a replicated one, which puts aside what nobody can read."""
    kept = {"x-queue-type": "quorum"}
    if name != broker.dead:
        kept |= {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": broker.dead}
    return Queue(
        name,
        Exchange("", type="direct"),
        routing_key=name,
        durable=True,
        queue_arguments={} if broker.is_redis else kept,
    )
