"""The images of gigabytes, for a GPU and with PaddleOCR.

There is no GPU and no CUDA here: what is seen is that the packages fit together, and that a GPU
that is asked for and not there is an error.
"""

from __future__ import annotations

import pytest

from tests.containers.conftest import built
from tests.containers.podman import CHECKOUT, LOCKED_UP, Podman

SAMPLES = CHECKOUT / "samples"
HERE = ("run", "--rm", "--user=12345", "--network=none", *LOCKED_UP)
READ = ("read", "/samples/receipt.jpg", "-f", "txt")


@pytest.fixture(scope="module")
def gpu(podman: Podman, base: str) -> str:
    return built(podman, "worker-gpu", base)


@pytest.fixture(scope="module")
def paddle(podman: Podman, worker: str) -> str:
    return built(podman, "worker-paddle", worker)


def test_the_gpu_worker_reads_where_the_cpu_is_asked_for(podman: Podman, gpu: str) -> None:
    place = f"--volume={SAMPLES}:/samples:ro"
    told = podman.told(*HERE, place, "--env=PAGETIDE_RUNTIME=onnxruntime", gpu, *READ)
    assert "TIDEWATER" in told


def test_the_gpu_worker_reads_on_no_cpu_unasked(podman: Podman, gpu: str) -> None:
    done = podman.run(*HERE, f"--volume={SAMPLES}:/samples:ro", gpu, *READ, check=False)
    assert done.returncode != 0
    assert "cuda" in done.stderr.lower()


def test_paddle_is_found(podman: Podman, paddle: str) -> None:
    look = (
        "from pagetide.engines.paddle.interpreter import installed;"
        "print('paddleocr' in installed('/opt/paddle/bin/python'))"
    )
    assert podman.told(*HERE, "--entrypoint=python", paddle, "-c", look) == "True"
    pipeline = "import paddleocr; paddleocr.PPStructureV3; print('there')"
    env = ("--env=PADDLE_PDX_CACHE_HOME=/tmp/p", "--entrypoint=/opt/paddle/bin/python")
    assert podman.told(*HERE, *env, paddle, "-c", pipeline).endswith("there")
