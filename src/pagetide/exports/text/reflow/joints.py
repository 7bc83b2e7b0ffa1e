"""What belongs between the rows of a paragraph: a space, nothing, or a hyphen."""

from __future__ import annotations

from functools import cached_property

from pagetide.document import Document
from pagetide.exports.text.hyphens import Hyphens, are_tight, is_parted
from pagetide.layout.words import is_mixed, joint, writes_spaces


class Joints:
    """What belongs between two rows of a document; its words are learnt when needed."""

    def __init__(self, document: Document) -> None:
        """Keep the document, with its rows."""
        self._document = document

    @cached_property
    def _learnt(self) -> Hyphens:
        pages = self._document.pages
        return Hyphens(block.text.split("\n") for page in pages for block in page.blocks)

    def joined(self, row: str, following: str) -> str:
        """Both as one; only the row's end is examined."""
        if is_parted(row, following):
            return self._learnt.joined(row, following)
        if are_tight(row, following):
            return row + following
        if is_mixed(row, following) and not self._spaces_mixed:
            return row + following
        return row + joint(row, following) + following

    def joined_in_cell(self, row: str, following: str) -> str:
        """Both as one; tables are set ragged, and split words only if the document does."""
        if is_parted(row, following) and not self._learnt.splits:
            return row + following
        return self.joined(row, following)

    @cached_property
    def _spaces_mixed(self) -> bool:
        """Whether the document writes spaces between Chinese and Latin letters or digits."""
        return writes_spaces(
            block.text for page in self._document.pages for block in page.blocks
        )
