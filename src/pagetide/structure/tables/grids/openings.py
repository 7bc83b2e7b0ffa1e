"""The text of a grid's units, and which of their borders separate nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pagetide.structure.tables.pieces import Piece

PARTED = 0.5  # of a unit's side: drawn this far, a rule separates it from its neighbour

Units = Mapping[tuple[int, int], Sequence[Piece]]


@dataclass
class Opened:
    """Borders between neighbouring units that separate nothing."""

    right: set[tuple[int, int]] = field(default_factory=set)
    below: set[tuple[int, int]] = field(default_factory=set)
