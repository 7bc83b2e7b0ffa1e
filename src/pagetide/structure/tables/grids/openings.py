"""What stands in a grid's units, and which of their borders part nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pagetide.structure.tables.pieces import Piece

PARTED = 0.5  # of a unit's side: drawn that far, a rule parts it from its neighbour

Units = Mapping[tuple[int, int], Sequence[Piece]]


@dataclass
class Opened:
    """Borders between neighbouring units that part nothing."""

    right: set[tuple[int, int]] = field(default_factory=set)
    below: set[tuple[int, int]] = field(default_factory=set)
