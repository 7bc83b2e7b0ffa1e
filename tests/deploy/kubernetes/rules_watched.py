"""What must hold of dashboards: Grafana finds them, and their queries find something."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from tests.deploy.kubernetes.cluster import Cluster, matches, name_of
from tests.deploy.kubernetes.rendering import Document

SIDECAR = "grafana_dashboard"  # the label that Grafana's sidecar looks for


def dashboards_of(cluster: Cluster) -> list[Document]:
    """The ConfigMaps that hold dashboards, labelled or not."""
    return [
        each
        for each in cluster.of("ConfigMap")
        if any(name.endswith(".json") for name in each.get("data", {}))
    ]


def dashboards(cluster: Cluster) -> Iterator[str]:
    """Dashboards are found by their label, and differ; the jobs they ask for are scraped."""
    seen: set[str] = set()
    for each in dashboards_of(cluster):
        if each["metadata"].get("labels", {}).get(SIDECAR) != "1":
            yield f"{name_of(each)} is not found by Grafana's sidecar"
        for text in each["data"].values():
            board = json.loads(text)
            if board["uid"] in seen:
                yield f"{name_of(each)} has the uid of another"
            seen.add(board["uid"])
            asked = set(re.findall(r'\bjob=\\"(\w+)\\"', text))
            for job in sorted(asked - _jobs(cluster)):
                yield f"{name_of(each)} asks for the job {job}, which nobody scrapes"
    if cluster.of("PodMonitor") and "pagetide" not in seen:
        yield "what is scraped is on no dashboard"


def _jobs(cluster: Cluster) -> set[str]:
    """What series say as their job: a label of what they come from, where a monitor says so."""
    return {
        pod.labels.get(each["spec"].get("jobLabel", ""), "")
        for each in cluster.of("PodMonitor", "ServiceMonitor")
        for pod in cluster.pods()
        if matches(each["spec"]["selector"], pod.labels)
    }
