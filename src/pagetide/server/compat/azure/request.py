"""What an analysis is asked for, and how a job remembers it."""

from __future__ import annotations

import re
from typing import Literal, TypeVar, get_args

import msgspec
from msgspec import Struct

from pagetide.document import TEXT_LAYER
from pagetide.engines import catalogue as models
from pagetide.errors import BadOption, JobUnknown, UnknownModel, nearest
from pagetide.server.compat.azure.bills import BILLS
from pagetide.server.compat.azure.content.string_index import StringIndexType
from pagetide.server.compat.azure.wire import API_VERSION
from pagetide.server.jobs.job import Job, JobOptions
from pagetide.settings import Settings
from pagetide.system.ready_types import ready

ContentFormat = Literal["text", "markdown"]
T = TypeVar("T", bound=str)

READ, LAYOUT = "prebuilt-read", "prebuilt-layout"
MODELS = (LAYOUT, READ, *BILLS)
FINE, PAIRS = "ocrHighResolution", "keyValuePairs"
BARCODES, LANGUAGES = "barcodes", "languages"
NOTE = "azure"  # in a job's metadata
FINE_DPI = 288.0  # of ocrHighResolution: twice what is usual
_PAGES = re.compile(r"\s*\d+(-\d+)?(\s*,\s*\d+(-\d+)?)*\s*", re.ASCII)
_FEATURES = (
    FINE,
    LANGUAGES,
    BARCODES,
    "formulas",
    PAIRS,
    "styleFont",
    "queryFields",
)
_OFFERED = (FINE, PAIRS, BARCODES, LANGUAGES)
QUERIES = "queryFields"  # offered where there is a model server
MOST_QUERIES = 20
_QUERY = re.compile(r"\w{1,64}")
_OUTPUTS = ("pdf", "figures")
_INDEX_TYPES: tuple[StringIndexType, ...] = get_args(StringIndexType)
_FORMATS: tuple[ContentFormat, ...] = get_args(ContentFormat)


class Parameters(Struct, frozen=True, kw_only=True):
    """The query, as it came."""

    pages: str | None = None
    locale: str | None = None
    index_type: str | None = None
    features: str | None = None
    query_fields: str | None = None
    content_format: str | None = None
    output: str | None = None


class AnalyzeRequest(Struct, frozen=True, kw_only=True):
    """What an analysis is asked for, beside how to read.

    Attributes:
        model_id: The protocol's name of the model.
        pairs: Whether labels with their values are asked for.
        languages: Whether those of the lines are asked for.
        query_fields: Names of values that a model server is to find.
        output: Of `pdf` and `figures` those that can be had afterwards.
    """

    model_id: str
    index_type: StringIndexType = "textElements"
    content_format: ContentFormat = "text"
    pairs: bool = False
    languages: bool = False
    query_fields: tuple[str, ...] = ()
    output: tuple[str, ...] = ()

    @property
    def layout(self) -> bool:
        """Whether tables, figures and sections are asked for."""
        return self.model_id != READ

    def note(self) -> dict[str, str]:
        """What a job's metadata says of it."""
        return {NOTE: msgspec.json.encode(self).decode()}


def request_of(job: Job) -> AnalyzeRequest:
    """What a job was asked for.

    Raises:
        JobUnknown: It did not come this way.
    """
    try:
        return msgspec.json.decode(job.metadata.get(NOTE, ""), type=ready(AnalyzeRequest))
    except msgspec.DecodeError:
        raise JobUnknown from None


def check_version(version: str | None) -> None:
    """See whether this is the protocol that is spoken here.

    Raises:
        BadOption: It is another.
    """
    if version is None:
        raise BadOption("The parameter api-version is required.")
    if version != API_VERSION:
        raise BadOption(f"The parameter api-version is invalid: it must be {API_VERSION}.")


def model_for(settings: Settings, model_id: str) -> str:
    """The model that reads for one of the protocol's names.

    Raises:
        UnknownModel: The name stands for none.
    """
    named = settings.model_named(model_id)
    if named is None and model_id not in MODELS:
        raise UnknownModel(f"There is no model {model_id!r}; known: {', '.join(MODELS)}.")
    return named or models.DEFAULT


def request_and_options(
    settings: Settings, model_id: str, given: Parameters
) -> tuple[AnalyzeRequest, JobOptions]:
    """What is asked for, and how it is to be read.

    Raises:
        UnknownModel: There is no such model.
        BadOption: A parameter is not valid, or cannot be had here; the message names it.
    """
    model = model_for(settings, model_id)
    features = _chosen("features", given.features, _FEATURES)
    if given.query_fields is not None and not settings.extract_url:
        raise BadOption("The parameter queryFields is invalid: this server extracts no fields.")
    offered = (*_OFFERED, QUERIES) if settings.extract_url else _OFFERED
    for feature in features:
        if feature not in offered or (feature in (PAIRS, QUERIES) and model_id == READ):
            raise BadOption(
                f"The parameter features is invalid: {feature} is not supported by this server."
            )
    request = AnalyzeRequest(
        model_id=model_id,
        index_type=_one("stringIndexType", given.index_type, _INDEX_TYPES),
        content_format=_one("outputContentFormat", given.content_format, _FORMATS),
        pairs=PAIRS in features,
        languages=LANGUAGES in features,
        query_fields=_query_fields(given.query_fields, QUERIES in features),
        output=_chosen("output", given.output, _OUTPUTS),
    )
    if "figures" in request.output and not request.layout:
        raise BadOption(f"The parameter output is invalid: {READ} finds no figures.")
    return request, JobOptions(
        model=model,
        languages=(given.locale,) if given.locale else (),
        pages=_pages(given.pages),
        dpi=FINE_DPI if FINE in features else JobOptions(model=model).dpi,
        text_layer="only" if model == TEXT_LAYER else "auto",
        formats=("pdf",) if "pdf" in request.output else (),
        barcodes=BARCODES in features,
    )


def _query_fields(names: str | None, wanted: bool) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(filter(None, (names or "").replace(" ", "").split(","))))
    if bool(found) != wanted:
        raise BadOption("The parameter queryFields is invalid: it goes with its feature.")
    if len(found) > MOST_QUERIES or not all(map(_QUERY.fullmatch, found)):
        raise BadOption(
            f"The parameter queryFields is invalid: give up to {MOST_QUERIES} names, each of"
            " up to 64 letters, figures and underscores."
        )
    return found


def _pages(pages: str | None) -> str | None:
    if pages is None or _PAGES.fullmatch(pages):
        return pages
    raise BadOption("The parameter pages is invalid: write pages like 1-3,5,7-9.")


def _one(name: str, value: str | None, known: tuple[T, ...]) -> T:
    """One of the known values, the first where none is given."""
    if value is None:
        return known[0]
    return _known(name, value, known)


def _chosen(name: str, value: str | None, known: tuple[T, ...]) -> tuple[T, ...]:
    """Those of the known values that a list names."""
    parts = filter(None, (part.strip() for part in (value or "").split(",")))
    return tuple(dict.fromkeys(_known(name, part, known) for part in parts))


def _known(name: str, value: str, known: tuple[T, ...]) -> T:
    for each in known:
        if each.lower() == value.lower():
            return each
    shown = value[:80]
    raise BadOption(
        f"The parameter {name} is invalid: there is no {shown!r}; {nearest(shown, known)}"
    )
