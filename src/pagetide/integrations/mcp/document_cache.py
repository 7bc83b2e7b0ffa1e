"""Which documents may be read: files below the roots, and what guarded downloads bring."""

from __future__ import annotations

import itertools
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pagetide.errors import Forbidden, NotFound
from pagetide.net.download import download
from pagetide.settings import Settings

MOST_DOWNLOADS = 8  # kept at once, so that a document is not fetched for every page of it
_LONGEST_SHOWN = 200


class DocumentCache:
    """Finds a document's file; close it when done."""

    def __init__(self, roots: Sequence[Path], settings: Settings) -> None:
        self._roots = [root.resolve() for root in roots]
        self._settings = settings
        self._folder = tempfile.TemporaryDirectory(prefix="pagetide-mcp-")
        self._fetched: OrderedDict[str, tuple[Path, str]] = OrderedDict()
        self._numbers, self._keeping = itertools.count(1), threading.Lock()

    def find(self, source: str) -> tuple[Path, str]:
        """A document's file, and what the document is called.

        Args:
            source: A path, absolute or below a root, or a URL of `http`, `https` or `file`.

        Raises:
            Forbidden: It is below no root.
            NotFound: There is no such file.
            PagetideError: It cannot be fetched; see `net.download.download`.
        """
        scheme = source.partition("://")[0].lower()
        if scheme in ("http", "https"):
            return self._fetch(source)
        if scheme == "file":
            source = unquote(urlsplit(source).path)
        path = self._below_a_root(source)
        return path, path.name

    def close(self) -> None:
        """Remove what was fetched."""
        self._folder.cleanup()

    def _below_a_root(self, source: str) -> Path:
        try:
            return self._resolved(source)
        except (OSError, RuntimeError, ValueError):  # too long, a circle of links, no text
            raise NotFound(f"There is no file {_shown(source)}.") from None

    def _resolved(self, source: str) -> Path:
        found = [(root / source).resolve() for root in self._roots]
        allowed = [
            path for path in found if any(path.is_relative_to(root) for root in self._roots)
        ]
        if not allowed:
            raise Forbidden(f"{_shown(source)} is not in an allowed folder.")
        for path in allowed:
            if path.is_file():
                return path
        raise NotFound(f"There is no file {_shown(source)}.")

    def _fetch(self, url: str) -> tuple[Path, str]:
        with self._keeping:
            if url in self._fetched:
                self._fetched.move_to_end(url)
                return self._fetched[url]
        path = Path(self._folder.name) / str(next(self._numbers))
        fetched = download(
            url,
            path,
            max_bytes=self._settings.max_bytes,
            timeout_s=self._settings.download_timeout_s,
            allowed_hosts=self._settings.allowed_hosts,
        )
        with self._keeping:
            self._fetched[url] = path, fetched.name
            if len(self._fetched) > MOST_DOWNLOADS:
                _, (old, _) = self._fetched.popitem(last=False)
                old.unlink(missing_ok=True)
        return path, fetched.name


def _shown(source: str) -> str:
    """What was asked for, in a sentence: of one line, and no longer than people write."""
    line = "".join(letter if letter.isprintable() else "?" for letter in source)
    return line if len(line) <= _LONGEST_SHOWN else f"{line[:_LONGEST_SHOWN]}…"
