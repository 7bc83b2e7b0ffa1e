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
    shared,
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
    "the same, by KEDA's definition": Fault(
        put("ScaledObject", "pagetide-worker", "spec/coolDownPeriod", 300),
        "custom_schema",
        "coolDownPeriod",
    ),
    "a number of KEDA's as text": Fault(
        put("ScaledObject", "pagetide-worker", "spec/pollingInterval", "15"),
        "custom_schema",
        "pollingInterval",
    ),
    "a strategy that is misspelt": Fault(
        put("ScaledJob", "pagetide-worker", "spec/scalingStrategy", {"strateggy": "default"}),
        "custom_schema",
        "strateggy",
        chosen=WITH_JOBS,
    ),
    "an interval that is misspelt": Fault(
        put("PodMonitor", "pagetide", "spec/podMetricsEndpoints/0/intervall", "15s"),
        "custom_schema",
        "intervall",
        chosen=WITH_MONITORING,
    ),
    "a trigger's key that is misspelt": Fault(
        told(1, "queueLenght", "10"), "allowed_triggers", "queueLenght", RABBITMQ
    ),
    "the same, by KEDA's list": Fault(
        told(1, "queueLenght", "10"), "kedas_triggers", "queueLenght", RABBITMQ
    ),
    "a value that KEDA does not know": Fault(
        told(1, "queueLengthStrategy", "visible"),
        "kedas_triggers",
        "visible",
        "overlays/azure-queue",
    ),
    "a trigger that there is not": Fault(
        put("ScaledObject", "pagetide-worker", "spec/triggers/0/type", "external-pull"),
        "kedas_triggers",
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
    "least above most": Fault(
        put("ScaledObject", "pagetide-worker", "spec/minReplicaCount", 16), "bounds", "above"
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
    "a number in metadata": Fault(told(0, "tasksPerWorker", 10), "text_metadata", "no text"),
    "rabbitmq over amqp": Fault(
        told(1, "protocol", "amqp"), "counts_work", "rabbitmq", RABBITMQ
    ),
    "rabbitmq over whatever": Fault(
        told(1, "protocol", GONE), "counts_work", "rabbitmq", RABBITMQ
    ),
    "rabbitmq without what is being done": Fault(
        told(1, "excludeUnacknowledged", "true"), "counts_work", "rabbitmq", RABBITMQ
    ),
    "sqs without what is being done": Fault(
        told(1, "scaleOnInFlight", "false"), "counts_work", "aws-sqs-queue", "overlays/sqs"
    ),
    "azure without what is being done": Fault(
        told(1, "queueLengthStrategy", "visibleonly"),
        "counts_work",
        "azure-queue",
        "overlays/azure-queue",
    ),
    "the API's count of what waits alone": Fault(
        told(1, "valueLocation", "waiting"), "counts_work", "metrics-api"
    ),
    "a redis list": Fault(
        put(
            "ScaledObject",
            "pagetide-worker",
            "spec/triggers/2",
            {
                "type": "redis",
                "metadata": {"listName": "pagetide-cpu-batch", "listLength": "10"},
            },
        ),
        "counts_work",
        "redis",
        "overlays/redis",
    ),
    "no push": Fault(
        put("ScaledObject", "pagetide-worker", "spec/triggers/0", GONE),
        "woken_at_once",
        "push",
    ),
    "nothing behind the push": Fault(
        put("ScaledObject", "pagetide-worker", "spec/triggers/1", GONE),
        "woken_at_once",
        "push",
    ),
    "a push for jobs": Fault(
        put("ScaledJob", "pagetide-worker", "spec/triggers/0/type", "external-push"),
        "woken_at_once",
        "cannot start jobs",
        chosen=WITH_JOBS,
    ),
    "triggers that disagree": Fault(told(1, "value", "1"), "one_worth", "disagree", RABBITMQ),
    "more tasks a worker than the API takes for one": Fault(
        put("ScaledJob", "pagetide-worker", "spec/triggers/0/metadata/targetValue", "10"),
        "one_worth",
        "the API takes 4",
        chosen=WITH_JOBS,
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
    "a pool without workers": Fault(
        shared("PAGETIDE_POOLS", "cpu=structure-lite;gpu=paddleocr-vl"),
        "pools",
        "the pool gpu, which has no workers",
    ),
    "workers without a pool": Fault(
        shared("PAGETIDE_POOLS", "cpu=structure-lite"),
        "pools",
        "does not name the pool gpu",
        chosen=("gpu",),
    ),
    "a trigger at another pool": Fault(
        told(1, "url", "http://pagetide-api.pagetide.svc:8000/v1/backlog/gpu"),
        "pools",
        "looks at the pool gpu",
    ),
    "a push for another pool": Fault(told(0, "pool", "gpu"), "pools", "looks at the pool gpu"),
    "a queue of another pool": Fault(
        told(1, "queueName", "pagetide-gpu-batch"),
        "pools",
        "looks at the pool gpu",
        "overlays/azure-queue",
    ),
    "a queue that is not watched": Fault(
        told(1, "queueName", "^pagetide-cpu-(interactive|batch)$"),
        "all_queues",
        "all queues",
        RABBITMQ,
    ),
    "an address without its namespace": Fault(
        told(0, "scalerAddress", "pagetide-scaler:9090"),
        "answers_where_asked",
        "no service here",
    ),
    "an address with another port": Fault(
        told(0, "scalerAddress", "pagetide-scaler.pagetide.svc:9091"),
        "answers_where_asked",
        "9091",
    ),
}
