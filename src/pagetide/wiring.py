"""Settings to working parts: the only place that picks an engine."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pagetide import exports
from pagetide.document import Document
from pagetide.errors import BadOption, UnknownModel, nearest
from pagetide.inputs import Limits, Sandbox, open_input
from pagetide.ports import Engine
from pagetide.reading import Reader
from pagetide.settings import Settings


@dataclass(frozen=True, kw_only=True)
class ModelEntry:
    """A model a user can ask for.

    Attributes:
        summary: What it is for, in one line.
        opener: `module:function` that takes the settings and gives the engine; empty where
            no engine is needed.
    """

    summary: str
    opener: str = ""


MODELS = {
    "pp-ocrv6": ModelEntry(
        summary="PP-OCRv6 small: printed text in Latin script, Chinese and Japanese",
        opener="pagetide.engines.ppocr:open_engine",
    ),
    "text-layer": ModelEntry(summary="the text that PDF pages carry; no picture is read"),
    "fake": ModelEntry(
        summary="for tests: makes up a line a page, or fails as told",
        opener="pagetide.engines.fake:open_engine",
    ),
}


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


def _open(entry: ModelEntry, settings: Settings, parameters: str) -> Engine:
    module, _, function = entry.opener.partition(":")
    engine: Engine = getattr(importlib.import_module(module), function)(settings, parameters)
    return engine
