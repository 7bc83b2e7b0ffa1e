"""Batches over HTTP: a container's documents in, their results into another container."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query
from msgspec import Struct
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from pagetide.document.extraction import Extraction
from pagetide.errors import BadInput, BadOption, PagetideError, TooLarge
from pagetide.server.api.answers.showing import as_json
from pagetide.server.api.answers.streamed import unless_left
from pagetide.server.api.bodies.job_form import converted
from pagetide.server.api.callers.auth import Caller
from pagetide.server.api.context import Context, InContext, call
from pagetide.server.api.extracting import kept_values
from pagetide.server.compat.arriving import arriving
from pagetide.server.compat.azure.batches.batch import (
    FAILED,
    Batch,
    Batches,
    BatchOperation,
    Item,
)
from pagetide.server.compat.azure.batches.containers import Container
from pagetide.server.compat.azure.query_fields import query_request
from pagetide.server.compat.azure.refusals import error_of, error_response
from pagetide.server.compat.azure.request import (
    AnalyzeRequest,
    check_version,
    request_and_options,
)
from pagetide.server.compat.azure.routes import (
    POLL_AGAIN,
    ROOT,
    Given,
    ModelId,
    Reading,
    ResultId,
    Submitting,
    Version,
    location,
)
from pagetide.server.compat.azure.wire import API_VERSION
from pagetide.server.compat.dialect import answering_errors
from pagetide.server.jobs.job import Job, JobOptions
from pagetide.server.service.submitting.submission import new_job_id
from pagetide.system.ready_types import ready

MOST_DOCUMENTS = 100
MOST_LISTED = 50
_ENDING = ".ocr.json"

router = APIRouter(prefix=ROOT, route_class=answering_errors(error_response))


class BlobSource(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """All documents of a container whose names begin so."""

    container_url: str
    prefix: str | None = None


class FileListSource(
    Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True
):
    """The documents that a blob of the container names, one JSON object a line."""

    container_url: str
    file_list: str


class BatchForm(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What is to be read, and where the results go."""

    azure_blob_source: BlobSource | None = None
    azure_blob_file_list_source: FileListSource | None = None
    result_container_url: str
    result_prefix: str | None = None
    overwrite_existing: bool | None = None

    @property
    def source(self) -> BlobSource | FileListSource:
        """The one source that is given."""
        found = self.azure_blob_source or self.azure_blob_file_list_source
        if found is None or (self.azure_blob_source and self.azure_blob_file_list_source):
            raise BadOption("Give either azureBlobSource or azureBlobFileListSource.")
        return found


class _Listed(Struct, frozen=True):
    file: str


After = Annotated[str | None, Query(max_length=80)]


@router.post("/documentModels/{model_id}:analyzeBatch")
async def analyze_batch(
    request: Request,
    context: InContext,
    caller: Submitting,
    model_id: ModelId,
    given: Given,
    version: Version = None,
) -> Response:
    """Accept the documents of a container for reading."""
    check_version(version)
    batches = _batches(context, caller)
    analyze_request, options = request_and_options(context.settings, model_id, given)
    form = await _form(request, context, caller)
    source = _container(context, form.source.container_url)
    _container(context, form.result_container_url)
    if "?" in form.result_container_url:  # which is kept until the batch has ended
        context.service.cipher.check()
    listing = context.fetches.run(caller.owner, _names, source, form.source)
    items: list[Item] = []
    try:
        for name, result in _results(form, await unless_left(request.receive, listing)):
            items.append(
                await _item(
                    request, context, caller, analyze_request, options, source, name, result
                )
            )
    except ClientDisconnect:
        await call(batches.forget, items)  # nobody knows of them
        raise
    batch = _batch(form, analyze_request, items)
    await call(batches.keep, batch)
    where = location(request, context, f"{model_id}/analyzeBatchResults/{batch.id}")
    return Response(status_code=202, headers={"Operation-Location": where, **POLL_AGAIN})


@router.get("/documentModels/{model_id}/analyzeBatchResults")
async def list_batches(
    request: Request,
    context: InContext,
    caller: Reading,
    model_id: ModelId,
    version: Version = API_VERSION,
    after: After = None,
) -> Response:
    """The caller's batches, newest first, in pages."""
    check_version(version)
    batches = _batches(context, caller)

    def shown() -> list[BatchOperation]:
        some = islice(batches.every(model_id, after), MOST_LISTED + 1)
        return [batches.shown(batch) for batch in some]

    found = await call(shown)
    listed: dict[str, object] = {"value": found[:MOST_LISTED]}
    if len(found) > MOST_LISTED:
        where = location(request, context, f"{model_id}/analyzeBatchResults")
        listed["nextLink"] = f"{where}&after={found[MOST_LISTED - 1].result_id}"
    return as_json(listed)


@router.get("/documentModels/{model_id}/analyzeBatchResults/{result_id}")
async def show_batch(
    context: InContext,
    caller: Reading,
    model_id: ModelId,
    result_id: ResultId,
    version: Version = API_VERSION,
) -> Response:
    """State of a batch; results that are ready are written first."""
    check_version(version)
    batches = _batches(context, caller)
    batch = await call(batches.find, result_id, model_id)
    # A model server takes longer than a container, and keeps nobody from fetching.
    shares = context.extractions if batch.request.query_fields else context.fetches
    moved = await shares.run(caller.owner, batches.moved_on, batch)
    return as_json(batches.shown(moved), headers={} if moved.ended else POLL_AGAIN)


@router.delete("/documentModels/{model_id}/analyzeBatchResults/{result_id}")
async def delete_batch(
    context: InContext,
    caller: Submitting,
    model_id: ModelId,
    result_id: ResultId,
    version: Version = API_VERSION,
) -> Response:
    """Erase a batch with its documents; written results stay."""
    check_version(version)
    batches = _batches(context, caller)
    await call(batches.erase, await call(batches.find, result_id, model_id))
    return Response(status_code=204)


def _batches(context: Context, caller: Caller) -> Batches:
    def values(job: Job, names: Sequence[str]) -> Extraction:
        return kept_values(context, job, query_request(names))

    return Batches(context.service, caller.owner, partial(_container, context), values)


def _container(context: Context, url: str) -> Container:
    settings = context.settings
    container = Container(
        url=url, timeout_s=settings.download_timeout_s, allowed_hosts=settings.allowed_hosts
    )
    container.check()
    return container


async def _form(request: Request, context: Context, caller: Caller) -> BatchForm:
    async with arriving(request, context, caller) as arrival:
        body = await arrival.json()
    return converted(body, BatchForm)


def _names(container: Container, source: BlobSource | FileListSource) -> list[str]:
    """The documents of a source.

    Raises:
        TooLarge: There are too many.
        BadOption: There are none.
        BadInput: The list of files is none.
    """
    found: list[str] = []
    for name in _every_name(container, source):
        found.append(name)
        if len(found) > MOST_DOCUMENTS:
            raise TooLarge(f"A batch may have {MOST_DOCUMENTS} documents here, not more.")
    if not found:
        raise BadOption("The container holds no documents with this prefix.")
    return found


def _every_name(container: Container, source: BlobSource | FileListSource) -> Iterator[str]:
    if isinstance(source, BlobSource):
        yield from container.names(source.prefix or "")
        return
    for line in container.read(source.file_list).splitlines():
        if line.strip():
            try:
                yield msgspec.json.decode(line, type=ready(_Listed)).file
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                raise BadInput(
                    'The list of files must have {"file": "…"} on each line.'
                ) from None


def _results(form: BatchForm, names: list[str]) -> Iterator[tuple[str, str]]:
    """Each document with the name of the blob that its result becomes."""
    source = form.source
    prefix = source.prefix or "" if isinstance(source, BlobSource) else ""
    for name in names:
        short = name.removeprefix(prefix).lstrip("/") or name.rpartition("/")[2]
        yield name, f"{form.result_prefix or ''}{short}{_ENDING}"


async def _item(
    request: Request,
    context: Context,
    caller: Caller,
    analyze_request: AnalyzeRequest,
    options: JobOptions,
    source: Container,
    name: str,
    result: str,
) -> Item:
    """A document of a batch, submitted; one that is refused is reported as such."""
    where = source.address(name)
    try:
        async with arriving(request, context, caller) as arrival:
            called = await arrival.fetch(source.signed(name))
            job = await arrival.submit(options, name=called, metadata=analyze_request.note())
    except PagetideError as error:
        return Item(source=where, result=result, status=FAILED, error=error_of(error))
    return Item(source=where, result=result, job_id=job.id)


def _batch(form: BatchForm, analyze_request: AnalyzeRequest, items: list[Item]) -> Batch:
    now = time.time()
    first = next((item.job_id for item in items if item.job_id), new_job_id(now))
    return Batch(
        id=first,
        request=analyze_request,
        target=form.result_container_url,
        overwrite=bool(form.overwrite_existing),
        created_at=now,
        changed_at=now,
        items=tuple(items),
    )
