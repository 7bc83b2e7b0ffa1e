"""Finds jobs by the indexes, and confirms them by consistent reads of the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from pagetide.server.jobs.job import Job, Task
from pagetide.server.stores.dynamodb.items import (
    JobRow,
    job_place,
    job_row,
    task_place,
    task_row,
    version_of,
    vouched,
)
from pagetide.server.stores.dynamodb.requests import Item, Place, Search, Table, place_of

_MANY = 2000  # entries of an index, some 200 KB
_CHUNK = 40  # tasks confirmed with one request, of at most 100 keys with their jobs


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A job and perhaps one of its tasks, read for a change.

    Attributes:
        task: None where there is no such task, or none was asked for.
        task_id: Which was asked for.
        seen: The version of the task's item, void or not; None where there is none.
    """

    row: JobRow
    task: Task | None = None
    task_id: str | None = None
    seen: int | None = None

    @property
    def job(self) -> Job:
        """The job."""
        return self.row.job


def load(table: Table, job_id: str, task_id: str | None) -> Loaded | None:
    """A job and one of its tasks; None where there is no such job."""
    places = [job_place(job_id)]
    if task_id is not None:
        places.append(task_place(job_id, task_id))
    found = table.get_many(places)
    if places[0] not in found:
        return None
    return _loaded(job_row(found[places[0]]), found.get(places[-1]), task_id)


def jobs(table: Table, search: Search, chunk: int = 100) -> Iterator[Job]:
    """The jobs that an index has, as they are now, in its order."""
    page = _MANY if search.only else min(chunk, _MANY)  # what is left out costs a look, too
    places = (place_of(entry) for entry in table.entries(search, page=page))
    while some := list(islice(places, min(chunk, 100))):
        found = table.get_many(some)
        yield from (job_row(found[place]).job for place in some if place in found)


def tasks(table: Table, search: Search, most: int = _CHUNK) -> Iterator[Loaded]:
    """The tasks that an index has and that are no void ones, as they are now, in its order."""
    entries = table.entries(search, page=_CHUNK)
    return chain.from_iterable(chunks(table, entries, (min(most, _CHUNK),)))


def chunks(
    table: Table, entries: Iterable[Item], sizes: tuple[int, ...] = ()
) -> Iterator[list[Loaded]]:
    """Tasks as above, so many at first and then as many as one request can confirm."""
    places, next_size = (place_of(entry) for entry in entries), iter(sizes)
    while some := list(islice(places, next(next_size, _CHUNK))):
        yield list(_confirmed(table, some))


def _confirmed(table: Table, places: list[Place]) -> Iterator[Loaded]:
    owners = [(pk, job_place("")[1]) for pk, _ in places]
    found = table.get_many([*owners, *places])
    for place, owner in zip(places, owners, strict=True):
        if owner in found and place in found:
            task_id = task_row(found[place]).task.id
            loaded = _loaded(job_row(found[owner]), found[place], task_id)
            if loaded.task is not None:
                yield loaded


def _loaded(row: JobRow, item: Item | None, task_id: str | None) -> Loaded:
    if item is None or task_id is None:
        return Loaded(row=row, task_id=task_id)
    read = task_row(item)
    task = read.task if vouched(row, read) else None
    return Loaded(row=row, task=task, task_id=task_id, seen=version_of(item))
