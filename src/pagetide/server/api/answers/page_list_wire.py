"""The list of ready pages as JSON."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from pagetide.document import Failure, Notice

Number = Annotated[int, Meta(description="From 1.")]


class PageFailure(Struct, frozen=True, kw_only=True):
    """A page that was given up, and why."""

    number: Number
    error: Failure


class PageList(Struct, frozen=True, kw_only=True):
    """Which pages of a job are available so far, by their numbers.

    Attributes:
        numbers: The pages to read.
        done: The available pages; a page that could not be read says why in its own `error`.
        failed: Pages given up before the job has ended; after that they are available, too.
        warnings: Warnings of the whole document, not of a page; known once the job has ended.
    """

    numbers: tuple[Number, ...]
    done: tuple[Number, ...]
    failed: tuple[PageFailure, ...]
    warnings: tuple[Notice, ...]
