"""A model's name and the settings to a reader: the only place that picks engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from pagetide.engines.catalogue import DEFAULT, Models, Option, canonical, entry_of
from pagetide.errors import BadOption
from pagetide.reading import Reader
from pagetide.settings import Settings


def open_reader(
    model: str = DEFAULT,
    *,
    options: Mapping[str, Option] | None = None,
    threads: int | None = None,
    settings: Settings | None = None,
) -> Reader:
    """A reader of documents; close it when done, or use it as a context manager.

    Args:
        model: One of `MODELS`; behind a `?` may follow its options (`pp-ocr?NAME=VALUE`).
        options: What the model takes beside.
        threads: Cores the engine may use; None means as the settings say.
        settings: By default those of the environment.

    Raises:
        UnknownModel: There is no such model.
        ModelUnavailable: What it needs is not here; the message says what to run or set.
        BadOption: It has no such option; or `threads` is negative, or a variable of the
            environment is wrong.
    """
    named = canonical(model, options or {})
    entry, parameters = entry_of(named)
    settings = settings or Settings.from_environment()
    if threads is not None:
        settings = replace(settings, threads=threads)
    if settings.threads < 0:
        raise BadOption(f"threads must be 0 (all cores) or more, not {settings.threads}.")
    entry.vet(settings, parameters)
    opener = partial(entry.open, settings, parameters) if entry.open else None
    vet = partial(Models(settings).vet_language, named)
    return Reader(opener, settings, vet_language=vet)
