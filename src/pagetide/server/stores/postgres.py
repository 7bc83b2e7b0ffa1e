"""PostgreSQL for the SQL store: sessions, transactions, and its errors as ours."""

from __future__ import annotations

import os
import random
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TypeVar

import msgspec
from sqlalchemy import Connection, Engine, Float, cast, create_engine, event, func
from sqlalchemy import select as query
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlalchemy.exc import DBAPIError, InvalidatePoolError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoneFree

from pagetide.errors import DiskFull, PagetideError, StoreFailed
from pagetide.net.postgres import STARTS_OR_STOPS, PostgresPlace, Session, postgres_place
from pagetide.server.stores import Again, migrations, statements
from pagetide.server.stores.sql import SqlStore

SESSIONS = 8
FREE_S = 10.0  # how long to wait for one of them
CONNECT_S = 5
STATEMENT_S = 25  # the server gives up
ANSWER_S = 30.0  # we do, where the server is gone without a word
STALLED_S = 20  # whoever stops in a transaction keeps others waiting no longer
LOCK_S = 5  # a migration waits for a backup so long, and keeps all others waiting
MIGRATION_S = 300.0  # what one process may take while others wait for it
TRIES = 5
PAUSE_S = 0.02

T = TypeVar("T")

_CLOCK = query(cast(func.extract("epoch", func.clock_timestamp()), Float))
_READ_ONLY = query(func.current_setting("transaction_read_only"))
# What is not durable is left to the server's setting, which is to sync as well. Without, a
# server that is killed forgets the last 0.6 s, in which tasks were done and reported.
_BEGIN: Final = {
    False: "BEGIN ISOLATION LEVEL READ COMMITTED",
    True: "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = on",
}
_MIGRATING = 0x70616765_74696465  # the name of the lock
_open: weakref.WeakSet[Database] = weakref.WeakSet()


def open_store(url: str) -> PostgresStore:
    """The store in a PostgreSQL database; close it when done.

    Args:
        url: See `postgres_place`.

    Raises:
        BadOption: The URL is incomplete, or says what is not known.
        StoreFailed: The server cannot be reached or does not let us in, or this program is
            too old for the database.
        DiskFull: There is no room for the tables.
    """
    return PostgresStore(Database(postgres_place(url)))


class PostgresStore(SqlStore):
    """A `ports.Store` that any number of computers share."""

    def clock(self) -> float:
        """See `ports.Store`: the server's."""
        return float(self._column(_CLOCK)[0])

    def _put_rows(self, connection: Connection, rows: list[dict[str, Any]]) -> None:
        together = {"rows": msgspec.json.encode(rows).decode()}
        connection.execute(self._upserts.put_tasks, together)


class Database:
    """A PostgreSQL database, for any number of threads and computers.

    After a restart of the server the calls that were under way have failed; the next ones
    find by themselves that their sessions are gone, and open others.

    Attributes:
        migrated: The schema it had when it was opened, and the one it has since.
    """

    upserts = statements.upserts(insert, many_in_one=True)
    one_writer = False

    def __init__(
        self, place: PostgresPlace, steps: migrations.Steps = migrations.MIGRATIONS
    ) -> None:
        """Open a database, making the tables where there are none.

        Args:
            place: Where it is.
            steps: How an older one is brought up to this program's schema.

        Raises:
            StoreFailed: It cannot be opened, or this program is too old for it.
            DiskFull: There is no room for it.
        """
        self._place = place
        self._engine = _engine(self._session)
        _open.add(self)
        try:
            self.migrated = migrations.bring_up(self, steps)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """See `database.Database`."""
        with _translated(), self._engine.connect() as connection:
            yield connection

    def write(self, work: Callable[[Connection], T], *, durable: bool = False) -> T:
        """See `database.Database`; also anew where others who write were in the way."""
        with _translated():
            for _ in range(TRIES - 1):
                with suppress(Again), _in_the_way():
                    return self._transact(work, _BEGIN[durable])
                time.sleep(random.uniform(0, PAUSE_S))  # noqa: S311  # no secret
            try:
                return self._transact(work, _BEGIN[durable])
            except Again:
                raise StoreFailed(_BUSY) from None

    def check_writable(self) -> None:
        """See `database.Database`."""
        read_only = self.write(lambda connection: connection.execute(_READ_ONLY).scalar_one())
        if read_only != "off":
            raise StoreFailed(
                "The job database accepts no writes: it is a standby, or read-only."
            )

    def scrub(self) -> None:
        """See `database.Database`: its log is the server's; see SECURITY.md."""

    @contextmanager
    def migrating(self) -> Iterator[Connection]:
        """See `migrations.Migrating`."""
        given_up = time.monotonic() + MIGRATION_S
        with _translated(), self._engine.connect() as connection:
            _session_of(connection).answer_s = None
            with _transaction(connection, f"{_BEGIN[True]}; {_UNHURRIED}"):
                while not connection.execute(_OURS_TO_MIGRATE).scalar_one():
                    if time.monotonic() > given_up:
                        raise StoreFailed(
                            "Another program is changing the job database's tables."
                        )
                    time.sleep(PAUSE_S)
                yield connection
            _session_of(connection).answer_s = ANSWER_S

    def close(self) -> None:
        """Close all sessions."""
        self._engine.dispose()

    def forget(self) -> None:
        """Leave the sessions to the process that this one was forked from."""
        self._engine.dispose(close=False)

    def _transact(self, work: Callable[[Connection], T], begin: str) -> T:
        with self._engine.connect() as connection, _transaction(connection, begin):
            return work(connection)

    def _session(self) -> Session:
        return self._place.connect(CONNECT_S, ANSWER_S, _OPTIONS)


_OPTIONS = (
    f"-c statement_timeout={STATEMENT_S}s -c idle_in_transaction_session_timeout={STALLED_S}s"
)
_UNHURRIED = (
    "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;"
    f" SET LOCAL lock_timeout = '{LOCK_S}s'"
)
_OURS_TO_MIGRATE = query(func.pg_try_advisory_xact_lock(_MIGRATING))


def _engine(session: Callable[[], Session]) -> Engine:
    engine = create_engine(
        "postgresql+psycopg://",
        creator=session,
        use_native_hstore=False,  # which asks the server for a type that we do not use
        isolation_level="AUTOCOMMIT",  # transactions are begun by hand, see `_transaction`
        pool_size=SESSIONS,
        max_overflow=0,
        pool_timeout=FREE_S,
        pool_use_lifo=True,
        pool_reset_on_return=None,
    )
    event.listen(engine, "checkout", _check)
    event.listen(engine, "handle_error", _note_lost)
    return engine


def _check(session: Session, *_: object) -> None:
    """Refuse a session that has ended: the server has said something, unasked."""
    if session.speaks(0):
        raise InvalidatePoolError


def _note_lost(context: ExceptionContext) -> None:
    """Reopen all sessions after an error that says that the server goes."""
    if _code(context.original_exception) in _LOST:
        context.is_disconnect = True


def _session_of(connection: Connection) -> Session:
    session = connection.connection.dbapi_connection
    if not isinstance(session, Session):
        raise AssertionError("a connection without a session")
    return session


@contextmanager
def _transaction(connection: Connection, begin: str) -> Iterator[None]:
    connection.exec_driver_sql(begin)
    try:
        yield
        connection.exec_driver_sql("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise


def _roll_back(connection: Connection) -> None:
    """End the transaction; where that cannot be, the session ends."""
    if connection.invalidated:
        return
    try:
        connection.exec_driver_sql("ROLLBACK")
    except (SQLAlchemyError, PagetideError):
        connection.invalidate()


@contextmanager
def _in_the_way() -> Iterator[None]:
    """Turn an error that others who wrote have caused into `Again`."""
    try:
        yield
    except DBAPIError as error:
        if _code(error.orig) not in _AGAIN:
            raise
        raise Again from None


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except NoneFree:
        raise StoreFailed(_BUSY) from None
    except SQLAlchemyError as error:
        raise _ours(_code(getattr(error, "orig", None))) from None


def _ours(code: str) -> PagetideError:
    if code == "53100":
        return DiskFull("There is no space left on the disk of the PostgreSQL server.")
    known = _MESSAGES.get(code) or _MESSAGES.get(code[:3]) or _MESSAGES.get(code[:2])
    return StoreFailed(known or f"The PostgreSQL server failed: SQLSTATE {code}.")


_BUSY = "The PostgreSQL server is busy; try again."
# https://www.postgresql.org/docs/current/errcodes-appendix.html
_MESSAGES = {
    "": "The connection to the PostgreSQL server was lost.",
    "40": _BUSY,
    "42501": "The user in the store's URL is not allowed to do this in the PostgreSQL"
    " database.",
    "55P03": "The job database's tables are in use, perhaps by a backup; try again.",
    "57014": "The PostgreSQL server took too long.",
    "57P": STARTS_OR_STOPS,
}
# 25006: it was the first server and is the second now, which only reads.
_LOST = ("25006", "57P01", "57P02", "57P03", "57P05", "25P03")
_AGAIN = ("40001", "40P01")


def _code(error: BaseException | None) -> str:
    """The SQLSTATE of a driver's error, empty where it has none."""
    return getattr(error, "sqlstate", None) or ""


def _after_fork() -> None:
    for database in list(_open):
        database.forget()


os.register_at_fork(after_in_child=_after_fork)
