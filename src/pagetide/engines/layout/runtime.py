"""What a layout model needs from a runtime, whichever library runs the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

THREADS = 4  # cores that one page's network is run on


@dataclass(frozen=True, kw_only=True)
class Normal:
    """How a picture's bytes become a network's numbers: (byte - centre) · scale.

    Attributes:
        centre: One number for all channels, or three in the order of the channels.
        scale: Likewise.
    """

    centre: tuple[float, ...]
    scale: tuple[float, ...]


class Runtime(Protocol):
    """Runs one network. It may be run from several threads at once."""

    name: str  # with the precision, as the result names it

    def run(self, pixels: NDArray[np.uint8]) -> Sequence[NDArray[Any]]:
        """The network's outputs.

        Args:
            pixels: 1 × height × width × 3, blue-green-red, of the network's own size.

        Raises:
            EngineFailed: The runtime failed.
        """
        ...
