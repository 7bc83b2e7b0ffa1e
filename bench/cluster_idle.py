"""Scale to zero: what autoscalers read while work is in flight. It may never be 0.

Ten times a second it reads the API's backlog, what `pagetide scaler` tells KEDA, and
what KEDA's own scalers would read in the queue. Only readings between the answer to the
last submit and the end of the last job count.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import httpx

from bench.cluster_parts import Scaler
from bench.cluster_places import wait_for
from bench.cluster_processes import Cluster, cluster
from bench.cluster_rows import Line
from bench.cluster_sizes import Sizes
from tests.serving import pdf

EVERY_S = 0.1
PAGE_S = 1.0
PAGES = 3
LEASE_S = 3.0
SETTINGS: dict[str, object] = {"lease_s": LEASE_S, "task_pages": 1, "warm_models": "fake"}


@dataclass(frozen=True)
class Reading:
    """A scaler's readings between two moments."""

    began: float
    ended: float
    value: int


@dataclass
class Sampler:
    """Reads a scaler repeatedly in a thread of its own."""

    scaler: Scaler
    readings: list[Reading] = field(default_factory=list)
    failed: int = 0

    def run(self, ending: threading.Event) -> None:
        """Read until told to end."""
        while not ending.wait(EVERY_S):
            began = time.time()
            try:
                value = self.scaler.read()
            except Exception as error:  # any exception of a client; it is counted
                self.failed += 1
                print(f"{self.scaler.name}: {type(error).__name__}")
                continue
            if value is not None:
                self.readings.append(Reading(began, time.time(), value))


def rows(sizes: Sizes) -> list[Line]:
    """On every combination."""
    jobs = sizes.of(full=20, small=6)
    return [line for store, queue in sizes.chosen() for line in _on(store, queue, jobs)]


def _on(store: str, queue: str, jobs: int) -> list[Line]:
    with ExitStack() as ends:
        running = ends.enter_context(
            cluster(store, queue, workers=2, scalers=1, settings=SETTINGS)
        )
        samplers = [
            Sampler(scaler) for scaler in (*_ours(running, ends), *running.parts.scalers)
        ]
        running.client.ended(_submit(running, 0))  # the queues exist by then
        wait_for(lambda: running.parts.left() == 0, 30, "messages are left at rest")
        ending = threading.Event()
        threads = [
            threading.Thread(target=sampler.run, args=(ending,), daemon=True)
            for sampler in samplers
        ]
        ids = [_submit(running, n) for n in range(1, jobs + 1)]
        first = time.time()
        for thread in threads:
            thread.start()
        last = max(_moment(running.client.ended(job_id)["finished_at"]) for job_id in ids)
        ending.set()
        for thread in threads:
            thread.join()
    return [_line(f"{store}+{queue}", sampler, first, last) for sampler in samplers]


def _submit(running: Cluster, number: int) -> str:
    return running.client.submit(pdf(PAGES), f"idle-{number}", model=f"fake?slow={PAGE_S}")


def _line(combination: str, sampler: Sampler, first: float, last: float) -> Line:
    scaler = sampler.scaler
    counted = [
        reading
        for reading in sampler.readings
        if first + scaler.slow_s <= reading.began and reading.ended <= last
    ]
    least = min((reading.value for reading in counted), default=-1)
    zeros = sum(reading.value == 0 for reading in counted)
    after = f" (from {scaler.slow_s:g} s on: its figures are late)" if scaler.slow_s else ""
    failed = f", {sampler.failed} failed" if sampler.failed else ""
    return Line(
        measure=f"{combination}: {scaler.name}{after}: least while work is in flight",
        figure=f"{least} ({zeros} of {len(counted)} readings were 0{failed})",
        bar="≥ 1" if scaler.advised else "",
        holds=not scaler.advised or (least >= 1 and not sampler.failed),
    )


def _ours(running: Cluster, ends: ExitStack) -> list[Scaler]:
    """What we report to autoscalers ourselves: by HTTP and by gRPC."""
    http = ends.enter_context(httpx.Client(trust_env=False, timeout=10))
    url = f"http://127.0.0.1:{running.apis[0].port}/v1/backlog/cpu"

    def told(keys: tuple[str, ...]) -> int:
        answer = http.get(url).json()
        return sum(int(answer[key]) for key in keys)

    return [
        Scaler("/v1/backlog size (metrics-api)", True, partial(told, ("size",))),
        Scaler("/v1/backlog waiting + leased", True, partial(told, ("waiting", "leased"))),
        Scaler("pagetide scaler (external-push)", True, _by_grpc(running, ends)),
    ]


def _by_grpc(running: Cluster, ends: ExitStack) -> Callable[[], int]:
    """KEDA's `GetMetrics`."""
    import grpc

    from pagetide.server.scaling.keda.external_scaler import SERVICE, metric_name
    from pagetide.server.scaling.keda.messages import SCALER, messages

    says = messages("externalscaler", SCALER)
    channel = grpc.insecure_channel(f"127.0.0.1:{running.scalers[0].port}")
    ends.callback(channel.close)
    ask = channel.unary_unary(
        f"/{SERVICE}/GetMetrics",
        request_serializer=says["GetMetricsRequest"].SerializeToString,
        response_deserializer=says["GetMetricsResponse"].FromString,
    )
    reference = says["ScaledObjectRef"](scalerMetadata=[says["Pair"](key="pool", value="cpu")])
    asked = says["GetMetricsRequest"](scaledObjectRef=reference, metricName=metric_name("cpu"))

    def told() -> int:
        [value] = ask(asked, timeout=10).metricValues
        return int(value.metricValue)

    return told


def _moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
