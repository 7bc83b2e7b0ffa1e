"""What must hold of what names something else: references, selectors, ports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pagetide.settings import Settings
from tests.deploy.kubernetes.cluster import (
    WITHOUT_NAMESPACE,
    Cluster,
    Container,
    Pod,
    matches,
    name_of,
)
from tests.deploy.kubernetes.rendering import Document

FROM_OUTSIDE = {"pagetide-tls"}  # whoever has the domain makes it
GATEWAY = "gateway.networking.k8s.io/gateway-name"
REFERENCES = {
    "configMapRef": ("ConfigMap", "name"),
    "configMapKeyRef": ("ConfigMap", "name"),
    "secretRef": ("Secret", "name"),
    "secretKeyRef": ("Secret", "name"),
    "secret": ("Secret", "secretName"),
    "secretTargetRef": ("Secret", "name"),
    "credentials": ("Secret", "name"),
    "tls": ("Secret", "secretName"),
    "service": ("Service", "name"),
    "backendRefs": ("Service", "name"),
    "certificateRefs": ("Secret", "name"),
    "parentRefs": ("Gateway", "name"),
    "persistentVolumeClaim": ("PersistentVolumeClaim", "claimName"),
    "authenticationRef": ("TriggerAuthentication", "name"),
    "roleRef": ("Role", "name"),
    "subjects": ("ServiceAccount", "name"),
}


def named_things_exist(cluster: Cluster) -> Iterator[str]:
    """What is named is there, and has the key that is asked for."""
    for document in cluster.documents:
        for kind, reference, key in _references(document):
            name = reference[key]
            if reference.get("optional") or name in FROM_OUTSIDE:
                continue
            if cluster.find(kind, name) is None:
                yield f"{name_of(document)} names the {kind} {name}, which is not there"
            elif "key" in reference and reference["key"] not in cluster.entries(kind, name):
                yield f"{name_of(document)}: {kind} {name} has no {reference['key']}"
    for pod in cluster.pods():
        account = pod.spec.get("serviceAccountName")
        if account and cluster.find("ServiceAccount", account) is None:
            yield f"{pod.what} names the ServiceAccount {account}, which is not there"


def one_namespace(cluster: Cluster) -> Iterator[str]:
    """Everything is in the one namespace, which is made."""
    made = [each["metadata"]["name"] for each in cluster.of("Namespace")]
    for each in cluster.documents:
        within = [each["metadata"].get("namespace")] == made
        if each["kind"] not in WITHOUT_NAMESPACE and not within:
            yield f"{name_of(each)} is not in the namespace {', '.join(made)}"


def selected(cluster: Cluster) -> Iterator[str]:
    """What selects pods selects some; no pod has two budgets."""
    pods = list(cluster.pods())
    # Whoever implements Gateway API may run these; the label is the standard's.
    proxies = [{GATEWAY: each["metadata"]["name"]} for each in cluster.of("Gateway")]
    budgets: dict[str, int] = {}
    for each in cluster.documents:
        selector = selector_of(each)
        if selector is None:
            continue
        services = each["kind"] == "ServiceMonitor"
        candidates = [s["metadata"].get("labels", {}) for s in cluster.of("Service")]
        labels = candidates if services else [pod.labels for pod in pods] + proxies
        chosen = [one for one in labels if matches(selector, one)]
        if not chosen:
            yield f"{name_of(each)} selects nothing"
        if each["kind"] in ("Deployment", "StatefulSet") and len(chosen) > 1:
            yield f"{name_of(each)} selects pods of others"
        if each["kind"] == "PodDisruptionBudget":
            for pod in pods:
                budgets[pod.what] = budgets.get(pod.what, 0) + matches(selector, pod.labels)
    for pod in pods:
        ours = pod.labels.get("app.kubernetes.io/name") == "pagetide"
        if ours and pod.owner["kind"] == "Deployment" and budgets.get(pod.what) != 1:
            yield f"{pod.what} has {budgets.get(pod.what, 0)} disruption budgets"


def drainable(cluster: Cluster) -> Iterator[str]:
    """A budget lets one pod at least go at a time, and those that are of no use at once."""
    for each in cluster.of("PodDisruptionBudget"):
        spec = each["spec"]
        if "minAvailable" in spec or spec.get("maxUnavailable") in (None, 0, "0", "0%"):
            yield f"{name_of(each)} may let no pod go: its node cannot be drained"
        if spec.get("unhealthyPodEvictionPolicy") != "AlwaysAllow":
            yield f"{name_of(each)} keeps a node for pods that do not even start"


def ports(cluster: Cluster) -> Iterator[str]:
    """Ports are the program's own, and one that is named is there."""
    for pod in cluster.pods():
        for each in pod.containers:
            yield from _container_ports(each)
    for service in cluster.of("Service"):
        chosen = [
            pod for pod in cluster.pods() if matches(selector_of(service) or {}, pod.labels)
        ]
        for port in service["spec"]["ports"]:
            if not all(port["targetPort"] in _pod_ports(pod) for pod in chosen):
                yield f"{name_of(service)} leads to {port['targetPort']}, which is no port"
    for ingress in cluster.of("Ingress"):
        yield from _ingress_ports(cluster, ingress)
    for route in cluster.of("HTTPRoute"):
        yield from _route_ports(cluster, route)
    for document in cluster.of("PodMonitor", "ServiceMonitor", "NetworkPolicy"):
        yield from _named_ports(cluster, document)


def _references(node: Any, above: str = "") -> Iterator[tuple[str, Mapping[str, Any], str]]:
    if isinstance(node, list):
        for each in node:
            yield from _references(each, above)
    elif isinstance(node, dict):
        kind, key = REFERENCES.get(above, ("", ""))
        if kind and key in node:
            yield kind, node, key
        for name, value in node.items():
            yield from _references(value, name)


def selector_of(document: Document) -> Document | None:
    """What a document selects pods (or services) by."""
    spec = document.get("spec", {})
    match document["kind"]:
        case "Service":
            return {"matchLabels": spec["selector"]}
        case "NetworkPolicy":
            chosen: Document = spec["podSelector"]
            return chosen
        case "Deployment" | "StatefulSet" | "PodDisruptionBudget":
            return dict(spec["selector"])
        case "PodMonitor" | "ServiceMonitor":
            return dict(spec["selector"])
    return None


def ports_of(container: Container) -> dict[str, int]:
    return {each["name"]: each["containerPort"] for each in container.spec.get("ports", ())}


def _pod_ports(pod: Pod) -> set[str | int]:
    found = [ports_of(each) for each in pod.containers]
    return {port for each in found for pair in each.items() for port in pair}


def _listened(container: Container) -> int:
    """The port that the program listens at; 0 where it does at none, or is not ours."""
    settings = Settings.from_environment(container.known)
    match container.args[:1] if container.ours else []:
        case ["api"]:
            return settings.port
        case ["worker" | "sweep"]:
            return int(container.option("--health-port") or settings.health_port)
        case ["scaler"]:
            return int(container.option("--port") or 9090)
    for each in container.spec.get("args", ()) if not container.ours else ():
        if each.startswith("--port="):
            return int(each.removeprefix("--port="))
    return 0


def _container_ports(container: Container) -> Iterator[str]:
    had, wanted = ports_of(container), _listened(container)
    if wanted and wanted not in had.values():
        yield f"{container.what} listens at {wanted}, which is none of its ports"
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        port = _probed(container.spec.get(probe, {}))
        if port is not None and port not in had and port not in had.values():
            yield f"{container.what}: its {probe} asks at {port}, which is none of its ports"


def _probed(probe: Document) -> str | int | None:
    for kind in ("httpGet", "tcpSocket", "grpc"):
        if kind in probe:
            port: str | int = probe[kind]["port"]
            return port
    return None


def _ingress_ports(cluster: Cluster, ingress: Document) -> Iterator[str]:
    for rule in ingress["spec"]["rules"]:
        for path in rule["http"]["paths"]:
            named = path["backend"]["service"]
            service = cluster.find("Service", named["name"])
            had = {port["name"] for port in service["spec"]["ports"]} if service else set()
            if service and named["port"]["name"] not in had:
                yield f"{name_of(ingress)} leads to a port that {named['name']} has not"


def _route_ports(cluster: Cluster, route: Document) -> Iterator[str]:
    for named in (n for rule in route["spec"]["rules"] for n in rule.get("backendRefs", ())):
        service = cluster.find("Service", named["name"])
        if service and named["port"] not in {port["port"] for port in service["spec"]["ports"]}:
            yield f"{name_of(route)} leads to a port that {named['name']} has not"


def _named_ports(cluster: Cluster, document: Document) -> Iterator[str]:
    """Ports that a monitor or a policy names, and none of what it selects has."""
    spec, selector = document["spec"], selector_of(document) or {}
    if document["kind"] == "ServiceMonitor":
        services = cluster.of("Service")
        chosen = [s for s in services if matches(selector, s["metadata"].get("labels", {}))]
        had = {port["name"] for service in chosen for port in service["spec"]["ports"]}
    else:
        pods = [pod for pod in cluster.pods() if matches(selector, pod.labels)]
        had = {port for pod in pods for port in _pod_ports(pod)}
    ways = [*spec.get("endpoints", ()), *spec.get("podMetricsEndpoints", ())]
    ways += [port for entry in spec.get("ingress", ()) for port in entry.get("ports", ())]
    for way in ways:
        if way["port"] not in had:
            yield f"{name_of(document)} names the port {way['port']}, which nobody has"
