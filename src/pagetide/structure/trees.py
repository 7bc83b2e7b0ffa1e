"""Decisions by boosted trees that were fitted on pages: a sum of small answers, as a chance.

The trees lie as JSON beside the module that asks: a number is an answer, and four things in a
list are a question, `[feature, at most, then, else]`. `bench.fitted_trees` writes them.
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
        base: What is said before any tree is asked, as log odds.
        trees: What each adds to that.
    """

    base: float
    trees: Sequence[Any]

    @classmethod
    def beside(cls, module: str, name: str) -> Trees:
        """Those of a file that lies beside a module's own."""
        return msgspec.json.decode(Path(module).with_name(name).read_bytes(), type=cls)

    def sure(self, features: Mapping[str, float]) -> float:
        """How sure it is, 0–1; a feature that is not there is 0."""
        total = self.base
        for tree in self.trees:
            node = tree
            while type(node) is list:
                node = node[2] if features.get(node[0], 0.0) <= node[1] else node[3]
            total += node
        return 1 / (1 + math.exp(-min(max(total, -40.0), 40.0)))
