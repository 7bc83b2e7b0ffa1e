"""Slips in how workers are scaled."""

from __future__ import annotations

from tests.deploy.kubernetes.rendering import Document
from tests.deploy.kubernetes.slips import (
    GONE,
    Fault,
    add,
    of_worker,
    put,
    remove,
    told,
    twice,
)

RABBITMQ = "overlays/rabbitmq"
WITH_JOBS = ("scaled-job",)
WITH_MONITORING = ("monitoring",)
HPA: Document = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "pagetide-worker", "namespace": "pagetide"},
    "spec": {
        "scaleTargetRef": {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "name": "pagetide-worker",
        },
        "minReplicas": 1,
        "maxReplicas": 10,
    },
}

FAULTS: dict[str, Fault] = {
    "a port as text": Fault(
        of_worker("ports/0/containerPort", "8001"), "core_schema", "containerPort"
    ),
    "a field that is misspelt": Fault(
        put("PodDisruptionBudget", "pagetide-api", "spec/minAvailabel", 1),
        "core_schema",
        "minAvailabel",
    ),
    "a field of jobs that is misspelt": Fault(
        put("ScaledJob", "pagetide-worker", "spec/jobTargetRef/backofLimit", 1),
        "core_schema",
        "backofLimit",
        chosen=WITH_JOBS,
    ),
    "a field of KEDA's that is misspelt": Fault(
        put("ScaledObject", "pagetide-worker", "spec/coolDownPeriod", 300),
        "allowed_schema",
        "coolDownPeriod",
    ),
    "a number of KEDA's as text": Fault(
        put("ScaledObject", "pagetide-worker", "spec/pollingInterval", "15"),
        "allowed_schema",
        "pollingInterval",
    ),
    "a strategy that is misspelt": Fault(
        put("ScaledJob", "pagetide-worker", "spec/scalingStrategy", {"strateggy": "default"}),
        "allowed_schema",
        "strateggy",
        chosen=WITH_JOBS,
    ),
    "an interval that is misspelt": Fault(
        put("PodMonitor", "pagetide", "spec/podMetricsEndpoints/0/intervall", "15s"),
        "allowed_schema",
        "intervall",
        chosen=WITH_MONITORING,
    ),
    "a trigger's key that is misspelt": Fault(
        told(1, "queueLenght", "10"), "allowed_triggers", "queueLenght", RABBITMQ
    ),
    "a value that KEDA does not know": Fault(
        told(1, "queueLengthStrategy", "visible"),
        "allowed_triggers",
        "visible",
        "overlays/azure-queue",
    ),
    "a trigger that there is not": Fault(
        put("ScaledObject", "pagetide-worker", "spec/triggers/0/type", "external-pull"),
        "allowed_triggers",
        "external-pull",
    ),
    "replicas of workers": Fault(
        put("Deployment", "pagetide-worker", "spec/replicas", 1), "no_replicas", "replicas"
    ),
    "replicas of the model's server": Fault(
        put("Deployment", "pagetide-vllm", "spec/replicas", 1),
        "no_replicas",
        "pagetide-vllm",
        chosen=("vllm",),
    ),
    "a second scaler of the cluster's own": Fault(add(HPA), "one_scaler", "more than one"),
    "a second ScaledObject": Fault(
        twice("ScaledObject", "pagetide-worker", "another"), "one_scaler", "more than one"
    ),
    "workers without a scaler": Fault(
        remove("ScaledObject", "pagetide-worker"), "one_scaler", "has no scaler"
    ),
    "a scaler of nothing": Fault(
        put("ScaledObject", "pagetide-worker", "spec/scaleTargetRef/name", "pagetide-wroker"),
        "one_scaler",
        "scales nothing",
    ),
    "workers that never leave": Fault(
        put("ScaledObject", "pagetide-worker", "spec/minReplicaCount", 1),
        "bounds",
        "never goes to none",
    ),
    "asked too seldom": Fault(
        put("ScaledObject", "pagetide-worker", "spec/pollingInterval", GONE),
        "bounds",
        "less often",
    ),
    "gone at once": Fault(
        put("ScaledObject", "pagetide-worker", "spec/cooldownPeriod", 5),
        "bounds",
        "between two jobs",
    ),
    "an HPA from none": Fault(
        put("HorizontalPodAutoscaler", "pagetide-worker-gpu", "spec/minReplicas", 0),
        "bounds",
        "below 1",
        chosen=("hpa-gpu",),
    ),
    "no fallback": Fault(
        put("ScaledObject", "pagetide-worker", "spec/fallback", GONE), "fallback", "fallback"
    ),
    "a fallback to none": Fault(
        put("ScaledObject", "pagetide-worker", "spec/fallback/replicas", 0),
        "fallback",
        "at least one",
    ),
    "a fallback to fewer": Fault(
        put("ScaledObject", "pagetide-worker", "spec/fallback/behavior", "static"),
        "fallback",
        "fewer",
    ),
    "down at once": Fault(
        put(
            "ScaledObject",
            "pagetide-worker",
            "spec/advanced/horizontalPodAutoscalerConfig/behavior/scaleDown/stabilizationWindowSeconds",
            0,
        ),
        "speeds",
        "down",
    ),
    "up slowly": Fault(
        put(
            "HorizontalPodAutoscaler",
            "pagetide-worker-gpu",
            "spec/behavior/scaleUp/policies/0/value",
            4,
        ),
        "speeds",
        "up at once",
        chosen=("hpa-gpu",),
    ),
    "updates that end jobs": Fault(
        put("ScaledJob", "pagetide-worker", "spec/rollout", GONE),
        "jobs_to_their_end",
        "every update",
        chosen=WITH_JOBS,
    ),
    "a strategy that counts twice": Fault(
        put("ScaledJob", "pagetide-worker", "spec/scalingStrategy/strategy", "accurate"),
        "jobs_to_their_end",
        "waits alone",
        chosen=WITH_JOBS,
    ),
    "jobs that are ended at work": Fault(
        put("ScaledJob", "pagetide-worker", "spec/jobTargetRef/activeDeadlineSeconds", 60),
        "jobs_to_their_end",
        "within the hour",
        chosen=WITH_JOBS,
    ),
    "jobs that stay": Fault(
        put(
            "ScaledJob",
            "pagetide-worker",
            "spec/jobTargetRef/template/spec/containers/0/args",
            ["worker", "--pool", "cpu", "--health-port", "8001"],
        ),
        "jobs_to_their_end",
        "that stay",
        chosen=WITH_JOBS,
    ),
    "jobs that start again": Fault(
        put(
            "ScaledJob",
            "pagetide-worker",
            "spec/jobTargetRef/template/spec/restartPolicy",
            "OnFailure",
        ),
        "jobs_to_their_end",
        "again",
        chosen=WITH_JOBS,
    ),
    "jobs on nodes that are taken away": Fault(
        put(
            "ScaledJob",
            "pagetide-worker",
            "spec/jobTargetRef/template/metadata/annotations",
            GONE,
        ),
        "jobs_to_their_end",
        "a node is given up",
        chosen=WITH_JOBS,
    ),
}
