"""Settings to working parts: the only place that picks adapters."""

from __future__ import annotations

import importlib
import logging
import os
import re
import secrets
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from pagetide.engines.catalogue import Models
from pagetide.errors import BadOption
from pagetide.inputs import Limits
from pagetide.reading.opening import open_reader
from pagetide.server.ports import Blobs, Notifications, Place, Queue, Store
from pagetide.server.ports.store_clock import StoreClock
from pagetide.server.service.load.demand import all_pools
from pagetide.server.service.notifier import Notifier
from pagetide.settings import Settings
from pagetide.system.cipher import Cipher, secrets_of
from pagetide.system.disk_room import DiskRoom

if TYPE_CHECKING:
    from pagetide.server.maintenance.maintenance import Maintenance
    from pagetide.server.service.service import Service
    from pagetide.server.worker.worker import Worker

HUNG = 75  # what a worker process ends with when no page comes from it


STORES = {
    "sqlite": "stores.sql:open_store",
    "postgresql": "stores.postgres:open_store",
    "dynamodb": "stores.dynamodb:open_store",
    "memory": "stores.memory:open_store",
}
BLOBS = dict.fromkeys(("file", "memory", "s3", "az", "gs"), "blobs:open_blobs")
QUEUES = {
    **dict.fromkeys(("redis", "rediss", "amqp", "amqps"), "queues.celery:open_queue"),
    "store": "queues.store:StoreQueue",
    "sqs": "queues.sqs.queue:open_queue",
    "azurequeue": "queues.azure.queue:open_queue",
    "sagemaker": "queues.sagemaker.queue:open_queue",
}


def open_store(settings: Settings) -> Store:
    """The job store that the settings name; close it when done.

    Raises:
        BadOption: There is no such kind of store.
        StoreFailed: It cannot be opened.
    """
    url = _store_url(settings)
    store: Store = _adapter(STORES, "store", url)(url)
    return store


def migrate_store(settings: Settings) -> tuple[int, int]:
    """Bring the tables of a SQL store up to this version, as opening it would.

    Returns:
        The schema it had, 0 if there were no tables, and the one it has.

    Raises:
        BadOption: The store has no tables of ours.
        StoreFailed: It cannot be opened, or this program is too old for it.
        DiskFull: There is no room for it.
    """
    url = _store_url(settings)
    _adapter(STORES, "store", url)
    if url.partition(":")[0] not in ("sqlite", "postgresql"):
        raise BadOption("Only SQLite and PostgreSQL have tables to upgrade.")
    migrated: tuple[int, int] = _named("stores.migrations:migrate")(url)
    return migrated


def open_blobs(settings: Settings) -> Blobs:
    """Where the settings say that documents and results are kept.

    Raises:
        BadOption: There is no such kind of place.
        StoreFailed: It cannot be opened.
    """
    url = settings.blobs or f"file://{settings.home_folder / 'blobs'}"
    if settings.results:
        _adapter(BLOBS, "results", settings.results)
    blobs: Blobs = _adapter(BLOBS, "blobs", url)(url, settings.results)
    return blobs


def open_place(where: str, *, make: bool = False) -> Place:
    """Where other people's files lie: the path of a folder, or the URL of a bucket.

    Args:
        where: The path or the URL.
        make: Whether a folder is made where there is none.

    Raises:
        BadOption: There is no such kind of place.
        NotFound: There is no such folder.
        StoreFailed: It cannot be made.
    """
    place: Place = _named("blobs.places:open_place")(where, make=make)
    return place


def open_notifications(settings: Settings) -> Notifications:
    """The notifications among the processes that share the store that the settings name.

    Raises:
        BadOption: There is no such kind of store.
        StoreFailed: It cannot be opened.
    """
    url = _store_url(settings)
    _adapter(STORES, "store", url)
    match url.partition(":")[0]:
        case "postgresql":
            by_postgresql = _named("stores.notifications.notify:open_notifications")
            notifications: Notifications = by_postgresql(url)
        case "memory" | "dynamodb":  # which notifies nobody: other processes look now and then
            notifications = _named("stores.notifications.memory:MemoryNotifications")()
        case _:
            by_pipe = _named("stores.notifications.fifo:open_notifications")
            notifications = by_pipe(settings.home_folder)
    return notifications


def open_queue(settings: Settings, notifications: Notifications) -> Queue:
    """The queue that wakes workers, as the settings say.

    Args:
        settings: As given.
        notifications: That of the store, which is the queue where no other is named.

    Raises:
        BadOption: There is no such kind of queue.
        StoreFailed: It cannot be opened.
    """
    named = {
        pool: _queue_at(settings, notifications, url, "queues")
        for pool, url in settings.queues.items()
    }
    queue = _queue_at(settings, notifications, settings.queue, "queue")
    if named:
        queue = _named("queues.by_pool:QueueByPool")(queue, named)
    if settings.queue_faults:
        queue = _named("queues.flaky:flaky")(queue, settings.queue_faults)
    return queue


def pools(settings: Settings) -> tuple[str, ...]:
    """All pools, the system's last; see `demand.all_pools`.

    Raises:
        BadOption: A setting is wrong.
    """
    return all_pools(Models(settings).pools(), settings)


def clock_of(store: Store, settings: Settings) -> Callable[[], float]:
    """The time by which a process goes that works with this store: the store's.

    A store on this machine has this machine's.
    """
    return time.time if _local(settings) else StoreClock(store.clock)


def open_cipher(settings: Settings) -> Cipher:
    """The cipher for passwords: by the secrets of the settings, or this machine's own.

    A store that other machines use has none but those of the settings.

    Raises:
        BadOption: A secret is too short.
    """
    own = settings.home_folder / "secret" if _local(settings) else None
    return Cipher(secrets_of(settings.secret), own)


def open_notifier(settings: Settings, clock: Callable[[], float] = time.time) -> Notifier:
    """The notifier of changes and wake-ups; close its notifications and queue when done.

    Raises:
        BadOption: A setting is wrong.
        StoreFailed: The store or the queue cannot be reached.
    """
    notifications = open_notifications(settings)
    return Notifier(notifications, open_queue(settings, notifications), clock)


def open_service(settings: Settings) -> Service:
    """Everything a server needs to answer; close it when done.

    Raises:
        BadOption: A setting is wrong.
        StoreFailed: The store or the blobs cannot be opened.
    """
    from pagetide.net.addresses import vet_url
    from pagetide.server.service.service import Service
    from pagetide.server.service.submitting.inspection import Inspector

    cipher = open_cipher(settings)
    store = open_store(settings)
    clock = clock_of(store, settings)
    return Service(
        settings=settings,
        store=store,
        blobs=open_blobs(settings),
        notifier=open_notifier(settings, clock),
        models=Models(settings),
        inspector=Inspector(Limits.of(settings)),
        cipher=cipher,
        vet_url=partial(vet_url, allowed_hosts=settings.allowed_hosts),
        clock=clock,
        room=disk_room(settings),
    )


def disk_room(settings: Settings) -> DiskRoom:
    """The room on the disks of this machine that the settings say are used."""
    folders = [settings.home_folder]
    for url in (settings.blobs, settings.results):
        if url.startswith("file:"):
            folders.append(Path(unquote(urlsplit(url).path)).absolute())
    store = _store_url(settings)
    if not store.startswith("sqlite:"):
        return DiskRoom(folders, settings.disk_reserve_mb)
    database = Path(store.removeprefix("sqlite:///")).absolute()
    ballast = database.with_name(f"{database.name}-ballast")
    return DiskRoom([*folders, database.parent], settings.disk_reserve_mb, ballast)


def open_maintenance(service: Service, beat: Callable[[], None] = lambda: None) -> Maintenance:
    """The threads that sweep and call webhooks; close them when done."""
    from pagetide.server.maintenance.deliverer import Deliverer
    from pagetide.server.maintenance.maintenance import Maintenance, Sweeper
    from pagetide.server.maintenance.webhook_post import WebhookPost

    store, notifier, settings, clock = (
        service.store,
        service.notifier,
        service.settings,
        service.clock,
    )
    every_s = min(settings.lease_s / 6, settings.sweep_s)
    return Maintenance(
        Sweeper(
            store=store,
            blobs=service.blobs,
            notifier=notifier,
            settings=settings,
            pools=service.pools(),
            clock=clock,
            every_s=every_s,
            room=service.room,
        ),
        Deliverer(
            store=store,
            notifier=notifier,
            post=WebhookPost(store, settings, clock),
            clock=clock,
        ),
        notifier.notifications,
        beat=beat,
        every_s=every_s,
    )


def open_worker(
    settings: Settings,
    pool: str,
    name: str = "",
    beat: Callable[[], None] = lambda: None,
    queue: Queue | None = None,
) -> Worker:
    """A worker of a pool; run it, then close it.

    Args:
        settings: As given.
        pool: Whose tasks it takes.
        name: Unlike any other worker's; made up where there is none.
        beat: Called a few times in every lease, as long as the process runs at all.
        queue: What wakes it and what it wakes others by; None means as the settings say.

    Raises:
        BadOption: A setting is wrong.
        StoreFailed: The store or the blobs cannot be opened.
    """
    from pagetide.server.worker.worker import Worker
    from pagetide.telemetry import metrics, tracing

    tracing.configure(settings)
    cipher = open_cipher(settings)
    store = open_store(settings)
    clock = clock_of(store, settings)
    notifier = (
        Notifier(open_notifications(settings), queue, clock)
        if queue
        else open_notifier(settings, clock)
    )
    metrics.report_to(notifier.notifications.publish)
    return Worker(
        store=store,
        blobs=open_blobs(settings),
        notifier=notifier,
        settings=settings,
        pool=pool,
        name=name or f"{pool}-{os.getpid()}-{secrets.token_hex(3)}",
        cipher=cipher,
        open_reader=partial(open_reader, settings=settings),
        abort=_abort,
        beat=beat,
        clock=clock,
    )


def _abort() -> None:
    """End at once; what was said before is not lost."""
    for handler in logging.getLogger().handlers:
        handler.flush()
    os._exit(HUNG)


def _store_url(settings: Settings) -> str:
    return settings.store or f"sqlite:///{settings.home_folder / 'pagetide.db'}"


def _local(settings: Settings) -> bool:
    """Whether no other machine uses the store."""
    return _store_url(settings).partition(":")[0] in ("sqlite", "memory")


def _queue_at(
    settings: Settings, notifications: Notifications, url: str, setting: str
) -> Queue:
    """The queue at a URL, which a setting names."""
    if url == "store:":
        queue: Queue = _named("queues.store:StoreQueue")(notifications)
        return queue
    account = {"connection": settings.azure_connection, "key": settings.azure_key}
    given = account if url.startswith("azure") else {}
    queue = _adapter(QUEUES, setting, url)(url, lease_s=settings.lease_s, **given)
    return queue


def _adapter(known: Mapping[str, str], setting: str, url: str) -> Callable[..., Any]:
    scheme, colon, _ = url.partition(":")
    if scheme not in known or not colon:
        # What is no URL is not shown: it may be a connection string, which holds a key.
        plain = colon and re.fullmatch(r"[a-z][a-z0-9+.-]{0,20}", scheme)
        problem = f"uses {scheme!r}, which is not known" if plain else "is no URL"
        raise BadOption(
            f"PAGETIDE_{setting.upper()} {problem}; known: {', '.join(sorted(known))}."
        )
    return _named(known[scheme])


def _named(place: str) -> Callable[..., Any]:
    """A function by its module in this package and its name; imported only where it is used."""
    module, _, function = place.partition(":")
    found = importlib.import_module(f"pagetide.server.{module}")
    named: Callable[..., Any] = getattr(found, function)
    return named
