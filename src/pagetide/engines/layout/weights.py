"""The layout model that this package carries: where it lies."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pagetide.errors import ModelUnavailable

NAME = "layout_cdla"


@dataclass(frozen=True)
class Weights:
    """A model's file."""

    file: Path

    @cached_property
    def sha256(self) -> str:
        """Of the file, in hexadecimal."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()


def bundled() -> Weights:
    """The CDLA model beside this module; see its NOTICE for where it comes from.

    Raises:
        ModelUnavailable: The installation lacks it.
    """
    file = Path(__file__).parent / f"{NAME}.onnx"
    if not file.is_file():
        raise ModelUnavailable(f"This installation of Pagetide lacks its {file.name}.")
    return Weights(file)


def in_folder(folder: Path) -> Weights:
    """The model that was pulled into a folder.

    Raises:
        ModelUnavailable: It is not there.
    """
    file = folder / "inference.onnx"
    if not file.is_file():
        raise ModelUnavailable(f"There is no layout model in {folder.name}: no {file.name}.")
    return Weights(file)
