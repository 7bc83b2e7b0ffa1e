"""The models that are known: what each is for, its files, and where they come from."""

from __future__ import annotations

import functools
import importlib.util
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from pagetide.engines.models.manifest import ModelFile
from pagetide.system.ready_types import ready

REGISTRY = Path(__file__).with_name("registry.toml")


class Known(Struct, frozen=True, kw_only=True):
    """A model that can be had.

    Attributes:
        purpose: Such as `recognition`.
        reads: Which scripts or languages; empty where that says nothing.
        source: `package:NAME`, `modelscope:OWNER/REPO` or `huggingface:OWNER/REPO`.
        revision: A tag or a commit there; empty means the newest, which is then recorded.
        files: A file without a hash is not pinned; none means all that the source has.
    """

    name: str
    purpose: str
    source: str
    files: tuple[ModelFile, ...]
    reads: str = ""
    revision: str = ""

    @property
    def bundled(self) -> bool:
        """Whether an installed package carries it."""
        return self.source.startswith("package:")

    @property
    def pinned(self) -> bool:
        """Whether the hash of every file is known beforehand."""
        return bool(self.files) and all(file.sha256 for file in self.files)

    def carried(self) -> Mapping[str, Path] | None:
        """The files of a bundled model, by path; None where the package is not installed."""
        package = self.source.removeprefix("package:")
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            return None
        folder = Path(next(iter(spec.submodule_search_locations)))
        found = {file.path: folder / file.place for file in self.files}
        return found if all(path.is_file() for path in found.values()) else None


class Registry(Struct, frozen=True, kw_only=True):
    """All that is known.

    Attributes:
        models: By name.
        groups: What a model that can be asked for is made of, by its name.
    """

    models: Mapping[str, Known]
    groups: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, listing: Mapping[str, Any]) -> Registry:
        """The registry that a TOML file, read, describes."""
        known = msgspec.convert(listing.get("model", []), ready(list[Known]))
        return cls(
            models={one.name: one for one in known},
            groups=msgspec.convert(listing.get("groups", {}), dict[str, tuple[str, ...]]),
        )


@functools.cache
def registry() -> Registry:
    """The one that this package carries."""
    with REGISTRY.open("rb") as file:
        return Registry.of(tomllib.load(file))
