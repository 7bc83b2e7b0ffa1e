"""What must hold of every pod."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from pagetide.settings import Settings
from tests.deploy.kubernetes.cluster import Cluster, Container
from tests.deploy.kubernetes.rendering import Document

GRACE_S = 900
LOADING_S, SILENT_S = 300, 60
PROBES = {
    "startupProbe": "/health/",
    "readinessProbe": "/health/ready",
    "livenessProbe": "/health/live",
}
WRITABLE = {"/tmp", "/var/lib/pagetide"}  # noqa: S108 - in the container
GPU = "nvidia.com/gpu"
NODE_CORES = 1.6  # of two: EKS gives pods 1.93, and the node's own pods ask for some 0.3
MEMORY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


def pinned(cluster: Cluster) -> Iterator[str]:
    """An image names a version of its own, or its hash."""
    for each in _containers(cluster):
        name = each.spec["image"].rpartition("/")[2]
        tag = re.search(r":([\w.-]*\d[\w.-]*)$", name)
        if not tag and not re.search(r"@sha256:[0-9a-f]{64}$", name):
            yield f"{each.what}: its image {each.spec['image']} is not pinned"


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


def small_nodes(cluster: Cluster) -> Iterator[str]:
    """A worker without a GPU fits a node of two cores, by which its price is told."""
    for each in _containers(cluster):
        asked = each.spec["resources"]
        if not each.pool or GPU in asked["limits"] or each.known.get("PAGETIDE_VL_URL"):
            continue
        if cores_of(asked["requests"]["cpu"]) > NODE_CORES:
            yield f"{each.what} asks for more than a node of two cores has left"
        if cores_of(asked["limits"]["cpu"]) > 2:
            yield f"{each.what} starts more threads than a node of two cores has"


def gpus(cluster: Cluster) -> Iterator[str]:
    """A GPU is paid for where it is used, and nowhere else; nodes with one let its pod in."""
    for pod in cluster.pods():
        for each in pod.containers:
            if each.first:
                continue
            paid = each.spec["resources"]["limits"].get(GPU) == "1"
            built = each.spec["image"].endswith("-cuda") or "/vllm" in each.spec["image"]
            used = each.known.get("PAGETIDE_RUNTIME") == "cuda" if each.ours else built
            if not paid == built == used:
                yield f"{each.what}: the GPU is paid for: {paid}, used: {used}"
            elif built and GPU not in [t.get("key") for t in pod.spec.get("tolerations", ())]:
                yield f"{each.what} is let on to no node with a GPU"


def probed(cluster: Cluster) -> Iterator[str]:
    """Each container says when it has started, is ready, and is alive.

    A worker has time to load its models, and one that drains is alive though not ready.
    """
    for each in _containers(cluster):
        if each.first:
            continue
        for probe, path in PROBES.items():
            if probe not in each.spec:
                yield f"{each.what} has no {probe}"
            elif each.ours and not _asks(each.spec[probe], path):
                yield f"{each.what}: its {probe} does not ask at {path}"
        started = each.spec.get("startupProbe", {})
        given = started.get("periodSeconds", 10) * started.get("failureThreshold", 3)
        if each.pool and given < LOADING_S:
            yield f"{each.what} is ended {given} s after its start, while its models load"
        alive = each.spec.get("livenessProbe", {})
        if alive.get("periodSeconds", 10) * alive.get("failureThreshold", 3) < SILENT_S:
            yield f"{each.what} is ended for a short silence"


def grace(cluster: Cluster) -> Iterator[str]:
    """A worker is given longer than its longest task, and than it takes to hand it back."""
    for pod in cluster.workers():
        given = pod.spec.get("terminationGracePeriodSeconds", 30)
        for each in pod.containers:
            settings = Settings.from_environment(each.known)
            # It begins no page after 0.6 of its time; the last one may take its deadline.
            last_page = settings.drain_s * 0.6 + settings.page_deadline_s
            slept = each.spec.get("lifecycle", {}).get("preStop", {}).get("sleep", {})
            left = given - slept.get("seconds", 0)
            if each.pool and not last_page <= settings.drain_s < left:
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
            if each.ours:
                yield from _written(each)


def shared_documents(cluster: Cluster) -> Iterator[str]:
    """Documents in a folder are in one that all processes share."""
    for each in _containers(cluster):
        place = urlsplit(each.settings.get("PAGETIDE_BLOBS", ""))
        kept = not each.first and each.ours and place.scheme == "file"
        if kept and not _claim_at(cluster, each, PurePosixPath(place.path)):
            yield f"{each.what} keeps documents where no other process sees them"


def _written(container: Container) -> Iterator[str]:
    mounted = container.spec.get("volumeMounts", ())
    places = {each["mountPath"] for each in mounted if not each.get("readOnly")}
    if not places <= WRITABLE:
        yield f"{container.what} writes in {sorted(places - WRITABLE)}"
    for name in ("CACHE_DIR", "DATA_DIR", "MODELS_DIR"):
        told = container.settings.get(f"PAGETIDE_{name}")
        folders = [str(each) for each in PurePosixPath(told or "/", "x").parents]
        if told and places.isdisjoint(folders):
            yield f"{container.what} has its {name} where it may not write"


def _asks(probe: Document, path: str) -> bool:
    return "grpc" in probe or probe.get("httpGet", {}).get("path", "").startswith(path)


def _claim_at(cluster: Cluster, container: Container, folder: PurePosixPath) -> str:
    """The claim that a folder of a container is on; empty where it is on none."""
    [pod] = [pod for pod in cluster.pods() if container in pod.containers]
    claims = {
        each["name"]: str(each.get("persistentVolumeClaim", {}).get("claimName", ""))
        for each in pod.spec.get("volumes", ())
    }
    mounted = {m["mountPath"]: m["name"] for m in container.spec.get("volumeMounts", ())}
    found = next((str(each) for each in folder.parents if str(each) in mounted), "")
    return claims.get(mounted.get(found, ""), "")


def _containers(cluster: Cluster) -> Iterator[Container]:
    for pod in cluster.pods():
        yield from pod.containers


def gibibytes_of(quantity: str) -> float:
    """What `512Mi` is in GiB."""
    return _bytes(quantity) / MEMORY["Gi"]


def _bytes(quantity: str) -> float:
    number, unit = quantity[:-2], quantity[-2:]
    return float(number) * MEMORY[unit]


def cores_of(quantity: str) -> float:
    """What `1500m` or `2` is in cores."""
    return float(quantity[:-1]) / 1000 if quantity.endswith("m") else float(quantity)
