"""Slips as people make them: each is put into good manifests, and a rule must name it."""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.deploy.kubernetes.cluster import Cluster
from tests.deploy.kubernetes.rendering import Document

Slip = Callable[[Cluster], None]
GONE = object()


@dataclass(frozen=True)
class Fault:
    """A slip.

    Attributes:
        slip: Puts it in.
        rule: The rule that must see it.
        said: What it must say, in part.
        place: Into which manifests it is put.
        chosen: With which components.
    """

    slip: Slip
    rule: str
    said: str
    place: str = "base"
    chosen: tuple[str, ...] = ()


def put(kind: str, name: str, path: str, value: object) -> Slip:
    """Set a field: its path is split by `/`, a `~` in it is a `/`; `GONE`
    takes it away."""

    def slip(cluster: Cluster) -> None:
        node: Any = cluster.find(kind, name) or cluster.generated(kind, name)
        named = [step.replace("~", "/") for step in path.split("/")]
        *steps, last = [int(step) if step.isdigit() else step for step in named]
        for step in steps:
            node = node[step]
        if value is GONE:
            del node[last]
        elif isinstance(node, list) and last == len(node):
            node.append(value)
        else:
            node[last] = value

    return slip


def remove(kind: str, name: str) -> Slip:
    """Leave a document away."""

    def slip(cluster: Cluster) -> None:
        gone = cluster.find(kind, name) or cluster.generated(kind, name)
        assert gone
        cluster.documents.remove(gone)

    return slip


def twice(kind: str, name: str, new: str) -> Slip:
    """Copy a document under another name."""

    def slip(cluster: Cluster) -> None:
        found = cluster.find(kind, name)
        assert found
        other = copy.deepcopy(found)
        other["metadata"]["name"] = new
        cluster.documents.append(other)

    return slip


def add(document: Document) -> Slip:
    """Add a document."""
    return lambda cluster: cluster.documents.append(copy.deepcopy(document))


def told(number: int, key: str, value: object, owner: str = "pagetide-worker") -> Slip:
    """Tell a trigger of a ScaledObject something else."""
    return put("ScaledObject", owner, f"spec/triggers/{number}/metadata/{key}", value)


def of_pod(name: str, path: str, value: object) -> Slip:
    """Set a field of a Deployment's pods."""
    return put("Deployment", name, f"spec/template/spec/{path}", value)


def of_worker(path: str, value: object) -> Slip:
    """Set a field of the worker's container."""
    return of_pod("pagetide-worker", f"containers/0/{path}", value)


def shared(name: str, value: object) -> Slip:
    """Set a setting that all processes share."""
    return put("ConfigMap", "pagetide", f"data/{name}", value)


def secret(name: str, text: str) -> Slip:
    """Put an entry into the secret that all processes share."""
    return put("Secret", "pagetide", f"data/{name}", base64.b64encode(text.encode()).decode())
