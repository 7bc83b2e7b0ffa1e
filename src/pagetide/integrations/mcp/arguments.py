"""What tools take: a document, how it is read, and which of its pages."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta, Struct

from pagetide.document import page_ranges
from pagetide.integrations.mcp.answers import MOST_PAGES, Answer, PagesRead
from pagetide.integrations.mcp.readings import How, IsWanted, Library, Opened

_SOURCE = "A path, absolute or below an allowed folder, or an http(s) URL."
_PAGES = 'Such as "1-3,7,-1" or "21-"; without it all pages.'


class ToolArguments(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What every tool takes."""

    source: Annotated[str, Meta(description=_SOURCE, min_length=1)]
    model: Annotated[
        str | None, Meta(description="Model that reads pictures; by default the server's.")
    ] = None
    language: Annotated[str, Meta(description="Such as en, de, zh or ja.")] = "auto"
    password: Annotated[str | None, Meta(description="For an encrypted PDF.")] = None

    says: ClassVar[str] = ""

    def answer(self, library: Library, model: str, wanted: IsWanted) -> Answer:
        """Do it.

        Args:
            library: Has the documents.
            model: What reads where none is asked for.
            wanted: Asked between pages whether anybody still waits.

        Raises:
            PagetideError: It cannot be done.
        """
        raise NotImplementedError

    def opened(self, library: Library, model: str) -> Opened:
        """The document."""
        how = How(model=self.model or model, language=self.language, password=self.password)
        return library.open(self.source, how)


class OfPages(ToolArguments, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What tools for several pages take."""

    pages: Annotated[str | None, Meta(description=_PAGES)] = None

    def read(self, library: Library, model: str, wanted: IsWanted) -> PagesRead:
        """The first of the pages that are asked for, as many as one call may read."""
        opened = self.opened(library, model)
        numbers = page_ranges.chosen(self.pages, opened.info.page_count)
        pages = library.pages(opened, numbers[:MOST_PAGES], wanted)
        return PagesRead(opened=opened, pages=pages, left=numbers[MOST_PAGES:])


def schema_of(tool: type[ToolArguments]) -> dict[str, Any]:
    """What a tool takes, as JSON Schema."""
    _, parts = msgspec.json.schema_components([tool], ref_template="#/$defs/{name}")
    found = dict(parts[tool.__name__])
    found.pop("description", None)
    return found
