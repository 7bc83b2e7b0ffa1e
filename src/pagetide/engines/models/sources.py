"""What a source of models is, and the simplest one: a folder that the user names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pagetide.engines.models.manifest import (
    MANIFEST,
    MOST_MANIFEST_BYTES,
    NETWORK,
    Manifest,
    ModelFile,
    decode,
)
from pagetide.engines.models.registry import Known
from pagetide.errors import ModelUnavailable

_CHUNK = 1 << 20


class BrokenOff(Exception):
    """A source stopped before the end; asked again, it may go on."""


class Unreachable(Exception):
    """A source cannot be asked at all; its text says why."""


@dataclass(frozen=True)
class Content:
    """A file's bytes, and at which of them they begin: not each source begins as asked.

    Attributes:
        close: Lets go of what they come from.
    """

    start: int
    chunks: Iterator[bytes]
    close: Callable[[], object] = lambda: None


class Source(Protocol):
    """Where models are fetched from."""

    @property
    def name(self) -> str:
        """Its name in messages."""
        ...

    @property
    def own(self) -> bool:
        """Whether it is the user's, so that its hashes are known before."""
        ...

    def offer(self, name: str, known: Known | None) -> Manifest | None:
        """The manifest of a model; sizes and hashes as far as it gives them.

        Args:
            name: The model's.
            known: What the registry says of it; None where it does not know it.

        Raises:
            ModelUnavailable: Its answer is refused.
            Unreachable: It cannot be asked.
        """
        ...

    def open(self, offer: Manifest, file: ModelFile, start: int) -> Content:
        """A file's bytes from one of them on.

        Raises:
            ModelUnavailable: It does not give the file.
            BrokenOff: It broke off; so may the chunks.
            Unreachable: It cannot be asked.
        """
        ...


class FolderSource:
    """A folder with models in folders of their own, or a folder that is one model's."""

    own = True

    def __init__(self, folder: Path) -> None:
        self.name = str(folder)
        self._folder = folder

    def offer(self, name: str, known: Known | None) -> Manifest | None:
        """See `Source`."""
        for folder in (self._folder / name, self._folder):
            own = folder != self._folder or folder.name == name
            if own and (folder / MANIFEST).is_file():
                return self._manifest(folder / MANIFEST, name)
            found = _unlisted(folder, name, known, own=own)
            if found:
                return found
        return None

    def open(self, offer: Manifest, file: ModelFile, start: int) -> Content:
        """See `Source`."""
        for folder in (self._folder / offer.name, self._folder):
            path = folder / file.place
            if path.is_file():
                return Content(start, _chunks(path, start))
        raise ModelUnavailable(f"{self.name} has no {file.place} of {offer.name}.")

    def _manifest(self, manifest: Path, name: str) -> Manifest:
        if manifest.stat().st_size > MOST_MANIFEST_BYTES:
            raise ModelUnavailable(f"The manifest of {name} in {self.name} is too large.")
        return decode(manifest.read_bytes(), name, f"in {self.name}")


def _unlisted(folder: Path, name: str, known: Known | None, *, own: bool) -> Manifest | None:
    """A model in a folder that nobody wrote a manifest for."""
    if known and known.files:
        files = [_called(folder, file) for file in known.files]
    elif own and folder.is_dir() and (known or (folder / NETWORK).is_file()):
        paths = sorted(path for path in folder.iterdir() if path.is_file())
        files = [ModelFile(path=path.name) for path in paths if path.name[0] != "."]
    else:
        return None
    if not files or not all((folder / file.place).is_file() for file in files):
        return None
    return Manifest(name=name, files=tuple(files), source=str(folder))


def _called(folder: Path, file: ModelFile) -> ModelFile:
    """The file as it is called here: as in a model's folder, or as the hub calls it."""
    here = file.path if (folder / file.path).is_file() else Path(file.place).name
    return ModelFile(path=file.path, at=here)


def _chunks(path: Path, start: int) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            file.seek(start)
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError as error:
        raise Unreachable(error.strerror or "it cannot be read") from None
