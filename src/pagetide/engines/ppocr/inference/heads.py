"""The recogniser's last layer, and the part of it that Latin text needs.

The dictionary has 18,710 classes, most of them Chinese characters. A *Latin head* keeps only
the columns of the last layer that the Latin alphabet needs, 1 in 16. What it reads is exactly
what the full head reads wherever the full head's best class is a kept one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pagetide.languages.alphabets import in_latin_alphabet


@dataclass(frozen=True, kw_only=True)
class Head:
    """A linear layer over the recogniser's features.

    Attributes:
        weights: Channels × classes, float32.
        bias: Classes, float32.
        classes: The number of each class in the full dictionary, int32.
    """

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    classes: NDArray[np.int32]

    def latin(self, characters: tuple[str, ...]) -> Head:
        """The part that reads the blank, the space and the Latin alphabet.

        Args:
            characters: What this head's classes stand for; the first is the blank.
        """
        kept = [i for i, c in enumerate(characters) if i == 0 or in_latin_alphabet(c)]
        return Head(
            weights=np.ascontiguousarray(self.weights[:, kept]),
            bias=self.bias[kept],
            classes=self.classes[kept],
        )
