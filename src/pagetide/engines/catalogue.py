"""The models that can be asked for: what each needs, and how its engine is made.

A model's name may be followed by its options, as a query: `pp-structurev3?use_seal=true`.
That is the one form in which a job, a cache key and an engine know them.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl, urlencode

from pagetide.document import TEXT_LAYER
from pagetide.engine import Engine
from pagetide.engines import pool_languages
from pagetide.errors import BadOption, ModelUnavailable, UnknownModel, nearest
from pagetide.languages import find
from pagetide.settings import Settings

DEFAULT = "structure-lite"
AUTO = "auto"
VL = "paddleocr-vl"
Option = bool | int | float | str


@dataclass(frozen=True, kw_only=True)
class ModelEntry:
    """A model a user can ask for.

    Attributes:
        summary: What it is for, in one line.
        open: Makes its engine of the settings and its options; None where none is needed.
        vet: Raises where its options are wrong, or what it needs is not there.
        reads: Raises where what it needs for a language is not there; takes settings,
            language and options, and gives what changes whenever that does.
        networks: The networks that it needs for a language, here or not; takes the same.
        local: Those of its options, in order, that no job may give: they name what is on the
            machine.
        pool: The workers that run it.
        packages: What its results depend on, beside this package.
        versions: The same, by name, of packages in another Python.
        test_only: A server takes it only if `test_models` is set.
    """

    summary: str
    open: Callable[[Settings, str], Engine] | None = None
    vet: Callable[[Settings, str], None]
    reads: Callable[[Settings, str, str], str] | None = None
    networks: Callable[[Settings, str, str], Sequence[str]] | None = None
    versions: Callable[[Settings], Mapping[str, str]] | None = None
    local: Callable[[str], Sequence[str]] | None = None
    pool: str = "cpu"
    packages: tuple[str, ...] = ()
    test_only: bool = False


class Models:
    """Which models a server takes, and where they run; see `service.ModelPlaces`."""

    def __init__(self, settings: Settings) -> None:
        """Make it.

        Raises:
            BadOption: The settings name a model for another machine that there is not, or a
                language.
        """
        self._settings = settings
        for model in chain.from_iterable(settings.pools.values()):
            if model not in MODELS:
                raise BadOption(
                    f"PAGETIDE_POOLS has an unknown model {model!r};"
                    f" {nearest(model, offered())}"
                )
        for pool in settings.pools:
            for code in settings.languages_of(pool):
                find(code)

    def pool(self, model: str) -> str:
        """Whose workers run a model.

        Raises:
            UnknownModel: There is no such model.
            BadOption: It has no such option, or not with this value.
            ModelUnavailable: Its weights or its server are not here; the message says what
                to run or to set.
        """
        entry, parameters = entry_of(model)
        elsewhere = self._settings.pools
        if entry.test_only and not (elsewhere or self._settings.test_models):
            raise UnknownModel(f"There is no model {model!r}; {nearest(model, offered())}")
        if entry.local and (refused := entry.local(parameters)):
            raise BadOption(
                f"The model {model.partition('?')[0]} does not accept {refused[0]} in"
                " a job: only the server's owner can set it."
            )
        if elsewhere:
            return _pool_of(model.partition("?")[0], elsewhere)
        entry.vet(self._settings, parameters)
        return entry.pool

    def vet_language(self, model: str, language: str) -> str:
        """See whether a model reads a language, or several joined by `+`.

        Returns:
            What changes whenever the networks for it do.

        Raises:
            UnknownLanguage: There is no such language.
            BadOption: No network reads them together.
            ModelUnavailable: A network is not here; the message says what to run.
            LanguageUnavailable: The pool that runs the model has not the networks for it.
        """
        entry, parameters = entry_of(model)
        if entry.reads is None:
            return find(language).code
        if self._settings.pools:
            code, pool = find(language).code, self.pool(model)
            networks = networks_of(model, self._settings)
            had = self._settings.languages_of(pool)
            pool_languages.vet(model.partition("?")[0], pool, networks, had, code)
            return code
        return entry.reads(self._settings, language, parameters)

    def version(self, model: str) -> str:
        """Changes whenever the model's results may."""
        entry, _ = entry_of(model)
        packages = ("pagetide", *entry.packages)
        versions = [f"{name} {_version(name)}" for name in packages]
        if entry.versions and not self._settings.pools:
            versions += [
                f"{name} {each}" for name, each in entry.versions(self._settings).items()
            ]
        return " ".join([*versions, *_by_settings(self._settings, model)])

    def pools(self) -> tuple[str, ...]:
        """All pools that models run in."""
        elsewhere = self._settings.pools
        return tuple(sorted(elsewhere or {entry.pool for entry in MODELS.values()}))


def canonical(model: str, options: Mapping[str, Option]) -> str:
    """A model and its options as one name: the same ones always give the same.

    Raises:
        BadOption: An option is given twice.
    """
    name, _, query = model.partition("?")
    given = dict(parse_qsl(query, keep_blank_values=True))
    for key, value in options.items():
        if key in given:
            raise BadOption(f"The model's option {key!r} is given twice.")
        given[key] = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{name}?{urlencode(sorted(given.items()))}" if given else name


def offered() -> tuple[str, ...]:
    """The names of the models that are not for tests alone."""
    return tuple(name for name, entry in MODELS.items() if not entry.test_only)


def entry_of(model: str) -> tuple[ModelEntry, str]:
    """A model and its options, as they stand behind its name.

    Raises:
        UnknownModel: There is no such model.
    """
    name, _, parameters = model.partition("?")
    if name not in MODELS:
        raise UnknownModel(f"There is no model {name!r}; {nearest(name, offered())}")
    return MODELS[name], parameters


def networks_of(model: str, settings: Settings) -> pool_languages.Networks:
    """What a model needs for a language: the names of networks, here or not.

    Raises:
        UnknownModel: There is no such model.
    """
    entry, parameters = entry_of(model)

    def networks(language: str) -> Sequence[str]:
        return entry.networks(settings, language, parameters) if entry.networks else ()

    return networks


def open_engine(model: str, settings: Settings) -> Engine:
    """The engine of a model that has one; close it when done.

    Raises:
        UnknownModel: There is no such model, or it needs no engine.
        BadOption: It has no such option, or not with this value.
        ModelUnavailable: Its files or its server are not here.
        RuntimeUnavailable: The runtime is not here.
    """
    entry, parameters = entry_of(model)
    if entry.open is None:
        raise UnknownModel(f"The model {model!r} needs no engine.")
    return entry.open(settings, parameters)


def _pool_of(name: str, elsewhere: Mapping[str, Sequence[str]]) -> str:
    """The pool whose machines run a model."""
    for pool, models in elsewhere.items():
        if name in models:
            return pool
    raise ModelUnavailable(
        f"No machine here runs the model {name}: it is not in PAGETIDE_POOLS."
    )


def _version(package: str) -> str:
    """Of an installed package; an API process need not have what its workers have."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "elsewhere"


def _by_settings(settings: Settings, model: str) -> list[str]:
    """Settings that decide what a model's results are."""
    name = model.partition("?")[0]
    served = [settings.vl_url, settings.vl_served_name]
    return {AUTO: [settings.precise_model, *served], VL: served}.get(name, [])


def _later(place: str, **given: object) -> Callable[..., Any]:
    """`module:function` of this package, imported when it is called."""
    module, _, function = place.partition(":")

    def call(*args: object) -> object:
        named = getattr(importlib.import_module(f"pagetide.{module}"), function)
        return named(*args, **given)

    return call


def _takes_nothing(name: str, settings: Settings, parameters: str) -> None:
    if parameters:
        raise BadOption(f"The model {name} has no options.")


def _open_auto(settings: Settings, parameters: str) -> Engine:
    from pagetide.engines.routed import RoutedEngine

    usual = settings.precise_model or DEFAULT
    better = VL if settings.vl_url and usual != VL else ""
    return RoutedEngine(
        partial(open_engine, usual, settings),
        partial(open_engine, better, settings) if better else None,
    )


def _vet_auto(settings: Settings, parameters: str) -> None:
    _takes_nothing(AUTO, settings, parameters)
    entry, options = entry_of(settings.precise_model or DEFAULT)
    entry.vet(settings, options)


def _auto_reads(settings: Settings, language: str, parameters: str) -> str:
    model = settings.precise_model or DEFAULT
    if settings.vl_url and find(language).read_badly:
        model = VL
        MODELS[VL].vet(settings, "")
    return Models(settings).vet_language(model, language)


def _auto_networks(settings: Settings, language: str, parameters: str) -> Sequence[str]:
    model = settings.precise_model or DEFAULT
    if settings.vl_url and find(language).read_badly:
        model = VL
    return networks_of(model, settings)(language)


MODELS = {
    AUTO: ModelEntry(
        summary="a page's own text where it can be trusted, otherwise the best configured"
        " model",
        open=_open_auto,
        vet=_vet_auto,
        reads=_auto_reads,
        networks=_auto_networks,
        packages=("rapidocr",),
    ),
    DEFAULT: ModelEntry(
        summary="text, layout, tables and reading order, with the bundled networks",
        open=_later("engines.structure_lite:open_engine"),
        vet=_later("engines.structure_lite:vet"),
        reads=_later("engines.structure_lite:reads"),
        networks=_later("engines.structure_lite:networks"),
        packages=("rapidocr",),
    ),
    "pp-ocrv6": ModelEntry(
        summary="PP-OCRv6: lines of text in Latin script, Chinese and Japanese; more can be"
        " pulled",
        open=_later("engines.ppocr:open_engine"),
        vet=_later("engines.ppocr:vet"),
        reads=_later("engines.ppocr:version"),
        networks=_later("engines.ppocr:networks"),
        packages=("rapidocr",),
    ),
    "pp-ocrv5": ModelEntry(
        summary="PP-OCRv5, if its weights were pulled",
        open=_later("engines.ppocr:open_engine", family="pp-ocrv5"),
        vet=_later("engines.ppocr:vet", family="pp-ocrv5"),
        reads=_later("engines.ppocr:version", family="pp-ocrv5"),
        networks=_later("engines.ppocr:networks", family="pp-ocrv5"),
    ),
    "pp-structurev3": ModelEntry(
        summary="PaddleOCR's PP-StructureV3: layout, tables, formulas, seals, charts",
        open=_later("engines.paddle:open_structurev3"),
        vet=_later("engines.paddle:vet_structurev3"),
        reads=_later("engines.paddle:reads_structurev3"),
        networks=_later("engines.paddle:networks_structurev3"),
        local=_later("engines.paddle:local_structurev3"),
        versions=_later("engines.paddle:versions"),
    ),
    "pp-ocr": ModelEntry(
        summary="PaddleOCR's own pipeline for lines of text",
        open=_later("engines.paddle:open_ppocr"),
        vet=_later("engines.paddle:vet_ppocr"),
        reads=_later("engines.paddle:reads_ppocr"),
        networks=_later("engines.paddle:networks_ppocr"),
        local=_later("engines.paddle:local_ppocr"),
        versions=_later("engines.paddle:versions"),
    ),
    VL: ModelEntry(
        summary="PaddleOCR-VL on a server: formulas, charts, handwriting, hard tables",
        open=_later("engines.paddleocr_vl:open_engine"),
        vet=_later("engines.paddleocr_vl:vet"),
        reads=_later("engines.paddleocr_vl:reads"),
        networks=_later("engines.paddleocr_vl:networks"),
        packages=("rapidocr",),
    ),
    TEXT_LAYER: ModelEntry(
        summary="the text that PDF pages contain, with its tables; no picture is read",
        vet=partial(_takes_nothing, TEXT_LAYER),
    ),
    "fake": ModelEntry(
        summary="for tests: makes up a line a page, or fails as told",
        open=_later("engines.fake:open_engine"),
        vet=_later("engines.fake:vet"),
        test_only=True,
    ),
}
