"""Provider of what a document cannot compute by itself: texts, pictures, chunks.

Exports depend on documents, so nothing here imports them. `pagetide` registers the provider
when it is imported, which is always before it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from PIL.Image import Image

    from pagetide.document import Document, Page, Table
    from pagetide.document.chunk import Chunk
    from pagetide.document.field import Fields
    from pagetide.document.kinds import ChunkBy, LineBreaks
    from pagetide.document.tabular import Tabular
    from pagetide.document.written import CountTokens, Written

Source = str | PathLike[str] | bytes


class Answers(Protocol):
    """The provider; see the methods of `Document`, `Page` and `Table` that call it."""

    def text_of(
        self, of: Written, name: str, figures: str | None, line_breaks: LineBreaks
    ) -> str:
        """A document or a page in a text format."""
        ...

    def files_of(
        self, of: Written, path: Path, source: Source | None, password: str | None
    ) -> Iterator[tuple[Path, bytes]]:
        """The files to be written and their content, in the format of the path's ending."""
        ...

    def chunks_of(
        self,
        of: Written,
        max_tokens: int,
        overlap: int,
        by: ChunkBy,
        tokenizer: CountTokens | None,
    ) -> tuple[Chunk, ...]:
        """A document or a page in chunks."""
        ...

    def fields_of(self, of: Written) -> Fields:
        """The fields of a document or a page."""
        ...

    def notebook_of(self, of: Written) -> str:
        """The notebook view of a document or a page, as HTML."""
        ...

    def tables_of(self, document: Document) -> Sequence[Table]:
        """The tables, with those over several pages joined."""
        ...

    def image_of(
        self, page: Page, drawn: bool, source: Source | None, password: str | None
    ) -> Image:
        """A page's picture, with what was found `drawn` on it."""
        ...

    def table_text(self, table: Tabular, name: str) -> str:
        """A table as `csv`, `md` or `html`."""
        ...

    def table_rows(self, table: Tabular) -> list[list[str]]:
        """A table as rows of texts."""
        ...

    def frame_of(self, table: Tabular) -> Any:
        """A table as a pandas data frame."""
        ...


_open: list[Callable[[], Answers]] = []


def answered_by(open_answers: Callable[[], Answers]) -> None:
    """Register the provider; called when it is first needed."""
    _open[:] = [open_answers]


def answers() -> Answers:
    """The provider."""
    return _open[0]()
