"""What pods, their volumes and their triggers are told, against what they do."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.deploy.kubernetes.cluster import Cluster, Pod, matches
from tests.deploy.kubernetes.rendering import ALONE, COMBINATIONS, ROOT, documents, named
from tests.deploy.kubernetes.slips import GONE, Slip, of_pod, put, shared, told

GUIDE = ROOT / "docs" / "how-to" / "deploy-kubernetes.md"
UNITS = {"Mi": 1 << 20, "Gi": 1 << 30}
TIMES = 4  # as large as a document are it, its pictures and what is made of them, at the least
WEIGHTS = 2 << 30  # of PaddleOCR-VL, which its server fetches
REGION = re.compile(r"https://sqs\.([a-z0-9-]+)\.amazonaws\.com/")


def size(text: str) -> int:
    """Bytes."""
    return int(text[:-2]) * UNITS[text[-2:]]


def scratch(cluster: Cluster) -> Iterator[str]:
    """Who opens documents has a scratch disk for the largest."""
    for pod in cluster.pods():
        opening = [each for each in pod.containers if each.pool or each.args[:1] == ["api"]]
        for each in opening:
            [mount] = [m for m in each.spec["volumeMounts"] if m["mountPath"] == "/tmp"]  # noqa: S108
            [volume] = [v for v in pod.spec["volumes"] if v["name"] == mount["name"]]
            least = TIMES * int(each.settings["PAGETIDE_MAX_BYTES"])
            if size(volume["emptyDir"]["sizeLimit"]) < least:
                yield f"{each.what} has too small a /tmp for documents of a {TIMES}th of it"


def weights(cluster: Cluster) -> Iterator[str]:
    """Where a server keeps its model, the model fits in twice: while a new one is fetched."""
    claims = {each["metadata"]["name"]: each for each in cluster.of("PersistentVolumeClaim")}
    for pod in cluster.pods():
        if any(each.spec.get("command", [""])[0] == "vllm" for each in pod.containers):
            for volume in pod.spec["volumes"]:
                name = volume.get("persistentVolumeClaim", {}).get("claimName")
                asked = claims[name]["spec"]["resources"]["requests"] if name else None
                if asked and size(asked["storage"]) < 2 * WEIGHTS:
                    yield f"{name} is too small for the model"


def leaves_late(cluster: Cluster) -> Iterator[str]:
    """Who is asked from outside waits, when told to end, until nobody sends requests."""
    served = [each["spec"]["selector"] for each in cluster.of("Service")]
    for pod in cluster.pods():
        for each in pod.containers:
            asked = any(matches({"matchLabels": one}, pod.labels) for one in served)
            if asked and each.args[:1] == ["api"] and _sleeps_s(each.spec) < _looks_s(pod):
                yield f"{each.what} ends while requests are sent to it"


def _sleeps_s(container: dict[str, object]) -> float:
    stop: object = container.get("lifecycle", {})
    for key in ("preStop", "sleep", "seconds"):
        stop = stop.get(key, {}) if isinstance(stop, dict) else {}
    return float(stop) if isinstance(stop, int) else 0.0


def _looks_s(pod: Pod) -> float:
    probes = [each.spec.get("readinessProbe", {}) for each in pod.containers]
    return max(float(probe.get("periodSeconds", 10)) for probe in probes if probe)


def regions(cluster: Cluster) -> Iterator[str]:
    """A trigger looks for its queue where the settings have it."""
    told = {each.settings["AWS_REGION"] for pod in cluster.pods() for each in pod.containers
            if "AWS_REGION" in each.settings}  # fmt: skip
    for owner, trigger in cluster.triggers():
        if trigger["type"] == "aws-sqs-queue":
            metadata = trigger["metadata"]
            found = REGION.match(metadata["queueURL"])
            if not found or {metadata["awsRegion"], found[1]} != told:
                yield f"{owner['metadata']['name']} counts in another region than {told}"


def most(cluster: Cluster) -> Iterator[str]:
    """As many workers as the guide says; a cluster on a desk has fewer."""
    [promised] = re.findall(r"^\| `pagetide-worker` \| 0 to (\d+)", GUIDE.read_text(), re.M)
    for each in cluster.of("ScaledObject"):
        here = str(each["spec"]["maxReplicaCount"])
        if each["metadata"]["name"] == "pagetide-worker" and here != promised:
            yield f"there are {here} workers, not {promised}"


RULES = (scratch, weights, leaves_late, regions, most)
SLIPS: dict[str, tuple[Slip, str, tuple[str, ...]]] = {
    "a small disk": (
        of_pod("pagetide-worker", "volumes/0/emptyDir/sizeLimit", "99Mi"),
        "base",
        (),
    ),
    "larger documents": (shared("PAGETIDE_MAX_BYTES", str(5 << 30)), "base", ()),
    "a small claim": (
        put("PersistentVolumeClaim", "pagetide-vllm", "spec/resources/requests/storage", "3Gi"),
        "base",
        ("vllm",),
    ),
    "no pause": (of_pod("pagetide-api", "containers/0/lifecycle", GONE), "base", ()),
    "another region": (told(1, "awsRegion", "us-east-1"), "overlays/sqs", ()),
    "few": (put("ScaledObject", "pagetide-worker", "spec/maxReplicaCount", 5), "base", ()),
}


@pytest.mark.parametrize("combination", COMBINATIONS, ids=named)
def test_there_is_room_for_what_is_done(combination: tuple[str, tuple[str, ...]]) -> None:
    cluster = Cluster(documents(*combination))
    rules = [rule for rule in RULES if rule is not most or combination[0] != ALONE]
    assert [said for rule in rules for said in rule(cluster)] == []


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_is_seen(name: str) -> None:
    slip, place, chosen = SLIPS[name]
    cluster = Cluster(documents(place, chosen))
    slip(cluster)
    assert [said for rule in RULES for said in rule(cluster)] != []
