"""Jobs and pages in the form of PaddleOCR's job API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from pagetide.document import Notice, Page
from pagetide.server.api.answers.wire import moment
from pagetide.server.compat import outcome, recognitions
from pagetide.server.compat.paddle_results import (
    about_source,
    layout_result,
    markdown_of,
    ocr_result,
    without,
)
from pagetide.server.compat.paddleocr.options import ReadingOptions
from pagetide.server.compat.paddleocr.request import reading_options, wants_lines
from pagetide.server.compat.paddleocr.signing import Signing
from pagetide.server.compat.raw_pages import with_raw
from pagetide.server.jobs.job import Job
from pagetide.server.service.service import Service

Json = dict[str, Any]
_LINES, _BLOCKS = "rec_texts", "parsing_res_list"


class Progress(Struct, frozen=True, kw_only=True, rename="camel"):
    """How far a job is; times are RFC 3339."""

    total_pages: int
    extracted_pages: int
    start_time: str | None
    end_time: str | None


class Status(Struct, frozen=True, kw_only=True, rename="camel"):
    """A job.

    Attributes:
        state: `pending`, `running`, `done` or `failed`: their clients know no other.
        model: Ours, which reads it.
        result_url: `jsonUrl` opens without a key; once it is done.
        error_msg: Why it failed, or how many of its pages did.
    """

    job_id: str
    state: str
    model: str
    extract_progress: Progress
    result_url: dict[str, str] | UnsetType = UNSET
    error_msg: str | UnsetType = UNSET


def status_of(job: Job, json_url: str) -> Status:
    """A job as it is now.

    Args:
        job: The job; of one that was erased little is left to say.
        json_url: Where its result is, once it is done.
    """
    done = job.status in ("succeeded", "partial") and not job.erased
    return Status(
        job_id=job.id,
        state="done" if done else "failed" if job.ended or job.erased else _state(job),
        model=job.options.model,
        extract_progress=Progress(
            total_pages=job.page_count,
            extracted_pages=job.pages_done,
            start_time=None if job.started_at is None else moment(job.started_at),
            end_time=None if job.finished_at is None else moment(job.finished_at),
        ),
        result_url={"jsonUrl": json_url} if done else UNSET,
        error_msg=_error_message(job),
    )


def lines(service: Service, job: Job, signing: Signing) -> Iterator[bytes]:
    """The result as JSON Lines, a page in each; the last one has `dataInfo`, too."""
    wants, sizes, last = reading_options(job), list[tuple[int, int]](), Json()
    page_of = _ocr_page if wants_lines(job) else _layout_page
    name = "ocrResults" if wants_lines(job) else "layoutParsingResults"
    for page, raw in with_raw(service, job):
        if sizes:
            yield _line({name: [last]})
        sizes.append((page.width, page.height))
        last = page_of(job, page, raw, wants, signing)
    head = outcome.head(service, job)
    info = about_source(job.source, sizes) | {"model": head.model.name}
    unmet = recognitions.not_had(job.options.model, wants.recognise)
    info |= _warnings([*head.warnings, *unmet])
    yield _line({name: [last], "dataInfo": info})


def _state(job: Job) -> str:
    return "pending" if job.status == "queued" else "running"


def _error_message(job: Job) -> str | UnsetType:
    if job.erased:
        return "The job has expired." if job.status == "expired" else "The job was erased."
    if job.error is not None:
        return job.error.message
    if job.status == "cancelled":
        return "The job was cancelled."
    if job.ended and job.pages_failed:
        return (
            f"{job.pages_failed} of {job.page_count} pages could not be read;"
            " each says why in its `errorMsg`."
        )
    return UNSET


def _ocr_page(job: Job, page: Page, raw: Json, wants: ReadingOptions, signing: Signing) -> Json:
    shown = wants.visualize and page.error is None
    return {
        "prunedResult": raw if _LINES in raw else ocr_result(page),
        "ocrImage": signing.drawn(job, page) if shown else None,
        "docPreprocessingImage": None,
        "inputImage": signing.page(job, page) if shown else None,
        **_notes(page, page.warnings),
    }


def _layout_page(
    job: Job, page: Page, raw: Json, wants: ReadingOptions, signing: Signing
) -> Json:
    shown = wants.visualize and page.error is None
    link = partial(signing.figure, job) if wants.figures else None
    # Their clients save it by its name, of all pages into one folder.
    missed = () if _BLOCKS in raw else recognitions.missed(page, job.options.model)
    drawn = {f"layout_det_res-p{page.number:04}.png": signing.drawn(job, page)}
    return {
        "prunedResult": raw if _BLOCKS in raw else _result(job, page),
        "markdown": markdown_of(without(page, wants.ignored), link),
        "outputImages": drawn if shown else {},
        "inputImage": signing.page(job, page) if shown else None,
        "exports": {},
        **_notes(page, [*page.warnings, *missed]),
    }


def _result(job: Job, page: Page) -> Json:
    """The layout, and whether charts and the like were read."""
    found = layout_result(page)
    model = page.model.name if page.model else job.options.model
    found["model_settings"] |= recognitions.settings(model)
    return found


def _notes(page: Page, warnings: Sequence[Notice]) -> Json:
    """What went wrong with a page; their form has no words for it."""
    failed = {"errorMsg": page.error.message} if page.error else {}
    return failed | _warnings(warnings)


def _warnings(notices: Sequence[Notice]) -> Json:
    return {"warnings": notices} if notices else {}


def _line(result: Json) -> bytes:
    return msgspec.json.encode({"result": result}) + b"\n"
