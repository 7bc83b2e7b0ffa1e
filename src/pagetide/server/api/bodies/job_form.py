"""The fields of a request with a document, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, cast, get_args

import msgspec
from msgspec import Meta, Struct

from pagetide.document import LineBreaks, TextLayerMode
from pagetide.document.kinds import ResultFormat
from pagetide.engines.catalogue import DEFAULT, Option, canonical
from pagetide.errors import BadInput, BadOption, nearest
from pagetide.reading.extraction import MOST_QUESTIONS, check_questions, form_of
from pagetide.server.api.bodies.json_text import parsed
from pagetide.server.api.problems import unknown_names
from pagetide.server.jobs.job import JobOptions, Priority
from pagetide.server.jobs.review import Rules
from pagetide.system.ready_types import ready

LONGEST_WAIT_S = 60
LONGEST_TTL_S = 365 * 86400
MOST_METADATA = 32
MOST_METADATA_BYTES = 4096
MOST_OPTIONS = 64
MOST_OPTIONS_BYTES = 4096

Text = Annotated[str, Meta(max_length=1000)]
Url = Annotated[str, Meta(max_length=4096)]
Listed = tuple[str, ...]
Share = Annotated[float, Meta(ge=0, le=1)]

_CHOICES: dict[str, tuple[str, ...]] = {
    "text_layer": get_args(TextLayerMode),
    "line_breaks": get_args(LineBreaks),
    "priority": get_args(Priority),
    "format": get_args(ResultFormat),
}
FILE_FIELDS = frozenset({"file", "name"})  # known, but taken out beforehand
_LISTS = frozenset({"languages", "formats"})
_REPEATED = frozenset({"queries"})
_OBJECTS = frozenset({"metadata", "options", "schema"})


class JobForm(Struct, frozen=True, kw_only=True):
    """How to read a document.

    Attributes:
        file_url: Address from which the document is fetched; instead of `file`.
        upload: The ID of an upload with the document; instead of `file`.
        model: The model that reads it; see `/v1/models`.
        options: Options of the model, such as `use_seal_recognition`; see
            `docs/how-to/models.md`; at most 64 values, 4 KiB. In a form, as JSON.
        languages: Codes; none means all that the model reads. In a form, comma-separated or
            repeated.
        pages: Such as `1-3,7,-1`, `5-` or `-3-`; none means all.
        dpi: Pixels per inch at which PDF pages are rendered.
        text_layer: Whether a page's own text is used: if it can be trusted, never, or only.
        password: For encrypted PDFs; kept until the job ends.
        priority: `interactive` jobs come before `batch` jobs.
        webhook_url: Called when the job has ended.
        formats: Formats to create in addition to `json` and `raw` when the job finishes. In a
            form, comma-separated or repeated.
        line_breaks: Whether `md`, `txt` and `html` `join` the rows of a paragraph, without
            hyphenation, or `keep` each line.
        barcodes: Whether to find bar codes and QR codes.
        ttl_s: How long input and results are kept after the job has ended, in seconds.
        metadata: Returned with the job: at most 32 strings, 4 KiB. In a form, as JSON.
        review_below: A person reviews the result if a line has lower confidence than this; null
            means the server's setting, also for the next two.
        review_sums: A person reviews a bill whose sums do not add up.
        review_sample: A person reviews this share of all results, 0–1.
    """

    file_url: Url | None = None
    upload: Annotated[str, Meta(max_length=100)] | None = None
    model: Annotated[str, Meta(max_length=200)] = DEFAULT
    options: dict[str, Option] = {}
    languages: Listed = ()
    pages: Text | None = None
    dpi: Annotated[float, Meta(ge=72, le=600)] = 144
    text_layer: TextLayerMode = "auto"
    password: Text | None = None
    priority: Priority = "interactive"
    webhook_url: Url | None = None
    formats: tuple[ResultFormat, ...] = ()
    line_breaks: LineBreaks = "join"
    barcodes: bool = False
    ttl_s: Annotated[float, Meta(ge=60, le=LONGEST_TTL_S)] | None = None
    metadata: dict[str, str] = {}
    review_below: Share | None = None
    review_sums: bool | None = None
    review_sample: Share | None = None

    def review_rules(self, usual: Rules) -> Rules:
        """When a person is to review the result.

        Args:
            usual: What holds where it is not said.
        """
        asked = {
            "below": self.review_below,
            "sums": self.review_sums,
            "sample": self.review_sample,
        }
        given = {name: value for name, value in asked.items() if value is not None}
        return msgspec.structs.replace(usual, **given)

    @property
    def known_job(self) -> str | None:
        """The id of a job that has the document already; None where one is sent."""
        return None

    def job_options(self) -> JobOptions:
        """How the job's document is to be read.

        Raises:
            BadOption: An option of the model is given twice.
        """
        return JobOptions(
            model=canonical(self.model, self.options),
            languages=self.languages,
            pages=self.pages,
            dpi=self.dpi,
            text_layer=self.text_layer,
            formats=self.formats,
            line_breaks=self.line_breaks,
            barcodes=self.barcodes,
        )


class ReadForm(JobForm, frozen=True, kw_only=True):
    """How to read a document and return the result.

    Attributes:
        wait: Maximum seconds to wait; then the job is returned.
        format: Format of the returned result.
    """

    wait: Annotated[float, Meta(ge=0, le=LONGEST_WAIT_S)] = 25
    format: ResultFormat = "json"

    def job_options(self) -> JobOptions:
        """How the job's document is to be read; the format is made when it finishes."""
        options = super().job_options()
        wanted = tuple(dict.fromkeys((*options.formats, self.format)))
        return msgspec.structs.replace(options, formats=wanted)


class ExtractForm(JobForm, frozen=True, kw_only=True):
    """What to extract from a document, and how to read it.

    Attributes:
        job: The ID of a job whose result is searched; instead of a document.
        schema: A JSON Schema of an object with the wanted values. In a form, as JSON.
        queries: Questions, instead of `schema`. In a form, repeated.
        wait: Maximum seconds to wait for the reading; then the job is returned.
    """

    job: Annotated[str, Meta(max_length=100)] | None = None
    schema: dict[str, Any] | None = None
    queries: Annotated[tuple[Text, ...], Meta(max_length=MOST_QUESTIONS)] = ()
    wait: Annotated[float, Meta(ge=0, le=LONGEST_WAIT_S)] = 25

    def __post_init__(self) -> None:
        """Check what is wanted.

        Raises:
            BadOption: Nothing is, or in two ways.
            BadSchema: The schema is none that can be filled in.
        """
        if (self.schema is None) == (not self.queries):
            raise BadOption("Send either `schema` or `queries`.")
        if self.schema is not None:
            form_of(self.schema)
        else:
            check_questions(self.queries)

    @property
    def known_job(self) -> str | None:
        """See `JobForm`."""
        return self.job


F = TypeVar("F", bound=JobForm)
T = TypeVar("T")


def checked(kind: type[F], fields: Mapping[str, object], *, texts: bool) -> F:
    """The fields as a form.

    Args:
        kind: Which form.
        fields: By name.
        texts: They came as lists of texts, one for each time that a field was given.

    Raises:
        BadOption: A field is unknown or not valid; the message names it.
    """
    unknown_names("field", set(fields), set(kind.__struct_fields__) | FILE_FIELDS)
    given = {
        name: _of_texts(name, cast(list[str], value)) if texts else value
        for name, value in fields.items()
        if value is not None
    }
    for name in _LISTS & given.keys():
        given[name] = _parts(name, given[name])
    for name in _CHOICES.keys() & given.keys():
        _check_choice(name, given[name])
    form = converted(given, kind, texts=texts)
    _check_size("metadata", form.metadata, "texts", MOST_METADATA, MOST_METADATA_BYTES)
    _check_size("options", form.options, "values", MOST_OPTIONS, MOST_OPTIONS_BYTES)
    return form


def json_object(value: object, what: str = "The body") -> dict[str, Any]:
    """A value of a caller's, which must be a JSON object.

    Raises:
        BadOption: It is something else.
    """
    if not isinstance(value, dict):
        raise BadOption(f"{what} must be a JSON object.")
    return value


def converted(value: object, kind: type[T], *, texts: bool = False) -> T:
    """A value of a caller's as a struct of this kind; with `texts`, numbers may be texts.

    Raises:
        BadOption: A field is not valid; the message names it.
    """
    try:
        return msgspec.convert(value, ready(kind), strict=not texts)
    except msgspec.ValidationError as error:
        raise field_error(error) from None


def field_error(error: msgspec.ValidationError) -> BadOption:
    """`Expected …, got … - at $.dpi`, as a sentence about `dpi`."""
    what, _, place = str(error).partition(" - at ")
    name = re.sub(r"^`?\$\.?|`$", "", place)
    plain = what.replace("`", "").rstrip(".")
    subject = f"`{name}`" if name else "The body"
    return BadOption(f"{subject} is not valid: {plain[:1].lower()}{plain[1:]}.")


def _of_texts(name: str, values: list[str]) -> object:
    if name in _LISTS | _REPEATED:
        return values
    if len(values) > 1:
        raise BadOption(f"`{name[:80]}` is given {len(values)} times.")
    if name in _OBJECTS:
        try:
            return parsed(values[0].encode())
        except BadInput:
            raise BadOption(f"`{name}` must be a JSON object.") from None
    return values[0]


def _parts(name: str, value: object) -> list[str]:
    values: list[object] = value if isinstance(value, list) else [value]
    texts = [text for text in values if isinstance(text, str)]
    if len(texts) < len(values):
        raise BadOption(f"`{name}` must be a list of texts.")
    parts = [part.strip() for text in texts for part in text.split(",")]
    wanted = list(dict.fromkeys(part for part in parts if part))
    if len(wanted) > 100 or any(len(part) > 100 for part in wanted):
        raise BadOption(f"`{name}` is too long.")
    for part in wanted if name == "formats" else ():
        _check_choice("format", part)
    return wanted


def _check_choice(name: str, value: object) -> None:
    if value not in _CHOICES[name]:
        shown = str(value)[:80]
        raise BadOption(f"There is no {name} {shown!r}; {nearest(shown, _CHOICES[name])}")


def _check_size(
    name: str, given: Mapping[str, Option], values: str, most: int, most_bytes: int
) -> None:
    size = sum(len(key.encode()) + len(str(value).encode()) for key, value in given.items())
    if len(given) > most or size > most_bytes:
        raise BadOption(
            f"`{name}` may have {most} {values} and {most_bytes} bytes,"
            f" not {len(given)} and {size}."
        )
