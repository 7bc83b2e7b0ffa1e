"""The models' files: pulled, kept, checked and found."""

from __future__ import annotations

from pagetide.engines.models.collection import (
    HERE,
    InstalledModel,
    Listed,
    Weights,
    pull_command,
)

__all__ = ["HERE", "InstalledModel", "Listed", "Weights", "pull_command"]
