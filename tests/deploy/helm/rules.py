"""All that must hold of what the chart makes of a set of values."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.deploy.helm.chart import CHART, is_hook, templated
from tests.deploy.helm.differences import differences, of_the_chart
from tests.deploy.helm.kustomized import by_kustomize
from tests.deploy.kubernetes import (
    rules_pods,
    rules_rights,
    rules_scaling,
    rules_settings,
    schemas,
)
from tests.deploy.kubernetes.cluster import WITHOUT_NAMESPACE, Cluster, matches, name_of
from tests.deploy.kubernetes.rendering import Document
from tests.deploy.kubernetes.rules import allowed_schema, allowed_triggers

Values = dict[str, Any]
ELSEWHERE = "ocr"  # another namespace than the tree's


def complaints(values: Values, chart: Path = CHART) -> list[str]:
    """What is wrong with what the chart makes of values; nothing where all is well."""
    try:
        made = templated(values, chart)
        return [told for check in CHECKS for told in check(made, values, chart)]
    except subprocess.CalledProcessError as error:
        return [str(error.stderr)]


def as_the_tree(made: list[Document], values: Values, _: Path) -> Iterator[str]:
    """It is what Kustomize makes, field by field."""
    yield from differences(made, by_kustomize(values))


def taken(made: list[Document], _: Values, __: Path) -> Iterator[str]:
    """Kubernetes and KEDA take it."""
    for each in made:
        for error in schemas.core_errors(each):
            yield f"{name_of(each)}: {error}"
    bare = Cluster(of_the_chart(made))
    for each in bare.documents:
        each["metadata"].setdefault("namespace", "")
    yield from allowed_schema(bare)
    yield from allowed_triggers(bare)


def anywhere(_: list[Document], values: Values, chart: Path) -> Iterator[str]:
    """In another namespace it is whole, and neither asks nor takes anything of the tree's."""
    cluster = Cluster(templated(values, chart, ELSEWHERE))
    for each in cluster.of(*WITHOUT_NAMESPACE):
        if not each["metadata"]["name"].endswith(f"-{ELSEWHERE}"):
            yield f"{name_of(each)} has the name of another release's"
    yield from rules_rights.tokens(cluster)
    yield from rules_scaling.answers_where_asked(cluster)
    for each in cluster.documents:
        told = each["metadata"].get("namespace", ELSEWHERE)
        subjects = [one.get("namespace") for one in each.get("subjects", ())]
        if {told, *subjects} != {ELSEWHERE}:
            yield f"{name_of(each)} is in another namespace than its release"


def renewed(made: list[Document], values: Values, chart: Path) -> Iterator[str]:
    """With other settings our pods start anew, no others; a job that differs is another."""
    settings = {**values.get("settings", {}), "PAGETIDE_TTL_S": 3600}
    images = {**values.get("images", {}), "pagetide-worker": "elsewhere/pagetide-worker:0.1.9"}
    after = Cluster(templated({**values, "settings": settings, "images": images}, chart))
    for pod in Cluster(made).pods():
        name = pod.owner["metadata"]["name"]
        later = after.find(pod.owner["kind"], name)
        if pod.owner["kind"] == "Job" and later:
            yield f"{name_of(pod.owner)} keeps its name though its content changes"
        elif later:
            ours = pod.labels["app.kubernetes.io/name"] == "pagetide"
            if ours and _sum_of(later) == _sum_of(pod.owner):
                yield f"{name_of(pod.owner)} keeps its pods though settings change"
            if not ours and _sum_of(later) != _sum_of(pod.owner):
                yield f"{name_of(pod.owner)} starts anew though it has no settings"


def tested(made: list[Document], _: Values, __: Path) -> Iterator[str]:
    """`helm test` runs a command that there is, confined as pods are, and reaches the API."""
    hooks = [each for each in made if is_hook(each)]
    pods = [each for each in hooks if each["kind"] == "Pod"]
    if not pods:
        yield "`helm test` tests nothing"
    jobs = [{**each, "kind": "Job", "spec": {"template": each}} for each in pods]
    configured = [each for each in made if each["kind"] in ("ConfigMap", "Secret")]
    cluster = Cluster([*jobs, *configured])
    for rule in (
        rules_rights.confined,
        rules_pods.pinned,
        rules_pods.sized,
        rules_pods.mounts,
        rules_settings.settings_known,
    ):
        yield from rule(cluster)
    yield from _asks_the_api(pods, Cluster(made))
    for pod in cluster.pods():
        for way, peer in (("ingress", "from"), ("egress", "to")):
            if not any(_leads(each, pod.labels, way, peer) for each in hooks):
                yield f"{pod.what} does not reach the API: no {way}"


CHECKS: tuple[Callable[[list[Document], Values, Path], Iterator[str]], ...] = (
    as_the_tree,
    taken,
    anywhere,
    renewed,
    tested,
)


def _asks_the_api(pods: list[Document], cluster: Cluster) -> Iterator[str]:
    """What a test asks the API is what its readiness is asked."""
    asked = set(re.findall(r"http://([\w-]+):(\d+)(/[\w/]+)", json.dumps(pods)))
    told = {
        (service["metadata"]["name"], str(port["port"]), probe["httpGet"]["path"])
        for service in cluster.of("Service")
        for port in service["spec"]["ports"]
        for pod in cluster.pods()
        if matches({"matchLabels": service["spec"]["selector"]}, pod.labels)
        and "httpGet" in (probe := pod.containers[-1].spec["readinessProbe"])
    }
    if not asked or not asked <= told:
        yield f"`helm test` asks {sorted(asked)}, which says nothing of the API"


def _sum_of(owner: Document) -> str | None:
    spec = owner["spec"].get("jobTargetRef", owner["spec"])
    found: str | None = spec["template"]["metadata"].get("annotations", {}).get(SUM)
    return found


SUM = "checksum/settings"


def _leads(policy: Document, labels: dict[str, str], way: str, peer: str) -> bool:
    """Whether a policy leads from a pod to the API, at the one end or at the other."""
    if policy["kind"] != "NetworkPolicy":
        return False
    api = labels | {"app.kubernetes.io/component": "api"}
    here, there = (api, labels) if way == "ingress" else (labels, api)
    return matches(policy["spec"]["podSelector"], here) and any(
        matches(each["podSelector"], there)
        for entry in policy["spec"].get(way, ())
        for each in entry[peer]
    )
