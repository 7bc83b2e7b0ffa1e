"""The folder that pulled models lie in: which are whole, and how one is put there.

    ROOT/NAME/manifest.json, ROOT/NAME/FILE      a model, whole
    ROOT/.part/NAME/                             one that is being fetched
    ROOT/.locks/NAME                             held by who fetches it

A model appears by one renaming, its manifest with it, so that a folder which was copied half,
or was never finished, does not count.
"""

from __future__ import annotations

import errno
import fcntl
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pagetide.engines.models.manifest import (
    MANIFEST,
    MOST_MANIFEST_BYTES,
    Manifest,
    decode,
    encode,
)
from pagetide.errors import BadOption, CannotWrite, DiskFull, ModelUnavailable
from pagetide.settings import Settings
from pagetide.system.part_file import sync

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


def root_of(settings: Settings) -> Path | None:
    """Where pulled models lie; None where the settings keep nothing."""
    if settings.models_dir:
        return Path(settings.models_dir)
    return settings.cache_folder and settings.cache_folder / "models"


class ModelsFolder:
    """One such folder, which need not exist."""

    def __init__(self, root: Path | None) -> None:
        self._root = root

    @property
    def root(self) -> Path:
        """The folder.

        Raises:
            BadOption: The settings keep nothing.
        """
        if self._root is None:
            raise BadOption("There is no folder for models: set PAGETIDE_MODELS_DIR.")
        return self._root

    def find(self, name: str) -> Manifest | None:
        """The manifest of a model that is here whole; None where it is not.

        Raises:
            ModelUnavailable: Its manifest is damaged.
        """
        found = self._manifest(name)
        return found if found and self._is_whole(found) else None

    def record(self, name: str) -> Manifest | None:
        """The record of a model, even where its files are damaged; mostly as `find`."""
        with suppress(ModelUnavailable):
            return self._manifest(name)
        return None

    def _manifest(self, name: str) -> Manifest | None:
        if self._root is None:
            return None
        manifest = self._root / name / MANIFEST
        try:
            if manifest.stat().st_size > MOST_MANIFEST_BYTES:
                raise ModelUnavailable(f"The manifest of {name} in {self._root} is too large.")
            return decode(manifest.read_bytes(), name, f"in {self._root}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            reason = error.strerror or "it cannot be read"
            raise ModelUnavailable(f"The model {name} cannot be read: {reason}.") from None

    def _is_whole(self, manifest: Manifest) -> bool:
        folder = self.root / manifest.name
        try:
            return all(
                (folder / file.path).stat().st_size == file.size for file in manifest.files
            )
        except OSError:
            return False

    def names(self) -> list[str]:
        """The models that may be here."""
        if self._root is None or not self._root.is_dir():
            return []
        return sorted(
            path.name
            for path in self._root.iterdir()
            if path.name[0] != "." and (path / MANIFEST).is_file()
        )

    @contextmanager
    def fetching(self, name: str, waits: Callable[[], None]) -> Iterator[Path]:
        """Hold a model, alone on this machine, and give the folder to fetch it into.

        Args:
            name: The model's.
            waits: Called where somebody else holds it.

        Raises:
            DiskFull: There is no room.
            CannotWrite: The folder cannot be written.
        """
        with _translated(self.root):
            locks, part = self.root / ".locks", self.root / ".part" / name
            locks.mkdir(parents=True, exist_ok=True)
            with (locks / name).open("ab") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    waits()
                    fcntl.flock(lock, fcntl.LOCK_EX)
                part.mkdir(parents=True, exist_ok=True)
                yield part

    def install(self, manifest: Manifest, part: Path) -> None:
        """Put a fetched model in its place; what stood there is gone afterwards."""
        (part / MANIFEST).write_bytes(encode(manifest))
        for file in manifest.files:
            sync(part / file.path)
        sync(part / MANIFEST)
        place, old = self.root / manifest.name, part.with_name(f"{manifest.name}.old")
        shutil.rmtree(old, ignore_errors=True)
        if place.exists():
            place.replace(old)
        part.replace(place)
        sync(self.root)
        shutil.rmtree(old, ignore_errors=True)


@contextmanager
def _translated(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise DiskFull(f"There is no space for the model in {root}.") from error
        reason = error.strerror or "it cannot be written"
        raise CannotWrite(f"The models' folder {root} cannot be written: {reason}.") from None
