"""The SageMaker shape: upload, endpoint, topics, completion; whatever goes wrong, jobs end.

SageMaker is `tests.parts.sagemaker`, which starts and ends the containers as processes; topics
are Moto's, and functions run under Lambda's own runtime client.
"""

from __future__ import annotations

import os
import secrets
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagetide.cli.checks.examination import Steps
from pagetide.cli.checks.queue import check_queue
from pagetide.errors import StoreFailed
from pagetide.server.aws_lambda.endpoint_size import IDLE_S, EndpointSize, sizes
from pagetide.server.ports import Backlog
from pagetide.server.queues.sagemaker.address import VARIANT, parse_address
from pagetide.settings import Settings
from tests.parts.alarms import Alarm
from tests.parts.cloudformation import deploy
from tests.parts.clouds import s3_url as s3_url
from tests.parts.moto import aws_credentials as aws_credentials
from tests.parts.sagemaker import SageMaker
from tests.parts.sagemaker import sagemaker as sagemaker
from tests.parts.sagemaker_endpoint import Told
from tests.parts.sagemaker_shape import Shape, message_of, shape, sns_event
from tests.serving import Wrapped
from tests.waiting import until

pytestmark = [
    pytest.mark.usefixtures("aws_credentials"),
    pytest.mark.slow("plays AWS on stand-ins written in Python"),
]

LONG_S = 120.0
MORTAL = {"lease_s": 3.0}  # where leases are to run out


Starting = Callable[..., Shape]


@pytest.fixture
def start(tmp_path: Path, sagemaker: SageMaker, moto: Any) -> Iterator[Starting]:
    """Starts the shape with settings of a test's own; its endpoint is at rest."""
    with ExitStack() as ends:

        def started(**given: object) -> Shape:
            name, settings = f"gpu-{secrets.token_hex(4)}", {"lease_s": 60.0, **given}
            return ends.enter_context(shape(tmp_path, sagemaker, moto, name, **settings))

        yield started


@contextmanager
def size_of(made: Shape) -> Iterator[EndpointSize]:
    """What looks after the endpoint's size, in this process."""
    with made.store() as store:
        (size,) = sizes(made.settings, store)
        yield size


def test_upload_endpoint_topic_completion(start: Starting, moto: Any, s3_url: str) -> None:
    made = start(store=moto.table(), blobs=s3_url)
    assert made.state["desired"] == 0
    job_id = made.submit(12, "whole")
    until(lambda: made.state["desired"] == 1, LONG_S)
    made.assert_whole(job_id, 12)
    made.end()
    state = made.state
    assert state["most_in_flight"] <= 4
    assert {answered for _, answered in state["served"]} == {200}
    assert set(made.settled) == {"done"} and made.failed == []
    with made.function("scale_in") as scale_in:
        alarm = Alarm(10, lambda backlog: backlog < 0.1, missing=True)
        until(lambda: alarm.look(backlogs(made)), LONG_S)
        assert scale_in.invoke({"source": "alarm"}) == {made.name: "asleep"}
        until(lambda: made.state["exits"] == [0], LONG_S)  # it was asked to end, and did
        assert made.state["desired"] == 0
        again = made.submit(3, "again")
        made.assert_whole(again, 3)


def test_throttling(start: Starting) -> None:
    """Of the API that is called for each task, and of the one that wakes the endpoint."""
    made = start()
    for action in ("InvokeEndpointAsync", "DescribeEndpoint"):
        made.server.throttle(action, 5)
    made.server.throttle("UpdateEndpointWeightsAndCapacities", 3)
    job_id = made.submit(9, "throttled")
    made.assert_whole(job_id, 9)
    made.end()
    assert set(made.settled) == {"done"}


def test_what_comes_twice_is_done_once(start: Starting) -> None:
    made = start(sweep="no")
    job_id = made.submit(6, "twice", model="fake?slow=0.2")
    with made.store() as store:
        tasks = until(lambda: store.tasks(job_id))
    for task in tasks:
        for _ in range(2):
            invoke(made, job_id, task.id)
    made.assert_whole(job_id, 6)
    made.end()
    # A task that somebody holds is let go, and the function sees that it is in good hands.
    assert set(made.settled) <= {"done", "held", "later", "sent"}
    with made.store() as store:
        assert max(task.attempts for task in store.tasks(job_id)) == 0
    posts = [message_of(post.body) for post in made.heard.received]
    with made.function("sagemaker_done") as function:
        assert set(function.invoke(sns_event(*filter(None, posts)))) == {"done"}
    assert made.client.status(job_id)["status"] == "succeeded"


def test_an_inference_that_fails_is_made_again(start: Starting) -> None:
    """By the function behind the topic alone: nobody sweeps."""
    made = start(sweep="no")
    made.server.fail(made.name, 3)
    job_id = made.submit(6, "failing")
    made.assert_whole(job_id, 6)
    made.end()
    assert made.settled.count("sent") == 3
    assert [answered for _, answered in made.state["served"]].count(500) == 3


def test_a_container_that_is_killed(start: Starting) -> None:
    made = start(**MORTAL)
    job_id = made.submit(8, "killed", model="fake?slow=0.5")
    until(lambda: made.client.status(job_id)["pages_done"] >= 2, LONG_S)
    os.kill(made.state["pid"], signal.SIGKILL)
    made.assert_whole(job_id, 8)
    made.end()
    assert 0 in [answered for _, answered in made.state["served"]]
    # Held while its lease runs; then the sweep takes it back, unless the function was faster.
    assert set(made.settled) & {"held", "lost", "sent"}


def test_an_inference_that_takes_too_long(start: Starting) -> None:
    """SageMaker has long told that it failed when the worker is done with it."""
    made = start(sweep="no", told_timeout_s=0.5)
    job_id = made.submit(3, "long", model="fake?slow=1")
    made.assert_whole(job_id, 3)
    made.end()
    assert 0 in [answered for _, answered in made.state["served"]]
    with made.store() as store:
        assert max(task.attempts for task in store.tasks(job_id)) == 0


def test_a_container_that_is_told_to_end_gives_back_what_it_holds(start: Starting) -> None:
    made = start(sweep="no")
    job_id = made.submit(8, "told", model="fake?slow=0.5")
    until(lambda: made.client.status(job_id)["pages_done"] >= 2, LONG_S)
    os.kill(made.state["pid"], signal.SIGTERM)
    made.assert_whole(job_id, 8)
    made.end()
    with made.store() as store:
        assert max(task.attempts for task in store.tasks(job_id)) == 0


class Landing(Wrapped):
    """Endpoints among whose looks and writes a job lands."""

    def __init__(self, inner: Any, land: Callable[[], object]) -> None:
        super().__init__(inner)
        self._land = land

    def resize(self, name: str, instances: int) -> bool:
        if instances == 0:
            self._land()
        done: bool = self._inner.resize(name, instances)
        return done


@pytest.mark.parametrize("looks_again", [True, False])
def test_a_job_that_lands_between_alarm_and_function(
    start: Starting, looks_again: bool
) -> None:
    """It is seen by the second look; if that were missed, the reaper would see it."""
    made = start(told_desired=1, told_minute_s=3600.0, drain_s=1)
    until(lambda: made.state["ready"], LONG_S)
    landed: list[str] = []

    def land() -> None:
        landed.append(made.submit(9, "landing", model="fake?slow=1"))
        until(lambda: made.state["in_flight"] > 0, LONG_S)

    with size_of(made) as size:
        caught = replace(size, endpoints=Landing(size.endpoints, land))
        if not looks_again:
            caught = replace(caught, store=Blind(caught.store))
        assert caught.sleep() == ("awake" if looks_again else "asleep")
        if not looks_again:
            until(lambda: made.state["exits"], LONG_S)
            # The note of the job's end may have woken it, and be in hand still.
            until(lambda: made.state["desired"] == 0 or made.settled, LONG_S)
            assert size.reconcile() in ("awake", "left")
        made.assert_whole(landed[0], 9)
    made.end()


class Blind(Wrapped):
    """A store in which nothing is seen to wait."""

    def backlog(self, pool: str, now: float) -> Backlog:
        return Backlog()


def test_the_reaper_puts_to_sleep_what_no_alarm_ever_would(start: Starting) -> None:
    """A job that is done between two samples: the alarm stays as it is, and never acts."""
    made = start(told_minute_s=3600.0)
    made.assert_whole(made.submit(1, "short"), 1)
    made.end()
    assert backlogs(made) == []
    with size_of(made) as size:
        assert size.reconcile() == "left"  # it has worked just now
        late = replace(size, clock=lambda: time.time() + IDLE_S + 1)
        assert late.reconcile() == "asleep"
    until(lambda: made.state["exits"] == [0], LONG_S)


def test_the_reaper_wakes_what_was_never_woken(start: Starting) -> None:
    made = start()
    made.server.throttle("DescribeEndpoint", 100_000)
    job_id = made.submit(3, "stuck")
    until(lambda: made.state["queued"] > 0, LONG_S)
    assert made.state["desired"] == 0
    made.api.kill()  # with the thread that would try again
    made.api.ended()
    made.server.throttle("DescribeEndpoint", 0)
    with made.function("reaper") as reaper:
        assert reaper.invoke({}) == {made.name: "awake"}
    made.api.start()
    until(made.api.ready, LONG_S)
    made.assert_whole(job_id, 3)
    made.end()


def test_doctor_looks_at_the_endpoint_and_starts_nothing(sagemaker: SageMaker) -> None:
    name = f"gpu-{secrets.token_hex(4)}"
    sagemaker.make(name, Told(desired=0))
    settings = Settings(queues={"gpu": sagemaker.queue("wakes", name)})
    steps = Steps(until=time.monotonic() + LONG_S)
    check_queue(settings, steps)
    assert steps.notes == [
        "the store is the queue",
        f"{name} is InService and should have 0 instances",
    ]
    state = sagemaker.state(name)
    assert (state["desired"], state["queued"]) == (0, 0)
    sagemaker.throttle("DescribeEndpoint", 100)
    try:
        with pytest.raises(StoreFailed, match="too many requests"):
            check_queue(settings, steps)
    finally:
        sagemaker.throttle("DescribeEndpoint", 0)


def test_the_template_makes_such_an_endpoint(moto: Any) -> None:
    image = "123456789012.dkr.ecr.us-east-1.amazonaws.com/pagetide-worker-sagemaker:1"
    stack = deploy(moto.endpoint, GpuImage=image, GpuInstance="ml.g4dn.xlarge")
    control = stack.client("sagemaker")
    config = stack.resources["GpuConfig"].rpartition("/")[2]
    made = control.describe_endpoint_config(EndpointConfigName=config)
    (variant,), given = made["ProductionVariants"], made["AsyncInferenceConfig"]
    assert variant["VariantName"] == VARIANT
    assert given["ClientConfig"]["MaxConcurrentInvocationsPerInstance"] == 4
    topics = given["OutputConfig"]["NotificationConfig"]
    assert topics["SuccessTopic"] == stack.resources["GpuDone"]
    assert topics["ErrorTopic"] == stack.resources["GpuFailed"]
    subscribed = stack.client("sns").list_subscriptions()["Subscriptions"]
    function = stack.resources["GpuDoneFunction"]
    heard = {one["TopicArn"] for one in subscribed if one["Endpoint"].endswith(function)}
    assert heard == set(topics.values()) - {None}
    for name in ("ApiFunction", "ReadFunction", "SweepFunction", "GpuDoneFunction"):
        ours = {k: v for k, v in stack.environment(name).items() if k.startswith("PAGETIDE_")}
        queues = Settings.from_environment(ours).queues
        address = parse_address(queues["gpu"])
        assert address.name("gpu") == f"{stack.name}-gpu"
        assert address.bucket == stack.resources["Wakes"]


def invoke(made: Shape, job_id: str, task_id: str) -> None:
    """Invoke the endpoint with a task's wake text, once more."""
    location = f"s3://wakes/wakes/{job_id}/{task_id}.json"
    where = f"{made.server.endpoint}/endpoints/{made.name}/async-invocations"
    head = {
        "X-Amzn-SageMaker-InputLocation": location,
        "X-Amzn-SageMaker-Inference-Id": task_id,
    }

    def taken() -> bool:
        return httpx.post(where, headers=head, trust_env=False).status_code == 202

    until(taken, LONG_S)


def backlogs(made: Shape) -> list[float]:
    """The metric that the alarm goes by."""
    return [sample["backlog"] for sample in made.state["samples"]]
