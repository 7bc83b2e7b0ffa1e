"""The folders of the networks, looked at before PaddleX is told of them.

PaddleX takes a folder for whole because it exists, and fetches what it does not find from the
network. So every folder is named to it, and each is looked at here first.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from pagetide.errors import ModelUnavailable

SETUP = "inference.yml"
# By the engine of PaddleX: what its folders' names end in, and the files it loads.
_FORMS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "onnxruntime": ("_onnx", ("inference.onnx",)),
    "paddle": ("", ("inference.json", "inference.pdiparams")),
    "paddle_static": ("", ("inference.json", "inference.pdiparams")),
    "transformers": ("_safetensors", ("model.safetensors",)),
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
    needed = (SETUP, *_FORMS[engine][1])
    missing = [name for name in needed if not _has_bytes(folder / name)]
    if missing:
        raise ModelUnavailable(
            f"The folder of {network} ({folder.name}) is not whole: {missing[0]} is missing "
            f"or empty; run `pagetide models pull {weights_name(network, engine)}`."
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
    path = folder / _FORMS[engine][1][-1]
    try:
        facts = path.stat()
        return _sha256(path, facts.st_size, facts.st_mtime_ns)
    except OSError:
        return ""


@lru_cache(maxsize=64)
def _sha256(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _has_bytes(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
