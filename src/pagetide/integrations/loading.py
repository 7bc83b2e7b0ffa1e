"""Documents for other people's pipelines: whole, by page or by chunk, read here or by a server.

Each module beside this one needs the package that it is named after, and nothing else loads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Literal, get_args

import pagetide
from pagetide.client import Client, SubmitOptions
from pagetide.client.uploads import Source, name_of
from pagetide.document import Chunk, Document, Line, Page, page_ranges
from pagetide.errors import BadOption

HERE = "http://127.0.0.1:8000"
By = Literal["page", "document", "chunk"]
Part = tuple[str, dict[str, Any]]

# The options that say something to this process, and what `pagetide.read` calls them.
_OF_READ = ("model", "options", "pages", "dpi", "text_layer", "password")


@dataclass(frozen=True, kw_only=True)
class Loading:
    """How documents are loaded.

    Attributes:
        server: The address of the server that reads; None reads in this process.
        key: An API key, where the server asks for one.
        by: What each text that comes is of: a `page`, the whole `document`, or a `chunk`.
        max_tokens: The most words of a chunk, with its headings.
        overlap: How many words of a chunk's end the next one begins with.
        options: How to read.

    Raises:
        BadOption: A value is not allowed, or nothing to who reads.
    """

    server: str | None = HERE
    key: str | None = field(default=None, repr=False)
    by: By = "page"
    max_tokens: int = 512
    overlap: int = 0
    options: SubmitOptions = field(default_factory=SubmitOptions, repr=False)

    def __post_init__(self) -> None:
        if self.by not in get_args(By):
            raise BadOption(f"by must be {', '.join(get_args(By))}, not {self.by!r}.")
        if self.server is None:
            _read_options(self.options)

    def load(self, source: Source) -> Iterator[Part]:
        """A document's texts in order, each with what is known of it.

        Pages come as soon as they are read. What is not known is absent: not every index
        takes a null.

        Raises:
            PagetideError: The document cannot be read; the message is one sentence.
        """
        called = {"source": self.options.get("name") or _called(source)}
        there = self.server and self._there(self.server, source)
        for text, known in there or self._here(source):
            metadata = {**called, **known}
            yield text, {name: value for name, value in metadata.items() if value is not None}

    def _here(self, source: Source) -> Iterator[Part]:
        how = _read_options(self.options)
        model = how.get("model", "structure-lite")
        if self.by == "page":
            for page in pagetide.read_pages(source, **how):
                yield page.text, _of_page(page, model)
        else:
            yield from self._parts(pagetide.read(source, **how))

    def _there(self, server: str, source: Source) -> Iterator[Part]:
        with Client(server, key=self.key) as client:
            job = client.submit(source, **self.options)
            if self.by != "page":
                for text, known in self._parts(client.document(job)):
                    yield text, {**known, "job": job.id}
                return
            count = job.source.page_count if job.source else None
            for page in client.pages(job):
                known = _of_page(page, job.model)
                yield page.text, {**known, "page_count": count, "job": job.id}

    def _parts(self, document: Document) -> Iterator[Part]:
        common = {"page_count": document.source.page_count, "model": document.model.name}
        if self.by == "document":
            yield document.to_text(), {**_of_document(document), **common}
            return
        for chunk in document.chunks(max_tokens=self.max_tokens, overlap=self.overlap):
            yield chunk.full_text, {**_of_chunk(chunk), **common}


def _read_options(options: SubmitOptions) -> dict[str, Any]:
    """The options as `pagetide.read` takes them.

    Raises:
        BadOption: One says nothing without a server.
    """
    for name in sorted(set(options) - {*_OF_READ, "languages", "name"}):
        raise BadOption(f"`{name}` needs a server.")
    how = {name: value for name, value in options.items() if name in _OF_READ}
    languages = options.get("languages") or "auto"
    language = languages if isinstance(languages, str) else "+".join(languages)
    return {**how, "language": language.replace(",", "+")}


def _called(source: Source) -> str:
    return str(source) if isinstance(source, str | PathLike) else name_of(source)


def _of_page(page: Page, model: str) -> dict[str, Any]:
    """What is known of a page: one that could not be read has an `error` that says why."""
    return {
        "page": page.number,
        "model": page.model.name if page.model else model,
        "confidence": _confidence(page.lines),
        "error": page.error.message if page.error else None,
        "warnings": " ".join(notice.message for notice in page.warnings) or None,
    }


def _of_document(document: Document) -> dict[str, Any]:
    """What is known of a document: of its pages that could not be read, too."""
    failed = [page.number for page in document.failed_pages]
    notices = [*document.warnings, *(each for page in document.pages for each in page.warnings)]
    return {
        "confidence": _confidence(line for page in document.pages for line in page.lines),
        "failed_pages": page_ranges.written(failed) or None,
        "warnings": " ".join(dict.fromkeys(notice.message for notice in notices)) or None,
    }


def _of_chunk(chunk: Chunk) -> dict[str, Any]:
    return {
        "chunk": chunk.index,
        "headings": " > ".join(chunk.headings) or None,
        "page": chunk.pages[0] if chunk.pages else None,
        "pages": page_ranges.written(chunk.pages) or None,
    }


def _confidence(lines: Iterable[Line]) -> float | None:
    """The mean of the lines', 0–1; None where they have none, as those of a text layer."""
    given = [line.confidence for line in lines if line.confidence is not None]
    return round(sum(given) / len(given), 4) if given else None
