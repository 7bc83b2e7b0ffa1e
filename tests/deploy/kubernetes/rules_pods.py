"""What must hold of every pod."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pagetide.settings import Settings
from tests.deploy.kubernetes.cluster import Cluster, Container, Pod

GRACE_S = 900
WRITABLE = {"/tmp", "/var/lib/pagetide"}  # noqa: S108 - in the container
MEMORY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


def pinned(cluster: Cluster) -> Iterator[str]:
    """An image names a version of its own, or its hash."""
    for each in _containers(cluster):
        name = each.spec["image"].rpartition("/")[2]
        tag = re.search(r":([\w.-]*\d[\w.-]*)$", name)
        if not tag and not re.search(r"@sha256:[0-9a-f]{64}$", name):
            yield f"{each.what}: its image {each.spec['image']} is not pinned"


def confined(cluster: Cluster) -> Iterator[str]:
    """No root, nothing to write on but volumes, no rights, nothing of the node's."""
    for pod in cluster.pods():
        told = pod.spec.get("securityContext", {})
        if not told.get("runAsNonRoot") or not told.get("runAsUser"):
            yield f"{pod.what} may run as root"
        if told.get("seccompProfile") != {"type": "RuntimeDefault"}:
            yield f"{pod.what} may make any system call"
        shared = {"hostNetwork", "hostPID", "hostIPC"} & {k for k, v in pod.spec.items() if v}
        if shared or any("hostPath" in volume for volume in pod.spec.get("volumes", ())):
            yield f"{pod.what} uses what is the node's"
    for each in _containers(cluster):
        told = each.spec.get("securityContext", {})
        if told.get("readOnlyRootFilesystem") is not True:
            yield f"{each.what} may write on its root"
        if told.get("allowPrivilegeEscalation") is not False or told.get("privileged"):
            yield f"{each.what} may get more rights"
        if told.get("capabilities") != {"drop": ["ALL"]}:
            yield f"{each.what} keeps capabilities"
        if told.get("runAsUser") == 0 or told.get("runAsNonRoot") is False:
            yield f"{each.what} may run as root"


def sized(cluster: Cluster) -> Iterator[str]:
    """Each container says what it needs, and what it may take at most."""
    for each in _containers(cluster):
        told = each.spec.get("resources", {})
        for kind in ("requests", "limits"):
            for what in ("cpu", "memory"):
                if what not in told.get(kind, {}):
                    yield f"{each.what} has no {kind} of {what}"


def room(cluster: Cluster) -> Iterator[str]:
    """A worker may take what it and its sandbox may; the API what its sandbox may."""
    for each in _containers(cluster):
        settings = Settings.from_environment(each.known)
        needed = settings.sandbox_memory_mb * 2**20
        if each.pool:
            needed += settings.recycle_mb * 2**20
        elif each.args[:1] != ["api"]:
            continue
        if _bytes(each.spec["resources"]["limits"]["memory"]) < needed:
            yield f"{each.what} may take less memory than its settings let it"


def own_cores(cluster: Cluster) -> Iterator[str]:
    """A worker takes the cores it may have, not those of the node."""
    limit = {"resourceFieldRef": {"resource": "limits.cpu"}}
    for each in _containers(cluster):
        told = {e["name"]: e.get("valueFrom") for e in each.spec.get("env", ())}
        if each.pool and told.get("PAGETIDE_THREADS") != limit:
            yield f"{each.what} takes all cores of the node"


def probed(cluster: Cluster) -> Iterator[str]:
    """Each container says when it has started, is ready, and is alive."""
    for each in _containers(cluster):
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            if not each.first and probe not in each.spec:
                yield f"{each.what} has no {probe}"


def grace(cluster: Cluster) -> Iterator[str]:
    """A worker is given longer than its longest task, and than it takes to hand it back."""
    for pod in cluster.workers():
        given = pod.spec.get("terminationGracePeriodSeconds", 30)
        for each in pod.containers:
            settings = Settings.from_environment(each.known)
            # It begins no page after 0.6 of its time; the last one may take its deadline.
            last_page = settings.drain_s * 0.6 + settings.page_deadline_s
            if each.pool and not last_page <= settings.drain_s < given:
                yield f"{each.what} is killed before it has drained"
        if given < GRACE_S:
            yield f"{pod.what} has {given} s to end, fewer than {GRACE_S}"


def mounts(cluster: Cluster) -> Iterator[str]:
    """What is mounted is there and used; ours write in two folders alone."""
    for pod in cluster.pods():
        volumes = {volume["name"] for volume in pod.spec.get("volumes", ())}
        claims = pod.owner["spec"].get("volumeClaimTemplates", ())
        volumes |= {claim["metadata"]["name"] for claim in claims}
        used = {m["name"] for c in pod.containers for m in c.spec.get("volumeMounts", ())}
        if volumes != used:
            yield f"{pod.what}: not mounted or not there: {sorted(volumes ^ used)}"
        for each in pod.containers:
            written = {
                mount["mountPath"]
                for mount in each.spec.get("volumeMounts", ())
                if not mount.get("readOnly")
            }
            if each.ours and not written <= WRITABLE:
                yield f"{each.what} writes in {sorted(written - WRITABLE)}"


def tokens(cluster: Cluster) -> Iterator[str]:
    """Nobody is known to Kubernetes but workers that tell it whether they are busy.

    They may patch pods: only together with the policy that says which and how.
    """
    for pod in cluster.pods():
        mounted = pod.spec.get("automountServiceAccountToken", True)
        if mounted != _tells_cost(pod):
            yield f"{pod.what} has a token of Kubernetes without use, or none where it needs it"
    for role in cluster.of("Role", "ClusterRole"):
        for rule in role["rules"]:
            if rule != {"apiGroups": [""], "resources": ["pods"], "verbs": ["patch"]}:
                yield f"{role['kind']} {role['metadata']['name']} allows more than it must"
    bound = {
        each["spec"]["policyName"]: each["spec"]["validationActions"]
        for each in cluster.of("ValidatingAdmissionPolicyBinding")
    }
    policies = [each["metadata"]["name"] for each in cluster.of("ValidatingAdmissionPolicy")]
    if cluster.of("Role") and [bound.get(name) for name in policies] != [["Deny"]]:
        yield "who may patch a pod may patch every pod"


def _tells_cost(pod: Pod) -> bool:
    name = {
        "name": "PAGETIDE_POD_NAME",
        "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}},
    }
    return any(name in each.spec.get("env", ()) for each in pod.containers)


def _containers(cluster: Cluster) -> Iterator[Container]:
    for pod in cluster.pods():
        yield from pod.containers


def _bytes(quantity: str) -> float:
    number, unit = quantity[:-2], quantity[-2:]
    return float(number) * MEMORY[unit]
