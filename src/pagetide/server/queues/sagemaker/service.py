"""SageMaker's asynchronous endpoints: invoking, counting instances, reading the backlog."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pagetide.errors import StoreFailed
from pagetide.server.jobs.job import Task
from pagetide.server.queues import wake_text
from pagetide.server.queues.aws_failures import AwsFailed, translated
from pagetide.server.queues.cloud import Parcel
from pagetide.server.queues.sagemaker.address import Address

LONGEST_S = 3600  # that SageMaker waits for the answer to one invocation
LONGEST_WAIT_S = 21600  # that it keeps one waiting; after it the message is sent again
LONGEST_ID = 64
MINUTE_S = 60
BACKLOG_AGE_S = 180  # CloudWatch reports a minute's backlog one or two minutes later
_CHANGING = {"ResourceInUse", "ValidationException"}
_BROKEN = {"Deleting", "Failed", "OutOfService", "UpdateRollbackFailed"}


@dataclass(frozen=True, kw_only=True)
class EndpointState:
    """An endpoint's variant, as it was when it was looked at.

    Attributes:
        status: Of the endpoint, such as `InService` or `Updating`.
        desired: Instances that it is to have.
        changed: When it was last changed, in seconds since the epoch.
    """

    status: str
    desired: int
    changed: float

    @property
    def broken(self) -> bool:
        """Whether it stays as it is until somebody puts it right."""
        return self.status in _BROKEN


class SageMaker:
    """Endpoints by name, and the bucket that their work is handed over in."""

    def __init__(self, address: Address, *, control: Any, runtime: Any, s3: Any, watch: Any):
        self._address = address
        self._control, self._runtime, self._s3, self._watch = control, runtime, s3, watch

    def post(self, parcel: Parcel, trace: str) -> int:
        """Hand tasks over to the endpoint that the parcel names, one by one.

        Returns:
            How many were not taken; after a first failure the others are not tried.
        """
        for sent, task in enumerate(parcel.tasks):
            try:
                self._invoke(parcel.queue, task, trace)
            except StoreFailed:
                return len(parcel.tasks) - sent
        return 0

    def seen(self, name: str) -> EndpointState:
        """An endpoint as it is now.

        Raises:
            StoreFailed: It cannot be asked, or has no such variant.
        """
        with translated(f"SageMaker endpoint {name}"):
            found = self._control.describe_endpoint(EndpointName=name)
            variants = {one["VariantName"]: one for one in found.get("ProductionVariants", ())}
            status = str(found["EndpointStatus"])
            # One that is being created reports none yet.
            absent: dict[str, int] | None = {} if status == "Creating" else None
            variant = variants.get(self._address.variant, absent)
            if variant is not None:
                return EndpointState(
                    status=status,
                    desired=int(variant.get("DesiredInstanceCount", 0)),
                    changed=found["LastModifiedTime"].timestamp(),
                )
        raise StoreFailed(
            f"The SageMaker endpoint {name} has no variant {self._address.variant}:"
            " set it with &variant=."
        )

    def resize(self, name: str, instances: int) -> bool:
        """Set the number of instances; False where it cannot be changed just now.

        Raises:
            StoreFailed: It cannot be asked, or refuses.
        """
        try:
            self._change(name, instances)
        except AwsFailed as error:
            # It says the same of an endpoint that is just being changed and of a wrong request.
            if error.service_code not in _CHANGING:
                raise
            seen = self.seen(name)
            if seen.broken:
                raise StoreFailed(f"The SageMaker endpoint {name} is {seen.status}.") from None
            if seen.status != "InService":
                return False
            self._change(name, instances)  # what was being changed may just have been done
        return True

    def _change(self, name: str, instances: int) -> None:
        wanted = {"VariantName": self._address.variant, "DesiredInstanceCount": instances}
        with translated(f"SageMaker endpoint {name}"):
            self._control.update_endpoint_weights_and_capacities(
                EndpointName=name, DesiredWeightsAndCapacities=[wanted]
            )

    def backlog(self, name: str) -> int:
        """Invocations that wait or are held, as of some minutes ago; 0 where nobody knows.

        Raises:
            StoreFailed: CloudWatch cannot be asked.
        """
        return self.counted(name, time.time())[0]

    def counted(self, name: str, now: float) -> tuple[int, float]:
        """Invocations that wait or are held, and until when they were counted.

        Raises:
            StoreFailed: CloudWatch cannot be asked.
        """
        with translated(f"SageMaker endpoint {name}"):
            found = self._watch.get_metric_statistics(
                Namespace="AWS/SageMaker",
                MetricName="ApproximateBacklogSize",
                Dimensions=[{"Name": "EndpointName", "Value": name}],
                StartTime=datetime.fromtimestamp(now - BACKLOG_AGE_S, UTC),
                EndTime=datetime.fromtimestamp(now, UTC),
                Period=MINUTE_S,
                Statistics=["Maximum"],
            ).get("Datapoints", ())
            points = sorted((one["Timestamp"].timestamp(), one["Maximum"]) for one in found)
            at, count = points[-1] if points else (now - BACKLOG_AGE_S, 0)
            return round(count), at + MINUTE_S

    def keep(self, key: str, text: str) -> str:
        """Put a text into the bucket; its `s3://` URL.

        Raises:
            StoreFailed: It is not taken.
        """
        bucket = self._address.bucket
        with translated(f"bucket {bucket}"):
            self._s3.put_object(
                Bucket=bucket, Key=key, Body=text.encode(), ContentType="application/json"
            )
        return f"s3://{bucket}/{key}"

    def close(self) -> None:
        """Close connections."""
        for client in (self._control, self._runtime, self._s3, self._watch):
            client.close()

    def _invoke(self, name: str, task: Task, trace: str) -> None:
        location = self.keep(self._address.key(task), wake_text.write(task, trace))
        with translated(f"SageMaker endpoint {name}"):
            self._runtime.invoke_endpoint_async(
                EndpointName=name,
                InputLocation=location,
                InferenceId=task.id[:LONGEST_ID],
                ContentType="application/json",
                CustomAttributes=task.urgency,
                InvocationTimeoutSeconds=LONGEST_S,
                RequestTTLSeconds=LONGEST_WAIT_S,
            )
