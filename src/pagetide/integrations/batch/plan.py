"""What a run is to do: documents in units, and what a unit left for later. Pure.

A unit is some documents that follow each other in the list. Who works on one counts their
pages, reads as many as a shard may have, and notes how the others are cut: those are further
items. Every item has one name, whoever works on it and however often: so a shard that is
written again takes the place of the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from pagetide.document import Notice
from pagetide.integrations.batch.cutting import Part


class Entry(Struct, frozen=True, kw_only=True):
    """A document: what rows call it, and its name in which place."""

    document: str
    place: str
    name: str


class RunOptions(Struct, frozen=True, kw_only=True):
    """What was asked for: a run that goes on asks for the same.

    Attributes:
        rows: What a row is.
        documents_per_shard: Documents of a unit.
        pages_per_shard: Most pages that are read for one shard.
    """

    source: str
    format: str = "parquet"
    rows: str = "pages"
    model: str = "structure-lite"
    language: str = "auto"
    dpi: float = 144
    text_layer: str = "auto"
    documents_per_shard: int = 16
    pages_per_shard: int = 64


class Item(Struct, frozen=True, kw_only=True):
    """One shard's work.

    Attributes:
        name: What its shard and its note are called.
        entries: The documents of its unit.
        parts: What of them is to be read; None where that is to be found out first.
        gathers: The items whose pages are to be put together as documents, instead.
    """

    name: str
    entries: tuple[Entry, ...] = ()
    parts: tuple[Part, ...] | None = None
    gathers: tuple[str, ...] = ()


class Bad(Struct, frozen=True, kw_only=True):
    """What could not be read, and why; `page` is None where it is a whole document."""

    document: str
    page: int | None
    reason: Notice


class Done(Struct, frozen=True, kw_only=True):
    """What became of an item: its note in the ledger.

    Attributes:
        documents: Those that begin in it.
        pages: Those that were read.
        failed: How many pages, or documents that cannot be opened, failed, by error code.
        examples: The first of them.
        seconds: What it took one worker.
        left: What it left to further items, of its unit's documents.
    """

    item: str
    documents: int = 0
    pages: int = 0
    failed: dict[str, int] = {}
    examples: tuple[Bad, ...] = ()
    seconds: float = 0.0
    left: tuple[tuple[Part, ...], ...] = ()


def units(entries: Sequence[Entry], most: int, list_number: int = 0) -> Iterator[Item]:
    """The units of a list of documents."""
    for number, first in enumerate(range(0, len(entries), most)):
        some = tuple(entries[first : first + most])
        yield Item(name=f"{list_number:03d}-{number:07d}", entries=some)


def followers(unit: Item, done: Done) -> Iterator[Item]:
    """The items that a unit left."""
    for number, parts in enumerate(done.left, 1):
        yield Item(name=f"{unit.name}-{number:04d}", entries=unit.entries, parts=parts)


def gatherer(unit: Item, done: Mapping[str, Done]) -> Item | None:
    """What puts a unit's pages together, once all of them are there."""
    names = [unit.name, *(item.name for item in followers(unit, done[unit.name]))]
    if any(name not in done for name in names):
        return None
    return Item(name=f"{unit.name}-documents", gathers=tuple(names))


def remaining(
    planned: Sequence[Item], done: Mapping[str, Done], rows: str = "pages"
) -> Iterator[Item]:
    """What can be done now, as far as it is known: once it is, there may be more.

    Args:
        planned: The units.
        done: The ledger, by the items' names.
        rows: Whether pages are rows, or are put together as documents.
    """
    for unit in planned:
        if unit.name not in done:
            yield unit
            continue
        coming = [*followers(unit, done[unit.name])]
        if rows == "documents" and (gathers := gatherer(unit, done)):
            coming.append(gathers)
        yield from (item for item in coming if item.name not in done)


def known(planned: Sequence[Item], done: Mapping[str, Done], rows: str = "pages") -> int:
    """How many items there are, as far as it is known by now."""
    each = 1 + (rows == "documents")
    return sum(each + len(done[u.name].left if u.name in done else ()) for u in planned)
