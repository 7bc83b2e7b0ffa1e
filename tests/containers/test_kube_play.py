"""The worker's Deployment of `deploy/kubernetes`, run by podman as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest
import yaml

from pagetide import Client
from tests.containers.podman import CHECKOUT, LOCKED_UP, Podman
from tests.deploy.kubernetes.rendering import rendered
from tests.parts.server import free_port
from tests.waiting import until

RECEIPT = CHECKOUT / "samples" / "receipt.jpg"
POD = "pagetide-worker-pod-0-worker"
DOCUMENTS = "pagetide-documents"
STORE = "sqlite:////var/lib/pagetide/pagetide.db"
GRACE_S = "60"  # what a Deployment says of it podman does not heed


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    """What kustomize makes of the overlay for one node."""
    return [each for each in yaml.safe_load_all(rendered("overlays/dev")) if each]


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def pod(
    tmp_path_factory: pytest.TempPathFactory,
    podman: Podman,
    worker: str,
    documents: list[dict[str, Any]],
    port: int,
) -> Iterator[str]:
    """The worker's container; only its image, its port here and the secret are ours."""
    kinds = ("ConfigMap", "PersistentVolumeClaim")
    played = [each for each in documents if each["kind"] in kinds]
    deployment = _named(documents, "Deployment", "pagetide-worker")
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    container["image"] = worker
    container["ports"][0]["hostPort"] = port
    file = tmp_path_factory.mktemp("kube") / "worker.yaml"
    file.write_text(yaml.safe_dump_all([*played, deployment]))
    secrets = deployment["spec"]["template"]["spec"]["volumes"]
    [name] = [each["secret"]["secretName"] for each in secrets if "secret" in each]
    # Podman takes a secret's values as they are, where Kubernetes has them in Base64.
    secret = json.dumps({"kind": "Secret", "data": {"store": STORE}})
    podman.run("secret", "create", name, "-", said=secret.encode())
    try:
        podman.run("kube", "play", str(file))
        until(lambda: _ready(port), 90, podman.log(POD))
        yield POD
    finally:
        podman.run("kube", "down", str(file), check=False)
        podman.run("secret", "rm", name, check=False)
        podman.run("volume", "rm", "--force", DOCUMENTS, check=False)


def test_it_is_locked_up(podman: Podman, pod: str, documents: list[dict[str, Any]]) -> None:
    found = podman.inspect(pod)
    assert found["Config"]["User"] == "10001:0"
    assert found["HostConfig"]["ReadonlyRootfs"]
    assert not found["EffectiveCaps"]
    deployment = _named(documents, "Deployment", "pagetide-worker")
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    gib = int(container["resources"]["limits"]["memory"].removesuffix("Gi"))
    assert found["HostConfig"]["Memory"] == gib * 1024**3
    assert podman.told("exec", pod, "python", "-c", WRITE) == "EROFS"


def test_it_reads_a_document_and_drains(podman: Podman, pod: str, api: str) -> None:
    port = free_port()
    place = ("--user=10001:0", *LOCKED_UP, f"--volume={DOCUMENTS}:/var/lib/pagetide")
    told = ("--env=PAGETIDE_AUTH=off", f"--publish=127.0.0.1:{port}:8000")
    with (
        podman.running(*place, *told, api) as answering,
        Client(f"http://127.0.0.1:{port}") as client,
    ):
        podman.until_ready(answering)
        job = client.wait(client.submit(RECEIPT), timeout_s=120)
        assert job.status == "succeeded"
        assert "TIDEWATER" in str(client.result(job, "txt"))
        podman.run("stop", f"--time={GRACE_S}", pod)
    assert podman.state(pod)["ExitCode"] == 0, podman.log(pod)
    assert "The worker stops: stopped." in podman.log(pod)


WRITE = """
import errno
try:
    open("/opt/pagetide/mine", "w")
except OSError as error:
    print(errno.errorcode[error.errno])
"""


def _named(documents: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    [found] = [
        each for each in documents if (each["kind"], each["metadata"]["name"]) == (kind, name)
    ]
    return found


def _ready(port: int) -> bool:
    with suppress(httpx.TransportError):
        return httpx.get(f"http://127.0.0.1:{port}/health/ready").status_code == 200
    return False
