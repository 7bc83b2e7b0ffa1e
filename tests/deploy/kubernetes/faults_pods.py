"""Slips in what runs."""

from __future__ import annotations

from tests.deploy.kubernetes.slips import GONE, Fault, of_pod, of_worker, put, remove, shared

WITH_JOBS = ("scaled-job",)
WITH_GPU = ("gpu",)
MODELS_ARGS = "spec/template/spec/containers/0/args"

FAULTS: dict[str, Fault] = {
    "an image that is not pinned": Fault(
        of_worker("image", "pagetide-worker"), "pinned", "not pinned"
    ),
    "the latest image": Fault(
        of_worker("image", "pagetide-worker:latest"), "pinned", "not pinned"
    ),
    "root": Fault(
        of_pod("pagetide-api", "securityContext/runAsUser", 0), "confined", "as root"
    ),
    "perhaps root": Fault(
        of_pod("pagetide-api", "securityContext/runAsNonRoot", GONE), "confined", "as root"
    ),
    "a root that can be written on": Fault(
        of_worker("securityContext/readOnlyRootFilesystem", False), "confined", "on its root"
    ),
    "more rights": Fault(
        of_worker("securityContext/allowPrivilegeEscalation", GONE), "confined", "more rights"
    ),
    "capabilities of a first container": Fault(
        of_pod("pagetide-api", "initContainers/0/securityContext/capabilities", GONE),
        "confined",
        "container migrate keeps capabilities",
    ),
    "all system calls": Fault(
        of_pod("pagetide-scaler", "securityContext/seccompProfile", GONE),
        "confined",
        "system call",
    ),
    "a folder of the node": Fault(
        of_pod("pagetide-worker", "volumes/0", {"name": "tmp", "hostPath": {"path": "/srv"}}),
        "confined",
        "the node's",
    ),
    "all system calls of a container": Fault(
        of_worker("securityContext/seccompProfile", {"type": "Unconfined"}),
        "confined",
        "system call",
    ),
    "a port of the node": Fault(of_worker("ports/0/hostPort", 8001), "confined", "the node's"),
    "a namespace that takes any pod": Fault(
        put("Namespace", "pagetide", "metadata/labels", {}), "confined", "any rights"
    ),
    "a worker that fits no node of two cores": Fault(
        of_worker("resources/requests/cpu", "2"), "small_nodes", "has left"
    ),
    "more threads than cores": Fault(
        of_worker("resources/limits/cpu", "4"), "small_nodes", "threads"
    ),
    "a GPU that is not asked for": Fault(
        of_pod("pagetide-worker-gpu", "containers/0/resources/limits/nvidia.com~gpu", GONE),
        "gpus",
        "paid for: False",
        chosen=WITH_GPU,
    ),
    "a GPU that is not used": Fault(
        of_pod("pagetide-worker-gpu", "containers/0/env/2/value", "auto"),
        "gpus",
        "used: False",
        chosen=WITH_GPU,
    ),
    "an image without CUDA": Fault(
        of_pod("pagetide-worker-gpu", "containers/0/image", "pagetide-worker-paddle:0.1.0"),
        "gpus",
        "used: True",
        chosen=WITH_GPU,
    ),
    "CUDA without a GPU": Fault(
        shared("PAGETIDE_RUNTIME", "cuda"), "gpus", "paid for: False, used: True"
    ),
    "no node with a GPU": Fault(
        of_pod("pagetide-vllm", "tolerations", []), "gpus", "no node", chosen=("vllm",)
    ),
    "no limit of memory": Fault(
        of_worker("resources/limits/memory", GONE), "sized", "limits of memory"
    ),
    "no request": Fault(
        of_pod("pagetide-sweep", "containers/0/resources/requests", GONE), "sized", "requests"
    ),
    "too little memory": Fault(of_worker("resources/limits/memory", "4Gi"), "room", "memory"),
    "too little memory for uploads": Fault(
        of_pod("pagetide-api", "containers/0/resources/limits/memory", "1Gi"), "room", "memory"
    ),
    "all cores of the node": Fault(of_worker("env/0", GONE), "own_cores", "all cores"),
    "not asked whether it lives": Fault(
        of_worker("livenessProbe", GONE), "probed", "livenessProbe"
    ),
    "no time to load models": Fault(
        of_worker("startupProbe/failureThreshold", 10), "probed", "while its models load"
    ),
    "a probe of another path": Fault(
        of_worker("livenessProbe/httpGet/path", "/healthz"), "probed", "/health/live"
    ),
    "a worker that drains is not alive": Fault(
        of_worker("livenessProbe/httpGet/path", "/health/ready"), "probed", "/health/live"
    ),
    "an API that is ready without its store": Fault(
        of_pod("pagetide-api", "containers/0/readinessProbe/httpGet/path", "/health/live"),
        "probed",
        "/health/ready",
    ),
    "ended for a breath": Fault(
        of_worker("livenessProbe/failureThreshold", 1), "probed", "short silence"
    ),
    "a sleep before the drain": Fault(
        of_worker("lifecycle", {"preStop": {"sleep": {"seconds": 60}}}), "grace", "killed"
    ),
    "a short grace": Fault(
        of_pod("pagetide-worker", "terminationGracePeriodSeconds", 30), "grace", "killed"
    ),
    "no grace for jobs": Fault(
        put(
            "ScaledJob",
            "pagetide-worker",
            "spec/jobTargetRef/template/spec/terminationGracePeriodSeconds",
            GONE,
        ),
        "grace",
        "30 s",
        chosen=WITH_JOBS,
    ),
    "a drain as long as the grace": Fault(shared("PAGETIDE_DRAIN_S", "900"), "grace", "killed"),
    "a page that takes longer than the drain": Fault(
        shared("PAGETIDE_PAGE_DEADLINE_S", "600"), "grace", "killed"
    ),
    "a mount without a volume": Fault(
        of_pod("pagetide-worker", "volumes/0", GONE), "mounts", "tmp"
    ),
    "a place to write that the image has not": Fault(
        of_worker("volumeMounts/0/mountPath", "/cache"), "mounts", "/cache"
    ),
    "models on the image": Fault(
        of_pod("pagetide-worker-gpu", "containers/0/env/0/value", "/models"),
        "mounts",
        "MODELS_DIR where it may not write",
        chosen=WITH_GPU,
    ),
    "a worker that fetches nothing": Fault(
        shared("PAGETIDE_PULL", "no"), "provisioned", "fetches no networks"
    ),
    "a worker that is offline": Fault(
        shared("PAGETIDE_OFFLINE", "yes"), "provisioned", "fetches no networks"
    ),
    "networks that nobody may trust": Fault(
        of_pod("pagetide-worker-gpu", "containers/0/env/1/value", "no"),
        "provisioned",
        "may not take what is not pinned",
        chosen=WITH_GPU,
    ),
    "trust where none is needed": Fault(
        shared("PAGETIDE_TRUST_FIRST_USE", "yes"), "provisioned", "may take what is not pinned"
    ),
    "a volume that is filled for another pool": Fault(
        put("Job", "pagetide-models", f"{MODELS_ARGS}/3", "gpus"),
        "provisioned",
        "the pool 'gpus', which there is not",
        chosen=WITH_GPU,
    ),
    "another volume that is filled": Fault(
        put(
            "Job",
            "pagetide-models",
            "spec/template/spec/containers/0/env/0/value",
            "/var/lib/pagetide/networks",
        ),
        "provisioned",
        "fills another volume",
        chosen=WITH_GPU,
    ),
    "documents that others do not see": Fault(
        of_pod("pagetide-sweep", "volumes/1", {"name": "state", "emptyDir": {}}),
        "shared_documents",
        "Deployment pagetide-sweep",
        "overlays/dev",
    ),
    "documents on no volume": Fault(
        shared("PAGETIDE_BLOBS", "file:///srv/documents"), "shared_documents", "sees them"
    ),
    "a token without use": Fault(
        of_pod("pagetide-api", "automountServiceAccountToken", True), "tokens", "without use"
    ),
    "no token where it is needed": Fault(
        of_pod("pagetide-worker", "automountServiceAccountToken", False), "tokens", "needs it"
    ),
    "an account that may not tell": Fault(
        of_pod("pagetide-worker", "serviceAccountName", "pagetide"), "tokens", "may not note"
    ),
    "a role that allows more": Fault(
        put("Role", "pagetide-worker", "rules/0/verbs/1", "delete"), "tokens", "more than"
    ),
    "every pod": Fault(
        remove("ValidatingAdmissionPolicyBinding", "pagetide-worker-pods"),
        "tokens",
        "every pod",
    ),
    "every pod, with a warning": Fault(
        put(
            "ValidatingAdmissionPolicyBinding",
            "pagetide-worker-pods",
            "spec/validationActions",
            ["Warn"],
        ),
        "tokens",
        "every pod",
    ),
}
