"""Write the images' lock files: the part of requirements.lock that each needs, with hashes.

    .venv/bin/python deploy/images/locks.py [FOLDER]

writes them into FOLDER, by default `deploy/images`. The images thus run the
same versions as the tests. `requirements.lock` says for each package which package requires
it: an image has its listed packages and their requirements, except those that it leaves
out.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
OURS = "pagetide (pyproject.toml)"
CLUSTER = ("barcodes", "heif", "postgres", "celery", "aws", "azure", "otel")


@dataclass(frozen=True, kw_only=True)
class Locked:
    """A package of the lock file.

    Attributes:
        name: As in the index.
        text: Its lines, with its hashes.
        wanted_by: The packages that require it.
    """

    name: str
    text: str
    wanted_by: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Image:
    """The content of an image.

    Attributes:
        extras: Extras of the project.
        packages: Further packages by name.
        project: Whether it has the project's own requirements.
        without: Left out, together with what only they require.
        alone: Included without their requirements.
    """

    extras: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    project: bool = True
    without: frozenset[str] = frozenset()
    alone: frozenset[str] = frozenset()


# Only the model files of rapidocr are used; openvino uses the other only to send statistics.
BARE = frozenset({"openvino", "rapidocr"})
IMAGES = {
    "build": Image(packages=("hatchling",), project=False),
    "api": Image(
        extras=(*CLUSTER, "scaler"),
        without=frozenset({"opencv-python-headless", "openvino", "rapidocr"}),
    ),
    "worker": Image(extras=CLUSTER, packages=("numpy",), alone=BARE),
    "worker-gpu": Image(
        extras=CLUSTER,
        packages=("numpy", "onnx", "onnxruntime"),  # onnxruntime-gpu requires the same
        without=frozenset({"openvino"}),
        alone=BARE,
    ),
    # In addition to the worker's.
    "lambda": Image(
        packages=("awslambdaric", "mangum"),
        project=False,
        without=frozenset({"typing-extensions"}),
    ),
}
SWAPPED = {"worker-gpu": frozenset({"onnxruntime"})}  # requirements-cuda.lock has the GPU's


def parse(text: str) -> list[Locked]:
    """The packages of a lock file; one may occur twice, for two versions of Python."""
    found = []
    for block in re.split(r"^(?=\S)", text, flags=re.MULTILINE):
        if head := re.match(r"([A-Za-z0-9._-]+)==", block):
            said = block.partition("# via")[2].replace("#", "").splitlines()
            parents = frozenset(filter(None, map(str.strip, said)))
            found.append(Locked(name=head[1], text=block, wanted_by=parents))
    return found


def chosen(
    image: Image, locked: Collection[Locked], extras: Mapping[str, list[str]]
) -> set[str]:
    """The names of the packages that an image has.

    Raises:
        ValueError: A listed package is not locked.
    """
    names = {one.name for one in locked}
    asked = {name_of(each) for extra in image.extras for each in extras[extra]}
    asked.update(image.packages)
    if missing := sorted((asked | image.without | image.alone) - names):
        raise ValueError(f"requirements.lock has no {', '.join(missing)}.")
    if image.project:
        asked |= {one.name for one in locked if OURS in one.wanted_by}
    kept: set[str] = set()
    more = asked - image.without
    while more:
        kept |= more
        asking = kept - image.alone
        more = {one.name for one in locked if one.wanted_by & asking} - kept - image.without
    return kept


def name_of(requirement: str) -> str:
    """The package that a requirement names."""
    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]


def written(name: str, locked: Collection[Locked], extras: Mapping[str, list[str]]) -> str:
    """An image's lock file."""
    names = chosen(IMAGES[name], locked, extras) - SWAPPED.get(name, frozenset())
    head = "# Made by deploy/images/locks.py of requirements.lock.\n"
    return head + "".join(one.text for one in locked if one.name in names)


def main(folder: Path) -> None:
    """Write all of them."""
    locked = parse((CHECKOUT / "requirements.lock").read_text())
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    for name in IMAGES:
        text = written(name, locked, project["optional-dependencies"])
        (folder / f"requirements-{name}.lock").write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent)
