"""Jobs and their results in the form of docling-serve.

Source: `docling.datamodel.service.responses` of docling-slim 2.143.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from pagetide.document import Document, Failure, Notice, Page
from pagetide.exports.text import plain_text
from pagetide.server.compat.docling.chunking import ChunkOptions, chunks_of
from pagetide.server.compat.docling.options import AnswerFormat
from pagetide.server.compat.docling.pictures import Pictures
from pagetide.server.compat.docling.tree import docling_document
from pagetide.server.jobs.job import Job

Wire = dict[str, Any]

# How docling-serve sorts failures; what it has no word for is "unknown".
_CATEGORIES = {
    "too_large": "policy",
    "too_many_pages": "policy",
    "too_many_pixels": "policy",
    "download_failed": "source_unavailable",
    "address_refused": "source_unavailable",
    "page_timeout": "timeout",
    "engine_failed": "internal",
    "out_of_memory": "internal",
    "worker_lost": "internal",
}


def task_status(job: Job, position: int | None = None, kind: str = "convert") -> Wire:
    """A job as a `TaskStatusResponse`, of the kind `convert` or `chunk`."""
    status: Wire = {
        "task_id": job.id,
        "task_type": kind,
        "task_status": _status(job),
        "task_position": position,
        "task_meta": {
            "num_docs": 1,
            "num_processed": int(job.ended),
            "num_succeeded": int(job.status == "succeeded"),
            "num_partially_succeeded": int(job.status == "partial"),
            "num_failed": int(job.ended and job.status not in ("succeeded", "partial")),
        },
    }
    if status["task_status"] == "failure":
        status["failure"] = _failure(job)
        status["error_message"] = status["failure"]["message"]
    return status


def task_failure(job: Job) -> Wire:
    """A failed job's result, as a `TaskFailureResult`."""
    return {"kind": "TaskFailureResult", "failure": _failure(job)}


def converted(job: Job, document: Document, wanted: AnswerFormat, pictures: Pictures) -> Wire:
    """A job's result, as a `ConvertDocumentResponse`."""
    began = job.started_at or job.created_at
    return {
        "document": _contents(document, wanted, pictures),
        "status": "partial_success" if job.status == "partial" else "success",
        "errors": [*_errors(document)],
        "processing_time": max((job.finished_at or began) - began, 0.0),
        "timings": {},
    }


def chunks(
    job: Job,
    document: Document,
    wanted: AnswerFormat,
    chunks: ChunkOptions,
    pictures: Pictures,
) -> Wire:
    """A job's result, as a `ChunkDocumentResponse`."""
    shown = wanted if chunks.with_document else replace(wanted, to_formats=())
    result = converted(job, document, shown, pictures)
    content = result.pop("document")
    seconds = result.pop("processing_time")
    return {
        "chunks": [*chunks_of(document, chunks)],
        "documents": [{"kind": "ExportResult", "content": content, **result}],
        "processing_time": seconds,
    }


def _status(job: Job) -> str:
    if job.status in ("succeeded", "partial"):
        return "success"
    if job.ended:
        return "failure"
    return "pending" if job.status == "queued" else "started"


def _failure(job: Job) -> Wire:
    message = f"The job has ended without a result: {job.status}."
    failure = job.error or Failure(code="job_ended", message=message)
    return {
        "category": _CATEGORIES.get(failure.code, "unknown"),
        "message": failure.message,
        "retryable": failure.retryable,
        "phase": "execution",
        "details": {"code": failure.code},
    }


def _contents(document: Document, wanted: AnswerFormat, pictures: Pictures) -> Wire:
    makers: dict[str, tuple[str, Callable[[], object]]] = {
        "md": ("md_content", lambda: pictures.markdown(wanted.page_break)),
        "json": ("json_content", lambda: docling_document(document, pictures.image)),
        "html": ("html_content", pictures.html),
        "text": ("text_content", lambda: plain_text.write(document)),
    }
    made = {name: make() for key, (name, make) in makers.items() if key in wanted.to_formats}
    empty = dict.fromkeys(name for name, _ in makers.values())
    return {"filename": document.source.name, **empty, "doctags_content": None, **made}


def _errors(document: Document) -> Iterator[Wire]:
    """What went wrong, page by page, and every warning: each as an `ErrorItem`."""
    for notice in document.warnings:
        yield _warning(notice, None)
    for page in document.pages:
        if page.error:
            category = _CATEGORIES.get(page.error.code, "unknown")
            message = f"Page {page.number} could not be read: {page.error.message}"
            yield _item(page.error.code, message, page.number, category)
        yield from (_warning(notice, page.number) for notice in _notices(page))


def _notices(page: Page) -> Iterator[Notice]:
    yield from page.warnings
    for block in page.blocks:
        yield from block.warnings


def _warning(notice: Notice, page: int | None) -> Wire:
    return _item(notice.code, notice.message, page, "unknown")


def _item(code: str, message: str, page: int | None, category: str) -> Wire:
    return {
        "component_type": "model",
        "module_name": f"pagetide.{code}",
        "error_message": message,
        "category": category,
        "page_no": page,
    }
