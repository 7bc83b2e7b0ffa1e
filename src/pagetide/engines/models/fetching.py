"""Fetch one file: resumed where it broke off, and taken only if it is what it should be."""

from __future__ import annotations

import hashlib
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from pagetide.engines.models.manifest import MOST_BYTES, Manifest, ModelFile
from pagetide.engines.models.sources import BrokenOff, Content, Source, Unreachable
from pagetide.errors import ModelUnavailable

TRIES = 4  # in a row that bring nothing new


@dataclass(frozen=True)
class FileRequest:
    """A file to fetch: as it is offered, and what it must turn out to be.

    Attributes:
        size: Bytes; None where nobody knows.
        sha256: In hexadecimal; None where nobody knows.
    """

    file: ModelFile
    size: int | None
    sha256: str | None


def fetch(source: Source, offer: Manifest, wanted: FileRequest, into: Path) -> ModelFile:
    """Fetch a file, going on with what `into` already holds of it.

    What is there already is kept only where the hash is known that the whole must have.

    Returns:
        The file with its size and hash.

    Raises:
        ModelUnavailable: It cannot be had, or is not what it should be; then `into` is gone.
        Unreachable: The source cannot be asked; `into` keeps what has come.
    """
    path = wanted.file.path
    resumed = wanted.sha256 is not None and into.exists() and into.stat().st_size > 0
    if not resumed:
        into.unlink(missing_ok=True)
    elif digest(into) == wanted.sha256:
        return ModelFile(path=path, size=into.stat().st_size, sha256=wanted.sha256)
    _fill(source, offer, wanted, into)
    found = digest(into)
    if wanted.sha256 and found != wanted.sha256 and resumed:
        into.unlink()  # what was there may have been of another file
        _fill(source, offer, wanted, into)
        found = digest(into)
    if wanted.sha256 and found != wanted.sha256:
        into.unlink()
        raise ModelUnavailable(
            f"{path} of {offer.name} from {source.name} is wrong: its SHA-256 is"
            f" {found}, not {wanted.sha256}."
        )
    return ModelFile(path=path, size=into.stat().st_size, sha256=found)


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fill(source: Source, offer: Manifest, wanted: FileRequest, into: Path) -> None:
    tries = TRIES
    while True:
        before = into.stat().st_size if into.exists() else 0
        if wanted.size is not None and before >= wanted.size and into.exists():
            if before == wanted.size:
                return
            into.unlink()
            before = 0
        try:
            _append(source, offer, wanted, into, before)
            if wanted.size is None or into.stat().st_size == wanted.size:
                return
        except BrokenOff:
            pass
        after = into.stat().st_size if into.exists() else 0
        tries = TRIES if after > before else tries - 1
        if not tries:
            raise Unreachable(f"the transfer of {wanted.file.path} stopped after {after} bytes")


def _append(
    source: Source, offer: Manifest, wanted: FileRequest, into: Path, before: int
) -> None:
    with closing(source.open(offer, wanted.file, before)) as content:
        if content.start > before:
            raise ModelUnavailable(f"{source.name} omits a part of {wanted.file.path}.")
        _write(source, content, wanted, into)


def _write(source: Source, content: Content, wanted: FileRequest, into: Path) -> None:
    most = MOST_BYTES if wanted.size is None else wanted.size
    with into.open("r+b" if into.exists() else "wb") as file:
        file.truncate(content.start)
        size = file.seek(content.start)
        for chunk in content.chunks:
            size += len(chunk)
            if size > most:
                into.unlink()
                raise ModelUnavailable(
                    f"{source.name} sends more than the {most} bytes of {wanted.file.path}."
                )
            file.write(chunk)
