"""What must hold of who may reach whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, urlsplit

from tests.deploy.kubernetes.cluster import Cluster, Pod, matches, name_of
from tests.deploy.kubernetes.rendering import Document
from tests.deploy.kubernetes.rules_names import ports_of, selector_of

NAMESPACE = "kubernetes.io/metadata.name"
KEDA = [{"namespaceSelector": {"matchLabels": {NAMESPACE: "keda"}}}]
ANY_PORT = 8443  # of whoever has documents, or is called
NAMES = ((53, "UDP"), (53, "TCP"))
# Kubernetes' own address is a service at 443; behind it answers a node, most often at 6443.
KUBERNETES = ((443, "TCP"), (6443, "TCP"))
PLACES = ("store", "queue", "blobs", "results", "vl_url")
PORTS = {"postgresql": 5432, "redis": 6379, "rediss": 6379, "amqp": 5672, "amqps": 5671}
PORTS |= {"http": 80, "file": 0, "sqlite": 0, "store": 0}
METADATA = "169.254.0.0/16"  # where machines of clouds are given their identity, over http


@dataclass(frozen=True)
class Place:
    """Where something answers.

    Attributes:
        pod: The pod here that does; None where it is anywhere.
        within: Whether it is a pod or a node, which some network plug-ins (Cilium) do not
            take to be in any block of addresses.
    """

    port: int
    protocol: str = "TCP"
    pod: Pod | None = None
    within: bool = False


def closed(cluster: Cluster) -> Iterator[str]:
    """Nothing is open unless said; to the scaler comes KEDA alone."""
    policies = cluster.of("NetworkPolicy")
    everything = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    if not any(each["spec"] == everything for each in policies):
        yield "pods may reach and be reached unless a policy says otherwise"
    for service in cluster.of("Service"):
        labels = selector_of(service) or {}
        chosen = [pod for pod in cluster.pods() if matches(labels, pod.labels)]
        for pod in chosen:
            entries = list(_entries(policies, pod, "ingress"))
            if not entries:
                yield f"{name_of(service)} leads to {pod.what}, which nobody may reach"
            for entry in entries:
                if not entry.get("from") or not entry.get("ports"):
                    yield f"{pod.what} may be reached by anybody, or at any port"
    for pod in cluster.pods():
        if any(each.args[:1] == ["scaler"] for each in pod.containers):
            yield from _scaler_reached(policies, pod)


def let_in(cluster: Cluster) -> Iterator[str]:
    """Whoever asks a pod is let in: KEDA, Prometheus, the ingress, another pod of ours."""
    policies = cluster.of("NetworkPolicy")
    for who, namespace, pod in _asking(cluster):
        peer = {"namespaceSelector": {"matchLabels": {NAMESPACE: namespace}}}
        port = next(iter(ports_of(pod.containers[-1])))
        if not any(
            peer in entry.get("from", ())
            and port in [each.get("port") for each in entry.get("ports", ())]
            for entry in _entries(policies, pod, "ingress")
        ):
            yield f"{who} asks {pod.what}, which does not let {namespace} in"
    for pod in cluster.pods():
        for place, what in _asked(cluster, pod):
            if place.pod and not any(
                _matched(peer, pod)
                for entry in _entries(policies, place.pod, "ingress")
                for peer in entry.get("from", ())
            ):
                yield f"{pod.what} asks {place.pod.what} for {what}, which does not let it in"


def _asking(cluster: Cluster) -> Iterator[tuple[str, str, Pod]]:
    """Who asks from another namespace, from which, and whom."""
    for owner, trigger in cluster.triggers():
        told = trigger["metadata"]
        address = told.get("scalerAddress") or urlsplit(told.get("url", "")).netloc
        for pod in _answering(cluster, address.partition(":")[0]):
            yield name_of(owner), "keda", pod
    for each in cluster.of("PodMonitor", "ServiceMonitor"):
        for pod in cluster.pods():
            if matches(each["spec"]["selector"], pod.labels):
                yield name_of(each), "monitoring", pod
    for door, namespace, service in _leading_in(cluster):
        for pod in _answering(cluster, service):
            yield door, namespace, pod


def _leading_in(cluster: Cluster) -> Iterator[tuple[str, str, str]]:
    """What leads in from the world, where its proxies are, and to which service."""
    for each in cluster.of("HTTPRoute"):
        for rule in each["spec"]["rules"]:
            for named in rule.get("backendRefs", ()):
                yield name_of(each), "envoy-gateway-system", named["name"]
    for each in cluster.of("Ingress"):
        for path in each["spec"]["rules"][0]["http"]["paths"]:
            yield name_of(each), "ingress-nginx", path["backend"]["service"]["name"]


def let_out(cluster: Cluster) -> Iterator[str]:
    """Each pod reaches what it asks, and no pod a cloud's metadata."""
    policies = cluster.of("NetworkPolicy")
    for pod in cluster.pods():
        entries = list(_entries(policies, pod, "egress"))
        for place, what in _asked(cluster, pod):
            if not any(_leads(entry, place) for entry in entries):
                yield f"{pod.what} does not reach {what} at {place.port}/{place.protocol}"
        for entry in entries:
            if _leads_to_metadata(entry):
                yield f"{pod.what} reaches the metadata of the cloud's machine"


def hosts_here(cluster: Cluster) -> Iterator[str]:
    """A host by its bare name is a service here."""
    for pod in cluster.pods():
        for name, url in _urls(cluster, pod):
            host = url.hostname or ""
            if host and "." not in host and not cluster.find("Service", host):
                yield f"{pod.what}: {name} is at {host}, which is no service here"


def _asked(cluster: Cluster, pod: Pod) -> Iterator[tuple[Place, str]]:
    """What a pod asks for over the network."""
    for port, protocol in NAMES:
        yield Place(port, protocol, within=True), "names"
    if pod.spec.get("automountServiceAccountToken", True):
        for port, protocol in KUBERNETES:
            yield Place(port, protocol, within=True), "Kubernetes"
    for each in pod.containers:
        if each.args[:1] in (["api"], ["sweep"]):
            yield Place(ANY_PORT), "the web"
        if "/vllm" in each.spec["image"]:
            yield Place(443), "its model"
    for name, url in _urls(cluster, pod):
        port = url.port or PORTS.get(url.scheme, 443)
        answering = _answering(cluster, url.hostname or "")
        for there in answering:
            yield Place(port, pod=there, within=True), name
        if port and not answering:
            yield Place(port), name


def _urls(cluster: Cluster, pod: Pod) -> Iterator[tuple[str, SplitResult]]:
    """Where a pod's processes are told that something is; a cloud's own is at https."""
    files: dict[str, str] = {}
    for volume in pod.spec.get("volumes", ()):
        if "secret" in volume:
            files |= cluster.entries("Secret", volume["secret"]["secretName"])
    for each in pod.containers:
        for name in PLACES if each.ours else ():
            told = each.settings.get(f"PAGETIDE_{name.upper()}") or files.get(name, "")
            url = urlsplit(told)
            endpoint = parse_qs(url.query).get("endpoint")
            if endpoint:
                yield name, urlsplit(endpoint[0])
            elif told:
                yield name, url if url.scheme in PORTS else urlsplit("https:")


def _answering(cluster: Cluster, host: str) -> list[Pod]:
    """The pods of the service here that a host names."""
    service = cluster.find("Service", host.partition(".")[0])
    if not service or host.partition(".")[2] not in (
        "",
        f"{service['metadata']['namespace']}.svc",
    ):
        return []
    labels = selector_of(service) or {}
    return [pod for pod in cluster.pods() if matches(labels, pod.labels)]


def _entries(policies: list[Document], pod: Pod, way: str) -> Iterator[Document]:
    """The ways in to a pod, or out of it."""
    for each in policies:
        concerned = way.title() in each["spec"]["policyTypes"]
        if concerned and matches(each["spec"]["podSelector"], pod.labels):
            yield from each["spec"].get(way, ())


def _leads(entry: Document, place: Place) -> bool:
    """Whether a way out leads to a place."""
    named = ports_of(place.pod.containers[-1]) if place.pod else {}
    ports = {
        (named.get(each.get("port"), each.get("port")), each.get("protocol", "TCP"))
        for each in entry.get("ports", ())
    }
    if ports and (place.port, place.protocol) not in ports:
        return False
    return not entry.get("to") or any(_holds(peer, place) for peer in entry["to"])


def _holds(peer: Document, place: Place) -> bool:
    if "ipBlock" in peer:
        return not place.within
    return place.pod is not None and _matched(peer, place.pod)


def _matched(peer: Document, pod: Pod) -> bool:
    """Whether a peer is a pod of this namespace."""
    ours = "podSelector" in peer and "namespaceSelector" not in peer
    return ours and matches(peer["podSelector"], pod.labels)


def _leads_to_metadata(entry: Document) -> bool:
    ports = [each.get("port") for each in entry.get("ports", ())]
    blocks = [each["ipBlock"] for each in entry.get("to", ()) if "ipBlock" in each]
    anywhere = not entry.get("to") or any(
        block["cidr"] == "0.0.0.0/0" and METADATA not in block.get("except", ())
        for block in blocks
    )
    return anywhere and (not ports or 80 in ports)


def _scaler_reached(policies: list[Document], pod: Pod) -> Iterator[str]:
    port = next(iter(ports_of(pod.containers[-1])))
    ways = [
        entry.get("from")
        for entry in _entries(policies, pod, "ingress")
        if any(each.get("port") == port for each in entry.get("ports", ()))
    ]
    if ways != [KEDA]:
        yield f"{pod.what} is reached by others than KEDA, or not by it"
