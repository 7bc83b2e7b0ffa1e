"""A converter for Haystack: `pip install "pagetide[haystack]"`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self, Unpack

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.components.converters.utils import normalize_metadata
from haystack.dataclasses import ByteStream
from haystack.utils import Secret

from pagetide.client import SubmitOptions
from pagetide.integrations.server_pages import HERE, read_pages


@component
class PagetideConverter:
    """Makes documents of files, one `Document` for each page, as a server reads them."""

    def __init__(
        self, server: str = HERE, key: Secret | None = None, **options: Unpack[SubmitOptions]
    ) -> None:
        """Make a converter; nothing is sent yet. The options say how to read."""
        self.server, self.key, self.options = server, key, options

    @component.output_types(documents=list[Document])  # type: ignore[untyped-decorator]
    def run(
        self,
        sources: list[str | Path | ByteStream],
        meta: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> dict[str, list[Document]]:
        """The pages of all sources in order; `meta` joins what is known of each.

        Raises:
            PagetideError: A source cannot be read; none is left out in silence.
        """
        made, key = [], self.key.resolve_value() if self.key else None
        for source, more in zip(sources, normalize_metadata(meta, len(sources)), strict=True):
            content, options = source, self.options
            if isinstance(source, ByteStream):
                content, more = source.data, {**source.meta, **more}
                options = {"name": str(more.get("file_path", "document")), **options}
            for text, known in read_pages(content, self.server, key, **options):
                made.append(Document(content=text, meta={**known, **more}))
        return {"documents": made}

    def to_dict(self) -> dict[str, Any]:
        """What a pipeline's file keeps: of the key, only where it is found."""
        kept: dict[str, Any] = default_to_dict(
            self, server=self.server, key=self.key, **self.options
        )
        return kept

    @classmethod
    def from_dict(cls, kept: dict[str, Any]) -> Self:
        """A converter as it was kept."""
        made: Self = default_from_dict(cls, kept)
        return made
