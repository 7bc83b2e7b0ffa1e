"""What we demand of the queues of the Azure template, and of what scales by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pagetide.settings import Settings
from tests.deploy.arm import Deployment, Resource
from tests.deploy.azure_processes import APP, JOB, Process, address_of, processes
from tests.deploy.kubernetes.schemas import allowed_triggers, trigger_errors

LEAST, MOST, POLLING_S, COOLDOWN_S = 0, 15, 30, 300
LEAST_TIMEOUT_S = 3600


def complaints(deployment: Deployment) -> Iterator[str]:
    """What is wrong with the queues and the rules."""
    workers = [each for each in processes(deployment) if each.command == "worker"]
    there = {each.name for each in _queues(deployment)}
    wanted = {address_of(workers[0]).dead} if workers else set()
    for worker in workers:
        pool, address = worker.options["pool"], address_of(worker)
        wanted |= set(address.names(pool))
        if address.create:
            yield f"{worker.told}: it would make queues: create=no"
        if address.place not in {each.name for each in _accounts(deployment)}:
            yield f"{worker.told}: there is no account {address.place}"
        for complaint in _scale(worker):
            yield f"{worker.told}: {complaint}"
    yield from (f"the queue {name} is missing" for name in sorted(wanted - there))
    yield from (f"nobody asks the queue {name}" for name in sorted(there - wanted))
    yield from _others(deployment)


def _queues(deployment: Deployment) -> list[Resource]:
    return deployment.of_type("Microsoft.Storage/storageAccounts/queueServices/queues")


def _accounts(deployment: Deployment) -> list[Resource]:
    return deployment.of_type("Microsoft.Storage/storageAccounts")


def _scale(worker: Process) -> Iterator[str]:
    if worker.resource.type == JOB:
        config = worker.resource.properties["configuration"]
        scale = config["eventTriggerConfig"]["scale"]
        bounds = scale["minExecutions"], scale["maxExecutions"]
        rules = scale["rules"]
        if config["triggerType"] != "Event":
            yield "the job waits for no event"
        told = config["eventTriggerConfig"]
        if (told["parallelism"], told["replicaCompletionCount"]) != (1, 1):
            yield "an execution is not one replica, which the rules take it for"
        if config["replicaTimeout"] < LEAST_TIMEOUT_S:
            yield f"an execution is ended after {config['replicaTimeout']} s, at work"
    else:
        scale = worker.resource.properties["template"]["scale"]
        bounds = scale["minReplicas"], scale["maxReplicas"]
        rules = [each["custom"] for each in scale["rules"]]
        if scale["cooldownPeriod"] != COOLDOWN_S:
            yield f"the cooldown is not {COOLDOWN_S} s"
    if scale["pollingInterval"] != POLLING_S:
        yield f"the rules are not asked every {POLLING_S} s"
    if bounds != (LEAST, MOST):
        yield f"it scales from {bounds[0]} to {bounds[1]}, not from {LEAST} to {MOST}"
    yield from _rules(worker, rules)


def _rules(worker: Process, rules: list[Mapping[str, Any]]) -> Iterator[str]:
    pool, address = worker.options["pool"], address_of(worker)
    kinds = {rule["type"] for rule in rules}
    for rule in rules:
        yield from _metadata(rule)
    if kinds == {"azure-queue"}:
        asked = {rule["metadata"].get("queueName") for rule in rules}
        missing = sorted(set(address.names(pool)) - asked)
        yield from (f"no rule asks the queue {name}" for name in missing)
        for rule in rules:
            yield from _queue_rule(worker, rule)
    elif kinds == {"metrics-api"}:
        [rule] = rules
        yield from _backlog_rule(worker, rule)
    else:
        yield f"it scales by {sorted(kinds)}"


def _queue_rule(worker: Process, rule: Mapping[str, Any]) -> Iterator[str]:
    told = rule["metadata"].get("queueName")
    if rule["metadata"].get("accountName") != address_of(worker).place:
        yield f"the rule of {told} asks another account"
    if rule["metadata"].get("queueLengthStrategy", "all") != "all":
        yield f"the rule of {told} does not count what is held: it reads 0 while work goes on"
    if rule.get("identity") not in worker.resource.body["identity"]["userAssignedIdentities"]:
        yield f"the rule of {told} has no identity of its worker"


def _backlog_rule(worker: Process, rule: Mapping[str, Any]) -> Iterator[str]:
    said, pool = rule["metadata"], worker.options["pool"]
    if not said["url"].startswith("https://") or not said["url"].endswith(
        f"/v1/backlog/{pool}"
    ):
        yield f"the rule asks {said['url']}"
    if said["valueLocation"] != "size":
        yield "the rule does not read size: what is held is not counted"
    there = {s["name"] for s in worker.resource.properties["configuration"]["secrets"]}
    if not {auth["secretRef"] for auth in rule["auth"]} <= there:
        yield "the rule's key is a secret that is not there"
    shown = [auth["triggerParameter"] for auth in rule["auth"]]
    if (said.get("authMode"), shown) != ("bearer", ["token"]):
        yield "the rule does not show its key"


def _metadata(rule: Mapping[str, Any]) -> Iterator[str]:
    kind, said = rule["type"], rule["metadata"]
    yield from trigger_errors(dict(rule), allowed_triggers())
    for key, value in said.items():
        if not isinstance(value, str):
            yield f"{kind}: {key} must be a text"
        elif key in ("queueLength", "targetValue") and (not value.isdigit() or int(value) < 1):
            yield f"{kind}: {key} is {value!r}"


def _others(deployment: Deployment) -> Iterator[str]:
    """The sweep runs once, wherever there is an API; a canary has workers."""
    found = {each.command: each for each in processes(deployment)}
    if ("api" in found) != ("sweep" in found):
        yield "an API and a sweep belong together"
    if sweep := found.get("sweep"):
        scale = sweep.resource.properties["template"]["scale"]
        if (scale["minReplicas"], scale["maxReplicas"]) != (1, 1):
            yield "there is not one sweep"
    pools = {each.options["pool"] for each in processes(deployment) if each.command == "worker"}
    if api := found.get("api"):
        settings: Settings = api.settings()
        canary = settings.canary_share
        if missing := ({canary[0]} if canary else set()) | set(settings.pools):
            yield from (f"the pool {pool} has no workers" for pool in sorted(missing - pools))
    for each in deployment.resources:
        ingress = each.properties.get("configuration", {}).get("ingress")
        if each.type == APP and ingress and ingress["external"] is not True:
            yield "the API cannot be reached"
