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
    """Which pages of a job can be had by now, by their numbers.

    Attributes:
        numbers: The pages to read.
        done: Those that can be had; of one that could not be read, its own `error` says why.
        failed: Those given up before the job has ended; after that they can be had too.
        warnings: Of the document as a whole, not of a page; known once the job has ended.
    """

    numbers: tuple[Number, ...]
    done: tuple[Number, ...]
    failed: tuple[PageFailure, ...]
    warnings: tuple[Notice, ...]
