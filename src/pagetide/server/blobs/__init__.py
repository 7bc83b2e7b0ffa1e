"""Blobs: documents and results under keys, in a folder, in memory or in a cloud."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from pagetide.errors import BadOption
from pagetide.server.blobs.apart import ResultsApart
from pagetide.server.blobs.clouds import CLOUDS, open_cloud
from pagetide.server.blobs.objects import ObjectBlobs
from pagetide.server.blobs.posts import posts_at
from pagetide.server.ports import Blobs

__all__ = ["ObjectBlobs", "ResultsApart", "open_blobs"]


def open_blobs(url: str, results_url: str = "") -> Blobs:
    """The blobs at a URL, or at two.

    Args:
        url: `file:///FOLDER`, which is made where it is missing; `memory:`; or that of a bucket
            or container, which must be there: see `clouds.open_cloud`.
        results_url: Where all but what was uploaded is kept; empty means there, too.

    Raises:
        BadOption: It is another URL.
        DiskFull: There is no room to make the folder.
        StoreFailed: The folder cannot be made.
    """
    if results_url and results_url != url:
        return ResultsApart(_open(url), _open(results_url))
    return _open(url)


def _open(url: str) -> ObjectBlobs:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BadOption("The URL of the blobs is not a URL.") from None
    if parts.scheme == "memory":
        return ObjectBlobs.in_memory()
    if parts.scheme == "file" and not parts.netloc and parts.path.startswith("/"):
        return ObjectBlobs.in_folder(Path(unquote(parts.path)))
    if parts.scheme in CLOUDS:
        return ObjectBlobs.in_cloud(*open_cloud(url), posts_at(url))
    raise BadOption(
        "Blobs need a URL like file:///FOLDER, memory:, s3://BUCKET/PREFIX,"
        " az://CONTAINER/PREFIX?account=NAME or gs://BUCKET/PREFIX."
    )
