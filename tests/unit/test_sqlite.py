"""What is particular to the store in a SQLite file."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, Select, event

from pagetide.errors import BadOption, DiskFull, StoreFailed
from pagetide.server.jobs import endings
from pagetide.server.jobs.keys import ApiKey
from pagetide.server.jobs.moved import Moved
from pagetide.server.ports import JobQuery
from pagetide.server.stores import memory, sqlite, statements
from pagetide.server.stores.sql import SqlStore, open_store
from pagetide.server.stores.turns import FileTurn
from tests.contract.stores import NOW, claim, make

KEY = ApiKey(id="k1", name="one", sha256="0" * 64, created_at=NOW)
NORMAL, FULL = 1, 2  # what `PRAGMA synchronous` says


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "jobs.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    opened = open_store(f"sqlite:///{path}")
    yield opened
    opened.close()


def test_only_its_owner_can_look_into_the_file(store: SqlStore, path: Path) -> None:
    store.submit(*make())
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == {
        "jobs.db": 0o600,
        "jobs.db-wal": 0o600,
        "jobs.db-shm": 0o600,
        "jobs.db-turn": 0o600,
    }
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_what_must_outlive_a_power_cut_is_synced(path: Path) -> None:
    database = Noting(path)
    store = SqlStore(database)
    database.levels.clear()
    store.submit(*make())
    store.change("job", None, lambda job, _: Moved(job=job), durable=True)
    store.put_key(KEY)
    store.put_value("links", b"one")
    assert database.levels == [FULL] * 4
    store.change("job", None, lambda job, _: Moved(job=job))
    assert claim(store) is not None
    assert database.levels[4:] == [NORMAL] * 2
    store.close()


def test_a_password_leaves_nothing_in_the_file(store: SqlStore, path: Path) -> None:
    names = [f"job-{n}" for n in range(20)]
    for name in names:
        store.submit(*make(name, password="Kennwort!"))  # noqa: S106
    assert b"Kennwort!" in path.with_name("jobs.db-wal").read_bytes()
    for name in names:
        store.change(name, None, lambda job, _: endings.erase(job, NOW))
    store.close()
    assert {file.name for file in path.parent.iterdir()} == {"jobs.db", "jobs.db-turn"}
    assert b"Kennwort!" not in path.read_bytes()


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///"])
def test_a_url_without_a_file_is_refused(url: str) -> None:
    with pytest.raises(BadOption, match="sqlite:///PATH"):
        open_store(url)


def test_a_path_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_store("sqlite:///what? 100%20 #1/jöbs.db")
    store.submit(*make())
    monkeypatch.chdir("/")
    assert store.job("job") is not None
    store.close()
    assert tmp_path.joinpath("what? 100%20 #1/jöbs.db").stat().st_size > 0


def test_memory_takes_nothing_more() -> None:
    with pytest.raises(BadOption):
        memory.open_store("memory:///jobs")


def test_a_database_of_a_newer_program_is_refused(store: SqlStore, path: Path) -> None:
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE versions SET schema = 99, oldest = 99")
    connection.close()
    with pytest.raises(StoreFailed, match="version 99"):
        open_store(f"sqlite:///{path}")


def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"This is a letter to my aunt. " * 100)
    with pytest.raises(StoreFailed, match="damaged"):
        open_store(f"sqlite:///{path}")


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    tmp_path.joinpath("file").write_bytes(b"")
    with pytest.raises(StoreFailed, match="permissions"):
        open_store(f"sqlite:///{tmp_path}/file/jobs.db")


def test_a_full_disk_is_said_and_loses_nothing(path: Path) -> None:
    room = Pages(60)
    event.listen(Engine, "connect", room.limit)
    try:
        store = open_store(f"sqlite:///{path}")
        kept = []
        with pytest.raises(DiskFull):  # it is full after some
            for n in range(1000):
                store.submit(*make(f"job-{n:04}"))
                kept.append(f"job-{n:04}")
        assert len(kept) >= 10
        assert [job.id for job in reversed(store.jobs(JobQuery(limit=1000)))] == kept
        assert claim(store) is not None
        store.close()
        room.pages = 1000
        store.submit(*make("after"))
        store.close()
    finally:
        event.remove(Engine, "connect", room.limit)


def test_a_transaction_that_cannot_be_kept_is_undone(path: Path) -> None:
    event.listen(Engine, "connect", _check_references)
    try:
        database = sqlite.Database(path)
        with database.writing() as connection:
            connection.exec_driver_sql("CREATE TABLE a (id INTEGER PRIMARY KEY)")
            connection.exec_driver_sql(
                "CREATE TABLE b (a REFERENCES a DEFERRABLE INITIALLY DEFERRED)"
            )
        with pytest.raises(StoreFailed), database.writing() as connection:
            connection.exec_driver_sql("INSERT INTO b VALUES (1)")  # refused at the end
        with database.writing() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM b").scalar() == 0
        database.close()
    finally:
        event.remove(Engine, "connect", _check_references)


def test_who_writes_too_long_is_not_waited_for(
    store: SqlStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "PATIENCE_S", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreFailed, match="busy"):
        store.submit(*make())
    assert store.job("job") is None
    other.execute("COMMIT")
    other.close()
    store.submit(*make())


def test_a_process_that_keeps_its_turn_is_not_waited_for(
    store: SqlStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "PATIENCE_S", 0.05)
    with FileTurn(path.with_name("jobs.db-turn")).held(time.monotonic() + 60):
        with pytest.raises(StoreFailed, match="busy"):
            store.submit(*make())
        assert store.job("job") is None  # to read, nobody waits
    monkeypatch.undo()
    store.submit(*make())


def test_a_file_that_is_gone_is_said(store: SqlStore, path: Path) -> None:
    path.with_name("jobs.db-turn").unlink()
    with pytest.raises(StoreFailed, match="permissions"):
        store.submit(*make())


def test_who_writes_is_waited_for(store: SqlStore, path: Path) -> None:
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    waiting = threading.Thread(target=store.submit, args=make())
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    assert store.job("job") is None  # to read, nobody waits
    other.execute("COMMIT")
    other.close()
    waiting.join(60)
    assert store.job("job") is not None


def test_an_error_says_nothing_of_the_library(store: SqlStore, path: Path) -> None:
    store.submit(*make())
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE tasks")
    connection.close()
    with pytest.raises(StoreFailed) as raised:
        store.tasks("job")
    assert raised.value.message == "The job database failed."
    assert raised.value.__suppress_context__


def test_a_forked_process_uses_the_store_as_its_own(store: SqlStore, path: Path) -> None:
    store.submit(*make("before"))
    busy = Busy(store)
    busy.start()
    children = [_fork(partial(_work, store, f"child-{n}")) for n in range(3)]
    for child in children:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    busy.stop()
    assert all(store.job(f"child-{n}-{m}") for n in range(3) for m in range(20))
    assert store.count_active(None, 10**9) == 1 + 60 + busy.count
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


class Noting(sqlite.Database):
    """Notes how safe each transaction is."""

    def __init__(self, path: Path) -> None:
        self.levels: list[int] = []
        super().__init__(path)

    @contextmanager
    def writing(self, *, durable: bool = False) -> Iterator[Connection]:
        with super().writing(durable=durable) as connection:
            self.levels.append(connection.exec_driver_sql("PRAGMA synchronous").scalar_one())
            yield connection


class Busy:
    """A thread that writes without end, so that forks find the store in the midst of it."""

    def __init__(self, store: SqlStore) -> None:
        self.store = store
        self.count = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(60)

    def _run(self) -> None:
        while not self._stopped.is_set():
            self.store.submit(*make(f"busy-{self.count}"))
            self.count += 1


class Pages:
    """How large a database may grow, in place of a disk that is full."""

    def __init__(self, pages: int) -> None:
        self.pages = pages

    def limit(self, connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA max_page_count={self.pages}")


def _check_references(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA foreign_keys=ON")


def _fork(work: Callable[[], None]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        work()
    except BaseException:
        os._exit(1)
    os._exit(0)


def _work(store: SqlStore, name: str) -> None:
    for n in range(20):
        store.submit(*make(f"{name}-{n}"))
    assert store.job("before") is not None
    store.close()


@pytest.mark.parametrize("statement", [statements.FIRST, statements.HEAD, statements.DUE])
def test_what_is_first_in_line_is_found_by_its_index(
    tmp_path: Path, statement: Select[Any]
) -> None:
    """Else all that waits would be sorted at every claim: 32 ms for 50,000 tasks."""
    store = open_store(f"sqlite:///{tmp_path}/jobs.db")
    given = {
        name: value for name, value in VALUES.items() if name in statement.compile().params
    }
    with store._database.reading() as connection:
        literal = statement.params(**given).compile(
            connection, compile_kwargs={"literal_binds": True}
        )
        plan = str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {literal}").all())
    store.close()
    assert "tasks_in_turn" in plan
    assert "TEMP B-TREE" not in plan


VALUES: dict[str, object] = {"pool": "cpu", "now": 1.0, "limit": 9}
