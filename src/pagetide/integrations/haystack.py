"""A converter for Haystack, by the extra `haystack`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Self, Unpack

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.components.converters.utils import normalize_metadata
from haystack.dataclasses import ByteStream
from haystack.utils import Secret

from pagetide.client import SubmitOptions
from pagetide.integrations.loading import HERE, By, Loading


@component
class PagetideConverter:
    """Makes documents of files, one `Document` for each page, each chunk, or each file."""

    def __init__(
        self,
        server: str | None = HERE,
        key: Secret | None = None,
        by: By = "page",
        max_tokens: int = 512,
        overlap: int = 0,
        **options: Unpack[SubmitOptions],
    ) -> None:
        """Make a converter; nothing is read yet.

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
        self.key = key
        self.loading = Loading(
            server=server, by=by, max_tokens=max_tokens, overlap=overlap, options=options
        )

    @component.output_types(documents=list[Document])  # type: ignore[untyped-decorator]
    def run(
        self,
        sources: list[str | Path | ByteStream],
        meta: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> dict[str, list[Document]]:
        """What is made of all sources, in order; `meta` joins what is known of each.

        Raises:
            PagetideError: A source cannot be read; none is left out in silence.
        """
        made, key = [], self.key.resolve_value() if self.key else None
        for source, more in zip(sources, normalize_metadata(meta, len(sources)), strict=True):
            content, options = source, self.loading.options
            if isinstance(source, ByteStream):
                content, more = source.data, {**source.meta, **more}
                options = {"name": str(more.get("file_path", "document")), **options}
            for text, known in replace(self.loading, key=key, options=options).load(content):
                made.append(Document(content=text, meta={**known, **more}))
        return {"documents": made}

    def to_dict(self) -> dict[str, Any]:
        """What a pipeline's file keeps: of the key, only where it is found."""
        how = self.loading
        kept: dict[str, Any] = default_to_dict(
            self,
            server=how.server,
            key=self.key,
            by=how.by,
            max_tokens=how.max_tokens,
            overlap=how.overlap,
            **how.options,
        )
        return kept

    @classmethod
    def from_dict(cls, kept: dict[str, Any]) -> Self:
        """A converter as it was kept."""
        made: Self = default_from_dict(cls, kept)
        return made
