"""The folders of the networks, checked before PaddleX is given them.

PaddleX takes a folder for whole because it exists, and fetches what it does not find from the
network. So every folder is named to it, and each is looked at here first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from pagetide.engines.models import pull_command
from pagetide.engines.models.fetching import digest
from pagetide.errors import ModelUnavailable

SETUP = "inference.yml"
# By the engine of PaddleX: what the weights' names end in here, and the files it loads, which
# may be of several kinds (paddlex 3.7, `model_paths`).
_STATIC = (
    ("inference.json", "inference.pdiparams"),
    ("inference.pdmodel", "inference.pdiparams"),
)
_DYNAMIC = (("model.safetensors",), ("model_state.pdparams",), ("inference.pdparams",))
_FORMS: Mapping[str, tuple[str, tuple[tuple[str, ...], ...]]] = {
    "onnxruntime": ("_onnx", (("inference.onnx",),)),
    "paddle": ("_paddle", (*_STATIC, *_DYNAMIC)),
    "paddle_static": ("_paddle", _STATIC),
    "transformers": ("_safetensors", (("model.safetensors",),)),
}
_NAME = re.compile(r"^\s*model_name:\s*[\"']?([^\s\"'#]+)", re.MULTILINE)


def weights_name(network: str, engine: str) -> str:
    """What the weights of a network are called in the form that an engine loads."""
    return network + _FORMS[engine][0]


def check(folder: Path, network: str, engine: str) -> None:
    """Make sure that a folder holds this network, whoever laid it there.

    PaddleX raises where the setup is of another network.

    Raises:
        ModelUnavailable: It does not; the message says what is missing.
    """
    missing = [
        name for name in (SETUP, *_files(folder, engine)) if not _has_bytes(folder / name)
    ]
    if missing:
        raise ModelUnavailable(
            f"The folder of {network} ({folder.name}) is incomplete: {missing[0]} is"
            f" missing or empty; run `{pull_command([weights_name(network, engine)])}`."
        )
    found = network_in(folder)
    if found != network:
        other = f"is of {found}" if found else "names no model"
        raise ModelUnavailable(
            f"The folder given for {network} ({folder.name}) {other}: see its {SETUP}."
        )


def network_in(folder: Path) -> str:
    """The name of the network that a folder says it holds; empty where it says none."""
    found = _NAME.search(_text(folder / SETUP))
    return found.group(1) if found else ""


def sha256(folder: Path, engine: str) -> str:
    """The SHA-256, in hex, of a network's weights; empty where they cannot be read."""
    path = folder / _files(folder, engine)[-1]
    try:
        facts = path.stat()
        return _sha256(path, facts.st_size, facts.st_mtime_ns)
    except OSError:
        return ""


def _files(folder: Path, engine: str) -> tuple[str, ...]:
    """The files that are loaded, the weights last: of the first kind that is there."""
    kinds = _FORMS[engine][1]
    there = (kind for kind in kinds if all(_has_bytes(folder / name) for name in kind))
    return next(there, kinds[0])


@lru_cache(maxsize=64)
def _sha256(path: Path, size: int, changed: int) -> str:
    return digest(path)


def _has_bytes(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
