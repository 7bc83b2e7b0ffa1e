"""Slips in what a cloud, a Gateway, the API's scaler and dashboards are told."""

from __future__ import annotations

from tests.deploy.kubernetes.slips import GONE, Fault, of_pod, put, remove, shared

EKS, GKE, AKS = (("gpu", "vllm", cloud) for cloud in ("eks", "gke", "aks"))
GATEWAY, WATCHED = ("gateway",), ("monitoring",)
OF_NODES = (
    "affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0"
    "/matchExpressions/0/values"
)

FAULTS: dict[str, Fault] = {
    "plain http that is answered": Fault(
        remove("HTTPRoute", "pagetide-to-https"), "tls_alone", "without TLS", chosen=GATEWAY
    ),
    "a Gateway that links do not name": Fault(
        put("Gateway", "pagetide", "spec/listeners/0/hostname", "ocr.example.com"),
        "tls_alone",
        "PAGETIDE_PUBLIC_URL",
        chosen=GATEWAY,
    ),
    "TLS at another port": Fault(
        put("Gateway", "pagetide", "spec/listeners/0/port", 8443),
        "tls_alone",
        "other ports",
        chosen=GATEWAY,
    ),
    "a scaler that waits for ever": Fault(
        put(
            "HorizontalPodAutoscaler",
            "pagetide-api",
            "spec/metrics/0/resource/target/averageValue",
            "3",
        ),
        "answered",
        "more than a pod may take",
    ),
    "an identity for workers alone": Fault(
        put(
            "NetworkPolicy",
            "identity",
            "spec/podSelector/matchLabels",
            {"app.kubernetes.io/component": "worker"},
        ),
        "identities",
        "pagetide-api",
        chosen=EKS,
    ),
    "a Gateway without a certificate": Fault(
        put("Gateway", "pagetide", "spec/listeners/0/tls", GONE),
        "tls_alone",
        "no certificate",
        chosen=GATEWAY,
    ),
    "another's certificate": Fault(
        put("Gateway", "pagetide", "spec/listeners/0/tls/certificateRefs/0/name", "tls"),
        "named_things_exist",
        "Secret tls",
        chosen=GATEWAY,
    ),
    "a route to no port": Fault(
        put("HTTPRoute", "pagetide", "spec/rules/0/backendRefs/0/port", 80),
        "ports",
        "has not",
        chosen=GATEWAY,
    ),
    "a field of Gateway API's that is misspelt": Fault(
        put("HTTPRoute", "pagetide", "spec/rules/0/timeout", {"request": "0s"}),
        "allowed_schema",
        "timeout",
        chosen=GATEWAY,
    ),
    "events that are ended": Fault(
        put("HTTPRoute", "pagetide", "spec/rules/0/timeouts", GONE),
        "events_pass",
        "ends the events",
        chosen=GATEWAY,
    ),
    "events that are kept back": Fault(
        put(
            "Ingress",
            "pagetide",
            "metadata/annotations/nginx.ingress.kubernetes.io~proxy-buffering",
            "on",
        ),
        "events_pass",
        "keeps back",
        chosen=("ingress-tls",),
    ),
    "nothing for the Gateway": Fault(
        remove("NetworkPolicy", "gateway-to-api"),
        "let_in",
        "does not let envoy-gateway-system in",
        chosen=GATEWAY,
    ),
    "links to a Gateway elsewhere": Fault(
        shared("PAGETIDE_PUBLIC_URL", "http://pagetide.example.com"),
        "tls_alone",
        "PAGETIDE_PUBLIC_URL",
        chosen=GATEWAY,
    ),
    "a scaler of no API": Fault(
        put("HorizontalPodAutoscaler", "pagetide-api", "spec/scaleTargetRef/name", "api"),
        "one_scaler",
        "scales nothing",
    ),
    "replicas of the API": Fault(
        put("Deployment", "pagetide-api", "spec/replicas", 2), "no_replicas", "pagetide-api"
    ),
    "one API": Fault(
        put("HorizontalPodAutoscaler", "pagetide-api", "spec/minReplicas", 1),
        "answered",
        "one API",
    ),
    "a dashboard that nobody finds": Fault(
        put("ConfigMap", "pagetide-dashboard", "metadata/labels", {"dashboard": "1"}),
        "dashboards",
        "sidecar",
        chosen=WATCHED,
    ),
    "a dashboard of jobs by other names": Fault(
        put("PodMonitor", "pagetide", "spec/jobLabel", GONE),
        "dashboards",
        "the job worker",
        chosen=WATCHED,
    ),
    "no dashboard": Fault(
        remove("ConfigMap", "pagetide-dashboard"), "dashboards", "no dashboard", chosen=WATCHED
    ),
    "EKS's agent at another port": Fault(
        put("NetworkPolicy", "identity", "spec/egress/0/ports/0/port", 8080),
        "identities",
        "other link-local",
        chosen=EKS,
    ),
    "the machine's identity in place of a pod's": Fault(
        put(
            "NetworkPolicy",
            "identity",
            "spec/egress/0/to/0/ipBlock/cidr",
            "169.254.169.254/32",
        ),
        "identities",
        "other link-local",
        chosen=EKS,
    ),
    "GKE without Calico": Fault(
        put("NetworkPolicy", "identity", "spec/egress/1", GONE),
        "identities",
        "other link-local",
        chosen=GKE,
    ),
    "nobody who gives Google's accounts": Fault(
        remove("NetworkPolicy", "identity"), "identities", "an account of Google's", chosen=GKE
    ),
    "workers without an account": Fault(
        put("ServiceAccount", "pagetide-worker", "metadata/annotations", GONE),
        "accounts",
        "ServiceAccount pagetide alone",
        chosen=GKE,
    ),
    "a pod that asks for no identity": Fault(
        put(
            "Deployment",
            "pagetide-sweep",
            "spec/template/metadata/labels/azure.workload.identity~use",
            GONE,
        ),
        "accounts",
        "pagetide-sweep",
        chosen=AKS,
    ),
    "vLLM on a T4": Fault(
        of_pod("pagetide-vllm", OF_NODES, ["g4dn.xlarge"]), "placed", "later kind", chosen=EKS
    ),
    "a node that there is not": Fault(
        of_pod("pagetide-worker-gpu", OF_NODES, ["Standard_NC4as_T4"]),
        "placed",
        "do not know",
        chosen=AKS,
    ),
    "more than a node has": Fault(
        of_pod("pagetide-worker-gpu", "containers/0/resources/requests/memory", "16Gi"),
        "placed",
        "does not fit",
        chosen=GKE,
    ),
    "a disk for many nodes": Fault(
        put("PersistentVolumeClaim", "pagetide-models", "spec/storageClassName", "managed-csi"),
        "stored",
        "pagetide-models",
        chosen=AKS,
    ),
}
