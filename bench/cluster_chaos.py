"""Chaos in a cluster: see `bench.chaos`.

Two APIs, three workers, real servers; dead processes are restarted as an orchestrator would.
Everything callers see is recorded, and checked against the promises at the end.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing

from bench.cluster_callers import Callers, Errand, habits
from bench.cluster_havoc import Havoc
from bench.cluster_places import wait_for
from bench.cluster_processes import Cluster, cluster
from bench.cluster_rows import Line, table
from bench.cluster_troubled import troubled
from bench.cluster_watch import Recoveries, opened_store
from bench.history import ENDED, Called, Erased, History, Looked, Submitted, Wanted
from bench.promises import PROMISES, Breach, broken
from bench.slowed import slowed
from bench.traces import left_of
from bench.webhook_receiver import Receiver, receiving
from pagetide.server.maintenance.maintenance import GRACE, SEND_AGAIN_S
from tests.serving import pdf, text_of_page

LEASE_S = 4.0
SWEEP_S = 2.0
# The sum of the delays: a lease expires, a sweep, doubt about its holder, a second sweep,
# a second's pause of what was being finished, and a lost wake-up, which a sweep repairs too.
TAKEN_UP_S = LEASE_S * (1 + GRACE) + 2 * SWEEP_S + 1.0 + SEND_AGAIN_S + SWEEP_S
PAGE_S = 0.2
MOST_PAGES = 12
TOLD = 0.5  # of the jobs have a webhook
TOLD_S = 100.0  # until the last of them is called: a lease, and the delays after two failures
QUIET_S = 60.0  # messages of finished tasks are discarded within
FAULTS = "0.1,0.1"
SETTINGS: Mapping[str, object] = {
    "lease_s": LEASE_S,
    "sweep_s": SWEEP_S,
    "task_pages": 2,
    "warm_models": "fake",
    "queue_faults": FAULTS,
    "drain_s": 10,
    "allow_hosts": "127.0.0.1",
    "cache": "yes",
}


def run(store: str, queue: str, *, jobs: int, workers: int, seed: int, slow: float) -> bool:
    """Submit jobs under faults; prints a table; returns whether every bar is reached."""
    print(f"\n{store}+{queue}, {jobs} jobs, seed {seed}, {slow:g} times slower", flush=True)
    history = History()
    with (
        slowed(slow),
        receiving(history) as receiver,
        cluster(
            store, queue, apis=2, workers=workers, settings=SETTINGS, standing=troubled
        ) as running,
    ):
        errands = _errands(jobs, receiver, random.Random(seed))  # noqa: S311 - no secrets
        wanted = [errand.wanted for errand in errands]
        recoveries = Recoveries(running)
        havoc = Havoc(running, recoveries, random.Random(seed + 1))  # noqa: S311
        began = time.monotonic()
        callers = Callers(running.client, history)
        havoc.start(lambda: callers.done / len(errands))
        callers.run(errands)
        havoc.end()
        recoveries.finish()
        seconds = time.monotonic() - began
        _quiet(running, callers, history, wanted)
        breaches = broken(wanted, history.seen)
        lines = [*_kept(breaches), *recoveries.lines(TAKEN_UP_S)]
        lines += _rest(running)
        errors = Counter(
            line.partition(" error ")[2][:110] for line in running.logged(" error pagetide")
        )
    print(f"{seconds:.0f} s; {havoc.said()}; {running.client.retries} requests made again")
    print(_figures(history, receiver))
    for error, count in errors.most_common(6):
        print(f"logged {count} times: {error}")
    print(table(lines), flush=True)
    return all(line.holds for line in lines)


def _errands(jobs: int, receiver: Receiver, chance: random.Random) -> list[Errand]:
    return [_errand(number, receiver, chance) for number in range(jobs)]


def _errand(number: int, receiver: Receiver, chance: random.Random) -> Errand:
    pages, first = chance.randint(1, MOST_PAGES), 100 + 26 * number
    mark, webhook = f"mark{chance.getrandbits(64):016x}", chance.random() < TOLD
    fields = {"model": f"fake?slow={PAGE_S}", "metadata": f'{{"note": "{mark}"}}'}
    if webhook:
        fields["webhook_url"] = f"{receiver.url}/{mark}"
    texts = tuple((n, text_of_page(n, first=first)) for n in range(1, pages + 1))
    return Errand(
        wanted=Wanted(key=f"chaos-{number}", pages=texts, webhook=webhook, mark=mark),
        document=pdf(pages, first=first),
        fields=fields,
        **habits(chance),
    )


def _quiet(
    running: Cluster, callers: Callers, history: History, wanted: Sequence[Wanted]
) -> None:
    """Wait for what is owed, and check everything once more."""
    marks = {each.key: each.mark for each in wanted}
    jobs = {e.job: marks[e.key] for e in history.seen if isinstance(e, Submitted) and e.job}
    try:
        wait_for(lambda: not _owed(wanted, history), TOLD_S, "webhooks are owed")
    except TimeoutError as error:
        print(error)
        _show_owed(running, _owed(wanted, history))
    callers.look_back(list(jobs))
    erased = {e.job: jobs[e.job] for e in history.seen if isinstance(e, Erased)}
    for left in left_of(running, erased):
        history.add(left)


def _owed(wanted: Sequence[Wanted], history: History) -> list[str]:
    """The jobs whose webhooks were not called yet."""
    found = broken(wanted, history.seen)
    return [each.whose for each in found if each.promise == "webhooks that never came"]


def _show_owed(running: Cluster, jobs: Sequence[str]) -> None:
    """Print what the store knows of webhooks that were not called."""
    with closing(opened_store(running)) as store:
        for task in (task for job in jobs for task in store.tasks(job)):
            print(f"{time.time():.0f}: {task}")


def _kept(breaches: Sequence[Breach]) -> list[Line]:
    """A line for each promise, and the first that broke it."""
    for breach in breaches[:30]:
        print(f"{breach.promise}: {breach.whose}: {breach.how}")
    counts = Counter(promise for promise, _ in {(b.promise, b.whose) for b in breaches})
    return [Line.none_of(promise, counts[promise]) for promise in PROMISES]


def _figures(history: History, receiver: Receiver) -> str:
    """The observations, in numbers."""
    seen = history.seen
    ended = {e.job: e.status for e in seen if isinstance(e, Looked) and e.status in ENDED}
    submits = Counter(str(e.code) for e in seen if isinstance(e, Submitted))
    erases = Counter(str(e.code) for e in seen if isinstance(e, Erased))
    calls = sum(isinstance(each, Called) for each in seen)
    return (
        f"{len(seen)} things seen; ended: {dict(Counter(ended.values()))};"
        f" submits: {dict(submits)}; erased: {dict(erases)};"
        f" webhooks: {calls} taken, {receiver.refused} refused"
    )


def _rest(running: Cluster) -> list[Line]:
    """What is left in the queue and of the processes at the end."""
    left = -1

    def quiet() -> bool:
        nonlocal left
        left = running.parts.left()
        return left == 0

    try:
        wait_for(quiet, QUIET_S, "messages are left")
    except TimeoutError as error:
        readings = {scaler.name: scaler.read() for scaler in running.parts.scalers}
        print(f"{error}: {left}; {readings}")
    backlog = running.client.ask("GET", "/v1/backlog/cpu").json()
    dead = running.parts.dead()
    codes = running.stop()
    processes = running.left_over()
    for process in processes:
        print("left over:", process)
    failed = {name: code for name, code in codes.items() if code != 0}
    if failed:
        print("exit codes:", failed)
    return [
        Line.none_of("tasks left in the store", backlog["waiting"] + backlog["leased"]),
        Line.none_of("messages left in the queue", left),
        Line.none_of("messages put aside as dead", dead),
        Line.none_of("processes left over", len(processes)),
        Line.none_of("processes that did not end with 0 when asked", len(failed)),
    ]
