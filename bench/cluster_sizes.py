"""The size of a cluster benchmark: full, or only to check that it works."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cluster_parts import COMBINATIONS


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The parameters of a row.

    Attributes:
        small: Only check that it works.
        runs: Rounds of comparisons.
        only: `STORE+QUEUE` of those to measure; empty means all.
    """

    small: bool = False
    runs: int = 3
    only: tuple[str, ...] = ()

    def of(self, full: int, small: int) -> int:
        """The number to use."""
        return small if self.small else full

    def chosen(
        self, combinations: tuple[tuple[str, str], ...] = COMBINATIONS
    ) -> list[tuple[str, str]]:
        """The combinations to be measured."""
        return [
            (store, queue)
            for store, queue in combinations
            if not self.only or f"{store}+{queue}" in self.only
        ]
