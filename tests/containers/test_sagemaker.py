"""The image for SageMaker, run as SageMaker runs it: as root, `serve` behind, at port 8080."""

from __future__ import annotations

import httpx
import pytest

from pagetide.server.jobs.job import Task
from pagetide.server.queues import wake_text
from tests.containers.podman import CHECKOUT, Podman
from tests.parts.server import free_port
from tests.waiting import until

IMAGE = "localhost/pagetide-worker-sagemaker:0.1.0"
KILLED_S = 30  # after SIGTERM
SETTINGS = {
    "PAGETIDE_STORE": "sqlite:////tmp/pagetide.db",
    "PAGETIDE_BLOBS": "file:///tmp/blobs",
    "PAGETIDE_QUEUE": "sagemaker://us-east-1/ocr-gpu/wakes?bucket=wakes",
    "PAGETIDE_POOLS": '{gpu = "structure-lite"}',
    "PAGETIDE_WARM_MODELS": "structure-lite",
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
}


@pytest.fixture(scope="module")
def image(podman: Podman, worker: str) -> str:
    """On the CPU worker's image, for there is no GPU here."""
    file = CHECKOUT / "deploy" / "aws" / "sagemaker.Dockerfile"
    podman.build(IMAGE, file, arguments={"BASE": worker}, with_pip=False)
    return IMAGE


def test_it_is_up_when_its_model_is_warm_and_ends_in_time(podman: Podman, image: str) -> None:
    port = free_port()
    told = [f"--env={name}={value}" for name, value in SETTINGS.items()]
    task = Task(id="job.1", job_id="job", kind="read", pool="gpu", due=0.0)
    with (
        podman.running(f"--publish=127.0.0.1:{port}:8080", *told, image, "serve") as container,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as http,
    ):

        def up() -> bool:
            assert podman.state(container)["Running"], podman.log(container)
            try:
                return http.get("/ping").status_code == 200
            except httpx.TransportError:
                return False

        until(up, 90, "no ping is answered")
        assert "model is warm" in podman.log(container)
        answer = http.post("/invocations", content=wake_text.write(task, ""))
        assert (answer.status_code, answer.json()) == (200, {"status": "done"})
        assert http.post("/invocations", content=b"strange").status_code == 400
        podman.run("stop", f"--time={KILLED_S}", container)
        assert podman.state(container)["ExitCode"] == 0, podman.log(container)
        assert "worker leaves" in podman.log(container)
