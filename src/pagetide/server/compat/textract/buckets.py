"""Documents in buckets: those that an operator opened to clients, and no others."""

from __future__ import annotations

import functools
import io
import logging
import re
from collections.abc import Mapping
from pathlib import Path

from pagetide.errors import BadOption, BlobMissing, StoreFailed, TooLarge
from pagetide.server.api.callers.auth import Caller
from pagetide.server.compat.textract import fields
from pagetide.server.compat.textract.faults import Refused
from pagetide.server.ports import Place
from pagetide.server.wiring import open_place
from pagetide.settings import Settings
from pagetide.system import cancellation

_WRONG = "InvalidS3ObjectException"
_log = logging.getLogger("pagetide.server.api")


def wanted(given: fields.Members) -> tuple[str, str]:
    """The bucket and the name that an `S3Object` is of.

    Raises:
        BadOption: It is not of the form that it must have.
        Refused: It names a version, or a name that leads elsewhere.
    """
    known = ("Bucket", "Name")
    value = fields.members(given.get("S3Object"), "S3Object", known, never=("Version",))
    bucket = fields.text(value, "Bucket", r"[0-9A-Za-z._-]{3,255}")
    name = fields.text(value, "Name")
    if not bucket or not name:
        raise BadOption("`S3Object` needs both `Bucket` and `Name`.")
    if any(part in ("", ".", "..") for part in name.split("/")) or not name.isprintable():
        message = "The `Name` of an S3Object may not have dotted or empty parts, nor controls."
        raise Refused(_WRONG, message)
    return bucket, name


def vet(given: Mapping[str, object]) -> None:
    """Refuse settings of this facade that it cannot go by.

    Raises:
        BadOption: They have another key, or a bucket cannot be opened.
    """
    for url in urls_of(given).values():
        _opened(url)


def urls_of(given: Mapping[str, object]) -> dict[str, str]:
    """The URLs of the buckets that clients may name, by `NAME` or `NAME@KEY`.

    Args:
        given: The table `textract` of the setting `compat`.

    Raises:
        BadOption: It has another key, or no such buckets.
    """
    found = given.get("buckets", {})
    if given.keys() <= {"buckets"} and isinstance(found, dict):
        named = all(re.fullmatch(r"[\w.-]{3,255}(@\w+)?", name, re.ASCII) for name in found)
        if named and all(re.match(r"(s3|az|gs)://", str(url)) for url in found.values()):
            return {name: str(url) for name, url in found.items()}
    raise BadOption(
        "PAGETIDE_COMPAT must have in textract nothing but buckets, a table of names of three "
        'letters or more, as NAME or "NAME@KEY", with URLs: s3://…, az://… or gs://….'
    )


def place_of(bucket: str, caller: Caller, settings: Settings) -> Place:
    """The bucket of this name that the caller may read.

    Raises:
        Refused: There is none.
    """
    urls = urls_of(settings.compat.get("textract", {}))
    url = urls.get(f"{bucket}@{caller.owner}") or urls.get(bucket)
    if url is None:
        raise Refused(_WRONG, f"There is no bucket {bucket} that this key may read from.")
    return _opened(url)


def fetch(place: Place, name: str, into: Path, most: int) -> None:
    """Copy a document out of a bucket; may block.

    Raises:
        Refused: It is not there.
        TooLarge: It has more bytes than allowed.
        StoreFailed: The bucket cannot be read.
        DiskFull: There is no room for it.
    """
    with _Bounded(into, most) as file:
        try:
            place.copy(name, file)
        except BlobMissing:
            raise Refused(_WRONG, "There is no such object in the bucket.") from None
        except StoreFailed as error:  # it names the real bucket, which is the operator's own
            _log.error("a bucket of clients of Textract failed: %s", error.message)
            raise StoreFailed(
                "The bucket cannot be read now; the server's log says why."
            ) from None


class _Bounded(io.FileIO):
    """A file that takes no more than so many bytes, and none once nobody waits for it."""

    def __init__(self, path: Path, most: int) -> None:
        super().__init__(path, "wb")
        self._left, self._most = most, most
        self._cancellation = cancellation.current()

    def write(self, content: object) -> int:
        self._cancellation.check()
        view = memoryview(content)  # type: ignore[arg-type]
        size = len(view)
        self._left -= size
        if self._left < 0:
            raise TooLarge(f"The document is larger than {self._most} bytes.")
        while view:  # a full disk takes a part, and says so at the next one only
            view = view[super().write(view) :]
        return size


@functools.cache
def _opened(url: str) -> Place:
    return open_place(url)
