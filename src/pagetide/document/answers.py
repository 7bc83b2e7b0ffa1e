"""Who answers what a document is asked and does not know by itself: texts, pictures, chunks.

Exports stand above documents, so nothing here imports them. `pagetide` names who answers when
it is imported, and that is always before this.
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
    """What answers; see the methods of `Document`, `Page` and `Table` that ask."""

    def text_of(
        self, of: Written, name: str, figures: str | None, line_breaks: LineBreaks
    ) -> str:
        """A document or a page in a format that is text."""
        ...

    def files_of(
        self, of: Written, path: Path, source: Source | None, password: str | None
    ) -> Iterator[tuple[Path, bytes]]:
        """What is to be written where, in the format that the path's ending stands for."""
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
        """What a document or a page says of itself."""
        ...

    def notebook_of(self, of: Written) -> str:
        """What a notebook shows of a document or a page, as HTML."""
        ...

    def tables_of(self, document: Document) -> Sequence[Table]:
        """The tables, those that go on over pages as one."""
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
    """Say who answers; called when the first question comes."""
    _open[:] = [open_answers]


def answers() -> Answers:
    """Who answers."""
    return _open[0]()
