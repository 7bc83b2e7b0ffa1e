"""What a SLANet model says of itself: its tokens, and the picture it wants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pagetide.errors import ModelUnavailable

START, END = "sos", "eos"
_EMPTY_CELL, _OPEN_CELL = "<td></td>", "<td>"
# Of SLANet and SLANet_plus, which were exported with the same preparation.
_SIDE = 488
_MEAN, _DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
# These were trained with boxes in shares of the picture's own sides, all others with boxes in
# shares of the square that the picture is padded to.
_OF_THE_PICTURE = {"SLANet", "SLANet_en", "SLANet_zh"}


@dataclass(frozen=True, kw_only=True)
class Description:
    """What the network was trained with.

    Attributes:
        name: The model's.
        tokens: By class, start and end among them.
        side: Of the square picture, in pixels.
        mean: Taken off each channel, blue first, once bytes are 0–1.
        deviation: What the rest is divided by.
        is_padded: Whether boxes are in shares of the padded square.
    """

    name: str
    tokens: tuple[str, ...]
    side: int = _SIDE
    mean: tuple[float, ...] = _MEAN
    deviation: tuple[float, ...] = _DEVIATION
    is_padded: bool = True


def described(folder: Path, listing: Callable[[], str | None]) -> Description:
    """The description beside a model, or what the network itself holds.

    Args:
        folder: The model's; its `inference.yml` is read where there is one.
        listing: Gives the tokens that the network's own metadata holds, one a line.

    Raises:
        ModelUnavailable: Neither says the tokens, or the file is not such a description.
    """
    name = folder.name.removesuffix("_onnx")
    file = folder / "inference.yml"
    if file.is_file():
        return _of_file(file, name)
    tokens = listing()
    if not tokens:
        raise ModelUnavailable(
            f"The table model in {folder.name} has no inference.yml and contains no tokens."
        )
    return Description(
        name=name,
        tokens=_whole(tokens.splitlines()),
        is_padded=name not in _OF_THE_PICTURE,
    )


def _of_file(file: Path, name: str) -> Description:
    import yaml

    try:
        config: Mapping[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
        name = str(config.get("Global", {}).get("model_name", name))
        steps: dict[str, Mapping[str, Any]] = {}
        for step in config["PreProcess"]["transform_ops"]:
            steps.update({key: value or {} for key, value in step.items()})
        normal = steps.get("NormalizeImage", {})
        return Description(
            name=name,
            tokens=_whole([str(token) for token in config["PostProcess"]["character_dict"]]),
            side=int(steps.get("ResizeTableImage", {}).get("max_len", _SIDE)),
            mean=_three(normal.get("mean", _MEAN)),
            deviation=_three(normal.get("std", _DEVIATION)),
            is_padded=name not in _OF_THE_PICTURE,
        )
    except (yaml.YAMLError, AttributeError, KeyError, TypeError, ValueError, OSError) as error:
        raise ModelUnavailable(f"{file} does not describe a table model.") from error


def _three(numbers: Sequence[Any]) -> tuple[float, ...]:
    blue, green, red = (float(number) for number in numbers)
    return (blue, green, red)


def _whole(tokens: list[str]) -> tuple[str, ...]:
    """The tokens by class: as listed, but for the cell without spans, which is one token."""
    kept = [token for token in tokens if token != _OPEN_CELL]
    if _EMPTY_CELL not in kept:
        kept.append(_EMPTY_CELL)
    return (START, *kept, END)
