"""Several files as one: a ZIP archive, made as it is taken."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator

_DATE = (1980, 1, 1, 0, 0, 0)  # the first a ZIP can say, so that the same files make one ZIP
_PACKED_ALREADY = (".png",)


def zipped(files: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """The archive in parts: one file is held at a time.

    Args:
        files: Names below the archive's root, each with its content.
    """
    out = _Outlet()
    with zipfile.ZipFile(out, "w") as archive:  # type: ignore[call-overload]
        for name, content in files:
            entry = zipfile.ZipInfo(name, _DATE)
            entry.external_attr = 0o644 << 16
            is_packed = name.endswith(_PACKED_ALREADY)
            entry.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
            yield out.taken()
    yield out.taken()


class _Outlet:
    """A file that can only be written, and is emptied now and then."""

    def __init__(self) -> None:
        self._kept = io.BytesIO()

    def write(self, content: bytes) -> int:
        return self._kept.write(content)

    def flush(self) -> None:
        pass

    def taken(self) -> bytes:
        content = self._kept.getvalue()
        self._kept = io.BytesIO()
        return content
