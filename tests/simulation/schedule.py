"""One schedule: faults for a while, then quiet until all is done, then what must hold."""

from __future__ import annotations

import random
from unittest.mock import patch

from tests.simulation.faults import START
from tests.simulation.world import Asker, Eraser, World, settled

STEPS = 60
ROUNDS = 600
HOUR_S = 3600.0


def breaches(seed: int, trace: list[str] | None = None, *, steps: int = STEPS) -> list[str]:
    """What does not hold after the schedule of a seed; nothing, if all is well.

    Args:
        seed: The same one gives the same schedule.
        trace: Gets what was done, and when.
        steps: So many of the schedule's steps in trouble.
    """
    rng = random.Random(seed)  # noqa: S311 - a schedule is no secret
    with patch("secrets.token_hex", lambda count: rng.randbytes(count).hex()):
        return _played(World(rng), steps, [] if trace is None else trace)


def _played(world: World, steps: int, trace: list[str]) -> list[str]:
    world.chances.quiet = True
    for process in world.processes:
        world.step(process)  # all are up before anything fails
    world.chances.quiet = False
    _in_trouble(world, steps, trace)
    world.chances.quiet = True
    world.chances.away = False
    world.chances.land()
    quiet = settled(world)
    for _ in range(ROUNDS):
        if quiet():
            break
        world.now += 5.0
        for process in world.processes:
            world.step(process)
        world.pass_time()
    else:
        return ["it does not come to its end", *_found(world)]
    _swept(world)
    for process in world.processes:
        if claims := getattr(process, "claims", None):
            claims.close()
    return _found(world)


def _in_trouble(world: World, steps: int, trace: list[str]) -> None:
    rng, outage = world.rng, 0
    jump = rng.randrange(4 * STEPS)  # one in four has the clocks put ahead
    for number in range(steps):
        if number == jump:
            world.now += rng.choice([60.0, 600.0])
        if not outage and rng.random() < 0.02:
            outage = rng.randint(1, 20)
            world.chances.away = True
        elif outage:
            outage -= 1
            world.now += 5.0  # so that it may outlast a lease
            world.chances.away = outage > 0
        if rng.random() < 0.1:
            world.chances.land()
        process = rng.choice(world.processes)
        trace.append(f"{world.now - START:.3f} {type(process).__name__} {world.chances.failed}")
        world.step(process)
        world.pass_time()


def _swept(world: World) -> None:
    """Time enough for all that is nobody's to be found twice."""
    for _ in range(4):
        world.now += 1.5 * HOUR_S
        for process in world.processes:
            if not isinstance(process, Asker | Eraser):
                world.step(process)


def _found(world: World) -> list[str]:
    found = list(world.wrong)
    if world.charged > world.deaths:
        found.append(f"{world.deaths} died at work, and {world.charged} tries are counted")
    for job_id, asked in world.accepted.items():
        job = world.store.job(job_id)
        if job is None:
            found.append(f"{job_id} is gone")
            continue
        keys = [blob.key for blob in world.blobs.under(job.prefix)]
        if job_id in world.erased:
            if keys or world.store.tasks(job_id) or not job.cleared:
                found.append(f"{job_id} was erased, and {keys} are left")
            continue
        whole = ",".join(map(str, range(1, asked.page_count + 1))).encode()
        result = f"{job.prefix}results/document.json"
        if job.status != "succeeded":
            found.append(f"{job_id} is {job.status}: {job.error}")
        elif world.blobs.get(result) != whole:
            found.append(f"{job_id} has {world.blobs.get(result)!r}")
        if asked.webhook_url and not world.told[job_id]:
            found.append(f"{job_id} ended, and nobody was told")
    found += [f"{job} ended {times} times" for job, times in world.ends.items() if times > 1]
    if not world.store._jobs:
        return found  # to a store without a job all blobs are another's, and it lets them be
    known = {f"jobs/{job}/" for job in world.store._jobs}
    strays = {"/".join(key.split("/")[:2]) + "/" for key in world.blobs.kept if "jobs/" in key}
    found += [f"{prefix} is nobody's" for prefix in strays - known]
    return found
