"""What a PP-DocLayout model says of itself: its labels, and the picture it wants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagetide.errors import ModelUnavailable

SIZE = (800, 800)  # where no description is: that of the editions that carry their labels


@dataclass(frozen=True, kw_only=True, eq=False)
class Description:
    """What the network was trained with.

    Attributes:
        labels: By class.
        size: Width and height of the picture in pixels.
        centre: What is taken off the bytes: one number, or three for red, green, blue.
        scale: What they are then multiplied by, likewise.
    """

    labels: tuple[str, ...]
    size: tuple[int, int]
    centre: NDArray[np.float32]
    scale: NDArray[np.float32]


def described(folder: Path, listing: Callable[[], str | None]) -> Description:
    """The description beside a model, or what the network itself holds.

    Args:
        folder: The model's; its `inference.yml` is read where there is one.
        listing: Gives the labels that the network's own metadata holds, one a line.

    Raises:
        ModelUnavailable: Neither says the labels, or the file is not such a description.
    """
    file = folder / "inference.yml"
    if file.is_file():
        return _of_file(file)
    labels = listing()
    if not labels:
        raise ModelUnavailable(
            f"The layout model in {folder.name} has no inference.yml and contains no labels."
        )
    return Description(
        labels=tuple(labels.split("\n")),
        size=SIZE,
        centre=np.zeros(1, np.float32),
        scale=np.full(1, 1 / 255, np.float32),
    )


def _of_file(file: Path) -> Description:
    import yaml

    try:
        config: Mapping[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
        steps = {step["type"]: step for step in config["Preprocess"]}
        height, width = (int(side) for side in steps["Resize"]["target_size"])
        centre, scale = _normal(steps.get("NormalizeImage", {}))
        labels = tuple(map(str, config["label_list"]))
    except (yaml.YAMLError, KeyError, TypeError, ValueError, OSError) as error:
        raise ModelUnavailable(f"{file} does not describe a layout model.") from error
    return Description(labels=labels, size=(width, height), centre=centre, scale=scale)


def _normal(step: Mapping[str, Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Bytes are divided by 255 unless the step says otherwise; then mean and deviation."""
    whole = 255.0 if step.get("is_scale", True) else 1.0
    mean, deviation = np.zeros(1), np.ones(1)
    if step.get("norm_type", "mean_std") != "none":
        mean = np.array(step.get("mean", [0.0]), float)
        deviation = np.array(step.get("std", [1.0]), float)
    return (
        (whole * mean).astype(np.float32),
        (1 / (whole * deviation)).astype(np.float32),
    )
