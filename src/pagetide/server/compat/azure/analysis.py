"""A job's whole answer, written page by page, so that a long document is never in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import BinaryIO, cast

import msgspec

from pagetide.document import Document, Notice, Page
from pagetide.document.extraction import Extraction
from pagetide.errors import DiskFull
from pagetide.server.compat import outcome
from pagetide.server.compat.azure.bills import BILLS, Billing
from pagetide.server.compat.azure.content.sections import Sections
from pagetide.server.compat.azure.languages import languages_of
from pagetide.server.compat.azure.page_answer import Answering, Before, PageAnswer, barcode_kind
from pagetide.server.compat.azure.pairs import pairs_on
from pagetide.server.compat.azure.query_fields import Querying
from pagetide.server.compat.azure.refusals import failure_of
from pagetide.server.compat.azure.request import AnalyzeRequest
from pagetide.server.compat.azure.wire import API_VERSION, Operation, Warned
from pagetide.server.jobs.job import Job
from pagetide.server.service.service import Service

_PIECE = 256 << 10
_IN_MEMORY = 1 << 20  # a part that is larger goes to disk
_BETWEEN = {"text": "\n", "markdown": "\n\n<!-- PageBreak -->\n\n"}
_STATUSES = {
    "queued": "notStarted",
    "running": "running",
    "succeeded": "succeeded",
    "partial": "succeeded",
}


class Built:
    """An answer that is written, in pieces; gone when it is closed.

    Attributes:
        size: Bytes of all of it.
    """

    def __init__(self, size: int, pieces: Iterator[bytes], held: ExitStack) -> None:
        self.size, self._pieces, self._held = size, pieces, held

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        return next(self._pieces)

    def close(self) -> None:
        """Let go of what is written."""
        self._held.close()


def operation(job: Job) -> Operation:
    """How a job stands."""
    last = job.finished_at or job.started_at or job.created_at
    return Operation(
        status=_STATUSES.get(job.status, "failed"),
        created_date_time=moment(job.created_at),
        last_updated_date_time=moment(last),
        error=failure_of(job),
    )


def moment(seconds: float) -> str:
    """A time as the protocol writes it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def build(
    service: Service, job: Job, request: AnalyzeRequest, found: Extraction | None = None
) -> Built:
    """How a job stands, with its result; blocks until all of it is written.

    Raises:
        PagetideError: The result is gone.
        DiskFull: There is no room to write it.
    """
    with ExitStack() as held:
        answer = _Answer(job, request, held, found)
        answer.begin(outcome.head(service, job))
        try:
            for page in outcome.pages(service, job):
                answer.add(page)
        except OSError:
            raise DiskFull from None
        return answer.built(held.pop_all())


class _List:
    """A part of the answer as it grows: text, or the items of a list."""

    def __init__(self, held: ExitStack) -> None:
        made = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - `held` closes it
        self._file = cast(BinaryIO, held.enter_context(made))

    def write(self, part: bytes) -> None:
        self._file.write(part)

    def extend(self, items: Iterable[object]) -> None:
        for item in items:
            self._file.write(b"," if self._file.tell() else b"")
            self._file.write(msgspec.json.encode(item))

    def read(self) -> Iterator[bytes]:
        self._file.seek(0)
        while piece := self._file.read(_PIECE):
            yield piece

    def __len__(self) -> int:
        return self._file.tell()


class _Answer:
    """The answer about one document."""

    def __init__(
        self,
        job: Job,
        request: AnalyzeRequest,
        held: ExitStack,
        found: Extraction | None,
    ) -> None:
        self._querying = Querying(found) if found else None
        self._job, self._request = job, request
        self._between = _BETWEEN[request.content_format]
        self._before, self._sections = Before(), Sections()
        self._head: Document | None = None
        self._billing = Billing(request.model_id) if request.model_id in BILLS else None
        self._started = False
        names = (
            "content",
            "pages",
            "paragraphs",
            "tables",
            "figures",
            "keyValuePairs",
            "languages",
        )
        self._lists = {name: _List(held) for name in (*names, "warnings")}

    def begin(self, head: Document) -> None:
        """What is to be said of the whole document, without its pages."""
        self._head = head
        self._lists["warnings"].extend(_warned(head.warnings, None))

    def add(self, page: Page) -> None:
        """The next page."""
        if self._started:
            self._write(self._between)
        self._started = True
        answering = Answering(
            page,
            replace(self._before),
            markdown=self._request.content_format == "markdown",
            index_type=self._request.index_type,
            inches=self._job.source.media_type == "application/pdf",
        )
        if self._billing:
            self._billing.add(page, answering)
        if self._querying:
            self._querying.add(page, answering)
        answer = answering.answer(layout=self._request.layout)
        if self._request.layout:
            self._outline(answering, answer)
        if self._request.pairs:
            self._lists["keyValuePairs"].extend(pairs_on(page, answering))
        if self._request.languages:
            self._add_languages(page, answering)
        self._lists["pages"].extend([answer.page])
        self._lists["paragraphs"].extend(answer.paragraphs)
        self._lists["tables"].extend(answer.tables)
        self._lists["figures"].extend(answer.figures)
        self._lists["warnings"].extend(_of_page(page))
        self._write(answer.draft.text, answer.length)
        self._count(answer)

    def built(self, held: ExitStack) -> Built:
        """The answer, all pages being there."""
        parts = list(self._in_parts())
        return Built(sum(map(len, parts)), _read(parts), held)

    def _write(self, text: str, length: int | None = None) -> None:
        self._lists["content"].write(msgspec.json.encode(text)[1:-1])
        self._before.offset += len(text) if length is None else length

    def _count(self, answer: PageAnswer) -> None:
        self._before.paragraphs += len(answer.paragraphs)
        self._before.tables += len(answer.tables)
        self._before.figures += len(answer.figures)

    def _add_languages(self, page: Page, answering: Answering) -> None:
        locale = next(iter(self._job.options.languages), None)
        for language in languages_of(page, answering.spans_of_lines(), locale):
            part = "warnings" if isinstance(language, Warned) else "languages"
            self._lists[part].extend([language])

    def _outline(self, answering: Answering, answer: PageAnswer) -> None:
        for step in answer.draft.outline:
            self._sections.add(
                answering.path(step.element), answering.span(step.span), step.level
            )

    def _in_parts(self) -> Iterator[bytes | _List]:
        request = self._request
        lists = self._lists
        beginning = {
            "apiVersion": API_VERSION,
            "modelId": request.model_id,
            "stringIndexType": request.index_type,
            "contentFormat": request.content_format,
        }
        if self._billing:
            lists["warnings"].extend(self._billing.warnings)
        if self._querying:
            lists["warnings"].extend(self._querying.warnings())
        yield msgspec.json.encode(operation(self._job))[:-1]
        yield b',"analyzeResult":' + msgspec.json.encode(beginning)[:-1]
        yield b',"content":"'
        yield lists["content"]
        yield b'"'
        shown = ("pages", "paragraphs", *(("tables", "figures") if request.layout else ()))
        shown += ("keyValuePairs",) if request.pairs else ()
        for name in (*shown, "languages", "warnings"):
            yield f',"{name}":['.encode()
            yield lists[name]
            yield b"]"
        if request.layout:
            yield b',"sections":' + msgspec.json.encode(list(self._sections.found()))
        documents = []
        if self._billing and self._head:
            documents = self._billing.documents(self._head)
        if self._querying:
            documents = self._querying.documents(documents, request.model_id)
        yield b',"styles":[],"documents":' + msgspec.json.encode(documents)
        yield b"}}"


def _read(parts: Sequence[bytes | _List]) -> Iterator[bytes]:
    for part in parts:
        yield from part.read() if isinstance(part, _List) else (part,)


def _of_page(page: Page) -> Iterator[Warned]:
    target = str(page.number)
    if page.error:
        yield Warned(
            code=page.error.code,
            message=f"Page {page.number} could not be read: {page.error.message}",
            target=target,
        )
    if count := page.lines_left_out:
        yield Warned(
            code="lines_left_out",
            message=f"Lines left out: {count}.",
            target=target,
        )
    if any(line.confidence is None and line.source == "vl" for line in page.lines):
        message = "The model gives no confidence: 1 stands in its place."
        yield Warned(code="no_confidence", message=message, target=target)
    yield from _warned(page.warnings, target)
    for code in page.barcodes:
        if barcode_kind(code.kind) is None:
            message = f"The page has a bar code that the protocol does not know: {code.kind}."
            yield Warned(code="barcode_kind_unknown", message=message, target=target)
    for block in page.blocks:
        yield from _warned(block.warnings, target)


def _warned(notices: Iterable[Notice], target: str | None) -> Iterator[Warned]:
    for notice in notices:
        yield Warned(code=notice.code, message=notice.message, target=target)
