"""A document loader for LangChain: `pip install "pagetide[langchain]"`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from pagetide.client import SubmitOptions
from pagetide.client.uploads import Source
from pagetide.integrations.server_pages import HERE, read_pages


class PagetideLoader(BaseLoader):  # type: ignore[misc]
    """Loads documents, one `Document` for each page, as a server reads them."""

    def __init__(
        self,
        source: Source | list[Source],
        *,
        server: str = HERE,
        key: str | None = None,
        **options: Unpack[SubmitOptions],
    ) -> None:
        """Make a loader; nothing is sent yet.

        Args:
            source: Paths, bytes, binary files, or addresses which the server fetches; or one.
            server: The server's address.
            key: An API key, where the server asks for one.
            options: How to read, such as `model`, `languages` and `pages`.
        """
        self._sources = source if isinstance(source, list) else [source]
        self._server, self._key, self._options = server, key, options

    def lazy_load(self) -> Iterator[Document]:
        """The pages in order, each as soon as it is read.

        Raises:
            PagetideError: A document cannot be read.
        """
        for source in self._sources:
            for text, known in read_pages(source, self._server, self._key, **self._options):
                yield Document(page_content=text, metadata=known)
