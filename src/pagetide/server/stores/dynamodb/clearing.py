"""Removes void tasks: of large jobs that were dropped, or never created in full.

A chore is written before or with what makes tasks void, and deleted after the last of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from pagetide.errors import StoreFailed
from pagetide.server.stores.dynamodb.failures import Conflict
from pagetide.server.stores.dynamodb.items import (
    CHORE,
    JOB,
    TASKS,
    TaskRow,
    at_version,
    job_place,
    job_row,
    task_place,
    task_row,
    through,
    vouched,
)
from pagetide.server.stores.dynamodb.requests import (
    ABSENT,
    MOST_WRITES,
    Condition,
    Item,
    Search,
    Table,
    Write,
    key_of,
)

CHORE_S = 600.0  # who has not done it by then has died


def clear(table: Table, now: float) -> None:
    """Do the chores of those who died."""
    old = Search(index="states", partition=CHORE, up_to=through(now - CHORE_S))
    for entry in table.entries(old):
        with suppress(Conflict):  # it was done meanwhile, or the next sweep does it
            _clear(table, entry["pk"]["S"])


def clear_after(table: Table, job_id: str) -> None:
    """Do a job's own chore; where that fails, the sweep does it."""
    with suppress(Conflict, StoreFailed):
        _clear(table, job_place(job_id)[0])


def remove(table: Table, rows: Sequence[TaskRow], chore: Item) -> None:
    """Delete tasks that are void, then the chore that says so.

    Raises:
        Conflict: One of them, or the chore, is another by now.
    """
    for start in range(0, len(rows), MOST_WRITES):
        table.write(*map(_delete, rows[start : start + MOST_WRITES]))
    here = {name: chore[name] for name in ("pk", "sk")}
    same = Condition(says="state_at = :at", values={":at": chore["state_at"]})
    table.write(Write(kind="Delete", item=here, where=same))


def _clear(table: Table, pk: str) -> None:
    items = table.partition(pk)
    chore = next((item for item in items if item["sk"]["S"] == CHORE), None)
    if chore is None:
        return
    if not _has_job(items):
        _shut(table, chore)
        items = table.partition(pk)
    remove(table, _void(items), chore)


def _shut(table: Table, chore: Item) -> None:
    """Prevent a job that is being created from being completed."""
    job = key_of((chore["pk"]["S"], JOB))
    there = Condition(says="attribute_exists(pk)")
    table.write(
        Write(kind="ConditionCheck", item=job, where=ABSENT),
        Write(kind="Put", item=chore | {"shut": {"N": "1"}}, where=there),
    )


def _has_job(items: Sequence[Item]) -> bool:
    return any(item["sk"]["S"] == JOB for item in items)


def _void(items: Sequence[Item]) -> list[TaskRow]:
    rows = [task_row(item) for item in items if item["sk"]["S"].startswith(TASKS)]
    job = next((job_row(item) for item in items if item["sk"]["S"] == JOB), None)
    return [row for row in rows if job is None or not vouched(job, row)]


def _delete(row: TaskRow) -> Write:
    same = at_version(row.version)
    gone_or_same = Condition(
        says=f"attribute_not_exists(pk) OR {same.says}", values=same.values
    )
    place = task_place(row.task.job_id, row.task.id)
    return Write(kind="Delete", item=key_of(place), where=gone_or_same)
