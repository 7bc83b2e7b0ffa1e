"""An AWS account on Moto: a bucket, a table, queues, and functions that are really run."""

from __future__ import annotations

import base64
import json
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagetide.document import Document
from pagetide.server.jobs import keys
from pagetide.server.jobs.job import URGENCIES, Job, JobOptions
from pagetide.server.ports import Store
from pagetide.server.service.service import Service
from pagetide.server.service.submitting.submission import Submission
from pagetide.server.wiring import open_blobs, open_service
from pagetide.settings import Settings
from tests.parts import cloudformation
from tests.parts.clouds import s3_url as s3_url
from tests.parts.lambda_events import EventSource, sqs_record, url_event
from tests.parts.lambda_runtime import ACCOUNT, Function
from tests.parts.moto import REGION, Moto
from tests.serving import pdf, text_of_page
from tests.waiting import until

HOUR_S = 3600
LEASE_S = 30.0  # so that no slow machine loses one
API = "pagetide.server.aws_lambda.api.handle"
READ = "pagetide.server.aws_lambda.read_tasks.handle"
SWEEP = "pagetide.server.aws_lambda.sweep.handle"


@dataclass
class Account:
    """An account with a bucket, a table, the queues of a pool, and functions."""

    moto: Moto
    blobs: str
    folder: Path
    ends: ExitStack
    prefix: str = field(default_factory=lambda: f"t{secrets.token_hex(4)}")

    def __post_init__(self) -> None:
        self.sqs: Any = cloudformation.client(self.moto.endpoint, "sqs")
        self.ends.callback(self.sqs.close)
        dead = self._queue("dead", {})
        policy = {"deadLetterTargetArn": dead, "maxReceiveCount": 100}
        for urgency in URGENCIES:
            redrive = {"RedrivePolicy": json.dumps(policy)}
            self._queue(f"cpu-{urgency}", {"VisibilityTimeout": str(HOUR_S), **redrive})
        self.environment: Mapping[str, str] = {
            "PAGETIDE_STORE": self.moto.table(),
            "PAGETIDE_BLOBS": self.blobs,
            "PAGETIDE_QUEUE": f"sqs://{REGION}/{self.prefix}?endpoint={self.moto.endpoint}",
            "PAGETIDE_LEASE_S": str(LEASE_S),
            "PAGETIDE_TEST_MODELS": "yes",
            "PAGETIDE_LOG_FORMAT": "json",
            "PAGETIDE_TASK_PAGES": "2",
            "AWS_ENDPOINT_URL_SQS": self.moto.endpoint,
        }
        self.change({})

    def change(self, variables: Mapping[str, str]) -> None:
        """Have these settings, too, from now on."""
        self.environment = {**self.environment, **variables}
        given = {**self.environment, "PAGETIDE_DATA_DIR": str(self.folder)}
        self.settings = Settings.from_environment(given)
        self.service: Service = open_service(self.settings)
        self.ends.callback(self.service.close)

    def function(self, name: str = READ, **given: Any) -> Function:
        return self.ends.enter_context(Function(name, self.environment, **given))

    def sources(self, function: Function, **given: Any) -> None:
        """Have the pool's queues call it."""
        for urgency in URGENCIES:
            name = f"{self.prefix}-cpu-{urgency}"
            self.ends.enter_context(EventSource(function, self.sqs, name, **given))

    def submit(self, pages: int, model: str = "fake", **asked: Any) -> Job:
        """Submit a PDF of so many pages."""
        return self.submit_bytes(pdf(pages), model, **asked)

    def submit_bytes(self, content: bytes, model: str, **asked: Any) -> Job:
        """Submit a document."""
        path = self.folder / secrets.token_hex(4)
        path.write_bytes(content)
        options = JobOptions(model=model)
        return self.service.submit(
            Submission(document=path, name="scan.pdf", options=options, **asked)
        )

    def ended(self, job: Job, seconds: float = 120.0) -> Job:
        until(lambda: self.service.job(job.id).ended, seconds)
        return self.service.job(job.id)

    def assert_read(self, job: Job) -> None:
        ended = self.ended(job)
        assert (ended.status, ended.pages_done) == ("succeeded", job.page_count)
        blobs = open_blobs(self.settings)
        document = Document.from_json(blobs.get(ended.results["json"].key))
        expected = [text_of_page(n + 1) for n in range(job.page_count)]
        assert [page.lines[0].text for page in document.pages] == expected

    def counted(self, name: str) -> tuple[int, int]:
        """How many messages of a queue wait, and how many are hidden."""
        asked = self.sqs.get_queue_attributes(QueueUrl=self.url(name), AttributeNames=["All"])[
            "Attributes"
        ]
        hidden = asked["ApproximateNumberOfMessagesNotVisible"]
        return int(asked["ApproximateNumberOfMessages"]), int(hidden)

    def url(self, name: str) -> str:
        return str(self.sqs.get_queue_url(QueueName=f"{self.prefix}-{name}")["QueueUrl"])

    def left(self) -> int:
        return sum(sum(self.counted(f"cpu-{urgency}")) for urgency in URGENCIES)

    def received(self, name: str = "cpu-interactive") -> dict[str, Any]:
        """The next message of a queue, as an event."""
        return until(lambda: self.next_event(name))

    def next_event(self, name: str = "cpu-interactive") -> dict[str, Any] | None:
        """The same, if there is one now."""
        got = self.sqs.receive_message(QueueUrl=self.url(name)).get("Messages", ())
        arn = f"arn:aws:sqs:{REGION}:{ACCOUNT}:{self.prefix}-{name}"
        records = [
            sqs_record(
                one["Body"],
                arn=arn,
                message_id=one["MessageId"],
                receipt=one["ReceiptHandle"],
            )
            for one in got
        ]
        return {"Records": records} if records else None

    def _queue(self, name: str, attributes: Mapping[str, str]) -> str:
        made = self.sqs.create_queue(
            QueueName=f"{self.prefix}-{name}", Attributes=dict(attributes)
        )
        asked = self.sqs.get_queue_attributes(
            QueueUrl=made["QueueUrl"], AttributeNames=["QueueArn"]
        )
        return str(asked["Attributes"]["QueueArn"])


@pytest.fixture
def account(moto: Moto, s3_url: str, tmp_path: Path) -> Iterator[Account]:
    with ExitStack() as ends:
        yield Account(moto, s3_url, tmp_path, ends)


@dataclass
class Api:
    """The API's function, as who calls its URL sees it."""

    function: Function
    key: str

    def ask(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        query: str = "",
        key: str | None = None,
    ) -> httpx.Response:
        sent = {"Authorization": f"Bearer {self.key if key is None else key}"}
        event = url_event(
            method, path, body=body, query=query, headers={**sent, **(headers or {})}
        )
        told = self.function.invoke(event)
        content = base64.b64decode(told["body"]) if told["isBase64Encoded"] else b""
        given = {name: value for name, value in told["headers"].items()}
        given.pop("content-length", None)
        return httpx.Response(told["statusCode"], headers=given, content=content)

    def json(self, method: str, path: str, body: object = None, **more: Any) -> httpx.Response:
        headers = {"Content-Type": "application/json", **more.pop("headers", {})}
        return self.ask(method, path, json.dumps(body).encode(), headers, **more)

    def ended(self, job_id: str) -> dict[str, Any]:
        """A job, once it has ended."""

        def found() -> dict[str, Any] | None:
            answer = self.ask("GET", f"/v1/jobs/{job_id}", query="wait=20")
            if answer.status_code == 503:  # the store was too slow; a client asks again
                return None
            assert answer.status_code == 200, answer.text
            told: dict[str, Any] = answer.json()
            return told if told["finished_at"] else None

        return until(found, 120)

    def upload(self, content: bytes) -> str:
        """Send a document past the function, by a form of S3's; the upload's id."""
        told = self.ask("POST", "/v1/uploads").json()
        assert told["method"] == "POST"
        sent = httpx.post(
            told["url"],
            data=told["fields"],
            files={"file": content},
            timeout=60,
            trust_env=False,
        )
        assert sent.is_success, sent.text
        return str(told["id"])

    def submit(self, content: bytes, **fields: object) -> httpx.Response:
        file = base64.b64encode(content).decode()
        body = {"file": file, "name": "scan.pdf", "model": "fake", **fields}
        return self.json("POST", "/v1/jobs", body)


def new_key(
    store: Store, name: str, scopes: tuple[keys.Scope, ...] = keys.LEAST, **limits: int
) -> str:
    """An API key that a store knows from now on."""
    key_id, secret = secrets.token_hex(4), secrets.token_hex(24)
    text, key = keys.new_key(
        name, key_id=key_id, secret=secret, now=time.time(), scopes=scopes, **limits
    )
    store.put_key(key)
    return text
