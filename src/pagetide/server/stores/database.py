"""The protocol of the SQL store's databases."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from sqlalchemy import Connection

from pagetide.server.stores import statements

T = TypeVar("T")


class Database(Protocol):
    """A SQL database: connections, transactions, and statements of its own dialect.

    All raise `StoreFailed` where it does not answer, and `DiskFull` where it has no room.

    Attributes:
        upserts: In its words.
        one_writer: Who writes keeps all others from writing.
        migrated: The schema it had when it was opened, and the one it has since.
    """

    upserts: statements.Upserts
    one_writer: bool
    migrated: tuple[int, int]

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection for one query."""
        ...

    def write(self, work: Callable[[Connection], T], *, durable: bool = False) -> T:
        """Do something in a transaction, kept unless it raises; anew, if it raises `Again`.

        Args:
            work: May be called several times.
            durable: Outlive a power cut; else the last transactions may be lost by one, but
                never a part of one, nor an earlier one.
        """
        ...

    def check_writable(self) -> None:
        """Begin a transaction that writes nothing, within seconds."""
        ...

    def scrub(self) -> None:
        """Leave nothing of what was overwritten in a log of the database's own.

        Where somebody reads meanwhile it is left, and the next call sees to it.
        """
        ...

    def close(self) -> None:
        """Close all connections."""
        ...
