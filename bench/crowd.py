"""A crowd against one real `pagetide serve`: `python -m bench.crowd [--clients N]`.

First idle event streams of jobs, and their cost. Then, with these
still open, clients that submit, poll, read, list and erase, and slow readers of a large
result. Overload may answer 429 or 503 with Retry-After, and nothing else; the health is
polled throughout, by a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bench.chaos import family
from bench.cluster_rows import Line, percentile, table
from bench.crowd_streams import Streams
from bench.served import Server, served
from pagetide.system.cpu import model_name
from tests.serving import pdf

IDLE_S = 20.0
HEALTH_S = 0.1
LARGE_PAGES = 400
BLOCKER = {"model": "fake?slow=110"}  # the only worker is busy with it
SETTINGS: dict[str, object] = {"test_models": 1, "cache": 0, "warm_models": "fake"}
TICK = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure and print the table; exit with 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.crowd", description=__doc__)
    parser.add_argument("--clients", type=int, default=500)
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--readers", type=int, default=30, help="slow readers")
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65_536)), hard))
    with served(workers=1, **SETTINGS) as server:
        lines = asyncio.run(_measured(server, given))
        lines.append(Line.none_of("exit code of the server", server.stop()))
    print(f"{table(lines)}\n\n{model_name()}; load {os.getloadavg()[0]:.1f}")
    sys.exit(0 if all(line.holds for line in lines) else 1)


async def _measured(server: Server, given: argparse.Namespace) -> list[Line]:
    large = server.submitted(pdf(LARGE_PAGES), model="fake")
    await _until_ended(server, large)
    blocker = server.submitted(pdf(1), **BLOCKER)
    jobs = [
        server.submitted(pdf(1), model="fake", priority="batch") for _ in range(given.streams)
    ]
    async with Streams(server.url) as streams:
        await streams.watch(jobs)
        lines = await _idle(server, streams, given.streams)
        server.client.delete(f"/v1/jobs/{blocker}")
        os.kill(family(server.process.pid)[0][0], signal.SIGKILL)  # it is still reading
        await streams.read_slowly(f"/v1/jobs/{large}/result?format=json", given.readers)
        lines += await _mixed(server, given)
        lines.append(Line.none_of("slow readers that were cut off", streams.cut))
    return lines


async def _until_ended(server: Server, job: str) -> None:
    while (await asyncio.to_thread(server.status, job, 20))["status"] != "succeeded":
        pass


async def _idle(server: Server, streams: Streams, count: int) -> list[Line]:
    """The cost of idle streams."""
    with probing(server) as health:
        share = await _share(server)
    return [
        Line(
            measure=f"{count} idle event streams: share of a core",
            figure=f"{100 * share:.1f} %",
            bar="≤ 10 %",
            holds=share <= 0.1,
        ),
        Line.none_of("event streams that were cut off", streams.ended),
        _health(health, "idle event streams"),
    ]


async def _share(server: Server) -> float:
    """The share of a core that the API's process takes."""
    pid = family(server.process.pid)[1][0]
    before = _ticks(pid)
    await asyncio.sleep(IDLE_S)
    return (_ticks(pid) - before) / TICK / IDLE_S


def _ticks(pid: int) -> int:
    with open(f"/proc/{pid}/stat") as stat:  # noqa: PTH123 - no file of ours
        fields = stat.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


async def _mixed(server: Server, given: argparse.Namespace) -> list[Line]:
    """The answers to a crowd, and the health check meanwhile."""
    command = [sys.executable, "-m", "bench.crowd_clients", server.url]
    command += [str(given.clients), str(given.seconds)]
    with probing(server) as health:
        clients = await asyncio.create_subprocess_exec(
            *command, stdout=subprocess.PIPE, limit=1 << 26
        )
        printed, _ = await clients.communicate()
    told = json.loads(printed)
    for fault, count in told["faults"].items():
        print(f"{count} times: {fault}")
    lines = [_asked(name, told) for name in told["seconds"]]
    lines.append(
        Line.none_of("answers that overload may not give", sum(told["faults"].values()))
    )
    return [*lines, _health(health, f"{given.clients} clients")]


def _asked(name: str, told: dict[str, Any]) -> Line:
    seconds = told["seconds"][name]
    p50, p95 = (1000 * percentile(seconds, share) for share in (0.5, 0.95))
    codes = Counter(told["codes"][name])
    return Line(
        measure=f"{name}: {len(seconds)} answers {dict(codes)}",
        figure=f"P50 {p50:.0f} ms, P95 {p95:.0f} ms",
    )


def _health(seconds: list[float], beside: str) -> Line:
    p95 = percentile(seconds, 0.95)
    worst = f"longest {1000 * max(seconds):.0f} ms of {len(seconds)}"
    return Line(
        measure=f"health, beside {beside}",
        figure=f"P95 {1000 * p95:.0f} ms, {worst}",
        bar=f"≤ {1000 * HEALTH_S:.0f} ms",
        holds=p95 <= HEALTH_S,
    )


@contextmanager
def probing(server: Server) -> Iterator[list[float]]:
    """A process polls the health; the seconds it took, once this has ended."""
    command = [sys.executable, "-m", "bench.health_probe", server.url]
    found: list[float] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as probe:
        yield found
        printed, _ = probe.communicate()
    found += json.loads(printed)


if __name__ == "__main__":
    main()
