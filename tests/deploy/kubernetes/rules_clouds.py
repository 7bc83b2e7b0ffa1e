"""What must hold of a cloud's own: identities of pods, nodes with GPUs, classes of storage."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from tests.deploy.kubernetes.cluster import Cluster, Pod, matches, name_of
from tests.deploy.kubernetes.rendering import Document
from tests.deploy.kubernetes.rules_pods import GPU, cores_of, gibibytes_of

# Where pods are given their identity: EKS's agent; GKE's metadata server, which hides the
# machine's. In Azure a file says who they are.
EKS = {("169.254.170.23/32", 80), ("fd00:ec2::23/128", 80)}
GKE = {
    ("169.254.169.254/32", 80),
    ("169.254.169.254/32", 8080),
    ("169.254.169.252/32", 987),
    ("169.254.169.252/32", 988),
}
GOOGLES, AZURES = "iam.gke.io/gcp-service-account", "azure.workload.identity/client-id"
USES_AZURES = "azure.workload.identity/use"
LINK_LOCAL = ipaddress.IPv4Network("169.254.0.0/16")
AMAZONS = ipaddress.IPv6Network("fd00:ec2::/32")  # likewise
# By which label nodes with GPUs are chosen: their cores, GiB, and compute capability, the least
# of them where a label tells no more than the GPU.
NODES = {
    "node.kubernetes.io/instance-type": {
        "g4dn.xlarge": (4, 16, 7.5),
        "g4dn.2xlarge": (8, 32, 7.5),
        "g5.xlarge": (4, 16, 8.6),
        "g5.2xlarge": (8, 32, 8.6),
        "g6.xlarge": (4, 16, 8.9),
        "g6.2xlarge": (8, 32, 8.9),
        "Standard_NC4as_T4_v3": (4, 28, 7.5),
        "Standard_NC8as_T4_v3": (8, 56, 7.5),
        "Standard_NV36ads_A10_v5": (36, 440, 8.6),
        "Standard_NC24ads_A100_v4": (24, 220, 8.0),
    },
    "cloud.google.com/gke-accelerator": {
        "nvidia-tesla-t4": (4, 15, 7.5),
        "nvidia-l4": (4, 16, 8.9),
        "nvidia-tesla-a100": (12, 85, 8.0),
    },
}
NODE_KEEPS = 0.8  # of its cores and memory, what is left for a worker
NEEDED_BY_VLLM = 8.0
# Classes of storage as the clouds or the guides of their drivers call them, with how many nodes
# may write.
CLASSES = {
    "efs-sc": "ReadWriteMany",
    "standard-rwx": "ReadWriteMany",
    "azurefile-csi": "ReadWriteMany",
    "ebs-sc": "ReadWriteOnce",
    "standard-rwo": "ReadWriteOnce",
    "managed-csi": "ReadWriteOnce",
}


def identities(cluster: Cluster) -> Iterator[str]:
    """Of link-local addresses pods reach the way to one cloud's identity, whole, or none."""
    opened = {name_of(each): _opened(each) for each in cluster.of("NetworkPolicy")}
    for policy, ways in opened.items():
        if ways and ways not in (EKS, GKE):
            yield f"{policy} opens other link-local addresses than a cloud's identity needs"
        for pod in cluster.pods() if ways else ():
            if pod.spec.get("serviceAccountName") and not _selects(cluster, policy, pod):
                yield f"{policy} does not let {pod.what} ask who it is"
    if sum(bool(ways) for ways in opened.values()) > 1:
        yield "the identities of more than one cloud are reached"
    if any(_annotated(cluster, GOOGLES)) and GKE not in opened.values():
        yield "pods are to have an account of Google's, and do not reach who gives it"


def accounts(cluster: Cluster) -> Iterator[str]:
    """All accounts have an identity, or none; in Azure pods ask for theirs."""
    for key in (GOOGLES, AZURES):
        found = list(_annotated(cluster, key))
        if found and len(found) < len(cluster.of("ServiceAccount")):
            yield f"{', '.join(found)} alone has {key}"
    if any(_annotated(cluster, AZURES)):
        for pod in cluster.pods():
            if pod.spec.get("serviceAccountName") and pod.labels.get(USES_AZURES) != "true":
                yield f"{pod.what} does not ask for its identity of Azure's"


def placed(cluster: Cluster) -> Iterator[str]:
    """Nodes that are asked for by name have a GPU that will do, and room."""
    for pod in cluster.pods():
        for key, values in _nodes(pod):
            for value in values if key in NODES else ():
                if value not in NODES[key]:
                    yield f"{pod.what} asks for nodes {value}, which we do not know"
                else:
                    yield from _fits(pod, value, NODES[key][value])


def stored(cluster: Cluster) -> Iterator[str]:
    """A class of storage is one that we know, and lets as many nodes write as are to."""
    for each in cluster.of("PersistentVolumeClaim"):
        name = each["spec"].get("storageClassName")
        if name and [CLASSES.get(name)] != each["spec"]["accessModes"]:
            yield f"{name_of(each)} is not to be had from {name}"


def _opened(policy: Document) -> set[tuple[str, int]]:
    """The link-local addresses that a policy lets out to, with the ports."""
    return {
        (peer["ipBlock"]["cidr"], port.get("port"))
        for entry in policy["spec"].get("egress", ())
        for peer in entry.get("to", ())
        if _local(peer.get("ipBlock", {}).get("cidr", ""))
        for port in entry.get("ports", [{}])
    }


def _selects(cluster: Cluster, policy: str, pod: Pod) -> bool:
    return any(
        name_of(each) == policy and matches(each["spec"]["podSelector"], pod.labels)
        for each in cluster.of("NetworkPolicy")
    )


def _local(cidr: str) -> bool:
    block = ipaddress.ip_network(cidr) if cidr else None
    if isinstance(block, ipaddress.IPv4Network):
        return block.subnet_of(LINK_LOCAL)
    return isinstance(block, ipaddress.IPv6Network) and block.subnet_of(AMAZONS)


def _annotated(cluster: Cluster, key: str) -> Iterator[str]:
    for each in cluster.of("ServiceAccount"):
        if each["metadata"].get("annotations", {}).get(key):
            yield name_of(each)


def _nodes(pod: Pod) -> Iterator[tuple[str, list[str]]]:
    """What a pod wants nodes to be labelled with."""
    for key, value in pod.spec.get("nodeSelector", {}).items():
        yield key, [value]
    wanted = pod.spec.get("affinity", {}).get("nodeAffinity", {})
    told = wanted.get("requiredDuringSchedulingIgnoredDuringExecution", {})
    for term in told.get("nodeSelectorTerms", ()):
        for each in term["matchExpressions"]:
            yield each["key"], each["values"]


def _fits(pod: Pod, node: str, has: tuple[int, int, float]) -> Iterator[str]:
    cores, memory, capability = has
    asked = pod.containers[-1].spec["resources"]["requests"]
    if (
        cores_of(asked["cpu"]) > NODE_KEEPS * cores
        or gibibytes_of(asked["memory"]) > NODE_KEEPS * memory
    ):
        yield f"{pod.what} does not fit {node}"
    if "/vllm" in pod.containers[-1].spec["image"] and capability < NEEDED_BY_VLLM:
        yield f"{pod.what} needs a GPU of a later kind than {node} has"
    if GPU not in asked:
        yield f"{pod.what} asks for {node}, and for no GPU"
