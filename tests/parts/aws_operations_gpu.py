"""All that is done for an endpoint of SageMaker: work, settling, its size, its models."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import pytest

from tests.loopback import loopback
from tests.parts.aws_operations import HERE, LARGE, LONG, claim
from tests.parts.lambda_events import EventSource
from tests.parts.sagemaker_endpoint import Told
from tests.parts.sagemaker_shape import entry_point, sns_event
from tests.parts.server import free_port
from tests.serving import pdf
from tests.waiting import until

if TYPE_CHECKING:
    from tests.parts.aws_account import Api
    from tests.parts.aws_recorded import Deployed

LONG_S = 120.0
NETWORK, MISSING = "SLANet_onnx", "SLANet_plus_onnx"
MODELS = {"PAGETIDE_POOLS": '{cpu = "text-layer", gpu = "fake"}', "PAGETIDE_TEST_MODELS": "yes"}
# Long after the last work.
REAPER = """
import time
from dataclasses import replace
from pagetide.server.aws_lambda.endpoint_size import IDLE_S
from pagetide.server.aws_lambda.scale_in import endpoints
for size in endpoints():
    print(replace(size, clock=lambda: time.time() + IDLE_S + 1).reconcile())
"""


def on_gpus(made: Deployed) -> None:
    """Read on an endpoint that comes and goes."""
    made.more |= {**MODELS, **HERE}
    sagemaker, name = made.sagemaker, f"{made.stack.name}-gpu"
    assert sagemaker
    port = free_port()
    own = made.environment(
        "GpuModel", PAGETIDE_POOLS='{gpu = "fake"}', PAGETIDE_WARM_MODELS="fake"
    )
    own["PAGETIDE_QUEUE"] += f"&port={port}"
    own["PAGETIDE_DATA_DIR"] = str(made.folder / "container")
    told = Told(command=entry_point(), environment=own, port=port, desired=0, again=False)
    sagemaker.make(name, told)
    made.ends.callback(sagemaker.tell, "forget", name=name)
    pull(made)
    for part, module in (("GpuScaleInFunction", "scale_in"), ("GpuReaperFunction", "reaper")):
        made.function(part, module).invoke({})  # before there was any work
    api = made.api()
    read(made, api, name)
    read_beside(made, api)
    size(made, api, name)


def read(made: Deployed, api: Api, name: str) -> None:
    """Read documents on the endpoint, one of which fails; one is large, one was spoilt."""
    assert made.sagemaker
    with made.sagemaker.held(name):
        spoilt = api.submit(pdf(LONG)).json()["id"]
        made.spoil(spoilt)
    assert api.ended(spoilt)["status"] == "failed"
    given = {"model": "fake", "formats": ["html", "pdf", "md", "figures"]}
    jobs = [api.submit(pdf(3), **given), api.submit(pdf(2), model="fake?fail=1")]
    jobs.append(api.submit(pdf(1), model=LARGE))
    for job in jobs:
        api.ended(job.json()["id"])


def size(made: Deployed, api: Api, name: str) -> None:
    """Let it sleep, wake it; settle what came of an invocation."""
    sagemaker = made.sagemaker
    assert sagemaker
    scale_in = made.function("GpuScaleInFunction", "scale_in")
    until(lambda: sagemaker.state(name)["in_flight"] == 0, LONG_S)
    until(lambda: scale_in.invoke({}) == {name: "asleep"}, LONG_S)
    until(lambda: sagemaker.state(name)["status"] == "InService", LONG_S)
    sagemaker.throttle("UpdateEndpointWeightsAndCapacities", 1000)
    sagemaker.throttle("InvokeEndpointAsync", 1000)
    hook = f"http://127.0.0.1:{made.ends.enter_context(loopback()).port}/"
    job = api.submit(pdf(1), model="fake?slow=1", webhook_url=hook).json()["id"]
    cancelled = api.submit(pdf(1), model="fake?slow=2", webhook_url=hook).json()["id"]
    api.ask("POST", f"/v1/jobs/{cancelled}/cancel")
    api.function.__exit__()  # with the thread that would try again
    settle(made, job, name)
    waiting = made.api().submit(pdf(1), model="fake?slow=3").json()["id"]
    for action in ("UpdateEndpointWeightsAndCapacities", "InvokeEndpointAsync"):
        sagemaker.throttle(action, 0)
    sweep, reaper = (
        made.function(part, module)
        for part, module in (("SweepFunction", "sweep"), ("GpuReaperFunction", "reaper"))
    )
    with made.store() as store:

        def ended() -> bool:
            sweep.invoke({})
            reaper.invoke({})
            return all(store.job(one).ended for one in (job, waiting))

        until(ended, LONG_S)
    until(lambda: sagemaker.state(name)["in_flight"] == 0, LONG_S)
    until(lambda: "asleep" in made.run("GpuReaperFunction", "-c", REAPER), LONG_S)


def read_beside(made: Deployed, api: Api) -> None:
    """Read what is not for the endpoint."""
    reader = made.function("ReadFunction", "read_tasks")
    sources = made.stack.taken_sources()
    with ExitStack() as hearing:
        sqs = hearing.enter_context(closing(made.stack.client("sqs")))
        for one in sources:
            name = one["EventSourceArn"].rpartition(":")[2]
            hearing.enter_context(EventSource(reader, sqs, name))
        api.ended(api.submit(pdf(2), model="text-layer").json()["id"])


def settle(made: Deployed, job_id: str, endpoint: str) -> None:
    """Tell the function of invocations that failed, until it gives the task up."""
    done = made.function("GpuDoneFunction", "sagemaker_done")
    with made.store() as store:
        [task] = store.tasks(job_id)
        event = sns_event(note(job_id, task.id, endpoint), "strange")
        assert done.invoke(event) == ["sent", "strange"]
        while not store.job(job_id).pages_failed:
            claim(store, "gpu")
            until(lambda: done.invoke(event)[0] == "lost")


def note(job_id: str, task_id: str, endpoint: str) -> str:
    """What SageMaker tells of an invocation that failed."""
    place = f"s3://wakes/wakes/{job_id}/{task_id}.json"
    asked = {"endpointName": endpoint, "inputLocation": place}
    return json.dumps({"invocationStatus": "Failed", "requestParameters": asked})


def pull(made: Deployed) -> None:
    """Fetch a network from the mirror that its owner filled, and one that is not there."""
    network, own = made.folder / NETWORK, made.environment("GpuModel")
    network.mkdir()
    (network / "inference.onnx").write_bytes(b"a network")
    (network / "inference.yml").write_bytes(b"what it is")
    words = ("-m", "pagetide", "models", "pull", "--trust-first-use")
    where = {"PAGETIDE_OFFLINE": "yes", "PAGETIDE_MODELS_MIRROR": own["PAGETIDE_MODELS_MIRROR"]}
    owner = {**where, "AWS_ACCESS_KEY_ID": "Owner"}
    filling = ("--from", str(made.folder), "--to", own["PAGETIDE_MODELS_MIRROR"])
    made.run("GpuModel", *words, *filling, NETWORK, **owner)
    made.run("GpuModel", *words, NETWORK, **where)
    with pytest.raises(AssertionError, match="does not have it"):
        made.run("GpuModel", *words, MISSING, **where)
