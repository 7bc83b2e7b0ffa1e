"""The `finish` task: turns pages into `document.json`, `raw.json` and the requested formats."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from pagetide import exports
from pagetide.document import TEXT_LAYER, UNREAD_SCRIPT, Document, Failure, ModelInfo, Page
from pagetide.engine import PageReading
from pagetide.errors import BlobMissing, LeaseLost
from pagetide.exports.doubts import doubts
from pagetide.inputs import Sandbox, open_input
from pagetide.languages import find
from pagetide.reading.pages_in_work import failed_page
from pagetide.server.jobs.job import Job, Result, Task, page_key
from pagetide.server.jobs.page_index import PageWriter
from pagetide.server.jobs.review import REASONS, Reason, sampled
from pagetide.server.ports import Blobs
from pagetide.server.service import passwords
from pagetide.structure import Changes, Survey, changed
from pagetide.system.cipher import Cipher

JSON = "application/json"
INDEX = "results/pages.idx"
# In a page's JSON: within a text its quotes would be escaped.
_IN_PART = f'"code":"{UNREAD_SCRIPT}"'.encode()

_Place = tuple[int, str, Failure | None]  # number, token it was read under, why given up


class Assembled(NamedTuple):
    """A document's results, and the numbers of its pages that were read in part."""

    results: dict[str, Result]
    in_part: Sequence[int]


class Finisher:
    """Makes a job's results.

    `document.json` and `raw.json` are written page by page, in constant memory; every other
    format needs the whole document in memory.
    """

    def __init__(
        self, blobs: Blobs, sandbox: Sandbox, cipher: Cipher, alive: Callable[[], None]
    ) -> None:
        self._blobs, self._sandbox, self._alive = blobs, sandbox, alive
        self._cipher = cipher

    def assemble(self, job: Job, tasks: Sequence[Task]) -> Assembled:
        """Write `document.json` and `raw.json` of a job's pages.

        Args:
            job: All its pages are read or given up.
            tasks: Its `read` tasks.

        Raises:
            LeaseLost: There are not all of the tasks: somebody else was faster, and dropped
                them. Nothing is written over the results that are there.
            BlobMissing: A page's blob is gone or cut short; see `gone`.
        """
        if not has_all_pages(job, tasks):
            raise LeaseLost
        places = sorted(_places(tasks))
        language = find(job.options.language)
        writer = PageWriter(
            Document(
                source=job.source,
                model=_model(job, tasks),
                pages=(),
                warnings=(language.notice,) if language.notice else (),
            )
        )
        in_part: list[int] = []
        changes = self._changes(job, places)

        def pages() -> Iterator[tuple[int, bytes]]:
            for number, page, _ in self._pages(job, places):
                if _IN_PART in page:
                    in_part.append(number)
                if number in changes:
                    page = msgspec.json.encode(changed(Page.from_json(page), changes[number]))
                yield number, page

        document = self._put(job, "document.json", JSON, writer.write(pages()))
        self._blobs.put(f"{job.prefix}{INDEX}", writer.index.encode(), durable=True)
        raws = (raw for _, _, raw in self._pages(job, places))
        raw = self._put(job, "raw.json", JSON, _array(raws))
        return Assembled({"json": document, "raw": raw}, in_part)

    def _changes(self, job: Job, places: Sequence[_Place]) -> Changes:
        """Changes to each page that need all pages."""
        survey = Survey()
        for _, page, _ in self._pages(job, places):
            survey.add(Page.from_json(page))
        return survey.changes()

    def gone(self, job: Job, tasks: Sequence[Task]) -> tuple[int, ...]:
        """The pages that were read, but whose blobs are gone or cut short.

        A page is not forced to the disk when it is read: that would take longer than most
        pages of a text layer. So a power cut may take it, and it is read again.
        """
        return tuple(
            number
            for number, token, failure in sorted(_places(tasks))
            if not failure and self._page(job, number, token) is None
        )

    def export(self, job: Job, format_name: str) -> Result:
        """Put an assembled document into a format.

        Raises:
            PasswordNeeded: The format needs the document itself, whose password is forgotten.
            PagetideError: The document cannot be opened any more.
        """
        document = Document.from_json(self._blobs.get(f"{job.prefix}results/document.json"))
        form = exports.FORMATS[format_name]
        name = f"document{form.packed_suffix}"
        # A ZIP of figures holds them in this folder, so that they lie beside the text.
        figures = exports.FIGURES_FOLDER if "figures" in job.options.formats else None
        style = exports.Style(figures=figures, line_breaks=job.options.line_breaks)
        write = partial(exports.packed, document, format_name, style=style)
        if not form.needs_origin:
            return self._put(job, name, form.packed_media_type, write())
        password = passwords.of(self._cipher, job)
        with (
            self._blobs.local(job.input) as path,
            open_input(path, sandbox=self._sandbox, password=password) as opened,
        ):
            origin = exports.Origin(
                source=path, pages=opened, child=self._sandbox, password=password
            )
            return self._put(job, name, form.packed_media_type, write(origin))

    def reasons(self, job: Job) -> tuple[Reason, ...]:
        """Why a person should review an assembled document."""
        if job.review is None:
            return ()
        rules, found = job.review.rules, set[str]()
        if rules.below or rules.sums:
            document = Document.from_json(self._blobs.get(f"{job.prefix}results/document.json"))
            found = {each.reason for each in doubts(document, rules.below, sums=rules.sums)}
        if sampled(job.id, rules.sample):
            found.add("sampled")
        return tuple(reason for reason in REASONS if reason in found)

    def failure(self, job: Job, tasks: Sequence[Task]) -> Failure | None:
        """Why the first page was not read, where none was."""
        if job.pages_failed < job.page_count:
            return None
        _, page, _ = next(self._pages(job, sorted(_places(tasks))[:1]))
        return Page.from_json(page).error

    def tidy(self, job: Job) -> None:
        """Remove the blobs of single pages: they are in the document now."""
        self._blobs.delete_under(f"{job.prefix}pages/")

    def _pages(self, job: Job, places: Sequence[_Place]) -> Iterator[tuple[int, bytes, bytes]]:
        for number, token, failure in places:
            self._alive()
            if failure:
                page = failed_page(number, job.options.dpi, failure)
                yield number, msgspec.json.encode(page), _raw(number)
            else:
                found = self._page(job, number, token)
                if found is None:
                    raise BlobMissing(f"Page {number} is gone.")
                yield number, *found

    def _page(self, job: Job, number: int, token: str) -> tuple[bytes, bytes] | None:
        try:
            blob = self._blobs.get(page_key(job, number, token))
        except BlobMissing:
            return None
        page, _, raw = blob.partition(b"\n")
        return (page, raw) if page.endswith(b"}") and raw.endswith(b"}") else None

    def _put(self, job: Job, name: str, media_type: str, parts: Iterable[bytes]) -> Result:
        digest, size = hashlib.sha256(), 0

        def counted() -> Iterator[bytes]:
            nonlocal size
            for part in parts:
                self._alive()
                digest.update(part)
                size += len(part)
                yield part

        key = f"{job.prefix}results/{name}"
        self._blobs.put(key, counted(), durable=True)
        return Result(key=key, media_type=media_type, bytes=size, sha256=digest.hexdigest())


def has_all_pages(job: Job, tasks: Sequence[Task]) -> bool:
    """Whether these `read` tasks are all that the job had."""
    return len(_places(tasks)) == job.page_count


def page_blob(page: Page, model: ModelInfo | None, reading: PageReading | None) -> bytes:
    """A page as it is stored: its JSON, and in the next line the raw result."""
    return msgspec.json.encode(page) + b"\n" + _raw(page.number, model, reading)


def _raw(
    number: int, model: ModelInfo | None = None, reading: PageReading | None = None
) -> bytes:
    """The raw result of the engine: its own output untouched, where it has one."""
    found = msgspec.Raw(reading.raw) if reading and reading.raw else reading
    return msgspec.json.encode({"number": number, "model": model, "reading": found})


def _places(tasks: Sequence[Task]) -> list[_Place]:
    """Every page's number, the token it was read under, and why it was given up."""
    places: dict[int, tuple[str, Failure | None]] = {}
    for task in sorted(tasks, key=lambda task: ".again." in task.id):  # what is newer counts
        for number in task.pages:
            places[number] = (task.done.get(number, ""), task.failures.get(number))
    return [(number, *place) for number, place in places.items()]


def _model(job: Job, tasks: Sequence[Task]) -> ModelInfo:
    """The model that read the job's pages: an engine, if one read any of them."""
    models = [task.model for task in tasks if task.model]
    engines = [model for model in models if model.name != TEXT_LAYER]
    if engines or models:
        return (engines or models)[0]
    return ModelInfo(
        name=job.options.model, engine="", version="", runtime="", language=job.options.language
    )


def _array(parts: Iterable[bytes]) -> Iterator[bytes]:
    separator = b'{"pages":['
    for part in parts:
        yield separator + part
        separator = b","
    yield (b"]}\n" if separator == b"," else separator + b"]}\n")
