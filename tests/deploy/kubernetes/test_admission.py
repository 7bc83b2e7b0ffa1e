"""A worker may note its own pod's deletion cost, and nothing else of any pod.

Who may patch pods could give any of them another image. The policy's expressions are run
here as Kubernetes runs them, on what it hands to them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from cel_expr_python import cel
from cel_expr_python.ext import ext_optional

from pagetide.server.worker.deletion_cost import ANNOTATION
from tests.deploy.kubernetes.cluster import Cluster
from tests.deploy.kubernetes.rendering import Document, documents

WORKER = "system:serviceaccount:pagetide:pagetide-worker"
BOUND = "authentication.kubernetes.io/pod-name"
POD: Document = {
    "metadata": {
        "name": "worker-1",
        "labels": {"pagetide/pool": "cpu"},
        "annotations": {"kept": "yes"},
    },
    "spec": {"containers": [{"name": "worker", "image": "pagetide-worker:0.1.0"}]},
}
Change = Callable[[Document], object]


@dataclass(frozen=True)
class Policy:
    """A policy's expressions."""

    conditions: tuple[str, ...]
    validations: tuple[str, ...]

    def refuses(self, request: Document, before: Document, after: Document) -> bool:
        """Whether a change is refused; an expression that fails refuses, too."""
        known = {"request": request, "oldObject": before, "object": after}
        if not all(run(each, known) for each in self.conditions):
            return False
        return not all(run(each, known) for each in self.validations)


def run(expression: str, known: dict[str, Document]) -> bool:
    environment = cel.NewEnv(
        variables=dict.fromkeys(known, cel.Type.DYN), extensions=[ext_optional.ExtOptional()]
    )
    found: Any = environment.compile(expression).eval(data=known)
    return found.plain_value() is True


@pytest.fixture(scope="module")
def policy() -> Policy:
    (found,) = Cluster(documents("base")).of("ValidatingAdmissionPolicy")
    assert found["spec"]["failurePolicy"] == "Fail"
    (rule,) = found["spec"]["matchConstraints"]["resourceRules"]
    assert rule["operations"] == ["UPDATE"] and rule["resources"] == ["pods", "pods/*"]
    return Policy(
        tuple(each["expression"] for each in found["spec"]["matchConditions"]),
        tuple(each["expression"] for each in found["spec"]["validations"]),
    )


def asking(user: str = WORKER, pod: str | None = "worker-1", **more: str) -> Document:
    extra = {} if pod is None else {BOUND: [pod]}
    user_info = {"username": user, **({"extra": extra} if extra else {})}
    return {"name": "worker-1", "userInfo": user_info, **more}


def annotate(pod: Document, name: str = ANNOTATION, value: str = "100") -> None:
    pod["metadata"].setdefault("annotations", {})[name] = value


def changed(change: Change) -> Document:
    pod = copy.deepcopy(POD)
    change(pod)
    return pod


def test_a_worker_may_note_its_own_cost(policy: Policy) -> None:
    assert not policy.refuses(asking(), POD, changed(annotate))


def test_the_first_annotation_of_a_pod_is_taken(policy: Policy) -> None:
    bare = {"metadata": {"name": "worker-1"}, "spec": {}}
    after = copy.deepcopy(bare)
    annotate(after)
    assert not policy.refuses(asking(), bare, after)


def test_nobody_else_may_patch_pods() -> None:
    """The policy knows workers by their account's name: no other may have the role."""
    bindings = Cluster(documents("base")).of("RoleBinding", "ClusterRoleBinding")
    subjects = [each for binding in bindings for each in binding["subjects"]]
    names = [f"system:serviceaccount:{each['namespace']}:{each['name']}" for each in subjects]
    assert names == [WORKER]
    assert {each["kind"] for each in subjects} == {"ServiceAccount"}


def test_others_are_not_concerned(policy: Policy) -> None:
    after = changed(lambda pod: pod["spec"].update(nodeName="n1"))
    assert not policy.refuses(asking("system:kube-scheduler", None), POD, after)


@pytest.mark.parametrize(
    "request_",
    [asking(pod="worker-2"), asking(pod=None), asking(subResource="ephemeralcontainers")],
    ids=["another pod", "a token of no pod", "a container put in"],
)
def test_no_other_pod_and_no_part_of_it(policy: Policy, request_: Document) -> None:
    assert policy.refuses(request_, POD, changed(annotate))


@pytest.mark.parametrize(
    "change",
    [
        lambda pod: pod["spec"]["containers"][0].update(image="another"),
        lambda pod: pod["metadata"]["labels"].update({"app.kubernetes.io/component": "api"}),
        lambda pod: pod["metadata"].pop("labels"),
        lambda pod: pod["metadata"].update(finalizers=["kept/for-ever"]),
        lambda pod: pod["metadata"].update(ownerReferences=[]),
        lambda pod: annotate(pod, "cluster-autoscaler.kubernetes.io/safe-to-evict", "false"),
        lambda pod: annotate(pod, "kept", "no"),
    ],
    ids=["image", "label", "labels", "finalizer", "owner", "new annotation", "annotation"],
)
def test_nothing_but_the_cost(policy: Policy, change: Change) -> None:
    assert policy.refuses(asking(), POD, changed(change))
