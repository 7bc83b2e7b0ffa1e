"""What the reader does with messages where something goes wrong, one message at a time."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from pagetide.server.jobs.job import URGENCIES
from tests.parts.aws_account import Api
from tests.parts.lambda_events import sqs_record
from tests.parts.lambda_runtime import ACCOUNT, Function
from tests.parts.moto import REGION
from tests.serving import pdf
from tests.waiting import until

if TYPE_CHECKING:
    from tests.parts.aws_recorded import Deployed


def lose_pages(made: Deployed, api: Api, read: Function, sqs: Any) -> None:
    """A page is gone when a result is put together: it is read again, and others are woken."""
    for first, priority in ((300, "interactive"), (400, "batch")):  # none is read already
        where = {"Bucket": made.stack.resources["Documents"]}
        job = api.submit(pdf(3, first=first), priority=priority).json()["id"]
        with closing(made.stack.client("s3")) as s3:
            pages: list[Any] = []
            while not pages:
                read.invoke(heard(made, sqs))
                found = s3.list_objects_v2(**where, Prefix=f"pagetide/jobs/{job}/pages/")
                pages = found.get("Contents", [])
            for page in pages:
                s3.delete_object(**where, Key=page["Key"])
        for _ in range(3):
            if event := next_event(made, sqs):
                read.invoke(event)
        api.ask("POST", f"/v1/jobs/{job}/cancel")


def end_late(made: Deployed, api: Api, sqs: Any) -> None:
    """A function's time is up when a page is read: who puts the result together is woken."""
    late = made.function("ReadFunction", "read_tasks", PAGETIDE_DRAIN_S="10")
    for model in ("fake", "fake?slow=8"):  # the first, for a function's first call takes long
        api.submit(pdf(1), model=model)
        late.invoke(heard(made, sqs, "interactive"))
        late.timeout_s = 20  # of which it keeps the drain and 5 s


def heard(made: Deployed, sqs: Any, *urgencies: str) -> dict[str, Any]:
    """The next message, as soon as there is one.

    Between its calls the API is frozen, and what it was just sending may be lost: so there is
    the sweep.
    """
    sweep = made.function("SweepFunction", "sweep")
    return until(lambda: next_event(made, sqs, *urgencies) or sweep.invoke({}), 60)


def next_event(made: Deployed, sqs: Any, *urgencies: str) -> dict[str, Any] | None:
    """The next message of the queues, as an event; it is not deleted, and comes no more."""
    for urgency in urgencies or URGENCIES:
        name = f"{made.stack.name}-cpu-{urgency}"
        url = sqs.get_queue_url(QueueName=name)["QueueUrl"]
        for one in sqs.receive_message(QueueUrl=url).get("Messages", ()):
            record = sqs_record(
                one["Body"],
                arn=f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}",
                message_id=one["MessageId"],
                receipt=one["ReceiptHandle"],
            )
            return {"Records": [record]}
    return None
