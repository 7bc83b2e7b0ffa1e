"""What a model is made of: its files, their sizes and hashes, and where they came from.

A manifest lies as `manifest.json` in a model's folder and in a mirror. It may come from
anywhere, so that its names and sizes are looked at before they are used.
"""

from __future__ import annotations

import re

import msgspec
from msgspec import Struct

from pagetide.errors import ModelUnavailable
from pagetide.system.ready_types import ready

MANIFEST = "manifest.json"
NETWORK = "inference.onnx"  # the file that most models have
MOST_BYTES = 8_000_000_000  # of one file
MOST_FILES = 200
MOST_MANIFEST_BYTES = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,99}")
_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9_.+-]{0,99})"
_PATH = re.compile(rf"{_PART}(?:/{_PART}){{0,4}}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class ModelFile(Struct, frozen=True, kw_only=True):
    """A file of a model.

    Attributes:
        path: In the model's folder.
        at: At the source, where it is called otherwise there.
        size: Bytes; None where it is not known yet.
        sha256: In hexadecimal; None where it is not known yet.
    """

    path: str
    at: str = ""
    size: int | None = None
    sha256: str | None = None

    @property
    def place(self) -> str:
        """Its place at the source."""
        return self.at or self.path


class Manifest(Struct, frozen=True, kw_only=True):
    """The contents of a model's folder.

    Attributes:
        source: Where it came from, in words.
        revision: Of the source: a tag or a commit; empty where it has none.
        pinned: Whether every hash was known before it was fetched.
    """

    name: str
    files: tuple[ModelFile, ...]
    source: str = ""
    revision: str = ""
    pinned: bool = False

    @property
    def bytes(self) -> int:
        """The size of all files, as far as it is known."""
        return sum(file.size or 0 for file in self.files)

    def sha256(self, path: str) -> str | None:
        """The hash of a file; None where it has none, or there is no such file."""
        return next((file.sha256 for file in self.files if file.path == path), None)


def check_name(name: str) -> None:
    """Check the name of a model.

    Raises:
        ModelUnavailable: It cannot.
    """
    if not _NAME.fullmatch(name):
        raise ModelUnavailable(
            f"There is no model {name[:80]!r}: the name has characters that are not allowed."
        )


def decode(content: bytes, name: str, whose: str) -> Manifest:
    """A manifest, once it is seen to be harmless.

    Args:
        content: JSON.
        name: The model that it must be of.
        whose: Where it was found, for the message.

    Raises:
        ModelUnavailable: It is no manifest, or of another model, or names what it must not.
    """
    try:
        manifest = msgspec.json.decode(content, type=ready(Manifest))
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise ModelUnavailable(f"The manifest of {name} {whose} cannot be read.") from None
    if manifest.name != name:
        raise ModelUnavailable(f"The manifest of {name} {whose} is for another model.")
    check(manifest, whose)
    return manifest


def check(manifest: Manifest, whose: str) -> None:
    """Check that a manifest of a source is harmless.

    Raises:
        ModelUnavailable: It names what it must not.
    """
    wrong = _fault(manifest)
    if wrong:
        raise ModelUnavailable(f"The manifest of {manifest.name} {whose} is refused: {wrong}.")


def encode(manifest: Manifest) -> bytes:
    """A manifest as JSON."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2)


def _fault(manifest: Manifest) -> str:
    """The fault of a manifest; empty where there is none."""
    if not 0 < len(manifest.files) <= MOST_FILES:
        return f"it lists {len(manifest.files)} files"
    paths = [file.path for file in manifest.files]
    if len({path.lower() for path in paths}) < len(paths):
        return "it lists a file twice"
    for file in manifest.files:
        fault = _file_fault(file)
        if fault:
            return fault
    return ""


def _file_fault(file: ModelFile) -> str:
    for path in (file.path, file.place):
        if not _PATH.fullmatch(path) or ".." in path or path.lower() == MANIFEST:
            return f"{path[:80]!r} is not a path of a model's file"
    if file.size is not None and not 0 <= file.size <= MOST_BYTES:
        return f"{file.path} would have {file.size} bytes"
    if file.sha256 is not None and not _SHA256.fullmatch(file.sha256):
        return f"the hash of {file.path} is not a SHA-256"
    return ""
