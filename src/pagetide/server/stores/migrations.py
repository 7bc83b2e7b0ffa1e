"""Migrations of a SQL store's tables, step by step.

A new database gets the tables of today. An older one is brought up when a program opens it,
by one process while the others wait, all in one transaction.

Steps only add: a column that may be empty, a table, an index. So a program of the schema
before goes on working beside the newer one. What a step makes superfluous is removed by a
later one, which then names as `oldest` the first schema whose programs do without it; older
programs are refused when they start, and must have been stopped before.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from sqlalchemy import Connection, insert, inspect, select, text, update

from pagetide.errors import StoreFailed
from pagetide.server.stores import tables


@dataclass(frozen=True)
class Migration:
    """A step to the next schema.

    Attributes:
        schema: What it leads to, one more than the step before.
        oldest: Programs of this schema and newer ones can work with it.
        run: Changes the tables, in a transaction that is not its own.
    """

    schema: int
    oldest: int
    run: Callable[[Connection], object]


Steps = tuple[Migration, ...]


def _add_turns(connection: Connection) -> None:
    """Tasks that an older program submits have turn 0, and are claimed before all others."""
    connection.execute(text("ALTER TABLE tasks ADD turn FLOAT NOT NULL DEFAULT 0"))
    tables.turns.create(connection)
    for index in tables.tasks.indexes:
        index.create(connection, checkfirst=True)


def _add_usage(connection: Connection) -> None:
    """Jobs that are there, and what an older program submits, count for no allowance."""
    for name in ("active_pages", "day", "day_pages"):
        connection.execute(text(f"ALTER TABLE owners ADD {name} INTEGER NOT NULL DEFAULT 0"))


# From schema 2 on; the last one leads to `tables.SCHEMA`.
MIGRATIONS: Steps = (
    Migration(schema=2, oldest=1, run=_add_turns),
    Migration(schema=3, oldest=1, run=_add_usage),
)


class Migrating(Protocol):
    """A database to bring up."""

    def migrating(self) -> AbstractContextManager[Connection]:
        """A connection in a transaction that one process has at a time, and waits for."""
        ...


def migrate(url: str) -> tuple[int, int]:
    """Bring a SQL store up to this program's schema, as opening it would.

    Args:
        url: See `sql.open_store` and `postgres.open_store`.

    Returns:
        The schema it had, 0 if there were no tables, and the one it has.

    Raises:
        BadOption: The URL names no SQL store.
        StoreFailed: It cannot be opened, or this program is too old for it.
        DiskFull: There is no room for it.
    """
    from pagetide.server.stores import postgres, sql  # which are built on this

    scheme = url.partition(":")[0]
    opened: sql.SqlStore = (postgres if scheme == "postgresql" else sql).open_store(url)
    opened.close()
    return opened.migrated


def bring_up(database: Migrating, steps: Steps = MIGRATIONS) -> tuple[int, int]:
    """Make the tables, or bring them up to the schema of the last step.

    Returns:
        The schema found, 0 if there were no tables, and the one that is there now.

    Raises:
        StoreFailed: The tables are too new for this program.
    """
    known = steps[-1].schema if steps else tables.SCHEMA
    with database.migrating() as connection:
        found = _found(connection)
        _step_up(connection, found, steps)
        schema, oldest = connection.execute(_VERSION).one()
    if oldest > known:
        raise StoreFailed(
            f"The job database has version {schema}; this program supports versions"
            f" up to {known}. Use the newer program, or another database."
        )
    return found, schema


_VERSION = select(tables.versions.c.schema, tables.versions.c.oldest)


def _found(connection: Connection) -> int:
    """The schema that is there, 0 if none is."""
    if not inspect(connection).has_table(tables.versions.name):
        return 0
    return connection.execute(select(tables.versions.c.schema)).scalar() or 0


def _names_oldest(connection: Connection) -> bool:
    columns = inspect(connection).get_columns(tables.versions.name)
    return "oldest" in {column["name"] for column in columns}


def _step_up(connection: Connection, found: int, steps: Steps) -> None:
    if not found:
        tables.metadata.create_all(connection)
        connection.execute(insert(tables.versions).values(schema=tables.SCHEMA, oldest=1))
    elif not _names_oldest(connection):  # the first programs did not note it
        connection.execute(text("ALTER TABLE versions ADD oldest INTEGER NOT NULL DEFAULT 1"))
    for step in steps:
        if step.schema > (found or tables.SCHEMA):
            step.run(connection)
            noted = {"schema": step.schema, "oldest": step.oldest}
            connection.execute(update(tables.versions).values(noted))
