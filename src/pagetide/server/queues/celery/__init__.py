"""The queue over Celery, on Redis or RabbitMQ.

A task of ours is a Celery task `pagetide.read` of the same id, in a queue for its pool and
priority. A receiver is a Celery worker, so that Celery's own tools see it:

    celery -A pagetide.server.queues.celery inspect active
    celery -A pagetide.server.queues.celery flower
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagetide.errors import BadOption, installing
from pagetide.server.queues.celery.broker import Broker
from pagetide.settings import Settings

if TYPE_CHECKING:
    from pagetide.server.queues.celery.queue import CeleryQueue


def open_queue(url: str, *, lease_s: float) -> CeleryQueue:
    """The queue at a URL such as `redis://HOST/0?prefix=NAME`; nothing is connected yet.

    Args:
        url: Its scheme is `redis`, `rediss`, `amqp` or `amqps`.
        lease_s: How often, in seconds, a message that is held will be renewed at least.

    Raises:
        BadOption: The URL is wrong, or Celery is not installed.
    """
    broker = Broker.at(url, lease_s)
    try:
        from pagetide.server.queues.celery.queue import CeleryQueue
    except ModuleNotFoundError:
        raise BadOption(
            f"A queue at {broker.scheme}:// needs Celery: {installing('celery')}."
        ) from None
    return CeleryQueue(broker)


def __getattr__(name: str) -> Any:
    """`app`: Celery's application, of the queue that the environment's settings name."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    settings = Settings.from_environment()
    broker = Broker.at(settings.queue, settings.lease_s)

    from pagetide.server.queues.celery.application import application

    globals()["app"] = application(broker)
    return globals()["app"]
