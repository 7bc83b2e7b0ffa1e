"""How a SQL store's tables are brought up, while older programs use them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, inspect, text

from pagetide.errors import BadOption, StoreFailed
from pagetide.net.postgres import postgres_place
from pagetide.server.jobs import endings
from pagetide.server.jobs.allowances import Allowance, Usage, day_of
from pagetide.server.stores import migrations, sqlite, tables
from pagetide.server.stores.migrations import Migration, Steps, migrate
from pagetide.server.stores.postgres import Database as PostgresDatabase
from pagetide.server.stores.postgres import PostgresStore
from pagetide.server.stores.sql import SqlStore
from tests.contract.stores import NOW, STORES, claim, held, make, new_place
from tests.parts import forks
from tests.waiting import until

KINDS = ("sqlite", "postgresql")
SECOND = tables.SCHEMA + 1


def add_shoe_size(connection: Connection) -> None:
    """A step as it may come one day: a column that may be empty, and an index to search it."""
    connection.execute(text("ALTER TABLE jobs ADD shoe_size INTEGER"))
    connection.execute(text("CREATE INDEX jobs_by_shoe ON jobs (shoe_size)"))


NEXT: Steps = (Migration(SECOND, oldest=tables.SCHEMA, run=add_shoe_size),)
REMOVING: Steps = (Migration(SECOND, oldest=SECOND, run=add_shoe_size),)


def opened(kind: str, place: str, steps: Steps) -> SqlStore:
    """A store opened by a program that knows these steps."""
    if kind == "postgresql":
        return PostgresStore(PostgresDatabase(postgres_place(place), steps))
    return SqlStore(sqlite.Database(Path(place, "jobs.db"), steps))


def url_of(kind: str, place: str) -> str:
    return place if kind == "postgresql" else f"sqlite:///{place}/jobs.db"


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def place(kind: str, request: pytest.FixtureRequest) -> str:
    return new_place(kind, request)


def columns_of(kind: str, place: str) -> set[str]:
    """The columns of `jobs`."""
    found: set[str] = set()

    def look(connection: Connection) -> None:
        found.update(str(each["name"]) for each in inspect(connection).get_columns("jobs"))

    in_database(kind, place, look)
    return found


def in_database(kind: str, place: str, work: Callable[[Connection], None]) -> None:
    if kind == "postgresql":
        database: sqlite.Database | PostgresDatabase = PostgresDatabase(postgres_place(place))
    else:
        database = sqlite.Database(Path(place, "jobs.db"))
    try:
        database.write(work)
    finally:
        database.close()


def test_the_steps_lead_to_the_schema_of_today() -> None:
    schemas = [step.schema for step in migrations.MIGRATIONS]
    assert schemas == list(range(2, tables.SCHEMA + 1))
    assert all(1 <= step.oldest <= step.schema for step in migrations.MIGRATIONS)


def test_a_new_database_gets_the_tables_of_today_at_once(kind: str, place: str) -> None:
    assert migrate(url_of(kind, place)) == (0, tables.SCHEMA)
    assert migrate(url_of(kind, place)) == (tables.SCHEMA, tables.SCHEMA)


def test_a_store_without_tables_is_not_migrated() -> None:
    with pytest.raises(BadOption):
        migrate("memory:")


def test_an_older_database_is_brought_up_and_keeps_its_jobs(kind: str, place: str) -> None:
    older = STORES[kind](place)
    older.submit(*make())
    older.close()
    newer = opened(kind, place, NEXT)
    assert newer.migrated == (tables.SCHEMA, SECOND)
    assert "shoe_size" in columns_of(kind, place)
    assert held(newer).read().job.pages_done == 1
    newer.close()


def test_an_older_program_goes_on_beside_the_newer(kind: str, place: str) -> None:
    older = STORES[kind](place)
    working, enough = threading.Event(), threading.Event()
    done: list[str] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            number = 0
            while not enough.is_set() or len(done) < 20:
                older.submit(*make(f"job-{number:04}"))
                mine = held(older)
                mine.read()
                held(older).finish()
                done.append(mine.job.id)
                number += 1
                working.set()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert working.wait(60)
    newer = opened(kind, place, NEXT)
    before = len(done)
    until(lambda: failed or len(done) > before)  # it goes on after the step
    enough.set()
    thread.join(60)
    assert failed == []
    assert [job_id for job_id in done if _status(newer, job_id) != "succeeded"] == []
    again = STORES[kind](place)  # and can be started anew
    assert claim(again) is None
    for store in (older, newer, again):
        store.close()


def _status(store: SqlStore, job_id: str) -> str:
    job = store.job(job_id)
    return job.status if job else "lost"


def test_a_program_that_is_too_old_is_refused(kind: str, place: str) -> None:
    newer = opened(kind, place, REMOVING)
    newer.submit(*make())
    newer.close()
    with pytest.raises(StoreFailed, match="Use the newer program"):
        STORES[kind](place)
    again = opened(kind, place, REMOVING)
    assert held(again).job.id == "job"
    again.close()


def test_a_step_that_dies_in_the_middle_changes_nothing(kind: str, place: str) -> None:
    def dying(connection: Connection) -> None:
        add_shoe_size(connection)
        raise ZeroDivisionError

    STORES[kind](place).close()
    with pytest.raises(ZeroDivisionError):
        opened(kind, place, (Migration(SECOND, oldest=1, run=dying),))
    assert "shoe_size" not in columns_of(kind, place)
    assert migrate(url_of(kind, place)) == (tables.SCHEMA, tables.SCHEMA)
    third = Migration(SECOND + 1, oldest=1, run=lambda _: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        opened(kind, place, (*NEXT, third))
    assert "shoe_size" not in columns_of(kind, place)
    opened(kind, place, NEXT).close()
    assert "shoe_size" in columns_of(kind, place)


def test_a_process_killed_in_the_middle_of_a_step_changes_nothing(
    kind: str, place: str
) -> None:
    STORES[kind](place).close()
    dying = start("die", kind, place)
    assert dying.communicate(timeout=300)[0].split() == ["stepped"]
    assert dying.returncode == 9
    assert "shoe_size" not in columns_of(kind, place)
    newer = opened(kind, place, NEXT)
    assert newer.migrated == (tables.SCHEMA, SECOND)
    newer.close()


@pytest.mark.parametrize("new", [True, False])
def test_of_many_that_start_at_once_one_migrates(kind: str, place: str, new: bool) -> None:
    if not new:
        STORES[kind](place).close()
    processes = [start("count", kind, place) for _ in range(4)]
    said = [process.communicate(timeout=300)[0].split() for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    assert sum("stepped" in words for words in said) == 1
    assert all(str(SECOND) in words for words in said)


USAGE = ("active_pages", "day", "day_pages")


def without_usage(connection: Connection) -> None:
    """Make the tables what they were before keys had allowances."""
    for name in USAGE:
        connection.execute(text(f"ALTER TABLE owners DROP COLUMN {name}"))
    connection.execute(text("UPDATE versions SET schema = 2"))


def without_turns(connection: Connection) -> None:
    """Make the tables what they were before there were turns."""
    without_usage(connection)
    for statement in (
        "DROP INDEX tasks_in_turn",
        "DROP INDEX tasks_due",
        "DROP TABLE turns",
        "ALTER TABLE tasks DROP COLUMN turn",
        "CREATE INDEX tasks_waiting ON tasks (pool, rank, due, id) WHERE due IS NOT NULL",
        "UPDATE versions SET schema = 1",
    ):
        connection.execute(text(statement))


def test_a_database_of_before_there_were_turns_is_brought_up(kind: str, place: str) -> None:
    older = STORES[kind](place)
    older.submit(*make("a", (1,), (2,)))
    older.close()
    in_database(kind, place, without_turns)
    newer = opened(kind, place, migrations.MIGRATIONS)
    assert newer.migrated == (1, tables.SCHEMA)
    for n in range(2):
        newer.submit(*make(f"b{n}", owner="bob"))
    claims = [held(newer).task.id for _ in range(4)]
    assert claims == ["a.0", "a.1", "b0.0", "b1.0"]  # what was there already comes first
    newer.close()


def test_jobs_of_before_there_were_allowances_end_and_count_for_none(
    kind: str, place: str
) -> None:
    older = STORES[kind](place)
    older.submit(*make("a", (1, 2)))
    older.submit(*make("b", (1,)))
    assert held(older).job.id == "a"
    older.close()
    in_database(kind, place, without_usage)
    newer = opened(kind, place, migrations.MIGRATIONS)
    assert newer.migrated == (2, tables.SCHEMA)
    job, tasks = make("c", (1, 2, 3))
    three = Allowance(active_pages=3, pages_per_day=3)
    newer.submit(replace(job, pages_counted=3), tasks, three)
    for job_id in "ab":
        newer.change(job_id, None, lambda job, _: endings.cancel(job, NOW))
        assert newer.usage("ada").active_pages == 3
    assert newer.count_active("ada", 9) == 1
    newer.change("c", None, lambda job, _: endings.cancel(job, NOW))
    assert newer.usage("ada") == Usage(active_pages=0, day=day_of(NOW), day_pages=3)
    newer.close()


def test_an_older_program_that_counts_jobs_leaves_what_is_used_alone(
    kind: str, place: str
) -> None:
    """It knows the columns of before: what it writes of an owner leaves the new ones alone."""
    newer = STORES[kind](place)
    job, tasks = make("a", (1, 2))
    newer.submit(replace(job, pages_counted=2), tasks, Allowance(active_pages=2))
    older_count = (
        "INSERT INTO owners (id, active) VALUES ('ada', 1), ('bob', 1)"
        " ON CONFLICT (id) DO UPDATE SET active = owners.active + excluded.active"
    )

    def count(connection: Connection) -> None:
        connection.execute(text(older_count))

    in_database(kind, place, count)
    assert newer.count_active("ada", 9) == 2
    assert newer.usage("ada").active_pages == 2
    assert newer.usage("bob") == Usage()
    newer.close()


def test_a_file_of_the_first_program_opens(tmp_path: Path) -> None:
    """Its `versions` did not say yet which programs may use it."""
    path = tmp_path / "jobs.db"
    store = SqlStore(sqlite.Database(path))
    store.submit(*make())
    store.close()
    database = sqlite.Database(path)
    database.write(without_turns)
    database.write(lambda c: c.execute(text("ALTER TABLE versions DROP oldest")))
    database.close()
    again = SqlStore(sqlite.Database(path))
    assert again.migrated == (1, tables.SCHEMA)
    assert held(again).job.id == "job"
    again.close()


def start(role: str, kind: str, place: str) -> subprocess.Popen[str]:
    """Start a program that knows a second schema."""
    command = [sys.executable, "-m", __name__, role, kind, place]
    return forks.Popen(command, stdout=subprocess.PIPE, text=True)


def _say_and(then: Callable[[Connection], object], connection: Connection) -> None:
    add_shoe_size(connection)
    print("stepped", flush=True)  # noqa: T201
    then(connection)


if __name__ == "__main__":
    role, kind_, place_ = sys.argv[1:]
    ends = {"die": lambda _: os._exit(9), "count": lambda _: None}
    step = Migration(SECOND, oldest=1, run=partial(_say_and, ends[role]))
    store = opened(kind_, place_, (step,))
    print(store.migrated[1])  # noqa: T201
    store.close()
