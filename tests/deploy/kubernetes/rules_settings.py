"""What must hold of settings, of command lines, and of what the world sends and sees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

from pagetide.cli import program
from pagetide.engines.models.registry import registry
from pagetide.engines.provision import networks
from pagetide.errors import BadOption
from pagetide.settings import Settings
from tests.deploy.kubernetes.cluster import Cluster, Container, Pod, name_of
from tests.deploy.kubernetes.rules_watched import dashboards_of

BODY_LIMIT = 50 * 1024 * 1024
CLAIM = "persistentVolumeClaim"
SECRETS_DIR = "/run/secrets/pagetide"
# Of the clouds' SDKs and of programs that are not ours.
OTHER_VARIABLES = {
    "pagetide": {"AWS_REGION"},
    "postgres": {"PGDATA", "POSTGRES_DB", "POSTGRES_PASSWORD", "POSTGRES_USER"},
    "vllm": {
        "HF_HOME",
        "HOME",
        "TRITON_CACHE_DIR",
        "USER",
        "VLLM_CACHE_ROOT",
        "VLLM_NO_USAGE_STATS",
    },
}


def settings_known(cluster: Cluster) -> Iterator[str]:
    """Variables and secrets are settings that the program has, with values that it takes."""
    for each in cluster.of("ConfigMap"):
        if each not in dashboards_of(cluster):
            yield from _unknown(name_of(each), each.get("data", {}), "pagetide")
    for pod in cluster.pods():
        for one in pod.containers:
            whose = pod.labels.get("app.kubernetes.io/name", "")
            names = {variable["name"]: "" for variable in one.spec.get("env", ())}
            yield from _unknown(one.what, names, whose)
            if one.ours and one.args:
                yield from _refused(cluster, pod, one)


def served(cluster: Cluster) -> Iterator[str]:
    """API, sweep and scaler run, and hear others; the API asks for keys."""
    found = {c.args[0]: (pod, c) for pod in cluster.pods() for c in pod.containers if c.args}
    for command in sorted({"api", "sweep", "scaler"} - found.keys()):
        yield f"there is no {command}"
    if "migrate" not in found and not _store(cluster).startswith("dynamodb:"):
        yield "nobody brings the tables up"
    for command, (pod, container) in found.items():
        count = pod.owner["spec"].get("replicas", 1)
        if (command != "worker" and count < 1) or (command == "sweep" and count > 1):
            yield f"{container.what} runs {count} times"
        settings = Settings.from_environment(container.known)
        if command == "api" and settings.sweep:
            yield f"{container.what} does the sweep's work"
        if (
            command == "api"
            and settings.auth != "keys"
            and not settings.blobs.startswith("file:")
        ):
            yield f"{container.what} takes documents of anybody"
        host = container.option("--host") if command == "scaler" else settings.host
        if command in ("api", "scaler") and host != "0.0.0.0":  # noqa: S104 - in a container
            yield f"{container.what} hears itself alone"


def provisioned(cluster: Cluster) -> Iterator[str]:
    """Workers can have what their pool's models need; a job fills the volume they share."""
    for pod in cluster.pods():
        for each in pod.containers:
            if each.pool:
                yield from _fetches(each)
            if each.args[:2] == ["models", "pull"]:
                yield from _fills(cluster, pod, each)


def _fetches(worker: Container) -> Iterator[str]:
    settings = Settings.from_environment(worker.known)
    warm = tuple(filter(None, worker.option("--models").split(",")))
    needed = networks(settings, worker.pool, warm)
    loose = [name for name in needed if not registry().models[name].pinned]
    if not settings.pull or settings.offline:
        yield f"{worker.what} fetches no networks"
    elif bool(loose) != settings.trust_first_use:
        may = "may take" if settings.trust_first_use else "may not take"
        yield f"{worker.what} {may} what is not pinned, and needs {', '.join(loose) or 'none'}"


def _fills(cluster: Cluster, pod: Pod, job: Container) -> Iterator[str]:
    settings = Settings.from_environment(job.known)
    pool = job.option("--pool")
    if pool not in settings.pools:
        yield f"{job.what} pulls for the pool {pool!r}, which there is not"
        return
    for other in cluster.workers():
        for each in other.containers:
            folders = [one.settings.get("PAGETIDE_MODELS_DIR") for one in (job, each)]
            shared = len(set(folders)) == 1 and _claims(pod) == _claims(other)
            if each.pool == pool and not shared:
                yield f"{job.what} fills another volume than that of {each.what}"


def _claims(pod: Pod) -> list[str]:
    volumes = pod.spec.get("volumes", ())
    return [v["persistentVolumeClaim"]["claimName"] for v in volumes if CLAIM in v]


def body_limit(cluster: Cluster) -> Iterator[str]:
    """As much may be sent as the API takes, everywhere."""
    for pod in cluster.pods():
        for each in pod.containers:
            if each.args[:1] == ["api"]:
                taken = Settings.from_environment(each.known).max_bytes
                if taken != BODY_LIMIT:
                    yield f"{each.what} takes {taken} bytes, not {BODY_LIMIT}"
    for ingress in cluster.of("Ingress"):
        annotations = ingress["metadata"].get("annotations", {})
        if annotations.get("nginx.ingress.kubernetes.io/proxy-body-size") != "50m":
            yield f"{name_of(ingress)} lets no bodies of {BODY_LIMIT} bytes through"


def _store(cluster: Cluster) -> str:
    secret = cluster.generated("Secret", "pagetide")
    held = cluster.entries("Secret", secret["metadata"]["name"]) if secret else {}
    return held.get("store", "")


def _unknown(what: str, names: Mapping[str, str], whose: str) -> Iterator[str]:
    known = {each.variable for each in Settings.known().values()} | {"PAGETIDE_SECRETS_DIR"}
    allowed = OTHER_VARIABLES.get(whose, set())
    for name in names:
        if name not in known | allowed:
            yield f"{what} sets {name}, which is no setting"


def _refused(cluster: Cluster, pod: Pod, container: Container) -> Iterator[str]:
    """What the program would refuse to begin with: settings, secrets, its command line."""
    files: dict[str, str] = {}
    for volume in pod.spec.get("volumes", ()):
        if "secret" in volume:
            files |= cluster.entries("Secret", volume["secret"]["secretName"])
    mounted = [each["mountPath"] for each in container.spec.get("volumeMounts", ())]
    wanted = SECRETS_DIR if SECRETS_DIR in mounted else None
    if container.settings.get("PAGETIDE_SECRETS_DIR") != wanted:
        yield f"{container.what} looks for its secrets where none are mounted"
    known = Settings.known()
    for name in sorted(set(files) - set(known)):
        yield f"{container.what}: its secret {name} is no setting"
    both = sorted({known[name].variable for name in files if name in known})
    for variable in sorted(set(both) & set(container.settings)):
        yield f"{container.what} sets {variable}, which goes before the secret"
    given = {known[name].variable: text for name, text in files.items() if name in known}
    try:
        Settings.from_environment(given | container.known)
        _parse(container.args)
    except (BadOption, click.ClickException) as error:
        yield f"{container.what} does not begin: {error}"


def _parse(args: list[str]) -> None:
    """Read a command line as the program would, and do nothing."""
    with program.make_context("pagetide", list(args)) as context:
        name, command, rest = program.resolve_command(context, list(args))
        if command is None or name is None:
            raise click.UsageError(f"there is no command {args[0]}")
        if isinstance(command, click.Group):
            with command.make_context(name, list(rest), parent=context) as inside:
                below, leaf, left = command.resolve_command(inside, list(rest))
                if leaf is not None and below is not None:
                    leaf.make_context(below, list(left), parent=inside).close()
            return
        command.make_context(name, list(rest), parent=context).close()
