"""What calls functions of AWS Lambda: the poller of an SQS queue, and a function's URL.

An event source mapping deletes the messages that the function does not name as failed.
"""

from __future__ import annotations

import base64
import secrets
import threading
import time
from collections.abc import Mapping
from typing import Any, Self

from tests.parts.lambda_runtime import ACCOUNT, Function, FunctionFailed, Throttled
from tests.parts.moto import REGION


class EventSource:
    """Lambda's poller of one SQS queue: receives, calls the function, deletes what is done."""

    def __init__(
        self, function: Function, client: Any, name: str, *, pollers: int = 1, batch: int = 1
    ) -> None:
        """Begin to poll.

        Args:
            function: What is called.
            client: boto3's, for SQS.
            name: The queue's.
            pollers: Calls at once.
            batch: Most messages of a call.
        """
        self._function, self._client, self._batch = function, client, batch
        self._url = client.get_queue_url(QueueName=name)["QueueUrl"]
        self._arn = f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}"
        self._ended = threading.Event()
        self.failures: list[str] = []
        self._threads = [threading.Thread(target=self._poll) for _ in range(pollers)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _poll(self) -> None:
        while not self._ended.wait(0.05):
            answer = self._client.receive_message(
                QueueUrl=self._url, MaxNumberOfMessages=self._batch, AttributeNames=["All"]
            )
            if messages := answer.get("Messages"):
                self._deliver(messages)

    def _deliver(self, messages: list[dict[str, Any]]) -> None:
        try:
            answer = self._function.invoke({"Records": list(map(self._record, messages))})
        except Throttled:  # Lambda gives them back, and tries again after a while
            for message in messages:
                self._client.change_message_visibility(
                    QueueUrl=self._url,
                    ReceiptHandle=message["ReceiptHandle"],
                    VisibilityTimeout=1,
                )
            return
        except FunctionFailed as error:  # they stay hidden for as long as they are
            self.failures.append(str(error))
            return
        failed = {one["itemIdentifier"] for one in answer["batchItemFailures"]}
        for message in messages:
            if message["MessageId"] not in failed:
                self._client.delete_message(
                    QueueUrl=self._url, ReceiptHandle=message["ReceiptHandle"]
                )

    def _record(self, message: Mapping[str, Any]) -> dict[str, Any]:
        return sqs_record(
            message["Body"],
            arn=self._arn,
            message_id=message["MessageId"],
            receipt=message["ReceiptHandle"],
        )


def sqs_record(body: str, *, arn: str, message_id: str, receipt: str) -> dict[str, Any]:
    """A message as an event has it."""
    return {
        "messageId": message_id,
        "receiptHandle": receipt,
        "body": body,
        "attributes": {"ApproximateReceiveCount": "1", "SentTimestamp": "1545082649183"},
        "messageAttributes": {},
        "md5OfBody": "",
        "eventSource": "aws:sqs",
        "eventSourceARN": arn,
        "awsRegion": REGION,
    }


def url_event(
    method: str,
    path: str,
    *,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    query: str = "",
) -> dict[str, Any]:
    """A request as a function's URL, or an HTTP API, hands it over (payload format 2.0)."""
    host = "abc123.lambda-url.us-east-1.on.aws"
    given = {name.lower(): value for name, value in (headers or {}).items()}
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": query,
        "headers": {"host": host, "content-length": str(len(body)), **given},
        "requestContext": {
            "accountId": "anonymous",
            "apiId": "abc123",
            "domainName": host,
            "http": {
                "method": method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "203.0.113.7",
                "userAgent": "test",
            },
            "requestId": secrets.token_hex(8),
            "routeKey": "$default",
            "stage": "$default",
            "timeEpoch": int(time.time() * 1000),
        },
        "body": base64.b64encode(body).decode(),
        "isBase64Encoded": True,
    }
