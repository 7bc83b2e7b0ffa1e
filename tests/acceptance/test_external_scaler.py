"""`pagetide scaler` as KEDA meets it: a process, a gRPC client, a store others write to."""

from __future__ import annotations

import os
import queue
import random
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from pagetide.server.jobs.job import SYSTEM
from pagetide.server.ports import Notifications, Store
from pagetide.server.scaling.keda.messages import HEALTH, SCALER, SERVING, messages
from pagetide.server.service.load.demand import Warm, keep_warm
from pagetide.server.wiring import open_notifications, open_store
from pagetide.settings import Settings
from tests.contract.stores import Held, claim, make
from tests.parts import forks
from tests.waiting import until

COMMAND = (sys.executable, "-P", "-m", "pagetide", "scaler")
PATIENCE_S = 60.0  # how soon it really is, `python -m bench.scaler_latency` measures

SAYS = messages("externalscaler", SCALER)
SAYS_OF_HEALTH = messages("grpc.health.v1", HEALTH)


class Scaler:
    """The process, a client of it, and the store that both look at."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.settings = Settings(data_dir=str(folder), **settings)
        self.store: Store = open_store(self.settings)
        self.notifications: Notifications = open_notifications(self.settings)
        self.log: list[str] = []
        self.process = forks.Popen(
            [*COMMAND, "--port", "0"],
            stderr=subprocess.PIPE,
            text=True,
            env=self.settings.as_environment(),
        )
        threading.Thread(target=self._read_log, daemon=True).start()
        self.port = until(self._port, PATIENCE_S)
        self.channel: Any = grpc.insecure_channel(f"127.0.0.1:{self.port}")

    def ref(self, pool: str = "cpu", **more: str) -> Any:
        given = {"pool": pool, **more}
        pairs = [SAYS["Pair"](key=key, value=value) for key, value in given.items() if value]
        return SAYS["ScaledObjectRef"](name="workers", namespace="ns", scalerMetadata=pairs)

    def ask(self, method: str, request: Any, answer: str) -> Any:
        path = f"/externalscaler.ExternalScaler/{method}"
        return self._call(path, SAYS[answer])(request, timeout=PATIENCE_S)

    def active(self, pool: str = "cpu") -> bool:
        return bool(self.ask("IsActive", self.ref(pool), "IsActiveResponse").result)

    def size(self, pool: str = "cpu", **more: str) -> int:
        request = SAYS["GetMetricsRequest"](
            scaledObjectRef=self.ref(pool, **more), metricName=f"pagetide-{pool}"
        )
        [value] = self.ask("GetMetrics", request, "GetMetricsResponse").metricValues
        assert value.metricName == f"pagetide-{pool}"
        assert value.metricValue == value.metricValueFloat
        return int(value.metricValue)

    def health(self, service: str = "") -> int:
        call = self._call("/grpc.health.v1.Health/Check", SAYS_OF_HEALTH["HealthCheckResponse"])
        request = SAYS_OF_HEALTH["HealthCheckRequest"](service=service)
        return int(call(request, timeout=PATIENCE_S).status)

    @contextmanager
    def streaming(self, pool: str = "cpu") -> Iterator[Stream]:
        """What the scaler pushes of a pool."""
        call = self.channel.unary_stream(
            "/externalscaler.ExternalScaler/StreamIsActive",
            request_serializer=_written,
            response_deserializer=SAYS["IsActiveResponse"].FromString,
        )(self.ref(pool))
        stream = Stream(call)
        try:
            yield stream
        finally:
            call.cancel()
            stream.thread.join(PATIENCE_S)

    def submit(self, *, pool: str = "cpu", **details: Any) -> str:
        """A job of one task, and a notification of the pool."""
        due = details.pop("due", time.time())
        job, tasks = make(secrets.token_hex(8), pool=pool, due=due, **details)
        self.store.submit(job, tasks)
        self.notifications.publish(pool, job.id)
        return job.id

    def claim(self, pool: str = "cpu") -> Held:
        found = claim(self.store, now=time.time(), pool=pool)
        assert found
        return found

    def empty(self, pool: str = "cpu") -> None:
        """Do all that the pool has to do."""
        while found := claim(self.store, now=time.time(), pool=pool):
            found.finish() if found.task.kind == "finish" else found.read()

    def end(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        self.channel.close()
        self.process.kill()
        self.process.wait()
        self.notifications.close()
        self.store.close()

    def _call(self, path: str, answer: Any) -> Any:
        return self.channel.unary_unary(
            path, request_serializer=_written, response_deserializer=answer.FromString
        )

    def _read_log(self) -> None:
        assert self.process.stderr
        with self.process.stderr as said:
            self.log.extend(said)

    def _port(self) -> int:
        assert self.process.poll() is None, self.log
        told = [line for line in self.log if "answers at" in line]
        return int(told[0].rpartition(":")[2].strip(" .\n")) if told else 0


class Stream:
    """What was pushed, and how the stream ended."""

    def __init__(self, call: Any) -> None:
        self._call = call
        self._pushed: queue.Queue[bool] = queue.Queue()
        self.code: Any = None
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def next(self, seconds: float = PATIENCE_S) -> bool:
        return self._pushed.get(timeout=seconds)

    def next_other(self, than: bool, seconds: float = PATIENCE_S) -> bool:
        """The next that is not as this one; what is pushed again is passed over."""
        return until(lambda: self.next(seconds) != than, seconds)

    def left(self) -> list[bool]:
        """What nobody has taken yet."""
        found = []
        with suppress(queue.Empty):
            while True:
                found.append(self._pushed.get_nowait())
        return found

    def _read(self) -> None:
        with suppress(grpc.RpcError):
            for answer in self._call:
                self._pushed.put(answer.result)
        self.code = self._call.code()


def _written(message: Any) -> bytes:
    written: bytes = message.SerializeToString()
    return written


@pytest.fixture
def scaler_of(tmp_path: Path) -> Iterator[Callable[..., Scaler]]:
    opened: list[Scaler] = []

    def open_one(**settings: Any) -> Scaler:
        opened.append(Scaler(tmp_path / "data", **settings))
        return opened[-1]

    yield open_one
    for scaler in opened:
        scaler.close()


@pytest.fixture(params=["sqlite", "postgres"])
def scaler(request: pytest.FixtureRequest, scaler_of: Callable[..., Scaler]) -> Scaler:
    if request.param == "sqlite":
        return scaler_of()
    return scaler_of(store=request.getfixturevalue("postgres").database())


def refused(call: Callable[[], object]) -> tuple[Any, str]:
    with pytest.raises(grpc.RpcError) as caught:
        call()
    error: Any = caught.value
    return error.code(), error.details()


def test_a_pool_is_active_from_the_first_task_to_the_last(scaler: Scaler) -> None:
    assert (scaler.active(), scaler.size()) == (False, 0)
    scaler.submit()
    scaler.submit(due=time.time() + 3600)
    assert (scaler.active(), scaler.size()) == (True, 1)
    held = scaler.claim()
    assert (scaler.active(), scaler.size()) == (True, 1)
    held.read()
    assert scaler.size() == 1  # the result is still to be made
    scaler.claim().finish()
    assert (scaler.active(), scaler.size()) == (False, 0)
    assert scaler.size(SYSTEM) == 0


def test_a_submit_is_pushed(scaler: Scaler) -> None:
    with scaler.streaming() as stream:
        assert stream.next() is False  # how it is, at once
        for _ in range(3):
            scaler.submit()
            assert stream.next() is True
            scaler.empty()
            assert stream.next_other(than=True)
        assert stream.left() == []


def test_while_there_is_work_it_is_pushed_again_and_again(scaler: Scaler) -> None:
    scaler.submit()
    with scaler.streaming() as stream, scaler.streaming(SYSTEM) as other:
        scaler.claim()
        assert [stream.next(), stream.next(), stream.next()] == [True] * 3
        assert other.next() is False
        assert other.left() == []


def test_many_streams_hear_of_one_submit(scaler: Scaler) -> None:
    with scaler.streaming() as first:
        assert first.next() is False
        streams = [scaler.streaming() for _ in range(20)]
        opened = [stream.__enter__() for stream in streams]
        assert [stream.next() for stream in opened] == [False] * 20
        scaler.submit()
        assert [stream.next() for stream in (first, *opened)] == [True] * 21
        for stream in streams:
            stream.__exit__(None, None, None)


def test_what_keda_is_told_of_the_metric(scaler_of: Callable[..., Scaler]) -> None:
    scaler = scaler_of(
        pools={"cpu": ("fake",), "gpu": ("paddleocr-vl",)}, canary={"gpu-next": 0.1}
    )
    for pool, more, target in (("gpu", {}, 4), ("gpu-next", {"tasksPerWorker": "10"}, 10)):
        answer = scaler.ask("GetMetricSpec", scaler.ref(pool, **more), "GetMetricSpecResponse")
        [spec] = answer.metricSpecs
        assert spec.metricName == f"pagetide-{pool}"
        assert (spec.targetSize, spec.targetSizeFloat) == (target, target)


def test_kept_workers_are_worth_their_tasks(scaler_of: Callable[..., Scaler]) -> None:
    scaler = scaler_of(
        pools={"cpu": ("fake",), "gpu": ("paddleocr-vl",)}, min_workers={"gpu": 2}
    )
    assert (scaler.active("gpu"), scaler.size("gpu")) == (True, 8)
    assert scaler.size("gpu", tasksPerWorker="1") == 2
    with scaler.streaming() as stream:
        assert stream.next() is False
        keep_warm(scaler.store, "cpu", Warm(workers=3, until=time.time() + 3600))
        scaler.notifications.publish("cpu")
        assert stream.next() is True
        assert scaler.size("cpu", tasksPerWorker="2") == 6


def test_what_cannot_be_asked_for_is_said_in_a_sentence(
    scaler_of: Callable[..., Scaler],
) -> None:
    scaler, invalid = scaler_of(), grpc.StatusCode.INVALID_ARGUMENT
    assert refused(lambda: scaler.active("gpus")) == (
        invalid,
        "There is no pool 'gpus'; did you mean cpu?",
    )
    code, said = refused(lambda: scaler.size(""))
    assert code == invalid and "`pool`" in said
    code, said = refused(lambda: scaler.size(tasksPerWorker="many"))
    assert code == invalid and "`tasksPerWorker`" in said
    with scaler.streaming("gpus") as stream:
        until(lambda: stream.code)
        assert stream.code == invalid
    assert scaler.active() is False  # and goes on


def test_health_is_answered(scaler_of: Callable[..., Scaler]) -> None:
    scaler = scaler_of()
    assert scaler.health() == SERVING
    assert scaler.health("externalscaler.ExternalScaler") == SERVING
    assert refused(lambda: scaler.health("other"))[0] == grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_streams_end_cleanly_when_it_is_told_to_end(
    scaler_of: Callable[..., Scaler], number: int
) -> None:
    scaler = scaler_of()
    scaler.submit()
    with scaler.streaming() as busy, scaler.streaming(SYSTEM) as idle:
        assert (busy.next(), idle.next()) == (True, False)
        assert scaler.end(number) == 0
        for stream in (busy, idle):
            stream.thread.join(PATIENCE_S)
            assert stream.code == grpc.StatusCode.OK
            assert False not in stream.left()
    until(lambda: any(signal.Signals(number).name in line for line in scaler.log))


def test_a_port_that_is_taken_is_said(scaler_of: Callable[..., Scaler]) -> None:
    scaler = scaler_of()
    ended = subprocess.run(
        [*COMMAND, "--port", str(scaler.port)],
        capture_output=True,
        text=True,
        env=scaler.settings.as_environment(),
        timeout=PATIENCE_S,
    )
    assert ended.returncode != 0
    assert f"Cannot listen on 127.0.0.1:{scaler.port}." in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_store_that_is_gone_is_never_idle(
    own_postgres: Any, scaler_of: Callable[..., Scaler]
) -> None:
    scaler = scaler_of(store=own_postgres.database())
    scaler.submit()
    scaler.claim()
    with scaler.streaming() as stream:
        assert stream.next() is True
        own_postgres.kill()
        try:
            code, said = refused(scaler.active)
            assert code == grpc.StatusCode.UNAVAILABLE and "geheim" not in said
            assert refused(scaler.size)[0] == grpc.StatusCode.UNAVAILABLE
            assert scaler.health() == SERVING  # to start it again would help nobody
            stream.left()
        finally:
            own_postgres.start()
        assert stream.next() is True
        assert until(lambda: answered(scaler.size)) == 1
        assert False not in stream.left()
    assert not any("geheim" in line for line in scaler.log)


def answered(call: Callable[[], int]) -> int:
    with suppress(grpc.RpcError):
        return call()
    return 0


def test_whatever_happens_it_is_not_idle_while_somebody_works(scaler: Scaler) -> None:
    seed = 5 if "CI" in os.environ else secrets.randbits(32)
    chance = random.Random(seed)  # noqa: S311
    held: list[Held] = []
    with scaler.streaming() as stream:
        # A history of chance alone may never come to more than two tasks.
        for number in range(1, 5):
            scaler.submit()
            assert scaler.size() == number
        for _ in range(150):
            step(chance, scaler, held)
            size = scaler.size()
            assert size >= len(held), f"seed {seed}"
            assert scaler.active() == (size > 0), f"seed {seed}"
        while held:
            held.pop().give_back(0.0)
        scaler.empty()
        assert scaler.size() == 0
        until(lambda: stream.left()[-1:] == [False])


def step(chance: random.Random, scaler: Scaler, held: list[Held]) -> None:
    """One thing that users, workers or the sweep may do."""
    now = time.time() - 1  # the scaler goes by the store's clock, which is a moment apart
    what = chance.choice(("submit", "claim", "claim", "done", "back", "lost", "all"))
    if what == "submit":
        scaler.submit(due=now + chance.choice((0, 0, 600)))
    elif what == "claim":
        if found := claim(scaler.store, now=now):
            held.append(found)
    elif what == "all" and not held:
        scaler.empty()
    elif held:
        mine = held.pop(chance.randrange(len(held)))
        if what == "back":
            mine.give_back(now)
        elif what == "lost":
            mine.lose(now)
        else:
            mine.finish(now) if mine.task.kind == "finish" else mine.read()
