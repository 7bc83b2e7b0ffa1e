"""Documents for other people's pipelines, page by page, read by a server.

Each module here needs the package that it is named after, and nothing else loads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Any, Unpack

from pagetide.client import Client, RemoteJob, SubmitOptions
from pagetide.client.uploads import Source, name_of
from pagetide.document import Page

HERE = "http://127.0.0.1:8000"


def read_pages(
    source: Source, server: str, key: str | None, **options: Unpack[SubmitOptions]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The pages of a document, each as soon as it is read: its text, and what is known of it.

    Raises:
        PagetideError: The document cannot be read; the message is one sentence.
    """
    called = options.get("name") or _called(source)
    with Client(server, key=key) as client:
        job = client.submit(source, **options)
        for page in client.pages(job):
            yield page.text, {"source": called, **_known(page, job)}


def _called(source: Source) -> str:
    return str(source) if isinstance(source, str | PathLike) else name_of(source)


def _known(page: Page, job: RemoteJob) -> dict[str, Any]:
    """What is known of a page, without what is not: not every index takes a null.

    A page that could not be read has no text, and an `error` that says why.
    """
    known = {
        "page": page.number,
        "page_count": job.source.page_count if job.source else None,
        "model": page.model.name if page.model else job.model,
        "job": job.id,
        "confidence": _confidence(page),
        "error": page.error.message if page.error else None,
        "warnings": " ".join(notice.message for notice in page.warnings) or None,
    }
    return {name: value for name, value in known.items() if value is not None}


def _confidence(page: Page) -> float | None:
    """The mean of the lines', 0–1; None where they have none, as those of a text layer."""
    given = [line.confidence for line in page.lines if line.confidence is not None]
    return round(sum(given) / len(given), 4) if given else None
