"""PostgreSQL under the SQL store: what the server ends for the sake of others is done again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from sqlalchemy import Connection, text

from pagetide.net.postgres import postgres_place
from pagetide.server.stores.postgres import Database
from tests.parts.postgres import Postgres

LONG_S = 60.0
LOCK = text("SELECT pg_advisory_xact_lock(:number)")


@pytest.fixture
def database(postgres: Postgres) -> Iterator[Database]:
    with closing(Database(postgres_place(postgres.database()))) as opened:
        yield opened


def test_of_two_transactions_that_wait_for_each_other_both_are_done(database: Database) -> None:
    both = threading.Barrier(2)

    def write(own: int) -> list[int]:
        tries: list[int] = []

        def work(connection: Connection) -> list[int]:
            connection.execute(LOCK, {"number": own})
            tries.append(own)
            if len(tries) == 1:
                both.wait(LONG_S)
            connection.execute(LOCK, {"number": 3 - own})
            return tries

        return database.write(work)

    with ThreadPoolExecutor(2) as threads:
        done = list(threads.map(write, (1, 2)))
    assert sorted(map(len, done)) == [1, 2]  # the server has ended one of them once
