"""How large chunks may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from pagetide.document import ChunkBy
from pagetide.document.written import CountTokens
from pagetide.errors import BadOption
from pagetide.layout.words import parted


@dataclass(frozen=True, kw_only=True)
class Chunking:
    """How a document is cut into chunks; see `Document.chunks`.

    Raises:
        BadOption: A value is not allowed.
    """

    max_tokens: int = 512
    overlap: int = 0
    by: ChunkBy = "heading"
    tokenizer: CountTokens = parted

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise BadOption(f"max_tokens must be 1 or more, not {self.max_tokens}.")
        if not 0 <= self.overlap <= self.max_tokens // 2:
            raise BadOption(
                f"overlap must be from 0 to half of max_tokens, which is {self.max_tokens},"
                f" not {self.overlap}."
            )
        if self.by not in get_args(ChunkBy):
            raise BadOption(f"by must be {', '.join(get_args(ChunkBy))}, not {self.by!r}.")

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        found = self.tokenizer(text)
        return found if isinstance(found, int) else len(found)
