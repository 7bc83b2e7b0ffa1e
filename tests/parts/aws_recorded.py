"""What each part of `deploy/aws` asks of AWS while it does all that it is there for.

`python -m tests.parts.aws_recorded` writes it to `tests/deploy/aws_calls.json`, which takes
minutes. The template is deployed into Moto; functions and containers run as it sets them up,
each with a key of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pagetide.server.jobs.keys import SCOPES
from pagetide.server.stores.dynamodb import open_store
from tests.deploy.aws_iam import STACK, Call
from tests.parts import aws_operations, aws_operations_gpu
from tests.parts.aws_account import Api, new_key
from tests.parts.aws_calls import Recorder
from tests.parts.azurite import Azurite
from tests.parts.cloudformation import Stack, deploy
from tests.parts.clouds import make_bucket
from tests.parts.lambda_runtime import Function
from tests.parts.moto import Moto, environment_for_clients
from tests.parts.sagemaker import SageMaker

CALLS = Path(__file__).parents[1] / "deploy" / "aws_calls.json"
GPU = {
    "GpuImage": "123456789012.dkr.ecr.us-east-1.amazonaws.com/pagetide-worker-sagemaker:1",
    "GpuInstance": "ml.g4dn.xlarge",
    "GpuModels": "fake",
    "GpuMirror": "s3://mirror/networks",
}
Recorded = dict[str, set[Call]]
SHAPES: Mapping[str, tuple[Callable[[Deployed], None], Mapping[str, str]]] = {
    "aws": (aws_operations.on_cpus, {}),
    "aws with a GPU": (aws_operations_gpu.on_gpus, GPU),
    "two-clouds": (
        aws_operations.in_two_clouds,
        {"Shape": "two-clouds", "AzurePools": '{gpu = "fake"}'},
    ),
}


@dataclass
class Deployed:
    """A stack whose parts run behind a recorder.

    Attributes:
        more: Variables of every part beside the template's.
        azurite: Where the other cloud is.
    """

    stack: Stack
    recorder: Recorder
    folder: Path
    ends: ExitStack
    sagemaker: SageMaker | None = None
    azurite: Azurite | None = None
    more: dict[str, str] = field(default_factory=dict)

    def environment(self, part: str, **more: str) -> dict[str, str]:
        """What a part is given, its own key among it."""
        given = (
            self._container() if part == "GpuModel" else self.stack.environment(part)
        ) | self.more
        for name in ("PAGETIDE_DATA_DIR", "PAGETIDE_CACHE_DIR"):
            given.pop(name, None)
        return {**given, "AWS_ACCESS_KEY_ID": part, **more}

    def function(self, part: str, module: str, **more: str) -> Function:
        """A function of the stack."""
        given = self.environment(part, **more)
        made = Function(f"pagetide.server.aws_lambda.{module}.handle", given, timeout_s=90)
        return self.ends.enter_context(made)

    def run(self, part: str, *words: str, **more: str) -> str:
        """Run Python as a part; what it says."""
        where = tempfile.mkdtemp(dir=self.folder)
        given = {**environment_for_clients(), **self.environment(part, **more)}
        given |= {"PAGETIDE_DATA_DIR": where, "PAGETIDE_MODELS_DIR": f"{where}/models"}
        given["PATH"] = os.environ["PATH"]
        done = subprocess.run(
            [sys.executable, *words], env=given, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    @contextmanager
    def store(self) -> Iterator[Any]:
        """The store, as nobody whose calls count."""
        url = self.stack.environment("ApiFunction")["PAGETIDE_STORE"]
        os.environ["AWS_ENDPOINT_URL"] = self.recorder.endpoint
        with closing(open_store(url)) as opened:
            yield opened

    def spoil(self, job_id: str) -> None:
        """Put something else in the place of a document, which no worker can open."""
        with closing(self.stack.client("s3")) as s3:
            key = f"pagetide/jobs/{job_id}/input"
            s3.put_object(Bucket=self.stack.resources["Documents"], Key=key, Body=b"spoilt")

    def api(self, **more: str) -> Api:
        """The API, asked by one who has a key."""
        with self.store() as store:
            # With a limit of pages, for what counts them is asked of the table as well.
            key = new_key(store, "tester", SCOPES, active_pages=10**6, pages_per_day=10**6)
        return Api(self.function("ApiFunction", "api", **more), key)

    def _container(self) -> dict[str, str]:
        with closing(self.stack.client("sagemaker")) as asking:
            name = self.stack.resources["GpuModel"].rpartition("/")[2]
            told = asking.describe_model(ModelName=name)
        given: dict[str, str] = told["PrimaryContainer"]["Environment"]
        given["PAGETIDE_BLOBS"] += f"&endpoint={self.recorder.endpoint}"
        return {**given, "AWS_ENDPOINT_URL": self.recorder.endpoint}


def recorded(shape: str) -> Recorded:
    """Run everything that a shape of the template has; the calls of each part."""
    operate, parameters = SHAPES[shape]
    with ExitStack() as ends:
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory()))
        moto, sagemaker = ends.enter_context(Moto()), ends.enter_context(SageMaker())
        azurite = ends.enter_context(Azurite())
        recorder = Recorder(moto.port, sagemaker.port)
        ends.enter_context(recorder.running())
        ends.enter_context(_here(recorder))
        make_bucket(moto.endpoint, "mirror")
        stack = replace(deploy(moto.endpoint, **parameters), endpoint=recorder.endpoint)
        recorder.named = names_of(stack)
        recorder.buckets = {stack.resources.get("Wakes", "")} - {""}
        with ExitStack() as parts:
            operate(Deployed(stack, recorder, folder, parts, sagemaker, azurite))
        return dict(recorder.calls)


def names_of(stack: Stack) -> dict[str, str]:
    """The names of a stack's resources, and those that the evaluator gives them."""
    buckets = {
        stack.resources[name]: name.lower()
        for name in ("Documents", "Wakes")
        if name in stack.resources
    }
    return {**buckets, stack.name: STACK}


@contextmanager
def _here(recorder: Recorder) -> Iterator[None]:
    before = os.environ.get("AWS_ENDPOINT_URL")
    os.environ.update(environment_for_clients())
    os.environ["AWS_ENDPOINT_URL"] = recorder.endpoint
    try:
        yield
    finally:
        os.environ.pop("AWS_ENDPOINT_URL")
        if before:
            os.environ["AWS_ENDPOINT_URL"] = before


def written(found: Mapping[str, Recorded]) -> str:
    """Calls by shape and part, as the file has them."""
    told = {
        shape: {part: sorted(map(str, calls)) for part, calls in sorted(parts.items())}
        for shape, parts in found.items()
    }
    return json.dumps(told, indent=1) + "\n"


if __name__ == "__main__":
    CALLS.write_text(written({shape: recorded(shape) for shape in sys.argv[1:] or SHAPES}))
