"""What must hold of the doors to the world: an Ingress, or a Gateway with its routes."""

from __future__ import annotations

from collections.abc import Iterator

from tests.deploy.kubernetes.cluster import Cluster, name_of
from tests.deploy.kubernetes.rendering import Document
from tests.deploy.kubernetes.rules_pods import cores_of

NGINX = "nginx.ingress.kubernetes.io/"
PORTS = {"HTTPS": 443, "HTTP": 80}
HOUR_S = 3600  # as long as the events of a job may go on, at the least


def tls_alone(cluster: Cluster) -> Iterator[str]:
    """What is reached from outside is reached over TLS, at the host the links name."""
    for each in cluster.of("Ingress"):
        hosts = [rule["host"] for rule in each["spec"]["rules"]]
        kept = [tls for tls in each["spec"].get("tls", ()) if tls.get("secretName")]
        covered = [host for tls in kept for host in tls["hosts"]]
        redirects = each["metadata"]["annotations"].get(f"{NGINX}ssl-redirect")
        if redirects != "true" or set(hosts) - set(covered):
            yield f"{name_of(each)} answers without TLS"
        yield from _linked(cluster, each, hosts)
    for each in cluster.of("Gateway"):
        safe = [one for one in each["spec"]["listeners"] if one["protocol"] == "HTTPS"]
        if not all(one.get("tls", {}).get("certificateRefs") for one in safe):
            yield f"{name_of(each)} has no certificate"
        if {one["protocol"]: one["port"] for one in each["spec"]["listeners"]} != PORTS:
            yield f"{name_of(each)} is at other ports than links and people mean"
        for one in each["spec"]["listeners"]:
            if one not in safe and not _redirects(cluster, each, one["name"]):
                yield f"{name_of(each)} answers without TLS"
        yield from _linked(cluster, each, [one.get("hostname", "") for one in safe])


def events_pass(cluster: Cluster) -> Iterator[str]:
    """Nothing on the way keeps events back, or ends them, or a slow upload."""
    for each in cluster.of("Ingress"):
        told = each["metadata"].get("annotations", {})
        if {told.get(f"{NGINX}proxy-{way}buffering") for way in ("", "request-")} != {"off"}:
            yield f"{name_of(each)} keeps back what goes through it"
        if int(told.get(f"{NGINX}proxy-read-timeout", "60")) < HOUR_S:
            yield f"{name_of(each)} ends the events of a job"
    for each in cluster.of("HTTPRoute"):
        for rule in each["spec"]["rules"]:
            limits = rule.get("timeouts", {})
            ended = {limits.get("request"), limits.get("backendRequest")} != {"0s"}
            if rule.get("backendRefs") and ended:
                yield f"{name_of(each)} ends the events of a job"


def answered(cluster: Cluster) -> Iterator[str]:
    """There are two of the API at the least, and more by a load that it can come under."""
    found = {pod.what: pod for pod in cluster.pods() if pod.containers[-1].args[:1] == ["api"]}
    for scaler in cluster.of("HorizontalPodAutoscaler"):
        spec = scaler["spec"]
        pod = found.get(f"Deployment {spec['scaleTargetRef']['name']}")
        if not pod:
            continue
        if spec["minReplicas"] < 2:
            yield f"{name_of(scaler)}: one API is none while its node is drained"
        limit = cores_of(pod.containers[-1].spec["resources"]["limits"]["cpu"])
        for metric in spec["metrics"]:
            if cores_of(metric["resource"]["target"]["averageValue"]) >= limit:
                yield f"{name_of(scaler)} waits for more than a pod may take"


def _linked(cluster: Cluster, door: Document, hosts: list[str]) -> Iterator[str]:
    shared = cluster.generated("ConfigMap", "pagetide") or {"data": {}}
    if [shared["data"].get("PAGETIDE_PUBLIC_URL")] != [f"https://{host}" for host in hosts]:
        yield f"{name_of(door)} is not where PAGETIDE_PUBLIC_URL says"


def _redirects(cluster: Cluster, gateway: Document, listener: str) -> bool:
    """Whether all that comes in at a listener is sent on to TLS."""
    routes = [
        route["spec"]
        for route in cluster.of("HTTPRoute")
        for parent in route["spec"]["parentRefs"]
        if parent["name"] == gateway["metadata"]["name"]
        and parent.get("sectionName", listener) == listener
    ]
    schemes = [
        {each.get("requestRedirect", {}).get("scheme") for each in rule.get("filters", ())}
        for route in routes
        for rule in route["rules"]
    ]
    return bool(schemes) and all("https" in each for each in schemes)
