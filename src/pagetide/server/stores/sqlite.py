"""SQLite for the SQL store: opening, transactions, and its errors as ours.

All that only SQLite knows stands here: the protocol `database.Database`.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import DBAPIError

from pagetide.errors import DiskFull, PagetideError, StoreFailed
from pagetide.server.stores import migrations, statements
from pagetide.server.stores.turns import FileTurn, Line

READERS = 8
PATIENCE_S = 5.0  # for all that a writer waits for; longer than any transaction
PROBE_S = 2.0  # who only asks whether writing goes on waits no longer
OPENING_S = 30.0  # while another process may be bringing the tables up to date
READER_TIMEOUT_MS = 5000  # a reader waits only while the log is recovered or wound up
# Who waits for SQLite asks again after ever longer pauses, and is passed by the new: 4.7 s
# were seen. So a writer must first have the lock of a file beside it, which the system hands
# on at once: with four processes writing all the time the median wait fell from 15 to 2.4 ms,
# the longest from 133 to 23, and three times as much was written. With it, only another
# program can be in the way; SQLite waits 8 ms for that, then we ask at random.
WRITER_TIMEOUT_MS = 8
PAUSE_S = 0.003

T = TypeVar("T")

_open: weakref.WeakSet[Database] = weakref.WeakSet()
_locked: list[Database] = []
_forking = threading.Lock()


class Database:
    """A SQLite file in WAL mode, for any number of threads and processes.

    A forked process inherits no connection: SQLite's locks would be taken for held there,
    and the file would be damaged. All are closed before a fork, and opened anew after it.

    Attributes:
        migrated: The schema it had when it was opened, and the one it has since.
    """

    upserts = statements.upserts(insert)
    one_writer = True

    def __init__(self, path: Path, steps: migrations.Steps = migrations.MIGRATIONS) -> None:
        """Open a database, making file and tables where there are none.

        Args:
            path: The file.
            steps: How an older one is brought up to this program's schema.

        Raises:
            StoreFailed: It cannot be opened, or this program is too old for it.
            DiskFull: There is no room for it.
        """
        self._path = path
        self._readers = self._engine("NORMAL", READER_TIMEOUT_MS, READERS)
        self._writers = {
            False: self._engine("NORMAL", WRITER_TIMEOUT_MS, 1),
            True: self._engine("FULL", WRITER_TIMEOUT_MS, 1),
        }
        self.unlock()
        _open.add(self)
        _make_file(path)
        try:
            self._log_ahead()
            self.migrated = migrations.bring_up(self, steps)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for one query."""
        with self._translated(), self._in_use(), self._readers.connect() as connection:
            yield connection

    @contextmanager
    def writing(self, *, durable: bool = False) -> Iterator[Connection]:
        """A connection in a transaction that nobody writes beside; kept unless it raises.

        Args:
            durable: Outlive a power cut; else the last transactions may be lost by one, but
                never a part of one, nor an earlier one.
        """
        with self._transaction(durable, PATIENCE_S) as connection:
            yield connection

    def write(self, work: Callable[[Connection], T], *, durable: bool = False) -> T:
        """See `database.Database`: nobody is quicker, so it is done once."""
        with self.writing(durable=durable) as connection:
            return work(connection)

    def check_writable(self) -> None:
        """See `database.Database`: whether it is our turn before long."""
        with self._transaction(False, PROBE_S):
            pass

    def scrub(self) -> None:
        """See `database.Database`: the write-ahead log goes into the file and is emptied."""
        with (
            suppress(TimeoutError),  # who writes is as much in the way as who reads
            self._translated(),
            self._line.place(time.monotonic() + PATIENCE_S),
            self._in_use(),
            self._writers[True].connect() as connection,
        ):
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def migrating(self) -> AbstractContextManager[Connection]:
        """See `migrations.Migrating`."""
        return self._transaction(True, OPENING_S)

    def close(self) -> None:
        """Close all connections; the last process to do so winds up the log."""
        for engine in (self._readers, *self._writers.values()):
            engine.dispose()

    def lock(self) -> None:
        """Block new users, wait until nobody uses a connection, and close all."""
        self._door.acquire()
        for _ in range(READERS):
            self._places.acquire()
        self.close()

    def resume(self) -> None:
        """Unblock the users that `lock` kept waiting."""
        self._places.release(READERS)
        self._door.release()

    def unlock(self) -> None:
        """Allow users: at first, and in a new process, where nobody waits."""
        self._door = threading.Lock()
        self._places = threading.Semaphore(READERS)
        self._line, self._turn = Line(), FileTurn(_turn_file(self._path))

    @contextmanager
    def _in_use(self) -> Iterator[None]:
        with self._door:  # who waits for a place is not passed by others, nor is `lock`
            self._places.acquire()
        try:
            yield
        finally:
            self._places.release()

    def _engine(self, synchronous: str, timeout_ms: int, size: int) -> Engine:
        engine = create_engine(
            URL.create("sqlite", database=str(self._path)),
            isolation_level="AUTOCOMMIT",  # transactions are begun by hand, see `writing`
            pool_size=size,
            max_overflow=0,
            pool_reset_on_return=None,
            connect_args={"check_same_thread": False},
        )

        def prepare(connection: sqlite3.Connection, _: Any) -> None:
            connection.execute(f"PRAGMA synchronous={synchronous}")
            connection.execute(f"PRAGMA busy_timeout={timeout_ms}")
            connection.execute("PRAGMA cache_size=-16000")
            connection.execute("PRAGMA secure_delete=ON")  # a password leaves nothing behind
            connection.execute("PRAGMA journal_size_limit=67108864")

        event.listen(engine, "connect", prepare)
        return engine

    def _log_ahead(self) -> None:
        with self._translated(), self._in_use(), self._writers[True].connect() as connection:
            _patiently(connection, "PRAGMA journal_mode=WAL", time.monotonic() + OPENING_S)

    @contextmanager
    def _transaction(self, durable: bool, patience_s: float) -> Iterator[Connection]:
        until = time.monotonic() + patience_s
        with (
            self._translated(),
            self._alone(until),
            self._writers[durable].connect() as connection,
        ):
            _patiently(connection, "BEGIN IMMEDIATE", until)
            self._line.go_on()
            try:
                yield connection
                connection.exec_driver_sql("COMMIT")
            except BaseException:
                _roll_back(connection)
                raise

    @contextmanager
    def _alone(self, until: float) -> Iterator[None]:
        """Nobody else of ours writes; a process stands in line once."""
        with ExitStack() as stack:
            try:
                stack.enter_context(self._line.place(until))
                stack.enter_context(self._in_use())
                stack.enter_context(self._turn.held(until))
            except TimeoutError:
                raise StoreFailed(_BUSY) from None
            except OSError:
                raise StoreFailed(_NOT_ALLOWED) from None
            yield

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            raise self._ours(_code(error)) from None

    def _ours(self, code: int) -> PagetideError:
        full = code == sqlite3.SQLITE_FULL
        if full or (code == sqlite3.SQLITE_IOERR and _no_room(self._path.parent)):
            return DiskFull("There is no space left on the disk of the job database.")
        return StoreFailed(_MESSAGES.get(code, "The job database failed."))


_BUSY = "The job database is busy; try again."
_NOT_ALLOWED = "The job database cannot be opened or written; check its permissions."
_DAMAGED = "The job database is damaged, or not a SQLite file."
_MESSAGES = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_PERM: _NOT_ALLOWED,
    sqlite3.SQLITE_READONLY: _NOT_ALLOWED,
    sqlite3.SQLITE_CANTOPEN: _NOT_ALLOWED,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_IOERR: "The disk of the job database has an I/O error.",
}


def _code(error: DBAPIError | sqlite3.Error) -> int:
    origin = error.orig if isinstance(error, DBAPIError) else error
    code: int = getattr(origin, "sqlite_errorcode", 0)
    return code & 0xFF  # the bits above are the variant of an error


def _make_file(path: Path) -> None:
    """Make the database's folder and file, for its owner's eyes alone."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(_turn_file(path), os.O_CREAT | os.O_RDWR, 0o600))
        # SQLite's other files take over the mode. A file that is there is not opened: closing
        # it would end the locks that this process holds on it.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull("There is no space for the job database.") from None
        raise StoreFailed(_NOT_ALLOWED) from None


def _turn_file(path: Path) -> Path:
    return path.with_name(f"{path.name}-turn")


def _no_room(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < 1 << 20
    except OSError:
        return False


def _patiently(connection: Connection, statement: str, until: float) -> None:
    """Ask until nobody else writes, but not for longer than this."""
    while True:
        try:
            connection.exec_driver_sql(statement)
            return
        except DBAPIError as error:
            if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(random.uniform(0, 2 * PAUSE_S))  # noqa: S311  # no secret


def _roll_back(connection: Connection) -> None:
    """End the transaction, unless the error has ended it (a full disk does)."""
    with suppress(DBAPIError):
        connection.exec_driver_sql("ROLLBACK")


def _before_fork() -> None:
    _forking.acquire()
    _locked.extend(_open)
    for database in _locked:
        database.lock()


def _after_fork(go_on: Callable[[Database], None]) -> None:
    for database in _locked:
        go_on(database)
    _locked.clear()
    _forking.release()


os.register_at_fork(
    before=_before_fork,
    after_in_parent=lambda: _after_fork(Database.resume),
    after_in_child=lambda: _after_fork(Database.unlock),
)
