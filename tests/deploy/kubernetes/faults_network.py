"""Slips in who may reach whom."""

from __future__ import annotations

from tests.deploy.kubernetes.slips import (
    GONE,
    Fault,
    put,
    remove,
    secret,
)

RABBITMQ = "overlays/rabbitmq"
WITH_INGRESS = ("ingress-tls",)

FAULTS: dict[str, Fault] = {
    "open pods": Fault(remove("NetworkPolicy", "nothing"), "closed", "unless a policy"),
    "a scaler open to all": Fault(
        put("NetworkPolicy", "keda-to-scaler", "spec/ingress/0/from", GONE),
        "closed",
        "by anybody",
    ),
    "a scaler open to another namespace": Fault(
        put("NetworkPolicy", "keda-to-scaler", "spec/ingress/0/from/1", {"podSelector": {}}),
        "closed",
        "others than KEDA",
    ),
    "a scaler that nobody reaches": Fault(
        remove("NetworkPolicy", "keda-to-scaler"), "closed", "nobody may reach"
    ),
    "an API that KEDA does not reach": Fault(
        remove("NetworkPolicy", "keda-to-api"),
        "let_in",
        "Deployment pagetide-api",
        chosen=WITH_INGRESS,
    ),
    "an API open to another's KEDA": Fault(
        put(
            "NetworkPolicy",
            "keda-to-api",
            "spec/ingress/0/from/0/namespaceSelector/matchLabels",
            {"name": "keda"},
        ),
        "let_in",
        "does not let keda in",
    ),
    "no names": Fault(remove("NetworkPolicy", "names"), "let_out", "names at 53/UDP"),
    "names of some": Fault(
        put("NetworkPolicy", "names", "spec/podSelector", {"matchLabels": {"a": "b"}}),
        "let_out",
        "names at 53/UDP",
    ),
    "no long names": Fault(
        put("NetworkPolicy", "names", "spec/egress/0/ports/1", GONE),
        "let_out",
        "names at 53/TCP",
    ),
    "no database": Fault(
        put("NetworkPolicy", "storage", "spec/egress/0/ports/1", GONE),
        "let_out",
        "store at 5432",
    ),
    "a database at another port": Fault(
        secret("store", "postgresql://u:p@db.example.com:6432/pagetide"),
        "let_out",
        "store at 6432",
    ),
    "no way to Kubernetes": Fault(
        put("NetworkPolicy", "storage", "spec/egress/0/ports/2", GONE),
        "let_out",
        "Kubernetes at 6443",
    ),
    "pods and nodes as a block of addresses": Fault(
        put(
            "NetworkPolicy",
            "storage",
            "spec/egress/0/to",
            [{"ipBlock": {"cidr": "0.0.0.0/0", "except": ["169.254.0.0/16"]}}],
        ),
        "let_out",
        "store at 5432",
        "overlays/dev",
    ),
    "no broker": Fault(
        remove("NetworkPolicy", "rabbitmq"), "let_out", "queue at 5671", RABBITMQ
    ),
    "another broker": Fault(
        put("NetworkPolicy", "redis", "spec/egress/0/ports/0/port", 6380),
        "let_out",
        "queue at 6379",
        "overlays/redis",
    ),
    "no model's server": Fault(
        put("NetworkPolicy", "worker-to-vllm", "spec/egress/0/ports/0/port", "grpc"),
        "let_out",
        "vl_url at 8000",
        chosen=("vllm",),
    ),
    "a cloud's metadata": Fault(
        put("NetworkPolicy", "storage", "spec/egress/0/ports/3", {"port": 80}),
        "let_out",
        "metadata",
    ),
    "the web, a cloud's metadata included": Fault(
        put("NetworkPolicy", "the-web", "spec/egress/0/to/0/ipBlock/except", GONE),
        "let_out",
        "metadata",
    ),
    "a server by another name": Fault(
        put("Service", "pagetide-vllm", "metadata/name", "vllm"),
        "hosts_here",
        "pagetide-vllm",
        chosen=("vllm",),
    ),
    "a policy of the other way": Fault(
        put("NetworkPolicy", "storage", "spec/policyTypes", ["Ingress"]),
        "let_out",
        "store at 5432",
    ),
    "no web": Fault(remove("NetworkPolicy", "the-web"), "let_out", "reach the web"),
    "no model": Fault(
        put("NetworkPolicy", "vllm", "spec/egress", []),
        "let_out",
        "its model",
        chosen=("vllm",),
    ),
    "a server for other workers": Fault(
        put(
            "NetworkPolicy",
            "vllm",
            "spec/ingress/0/from/0/podSelector/matchLabels",
            {"pagetide/pool": "gpu"},
        ),
        "let_in",
        "vl_url, which does not let it in",
        chosen=("vllm",),
    ),
    "nothing for Prometheus": Fault(
        remove("NetworkPolicy", "prometheus"),
        "let_in",
        "does not let monitoring in",
        chosen=("monitoring",),
    ),
    "nothing for the ingress": Fault(
        remove("NetworkPolicy", "ingress-to-api"),
        "let_in",
        "does not let ingress-nginx in",
        chosen=WITH_INGRESS,
    ),
}
