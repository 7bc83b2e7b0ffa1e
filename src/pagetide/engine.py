"""The port of what runs a model over pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pagetide.document import Block, Failure, Line, ModelInfo, Notice
from pagetide.layout import NOTHING_DRAWN, Area, Drawn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class PageImage:
    """A page as a picture.

    Attributes:
        pixels: Height × width × 3, uint8, blue-green-red, row 0 at the top; turned as
            displayed.
        dpi: Pixels per inch, or the assumed value where a picture names none.
    """

    pixels: NDArray[np.uint8]
    dpi: float


@dataclass(frozen=True, kw_only=True)
class PageReading:
    """What an engine found on one page; see `document.Page` for the fields' meaning.

    A page on which the engine failed has an error and no lines.

    Attributes:
        areas: What a layout model saw; `structure` makes blocks of it and the lines.
        drawn: Rules on the picture.
        blocks: The page's blocks, where the engine itself makes them; `line_indexes` are
            places in `lines`, and `order` is filled. None leaves it to `structure`.
        model: What read the page, where that is not what `describe` says.
        raw: The engine's own output, untouched, as JSON; None where these fields are all.
    """

    lines: tuple[Line, ...]
    orientation: int = 0
    lines_below_confidence: int = 0
    lines_unread: int = 0
    warnings: tuple[Notice, ...] = ()
    timings_ms: dict[str, float] = field(default_factory=dict)
    error: Failure | None = None
    areas: tuple[Area, ...] = ()
    drawn: Drawn = NOTHING_DRAWN
    blocks: tuple[Block, ...] | None = None
    model: ModelInfo | None = None
    raw: bytes | None = None


class Engine(Protocol):
    """Runs a model over pages.

    One engine serves any number of threads at once. It owns its threads: however many
    callers there are, no more than its `threads` work.
    """

    def describe(self, language: str) -> ModelInfo:
        """What reads pages of this language here."""
        ...

    def read(self, images: Iterator[PageImage], language: str) -> Iterator[PageReading]:
        """Read pages, giving one reading for each, in order, as soon as it is done.

        Images are taken from the iterator only as fast as they are read, a bounded number
        ahead. An error raised by the iterator reaches the caller after the readings of the
        pages before it.

        Raises:
            EngineFailed: The engine cannot go on.
            UnknownLanguage: The model does not read this language.
        """
        ...

    def close(self) -> None:
        """Stop the engine's threads and free its memory."""
        ...
