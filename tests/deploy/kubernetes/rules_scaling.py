"""What must hold of scalers, and what no schema knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from pagetide.server.service.load.demand import TASKS_A_WORKER
from pagetide.settings import Settings
from tests.deploy.kubernetes.cluster import Cluster, Pod, name_of
from tests.deploy.kubernetes.rendering import Document

DOWN = {
    "stabilizationWindowSeconds": 300,
    "policies": [{"type": "Percent", "value": 10, "periodSeconds": 60}],
}
UP = {
    "stabilizationWindowSeconds": 0,
    "policies": [{"type": "Pods", "value": 15, "periodSeconds": 15}],
}
WORTH_A_WORKER = {
    "external-push": "tasksPerWorker",
    "metrics-api": "targetValue",
    "rabbitmq": "value",
    "aws-sqs-queue": "queueLength",
    "azure-queue": "queueLength",
}
POLLING_S, COOLDOWN_S, HOUR_S = 15, 60, 3600
AUTHENTICATIONS = {
    "metrics-api": ({"token"}, None),
    "rabbitmq": ({"host"}, None),
    "aws-sqs-queue": (set(), "aws"),
    "azure-queue": (set(), "azure-workload"),
}
# By those who take nodes away: a job's pod would be ended like any other.
KEPT = {
    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
    "karpenter.sh/do-not-disrupt": "true",
}
QUEUES = ("first", "interactive", "batch")


def no_replicas(cluster: Cluster) -> Iterator[str]:
    """What a scaler scales says no number itself: applying it would end workers."""
    for scaler in cluster.of("ScaledObject", "HorizontalPodAutoscaler"):
        target = _target(cluster, scaler)
        if target and "replicas" in target["spec"]:
            yield f"{name_of(target)} has replicas, which {name_of(scaler)} decides"
    for pod in cluster.workers():
        if "replicas" in pod.owner["spec"]:
            yield f"{pod.what} has replicas, which a scaler decides"


def one_scaler(cluster: Cluster) -> Iterator[str]:
    """Each Deployment of workers has one scaler, and each scaler a Deployment."""
    scaled: dict[str, list[str]] = {}
    for scaler in cluster.of("ScaledObject", "HorizontalPodAutoscaler"):
        target = _target(cluster, scaler)
        if target is None:
            yield f"{name_of(scaler)} scales nothing that is there"
        else:
            scaled.setdefault(name_of(target), []).append(name_of(scaler))
    for name, by in scaled.items():
        if len(by) > 1:
            yield f"{name} has more than one scaler: {', '.join(by)}"
    for pod in cluster.workers():
        if pod.owner["kind"] == "Deployment" and pod.what not in scaled:
            yield f"{pod.what} has no scaler"


def bounds(cluster: Cluster) -> Iterator[str]:
    """KEDA goes to none, but not at once; a scaler of the cluster's own never does."""
    for each in cluster.of("ScaledObject", "ScaledJob"):
        spec = each["spec"]
        if spec.get("minReplicaCount", 0) != 0:
            yield f"{name_of(each)} never goes to none"
        if spec.get("pollingInterval", 30) > POLLING_S:
            yield f"{name_of(each)} asks less often than every {POLLING_S} s"
        if each["kind"] == "ScaledObject" and spec.get("cooldownPeriod", 300) < COOLDOWN_S:
            yield f"{name_of(each)} goes to none between two jobs"
    for each in cluster.of("HorizontalPodAutoscaler"):
        if not 1 <= each["spec"]["minReplicas"] <= each["spec"]["maxReplicas"]:
            yield f"{name_of(each)} has a least number above its most, or below 1"


def fallback(cluster: Cluster) -> Iterator[str]:
    """While a trigger cannot be read, somebody works, and nobody is taken away."""
    for each in cluster.of("ScaledObject"):
        told = each["spec"].get("fallback", {})
        if told.get("replicas", 0) < 1 or told.get("failureThreshold", 0) < 1:
            yield f"{name_of(each)} has no fallback of at least one"
        elif told.get("behavior") != "currentReplicasIfHigher":
            yield f"{name_of(each)} falls back to fewer than there are"


def speeds(cluster: Cluster) -> Iterator[str]:
    """Up at once; down by a tenth a minute, after five minutes."""
    for each in cluster.of("ScaledObject", "HorizontalPodAutoscaler"):
        spec = each["spec"]
        if each["kind"] == "ScaledObject":
            spec = spec["advanced"]["horizontalPodAutoscalerConfig"]
        behavior = spec.get("behavior", {})
        if behavior.get("scaleDown") != DOWN:
            yield f"{name_of(each)} does not scale down as described"
        if behavior.get("scaleUp") != UP:
            yield f"{name_of(each)} does not scale up at once"


def text_metadata(cluster: Cluster) -> Iterator[str]:
    """KEDA takes text alone: `"10"`, never `10`."""
    for owner, trigger in cluster.triggers():
        for key, value in trigger["metadata"].items():
            if not isinstance(value, str):
                yield f"{name_of(owner)}: {key} of its {trigger['type']} is no text"


def counts_work(cluster: Cluster) -> Iterator[str]:
    """A trigger counts what is being done: else it takes workers away in the middle of it."""
    for owner, trigger in cluster.triggers():
        kind, told = trigger["type"], trigger["metadata"]
        blind = (
            (kind == "rabbitmq" and told.get("protocol") != "http")
            or (kind == "rabbitmq" and told.get("excludeUnacknowledged", "false") != "false")
            or (kind == "aws-sqs-queue" and told.get("scaleOnInFlight", "true") != "true")
            or (kind == "azure-queue" and told.get("queueLengthStrategy", "all") != "all")
            or (kind == "metrics-api" and told.get("valueLocation") != "size")
            or kind.startswith("redis")
        )
        if blind:
            yield f"{name_of(owner)}: its {kind} does not count what is being done"


def woken_at_once(cluster: Cluster) -> Iterator[str]:
    """A Deployment is woken by a push, with another trigger behind it; jobs cannot be."""
    for each in cluster.of("ScaledObject"):
        kinds = [trigger["type"] for trigger in each["spec"]["triggers"]]
        if kinds[:1] != ["external-push"] or len(kinds) < 2:
            yield f"{name_of(each)} is not woken by a push with another trigger behind it"
    for each in cluster.of("ScaledJob"):
        if any(trigger["type"] == "external-push" for trigger in each["spec"]["triggers"]):
            yield f"{name_of(each)} waits for a push, which cannot start jobs"


def one_worth(cluster: Cluster) -> Iterator[str]:
    """All triggers of an object take as many tasks to be worth a worker.

    The API's number counts workers that are kept as `TASKS_A_WORKER` tasks each.
    """
    for each in cluster.of("ScaledObject", "ScaledJob"):
        worth = {
            str(trigger["metadata"].get(WORTH_A_WORKER.get(trigger["type"], "")))
            for trigger in each["spec"]["triggers"]
        }
        if len(worth) != 1 or not all(text.isdigit() and int(text) for text in worth):
            yield f"{name_of(each)}: its triggers disagree on what is worth a worker"
        asks_api = any(trigger["type"] == "metrics-api" for trigger in each["spec"]["triggers"])
        if asks_api and worth != {str(TASKS_A_WORKER)}:
            yield f"{name_of(each)}: the API takes {TASKS_A_WORKER} tasks for a worker"


def jobs_to_their_end(cluster: Cluster) -> Iterator[str]:
    """Jobs are not ended by an update, not counted twice, and not started again."""
    for each in cluster.of("ScaledJob"):
        spec = each["spec"]
        if spec.get("rollout", {}).get("strategy") != "gradual":
            yield f"{name_of(each)} ends running jobs with every update"
        # All triggers that `counts_work` lets pass count what is being done.
        if spec.get("scalingStrategy", {}).get("strategy", "default") != "default":
            yield f"{name_of(each)} has a strategy for counts of what waits alone"
        if spec["jobTargetRef"]["template"]["spec"].get("restartPolicy") != "Never":
            yield f"{name_of(each)} starts failed workers again itself"
        job = spec["jobTargetRef"]
        if job.get("backoffLimit") != 0 or job.get("activeDeadlineSeconds", HOUR_S) < HOUR_S:
            yield f"{name_of(each)} starts workers again, or ends them within the hour"
        workers = [pod for pod in cluster.workers() if pod.owner is each]
        if not all(c.option("--idle-exit") for pod in workers for c in pod.containers):
            yield f"{name_of(each)} has workers that stay when there is nothing to do"
        told = spec["jobTargetRef"]["template"]["metadata"].get("annotations", {})
        if not KEPT.items() <= told.items():
            yield f"{name_of(each)} is ended when a node is given up"


def pools(cluster: Cluster) -> Iterator[str]:
    """A pool that models run in has workers; each worker's triggers look at its own pool."""
    known = _settings(cluster).pools
    working = {pod.pool for pod in cluster.workers()}
    canary = _settings(cluster).canary_share
    if canary and canary[0] not in working:
        yield f"PAGETIDE_CANARY names the pool {canary[0]}, which has no workers"
    for pool in sorted(known):
        if pool not in working:
            yield f"PAGETIDE_POOLS names the pool {pool}, which has no workers"
    for pool in sorted(working):
        if pool.partition("-")[0] not in known:
            yield f"PAGETIDE_POOLS does not name the pool {pool}, which has workers"
    for pod in cluster.workers():
        for scaler in _scalers(cluster, pod):
            for trigger in scaler["spec"].get("triggers", ()):
                seen = _pool_of(trigger)
                if seen not in (pod.pool, None):
                    yield f"{name_of(scaler)}: its {trigger['type']} looks at the pool {seen}"


def all_queues(cluster: Cluster) -> Iterator[str]:
    """A trigger at a broker looks at all three queues of its pool."""
    for each in cluster.of("ScaledObject", "ScaledJob"):
        named = [
            told["queueName"].strip("^$")
            if told.get("useRegex") == "true"
            else re.escape(told.get("queueName") or told["queueURL"].rpartition("/")[2])
            for told in (trigger["metadata"] for trigger in each["spec"]["triggers"])
            if "queueName" in told or "queueURL" in told
        ]
        for pool in {pod.pool for pod in cluster.workers() if each in _scalers(cluster, pod)}:
            wanted = [f"pagetide-{pool}-{queue}" for queue in QUEUES]
            seen = [any(re.fullmatch(form, queue) for form in named) for queue in wanted]
            if named and not all(seen):
                yield f"{name_of(each)} does not look at all queues of the pool {pool}"


def answers_where_asked(cluster: Cluster) -> Iterator[str]:
    """The addresses in triggers are services here, at ports that they have."""
    for owner, trigger in cluster.triggers():
        told = trigger["metadata"]
        address = told.get("scalerAddress") or urlsplit(told.get("url", "")).netloc
        if not address:
            continue
        host, _, port = address.partition(":")
        name, _, rest = host.partition(".")
        service = cluster.find("Service", name)
        if not service or rest != f"{service['metadata']['namespace']}.svc":
            yield f"{name_of(owner)} asks {host}, which is no service here"
        elif port not in {str(each["port"]) for each in service["spec"]["ports"]}:
            yield f"{name_of(owner)} asks {host} at the port {port}, which it has not"


def authenticated(cluster: Cluster) -> Iterator[str]:
    """A trigger shows who it is, in the way that it knows."""
    for owner, trigger in cluster.triggers():
        if trigger["type"] not in AUTHENTICATIONS:
            continue
        name = trigger.get("authenticationRef", {}).get("name", "")
        found = cluster.find("TriggerAuthentication", name) or {"spec": {}}
        given = {each["parameter"] for each in found["spec"].get("secretTargetRef", ())}
        identity = found["spec"].get("podIdentity", {}).get("provider")
        if (given, identity) != AUTHENTICATIONS[trigger["type"]]:
            yield f"{name_of(owner)}: its {trigger['type']} does not show who it is"
        if trigger["type"] == "metrics-api" and trigger["metadata"].get("authMode") != "bearer":
            yield f"{name_of(owner)}: its metrics-api keeps its key to itself"


def _target(cluster: Cluster, scaler: Document) -> Document | None:
    reference = scaler["spec"]["scaleTargetRef"]
    return cluster.find(reference.get("kind", "Deployment"), reference["name"])


def _scalers(cluster: Cluster, pod: Pod) -> list[Document]:
    """The scaler of a pod's owner; a ScaledJob is its own."""
    if pod.owner["kind"] == "ScaledJob":
        return [pod.owner]
    scalers = cluster.of("ScaledObject", "HorizontalPodAutoscaler")
    return [each for each in scalers if _target(cluster, each) == pod.owner]


def _settings(cluster: Cluster) -> Settings:
    """The settings that all processes share."""
    shared = cluster.generated("ConfigMap", "pagetide")
    data = dict(shared["data"]) if shared else {}
    data.pop("PAGETIDE_SECRETS_DIR", None)
    return Settings.from_environment(data)


def _pool_of(trigger: Document) -> str | None:
    told = trigger["metadata"]
    if trigger["type"] == "external-push":
        return str(told.get("pool"))
    if trigger["type"] == "metrics-api":
        return str(told.get("url", "")).rpartition("/v1/backlog/")[2]
    name = str(told.get("queueName") or told.get("queueURL", "").rpartition("/")[2])
    form = rf"\^?pagetide-(.+)-(?:{'|'.join(QUEUES)}|\({'[|]'.join(QUEUES)}\))\$?"
    found = re.fullmatch(form, name)
    return found[1] if found else name
