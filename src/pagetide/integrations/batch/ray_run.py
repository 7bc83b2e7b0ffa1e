"""`pagetide batch --ray`: the items of a run done by actors on a cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, redirect_stdout
from functools import partial
from typing import Any

import msgspec
import ray
from ray.data import ActorPoolStrategy

from pagetide.errors import PagetideError, kind_of
from pagetide.integrations.batch.apart import Apart
from pagetide.integrations.batch.items import ItemWorker, Job
from pagetide.integrations.batch.plan import Done, Item
from pagetide.system.ready_types import ready


class ItemActor:
    """Does one item for each row; the reader is in a process of its own beside the actor."""

    def __init__(self, job: Job) -> None:
        self._apart = Apart(partial(ItemWorker.opened, job))

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[bytes]]:
        """The notes of the items."""
        return {"note": [self._note(item) for item in batch["item"]]}

    def _note(self, item: bytes) -> bytes:
        try:
            done = self._apart.work(msgspec.json.decode(item, type=ready(Item)))
        except PagetideError as error:  # Ray would try again, and report it in its own words
            return msgspec.json.encode({"code": error.code, "message": error.message})
        return msgspec.json.encode(done)


class Actors:
    """Does items on a Ray cluster, whose nodes must all reach source and target."""

    def __init__(self, job: Job, workers: int, address: str, gpus: float) -> None:
        """Connect to a cluster.

        Args:
            job: What every worker must know.
            workers: Most actors; Ray starts as many as the cluster holds.
            address: Such as `auto` or `ray://head:10001`.
            gpus: GPUs of an actor, such as 0.25.
        """
        # Ray reports dead nodes on the standard output, which is the caller's.
        self._ends = ExitStack()
        self._ends.enter_context(redirect_stdout(sys.stderr))
        self._ends.callback(ray.shutdown)
        ray.init(address=address, log_to_driver=False, configure_logging=False)
        ray.data.DataContext.get_current().enable_progress_bars = False
        self._job, self._workers, self._gpus = job, workers, gpus

    def do(self, items: Sequence[Item]) -> Iterator[Done]:
        """See `run.Executor`.

        Raises:
            PagetideError: An item's worker met what ends the run.
        """
        rows = [{"item": msgspec.json.encode(item)} for item in items]
        notes = ray.data.from_items(rows, override_num_blocks=len(rows)).map_batches(
            ItemActor,
            fn_constructor_args=(self._job,),
            compute=ActorPoolStrategy(min_size=1, max_size=min(self._workers, len(rows))),
            batch_size=1,
            num_cpus=self._job.threads,
            num_gpus=self._gpus or None,
        )
        for row in notes.iter_rows():
            yield _done(row["note"])

    def close(self) -> None:
        """Leave the cluster; its actors end."""
        self._ends.close()


def _done(note: bytes) -> Done:
    fields = msgspec.json.decode(note)
    if "item" not in fields:
        raise kind_of(fields["code"])(fields["message"])
    return msgspec.convert(fields, ready(Done))
