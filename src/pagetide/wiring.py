"""Settings to working parts: the only place that picks engines and other adapters."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagetide import exports
from pagetide.document import Document
from pagetide.errors import BadOption, ModelUnavailable, UnknownModel, nearest
from pagetide.inputs import Limits, Sandbox, open_input
from pagetide.ports import Blobs, Engine, Queue, Store
from pagetide.reading import Reader
from pagetide.settings import Settings

if TYPE_CHECKING:
    from pagetide.house import House
    from pagetide.service import Service
    from pagetide.worker import Worker

HUNG = 75  # what a worker process ends with when no page comes from it


@dataclass(frozen=True, kw_only=True)
class ModelEntry:
    """A model a user can ask for.

    Attributes:
        summary: What it is for, in one line.
        opener: `module:function` that takes the settings and gives the engine; empty where
            no engine is needed.
        pool: The workers that run it.
        package: The Python package that carries its weights; empty where it needs none.
        test_only: A server takes it only if `test_models` is set.
    """

    summary: str
    opener: str = ""
    pool: str = "cpu"
    package: str = ""
    test_only: bool = False


MODELS = {
    "pp-ocrv6": ModelEntry(
        summary="PP-OCRv6 small: printed text in Latin script, Chinese and Japanese",
        opener="pagetide.engines.ppocr:open_engine",
        package="rapidocr",
    ),
    "text-layer": ModelEntry(summary="the text that PDF pages carry; no picture is read"),
    "fake": ModelEntry(
        summary="for tests: makes up a line a page, or fails as told",
        opener="pagetide.engines.fake:open_engine",
        test_only=True,
    ),
}


STORES = {
    "sqlite": "pagetide.stores.sql:open_store",
    "memory": "pagetide.stores.memory:open_store",
}
BLOBS = {"file": "pagetide.blobs:open_blobs", "memory": "pagetide.blobs:open_blobs"}


class Models:
    """Which models a server takes, and where they run; see `service.ModelPlaces`."""

    def __init__(self, settings: Settings) -> None:
        self._test_models = settings.test_models

    def pool(self, model: str) -> str:
        """Whose workers run a model.

        Raises:
            UnknownModel: There is no such model.
            ModelUnavailable: It is known, but its weights are not here.
        """
        entry, parameters = _entry(model)
        if entry.test_only and not self._test_models:
            known = [name for name, other in MODELS.items() if not other.test_only]
            raise UnknownModel(f"There is no model {model!r}; {nearest(model, known)}")
        if parameters and not entry.test_only:
            raise BadOption(f"The model {model.partition('?')[0]} takes no parameters.")
        if entry.package and importlib.util.find_spec(entry.package) is None:
            raise ModelUnavailable(
                f"The weights of {model} are not here: install the package {entry.package}."
            )
        return entry.pool

    def version(self, model: str) -> str:
        """Changes whenever the model's results may."""
        entry, _ = _entry(model)
        packages = ["pagetide", *([entry.package] if entry.package else [])]
        return " ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)

    def pools(self) -> tuple[str, ...]:
        """All pools that models run in."""
        return tuple(sorted({entry.pool for entry in MODELS.values()}))


def open_store(settings: Settings) -> Store:
    """The job store that the settings name; close it when done.

    Raises:
        BadOption: There is no such kind of store.
        StoreFailed: It cannot be opened.
    """
    url = settings.store or f"sqlite:///{settings.home_folder / 'pagetide.db'}"
    store: Store = _adapter(STORES, "store", url)(url)
    return store


def open_blobs(settings: Settings) -> Blobs:
    """Where the settings say that documents and results are kept.

    Raises:
        BadOption: There is no such kind of place.
        StoreFailed: It cannot be opened.
    """
    url = settings.blobs or f"file://{settings.home_folder / 'blobs'}"
    blobs: Blobs = _adapter(BLOBS, "blobs", url)(url)
    return blobs


def open_queue(settings: Settings) -> Queue:
    """What wakes workers, as the settings say.

    Raises:
        BadOption: There is no such kind of queue.
    """
    opener = _adapter({"store": "pagetide.queues.bell:open_bell"}, "queue", settings.queue)
    queue: Queue = opener(settings.home_folder)
    return queue


def open_service(settings: Settings) -> Service:
    """Everything a server needs to answer; close it when done.

    Raises:
        BadOption: A setting is wrong.
        StoreFailed: The store or the blobs cannot be opened.
    """
    from pagetide.inspection import Inspector
    from pagetide.net.addresses import vet_url
    from pagetide.service import Service

    return Service(
        settings=settings,
        store=open_store(settings),
        blobs=open_blobs(settings),
        queue=open_queue(settings),
        models=Models(settings),
        inspector=Inspector(Limits.of(settings)),
        vet_url=partial(vet_url, allowed_hosts=settings.allowed_hosts),
    )


def open_house(service: Service) -> House:
    """The threads that sweep and call webhooks for a server; close them when done."""
    from pagetide.deliver import WebhookPost
    from pagetide.house import Deliverer, House, Sweeper

    store, queue, settings = service.store, service.queue, service.settings
    return House(
        Sweeper(store=store, blobs=service.blobs, queue=queue, settings=settings),
        Deliverer(store=store, queue=queue, post=WebhookPost(store, settings)),
        queue,
        every_s=settings.lease_s / 3,
    )


def open_worker(
    settings: Settings, pool: str, name: str = "", beat: Callable[[], None] = lambda: None
) -> Worker:
    """A worker of a pool; run it, then close it.

    Args:
        settings: As given.
        pool: Whose tasks it takes.
        name: Unlike any other worker's; made up where there is none.
        beat: Called a few times in every lease, as long as the process runs at all.

    Raises:
        BadOption: A setting is wrong.
        StoreFailed: The store or the blobs cannot be opened.
    """
    from pagetide import metrics, tracing
    from pagetide.worker import Worker

    tracing.configure(settings)
    queue = open_queue(settings)
    metrics.report_to(partial(queue.ring, metrics.TOPIC))
    return Worker(
        store=open_store(settings),
        blobs=open_blobs(settings),
        queue=queue,
        settings=settings,
        pool=pool,
        name=name or f"{pool}-{os.getpid()}-{secrets.token_hex(3)}",
        open_reader=partial(open_reader, settings=settings),
        abort=lambda: os._exit(HUNG),
        beat=beat,
    )


def open_reader(
    model: str = "pp-ocrv6", *, threads: int | None = None, settings: Settings | None = None
) -> Reader:
    """A reader of documents; close it when done, or use it as a context manager.

    Args:
        model: One of `MODELS`; behind a `?` may follow what the model takes (`fake?crash=2`).
        threads: Cores the engine may use; None means as the settings say.
        settings: By default those of the environment.

    Raises:
        UnknownModel: There is no such model.
        BadOption: `threads` is negative, or a variable of the environment is wrong.
    """
    entry, parameters = _entry(model)
    settings = settings or Settings.from_environment()
    if threads is not None:
        settings = replace(settings, threads=threads)
    if settings.threads < 0:
        raise BadOption(f"threads must be 0 (all cores) or more, not {settings.threads}.")
    opener = partial(_open, entry, settings, parameters) if entry.opener else None
    return Reader(opener, settings)


def open_engine(model: str, settings: Settings) -> Engine:
    """The engine of a model that has one; close it when done.

    Raises:
        UnknownModel: There is no such model, or it needs no engine.
        ModelUnavailable: Its files are not here.
        RuntimeUnavailable: The runtime is not here.
    """
    entry, parameters = _entry(model)
    if not entry.opener:
        raise UnknownModel(f"The model {model!r} needs no engine.")
    return _open(entry, settings, parameters)


def export_document(
    document: Document,
    name: str,
    source: str | os.PathLike[str] | bytes | None,
    password: str | None,
) -> Iterator[tuple[str, bytes]]:
    """See `pagetide.export`."""
    if source is None:
        yield from exports.export(document, name)
        return
    place = source if isinstance(source, bytes) else Path(source)
    with (
        Sandbox(Limits.of(Settings.from_environment())) as sandbox,
        open_input(place, sandbox=sandbox, password=password) as opened,
    ):
        origin = exports.Origin(source=place, pages=opened, child=sandbox, password=password)
        yield from exports.export(document, name, origin)


def _entry(model: str) -> tuple[ModelEntry, str]:
    name, _, parameters = model.partition("?")
    if name not in MODELS:
        raise UnknownModel(f"There is no model {name!r}; {nearest(name, MODELS)}")
    return MODELS[name], parameters


def _adapter(known: Mapping[str, str], setting: str, url: str) -> Callable[..., Any]:
    scheme = url.partition(":")[0]
    if scheme not in known:
        raise BadOption(
            f"PAGETIDE_{setting.upper()} names a {scheme!r}, which is not known; "
            f"known: {', '.join(sorted(known))}."
        )
    return _named(known[scheme])


def _named(place: str) -> Callable[..., Any]:
    module, _, function = place.partition(":")
    named: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return named


def _open(entry: ModelEntry, settings: Settings, parameters: str) -> Engine:
    engine: Engine = _named(entry.opener)(settings, parameters)
    return engine
