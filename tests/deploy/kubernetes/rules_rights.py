"""What pods may do: on their nodes, and at Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator

from tests.deploy.kubernetes.cluster import Cluster, Container, Pod

ENFORCED = "pod-security.kubernetes.io/enforce"
USUAL_CALLS = {"type": "RuntimeDefault"}


def confined(cluster: Cluster) -> Iterator[str]:
    """No root, nothing to write on but volumes, no rights, nothing of the node's."""
    for each in cluster.of("Namespace"):
        if each["metadata"].get("labels", {}).get(ENFORCED) != "restricted":
            yield f"{each['metadata']['name']} takes pods with any rights"
    for pod in cluster.pods():
        yield from _pod_confined(pod)
        for one in pod.containers:
            yield from _container_confined(one)


def tokens(cluster: Cluster) -> Iterator[str]:
    """Nobody is known to Kubernetes but workers that tell it whether they are busy.

    They may patch pods: only together with the policy that says which and how.
    """
    for pod in cluster.pods():
        mounted = pod.spec.get("automountServiceAccountToken", True)
        if mounted != _tells_cost(pod):
            yield f"{pod.what} has a token of Kubernetes without use, or none where it needs it"
    known = {
        subject["name"]
        for binding in cluster.of("RoleBinding")
        for subject in binding["subjects"]
    }
    for pod in cluster.pods():
        if _tells_cost(pod) and pod.spec.get("serviceAccountName") not in known:
            yield f"{pod.what} may not note what it costs"
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


def _pod_confined(pod: Pod) -> Iterator[str]:
    told = pod.spec.get("securityContext", {})
    if not told.get("runAsNonRoot") or not told.get("runAsUser"):
        yield f"{pod.what} may run as root"
    if told.get("seccompProfile") != USUAL_CALLS:
        yield f"{pod.what} may make any system call"
    shared = {"hostNetwork", "hostPID", "hostIPC"} & {k for k, v in pod.spec.items() if v}
    if shared or any("hostPath" in volume for volume in pod.spec.get("volumes", ())):
        yield f"{pod.what} uses what is the node's"


def _container_confined(container: Container) -> Iterator[str]:
    told = container.spec.get("securityContext", {})
    if told.get("readOnlyRootFilesystem") is not True:
        yield f"{container.what} may write on its root"
    if told.get("allowPrivilegeEscalation") is not False or told.get("privileged"):
        yield f"{container.what} may get more rights"
    if told.get("capabilities") != {"drop": ["ALL"]}:
        yield f"{container.what} keeps capabilities"
    if told.get("seccompProfile", USUAL_CALLS) != USUAL_CALLS:
        yield f"{container.what} may make any system call"
    if any("hostPort" in port for port in container.spec.get("ports", ())):
        yield f"{container.what} uses what is the node's"
    if told.get("runAsUser") == 0 or told.get("runAsNonRoot") is False:
        yield f"{container.what} may run as root"


def _tells_cost(pod: Pod) -> bool:
    name = {
        "name": "PAGETIDE_POD_NAME",
        "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}},
    }
    return any(name in each.spec.get("env", ()) for each in pod.containers)
