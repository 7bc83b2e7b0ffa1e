"""How large a benchmark of the cluster is: in earnest, or only to see that it works."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cluster_parts import COMBINATIONS


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """What a row is told.

    Attributes:
        small: Only see that it works.
        runs: Rounds of what is compared.
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
        """Those of these combinations that are to be measured."""
        return [
            (store, queue)
            for store, queue in combinations
            if not self.only or f"{store}+{queue}" in self.only
        ]
