"""Uploads at one place, results at another, perhaps in another cloud."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from pagetide.server.ports import Blob, Blobs, PostForm

_UPLOAD = re.compile(r"(jobs/[^/]+|uploads/[^/]+/[^/]+|identity)/input")


class ResultsApart:
    """The port `ports.Blobs` over two others: uploads at the first, all else at the second."""

    def __init__(self, uploads: Blobs, results: Blobs) -> None:
        self._uploads, self._results = uploads, results

    def put(self, key: str, data: bytes | Iterable[bytes], *, durable: bool = False) -> Blob:
        """See `ports.Blobs`."""
        return self._at(key).put(key, data, durable=durable)

    def put_file(self, key: str, path: Path) -> Blob:
        """See `ports.Blobs`."""
        return self._at(key).put_file(key, path)

    def find(self, key: str) -> Blob | None:
        """See `ports.Blobs`; what is no job's is looked for at both: both must answer."""
        if key.startswith("jobs/"):
            return self._at(key).find(key)
        elsewhere = self._uploads.find(key)
        return self._results.find(key) or elsewhere

    def get(self, key: str) -> bytes:
        """See `ports.Blobs`."""
        return self._at(key).get(key)

    def stream(self, key: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """See `ports.Blobs`."""
        return self._at(key).stream(key, start, end)

    def local(self, key: str) -> AbstractContextManager[Path]:
        """See `ports.Blobs`."""
        return self._at(key).local(key)

    def copy(self, source: str, target: str) -> None:
        """See `ports.Blobs`; from one place to the other the bytes pass through here."""
        place, there = self._at(source), self._at(target)
        if place is there:
            place.copy(source, target)
        else:
            there.put(target, place.stream(source), durable=True)

    def under(self, prefix: str) -> Iterator[Blob]:
        """See `ports.Blobs`."""
        yield from self._uploads.under(prefix)
        yield from self._results.under(prefix)

    def delete(self, key: str) -> None:
        """See `ports.Blobs`."""
        self._at(key).delete(key)

    def delete_under(self, prefix: str) -> int:
        """See `ports.Blobs`; one place's failure does not keep what is at the other."""
        try:
            uploads = self._uploads.delete_under(prefix)
        finally:
            results = self._results.delete_under(prefix)
        return uploads + results

    def post_form(self, key: str, *, expires_s: float, most_bytes: int) -> PostForm | None:
        """See `ports.Blobs`."""
        return self._at(key).post_form(key, expires_s=expires_s, most_bytes=most_bytes)

    def link(self, key: str, *, expires_s: float, name: str, media_type: str) -> str | None:
        """See `ports.Blobs`."""
        return self._at(key).link(key, expires_s=expires_s, name=name, media_type=media_type)

    def _at(self, key: str) -> Blobs:
        return self._uploads if _UPLOAD.fullmatch(key) else self._results
