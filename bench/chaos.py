"""Kill and stall the service at random while it reads: `python -m bench.chaos [--jobs N]`.

On one box, jobs are submitted to a real `pagetide serve`, once undisturbed and once while its
workers and its API process are killed with `kill -9` and workers are stopped for longer than
a lease. Every job must end once, with the text of the undisturbed run, and no process may be
left.

With `--store` and `--queue`, or `--all`, it is a cluster of separate processes on real servers,
with a model that only says how wide each page is; then the broker is killed and emptied as
well, and wake-ups are lost and doubled.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from bench.corpus import SAMPLES
from bench.served import Server, served, wait_for_all

LEASE_S = 4.0
CHAOTIC = {"lease_s": LEASE_S, "cache": "no", "task_pages": 2, "idle_s": 5, "threads": 1}
KILL_EVERY_S = (2.0, 7.0)
DOCUMENTS = ("mixed.pdf", "receipt.jpg", "table.png", "two_columns.png", "chinese_english.png")


def main() -> None:
    """Run both, compare, print, and exit with 1 if anything was lost or doubled."""
    parser = argparse.ArgumentParser(prog="python -m bench.chaos", description=__doc__)
    parser.add_argument("--jobs", type=int, help="300 on one box, 100 in a cluster")
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", help="sqlite, postgres or dynamodb")
    parser.add_argument("--queue", help="store, redis, amqp, sqs or azurequeue")
    parser.add_argument("--slow", type=float, default=1, help="slow-down factor, in a cluster")
    parser.add_argument("--all", action="store_true", help="all combinations, one by one")
    arguments = parser.parse_args()
    if arguments.all or arguments.store or arguments.queue:
        in_cluster(parser, arguments)
    arguments.jobs = arguments.jobs or 300
    chance = random.Random(arguments.seed)  # noqa: S311 - not for secrets
    names = [chance.choice(DOCUMENTS) for _ in range(arguments.jobs)]
    expected = undisturbed()
    with served(workers=arguments.workers, **CHAOTIC) as server:
        below = {server.process.pid}
        ending = threading.Event()
        havoc: Counter[str] = Counter()
        started = time.monotonic()
        thread = threading.Thread(
            target=disturb, args=(server.process.pid, ending, havoc, chance, below)
        )
        thread.start()
        ids = [server.submit(SAMPLES / name, f"chaos-{i}") for i, name in enumerate(names)]
        statuses = wait_for_all(server, ids)
        ending.set()
        thread.join()
        seconds = time.monotonic() - started
        wrong = [
            (name, job_id)
            for name, job_id in zip(names, ids, strict=True)
            if texts(server.document(job_id)) != expected[name]
        ]
        listed = count_jobs(server)
        again = {job_id: server.status(job_id)["finished_at"] for job_id in ids}
        doubled = [i for i in ids if again[i] != statuses[i]["finished_at"]]
        code = server.stop()
        left = remaining(below)
    ended = Counter(str(status["status"]) for status in statuses.values())
    print(f"{arguments.jobs} jobs in {seconds:.0f} s, disturbed by {dict(havoc)}")
    print(f"ended: {dict(ended)}; jobs in the store: {listed}; server's exit code: {code}")
    figures = {
        "jobs lost": 2 * arguments.jobs - sum(ended.values()) - len(set(ids)),
        "jobs ended twice, or stored twice": len(doubled) + listed - len(ids),
        "results unlike the undisturbed run's": len(wrong),
        "processes left over": len(left),
    }
    show(figures, [*map(str, wrong[:10]), *left])
    sys.exit(0 if not any(figures.values()) and set(ended) == {"succeeded"} else 1)


def in_cluster(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> NoReturn:
    """Run it in a cluster, or in several one after the other."""
    from bench import cluster_chaos
    from bench.cluster_parts import COMBINATIONS, QUEUES, STORES
    from bench.cluster_processes import end_on_sigterm

    chosen = [(arguments.store or "postgres", arguments.queue or "store")]
    if chosen[0][0] not in STORES or chosen[0][1] not in QUEUES:
        parser.error(f"stores: {', '.join(STORES)}; queues: {', '.join(QUEUES)}")
    end_on_sigterm()
    given = {"jobs": arguments.jobs or 100, "workers": arguments.workers}
    given["slow"] = arguments.slow
    reached = {
        f"{store}+{queue}": cluster_chaos.run(store, queue, seed=arguments.seed, **given)
        for store, queue in (COMBINATIONS if arguments.all else chosen)
    }
    for name, well in reached.items():
        print(f"{name}: {'all bars reached' if well else 'SHORT'}")
    sys.exit(0 if all(reached.values()) else 1)


def show(figures: dict[str, int], details: list[str]) -> None:
    """Print the table and the faults."""
    print("| measure | figure | bar |\n| --- | --- | --- |")
    for measure, figure in figures.items():
        print(f"| {measure} | {figure} | 0 |")
    for detail in details:
        print("wrong:", detail)


def undisturbed() -> dict[str, list[str]]:
    """Every document's pages as text, from an undisturbed server."""
    with served(workers=1, **CHAOTIC) as server:
        ids = {name: server.submit(SAMPLES / name, f"calm-{name}") for name in DOCUMENTS}
        wait_for_all(server, list(ids.values()))
        found = {name: texts(server.document(job_id)) for name, job_id in ids.items()}
        assert server.stop() == 0
    return found


def disturb(
    server: int,
    ending: threading.Event,
    havoc: Counter[str],
    chance: random.Random,
    below: set[int],
) -> None:
    """Kill or stall a process below the server, again and again."""
    stalled: list[tuple[float, int]] = []
    while not ending.wait(chance.uniform(*KILL_EVERY_S)):
        workers, apis, others = family(server)
        below.update(workers, apis, others)
        now = time.monotonic()
        for due, pid in list(stalled):
            if due < now:
                stalled.remove((due, pid))
                send(pid, signal.SIGCONT)
        kind = chance.choices(["worker", "api", "stall"], [6, 2, 2])[0]
        victims = apis if kind == "api" else workers
        if not victims:
            continue
        victim = chance.choice(victims)
        if kind == "stall":
            stalled.append((now + LEASE_S * 1.5, victim))
        send(victim, signal.SIGSTOP if kind == "stall" else signal.SIGKILL)
        havoc[f"{kind}s"] += 1
    for _, pid in stalled:
        send(pid, signal.SIGCONT)


def family(server: int) -> tuple[list[int], list[int], list[int]]:
    """The workers, the API process, and all other processes below a server."""
    parents, commands = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError, ValueError):
            pid = int(folder.name)
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[pid] = int(fields[1])
            commands[pid] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    below: list[int] = []
    layer = [server]
    while layer:
        layer = [pid for pid, parent in parents.items() if parent in layer]
        below += layer
    apis = [pid for pid in below if " api --fd" in commands[pid]]
    forks = [pid for pid in below if "forkserver" in commands[pid]]
    workers = [pid for pid in forks if parents[pid] in forks]
    return workers, apis, [pid for pid in below if pid not in (*workers, *apis)]


def count_jobs(server: Server) -> int:
    """How many jobs the server knows."""
    count, cursor = 0, None
    while True:
        parameters = {"limit": "100", **({"cursor": cursor} if cursor else {})}
        answer = server.client.get("/v1/jobs", params=parameters).json()
        count += len(answer["jobs"])
        cursor = answer["next_cursor"]
        if not cursor:
            return count


def texts(document: dict[str, object]) -> list[str]:
    """The comparable content of a run: every page's number and its lines' text."""
    pages = document["pages"]
    assert isinstance(pages, list)
    return [
        json.dumps([page["number"], [line["text"] for line in page.get("lines", [])]])
        for page in pages
    ]


def remaining(below: set[int], seconds: float = 5) -> list[str]:
    """The commands of processes that still run this many seconds after their server's end."""
    deadline = time.monotonic() + seconds
    while (left := [pid for pid in below if alive(pid)]) and time.monotonic() < deadline:
        time.sleep(0.1)
    return [
        Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode() for pid in left
    ]


def send(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may be gone."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def alive(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    main()
