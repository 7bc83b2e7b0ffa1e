"""Slips in what scalers ask, and how."""

from __future__ import annotations

from tests.deploy.kubernetes.slips import (
    GONE,
    Fault,
    put,
    shared,
    told,
)

RABBITMQ = "overlays/rabbitmq"
WITH_JOBS = ("scaled-job",)

FAULTS: dict[str, Fault] = {
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
    "a pool without workers": Fault(
        shared("PAGETIDE_POOLS", '{cpu = "structure-lite", gpu = "paddleocr-vl"}'),
        "pools",
        "the pool gpu, which has no workers",
    ),
    "workers without a pool": Fault(
        shared("PAGETIDE_POOLS", '{cpu = "structure-lite"}'),
        "pools",
        "does not name the pool gpu",
        chosen=("gpu",),
    ),
    "a canary without workers": Fault(
        shared("PAGETIDE_CANARY", "{cpu-new = 0.1}"), "pools", "cpu-new"
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
    "a form that is taken for a name": Fault(
        told(1, "useRegex", GONE), "all_queues", "all queues", RABBITMQ
    ),
    "a name that is almost a queue's": Fault(
        told(1, "queueName", ".*"), "all_queues", "all queues", "overlays/azure-queue"
    ),
    "a key that is not shown": Fault(told(1, "authMode", GONE), "authenticated", "to itself"),
    "a key under another name": Fault(
        put(
            "TriggerAuthentication",
            "pagetide-api",
            "spec/secretTargetRef/0/parameter",
            "apiKey",
        ),
        "authenticated",
        "who it is",
    ),
    "a broker without its address": Fault(
        put("ScaledObject", "pagetide-worker", "spec/triggers/1/authenticationRef", GONE),
        "authenticated",
        "who it is",
        RABBITMQ,
    ),
    "another cloud's identity": Fault(
        put("TriggerAuthentication", "pagetide-aws", "spec/podIdentity/provider", "azure"),
        "authenticated",
        "who it is",
        "overlays/sqs",
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
