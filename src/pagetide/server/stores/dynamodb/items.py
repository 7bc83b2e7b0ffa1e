"""Jobs, tasks and the rest as items of the table.

    pk            sk
    job#ID        job           a job
                  task#ID       its tasks
                  chore         of its tasks some are to be removed, or the job is being made
    named#OWNER   HASH          whose job has this idempotency key
    turns#OWNER   POOL#PRIORITY where the last task of these ends
    usage#OWNER   active        how many pages of its jobs that have not ended are counted
                  day#NUMBER    how many of those that were accepted on a day
    keys          ID            API keys
    value#NAME    value         small values

An item's `body` is the whole struct as JSON, compressed where that is worth it; its `v` is
the job's version when it was written. The other attributes are those of the indexes.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from pagetide.errors import TooLarge
from pagetide.server.jobs.fair_queueing import Flow, place
from pagetide.server.jobs.job import Job, Task, job_from_json, task_from_json
from pagetide.server.jobs.keys import ApiKey, key_from_json
from pagetide.server.stores.dynamodb.requests import Condition, Item, Place
from pagetide.server.stores.dynamodb.shape import GONE_AT

JOB: Final = "job"
CHORE: Final = "chore"
KEYS: Final = "keys"
LEASED: Final = "leased"
TASKS: Final = "task#"  # what the `sk` of a task begins with

_MOST_BYTES = 380_000  # DynamoDB takes 400 KB; the rest is for the attributes beside the body
_WORTH_COMPRESSING = 500  # each 1 KB written costs a unit; most jobs then stay below one
_FLOW_S = 86400
_TOMBSTONE_S = 400 * 86400  # where no sweep forgets an erased job, DynamoDB does


@dataclass(frozen=True, kw_only=True)
class JobRow:
    """A job, and which of its tasks are void though their items may be there still.

    Attributes:
        void: All tasks last written before this version of the job are.
        void_reads: The same of `read` tasks.
    """

    job: Job
    void: int = 0
    void_reads: int = 0


@dataclass(frozen=True, kw_only=True)
class TaskRow:
    """A task, and the job's version when it was written."""

    task: Task
    version: int


def vouched(row: JobRow, task: TaskRow) -> bool:
    """Whether a job says that this is one of its tasks."""
    since = max(row.void, row.void_reads) if task.task.kind == "read" else row.void
    return task.version >= since


def stamp(seconds: float) -> str:
    """A time so that stamps sort as times do, and `time_of` gives it back to the bit."""
    return f"{max(seconds, 0.0):022.9f}"


def time_of(place: str) -> float:
    """The time that a stamp, and whatever follows it, begins with."""
    return float(place[:22])


def through(seconds: float) -> str:
    """The edge of all that begins with a stamp up to this one."""
    return stamp(seconds) + "$"  # sorts right after the # that follows a stamp


def job_place(job_id: str) -> Place:
    """Where a job is."""
    return f"job#{job_id}", JOB


def task_place(job_id: str, task_id: str) -> Place:
    """Where a task is."""
    return f"job#{job_id}", f"{TASKS}{task_id}"


def chore_place(job_id: str) -> Place:
    """Where it says that something is to be done for a job."""
    return f"job#{job_id}", CHORE


def name_place(owner: str, idempotency_key: str) -> Place:
    """Where the job of an idempotency key is named."""
    return f"named#{owner}", hashlib.sha256(idempotency_key.encode()).hexdigest()


def end_place(flow: Flow) -> Place:
    """Where it says at which turn the last task of a flow ends."""
    return f"turns#{flow.owner}", f"{flow.pool}#{flow.priority}"


def value_place(name: str) -> Place:
    """Where a small value is."""
    return f"value#{name}", "value"


def line(pool: str) -> str:
    """The partition in which a pool's waiting tasks are lined up."""
    return f"waiting#{pool}"


def place_in_line(task: Task) -> str:
    """Where a waiting task is in its line."""
    turn, due, task_id = place(task)
    return f"{stamp(turn)}#{stamp(due)}#{task_id}"


def job_item(row: JobRow) -> Item:
    """A job's item.

    Raises:
        TooLarge: It takes more than DynamoDB keeps.
    """
    job = row.job
    texts = {"listed": JOB, "owner": owned_by(job.owner), "status": job.status}
    if not job.ended:
        texts |= {"state": "active", "state_at": stamp(job.created_at)}
        texts["known"] = active_of(job.owner)
    elif job.cleared:
        texts |= {"state": "erased", "state_at": stamp(job.expires_at)}
    else:
        texts |= {"state": "kept", "state_at": stamp(job.expires_at)}
    if job.status == "succeeded" and not job.erased:
        texts["known"] = same_as(job.owner, job.fingerprint)
    numbers = {"v": job.version, "void": row.void, "void_reads": row.void_reads}
    if job.erased:
        numbers[GONE_AT] = int(job.expires_at) + _TOMBSTONE_S
    return _item(job_place(job.id), texts, numbers) | _body(job)


def task_item(task: Task, version: int) -> Item:
    """A task's item, written with this version of its job.

    Raises:
        TooLarge: It takes more than DynamoDB keeps.
    """
    texts = {}
    if task.state == "waiting":
        texts = {"line": line(task.pool), "place": place_in_line(task)}
        texts |= {"alone": "yes" if task.alone else "no", "due": stamp(task.due)}
        texts["priority"] = task.priority
    elif task.lease:
        texts = {"line": LEASED, "place": f"{stamp(task.lease.until)}#{task.id}"}
        texts |= {"pool": task.pool, "worker": worked_by(task.lease.worker)}
    at = task_place(task.job_id, task.id)
    return _item(at, texts, {"v": version}) | _body(task)


def chore_item(job_id: str, now: float) -> Item:
    """Says since when a job's tasks want clearing."""
    return _item(chore_place(job_id), {"state": CHORE, "state_at": stamp(now)}, {})


def name_item(job: Job, idempotency_key: str) -> Item:
    """Says which job has an idempotency key."""
    return _item(name_place(job.owner, idempotency_key), {"job": job.id}, {})


def key_item(key: ApiKey) -> Item:
    """An API key's item."""
    return _item((KEYS, key.id), {}, {}) | _body(key)


def end_item(flow: Flow, end: float, now: float) -> Item:
    """Where the last task of a flow ends; DynamoDB forgets it after a day."""
    return _item(end_place(flow), {"ends": stamp(end)}, {GONE_AT: int(now + _FLOW_S)})


def value_item(name: str, value: bytes) -> Item:
    """A small value's item."""
    return _item(value_place(name), {}, {}) | {"body": {"B": value}}


def job_row(item: Item) -> JobRow:
    """The job of an item."""
    return JobRow(
        job=job_from_json(_text(item)),
        void=int(item["void"]["N"]),
        void_reads=int(item["void_reads"]["N"]),
    )


def task_row(item: Item) -> TaskRow:
    """The task of an item."""
    return TaskRow(task=task_from_json(_text(item)), version=version_of(item))


def key_in(item: Item) -> ApiKey:
    """The API key of an item."""
    return key_from_json(_text(item))


def value_in(item: Item) -> bytes:
    """The small value of an item."""
    return bytes(item["body"]["B"])


def version_of(item: Item) -> int:
    """The version of the job when an item was written."""
    return int(item["v"]["N"])


def at_version(version: int) -> Condition:
    """The condition that an item is unchanged since then."""
    return Condition(says="v = :v", values={":v": {"N": str(version)}})


def owned_by(owner: str) -> str:
    """The partition of an owner's jobs."""
    return f"owner#{owner}"  # an owner may be empty, a key may not


def worked_by(worker: str) -> str:
    """The partition of a worker's tasks."""
    return f"worker#{worker}"


def active_of(owner: str) -> str:
    """The partition of an owner's jobs that have not ended."""
    return f"active#{owner}"


def same_as(owner: str, fingerprint: str) -> str:
    """The partition of an owner's jobs whose results may be used again."""
    return f"same#{owner}#{fingerprint}"


def _item(place: Place, texts: dict[str, str], numbers: dict[str, int]) -> Item:
    item: Item = {"pk": {"S": place[0]}, "sk": {"S": place[1]}}
    item |= {name: {"S": text} for name, text in texts.items()}
    return item | {name: {"N": str(number)} for name, number in numbers.items()}


def _body(value: Job | Task | ApiKey) -> dict[str, Any]:
    body = msgspec.json.encode(value)
    if len(body) > _WORTH_COMPRESSING:
        body = zlib.compress(body)
    if len(body) > _MOST_BYTES:
        raise TooLarge("This job's record is larger than DynamoDB allows: 400 KB.")
    return {"body": {"B": body}}


def _text(item: Item) -> bytes:
    body = bytes(item["body"]["B"])
    return body if body[:1] == b"{" else zlib.decompress(body)
