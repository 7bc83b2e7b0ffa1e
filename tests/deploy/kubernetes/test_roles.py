"""The role of workers against what they ask of Kubernetes, as it is really asked."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from pagetide.server.worker.deletion_cost import BUSY, IDLE, Pod
from tests.deploy.kubernetes.cluster import Cluster
from tests.deploy.kubernetes.rendering import documents
from tests.unit.test_deletion_cost import POD, kubernetes

Right = tuple[str, str, str]  # a verb, a group, a resource


def asked(path: str) -> Right:
    """What a PATCH of a path needs."""
    _, api, version, _, _, resource, _ = path.split("/")
    assert (api, version) == ("api", "v1")  # of the core, whose group has no name
    return "patch", "", resource


def test_the_role_of_workers_is_what_they_ask(tmp_path: Path) -> None:
    with kubernetes(tmp_path) as api, closing(Pod(POD, api=api.url, account=tmp_path)) as pod:
        for cost in (BUSY, IDLE):
            pod.annotate(cost)
    given = {
        (verb, group, resource)
        for role in Cluster(documents("base")).of("Role", "ClusterRole")
        for rule in role["rules"]
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }
    assert given == {asked(path) for path in api.asked}
