"""What a program gives to be read, as what can be opened."""

from __future__ import annotations

import io
import shutil
import tempfile
import weakref
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pagetide.inputs import Source, in_memory
from pagetide.settings import Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image

    Given = Source | Image | NDArray[Any]
else:
    Given = Source

_TAKEN = (
    "Pagetide reads a path, an https address, bytes, a file that is open in binary mode, a PIL"
    " image, or a NumPy array of uint8 (height × width, or × 3 or 4: red, green, blue, opacity)"
)


def check_kind(given: object) -> None:
    """Check that it is something that can be read at all.

    Raises:
        TypeError: It is not; the message says what can.
    """
    if isinstance(given, str | PathLike | bytes | bytearray | memoryview):
        return
    if in_memory.is_picture(given):
        return
    if in_memory.is_array(given):
        if not in_memory.holds_pixels(given):  # type: ignore[arg-type]  # it is an array
            raise TypeError(f"{_TAKEN}, not an array of {given.dtype}, {given.shape}.")  # type: ignore[attr-defined]
        return
    if isinstance(given, io.TextIOBase):
        raise TypeError(f"{_TAKEN}, not a file that is open as text: open it with 'rb'.")
    if not callable(getattr(given, "read", None)):
        raise TypeError(f"{_TAKEN}, not {type(given).__name__}.")


def source_of(given: Given, settings: Settings) -> Source:
    """The given input as one that can be opened: an address fetched, a picture as PNG.

    Args:
        given: What `check_kind` lets pass.
        settings: How large a document may be, and which addresses may be asked.

    Raises:
        AddressRefused: The address leads where this program does not go.
        DownloadFailed: The document did not come.
        TooLarge: It has more bytes than the limit.
        Damaged: A picture has no pixels, or cannot be decoded.
    """
    if isinstance(given, str) and given.lower().startswith(("https://", "http://")):
        return Fetched(given, settings)
    if in_memory.is_picture(given):
        return in_memory.png_of(given)  # type: ignore[arg-type]  # it is a picture
    if in_memory.is_array(given):
        return in_memory.png_of_array(given)  # type: ignore[arg-type]  # it is an array
    return given  # type: ignore[return-value]  # what is left is a source


class Fetched(PathLike[str]):
    """A document from an address, in a file that is removed when nobody needs it any more."""

    def __init__(self, url: str, settings: Settings) -> None:
        """Fetch it.

        Raises:
            PagetideError: As for `source_of`.
        """
        from pagetide.net.download import download  # 90 ms that only an address costs

        folder = Path(tempfile.mkdtemp(prefix="pagetide-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        fetched = download(
            url,
            folder / "document",
            max_bytes=settings.max_bytes,
            timeout_s=settings.download_timeout_s,
            allowed_hosts=settings.allowed_hosts,
        )
        self._path = (folder / "document").rename(folder / fetched.name)

    def __fspath__(self) -> str:
        return str(self._path)
