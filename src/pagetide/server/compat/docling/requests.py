"""Documents as they are sent to docling-serve, on their way to a job."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from pagetide.errors import BadOption, PageOutOfRange
from pagetide.inputs.sniff import HEAD_BYTES, MediaType, sniff
from pagetide.server.api.bodies.job_form import json_object
from pagetide.server.api.context import call
from pagetide.server.compat.arriving import Arrival
from pagetide.server.compat.docling import chunking
from pagetide.server.compat.docling.chunking import Chunker, ChunkOptions
from pagetide.server.compat.docling.options import NO_END, AnswerFormat, Options, options_of
from pagetide.server.jobs.job import Job, JobOptions
from pagetide.settings import Settings
from pagetide.system.ready_types import ready

KEPT = "docling"  # in a job's metadata: how its result is to be answered
LONGEST_NAME = 255
_TARGETS = ("inbody",)
_REQUEST = frozenset({"options", "sources", "target", "callbacks"})
_CHUNKS_REQUEST = (_REQUEST - {"options"}) | {
    "convert_options",
    "chunking_options",
    "include_converted_doc",
}


async def from_form(
    arrival: Arrival, settings: Settings, chunker: Chunker | None = None
) -> Job:
    """The job of a form with one file.

    Raises:
        PagetideError: It is refused.
    """
    body = await arrival.form(file="files")
    fields: dict[str, Any] = dict(body.fields)
    targets = fields.pop("target_type", ["inbody"])
    _check_target(_only(targets, "target_type"))
    chunks = None
    if chunker:
        chunks = _chunks_of_form(chunker, fields)
        fields = _prefixed(fields, "convert_")
    options = options_of(fields, texts=True)
    if not body.document:
        raise BadOption("There is no document: send one as `files`.")
    return await _submit(arrival, settings, options, body.name, chunks)


async def from_json(
    arrival: Arrival, settings: Settings, chunker: Chunker | None = None
) -> Job:
    """The job of a request in JSON with one source; see `from_form`.

    Raises:
        PagetideError: It is refused.
    """
    asked = json_object(await arrival.json())
    for name in sorted(asked.keys() - (_CHUNKS_REQUEST if chunker else _REQUEST)):
        raise BadOption(f"There is no field {name[:80]!r} here.")
    if asked.get("callbacks"):
        raise BadOption("`callbacks` are not called here.")
    target = json_object(asked.get("target") or {"kind": "inbody"}, "`target`")
    _check_target(target.get("kind"))
    how = "convert_options" if chunker else "options"
    options = options_of(json_object(asked.get(how) or {}, f"`{how}`"), texts=False)
    chunks = _chunks_of_json(chunker, asked) if chunker else None
    source = json_object(_only(asked.get("sources"), "sources"), "A source")
    name = await _take(arrival, source)
    return await _submit(arrival, settings, options, name, chunks)


def answer_format(job: Job) -> AnswerFormat:
    """How a job's result is to be answered; as by default, where the job came another way."""
    kept = job.metadata.get(KEPT)
    try:
        return msgspec.json.decode(kept, type=ready(AnswerFormat)) if kept else AnswerFormat()
    except msgspec.DecodeError:  # somebody else's text of the same name
        return AnswerFormat()


def _chunks_of_form(chunker: Chunker, fields: dict[str, Any]) -> ChunkOptions:
    """What chunks a form asks for; what it says of them is taken out of its fields."""
    own = {name for name in fields if name.startswith("chunking_")}
    given = _prefixed({name: fields.pop(name) for name in own}, "chunking_")
    [converted] = fields.pop("include_converted_doc", ["false"])
    return chunking.wanted_of(
        chunker,
        {name: values[-1] for name, values in given.items()},
        with_document=_is_true(converted),
        texts=True,
    )


def _chunks_of_json(chunker: Chunker, asked: Mapping[str, Any]) -> ChunkOptions:
    given = json_object(asked.get("chunking_options") or {}, "`chunking_options`")
    converted = _is_true(asked.get("include_converted_doc") or False)
    return chunking.wanted_of(chunker, given, with_document=converted, texts=False)


def _prefixed(fields: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The fields without the prefix that each of them must have."""
    for name in sorted(fields):
        if not name.startswith(prefix):
            raise BadOption(f"There is no field {name[:80]!r} here.")
    return {name.removeprefix(prefix): value for name, value in fields.items()}


def _is_true(value: object) -> bool:
    if str(value).lower() not in ("true", "false"):
        raise BadOption("`include_converted_doc` must be true or false.")
    return str(value).lower() == "true"


async def _take(arrival: Arrival, source: Mapping[str, Any]) -> str:
    kind = source.get("kind")
    if kind == "http":
        _known(source, {"kind", "url", "headers"})
        if source.get("headers"):
            raise BadOption("`headers` of a source are not sent on here.")
        return await arrival.fetch(_text(source, "url"))
    if kind == "file":
        _known(source, {"kind", "base64_string", "filename"})
        name = _text(source, "filename")
        if len(name) > LONGEST_NAME:
            raise BadOption(f"`filename` has more than {LONGEST_NAME} letters.")
        await arrival.base64(_text(source, "base64_string"), "`base64_string`")
        return name
    raise BadOption(
        f"A source of the kind {str(kind)[:80]!r} is not read here; send file or http."
    )


async def _submit(
    arrival: Arrival,
    settings: Settings,
    options: Options,
    name: str,
    chunks: ChunkOptions | None,
) -> Job:
    await call(_check_type, arrival.taken.path, options)
    reading = options.reading(settings)
    wanted = replace(options.wanted, chunks=chunks)
    kept = {KEPT: msgspec.json.encode(wanted).decode()}
    first, last = options.page_range
    to_end = replace(reading, pages=None if first == 1 else f"{first}-")
    if last >= NO_END:
        return await arrival.submit(to_end, name=name, metadata=kept)
    some = replace(reading, pages=f"{first}-{last}")
    return await _submit_some(arrival, some, to_end, name, kept)


async def _submit_some(
    arrival: Arrival, some: JobOptions, to_end: JobOptions, name: str, kept: dict[str, str]
) -> Job:
    """The job of some pages; where the document ends before them, of those that it has.

    docling-serve takes the last page as a limit; here a page that is not there is an error.
    """
    path = arrival.taken.path
    spare = path.with_name(f"{path.name}-spare")  # submitting takes the file, even in vain
    try:
        await call(_doubled, path, spare)
        return await arrival.submit(some, name=name, metadata=kept)
    except PageOutOfRange:
        spare.rename(path)
        return await arrival.submit(to_end, name=name, metadata=kept)
    finally:
        spare.unlink(missing_ok=True)


def _doubled(path: Path, spare: Path) -> None:
    try:
        os.link(path, spare)
    except OSError:  # not every disk knows hard links
        shutil.copyfile(path, spare)


def _check_type(path: Path, options: Options) -> None:
    if not options.from_formats:
        return
    with path.open("rb") as file:
        found = sniff(file.read(HEAD_BYTES))
    kind = "pdf" if found is MediaType.PDF else "image"
    if kind not in options.from_formats:
        raise BadOption(f"The document is of the kind {kind}, which `from_formats` leaves out.")


def _check_target(kind: object) -> None:
    if kind == "presigned_url":
        # The client takes these very words as the sign to ask for the result itself.
        raise BadOption(
            "The target presigned_url needs artifact storage to be configured;"
            " here results come in the answer: ask for inbody."
        )
    if kind not in _TARGETS:
        raise BadOption(f"There is no target {str(kind)[:80]!r} here; ask for inbody.")


def _known(source: Mapping[str, Any], names: set[str]) -> None:
    for name in sorted(source.keys() - names):
        raise BadOption(f"A source has no field {name[:80]!r} here.")


def _only(value: object, name: str) -> object:
    if not isinstance(value, list) or not value:
        raise BadOption(f"`{name}` must be a list of one.")
    if len(value) > 1:
        raise BadOption(f"`{name}` are {len(value)}; send one a request.")
    return value[0]


def _text(source: Mapping[str, Any], name: str) -> str:
    value = source.get(name)
    if not isinstance(value, str):
        raise BadOption(f"A source needs a text as its `{name}`.")
    return value
