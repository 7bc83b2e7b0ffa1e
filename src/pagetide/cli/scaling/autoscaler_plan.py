"""What the options of `pagetide autoscaler` come to: policies, and what runs the workers."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from pagetide.errors import BadOption
from pagetide.settings import Settings, available_cores
from pagetide.settings.tables import is_pool

if TYPE_CHECKING:
    from pagetide.server.scaling.control_loop import Policy
    from pagetide.server.supervisor.drivers.ports import Driver, Host

TOOLS = ("podman", "docker")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is scaled, and how.

    Attributes:
        policies: What decides, by pool, with its fewest and most workers.
        idle_s: Pools whose workers leave by themselves, each with after how many seconds
            without work; the others' are told to go. Where some always stay none leaves by
            itself: who stays would be for each of them to know.
        grace_s: One that was told to go is killed after so long.
    """

    policies: Mapping[str, Policy]
    idle_s: Mapping[str, float]
    grace_s: float

    @classmethod
    def of(cls, settings: Settings, given: Mapping[str, Any]) -> Plan:
        """The plan that the options make.

        Raises:
            BadOption: One of them is wrong.
        """
        pools = _pools(given["pools"] or ("cpu",), settings)
        told, idle_exit = for_pools(given["policies"], pools), given["idle_exit"]
        policies = {}
        for pool, (least, most) in pools.items():
            policy = _policy(told[pool], least, most)
            if hasattr(policy, "idle_s"):
                policy = _idle(policy, told[pool], settings, idle_exit)
            policies[pool] = policy
        patient = _patient(policies, given)
        if idle_exit is not None and not patient:
            raise BadOption("--idle-exit works only with workers that stop by themselves.")
        if not isfinite(given["grace"]):
            raise BadOption("--grace must be a number of seconds.")
        idle = {
            pool: getattr(policies[pool], "idle_s", idle_exit or settings.idle_s)
            for pool in patient
            if not policies[pool].least
        }
        return cls(policies=policies, idle_s=idle, grace_s=given["grace"])

    @property
    def most(self) -> dict[str, int]:
        """Most workers of each pool."""
        return {pool: policy.most for pool, policy in self.policies.items()}

    def words(self, pool: str) -> list[str]:
        """What a worker of a pool is told besides its pool."""
        return ["--idle-exit", f"{self.idle_s[pool]:g}"] if pool in self.idle_s else []


def for_pools(texts: Sequence[str], pools: Mapping[str, object]) -> dict[str, str]:
    """What each pool was told: `POOL=TEXT`, or `TEXT` for all the others; else empty."""
    found = dict.fromkeys(pools, "")
    parted = [(*text.partition("="), text) for text in texts]
    for *_, text in (each for each in parted if each[0] not in pools):
        found = dict.fromkeys(pools, text)
    return found | {pool: rest for pool, _, rest, _ in parted if pool in pools}


def _patient(policies: Mapping[str, Policy], given: Mapping[str, Any]) -> list[str]:
    """Pools of which workers go when there is nothing to do, and not before."""
    drain = given["drain"]
    return [pool for pool, each in policies.items() if not (drain or each.kills_busy)]


def _pools(texts: Sequence[str], settings: Settings) -> dict[str, tuple[int, int]]:
    """Each pool with its fewest and most workers."""
    from pagetide.server.jobs.job import SYSTEM

    found: dict[str, tuple[int, int]] = {}
    for text in texts:
        name, bounds = _bounds(text, settings)
        if name in found:
            raise BadOption(f"--pool names {name} twice.")
        if name == SYSTEM:
            raise BadOption(f"The pool {SYSTEM} has no workers: run `pagetide sweep` for it.")
        found[name] = bounds
    return found


def _bounds(text: str, settings: Settings) -> tuple[str, tuple[int, int]]:
    """A pool with its fewest and most workers."""
    name, _, numbers = text.partition("=")
    found = re.fullmatch(r"(\d{1,4})(?:\.\.(\d{1,4}))?", numbers, re.ASCII)
    if not is_pool(name) or (numbers and not found):
        raise BadOption(f"--pool must be POOL or POOL=LEAST..MOST, not {text[:80]!r}.")
    if not found:
        return name, (settings.least_workers(name), settings.workers_per_pool)
    least, most = int(found[1]), int(found[2] or found[1])
    if most < max(1, least):
        raise BadOption(f"--pool {text[:80]}: a pool cannot have {least} to {most} workers.")
    return name, (least, most)


def _policy(text: str, least: int, most: int) -> Policy:
    """A policy with these bounds, in place of those that it names."""
    from pagetide.server.scaling.policies import HpaPods, parse_policy

    policy: Any = parse_policy(text or "one-box")
    if policy.one_task_each:
        raise BadOption(
            f"--policy {text[:80]} starts one worker per task; the autoscaler does not"
            " support this."
        )
    if isinstance(policy, HpaPods):
        raise BadOption(
            f"--policy {text[:80]} uses utilization, which the autoscaler cannot see."
        )
    bounded: Policy = replace(policy, least=least, most=most)
    return bounded


def _idle(policy: Any, text: str, settings: Settings, idle_exit: float | None) -> Policy:
    """A policy with the idle time that its workers have."""
    own = policy.idle_s if "idle_s" in text else settings.idle_s
    changed: Policy = replace(policy, idle_s=own if idle_exit is None else idle_exit)
    return changed


def driver_of(settings: Settings, plan: Plan, given: Mapping[str, Any]) -> Driver:
    """What runs the workers.

    Raises:
        BadOption: The options do not go together, or a program is not there.
    """
    command, images = given["command"], given["images"]
    if command is not None and images:
        raise BadOption("Give --image or --command, not both.")
    if not images and (given["tool"] or given["env_file"] or given["run_options"]):
        raise BadOption("--tool, --env-file and --run-option need --image.")
    if command is not None:
        return _commanded(plan, command, _patient(plan.policies, given))
    if given["leave"] and not images:
        raise BadOption(
            "--leave needs --image or --command: worker processes end with the autoscaler."
        )
    from pagetide.server.supervisor.drivers.replicas import Replicas

    host = _containers(plan, given) if images else _processes(settings, plan)
    return Replicas(host, plan.most, grace_s=plan.grace_s, leave_idle=plan.idle_s)


def _commanded(plan: Plan, text: str, patient: Sequence[str]) -> Driver:
    from pagetide.server.supervisor.drivers.command import Command, words_of

    words = words_of(text, plan.policies)
    least = {pool: policy.least for pool, policy in plan.policies.items()}
    return Command(words, least, spare=patient)


def _processes(settings: Settings, plan: Plan) -> Host:
    from pagetide.server.supervisor.drivers.processes import Processes

    def words(pool: str) -> list[str]:
        threads = settings.threads or max(1, available_cores() // plan.most[pool])
        return ["--threads", str(threads), *plan.words(pool)]

    return Processes(settings.as_environment(), words)


def _containers(plan: Plan, given: Mapping[str, Any]) -> Host:
    from pagetide.server.supervisor.drivers.containers import Containers, Running

    images = for_pools(given["images"], plan.policies)
    if missing := [pool for pool, image in images.items() if not image]:
        raise BadOption(f"There is no --image for the pool {missing[0]}.")
    if wrong := [image for image in images.values() if "=" in image]:
        raise BadOption(f"--image {wrong[0][:80]} is for a pool that --pool does not name.")
    if not re.fullmatch(r"[a-z0-9][a-z0-9_.-]{0,62}", given["name"]):
        raise BadOption("--name may have only lower-case letters, digits, dots and dashes.")
    files = [f"--env-file={given['env_file']}"] if given["env_file"] else []

    def options(pool: str) -> list[str]:
        said = (for_pools([text], plan.policies)[pool] for text in given["run_options"])
        return [*files, *filter(None, said)]

    return Containers(
        Running(
            tool=_tool(given["tool"]),
            name=given["name"],
            images=images,
            options=options,
            words=plan.words,
            grace_s=plan.grace_s,
        )
    )


def _tool(named: str | None) -> str:
    """The path of what runs containers."""
    for name in (named,) if named else TOOLS:
        if found := shutil.which(name):
            return found
    raise BadOption(f"Not found on this machine: {named or ' or '.join(TOOLS)}.")
