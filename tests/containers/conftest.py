"""What the tests share: podman, a Debian with Python, the images, the stand-ins."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.containers.podman import CHECKOUT, Podman
from tests.parts.server import PartMissing

BASE = "localhost/debian-python:bookworm"
STANDINS = "localhost/pagetide-standins:test"
IMAGES = CHECKOUT / "deploy" / "images"
BASE_S = 300.0


@pytest.fixture(scope="session")
def podman() -> Iterator[Podman]:
    """Podman, for as long as the tests run.

    Where `PAGETIDE_TEST_PODMAN` names a folder, its images stay there for the next time.
    """
    kept = os.environ.get("PAGETIDE_TEST_PODMAN")
    try:
        made = Podman(Path(kept) if kept else None)
    except PartMissing as missing:
        if os.environ.get("PAGETIDE_TEST_REQUIRE") == "all":
            pytest.fail(str(missing))
        pytest.skip(str(missing))
    with made:
        yield made


@pytest.fixture(scope="session")
def base(podman: Podman) -> str:
    """A Debian with Python, made here."""
    if podman.run("image", "exists", BASE, check=False).returncode == 0:
        return BASE
    archive = podman.folder / "base.tar"
    kept_out = ("man", "doc", "locale", "info")
    subprocess.run(
        [
            "mmdebstrap",
            "--variant=minbase",
            "--include=python3,python3-venv",
            *(f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in kept_out),
            "bookworm",
            str(archive),
        ],
        check=True,
        timeout=BASE_S,
        env=podman.environment,
    )
    podman.run("import", str(archive), BASE)
    archive.unlink()
    return BASE


@pytest.fixture(scope="session")
def api(podman: Podman, base: str) -> str:
    """The image of the API."""
    return built(podman, "api", base)


@pytest.fixture(scope="session")
def worker(podman: Podman, base: str) -> str:
    """The image of the CPU worker."""
    return built(podman, "worker", base)


@pytest.fixture(scope="session")
def standins(podman: Podman, base: str) -> str:
    """One image with Debian's servers, which starts each as its official image would."""
    here = CHECKOUT / "tests" / "containers" / "standins"
    podman.build(STANDINS, here / "Dockerfile", here, {"BASE": base}, with_pip=False)
    return STANDINS


def built(podman: Podman, name: str, base: str) -> str:
    """One of our images."""
    image = f"localhost/pagetide-{name}:0.1.0"
    podman.build(image, IMAGES / f"{name}.Dockerfile", arguments={"BASE": base})
    return image
