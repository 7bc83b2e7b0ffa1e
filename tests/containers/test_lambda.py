"""The image of AWS Lambda's functions: its runtime client, locked up as Lambda does."""

from __future__ import annotations

import base64
import json
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.containers.conftest import built
from tests.containers.podman import LOCKED_UP, Podman
from tests.parts.lambda_events import url_event

# Lambda's own: a user of no group of ours, a disk that only /tmp can be written on.
AS_LAMBDA = ("--user=993:990", "--network=host", *LOCKED_UP)
SETTINGS = {
    "PAGETIDE_STORE": "memory:",
    "PAGETIDE_BLOBS": "memory:",
    "PAGETIDE_POOLS": '{cpu = "structure-lite"}',
    "PAGETIDE_AUTH": "off",
    "PAGETIDE_PUBLIC_URL": "https://abc123.lambda-url.us-east-1.on.aws",
    "AWS_LAMBDA_FUNCTION_NAME": "api",
    "AWS_REGION": "us-east-1",
}


@pytest.fixture(scope="module")
def image(podman: Podman, worker: str) -> str:
    return built(podman, "lambda", worker)


@contextmanager
def runtime_api(event: dict[str, Any]) -> Iterator[tuple[int, queue.Queue[dict[str, Any]]]]:
    """Lambda's Runtime API with one call; its port, and what is answered."""
    answers: queue.Queue[dict[str, Any]] = queue.Queue()
    calls = iter([json.dumps(event).encode()])
    ended = threading.Event()

    class Answering(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = next(calls, b"")
            if not body:
                ended.wait()
            self.send_response(200)
            self.send_header("Lambda-Runtime-Aws-Request-Id", "1")
            self.send_header(
                "Lambda-Runtime-Deadline-Ms", str(int(time.time() * 1000) + 60_000)
            )
            self.send_header("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:x:1:f:api")
            self.send_header(
                "Lambda-Runtime-Trace-Id", "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700"
            )
            self.send_header("Content-Type", "application/json")  # without it the client dies
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answers.put({"path": self.path, "body": body})
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port, answers
    ended.set()
    server.shutdown()
    server.server_close()


def test_the_api_answers_a_call(podman: Podman, image: str) -> None:
    told = [f"--env={name}={value}" for name, value in SETTINGS.items()]
    with runtime_api(url_event("GET", "/v1/models")) as (port, answers):
        where = f"--env=AWS_LAMBDA_RUNTIME_API=127.0.0.1:{port}"
        with podman.running(
            *AS_LAMBDA, *told, where, image, "pagetide.server.aws_lambda.api.handle"
        ) as container:
            try:
                answer = answers.get(timeout=30)
            except queue.Empty:
                pytest.fail(podman.log(container))
    assert answer["path"].endswith("/response"), answer
    assert answer["body"]["statusCode"] == 200
    listed = json.loads(base64.b64decode(answer["body"]["body"]))["models"]
    assert {one["name"]: one["available"] for one in listed}["structure-lite"]


def test_every_function_can_be_loaded(podman: Podman, image: str) -> None:
    look = """
import importlib, pathlib, pagetide.server.aws_lambda as all_of_them
for path in sorted(pathlib.Path(all_of_them.__path__[0]).glob("*.py")):
    importlib.import_module(f"pagetide.server.aws_lambda.{path.stem}")
    print(path.stem)
"""
    command = ("run", "--rm", *AS_LAMBDA, "--entrypoint=python", image, "-c", look)
    assert {"api", "read_tasks", "sweep"} <= set(podman.told(*command).split())
