"""The PP-OCRv6 small models that the `rapidocr` wheel carries: where they lie."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from pagetide.errors import ModelUnavailable


@dataclass(frozen=True, kw_only=True)
class Weights:
    """Files of the two models, and the version of the wheel that carries them."""

    detector: Path
    recogniser: Path
    version: str


def bundled() -> Weights:
    """The models inside the installed `rapidocr` package, which is not imported.

    Raises:
        ModelUnavailable: The package or one of its files is missing.
    """
    spec = importlib.util.find_spec("rapidocr")
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailable(
            "The PP-OCRv6 models come with the package rapidocr, which is not installed."
        )
    folder = Path(spec.submodule_search_locations[0]) / "models"
    weights = Weights(
        detector=folder / "PP-OCRv6_det_small.onnx",
        recogniser=folder / "PP-OCRv6_rec_small.onnx",
        version=importlib.metadata.version("rapidocr"),
    )
    for file in (weights.detector, weights.recogniser):
        if not file.is_file():
            raise ModelUnavailable(f"The installed rapidocr carries no {file.name}.")
    return weights


def characters(listing: str) -> tuple[str, ...]:
    """The recogniser's classes: blank first, then the dictionary's, then the space.

    Args:
        listing: The ONNX metadata value `character`, one character a line.
    """
    return ("", *listing.split("\n"), " ")
