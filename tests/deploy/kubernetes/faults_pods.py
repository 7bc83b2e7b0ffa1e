"""Slips in what runs."""

from __future__ import annotations

from tests.deploy.kubernetes.slips import GONE, Fault, of_pod, of_worker, put, remove, shared

WITH_JOBS = ("scaled-job",)

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
    "a token without use": Fault(
        of_pod("pagetide-api", "automountServiceAccountToken", True), "tokens", "without use"
    ),
    "no token where it is needed": Fault(
        of_pod("pagetide-worker", "automountServiceAccountToken", False), "tokens", "needs it"
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
