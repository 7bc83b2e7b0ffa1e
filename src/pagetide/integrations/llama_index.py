"""A reader for LlamaIndex: `pip install "pagetide[llama-index]"`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Unpack

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from pagetide.client import SubmitOptions
from pagetide.client.uploads import Source
from pagetide.integrations.server_pages import HERE, read_pages


class PagetideReader(BaseReader):  # type: ignore[misc]
    """Loads documents, one `Document` for each page, as a server reads them.

    `SimpleDirectoryReader` takes it as the `file_extractor` of `.pdf` and of pictures.
    """

    def __init__(
        self, *, server: str = HERE, key: str | None = None, **options: Unpack[SubmitOptions]
    ) -> None:
        """Make a reader; nothing is sent yet.

        Args:
            server: The server's address.
            key: An API key, where the server asks for one.
            options: How to read, such as `model`, `languages` and `pages`.
        """
        self._server, self._key, self._options = server, key, options

    def lazy_load_data(
        self, file: Source, extra_info: Mapping[str, Any] | None = None, **_: Any
    ) -> Iterator[Document]:
        """The pages in order, each as soon as it is read.

        Args:
            file: A path, bytes, a binary file, or an address which the server fetches.
            extra_info: Joins what is known of each page.

        Raises:
            PagetideError: The document cannot be read.
        """
        for text, known in read_pages(file, self._server, self._key, **self._options):
            yield Document(text=text, metadata={**known, **(extra_info or {})})
