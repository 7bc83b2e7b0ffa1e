"""What kustomize makes of `deploy/kubernetes`: every place, with and without components."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

Document = dict[str, Any]

ROOT = Path(__file__).parents[3]
KUBERNETES = ROOT / "deploy" / "kubernetes"
INSTALLED = ROOT / ".parts" / "kubectl"

PLACES = (
    "base",
    *sorted(f"overlays/{each.name}" for each in (KUBERNETES / "overlays").iterdir()),
)
PIECES = {"gpu-workers"}  # parts of other components, for no use alone
CLOUDS = ("eks", "gke", "aks")  # one of them at most, and last: they change what others bring
COMPONENTS = tuple(
    sorted(
        each.name
        for each in (KUBERNETES / "components").iterdir()
        if each.name not in {*PIECES, *CLOUDS}
    )
)
APART = (("gpu", "hpa-gpu"),)  # two scalers of the same workers
# `canary` and `scaled-job` are both about the pool `cpu`, but not about the same workers.
TOGETHER = tuple(
    (*(each for each in COMPONENTS if each != left_out), cloud)
    for left_out, cloud in (("gpu", "eks"), ("hpa-gpu", "gke"), ("hpa-gpu", "aks"))
)
SETS = ((), *((each,) for each in (*COMPONENTS, *CLOUDS)), *TOGETHER)
# Workers of components have not the volume that holds the documents of `dev`.
ALONE, WITHOUT_WORKERS = "overlays/dev", {"gateway", "ingress-tls", "monitoring"}
COMBINATIONS = tuple(
    (place, chosen)
    for place in PLACES
    for chosen in SETS
    if place != ALONE or WITHOUT_WORKERS.issuperset(chosen)
)


def named(combination: tuple[str, Sequence[str]]) -> str:
    """A combination as a test's name."""
    place, chosen = combination
    return "+".join((place.rpartition("/")[2], *chosen))


def kubectl() -> str:
    """What renders the Kustomize tree."""
    return program("kubectl")


def program(name: str) -> str:
    """A program; the test is skipped where it is missing, and fails where nothing may be."""
    if (installed := INSTALLED / name).exists():
        return str(installed)
    if found := shutil.which(name):
        return found
    missing = f"{name} is not installed: `make parts` installs it"
    if os.environ.get("PAGETIDE_TEST_REQUIRE") == "all":
        pytest.fail(missing)
    pytest.skip(missing)


@functools.cache
def rendered(place: str, chosen: tuple[str, ...] = ()) -> str:
    """The manifests of a place with components, as text.

    Raises:
        CalledProcessError: Kustomize refuses.
    """
    if not chosen:
        return kustomized(KUBERNETES / place)
    with tempfile.TemporaryDirectory() as folder:
        above = Path(folder).resolve()
        kustomization = {
            "resources": [os.path.relpath(KUBERNETES / place, above)],
            "components": [
                os.path.relpath(KUBERNETES / "components" / each, above) for each in chosen
            ],
        }
        (above / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
        return kustomized(above)


def documents(place: str, chosen: tuple[str, ...] = ()) -> list[Document]:
    """The same, parsed anew with every call, for a test may change them."""
    return parsed(rendered(place, chosen))


def parsed(text: str) -> list[Document]:
    """The documents of a YAML file."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # both are safe, one is quick
    return list(yaml.load_all(text, Loader=loader))


def kustomized(folder: Path) -> str:
    """What kustomize makes of a folder, as text.

    Raises:
        CalledProcessError: It refuses.
    """
    done = subprocess.run(
        [kubectl(), "kustomize", str(folder)],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout
