"""Table models: the rows, columns and spans of a table from its picture alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pagetide.document import Table
from pagetide.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from pagetide.engines.networks.cores import Cores


class TableStructure(Protocol):
    """Sees what cells a table has. It may be asked from several threads at once.

    Attributes:
        name: The model's.
        sha256: Of its weights.
        runtime: The library that runs it, and the precision.
    """

    name: str
    sha256: str
    runtime: str

    def cells(self, pixels: NDArray[np.uint8]) -> Table:
        """A table's cells, without text.

        They have polygons in the picture's pixels, but for those the model gives no place,
        and the model's confidence, 0–1. A picture without a table gives one with no cells.

        Args:
            pixels: Of the table alone, height × width × 3, blue-green-red.

        Raises:
            EngineFailed: The runtime failed, or the network is none of this family.
        """
        ...


def open_table_structure(
    folder: Path, settings: Settings, cores: Cores | None = None
) -> TableStructure:
    """A model of the SLANet family that was pulled, on the runtime of the settings.

    Args:
        folder: Holds `inference.onnx`, and `inference.yml` unless the network carries its
            tokens; its name is the model's, with or without `_onnx` behind it.
        settings: Threads, runtime, where compiled networks are kept.
        cores: Those of the engine that it works for; None means its own.

    Raises:
        ModelUnavailable: A file is missing, or is not what it should be.
        RuntimeUnavailable: The runtime is not installed.
        BadOption: There is no such runtime.
    """
    from pagetide.engines.layout.named_runtimes import open_named
    from pagetide.engines.layout.weights import Weights
    from pagetide.engines.table_structure.description import described
    from pagetide.engines.table_structure.slanet import SlaNet
    from pagetide.errors import ModelUnavailable

    weights = Weights(folder / "inference.onnx")
    if not weights.file.is_file():
        raise ModelUnavailable(f"There is no table model in {folder.name}: no inference.onnx.")
    runtime = open_named(settings, weights, cores)
    return SlaNet(runtime, weights.sha256, described(folder, runtime.listing))
