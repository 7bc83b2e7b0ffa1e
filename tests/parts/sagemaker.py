"""SageMaker's asynchronous inference, with the S3 and the CloudWatch that go with it.

`python -m tests.parts.sagemaker PORT` is that server, all of it at one port:

    PUT, GET /BUCKET/KEY                 S3
    POST /, SageMaker.*                  the control plane: DescribeEndpoint, UpdateEndpoint…
    POST /endpoints/NAME/async-…         the runtime
    POST /, Granite….GetMetricStatistics  CloudWatch
    POST /control/…                      what a test tells it, and asks it
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.parts import keeper
from tests.parts.moto import REGION, environment_for_clients
from tests.parts.sagemaker_endpoint import Endpoint, Told, Wanted
from tests.parts.server import Server, listens

KEPT = Path("containers.json")  # in the server's folder: who registered outlives a restart


class SageMaker(Server):
    """A server; a restart loses all but the containers that registered."""

    def command(self) -> list[str]:
        """See `Server`."""
        return [sys.executable, "-m", __name__, str(self.port)]

    def environment(self) -> dict[str, str]:
        """See `Server`."""
        root = str(Path(__file__).parents[2])
        return {**environment_for_clients(), "PYTHONPATH": root}

    def ready(self) -> bool:
        """See `Server`."""
        return listens(self.port)

    def stop(self) -> None:
        """End it at once."""
        with suppress(OSError):
            self.tell("end")
        self.kill()

    @property
    def endpoint(self) -> str:
        """Where all of it answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """A queue of an endpoint for each pool."""
        return self.queue("shared")

    def queue(self, prefix: str, name: str = "", **more: object) -> str:
        """The URL of a queue; its endpoints are `PREFIX-POOL` unless another is named."""
        said = "".join(f"&{key}={value}" for key, value in more.items())
        endpoint = name or f"{prefix}-{{pool}}"
        return (
            f"sagemaker://{REGION}/{endpoint}/{prefix}"
            f"?bucket=wakes&endpoint={self.endpoint}{said}"
        )

    def make(self, name: str, told: Told, topics: dict[str, str] | None = None) -> None:
        """Make an endpoint; what is not made is there when it is first named.

        Args:
            name: Its name.
            told: How it behaves.
            topics: Where notes go: `endpoint` of SNS, and the ARNs `Completed` and `Failed`.
        """
        self.tell("make", name=name, told=asdict(told), topics=topics or {})

    def state(self, name: str) -> dict[str, Any]:
        """What an endpoint is doing."""
        return self.tell("state", name=name)

    def throttle(self, action: str, times: int) -> None:
        """Refuse an action so many times, as if it were asked too often."""
        self.tell("throttle", action=action, times=times)

    def fail(self, name: str, times: int) -> None:
        """Have so many of an endpoint's next invocations fail."""
        self.tell("fail", name=name, times=times)

    @contextmanager
    def held(self, name: str) -> Iterator[None]:
        """Have an endpoint keep what it is asked until the block ends."""
        self.tell("hold", name=name, held=True)
        try:
            yield
        finally:
            self.tell("hold", name=name, held=False)

    def tell(self, what: str, **given: Any) -> dict[str, Any]:
        """Tell it something."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("POST", f"/control/{what}", json.dumps(given))
            answer = connection.getresponse()
            body: dict[str, Any] = json.loads(answer.read())
            assert answer.status == 200, body
            return body
        finally:
            connection.close()


@pytest.fixture(scope="module")
def sagemaker() -> Iterator[SageMaker]:
    """A SageMaker that only these tests use."""
    with keeper.lent(SageMaker) as server:
        yield server


@pytest.fixture(scope="module")
def own_sagemaker(sagemaker: SageMaker) -> SageMaker:
    """The same: nobody else uses it."""
    return sagemaker


class Service:
    """All that the server knows."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.endpoints: dict[str, Endpoint] = {}
        self.throttled: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._kept: list[list[Any]] = json.loads(KEPT.read_text()) if KEPT.exists() else []

    def of(self, name: str, told: Told | None = None, topics: Any = None) -> Endpoint:
        with self._lock:
            if name not in self.endpoints:
                topics = topics or {}
                endpoint = Endpoint(
                    name, told or Told(), lambda wanted, how: _note(name, wanted, how, topics)
                )
                for _, port, most in (each for each in self._kept if each[0] == name):
                    endpoint.register(port, most)
                self.endpoints[name] = endpoint
            return self.endpoints[name]

    def control(self, what: str, given: dict[str, Any]) -> dict[str, Any]:
        if what == "make":
            self.of(given["name"], Told(**given["told"]), given["topics"])
        elif what == "register":
            self.of(given["name"]).register(given["port"], given["most"])
            self._kept.append([given["name"], given["port"], given["most"]])
            KEPT.write_text(json.dumps(self._kept))
        elif what == "forget":
            self.endpoints.pop(given["name"]).stop()
        elif what == "fail":
            self.of(given["name"]).failing = given["times"]
        elif what == "hold":
            self.of(given["name"]).hold(held=given["held"])
        elif what == "throttle":
            self.throttled[given["action"]] = given["times"]
        elif what == "end":
            for endpoint in self.endpoints.values():
                endpoint.stop()
        else:
            return self.of(given["name"]).state()
        return {}

    def refuses(self, action: str) -> bool:
        with self._lock:
            self.throttled[action] -= 1
            return self.throttled[action] >= 0


def _note(name: str, wanted: Wanted, how: str, topics: dict[str, str]) -> None:
    """Publish what SageMaker would."""
    if how not in topics:
        return
    import boto3

    said = {
        "awsRegion": REGION,
        "eventTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "invocationStatus": how,
        "requestParameters": {"endpointName": name, "inputLocation": wanted.location},
        "inferenceId": wanted.inference,
        "eventVersion": "1.0",
        "eventSource": "aws:sagemaker",
        "eventName": "InferenceResult",
    }
    if how == "Failed":
        said["failureReason"] = "ModelError"
    client = boto3.client("sns", region_name=REGION, endpoint_url=topics["endpoint"])
    client.publish(TopicArn=topics[how], Message=json.dumps(said))
    client.close()


class Asked(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    service: Service

    def do_PUT(self) -> None:
        self.service.objects[unquote(self.path.partition("?")[0])] = self._body()
        self._answer(200, b"", "application/xml")

    def do_GET(self) -> None:
        found = self.service.objects.get(unquote(self.path.partition("?")[0]))
        self._answer(404 if found is None else 200, found or b"", "application/json")

    def do_POST(self) -> None:
        body = self._body()
        if self.path.startswith("/control/"):
            what = self.path.removeprefix("/control/")
            self._json(200, self.service.control(what, json.loads(body or b"{}")))
        elif self.path.startswith("/endpoints/"):
            self._invoke(self.path.split("/")[2])
        else:
            action = self.headers["X-Amz-Target"].partition(".")[2]
            answer = self._statistics if action == "GetMetricStatistics" else self._control
            answer(action, json.loads(body))

    def _control(self, action: str, asked: dict[str, Any]) -> None:
        if self.service.refuses(action):
            self._json(400, {"__type": "ThrottlingException", "message": "Rate exceeded"})
            return
        endpoint = self.service.of(asked["EndpointName"])
        if action == "DescribeEndpoint":
            variant = {
                "VariantName": "AllTraffic",
                "CurrentInstanceCount": endpoint.current,
                "DesiredInstanceCount": endpoint.desired,
            }
            said = {
                "EndpointName": endpoint.name,
                "EndpointArn": f"arn:aws:sagemaker:{REGION}:1:endpoint/{endpoint.name}",
                "EndpointStatus": endpoint.status,
                "CreationTime": endpoint.changed_at,
                "LastModifiedTime": endpoint.changed_at,
                "ProductionVariants": [variant],
            }
            self._json(200, said)
            return
        (wanted,) = asked["DesiredWeightsAndCapacities"]
        if endpoint.resize(wanted["DesiredInstanceCount"]):
            self._json(200, {"EndpointArn": "arn"})
        else:
            text = f'Cannot update in-progress endpoint "{endpoint.name}".'
            self._json(400, {"__type": "ValidationException", "message": text})

    def _invoke(self, name: str) -> None:
        if self.service.refuses("InvokeEndpointAsync"):
            self._json(429, {"message": "Rate exceeded"}, "ThrottlingException")
            return
        location = self.headers["X-Amzn-SageMaker-InputLocation"]
        body = self.service.objects.get(location.removeprefix("s3:/"))
        if body is None:
            self._json(400, {"message": "no such object"}, "ValidationError")
            return
        inference = self.headers.get("X-Amzn-SageMaker-Inference-Id", "none")
        assert len(inference) <= 64
        urgency = self.headers.get("X-Amzn-SageMaker-Custom-Attributes", "")
        self.service.of(name).invoke(Wanted(inference, location, urgency, body))
        self._json(202, {"InferenceId": inference})

    def _statistics(self, action: str, asked: dict[str, Any]) -> None:
        (dimension,) = asked["Dimensions"]
        endpoint = self.service.of(dimension["Value"])
        kind = "backlog" if asked["MetricName"] == "ApproximateBacklogSize" else "stuck"
        now = time.time()
        newest = reversed(endpoint.samples[-3:])  # a sample a minute, whatever that is here
        points = [
            {"Timestamp": now - 60.0 * (age + 1), "Maximum": sample[kind], "Unit": "Count"}
            for age, sample in enumerate(newest)
        ]
        self._json(200, {"Label": asked["MetricName"], "Datapoints": points})

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _json(self, status: int, said: object, error: str = "") -> None:
        head = {"x-amzn-ErrorType": error} if error else {}
        self._answer(status, json.dumps(said).encode(), "application/x-amz-json-1.1", head)

    def _answer(
        self, status: int, body: bytes, media: str, head: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": media, **(head or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


class Listening(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


def serve(port: int) -> None:
    """Be that server, until killed."""
    asked = type("AskedHere", (Asked,), {"service": Service()})
    Listening(("127.0.0.1", port), asked).serve_forever()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
