"""The doctor: parts that fail, each in its own way, and what it says of them."""

from __future__ import annotations

import json
import logging
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pagetide.cli import program
from pagetide.cli.checks.clocks import beyond
from pagetide.cli.checks.examination import Finding, Steps, examine, hanging
from pagetide.cli.checks.parts import PARTS, configured
from pagetide.cli.checks.places import shown
from pagetide.errors import BadOption, StoreFailed
from pagetide.server import wiring
from pagetide.server.blobs import ObjectBlobs
from pagetide.server.jobs.job import Task
from pagetide.server.ports import Blob
from pagetide.server.stores.memory import MemoryStore
from pagetide.settings import Settings
from pagetide.telemetry.health import Health
from tests.loopback import Answering, Loopback, answering, loopback, redirecting
from tests.parts.server import free_port
from tests.waiting import until

MEMORY = Settings(store="memory:", blobs="memory:")
LIMIT_S = 60.0
SHORT_S = 0.3  # of what is waited for in vain
SECRET = "geheim"  # noqa: S105


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A data folder that is not there, logs as they were, and nothing that still hangs."""
    RELEASED.clear()
    HANGS.clear()
    monkeypatch.setenv("PAGETIDE_DATA_DIR", str(tmp_path / "data"))
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    RELEASED.set()
    until(lambda: not hanging())
    root.handlers[:] = handlers
    root.setLevel(level)


def found(part: str, settings: Settings = MEMORY, limit_s: float = LIMIT_S) -> Finding:
    return examine(PARTS[part], settings, limit_s)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check's own waiting is short, and there is time enough left for the rest of it."""
    monkeypatch.setattr("pagetide.cli.checks.examination._OWN_SHARE", SHORT_S / LIMIT_S)


HANGS, RELEASED = threading.Event(), threading.Event()


def never(*_: object, **__: object) -> Any:
    HANGS.set()
    RELEASED.wait()
    raise StoreFailed("It was too late.")


def raising(error: BaseException) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> Any:
        raise error

    return fail


# Any part.


@pytest.mark.parametrize(
    "part", ["settings", "store", "notifications", "queue", "blobs", "health"]
)
def test_what_is_well_is_ok(part: str) -> None:
    got = found(part)
    assert (got.status, got.hint) == ("ok", "")
    assert 0 <= got.ms < 1000 * LIMIT_S
    assert got.text


OPENERS = {"store": "open_store", "notifications": "open_notifications", "queue": "open_queue"}
OPENERS |= {"blobs": "open_blobs", "results": "open_blobs"}


@pytest.mark.parametrize("part", OPENERS)
def test_a_part_that_cannot_be_opened_says_why_and_what_to_do(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wiring, OPENERS[part], raising(StoreFailed("Nobody is there.")))
    got = found(part)
    assert (got.status, got.text) == ("wrong", "Nobody is there.")
    assert f"PAGETIDE_{part.upper()}" in got.hint or part == "notifications"


@pytest.mark.parametrize("part", OPENERS)
def test_a_part_that_hangs_for_ever_is_waited_for_no_longer_than_the_limit(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    join = threading.Thread.join

    def join_once_it_hangs(thread: threading.Thread, timeout: float | None = None) -> None:
        assert HANGS.wait(60)
        join(thread, timeout)

    monkeypatch.setattr(wiring, OPENERS[part], never)
    monkeypatch.setattr(threading.Thread, "join", join_once_it_hangs)
    start = time.monotonic()
    got = found(part, limit_s=0.1)
    assert time.monotonic() - start < LIMIT_S
    assert hanging()
    assert got.status == "wrong"
    assert re.fullmatch(
        r"It does not answer: timeout after 0.1 s while [\w ]+ (was|were) opened\.", got.text
    )


def test_a_setting_that_is_wrong_needs_no_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring, "open_store", raising(BadOption("There is no such store.")))
    assert (found("store").text, found("store").hint) == ("There is no such store.", "")


def test_a_foreign_error_is_told_by_its_type_and_place(monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (RuntimeError(SECRET), KeyboardInterrupt(SECRET)):
        monkeypatch.setattr(wiring, "open_store", raising(error))
        told = found("store").text
        assert re.fullmatch(
            rf"Internal error: {type(error).__name__} in test_doctor.py, line \d+\.", told
        )


def test_settings_of_pools_are_told() -> None:
    good = replace(MEMORY, pools={"cpu": ("pp-ocrv6",)}, canary={"cpu-next": 0.1})
    assert found("settings", good).text == "pools: cpu; 10% of new jobs go to cpu-next"


# The store.


class Store(MemoryStore):
    """Of the fake parts, each is wrong in one way."""

    off_s = 0.0
    closed = False
    forgets = False

    def clock(self) -> float:
        return time.time() + self.off_s

    def value(self, name: str, proposed: bytes) -> bytes:
        return b"other" if self.forgets else super().value(name, proposed)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    made = Store()
    monkeypatch.setattr(wiring, "open_store", lambda settings: made)
    return made


def test_a_store_is_used_and_left_as_it_was(store: Store) -> None:
    assert found("store").text == "0 tasks waiting; clock within 2 s"
    assert store._secrets == {"doctor": b"-"}
    assert store.closed


def test_a_store_that_gives_back_something_else_is_wrong(store: Store) -> None:
    store.forgets = True
    got = found("store")
    assert (got.status, got.text) == (
        "wrong",
        "It returns something other than was written.",
    )
    assert store._secrets == {"doctor": b"-"}
    assert store.closed


@pytest.mark.parametrize(
    ("off_s", "status", "told"),
    [
        (0, "ok", "clock within 2 s"),
        (1.5, "ok", "clock within 2 s"),
        (-5, "warning", "its clock is 5.0 s behind this machine's"),
        (5, "warning", "its clock is 5.0 s ahead of this machine's"),
        (
            3600,
            "wrong",
            "Its clock is 3600.0 s ahead of this machine's: leases compare clocks.",
        ),
        (-3600, "wrong", "Its clock is 3600.0 s behind this machine's: leases"),
    ],
)
def test_a_stores_clock_that_is_off(store: Store, off_s: float, status: str, told: str) -> None:
    store.off_s = off_s
    got = found("store")
    assert got.status == status
    assert told in got.text
    assert ("NTP" in got.hint) == (status != "ok")


def test_a_slow_answer_is_no_wrong_clock() -> None:
    assert beyond(100, 90, 110) == 0
    assert beyond(111, 90, 110) == 1
    assert beyond(89, 90, 110) == -1


# The blobs.


class Blobs(ObjectBlobs):
    url: str | None = None
    off_s = 0.0
    wrong = ""

    def put(self, key: str, data: bytes | Iterable[bytes], *, durable: bool = False) -> Blob:
        blob = super().put(key, data, durable=durable)
        return replace(blob, modified=blob.modified + self.off_s)

    def get(self, key: str) -> bytes:
        return b"other" if self.wrong == "get" else super().get(key)

    def stream(self, key: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        return super().stream(key, 0 if self.wrong == "stream" else start, end)

    def under(self, prefix: str) -> Iterator[Blob]:
        return iter(()) if self.wrong == "under" else super().under(prefix)

    def delete_under(self, prefix: str) -> int:
        return 0 if self.wrong == "delete" else super().delete_under(prefix)

    def link(self, key: str, *, expires_s: float, name: str, media_type: str) -> str | None:
        return self.url


@pytest.fixture
def blobs(monkeypatch: pytest.MonkeyPatch) -> Blobs:
    made = Blobs.in_memory()
    monkeypatch.setattr(wiring, "open_blobs", lambda settings: made)
    return made


def test_blobs_are_used_and_left_as_they_were(blobs: Blobs) -> None:
    assert found("blobs").text == "clock within 2 s; links are signed by the API"
    assert list(blobs.under("jobs/")) == []


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("get", "It returns something other than was written."),
        ("stream", "It returns something other than the requested part."),
        ("under", "The written blob is not in the listing."),
        ("delete", "A deleted blob is still there."),
    ],
)
def test_blobs_that_do_one_thing_wrong(blobs: Blobs, wrong: str, told: str) -> None:
    blobs.wrong = wrong
    got = found("blobs")
    assert (got.status, got.text) == ("wrong", told)
    assert "PAGETIDE_BLOBS" in got.hint
    blobs.wrong = ""
    assert len(list(blobs.under("jobs/"))) == (1 if wrong in ("delete", "under") else 0)


@pytest.mark.parametrize(
    ("off_s", "status"), [(0, "ok"), (10, "warning"), (-10, "warning"), (3600, "wrong")]
)
def test_the_clock_of_blobs_that_is_off(blobs: Blobs, off_s: float, status: str) -> None:
    blobs.off_s = off_s
    got = found("blobs")
    assert got.status == status
    assert list(blobs.under("jobs/")) == []


def test_documents_and_results_are_checked_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    apart = replace(MEMORY, blobs=f"file://{tmp_path}/a", results=f"file://{tmp_path}/b")
    assert (found("blobs", apart).status, found("results", apart).status) == ("ok", "ok")
    (tmp_path / "b").rename(tmp_path / "c")
    (tmp_path / "b").write_text("no folder")
    assert (found("blobs", apart).status, found("results", apart).status) == ("ok", "wrong")
    assert "PAGETIDE_RESULTS" in found("results", apart).hint


@pytest.fixture
def site(blobs: Blobs) -> Iterator[Loopback]:
    with loopback() as state:
        blobs.url = f"http://127.0.0.1:{state.port}/blob?signature={SECRET}"

        def give(handler: Any) -> None:
            (only,) = blobs.under("jobs/")
            answering(blobs.get(only.key))(handler)

        state.answers["/blob"] = give
        yield state


def test_a_signed_link_is_opened_without_what_the_environment_says(
    site: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    got = found("blobs")
    assert (got.status, got.text) == ("ok", "clock within 2 s; a signed link opens")
    assert len(site.received) == 1


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (answering(status=403), "A signed link answers with status 403."),
        (redirecting("/elsewhere"), "A signed link answers with status 302."),
        (answering(b"x" * 4000), "A signed link returns something other than the blob."),
        (answering(b"x" * 4001), "A signed link opens more than the blob."),
        (answering(b"x"), "A signed link returns something other than the blob."),
        (
            lambda handler: handler.connection.close(),
            "A signed link leads to a host that does not answer here.",
        ),
    ],
)
def test_a_signed_link_that_does_not_open_the_blob(
    site: Loopback, blobs: Blobs, answer: Answering, told: str
) -> None:
    site.answers["/blob"] = answer
    got = found("blobs")
    assert (got.status, got.text) == ("wrong", told)
    assert [request.path.partition("?")[0] for request in site.received] == ["/blob"]
    assert list(blobs.under("jobs/")) == []


def test_a_link_to_a_host_that_is_not_there_is_not_shown(blobs: Blobs) -> None:
    for url in (f"http://127.0.0.1:{free_port()}/?k={SECRET}", f"http://[{SECRET}/", "x:"):
        blobs.url = url
        assert found("blobs").text == "A signed link leads to a host that does not answer here."


# What wakes.


class Notifications:
    """Rings into nothing."""

    rung = 0

    def publish(self, topic: str, text: str = "") -> None:
        self.rung += 1

    def subscribe(self, *topics: str) -> Notifications:
        return self

    def wait(self, timeout_s: float) -> tuple[tuple[str, str], ...]:
        threading.Event().wait(timeout_s)
        return (("doctor", "another's"),)

    def fileno(self) -> int:
        return 1

    def close(self) -> None:
        pass


@pytest.mark.usefixtures("hurried")
def test_a_bell_that_nobody_hears_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    notifications = Notifications()
    monkeypatch.setattr(wiring, "open_notifications", lambda settings: notifications)
    got = found("notifications")
    assert (got.status, got.text) == ("wrong", "A published notification does not arrive.")
    assert notifications.rung == 3


def test_a_store_that_tells_nobody_is_well() -> None:
    silent = replace(MEMORY, store="dynamodb://eu-central-1/none")
    assert found("notifications", silent).text.startswith("they arrive in the same process")


class Queue:
    """A queue in memory, which may lose, keep, or refuse."""

    def __init__(self) -> None:
        self.waiting: list[str] = []
        self.held: list[str] = []
        self.loses = self.keeps = self.closed = False
        self.refuses = ""

    def send(self, tasks: Iterable[Task], trace: str = "") -> None:
        if not self.loses:
            self.waiting += [task.job_id for task in tasks]

    def receiver(self, pool: str, concurrency: int) -> Receiver:
        assert (pool, concurrency) == ("doctor", 1)
        return Receiver(self)

    def ready(self, pool: str) -> int:
        if self.refuses:
            raise StoreFailed(self.refuses)
        return 1 if self.keeps else len(self.waiting)

    def close(self) -> None:
        self.closed = True


class Receiver:
    def __init__(self, queue: Queue) -> None:
        self.queue = queue

    def receive(self, timeout_s: float) -> Message | None:
        if not self.queue.waiting:
            threading.Event().wait(timeout_s)
            return None
        return Message(self.queue, self.queue.waiting.pop(0))

    def close(self) -> None:
        assert self.queue.held == []


class Message:
    task_id, trace = "r1", ""

    def __init__(self, queue: Queue, job_id: str) -> None:
        self.queue, self.job_id = queue, job_id
        queue.held.append(job_id)

    def done(self) -> None:
        self.queue.held.remove(self.job_id)

    def release(self, delay_s: float = 0.0) -> None:
        self.done()
        self.queue.waiting.append(self.job_id)


BROKER = replace(MEMORY, queue=f"redis://:{SECRET}@127.0.0.1/0")


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Iterator[Queue]:
    made = Queue()
    monkeypatch.setattr(wiring, "open_queue", lambda settings, notifications: made)
    yield made
    assert made.closed


def test_a_message_comes_and_goes(queue: Queue) -> None:
    assert found("queue", BROKER).text == "a message came and went"
    assert (queue.waiting, queue.held) == ([], [])


def test_a_queue_that_refuses_is_wrong(queue: Queue) -> None:
    queue.refuses = "The password is wrong."
    got = found("queue", BROKER)
    assert (got.status, got.text) == ("wrong", "The password is wrong.")
    assert got.place == "redis://…@127.0.0.1/0"


@pytest.mark.usefixtures("hurried")
def test_a_message_that_never_comes_is_waited_for_so_long(queue: Queue) -> None:
    queue.loses = True
    got = found("queue", BROKER)
    assert (got.status, got.text) == ("wrong", "A sent message did not arrive.")
    assert got.ms >= SHORT_S * 1000


@pytest.mark.parametrize("late", [True, False])
def test_a_message_that_did_not_come_is_sent_again(
    queue: Queue, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    """A broker that was slow once loses it, or lets it come beside the second."""
    monkeypatch.setattr("pagetide.cli.checks.queue._SENDS_S", (0.01, 60.0))
    sent: list[Task] = []

    def send(tasks: Iterable[Task], trace: str = "") -> None:
        sent.extend(tasks)
        if len(sent) == 2:
            queue.waiting += [task.job_id for task in (sent if late else sent[1:])]

    monkeypatch.setattr(queue, "send", send)
    got = found("queue", BROKER)
    assert (got.status, got.text) == ("ok", "a message came and went")
    assert (queue.waiting, queue.held) == ([], [])


def test_a_queue_that_still_counts_is_warned_of(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    none_once_it_came = property(lambda _: float(len(queue.waiting)))
    monkeypatch.setattr(Steps, "left_s", none_once_it_came)
    queue.keeps = True
    got = found("queue", BROKER)
    assert (got.status, "it still counts 1" in got.text) == ("warning", True)


def test_what_an_earlier_doctor_left_is_removed_and_anothers_is_given_back(
    queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    young = f"doctor-{int(time.time())}-ff"
    queue.waiting += ["doctor-1000-ff", "doctor", young, "strange"]
    monkeypatch.setattr(queue, "ready", lambda _: 0)  # or the young one is waited for
    got = found("queue", BROKER)
    assert "a message came and went" in got.text
    assert (queue.waiting, queue.held) == ([young], [])


# The rest.


def test_the_health_port_is_free_a_workers_or_somebody_elses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pagetide.cli.checks.parts._HEALTH_S", LIMIT_S / 2)
    with socket.create_server(("127.0.0.1", 0)) as other, loopback() as stranger:
        taken = replace(MEMORY, health_port=stranger.port)
        assert "no worker answers there" in found("health", taken).text
        assert found("health", taken).status == "wrong"
        mute = replace(MEMORY, health_port=other.getsockname()[1])
        with monkeypatch.context() as hurried:
            hurried.setattr("pagetide.cli.checks.parts._HEALTH_S", SHORT_S)
            assert found("health", mute).status == "wrong"
    with closing(Health(0, 60)) as worker:
        mine = replace(MEMORY, health_port=worker.port)
        assert found("health", mine).text == "a worker answers there: not ready"
        worker.beat()
        worker.ready = True
        assert found("health", mine).text == "a worker answers there: ready"
    assert found("health", replace(MEMORY, health_port=free_port())).text == "the port is free"


def test_the_models_that_a_worker_warms_must_be_here(tmp_path: Path) -> None:
    here = replace(MEMORY, warm_models=("structure-lite", "pp-ocrv6"))
    assert found("models", here).text == "here: structure-lite, pp-ocrv6"
    got = found("models", replace(MEMORY, warm_models=("structure-lit",)))
    assert got.status == "wrong"
    assert "did you mean structure-lite" in got.text


def test_the_secret_of_passwords(tmp_path: Path) -> None:
    box = Settings(data_dir=str(tmp_path))
    assert "will be created on first use" in found("secret", box).text
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "secret").write_text("s" * 32)
    assert found("secret", box).text == "the file `secret` in the data folder"
    (tmp_path / "secret").write_text("short")
    assert found("secret", box).status == "wrong"
    cluster = Settings(store="postgresql://a:b@nowhere/c", secret="n" * 32)
    assert (found("secret", cluster).status, found("secret", cluster).text) == ("ok", "set")
    two = replace(cluster, secret=f"{'n' * 32} {'o' * 32}")
    assert found("secret", two).text == "2 set, the first encrypts"
    none = found("secret", replace(cluster, secret=""))
    assert (none.status, "password are refused" in none.text) == ("warning", True)
    assert "openssl rand" in none.hint
    assert found("secret", replace(cluster, secret="s")).status == "wrong"  # noqa: S106


def test_what_is_set_is_checked_and_nothing_else(tmp_path: Path) -> None:
    nowhere = Settings(data_dir=str(tmp_path / "none"))
    assert configured(nowhere) == ("settings",)
    assert configured(Settings(data_dir=str(tmp_path))) == (
        *("settings", "store", "secret", "notifications", "blobs"),
    )
    every = replace(BROKER, results="memory:", health_port=1, warm_models=("fake",))
    every = replace(every, extract_url="http://127.0.0.1/v1")
    assert configured(every) == tuple(PARTS)


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("", ""),
        ("store:", "store:"),
        ("memory:", "memory:"),
        ("geheim", "…"),
        ("sqlite:///data/x.db", "sqlite:///data/x.db"),
        ("postgresql://u:geheim@h:1/d?sslmode=disable", "postgresql://…@h:1/d?sslmode=disable"),
        ("postgresql://u:1/geheim@h/d", "postgresql://…@h/d"),
        ("postgresql://u:1?x=geheim@h/d", "postgresql://…@h/d"),
        ("postgresql://u:1#geheim@h/d", "postgresql://…@h/d"),
        ("postgresql://u:a@geheim@h/d", "postgresql://…@h/d"),
        ("postgresql://h/d?password=geheim&user=u", "postgresql://h/d?password=…&user=…"),
        ("redis://:geheim@h/0", "redis://…@h/0"),
        ("s3://b/p?endpoint=http://h:1&region=r", "s3://b/p?endpoint=http://h:1&region=r"),
        ("s3://b?endpoint=http://h?sig=geheim", "s3://b?endpoint=http://h"),
        ("az://c/p?account=a&sas=geheim", "az://c/p?account=a&sas=…"),
        ("s3://b#geheim", "s3://b"),
    ],
)
def test_a_url_is_shown_without_its_secrets(url: str, safe: str) -> None:
    assert shown(url) == safe


# The command.


def run(*arguments: str, opener: object = None) -> Result:
    return CliRunner().invoke(program, ["doctor", *arguments], obj=opener)


def test_all_that_is_well_ends_with_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGETIDE_STORE", "memory:")
    result = run("--no-self-test")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line.split()[:2] for line in lines[-4:]] == [
        *(["settings", "ok,"], ["store", "ok"], ["secret", "ok,"], ["notifications", "ok"]),
    ]
    assert re.match(
        r"store      ok memory:, \d+ ms: 0 tasks waiting; clock within 2 s$", lines[-3]
    )


def test_something_wrong_ends_with_70_and_its_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring, "open_store", raising(StoreFailed("Nobody is there.")))
    monkeypatch.setenv("PAGETIDE_STORE", f"postgresql://u:{SECRET}@h/d")
    result = run("--no-self-test", "--parts", "store")
    assert result.exit_code == 70
    said, hint = result.stdout.splitlines()[-2:]
    assert re.match(r"store      wrong postgresql://…@h/d, \d+ ms: Nobody is there\.$", said)
    assert hint.strip() == PARTS["store"].hint
    assert SECRET not in result.output


def test_a_warning_ends_with_0(store: Store) -> None:
    store.off_s = 5
    result = run("--no-self-test", "--parts", "store")
    assert result.exit_code == 0
    assert "store      warning " in result.stdout


def test_it_tells_programs_in_one_object(store: Store) -> None:
    store.off_s = 3600
    result = run("--no-self-test", "--json", "--parts", "store,queue")
    told = json.loads(result.stdout)
    assert result.exit_code == 70
    assert told["ok"] is False
    assert "pagetide" in told["facts"]
    assert told["self_test"] == {"ok": None, "said": []}
    assert [(each["part"], each["status"]) for each in told["parts"]] == [
        *(("store", "wrong"), ("queue", "ok")),
    ]
    assert set(told["parts"][0]) == {"part", "place", "status", "text", "hint", "ms"}


def test_a_part_that_is_none_is_a_usage_error() -> None:
    result = run("--no-self-test", "--parts", "store,brokre")
    assert result.exit_code == 64
    assert "There is no part 'brokre'; known parts: settings, store," in result.stderr


def test_who_only_reads_documents_gets_no_data_folder(tmp_path: Path) -> None:
    assert run("--no-self-test").exit_code == 0
    assert not (tmp_path / "data").exists()


def test_without_a_model_runtime_the_self_test_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys.modules["pagetide.cli.doctor"], "RUNTIMES", ("no_such_runtime",))
    result = run("--parts", "settings", opener=raising(AssertionError()))
    assert result.exit_code == 0, result.output
    assert "skipped: no model runtime is installed here" in result.stdout
    told = json.loads(run("--json", "--parts", "settings").stdout)
    assert told["self_test"]["ok"] is None


def test_a_self_test_that_cannot_be_done_does_not_hide_the_rest() -> None:
    result = run("--json", opener=raising(StoreFailed("No model.")))
    told = json.loads(result.stdout)
    assert result.exit_code == 70
    assert told["self_test"] == {"ok": False, "said": ["wrong: No model."]}
    assert told["parts"][0]["status"] == "ok"


# The model server that extracts.

MODELS = {"data": [{"id": "qwen"}, {"id": "gemma"}]}


def models(said: object = MODELS, status: int = 200) -> Answering:
    return answering(json.dumps(said).encode(), status)


@pytest.mark.parametrize(
    ("served", "name", "status", "text"),
    [
        (models(), "qwen", "ok", "model: qwen"),
        (models({"data": [{"id": "qwen"}]}), "", "ok", "model: qwen"),
        (
            models(),
            "",
            "warning",
            "it serves qwen, gemma: select one with PAGETIDE_EXTRACT_SERVED",
        ),
        (models(), "llama", "wrong", "It serves qwen, gemma: set PAGETIDE_EXTRACT_SERVED_NAME"),
        (models({}, 401), "qwen", "wrong", "HTTP 401: set PAGETIDE_EXTRACT_KEY"),
        (models({}, 404), "qwen", "warning", "lists no models (HTTP 404)"),
        (models({"data": 3}), "qwen", "warning", "lists no models (HTTP 200)"),
        (redirecting("http://127.0.0.1/"), "qwen", "warning", "lists no models (HTTP 302)"),
    ],
)
def test_the_model_server_is_asked_for_its_model(
    served: Answering, name: str, status: str, text: str
) -> None:
    with loopback() as site:
        site.answers["/v1/models"] = served
        url = f"http://127.0.0.1:{site.port}/v1"
        settings = Settings(extract_url=url, extract_key=SECRET, extract_served_name=name)
        got = found("model-server", settings)
    assert got.status == status and text in got.text
    assert bool(got.hint) == (status != "ok")
    assert SECRET not in str(got)
    [asked] = site.received
    assert asked.headers["Authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}/v1", "no address", "http://["])
def test_a_model_server_that_is_not_there_is_wrong(url: str) -> None:
    settings = Settings(extract_url=url.format(port=free_port()))
    got = found("model-server", settings)
    assert (got.status, got.text) == ("wrong", "It cannot be reached.")
    assert "PAGETIDE_EXTRACT_URL" in got.hint


def test_the_model_server_is_checked_where_one_is_set() -> None:
    assert "model-server" not in configured(MEMORY)
    assert "model-server" in configured(replace(MEMORY, extract_url="http://127.0.0.1/v1"))
    assert found("model-server").text == "none is set: nothing is extracted"
