"""What a network's maker wrote beside it: the recogniser's dictionary, the detector's scale.

PaddlePaddle's models come with an `inference.yml` (`PostProcess.character_dict`,
`PreProcess.transform_ops`). RapidOCR's hold the dictionary in the ONNX metadata `character`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pagetide.errors import ModelUnavailable

Numbers = tuple[float, ...]


def characters(listing: str) -> tuple[str, ...]:
    """The recogniser's classes: blank first, then the dictionary's, then the space.

    Args:
        listing: The dictionary, one character a line.
    """
    return ("", *listing.split("\n"), " ")


def fitted(listing: str, classes: int, name: str) -> tuple[str, ...]:
    """The same for a network of so many classes, which may lack the space.

    Raises:
        ModelUnavailable: The dictionary is of another network.
    """
    full = characters(listing.removesuffix("\n"))
    for known in (full, full[:-1]):
        if len(known) == classes:
            return known
    raise ModelUnavailable(
        f"The dictionary of {name} has {len(full) - 2} letters, its network {classes} classes."
    )


def dictionary(notes: Path) -> str:
    """The dictionary of an `inference.yml`, one character a line.

    Raises:
        ModelUnavailable: It holds none.
    """
    try:
        return "\n".join(_read(notes)["PostProcess"]["character_dict"])
    except (KeyError, TypeError):
        raise ModelUnavailable(
            f"{notes} contains no dictionary (PostProcess.character_dict)."
        ) from None


def normalisation(notes: Path | None) -> tuple[Numbers, Numbers] | None:
    """What is taken off each channel's bytes, and what they are then multiplied by.

    None where the notes do not say it.
    """
    if notes is None:
        return None
    try:
        steps = _read(notes)["PreProcess"]["transform_ops"]
        how = next(step["NormalizeImage"] for step in steps if "NormalizeImage" in step)
        mean, deviation = _numbers(how["mean"]), _numbers(how["std"])
    except (KeyError, TypeError, ValueError, StopIteration):
        return None
    return tuple(255 * m for m in mean), tuple(1 / (255 * d) for d in deviation)


def _numbers(listed: Sequence[str]) -> Numbers:
    first, second, third = (float(text) for text in listed)
    return first, second, third


def _read(notes: Path) -> Any:
    """The notes; every scalar in them is a text: `no`, `1` and `~` are letters.

    Raises:
        ModelUnavailable: They cannot be read.
    """
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        return yaml.load(notes.read_bytes(), loader)  # noqa: S506 - it makes texts only
    except (yaml.YAMLError, OSError, UnicodeDecodeError):
        raise ModelUnavailable(f"{notes} cannot be read.") from None
