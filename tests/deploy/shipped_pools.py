"""Every pool of workers that `deploy/` ships, read from its template: `python -m` prints them.

What differs between a template and a machine of ours is not here, but with who starts them.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from pagetide.settings import Settings
from tests.deploy import azure_processes
from tests.deploy.arm import rendered as arm_rendered
from tests.deploy.azure_rules import USES, parameters, read
from tests.deploy.kubernetes.cluster import Cluster
from tests.deploy.kubernetes.rendering import ROOT, documents
from tests.deploy.test_compose import merged
from tests.parts.cloudformation import resources, template

DEPLOY = ROOT / "deploy"
# What images are built on, the lowest first.
LAYERS: Mapping[str, tuple[str, ...]] = {
    "pagetide-worker": ("images/worker",),
    "pagetide-worker-next": ("images/worker",),
    "pagetide-worker-gpu": ("images/worker-gpu",),
    "pagetide-worker-paddle": ("images/worker-gpu", "images/worker-paddle"),
    "pagetide-worker-sagemaker": (
        "images/worker-gpu",
        "images/worker-paddle",
        "aws/sagemaker",
    ),
    "pagetide-worker-sagemaker-vl": ("images/worker", "aws/sagemaker-vl"),
}
GPU_IMAGE = "123456789012.dkr.ecr.us-east-1.amazonaws.com/pagetide-worker-sagemaker:1"
USUAL = "auto"  # what a pool of several models is asked for


@dataclass(frozen=True)
class Started:
    """A process as a template starts it.

    Attributes:
        words: Behind the image's entry point; with `entry` the whole command.
        environment: Settings of image and template, as far as they are known before.
        entry: Whether the words begin with a program.
        reaches_out: Whether it is on a network that leads to the hub or a mirror.
    """

    words: tuple[str, ...]
    environment: Mapping[str, str] = field(hash=False)
    entry: bool = False
    reaches_out: bool = True


@dataclass(frozen=True)
class Shipped:
    """A pool.

    Attributes:
        name: Its deployment and itself.
        pool: Whose tasks its workers take.
        first: What fetches networks for it, where something does.
    """

    name: str
    pool: str
    worker: Started
    first: Started | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """The models that it runs."""
        given = {k: v for k, v in self.worker.environment.items() if k == "PAGETIDE_POOLS"}
        return Settings.from_environment(given).pools[self.pool.partition("-")[0]]

    @property
    def model(self) -> str:
        """The one that it is asked for."""
        return USUAL if USUAL in self.models else self.models[0]


@cache
def shipped() -> tuple[Shipped, ...]:
    """All of them."""
    return (*_kubernetes(), *_compose(), *_azure(), *_sagemaker())


def environment_of(image: str) -> dict[str, str]:
    """The settings that an image has."""
    found: dict[str, str] = {}
    for layer in LAYERS[image]:
        text = (DEPLOY / f"{layer}.Dockerfile").read_text().replace("\\\n", " ")
        for line in re.findall(r"^ENV (.*)$", text, re.MULTILINE):
            pairs = (word.partition("=") for word in shlex.split(line))
            found |= {name: value for name, _, value in pairs if name.startswith("PAGETIDE_")}
    return found


def _image(place: str) -> str:
    return re.split(r":|@", place.rpartition("/")[2])[0]


def _kubernetes() -> Iterator[Shipped]:
    for chosen in (("gpu", "vllm", "canary"), ("scaled-job",)):
        cluster = Cluster(documents("base", chosen))
        firsts = {
            each.option("--pool"): _of(each.spec["image"], each.args, each.settings)
            for pod in cluster.pods()
            for each in pod.containers
            if each.args[:2] == ["models", "pull"]
        }
        for pod in cluster.workers():
            for each in pod.containers:
                if each.pool:
                    worker = _of(each.spec["image"], each.args, each.settings)
                    name = pod.what.replace(" pagetide-", " ").lower().replace(" ", "/")
                    yield Shipped(
                        f"kubernetes/{name}", each.pool, worker, firsts.get(each.pool)
                    )


def _of(image: str, words: list[str], settings: Mapping[str, str]) -> Started:
    return Started(tuple(words), environment_of(_image(image)) | dict(settings))


def _compose() -> Iterator[Shipped]:
    for file, service in (("compose.yaml", "worker"), ("compose.gpu.yaml", "worker-gpu")):
        services = merged(*dict.fromkeys(("compose.yaml", file)))["services"]
        first, worker = (_service(services[name]) for name in ("models", service))
        pool = worker.words[worker.words.index("--pool") + 1]
        yield Shipped(f"compose/{service}", pool, worker, first)


def _service(service: Mapping[str, object]) -> Started:
    """A service of Compose, with what `example.env` says."""
    told = json.loads(re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", json.dumps(service)))
    given = {k: str(v) for k, v in told["environment"].items()}
    return Started(
        tuple(told["command"]),
        environment_of(_image(told["image"])) | given,
        reaches_out="outside" in told["networks"],
    )


def _azure() -> Iterator[Shipped]:
    for use in USES:
        for process in azure_processes.processes(
            arm_rendered(read("template.json"), parameters(use))
        ):
            if process.command == "worker":
                words, pool = process.container["args"], process.options["pool"]
                worker = _of(process.container["image"], words, process.environment)
                yield Shipped(f"azure/{use}/{pool}", pool, worker)


def _sagemaker() -> Iterator[Shipped]:
    for file, model in (("sagemaker", "pp-structurev3"), ("sagemaker-vl", "paddleocr-vl")):
        given = {"GpuImage": GPU_IMAGE, "GpuModels": model, "Languages": ""}
        made = resources(template(), given)["GpuModel"]["Properties"]["PrimaryContainer"]
        known = {name: _written(value, given) for name, value in made["Environment"].items()}
        text = (DEPLOY / "aws" / f"{file}.Dockerfile").read_text().replace("\\\n", "")
        [entry] = re.findall(r"^ENTRYPOINT (\[.*\])$", text, re.MULTILINE)
        words = (*json.loads(entry), "serve")  # which SageMaker writes behind it
        told = environment_of(f"pagetide-worker-{file}") | known
        yield Shipped(f"aws/{file}", "gpu", Started(words, told, entry=True))


def _written(value: object, given: Mapping[str, str]) -> str:
    """A value of the template, with names in place of references."""
    said = value if isinstance(value, dict) else {"": str(value)}
    [text] = said.values()
    if "Ref" in said:
        return given.get(text, "")
    return re.sub(
        r"\$\{([^}]*)\}", lambda m: given.get(m[1], re.sub(r"\W", "", m[1]).lower()), text
    )


if __name__ == "__main__":
    for one in shipped():
        fetched = " ".join(one.first.words) if one.first else "the worker itself"
        print(f"{one.name:<38} {one.pool:<9} {', '.join(one.models):<44} {fetched}")  # noqa: T201
