"""Several processes on one store: what is counted is counted by one of them."""

from __future__ import annotations

import io
import re
from collections import Counter, defaultdict
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import httpx
import pytest
from PIL import Image

from bench.cluster_parts import S
from bench.cluster_places import Place
from bench.cluster_processes import Cluster, cluster
from bench.cluster_watch import opened_store
from pagetide.server.ports import Store
from tests.loopback import Loopback, answering, loopback
from tests.parts import forks
from tests.parts.server import free_port, silent_port
from tests.served import PAGETIDE, serving
from tests.serving import pdf
from tests.waiting import until

ask = partial(httpx.request, timeout=60, trust_env=False)
WORKER = ["worker", "--pool", "cpu"]
SLOW = "fake?slow=1"
SETTINGS = {
    "allow_hosts": "127.0.0.1",
    "cache": "yes",
    "sweep": "no",
    "task_pages": 2,
    "warm_models": "fake",
}
_COUNTED = re.compile(r"pagetide_(jobs|pages|page_notices|webhooks|cache_hits)_total\b")


def _counted(urls: list[str], name: str) -> float:
    """The sum of a counter over all servers, as Prometheus would have it."""
    lines = [line for url in urls for line in ask("GET", f"{url}/metrics").text.splitlines()]
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


def test_one_job_on_two_servers_is_summed_as_one(tmp_path: Path) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(serving(tmp_path, keys=0))
        with silent_port() as port:
            pass
        second = forks.Popen(
            [*PAGETIDE, "api"], env={**first.environment, "PAGETIDE_PORT": str(port)}
        )
        stack.callback(second.wait, 120)
        stack.callback(second.terminate)
        urls = [first.url, f"http://127.0.0.1:{port}"]
        until(lambda: _lives(urls[1]))
        files = {"file": ("a.pdf", pdf(3), "application/pdf")}
        job = ask("POST", f"{urls[1]}/v1/jobs", files=files, data={"model": "fake"}).json()
        place = f"{urls[0]}/v1/jobs/{job['id']}"
        until(lambda: ask("GET", place).json()["status"] == "succeeded")
        ended = 'pagetide_jobs_total{model="fake",state="succeeded"}'
        until(lambda: _counted(urls, ended) >= 1)
        pages = 'pagetide_pages_total{model="fake",pool="cpu",state="read"}'
        until(lambda: _counted(urls, pages) >= 3)
        assert _counted(urls, ended) == 1
        assert _counted(urls, pages) == 3
        assert _counted(urls, 'pagetide_jobs_total{model="fake",state="queued"}') == 1


def _lives(url: str) -> bool:
    with suppress(httpx.TransportError):
        return ask("GET", f"{url}/health/live").status_code == 200
    return False


@dataclass(frozen=True)
class Shape:
    """What a cluster stands on, and where its workers' and its sweep's counts are asked for."""

    store: str
    asked: Literal["at each", "at the servers"]


SHAPES = {
    "each process is asked": Shape("postgres", "at each"),
    "the servers hear of the others": Shape("postgres", "at the servers"),
    "the servers hear of the others on one box": Shape("sqlite", "at the servers"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_sums_over_all_processes_are_what_happened(
    request: pytest.FixtureRequest, name: str
) -> None:
    shape = SHAPES[name]

    def give(kind: type[S]) -> S:
        server: S = request.getfixturevalue("postgres")
        return server

    with ExitStack() as ends:
        hooks = ends.enter_context(loopback())
        hooks.answers.update(
            {"/taken": answering(status=204), "/refused": answering(status=500)}
        )
        running = ends.enter_context(
            cluster(
                shape.store,
                "store",
                apis=2,
                workers=0,
                settings=SETTINGS,
                servers=give,
            )
        )
        urls = [f"http://127.0.0.1:{api.port}" for api in running.apis]
        for words in (WORKER, WORKER, ["sweep"]):
            place = _begun(running, words, asked=shape.asked == "at each")
            urls += [f"http://127.0.0.1:{place.port}"] if place.port else []
        ids = _played(running, f"http://127.0.0.1:{hooks.port}")
        store = ends.enter_context(closing(opened_store(running)))
        until(lambda: _all_ended(store, ids))
        until(lambda: {"/taken", "/refused"} <= {each.path for each in hooks.received})
        try:
            until(lambda: _sums(urls) == _happened(store, ids, hooks))
        except AssertionError:  # once they agree no more is asked: a refused one comes again
            assert _sums(urls) == _happened(store, ids, hooks)


def _begun(running: Cluster, words: list[str], *, asked: bool) -> Place:
    """A process beside the servers, which is gone with them."""
    port = free_port() if asked else 0
    name = f"{words[0]}{len(running.workers)}"
    place = Place(
        name=name,
        command=[*PAGETIDE, *words],
        environment=running.environment(health_port=port),
        port=port,
        log=running.folder / f"{name}.log",
        wanted=False,
    )
    running.workers.append(place)
    place.start()
    if asked:
        until(place.ready)
    return place


def _played(running: Cluster, hooks: str) -> list[str]:
    """Jobs that come to every end there is, by their ids."""
    first, second = (f"http://127.0.0.1:{api.port}/v1/jobs" for api in running.apis)
    taken, refused = f"{hooks}/taken", f"{hooks}/refused"
    ids = [
        _sent(first, pdf(3), webhook_url=taken),
        _sent(second, pdf(2, first=300), webhook_url=refused),
        _sent(second, pdf(3, first=400), model="fake?fail=2", webhook_url=taken),
        _sent(first, pdf(1, first=500), model="fake?fail=1"),
        _sent(first, _animation()),
    ]
    until(lambda: ask("GET", f"{second}/{ids[0]}").json()["status"] == "succeeded")
    ids.append(_sent(second, pdf(3)))  # answered from the first
    cancelled = _begun_reading(first)
    ask("POST", f"{second}/{cancelled}/cancel").raise_for_status()
    erased = _begun_reading(second)
    ask("DELETE", f"{first}/{erased}").raise_for_status()
    return [*ids, cancelled, erased]


def _begun_reading(url: str) -> str:
    """A long job of which pages are read already."""
    job_id = _sent(url, pdf(90, first=600), model=SLOW)
    until(lambda: ask("GET", f"{url}/{job_id}").json()["pages_done"] > 1)
    return job_id


def _sent(url: str, content: bytes, **fields: str) -> str:
    files = {"file": ("a", content, "application/octet-stream")}
    answer = ask("POST", url, files=files, data={"model": "fake", **fields})
    return str(answer.raise_for_status().json()["id"])


def _animation() -> bytes:
    """A picture that moves, of which the first is read, and that is said."""
    written = io.BytesIO()
    pictures = [Image.new("L", (64, 64), shade) for shade in (0, 255)]
    pictures[0].save(written, "GIF", save_all=True, append_images=pictures[1:])
    return written.getvalue()


def _all_ended(store: Store, ids: list[str]) -> bool:
    jobs = [store.job(job_id) for job_id in ids]
    return all(job and job.ended for job in jobs)


def _happened(store: Store, ids: list[str], hooks: Loopback) -> dict[str, float]:
    """What the store says of these jobs and what was heard, in the words of `_sums`."""
    called = Counter(each.path for each in hooks.received)
    found = Counter({"notices animation": 1, "webhooks delivered": called["/taken"]})
    found["webhooks failed"] = called["/refused"]
    for job in filter(None, map(store.job, ids)):
        found[f"jobs {job.status}"] += 1
        if job.cached_from:
            found["cache_hits"] += 1
            continue
        found["jobs queued"] += 1
        found["pages read"] += job.pages_done - job.pages_failed
        found["pages failed"] += job.pages_failed
    return {what: float(count) for what, count in found.items()}


def _sums(urls: list[str]) -> dict[str, float]:
    """What all processes have counted, by what it is and its state, code or result."""
    found: defaultdict[str, float] = defaultdict(float)
    for url in urls:
        for line in ask("GET", f"{url}/metrics").text.splitlines():
            if counted := _COUNTED.match(line):
                label = re.search(r'(?:state|code|result)="(\w+)"', line)
                what = f"{counted[1]} {label[1] if label else ''}".strip()
                found[what.removeprefix("page_")] += float(line.rpartition(" ")[2])
    return dict(found)
