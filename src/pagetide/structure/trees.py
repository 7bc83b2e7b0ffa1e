"""Decisions by boosted trees fitted on pages: a sum of small values, as a probability.

The trees are JSON beside the module that uses them: a number is a leaf, and a list of four is a
split, `[feature, at most, then, else]`. `bench.fitted_trees` writes them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec


class Trees(msgspec.Struct, frozen=True):
    """Fitted trees.

    Attributes:
        base: The value before any tree, as log odds.
        trees: What each adds to that.
    """

    base: float
    trees: Sequence[Any]

    @classmethod
    def beside(cls, module: str, name: str) -> Trees:
        """Loads them from a file in the same folder as a module."""
        return msgspec.json.decode(Path(module).with_name(name).read_bytes(), type=cls)

    def probability(self, features: Mapping[str, float]) -> float:
        """The probability, 0–1; a missing feature counts as 0."""
        total = self.base
        for tree in self.trees:
            node = tree
            while type(node) is list:
                node = node[2] if features.get(node[0], 0.0) <= node[1] else node[3]
            total += node
        return 1 / (1 + math.exp(-min(max(total, -40.0), 40.0)))
