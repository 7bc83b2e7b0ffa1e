"""What a job's record had is nowhere in SQLite's files once it is erased or not needed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pagetide.server.jobs import endings
from pagetide.server.jobs.job import Job, Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.ports import Store
from pagetide.server.stores import sql
from tests.contract.stores import NOW, make

SECRETS = (b"geheimes-wort", b"patient-4711")


def _submit(store: Store) -> None:
    job, tasks = make(
        "job", password=SECRETS[0].decode(), metadata={"who": SECRETS[1].decode()}
    )
    store.submit(job, tasks)


def _left(folder: Path, *secrets: bytes) -> list[tuple[str, bytes]]:
    """Which secrets stand in which of the database's files."""
    texts = {path.name: path.read_bytes() for path in folder.iterdir()}
    return [(name, each) for name, text in texts.items() for each in secrets if each in text]


def _erase(job: Job, _: Task | None) -> Moved:
    return endings.erase(job, NOW)


def _cancel(job: Job, _: Task | None) -> Moved:
    return endings.cancel(job, NOW)


@pytest.mark.parametrize(
    ("move", "gone"), [(_erase, SECRETS), (_cancel, SECRETS[:1])], ids=["erased", "ended"]
)
def test_nothing_is_left(
    tmp_path: Path,
    move: Callable[[Job, Task | None], Moved],
    gone: tuple[bytes, ...],
) -> None:
    with closing(sql.open_store(f"sqlite:///{tmp_path}/jobs.db")) as store:
        _submit(store)
        assert _left(tmp_path, *gone)
        store.change("job", None, move, durable=True)
        assert _left(tmp_path, *gone) == []


def test_what_a_reader_kept_is_gone_with_the_next_sweep(tmp_path: Path) -> None:
    with closing(sql.open_store(f"sqlite:///{tmp_path}/jobs.db")) as store:
        _submit(store)
        with store._database.reading() as reading:
            reading.exec_driver_sql("BEGIN")
            reading.exec_driver_sql("SELECT count(*) FROM jobs").scalar()
            store.change("job", None, _erase, durable=True)
            assert _left(tmp_path, SECRETS[1])
            reading.exec_driver_sql("ROLLBACK")
        store.forget(NOW)
        assert _left(tmp_path, *SECRETS) == []
