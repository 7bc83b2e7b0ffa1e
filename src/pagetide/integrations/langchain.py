"""A document loader for LangChain, by the extra `langchain`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from pagetide.client import SubmitOptions
from pagetide.client.uploads import Source
from pagetide.integrations.loading import HERE, By, Loading


class PagetideLoader(BaseLoader):  # type: ignore[misc]
    """Loads documents, one `Document` for each page, each chunk, or each document."""

    def __init__(
        self,
        source: Source | list[Source],
        *,
        server: str | None = HERE,
        key: str | None = None,
        by: By = "page",
        max_tokens: int = 512,
        overlap: int = 0,
        **options: Unpack[SubmitOptions],
    ) -> None:
        """Make a loader; nothing is read yet.

        Args:
            source: Paths, bytes, binary files, or addresses which the server fetches; or one.
            server: The server's address; None reads in this process.
            key: An API key, where the server asks for one.
            by: What each `Document` is of: a `page`, a `chunk`, or the whole `document`.
            max_tokens: The most words of a chunk, with its headings.
            overlap: How many words of a chunk's end the next one begins with.
            options: How to read, such as `model`, `languages` and `pages`.

        Raises:
            BadOption: A value is not allowed.
        """
        self._sources = source if isinstance(source, list) else [source]
        self._loading = Loading(
            server=server,
            key=key,
            by=by,
            max_tokens=max_tokens,
            overlap=overlap,
            options=options,
        )

    def lazy_load(self) -> Iterator[Document]:
        """What is loaded, in order; pages come as soon as they are read.

        Raises:
            PagetideError: A document cannot be read.
        """
        for source in self._sources:
            for text, known in self._loading.load(source):
                yield Document(page_content=text, metadata=known)
