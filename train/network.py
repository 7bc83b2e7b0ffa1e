"""The network: 48 × width grey in, one class for every 8 pixels of width out.

Convolutions bring a line down to one row of 192 channels; four residual blocks along the row
(depthwise over nine frames, then two products) add the context of a letter; a linear
layer gives the classes. 93 million multiplications for 320 pixels, 1.1 million weights.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from train.letters import LETTERS

CHANNELS = (24, 32, 64, 96, 192)
FRAME = 8


def _layer(
    given: int, made: int, kernel: tuple[int, int], stride: tuple[int, int] = (1, 1),
    *, groups: int = 1, active: bool = True, pad: tuple[int, int] | None = None,
) -> nn.Sequential:  # fmt: skip
    padding = pad if pad is not None else (kernel[0] // 2, kernel[1] // 2)
    layers: list[nn.Module] = [
        nn.Conv2d(given, made, kernel, stride, padding, groups=groups, bias=False),
        nn.BatchNorm2d(made),
    ]
    return nn.Sequential(*layers, nn.ReLU(inplace=True)) if active else nn.Sequential(*layers)


class Residual(nn.Module):
    """A residual connection."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.change = nn.Sequential(*layers)

    def forward(self, given: Tensor) -> Tensor:
        """The sum, where it is positive."""
        return torch.relu(given + self.change(given))


def _square(channels: int) -> Residual:
    return Residual(
        _layer(channels, channels, (3, 3)), _layer(channels, channels, (3, 3), active=False)
    )


def _along(channels: int) -> Residual:
    return Residual(
        _layer(channels, channels, (1, 9), groups=channels, active=False),
        _layer(channels, 2 * channels, (1, 1)),
        _layer(2 * channels, channels, (1, 1), active=False),
    )


class LineReader(nn.Module):
    """See the module."""

    def __init__(self) -> None:
        super().__init__()
        a, b, c, d, e = CHANNELS
        self.body = nn.Sequential(
            _layer(1, a, (3, 3), (2, 2)),
            _layer(a, b, (3, 3), (2, 2)),
            Residual(_layer(b, b, (3, 3), active=False)),
            _layer(b, c, (3, 3), (2, 2)),
            _square(c),
            _layer(c, d, (3, 3), (2, 1)),
            _square(d),
            _layer(d, e, (3, 3), pad=(0, 1)),
            *(_along(e) for _ in range(4)),
        )
        self.head = nn.Linear(e, len(LETTERS))

    def forward(self, pictures: Tensor) -> Tensor:
        """Logits, lines × frames × classes, of pictures in -1 … 1, lines × 1 × 48 × width."""
        features = self.body(pictures)  # lines × channels × 1 × frames
        return self.head(features.squeeze(2).transpose(1, 2))
