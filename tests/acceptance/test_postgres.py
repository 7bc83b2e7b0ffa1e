"""Store and notifications on a real PostgreSQL server that is killed, refuses, or is full."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trustme
from sqlalchemy import Connection, text

from pagetide.errors import BadOption, DiskFull, JobEnded, LeaseLost, PagetideError, StoreFailed
from pagetide.net.postgres import postgres_place
from pagetide.server.jobs import endings
from pagetide.server.jobs import transitions as moves
from pagetide.server.jobs.job import Task
from pagetide.server.jobs.moved import Moved
from pagetide.server.ports import JobQuery, Notifications, Subscriber
from pagetide.server.stores import postgres, statements
from pagetide.server.stores.notifications import notify
from pagetide.server.stores.postgres import Database, PostgresStore, open_store
from tests.contract.stores import NOW, Held, claim, held, make
from tests.parts import forks
from tests.parts.postgres import PASSWORD, Postgres
from tests.waiting import until

DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
OTHERS = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
JOBS = 40
PAGES = 4
LONG_S = 90.0  # nothing here takes so long, unless it is broken


@pytest.fixture(scope="module")
def server(own_postgres: Postgres) -> Postgres:
    """A server that the tests here may kill, as they may not the one of all."""
    return own_postgres


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.database()


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    opened = open_store(url)
    yield opened
    opened.close()


def submit_all(store: PostgresStore, count: int = JOBS) -> None:
    for n in range(count):
        store.submit(*make(f"job-{n:04}", *((page,) for page in range(1, PAGES + 1))))


def test_a_server_that_takes_no_writes_is_not_ready(store: PostgresStore, url: str) -> None:
    """As a standby that somebody failed over to before it was promoted."""
    store.check_writable()
    name = url.rpartition("/")[2].partition("?")[0]
    with closing(open_store(url)) as other:
        _ask(other, f"ALTER DATABASE {name} SET default_transaction_read_only = on; SELECT 1")
        _ask(other, f"SELECT count(pg_terminate_backend(pid, 60000)) {OTHERS}")
    with pytest.raises(StoreFailed, match="accepts no writes"):
        store.check_writable()


# A server that goes and comes back


def test_what_is_for_one_is_heard_by_one_of_all_processes(url: str) -> None:
    all_notifications = [notify.open_notifications(url) for _ in range(2)]
    listeners = [
        notifications.subscribe("one-x", "jobs") for notifications in all_notifications
    ]

    def heard(*by: Subscriber) -> list[list[str]]:
        all_notifications[1].publish("jobs", "end")
        found: list[list[str]] = []
        for listener in by:
            rings: list[tuple[str, str]] = []
            while ("jobs", "end") not in rings:
                rings += listener.wait(LONG_S)
            found.append([text for topic, text in rings if topic == "one-x"])
        return found

    try:
        for n in range(5):
            all_notifications[1].publish("one-x", f"{n}")
        told = heard(*listeners)
        assert sorted(told, key=len) == [[], ["0", "1", "2", "3", "4"]]
        chosen = 0 if told[0] else 1
        listeners[chosen].close()
        told, deadline = [[]], time.monotonic() + LONG_S
        while told == [[]] and time.monotonic() < deadline:  # another follows who leaves, soon
            all_notifications[1].publish("one-x", "next")
            told = heard(listeners[1 - chosen])
        assert set(told[0]) == {"next"}
    finally:
        for listener in listeners:
            listener.close()
        for notifications in all_notifications:
            notifications.close()


def test_processes_go_on_when_the_server_is_killed(server: Postgres) -> None:
    url = server.database()
    store = open_store(url)
    submit_all(store)
    workers = [start(url, f"worker-{n}") for n in range(4)]
    for done in (40, 100):
        until(partial(_done, store, done), LONG_S, "the workers do not work")
        server.kill()
        server.start()
    said = [worker.communicate(timeout=LONG_S)[0].split() for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 4
    jobs = store.jobs(JobQuery(limit=1000))
    assert [job.id for job in jobs if job.status != "succeeded"] == []
    assert sum(job.pages_done for job in jobs) == JOBS * PAGES
    ended = Counter(word for words in said for word in words if word.startswith("job-"))
    assert max(ended.values()) == 1  # nobody was told twice that a job ended
    assert store.count_active(None, 9) == 0
    assert store.backlog("cpu", NOW * 2).waiting == 0
    store.close()


def _done(store: PostgresStore, pages: int) -> bool:
    return sum(job.pages_done for job in store.jobs(JobQuery(limit=1000))) >= pages


def test_a_call_fails_while_the_server_is_away_and_the_next_one_does_not(
    server: Postgres,
) -> None:
    store = open_store(server.database())
    store.submit(*make())
    server.kill()
    calls: list[Callable[[], object]] = [
        lambda: store.job("job"),
        lambda: claim(store),
        lambda: store.submit(*make("other")),
        store.clock,
    ]
    for call in calls:
        with pytest.raises(StoreFailed, match="PostgreSQL") as failure:
            call()
        assert failure.value.retryable
    server.start()
    assert store.job("job") is not None  # at once: no session of before is used
    assert held(store).job.id == "job"
    store.close()


def test_a_session_that_the_server_ended_is_not_used(store: PostgresStore, url: str) -> None:
    store.submit(*make())
    with closing(open_store(url)) as other:
        assert _ask(other, f"SELECT count(pg_terminate_backend(pid, 60000)) {OTHERS}") >= 1
        until(lambda: _ask(other, f"SELECT count(*) {OTHERS}") == 0)
    assert store.job("job") is not None
    assert store.change("job", None, lambda job, _: Moved(job=job)).job.version == 1


def hears(notifications: Notifications, listener: Subscriber, text: str) -> bool:
    """Whether a ring is heard; who rings a slow server may not wait for it."""
    notifications.publish("cpu", text)
    return ("cpu", text) in listener.wait(0.05)


def test_the_bell_is_heard_again_after_a_restart(server: Postgres) -> None:
    notifications = notify.open_notifications(server.database())
    with closing(notifications), closing(notifications.subscribe("cpu")) as listener:
        descriptor = listener.fileno()
        assert until(partial(hears, notifications, listener, "before"))
        server.kill()
        before = time.monotonic()
        for _ in range(100):
            notifications.publish("cpu", "lost")
        assert time.monotonic() - before < 50 * notify.PUBLISH_S  # a hundred do not each wait
        server.start()
        assert until(partial(hears, notifications, listener, "after"))
        assert listener.fileno() == descriptor


def test_a_bell_may_be_there_before_the_server(server: Postgres) -> None:
    url = server.database()
    server.kill()
    notifications = notify.open_notifications(url)
    with closing(notifications), closing(notifications.subscribe("cpu")) as listener:
        notifications.publish("cpu", "nobody hears")
        assert listener.wait(0) == ()
        server.start()
        assert until(partial(hears, notifications, listener, "after"))


def test_what_others_tell_on_our_channels_does_no_harm(url: str, store: PostgresStore) -> None:
    notifications = notify.open_notifications(url)
    with closing(notifications), closing(notifications.subscribe("cpu")) as listener:
        _ask(store, "NOTIFY pagetide_cpu, 'schön'")
        _ask(store, "NOTIFY pagetide_cpu, '100 %%'")
        assert until(partial(hears, notifications, listener, "ours"))


def test_a_server_that_does_not_answer_is_not_waited_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(postgres, "CONNECT_S", 2)
    with Silent() as silent:
        url = f"postgresql://u:{PASSWORD}@127.0.0.1:{silent.port}/d?sslmode=disable"
        with pytest.raises(StoreFailed, match="cannot be reached"):
            open_store(url)
        notifications = notify.open_notifications(url)
        before = time.monotonic()
        for _ in range(100):
            notifications.publish("cpu")
        assert time.monotonic() - before < 50 * notify.PUBLISH_S
        notifications.close()


# Many at once


def test_six_processes_claim_each_task_once(store: PostgresStore, url: str) -> None:
    submit_all(store)
    workers = [start(url, f"worker-{n}") for n in range(6)]
    said = [worker.communicate(timeout=LONG_S)[0].split() for worker in workers]
    assert [worker.returncode for worker in workers] == [0] * 6
    words = [word for each in said for word in each]
    assert len(words) == len(set(words)) == JOBS * (PAGES + 1)
    assert "failed" not in words


def test_who_cancels_and_erases_beside_workers_is_in_nobodys_way(
    store: PostgresStore,
) -> None:
    """Claims wait for a job with its task locked; who drops the job's tasks must not wait."""
    submit_all(store, 120)
    failed: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    def read() -> None:
        while mine := claim(store):
            with suppress(LeaseLost):
                mine.finish() if mine.task.kind == "finish" else mine.read()

    def end(first: int) -> None:
        for n in range(first, 120, 4):
            if n % 3 == 0:
                store.change(f"job-{n:04}", None, lambda job, _: endings.erase(job, NOW))
            else:
                with suppress(JobEnded):
                    store.change(f"job-{n:04}", None, lambda job, _: endings.cancel(job, NOW))

    works = [read] * 4 + [partial(end, first) for first in range(4)]
    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG_S)
    assert failed == []
    read()  # what was locked when its job dropped it
    assert store.count_active(None, 9) == 0
    assert store.backlog("cpu", NOW * 2).waiting == 0
    assert store.backlog("cpu", NOW * 2).leased == 0
    kinds = {
        task.kind for job in store.jobs(JobQuery(limit=200)) for task in store.tasks(job.id)
    }
    assert kinds <= {"finish"}
    assert _ask(store, DEADLOCKS) == 0


def test_a_task_that_its_job_dropped_is_not_claimed(store: PostgresStore, url: str) -> None:
    """As it is left where it was locked just then."""
    store.submit(*make("job", (1,), (2,)))
    mine = held(store)
    copies = _ask(store, "SELECT json_agg(tasks)::text FROM tasks")
    store.change("job", None, lambda job, _: endings.cancel(job, NOW))
    database = Database(postgres_place(url))

    def restore(connection: Connection) -> None:
        back = text(
            "INSERT INTO tasks SELECT * FROM json_populate_recordset(NULL::tasks, :rows)"
        )
        connection.execute(back, {"rows": copies})

    database.write(restore)
    database.close()
    assert len(store.tasks("job")) == 2
    assert claim(store) is None
    with pytest.raises(LeaseLost):
        mine.renew()
    refused = Held(store, mine.job, mine.task, mine.token)
    assert refused.lose().tasks == ()
    assert store.tasks("job") == ()


def test_who_is_in_the_way_of_each_other_tries_again(store: PostgresStore, url: str) -> None:
    """Two lock the same rows in opposite orders: the server ends one, which starts anew."""
    store.submit(*make("a"))
    store.submit(*make("b"))
    databases = [Database(postgres_place(url)) for _ in range(2)]
    both = threading.Barrier(2)
    calls: Counter[str] = Counter()
    lock = text("SELECT body FROM jobs WHERE id = :id FOR UPDATE")

    def cross(database: Database, first: str, second: str) -> None:
        def work(connection: Connection) -> None:
            calls[first] += 1
            connection.execute(lock, {"id": first})
            if calls[first] == 1:
                both.wait(LONG_S)
            connection.execute(lock, {"id": second})

        database.write(work)

    threads = [
        threading.Thread(target=cross, args=(databases[0], "a", "b")),
        threading.Thread(target=cross, args=(databases[1], "b", "a")),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG_S)
    # Whom the server ends may be in the way again, before the other has got on.
    assert min(calls.values()) == 1 and sum(calls.values()) >= 3
    for database in databases:
        database.close()


# What is said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((PASSWORD, "wrong"), "rejects the user or the password"),
        (("//pagetide:", "//nobody:"), "rejects the user or the password"),
        (("/test_", "/no_such_"), "no database named as in"),
        (("sslmode=disable", "sslmode=require"), "offers no TLS"),
        (("?sslmode=disable", ""), "offers no TLS"),
    ],
)
def test_why_a_database_cannot_be_opened_is_said(
    url: str, change: tuple[str, str], said: str
) -> None:
    with pytest.raises(StoreFailed, match=said) as failure:
        open_store(url.replace(*change))
    assert not [word for word in (PASSWORD, "wrong", "nobody") if word in str(failure.value)]


def test_a_server_without_a_free_session_says_so(url: str, store: PostgresStore) -> None:
    _ask(store, f"CREATE ROLE full LOGIN PASSWORD '{PASSWORD}' CONNECTION LIMIT 0")
    with pytest.raises(StoreFailed, match="max_connections"):
        open_store(url.replace("//pagetide:", "//full:"))


@pytest.mark.parametrize(
    "wrong",
    [
        "postgresql://127.0.0.1/db",
        "postgresql://u:geheim@127.0.0.1",
        "postgresql://u:geheim@127.0.0.1/db?sslmode=prefer",
        "postgresql://u:geheim@127.0.0.1/db?connect_timeout=3",
        "postgresql://u:geheim@127.0.0.1:port/db",
        "postgresql://u:geheim@127.0.0.1/db?sslrootcert=/no/such/file",
        "postgresql://u:ge[heim@127.0.0.1/db",
    ],
)
def test_a_url_that_is_wrong_is_refused_and_not_repeated(wrong: str) -> None:
    for opening in (open_store, notify.open_notifications):
        with pytest.raises(BadOption) as failure:
            opening(wrong)
        assert "geheim" not in str(failure.value)


def test_a_password_is_unescaped_and_not_shown() -> None:
    place = postgres_place("postgresql://u:p%40ss%2F@[::1]:99/d%20b?sslmode=disable")
    assert (place.host, place.port, place.database) == ("::1", 99, "d b")
    assert place.password == "p@ss/"  # noqa: S105
    assert "p@ss" not in repr(place)


def test_an_error_says_nothing_of_the_statement(store: PostgresStore) -> None:
    store.submit(*make(metadata={"secret": "geheim"}))
    with pytest.raises(StoreFailed) as failure:
        store.submit(*make(metadata={"secret": "geheim"}))
    assert str(failure.value) == "The PostgreSQL server failed: SQLSTATE 23505."


@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        ("53100", DiskFull, "no space left"),
        ("40001", StoreFailed, "busy"),
        ("XX000", StoreFailed, "SQLSTATE XX000"),
    ],
)
def test_what_the_server_refuses_is_said(
    url: str, code: str, kind: type[PagetideError], said: str
) -> None:
    tried = 0

    def refused(connection: Connection) -> None:
        nonlocal tried
        tried += 1
        raising = f"DO $$ BEGIN RAISE EXCEPTION 'geheim' USING ERRCODE = '{code}'; END $$"
        connection.exec_driver_sql(raising)

    database = Database(postgres_place(url))
    with closing(database), pytest.raises(kind, match=said) as failure:
        database.write(refused)
    assert "geheim" not in str(failure.value)
    assert tried == (postgres.TRIES if code == "40001" else 1)


def test_a_statement_that_takes_too_long_is_given_up(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_OPTIONS", "-c statement_timeout=1s")
    with closing(open_store(url)) as store, pytest.raises(StoreFailed, match="too long"):
        _ask(store, "SELECT pg_sleep(60)")


def test_a_server_that_falls_silent_is_given_up(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "ANSWER_S", 2.0)
    with closing(open_store(url)) as store:
        stopped = _ask(store, "SELECT pg_backend_pid()")
        os.kill(stopped, signal.SIGSTOP)
        try:
            with pytest.raises(StoreFailed, match="was lost"):
                store.submit(*make())
            store.submit(*make())  # over another session
            assert _ask(store, "SELECT pg_backend_pid()") != stopped
        finally:
            os.kill(stopped, signal.SIGCONT)


def test_no_session_is_free(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "SESSIONS", 1)
    monkeypatch.setattr(postgres, "FREE_S", 0.1)
    store = open_store(url)
    busy = pytest.raises(StoreFailed, match="busy")
    with closing(store), store._database.reading(), busy:
        store.clock()


def test_a_forked_process_opens_sessions_of_its_own(store: PostgresStore) -> None:
    store.submit(*make())
    child = os.fork()
    if not child:
        done = store.job("job") is not None and claim(store) is not None
        os._exit(0 if done else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store.backlog("cpu", NOW).leased == 1


# TLS


@pytest.mark.usefixtures("postgres")  # where there is none, it is skipped
def test_a_certificate_is_checked(tmp_path: Path) -> None:
    ours, theirs = trustme.CA(), trustme.CA()
    roots = {"ours": tmp_path / "ours.pem", "theirs": tmp_path / "theirs.pem"}
    ours.cert_pem.write_to_path(str(roots["ours"]))
    theirs.cert_pem.write_to_path(str(roots["theirs"]))
    with Postgres() as server:
        server.encrypt(ours.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.bytes())
        url = server.database().replace("?sslmode=disable", "")
        for query in ("", "?sslmode=require", f"?sslrootcert={roots['ours']}"):
            with closing(open_store(url + query)) as store:
                assert store.clock() > 0
        full = f"{url}?sslmode=verify-full&sslrootcert="
        with closing(open_store(full + str(roots["ours"]))) as store:
            store.submit(*make())
            assert held(store).read().job.pages_done == 1
        notifications = notify.open_notifications(full + str(roots["ours"]))
        with closing(notifications), closing(notifications.subscribe("cpu")) as listener:
            assert until(partial(hears, notifications, listener, "encrypted"))
        wrong = [full + str(roots["theirs"]), f"{url}?sslrootcert={roots['theirs']}"]
        wrong.append((full + str(roots["ours"])).replace("127.0.0.1", "localhost"))
        for refused in wrong:
            with pytest.raises(StoreFailed, match="certificate is not trusted"):
                open_store(refused)


# Speed


def test_the_first_task_is_found_by_the_index(store: PostgresStore) -> None:
    for n in range(300):
        store.submit(*make(f"job-{n:04}"))
    _ask(store, "ANALYZE tasks")
    first = statements.FIRST.params(pool="cpu", now=NOW)
    with store._database.reading() as connection:
        literal = first.compile(connection, compile_kwargs={"literal_binds": True})
    plan = _ask(store, f"EXPLAIN (FORMAT JSON) {literal}")
    assert "tasks_in_turn" in str(plan)
    assert "'Sort'" not in str(plan)


def _ask(store: PostgresStore, question: str) -> Any:
    """The one value that the server answers, if it is one."""
    with store._database.reading() as connection:
        found = connection.exec_driver_sql(question)
        return found.scalar() if found.returns_rows else None


class Silent:
    """A server that takes connections and says nothing."""

    def __enter__(self) -> Silent:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()


def start(url: str, name: str) -> subprocess.Popen[str]:
    """A process that does all there is to do, whatever the server does meanwhile."""
    command = [sys.executable, "-m", __name__, url, name]
    return forks.Popen(command, stdout=subprocess.PIPE, text=True)


def _work(store: PostgresStore, name: str) -> None:
    """Claim and do tasks, until all jobs have ended; say what was done."""
    while True:
        try:
            for task in store.leased_to(name):  # of a claim whose answer was lost
                _give_back(store, task)
            mine = claim(store, name)
            if mine is None and not store.count_active(None, 1):
                return
            if mine is not None:
                _do(mine)
        except StoreFailed:
            print("failed", flush=True)  # noqa: T201
            threading.Event().wait(0.05)
        except LeaseLost:
            continue  # done, though the answer was lost


def _opened(url: str) -> PostgresStore | None:
    """A store; None while the server is away, which may be before the first task."""
    try:
        return open_store(url)
    except StoreFailed:
        return None


def _give_back(store: PostgresStore, task: Task) -> None:
    assert task.lease
    token = task.lease.token
    store.change(task.job_id, task.id, lambda job, held: moves.give_back(job, held, token, NOW))


def _do(mine: Held) -> None:
    if mine.task.kind == "finish":
        mine.finish()
        print(mine.job.id, flush=True)  # noqa: T201
    else:
        mine.read()
        print(mine.task.id, flush=True)  # noqa: T201


if __name__ == "__main__":
    url_, name_ = sys.argv[1:]
    store_ = until(partial(_opened, url_), LONG_S, "the server does not come back")
    _work(store_, name_)
    store_.close()
