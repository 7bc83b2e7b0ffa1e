"""Amazon SQS: its queues by name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pagetide.errors import StoreFailed
from pagetide.server.queues import wake_text
from pagetide.server.queues.aws_failures import DENIED, MISSING, AwsFailed, translated
from pagetide.server.queues.cloud import MOST_RECEIVED, Address, Parcel
from pagetide.server.queues.held import whole

TOGETHER = 10  # SQS takes no more at once
RETENTION_S = 14 * 86400  # of dead letters; SQS keeps nothing longer
_ALREADY = {"QueueAlreadyExists", "QueueNameExists"}


class Sqs:
    """The service: its queues by name, found or made when first used, and again when lost."""

    def __init__(self, address: Address, lease_s: float, patient: Any, quick: Any) -> None:
        """Make it.

        Args:
            address: Where it is.
            lease_s: How long a message stays hidden in queues that are made.
            patient: The boto3 client for what takes long or should not fail.
            quick: The one for all else.
        """
        self._address, self._lease_s = address, lease_s
        self._patient, self._quick = patient, quick
        self._urls: dict[str, str] = {}

    def ask(
        self, name: str, action: str, *, patiently: bool = False, **parameters: Any
    ) -> Mapping[str, Any]:
        """Ask something of a queue; the answer.

        Raises:
            StoreFailed: It cannot be asked, or is missing and may not be made.
        """
        client = self._patient if patiently else self._quick
        try:
            return _call(client, action, name, QueueUrl=self._url(name, client), **parameters)
        except AwsFailed as error:
            if error.service_code not in MISSING:
                raise
        self._urls.pop(name, None)
        return _call(client, action, name, QueueUrl=self._url(name, client), **parameters)

    def post(self, parcel: Parcel, trace: str) -> int:
        """See `cloud.Service`; what is refused is tried once more."""
        texts = [wake_text.write(task, trace) for task in parcel.tasks]
        left = [{"Id": str(n), "MessageBody": text} for n, text in enumerate(texts)]
        for _ in range(2):
            left = self._refused(parcel.queue, left)
            if not left:
                break
        return len(left)

    def prepare(self, names: Sequence[str]) -> None:
        """See `cloud.Service`; makes what is missing."""
        for name in names:
            self._url(name, self._patient)

    def count(self, name: str) -> int:
        """See `cloud.Service`; those that nobody holds, as of up to a minute ago."""
        counts = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesDelayed"]
        try:
            url = self._urls.get(name) or _found(self._quick, name)
            found = _attributes(self._quick, name, url, counts) if url else {}
        except AwsFailed as error:
            if error.service_code not in MISSING:
                raise
            self._urls.pop(name, None)
            return 0
        return sum(int(found.get(one, 0)) for one in counts)

    def dead_letter(self, text: str) -> None:
        """Keep a text with the dead letters.

        Raises:
            StoreFailed: As for `ask`.
        """
        self.ask(self._address.dead, "send_message", MessageBody=text)

    def close(self) -> None:
        """See `cloud.Service`."""
        self._patient.close()
        self._quick.close()

    def _refused(self, name: str, entries: list[dict[str, str]]) -> list[dict[str, str]]:
        try:
            answer = self.ask(name, "send_message_batch", Entries=entries)
        except StoreFailed:
            return entries
        failed = {entry["Id"] for entry in answer.get("Failed", ())}
        return [entry for entry in entries if entry["Id"] in failed]

    def _url(self, name: str, client: Any) -> str:
        """Two threads may find or make the same at once: making it twice does nothing."""
        if name not in self._urls:
            self._urls[name] = _found(client, name) or self._made(client, name)
        return self._urls[name]

    def _made(self, client: Any, name: str) -> str:
        if not self._address.create:
            raise StoreFailed(
                f"The SQS queue {name} is missing, and create=no is set: create it first."
            )
        attributes = self._attributes_of_new(client, name)
        try:
            answer = _call(client, "create_queue", name, QueueName=name, Attributes=attributes)
        except AwsFailed as error:
            if error.service_code in _ALREADY and (url := _found(client, name)):
                return url  # somebody with another lease was faster
            if error.service_code in DENIED:
                raise StoreFailed(
                    f"The SQS queue {name} is missing, and this process may not create it."
                ) from None
            raise
        return str(answer.get("QueueUrl", ""))

    def _attributes_of_new(self, client: Any, name: str) -> dict[str, str]:
        dead = self._address.dead
        if name == dead:
            return {"MessageRetentionPeriod": str(RETENTION_S)}
        self._urls.pop(dead, None)  # it may have been lost together with this one
        found = _attributes(client, dead, self._url(dead, client), ["QueueArn"])
        policy = {
            "deadLetterTargetArn": found.get("QueueArn", ""),
            "maxReceiveCount": MOST_RECEIVED,
        }
        return {
            "VisibilityTimeout": str(whole(self._lease_s, least=1)),
            "RedrivePolicy": json.dumps(policy),
        }


def _found(client: Any, name: str) -> str:
    """The URL of a queue; empty where there is none."""
    try:
        return str(_call(client, "get_queue_url", name, QueueName=name).get("QueueUrl", ""))
    except AwsFailed as error:
        if error.service_code not in MISSING:
            raise
        return ""


def _attributes(client: Any, name: str, url: str, wanted: list[str]) -> Mapping[str, str]:
    asked = {"QueueUrl": url, "AttributeNames": wanted}
    answer: Mapping[str, str] = _call(client, "get_queue_attributes", name, **asked).get(
        "Attributes", {}
    )
    return answer


def _call(client: Any, action: str, name: str, **parameters: Any) -> Mapping[str, Any]:
    with translated(f"SQS queue {name}"):
        answer: Mapping[str, Any] = getattr(client, action)(**parameters)
    return answer
