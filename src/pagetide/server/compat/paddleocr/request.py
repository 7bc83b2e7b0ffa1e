"""What a request to read a document asks for, in JSON or as a form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from pagetide.errors import BadInput, BadOption
from pagetide.server.api.bodies.job_form import Text, Url, converted, json_object
from pagetide.server.api.bodies.json_text import parsed
from pagetide.server.api.problems import unknown_names
from pagetide.server.compat.arriving import Arrival
from pagetide.server.compat.paddleocr.options import OCR_MODELS, ReadingOptions, wanted
from pagetide.server.jobs.job import Job, JobOptions
from pagetide.settings import Settings

MODEL, BATCH = "paddleocr.model", "paddleocr.batch"
_VISUALIZE, _FIGURES, _IGNORED, _RECOGNISE = (
    "paddleocr.visualize",
    "paddleocr.figures",
    "paddleocr.ignored",
    "paddleocr.recognise",
)
_NO = "no"
_OCR = frozenset({"pp-ocrv6", "pp-ocrv5", "pp-ocr"})
# Clients write it into a path as it is.
_BATCH = re.compile(r"(?!\.{1,2}$)[^/\\?#%\x00-\x20\x7f]([^/\\?#%\x00-\x1f\x7f]{0,198}\S)?")


class JobRequest(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A request; the names are PaddleOCR's."""

    model: Text
    file_url: Url | None = None
    optional_payload: dict[str, Any] | None = None
    page_ranges: Text | None = None
    batch_id: Text | None = None

    def wanted(self, settings: Settings) -> ReadingOptions:
        """What is asked for; see `options.wanted`.

        Raises:
            BadOption: The batch's name could not be asked for afterwards.
            PagetideError: See `options.wanted`.
        """
        if self.batch_id is not None and not _BATCH.fullmatch(self.batch_id):
            raise BadOption("`batchId` must have 1 to 200 characters, none of them `/?#%\\`.")
        return wanted(settings, self.model, self.optional_payload or {})


async def in_json(arrival: Arrival) -> JobRequest:
    """A request whose document is at a URL.

    Raises:
        BadOption: It is not one.
    """
    request = _checked(json_object(await arrival.json()))
    if not request.file_url:
        raise BadOption("There is no document: send `fileUrl`, or a form with `file`.")
    return request


async def in_form(arrival: Arrival) -> tuple[JobRequest, str]:
    """A request that holds its document, and what that is called.

    Raises:
        BadOption: It is not one.
    """
    body = await arrival.form()
    fields: dict[str, object] = {}
    for name, values in body.fields.items():
        if not isinstance(values, list) or len(values) != 1:
            raise BadOption(f"`{name[:80]}` is given more than once.")
        fields[name] = values[0]
    if "optionalPayload" in fields:
        fields["optionalPayload"] = _payload(str(fields["optionalPayload"]))
    request = _checked(fields)
    if not body.document or request.file_url is not None:
        raise BadOption("Send the document as `file`, or its address in JSON as `fileUrl`.")
    return request, body.name


def job_options(request: JobRequest, found: ReadingOptions) -> JobOptions:
    """How the document is to be read."""
    return JobOptions(model=found.model, pages=request.page_ranges or None)


def noted(request: JobRequest, found: ReadingOptions) -> dict[str, str]:
    """What is kept with the job, so that its answer is as it was asked for."""
    notes = {MODEL: request.model}
    notes |= {} if found.visualize else {_VISUALIZE: _NO}
    notes |= {} if found.figures else {_FIGURES: _NO}
    notes |= {_IGNORED: ",".join(found.ignored)} if found.ignored else {}
    notes |= {_RECOGNISE: ",".join(found.recognise)} if found.recognise else {}
    return notes | ({BATCH: request.batch_id} if request.batch_id else {})


def reading_options(job: Job) -> ReadingOptions:
    """What was asked for, of a job that may have come another way."""
    notes = job.metadata
    return ReadingOptions(
        model=job.options.model,
        visualize=notes.get(_VISUALIZE) != _NO,
        figures=notes.get(_FIGURES) != _NO,
        ignored=_split(notes.get(_IGNORED, "")),
        recognise=_split(notes.get(_RECOGNISE, "")),
    )


def wants_lines(job: Job) -> bool:
    """Whether lines of text are the answer, and no layout."""
    name = job.metadata.get(MODEL)
    return name in OCR_MODELS if name else job.options.model.partition("?")[0] in _OCR


def _split(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(",")))


def _checked(fields: Mapping[str, object]) -> JobRequest:
    names = {field.encode_name for field in msgspec.structs.fields(JobRequest)}
    unknown_names("field", set(fields), names)
    if "model" not in fields:
        raise BadOption("`model` is needed.")
    return converted(fields, JobRequest)


def _payload(text: str) -> object:
    try:
        return parsed(text.encode())
    except BadInput:
        raise BadOption("`optionalPayload` must be a JSON object.") from None
