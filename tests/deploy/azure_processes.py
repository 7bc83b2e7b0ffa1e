"""What we demand of every process that the Azure template starts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import click

from pagetide.cli import program
from pagetide.engines.catalogue import MODELS
from pagetide.engines.models.registry import registry
from pagetide.engines.provision import networks
from pagetide.errors import BadOption
from pagetide.server.queues.azure.queue import FORM
from pagetide.server.queues.cloud import Address, parse_address
from pagetide.settings import Settings
from tests.deploy.arm import Deployment, Resource

BODY_LIMIT = 50 * 2**20
KILLED_AFTER_S = 60  # microsoft/azure-container-apps#1824: whatever the grace
LOADING_S = 300
APP, JOB = "Microsoft.App/containerApps", "Microsoft.App/jobs"
IMAGES = {
    "api": ("pagetide-api",),
    "sweep": ("pagetide-api",),
    "models": ("pagetide-worker", "pagetide-worker-gpu", "pagetide-worker-paddle"),
    "worker": ("pagetide-worker", "pagetide-worker-gpu", "pagetide-worker-paddle"),
}
PROFILES: Mapping[str, tuple[float, float]] = {  # most vCPU, most GiB of one replica
    "Consumption": (4, 8),
    "Consumption-GPU-NC8as-T4": (8, 56),
    "Consumption-GPU-NC24-A100": (24, 220),
}
PROBES = {
    "Startup": "/health/ready",
    "Liveness": "/health/live",
    "Readiness": "/health/ready",
}
_OTHERS = {"AZURE_CLIENT_ID", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
_SAMPLES = {"PAGETIDE_STORE": "postgresql://pagetide:x@db.example.com/pagetide"}


@dataclass(frozen=True)
class Process:
    """A container of an app or a job.

    Attributes:
        resource: The app or job.
        container: As the template says it.
        initial: Whether it runs before the others.
    """

    resource: Resource
    container: Mapping[str, Any]
    initial: bool

    @property
    def told(self) -> str:
        """Its place, for messages."""
        return f"{self.resource.name}/{self.container['name']}"

    @property
    def command(self) -> str:
        """The subcommand."""
        return str(self.container["args"][0])

    @property
    def environment(self) -> dict[str, str]:
        """Its variables; of a secret the name in `{}`."""
        return {
            each["name"]: each.get("value", f"{{{each.get('secretRef')}}}")
            for each in self.container.get("env", ())
        }

    @property
    def options(self) -> dict[str, Any]:
        """What the command line says, as the program itself reads it."""
        name, *given = self.container["args"]
        command = program.commands[name]
        while isinstance(command, click.Group) and given:
            command, given = command.commands[given[0]], given[1:]
        # In the program's context: what a command is called by for help, click keeps for ever.
        with program.make_context("pagetide", [name]) as whole:
            return dict(command.make_context(name, list(given), parent=whole).params)

    @property
    def most(self) -> int:
        """How many of it there may be."""
        properties = self.resource.properties
        if self.resource.type == JOB:
            scale = properties["configuration"]["eventTriggerConfig"]["scale"]
            return int(scale["maxExecutions"])
        return int(properties["template"]["scale"]["maxReplicas"])

    def settings(self) -> Settings:
        """Its settings, with samples for secrets, as the program itself reads them."""
        said = {name: _SAMPLES.get(name, text) for name, text in self.environment.items()}
        return Settings.from_environment(said)


def processes(deployment: Deployment) -> list[Process]:
    """All of them."""
    return [
        Process(resource, container, kind == "initContainers")
        for resource in deployment.resources
        if resource.type in (APP, JOB)
        for kind in ("initContainers", "containers")
        for container in resource.properties["template"].get(kind) or ()
    ]


def complaints(deployment: Deployment) -> Iterator[str]:
    """What is wrong with the processes."""
    for process in processes(deployment):
        for check in CHECKS:
            found = [*check(process, deployment)]
            yield from (f"{process.told}: {complaint}" for complaint in found)
            if found and check in (_image, _settings):
                break  # what does not start cannot be asked for more


def address_of(process: Process) -> Address:
    """Where its queues are, as the program itself reads it."""
    return parse_address(process.environment["PAGETIDE_QUEUE"], FORM, r"[\w-]+", r"[\w-]+")


def _image(process: Process, deployment: Deployment) -> Iterator[str]:
    found = re.fullmatch(
        r"(.*/)?(?P<name>[a-z-]+):(?P<tag>[\w.-]+)", process.container["image"]
    )
    if process.command not in IMAGES or process.command not in program.commands:
        yield f"there is no command {process.command!r} for it"
    elif not found or found["name"] not in IMAGES[process.command]:
        yield f"{process.container['image']} is no image of its"
    elif found["tag"] == "latest":
        yield "the image has no version"
    try:
        dict(process.options)
    except (click.UsageError, KeyError) as error:
        yield f"the command line is refused: {error}"


def _settings(process: Process, deployment: Deployment) -> Iterator[str]:
    names = [each["name"] for each in process.container["env"]]
    known = {each.variable for each in Settings.known().values()} | _OTHERS
    yield from (f"{name} is no setting" for name in names if name not in known)
    yield from (f"{name} is set twice" for name in set(names) if names.count(name) > 1)
    try:
        settings = process.settings()
    except BadOption as error:
        yield str(error)
        return
    if process.initial:
        return
    if settings.max_bytes != BODY_LIMIT:
        yield f"PAGETIDE_MAX_BYTES is {settings.max_bytes}, not {BODY_LIMIT}"
    models = {model for each in settings.pools.values() for model in each}
    yield from (f"there is no model {model!r}" for model in sorted(models - MODELS.keys()))
    if process.command == "worker":
        yield from _pool(process.options["pool"], settings)
    if process.command == "api" and (settings.sweep or settings.auth != "keys"):
        yield "the API needs PAGETIDE_AUTH=keys and PAGETIDE_SWEEP=no"
    if process.command == "api" and settings.host != "0.0.0.0":  # noqa: S104 - a container
        yield f"the API listens on {settings.host}"


def _pool(pool: str, settings: Settings) -> Iterator[str]:
    run = settings.pools.get(pool.partition("-")[0])
    if run is None:
        yield f"PAGETIDE_POOLS has no pool {pool!r}"
        return
    extra = set(settings.warm_models) - set(run)
    yield from (f"it warms {each}, which its pool does not run" for each in extra)


def _provisioned(process: Process, _: Deployment) -> Iterator[str]:
    """A worker fetches what its pool's models need, and trusts what is not pinned, if any."""
    if process.command != "worker":
        return
    settings = process.settings()
    needed = networks(settings, process.options["pool"], settings.warm_models)
    loose = [name for name in needed if not registry().models[name].pinned]
    if not settings.pull or settings.offline:
        yield "it fetches no networks"
    elif bool(loose) != settings.trust_first_use:
        trust = "trusts" if settings.trust_first_use else "does not trust"
        yield f"it {trust} what is not pinned, and needs {', '.join(loose) or 'none of it'}"


def _secrets(process: Process, _: Deployment) -> Iterator[str]:
    there = {each["name"] for each in process.resource.properties["configuration"]["secrets"]}
    for each in process.container["env"]:
        if "secretRef" in each and each["secretRef"] not in there:
            yield f"{each['name']} is the secret {each['secretRef']}, which is not there"
        if ("secretRef" in each) == ("value" in each):
            yield f"{each['name']} needs a value or a secret"
    if not process.initial and "secretRef" not in _variable(process, "PAGETIDE_STORE"):
        yield "PAGETIDE_STORE is no secret"
    if not process.initial and "secretRef" not in _variable(process, "PAGETIDE_SECRET"):
        yield "documents' passwords have no secret"


def _variable(process: Process, name: str) -> Mapping[str, str]:
    found: list[Mapping[str, str]] = [
        each for each in process.container["env"] if each["name"] == name
    ]
    return found[0] if found else {}


def _identity(process: Process, _: Deployment) -> Iterator[str]:
    assigned = list(process.resource.body["identity"]["userAssignedIdentities"])
    names = [place.rpartition("/")[2] for place in assigned]
    if [process.environment.get("AZURE_CLIENT_ID")] != [f"clientId-of-{n}" for n in names]:
        yield "AZURE_CLIENT_ID is not that of its identity"


def _probes(process: Process, _: Deployment) -> Iterator[str]:
    if process.initial or process.resource.type == JOB:
        return
    port = 8000 if process.command == "api" else process.options["health_port"]
    told = {each["type"]: each for each in process.container.get("probes") or ()}
    for kind, path in PROBES.items():
        if told.get(kind, {}).get("httpGet") != {"path": path, "port": port}:
            yield f"the probe {kind} does not ask for {path} at {port}"
    started = told.get("Startup", {})
    given = started.get("periodSeconds", 10) * started.get("failureThreshold", 3)
    if process.command == "worker" and given < LOADING_S:
        yield f"it is ended {given} s after its start, while its models load"
    ingress = process.resource.properties["configuration"].get("ingress")
    if ingress and (ingress["targetPort"] != port or ingress["allowInsecure"]):
        yield "the ingress does not lead to it, or takes plain HTTP"


def _profile(process: Process, deployment: Deployment) -> Iterator[str]:
    [apps] = deployment.of_type("Microsoft.App/managedEnvironments")
    kinds = {p["name"]: p["workloadProfileType"] for p in apps.properties["workloadProfiles"]}
    kind = str(kinds.get(process.resource.properties["workloadProfileName"]))
    if kind not in PROFILES:
        yield f"there is no workload profile {kind}"
        return
    most_cpu, most_gib = PROFILES[kind]
    wanted = process.container["resources"]
    if process.command == "worker" and process.settings().threads != wanted["cpu"]:
        yield "the engine would take all cores of the machine: PAGETIDE_THREADS"
    if wanted["cpu"] > most_cpu or float(wanted["memory"].removesuffix("Gi")) > most_gib:
        yield f"{wanted} is more than the profile {kind} has"


def _gpu(process: Process, deployment: Deployment) -> Iterator[str]:
    """A GPU is paid for where it is used, and nowhere else."""
    paid = process.resource.properties["workloadProfileName"] == "gpu"
    image = process.container["image"]
    built = "pagetide-worker-gpu:" in image or image.endswith("-cuda")
    used = process.settings().runtime == "cuda"
    if process.command == "worker" and not (paid == built == used):
        yield f"the GPU is paid for: {paid}, in the image: {built}, used: {used}"


def _grace(process: Process, _: Deployment) -> Iterator[str]:
    if process.command != "worker":
        return
    if process.settings().drain_s >= KILLED_AFTER_S:
        yield f"PAGETIDE_DRAIN_S must end before a replica is killed, {KILLED_AFTER_S} s on"
    grace = process.resource.properties["template"].get("terminationGracePeriodSeconds")
    if process.resource.type == APP and grace != 600:
        yield "the grace must be 600 s, the most there is"
    if process.resource.type == JOB and process.options["idle_exit"] is None:
        yield "a job's worker must leave by itself: --idle-exit"


CHECKS = (_image, _settings, _provisioned, _secrets, _identity, _probes, _profile, _gpu, _grace)
