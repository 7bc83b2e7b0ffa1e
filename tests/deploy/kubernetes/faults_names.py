"""Slips in what names something else."""

from __future__ import annotations

from tests.deploy.kubernetes.slips import (
    GONE,
    Fault,
    of_pod,
    of_worker,
    put,
    remove,
    secret,
    shared,
)

RABBITMQ = "overlays/rabbitmq"
WITH_INGRESS = ("ingress-tls",)
WITH_MONITORING = ("monitoring",)

FAULTS: dict[str, Fault] = {
    "a secret that is not there": Fault(
        remove("Secret", "pagetide-key"), "named_things_exist", "pagetide-key"
    ),
    "a secret without the key": Fault(
        put("TriggerAuthentication", "pagetide-api", "spec/secretTargetRef/0/key", "tocken"),
        "named_things_exist",
        "tocken",
    ),
    "a secret by its name without the hash": Fault(
        put(
            "TriggerAuthentication",
            "pagetide-api",
            "spec/secretTargetRef/0/name",
            "pagetide-key",
        ),
        "named_things_exist",
        "pagetide-key",
    ),
    "a volume of a secret that is not there": Fault(
        of_pod("pagetide-worker", "volumes/2/secret/secretName", "pagetide"),
        "named_things_exist",
        "Secret pagetide,",
    ),
    "settings that are not there": Fault(
        of_worker("envFrom/0/configMapRef/name", "settings"), "named_things_exist", "settings"
    ),
    "a service that is not there": Fault(
        remove("Service", "pagetide-api"),
        "named_things_exist",
        "Service pagetide-api",
        chosen=WITH_INGRESS,
    ),
    "a claim that is not there": Fault(
        remove("PersistentVolumeClaim", "pagetide-documents"),
        "named_things_exist",
        "pagetide-documents",
        "overlays/dev",
    ),
    "an account that is not there": Fault(
        of_pod("pagetide-worker", "serviceAccountName", "worker"),
        "named_things_exist",
        "ServiceAccount worker",
    ),
    "an authentication that is not there": Fault(
        remove("TriggerAuthentication", "pagetide-rabbitmq"),
        "named_things_exist",
        "TriggerAuthentication pagetide-rabbitmq",
        RABBITMQ,
    ),
    "another namespace": Fault(
        put("Service", "pagetide-api", "metadata/namespace", "default"),
        "one_namespace",
        "Service pagetide-api",
    ),
    "a service of nothing": Fault(
        put("Service", "pagetide-api", "spec/selector", {"app": "pagetide-api"}),
        "selected",
        "selects nothing",
    ),
    "a monitor of nothing": Fault(
        put("ServiceMonitor", "pagetide-api", "spec/selector/matchLabels", {"app": "api"}),
        "selected",
        "selects nothing",
        chosen=WITH_MONITORING,
    ),
    "two budgets for a pod": Fault(
        put(
            "PodDisruptionBudget",
            "pagetide-worker-gpu",
            "spec/selector/matchLabels/pagetide~pool",
            "cpu",
        ),
        "selected",
        "disruption budgets",
        chosen=("gpu",),
    ),
    "no budget": Fault(
        remove("PodDisruptionBudget", "pagetide-api"), "selected", "0 disruption budgets"
    ),
    "a port that the program has not": Fault(
        of_pod("pagetide-api", "containers/0/ports/0/containerPort", 8080), "ports", "8000"
    ),
    "a model's server at another port": Fault(
        of_pod("pagetide-vllm", "containers/0/args/5", "--port=8001"),
        "ports",
        "8001",
        chosen=("vllm",),
    ),
    "health at another port": Fault(
        of_worker("args", ["worker", "--pool", "cpu", "--health-port", "8002"]),
        "ports",
        "8002",
    ),
    "a probe at no port": Fault(
        of_worker("readinessProbe/httpGet/port", "http"), "ports", "readinessProbe"
    ),
    "a service to no port": Fault(
        put("Service", "pagetide-scaler", "spec/ports/0/targetPort", "http"),
        "ports",
        "leads to http",
    ),
    "an ingress to no port": Fault(
        put(
            "Ingress",
            "pagetide",
            "spec/rules/0/http/paths/0/backend/service/port/name",
            "https",
        ),
        "ports",
        "has not",
        chosen=WITH_INGRESS,
    ),
    "a monitor of a port that nobody has": Fault(
        put("PodMonitor", "pagetide", "spec/podMetricsEndpoints/0/port", "metrics"),
        "ports",
        "metrics",
        chosen=WITH_MONITORING,
    ),
    "a monitor of a service's port that it has not": Fault(
        put("ServiceMonitor", "pagetide-api", "spec/endpoints/0/port", "health"),
        "ports",
        "health",
        chosen=WITH_MONITORING,
    ),
    "a policy for a port that nobody has": Fault(
        put("NetworkPolicy", "keda-to-scaler", "spec/ingress/0/ports/0/port", 9091),
        "ports",
        "9091",
    ),
    "a budget that lets nobody go": Fault(
        put("PodDisruptionBudget", "pagetide-worker", "spec/maxUnavailable", 0),
        "drainable",
        "cannot be drained",
    ),
    "a budget in percents that lets nobody go": Fault(
        put("PodDisruptionBudget", "pagetide-worker", "spec/maxUnavailable", "0%"),
        "drainable",
        "cannot be drained",
    ),
    "a budget that keeps the only one": Fault(
        put(
            "PodDisruptionBudget",
            "pagetide-sweep",
            "spec",
            {"minAvailable": 1, "selector": {"matchLabels": {}}},
        ),
        "drainable",
        "cannot be drained",
    ),
    "a budget for pods that do not start": Fault(
        put("PodDisruptionBudget", "pagetide-api", "spec/unhealthyPodEvictionPolicy", GONE),
        "drainable",
        "do not even start",
    ),
    "a setting that there is not": Fault(
        shared("PAGETIDE_DRAIN", "840"), "settings_known", "PAGETIDE_DRAIN"
    ),
    "a variable that there is not": Fault(
        of_worker("env/2", {"name": "PAGETIDE_POOL", "value": "cpu"}),
        "settings_known",
        "PAGETIDE_POOL",
    ),
    "a value that is refused": Fault(
        shared("PAGETIDE_DRAIN_S", "14m"), "settings_known", "PAGETIDE_DRAIN_S"
    ),
    "a pool that is refused": Fault(
        shared("PAGETIDE_CANARY", "{cpu = 0.1}"), "settings_known", "PAGETIDE_CANARY"
    ),
    "a secret that is no setting": Fault(
        secret("database", "postgresql://"), "settings_known", "database"
    ),
    "a variable before the secret": Fault(
        shared("PAGETIDE_STORE", "sqlite:///x"), "settings_known", "goes before"
    ),
    "secrets that are mounted elsewhere": Fault(
        shared("PAGETIDE_SECRETS_DIR", "/secrets"), "settings_known", "secrets"
    ),
    "secrets that nobody looks for": Fault(
        shared("PAGETIDE_SECRETS_DIR", GONE), "settings_known", "secrets"
    ),
    "an API that hears itself alone": Fault(
        of_pod("pagetide-api", "containers/0/env", []), "served", "hears itself"
    ),
    "a scaler that hears itself alone": Fault(
        of_pod("pagetide-scaler", "containers/0/args", ["scaler", "--port", "9090"]),
        "served",
        "hears itself",
    ),
    "an API without keys": Fault(shared("PAGETIDE_AUTH", "off"), "served", "of anybody"),
    "an API that sweeps": Fault(shared("PAGETIDE_SWEEP", "yes"), "served", "the sweep's"),
    "no sweep": Fault(remove("Deployment", "pagetide-sweep"), "served", "no sweep"),
    "a sweep that rests": Fault(
        put("Deployment", "pagetide-sweep", "spec/replicas", 0), "served", "runs 0 times"
    ),
    "no tables": Fault(of_pod("pagetide-api", "initContainers", []), "served", "the tables"),
    "a command that there is not": Fault(
        of_worker("args", ["work", "--pool", "cpu"]), "settings_known", "No such command"
    ),
    "an option that there is not": Fault(
        of_pod("pagetide-sweep", "containers/0/args", ["sweep", "--port", "8001"]),
        "settings_known",
        "--port",
    ),
    "larger bodies than the ingress lets through": Fault(
        shared("PAGETIDE_MAX_BYTES", "100000000"), "body_limit", "100000000"
    ),
    "smaller bodies than the API takes": Fault(
        put(
            "Ingress",
            "pagetide",
            "metadata/annotations/nginx.ingress.kubernetes.io~proxy-body-size",
            "50M",
        ),
        "body_limit",
        "lets no bodies",
        chosen=WITH_INGRESS,
    ),
    "without TLS": Fault(
        put("Ingress", "pagetide", "spec/tls", GONE),
        "tls_alone",
        "without TLS",
        chosen=WITH_INGRESS,
    ),
    "a certificate of nobody's": Fault(
        put("Ingress", "pagetide", "spec/tls/0/secretName", GONE),
        "tls_alone",
        "without TLS",
        chosen=WITH_INGRESS,
    ),
    "links to another host": Fault(
        shared("PAGETIDE_PUBLIC_URL", "https://documents.example.com"),
        "tls_alone",
        "PAGETIDE_PUBLIC_URL",
        chosen=WITH_INGRESS,
    ),
}
