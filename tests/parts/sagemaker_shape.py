"""The SageMaker shape on this machine: an API, an endpoint, topics, the functions behind them.

Each part is a process, as in the cloud: what they share is the store, the blobs and SageMaker.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.cluster_client import Client
from bench.cluster_places import Place
from pagetide.server.ports import Store
from pagetide.server.wiring import open_store
from pagetide.settings import Settings
from pagetide.settings.tables import as_toml
from tests.loopback import Loopback, answering, loopback
from tests.parts.lambda_runtime import Function, FunctionFailed
from tests.parts.moto import REGION, environment_for_clients
from tests.parts.sagemaker import SageMaker
from tests.parts.sagemaker_endpoint import Told
from tests.parts.server import free_port
from tests.serving import pdf, text_of_page
from tests.waiting import until

ROOT = Path(__file__).parents[2]
READY_S = 120.0
TRIES = 3  # that Lambda makes
SETTINGS: Mapping[str, object] = {
    "auth": "off",
    "cache": "no",
    "test_models": "yes",
    "threads": 1,
    "lease_s": 3.0,
    "sweep_s": 0.5,
    "task_pages": 2,
    "drain_s": 10,
    "pools": '{cpu = "pp-ocrv6", gpu = "fake"}',
    "precise_model": "",
}


@dataclass
class Shape:
    """What runs, and what came of each note."""

    server: SageMaker
    name: str
    environment: dict[str, str]
    api: Place
    client: Client
    heard: Loopback
    settled: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    @property
    def state(self) -> dict[str, Any]:
        """What the endpoint is doing."""
        return self.server.state(self.name)

    @property
    def settings(self) -> Settings:
        """What all processes are set to."""
        ours = {k: v for k, v in self.environment.items() if k.startswith("PAGETIDE_")}
        return Settings.from_environment(ours)

    @contextmanager
    def store(self) -> Iterator[Store]:
        """The store, as one more process would open it."""
        with closing(open_store(self.settings)) as opened:
            yield opened

    def submit(self, pages: int, key: str, model: str = "fake?slow=0.05") -> str:
        """A new job's id."""
        return self.client.submit(pdf(pages), key, model=model)

    def assert_whole(self, job_id: str, pages: int) -> None:
        """It has succeeded, and every page is there once, with its own text."""
        status = self.client.ended(job_id, 60)
        assert (status["status"], status["pages_done"]) == ("succeeded", pages), status
        assert self.client.texts(job_id) == [(n, text_of_page(n)) for n in range(1, pages + 1)]

    def function(self, module: str) -> Function:
        """One of ours, under Lambda's own runtime; close it when done."""
        return Function(f"pagetide.server.aws_lambda.{module}.handle", self.environment)

    def end(self) -> None:
        """Wait until the endpoint rests, and each note has come to its end."""
        until(lambda: self.state["in_flight"] + self.state["queued"] == 0, READY_S)
        served = len(self.state["served"])
        until(lambda: len(self.settled) >= served, READY_S, f"{served} notes, {self.settled}")


@contextmanager
def shape(
    folder: Path, server: SageMaker, moto: Any, name: str, **given: object
) -> Iterator[Shape]:
    """Start it; it is gone at the end.

    Args:
        folder: For data and logs.
        server: SageMaker.
        moto: Where the topics are.
        name: Of the endpoint, unlike any other.
        given: Settings; `told_…` say how the endpoint behaves.
    """
    told = {key.removeprefix("told_"): given.pop(key) for key in [*given] if "told_" in key}
    port = free_port()
    environment = _environment(folder, server, name, port, given)
    with ExitStack() as ends:
        heard = ends.enter_context(loopback())
        heard.answers["/"] = answering()
        topics = _topics(moto, heard, name)
        behaviour = Told(
            command=entry_point(),
            environment=environment,
            port=port,
            **{"desired": 0, "again": False, **told},  # type: ignore[arg-type]
        )
        server.make(name, behaviour, topics)
        api = _api(folder, environment)
        ends.callback(_gone, api)
        client = Client([f"http://127.0.0.1:{api.port}"])
        ends.callback(client.close)
        made = Shape(server, name, environment, api, client, heard)
        ends.callback(server.tell, "forget", name=name)
        ends.enter_context(_settling(made))
        until(api.ready, READY_S, "the API is not ready")
        yield made


def _environment(
    folder: Path, server: SageMaker, name: str, port: int, given: Mapping[str, object]
) -> dict[str, str]:
    queues = as_toml({"gpu": server.queue("wakes", name, port=port)})
    settings = {"data_dir": folder / "data", "queues": queues, **SETTINGS, **given}
    ours = {f"PAGETIDE_{key.upper()}": str(value) for key, value in settings.items()}
    rest = {k: v for k, v in os.environ.items() if not k.startswith("PAGETIDE_")}
    return {**rest, **environment_for_clients(), **ours}


def _api(folder: Path, environment: dict[str, str]) -> Place:
    port = free_port()
    place = Place(
        name="api",
        command=[sys.executable, "-P", "-m", "pagetide", "api"],
        environment={**environment, "PAGETIDE_PORT": str(port)},
        port=port,
        log=folder / "api.log",
    )
    place.start()
    return place


def _topics(moto: Any, heard: Loopback, name: str) -> dict[str, str]:
    import boto3

    client = boto3.client("sns", region_name=REGION, endpoint_url=moto.endpoint)
    found = {"endpoint": moto.endpoint}
    for how in ("Completed", "Failed"):
        arn = client.create_topic(Name=f"{name}-{how}")["TopicArn"]
        url = f"http://127.0.0.1:{heard.port}/"
        client.subscribe(TopicArn=arn, Protocol="http", Endpoint=url)
        found[how] = arn
    client.close()
    return found


def _gone(place: Place) -> None:
    place.wanted = False
    place.kill()
    place.ended()


def entry_point() -> list[str]:
    """What the image for SageMaker runs, with this Python."""
    text = (ROOT / "deploy" / "aws" / "sagemaker.Dockerfile").read_text(encoding="utf-8")
    found = re.search(r"^ENTRYPOINT (\[.*\])$", text, re.MULTILINE)
    assert found
    program, *words = json.loads(found[1])
    assert program == "python"
    return [sys.executable, *words]


@contextmanager
def _settling(made: Shape) -> Iterator[None]:
    """Call the function for each note, as Lambda does; what raises is called again."""
    ended = threading.Event()

    def settle(function: Function) -> None:
        seen = 0
        while not ended.wait(0.01):
            for post in made.heard.received[seen:]:
                seen += 1
                if text := message_of(post.body):
                    made.settled += _called(function, sns_event(text), made.failed)

    with made.function("sagemaker_done") as function:
        thread = threading.Thread(target=settle, args=(function,))
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


def _called(function: Function, event: object, failed: list[str]) -> list[str]:
    for _ in range(TRIES):
        try:
            done: list[str] = function.invoke(event)
            return done
        except FunctionFailed as error:
            failed.append(str(error))
    return []


def sns_event(*texts: str) -> dict[str, Any]:
    """What a function behind a topic is called with."""
    return {
        "Records": [
            {"EventSource": "aws:sns", "EventVersion": "1.0", "Sns": {"Message": text}}
            for text in texts
        ]
    }


def message_of(body: bytes) -> str:
    """The message in what SNS posts."""
    said = json.loads(body)
    return str(said["Message"]) if said.get("Type") == "Notification" else ""
