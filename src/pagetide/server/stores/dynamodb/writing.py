"""Writes changes and new jobs as transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace as put_in

from msgspec.structs import replace

from pagetide.errors import StoreFailed
from pagetide.server.jobs.allowances import UNLIMITED, Allowance
from pagetide.server.jobs.job import Job, Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.stores.dynamodb import clearing, usage
from pagetide.server.stores.dynamodb.failures import Conflict
from pagetide.server.stores.dynamodb.finding import Loaded
from pagetide.server.stores.dynamodb.items import (
    TASKS,
    JobRow,
    TaskRow,
    at_version,
    chore_item,
    chore_place,
    job_item,
    job_place,
    name_item,
    name_place,
    task_item,
    task_place,
    task_row,
)
from pagetide.server.stores.dynamodb.requests import (
    ABSENT,
    MOST_WRITES,
    Condition,
    Table,
    Write,
    key_of,
    place_of,
)

_MOST_BYTES = 3_000_000  # of one transaction; DynamoDB takes 4 MB
_OPEN = Condition(says="attribute_exists(pk) AND attribute_not_exists(shut)")


def apply(table: Table, loaded: Loaded, moved: Moved, clock: Callable[[], float]) -> Moved:
    """Write what a move returned.

    Returns:
        The same, with the job's new version.

    Raises:
        Conflict: The job or the task is not as it was loaded any more.
        StoreFailed: The move writes more tasks than a transaction takes.
    """
    job = replace(moved.job, version=loaded.job.version + 1)
    row = put_in(loaded.row, job=job)
    gone = _dropped(table, job.id, moved)
    writes = _beside(loaded, moved, job)
    if 1 + len(writes) + len(gone) > MOST_WRITES:
        return _apply_in_parts(table, loaded, replace(moved, job=job), gone, clock())
    table.write(_put_job(row, loaded.job.version), *_with_deletes(writes, gone))
    return replace(moved, job=job)


def _apply_in_parts(
    table: Table, loaded: Loaded, moved: Moved, gone: list[TaskRow], now: float
) -> Moved:
    """The job's item decides: what it drops is void from then on, and removed afterwards."""
    job = moved.job
    writes = _beside(loaded, moved, job)
    if moved.drop == "none" or len(writes) > MOST_WRITES - 2:
        raise StoreFailed("A change writes more tasks than DynamoDB accepts at once.")
    if moved.drop == "all":
        row = put_in(loaded.row, job=job, void=job.version)
    else:
        row = put_in(loaded.row, job=job, void_reads=job.version)
    chore = chore_item(job.id, now)
    table.write(_put_job(row, loaded.job.version), Write(kind="Put", item=chore), *writes)
    with suppress(StoreFailed, Conflict):  # what is void is void; the sweep finds the chore
        clearing.remove(table, gone, chore)
    return moved


def submit(
    table: Table,
    job: Job,
    tasks: Sequence[Task],
    clock: Callable[[], float],
    allowance: Allowance = UNLIMITED,
) -> None:
    """Write a new job.

    Raises:
        Conflict: The job or its idempotency key is there already, or its owner has used what
            it may.
        TooLarge: The job or a task takes more than DynamoDB keeps.
    """
    new = [Write(kind="Put", item=job_item(JobRow(job=job)), where=ABSENT)]
    new += usage.taking(job, allowance)
    if job.idempotency_key is not None:
        named = name_item(job, job.idempotency_key)
        new.append(Write(kind="Put", item=named, where=ABSENT))
    puts = [Write(kind="Put", item=task_item(task, job.version)) for task in tasks]
    parts = list(_parts(puts, MOST_WRITES - len(new)))
    if len(parts) <= 1:
        table.write(*new, *puts)
    else:
        _submit_in_parts(table, job, new, parts, clock())


def _submit_in_parts(
    table: Table, job: Job, new: list[Write], parts: list[list[Write]], now: float
) -> None:
    """The tasks first, void until the job is there; a chore knows of them as long."""
    unmade = Write(kind="ConditionCheck", item=key_of(job_place(job.id)), where=ABSENT)
    table.write(unmade, Write(kind="Put", item=chore_item(job.id, now), where=ABSENT))
    chore = key_of(chore_place(job.id))
    going_on = Write(kind="ConditionCheck", item=chore, where=_OPEN)
    try:
        for part in parts:
            table.write(going_on, *part)
        table.write(*new, Write(kind="Delete", item=chore, where=_OPEN))
    except Conflict:
        clearing.clear_after(table, job.id)
        raise


def _parts(writes: list[Write], most: int) -> Iterator[list[Write]]:
    """The writes in as many transactions as they need."""
    part: list[Write] = []
    size = 0
    for write in writes:
        more = 500 + len(write.item["body"]["B"])
        if part and (len(part) == most or size + more > _MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(write)
        size += more
    yield part


def _put_job(row: JobRow, version: int) -> Write:
    return Write(kind="Put", item=job_item(row), where=at_version(version))


def _tasks(loaded: Loaded, moved: Moved, version: int) -> list[Write]:
    """The tasks to write, and that the one that was loaded is as it was.

    The job's version guards the other ones: it grows whenever one of them is written.
    """
    was = _as_it_was(loaded)
    writes = [
        Write(
            kind="Put",
            item=task_item(task, version),
            where=was if task.id == loaded.task_id else None,
        )
        for task in moved.tasks
    ]
    if loaded.task_id is not None and loaded.task_id not in {task.id for task in moved.tasks}:
        place = task_place(loaded.job.id, loaded.task_id)
        writes.append(Write(kind="ConditionCheck", item=key_of(place), where=was))
    return writes


def _with_deletes(writes: list[Write], gone: list[TaskRow]) -> list[Write]:
    """Delete the tasks that go; an item has one write, so a check becomes its delete's."""
    checks = {place_of(write.item): write.where for write in writes if _is_check(write)}
    places = [task_place(row.task.job_id, row.task.id) for row in gone]
    deletes = [Write(kind="Delete", item=key_of(at), where=checks.get(at)) for at in places]
    kept = [w for w in writes if not (_is_check(w) and place_of(w.item) in set(places))]
    return kept + deletes


def _is_check(write: Write) -> bool:
    return write.kind == "ConditionCheck"


def _as_it_was(loaded: Loaded) -> Condition:
    return ABSENT if loaded.seen is None else at_version(loaded.seen)


def _beside(loaded: Loaded, moved: Moved, job: Job) -> list[Write]:
    """All to write beside the job itself, and what goes."""
    tasks = _tasks(loaded, moved, job.version)
    return [*tasks, *_name(loaded.job, job), *usage.giving_back(loaded.job, job)]


def _name(old: Job, new: Job) -> list[Write]:
    """An erased job gives its idempotency key back."""
    if old.idempotency_key is None or new.idempotency_key == old.idempotency_key:
        return []
    return [Write(kind="Delete", item=key_of(name_place(old.owner, old.idempotency_key)))]


def _dropped(table: Table, job_id: str, moved: Moved) -> list[TaskRow]:
    """The tasks that go and are not written anew."""
    if moved.drop == "none":
        return []
    kept = {task.id for task in moved.tasks}
    items = table.partition(job_place(job_id)[0])
    rows = [task_row(item) for item in items if item["sk"]["S"].startswith(TASKS)]
    return [
        row for row in rows if row.task.id not in kept and moved.drop in ("all", row.task.kind)
    ]
