"""A reader for LlamaIndex, by the extra `llama-index`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Unpack

from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document

from pagetide.client import SubmitOptions
from pagetide.client.uploads import Source
from pagetide.integrations.loading import HERE, By, Loading


class PagetideReader(BaseReader):  # type: ignore[misc]
    """Loads documents, one `Document` for each page, each chunk, or each document.

    `SimpleDirectoryReader` takes it as the `file_extractor` of `.pdf` and of pictures.
    """

    def __init__(
        self,
        *,
        server: str | None = HERE,
        key: str | None = None,
        by: By = "page",
        max_tokens: int = 512,
        overlap: int = 0,
        **options: Unpack[SubmitOptions],
    ) -> None:
        """Make a reader; nothing is read yet.

        Args:
            server: The server's address; None reads in this process.
            key: An API key, where the server asks for one.
            by: What each `Document` is of: a `page`, a `chunk`, or the whole `document`.
            max_tokens: The most words of a chunk, with its headings.
            overlap: How many words of a chunk's end the next one begins with.
            options: How to read, such as `model`, `languages` and `pages`.

        Raises:
            BadOption: A value is not allowed.
        """
        self._loading = Loading(
            server=server,
            key=key,
            by=by,
            max_tokens=max_tokens,
            overlap=overlap,
            options=options,
        )

    def lazy_load_data(
        self, file: Source, extra_info: Mapping[str, Any] | None = None, **_: Any
    ) -> Iterator[Document]:
        """What is loaded, in order; pages come as soon as they are read.

        Args:
            file: A path, bytes, a binary file, or an address which the server fetches.
            extra_info: Joins what is known of each.

        Raises:
            PagetideError: The document cannot be read.
        """
        for text, known in self._loading.load(file):
            yield Document(text=text, metadata={**known, **(extra_info or {})})
