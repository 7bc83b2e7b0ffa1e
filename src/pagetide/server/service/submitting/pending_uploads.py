"""Where uploads are stored until they become jobs, and how much is stored there.

    uploads/OWNER/ID/input         the document
    uploads/OWNER/ID/form-BYTES    it may still come, past the API: so many bytes at most

What lies here is no job's, so no cap on jobs holds it: it is counted by what is there.
"""

from __future__ import annotations

import re
from collections import Counter

from pagetide.server.ports import Blobs

FOLDER = "uploads/"
# What each counts for at the least, so that a limit on bytes is one on their number, too.
LEAST = 4 << 20
_LATE_S = 60.0  # who submits in the last second still reads it
_NOBODY = "-"
_FORM = re.compile(r"uploads/([^/]+)/(up_([0-9a-f]{9})[0-9a-f]+)/(?:input|form-(\d+))")


def folder(upload_id: str, owner: str) -> str:
    """The prefix of the keys of all blobs of an upload."""
    return f"{FOLDER}{owner or _NOBODY}/{upload_id}/"


def document_key(upload_id: str, owner: str) -> str:
    """Where its document is."""
    return f"{folder(upload_id, owner)}input"


def form_key(upload_id: str, owner: str, most: int) -> str:
    """Where it is noted that a document of at most so many bytes may come past the API."""
    return f"{folder(upload_id, owner)}form-{most}"


def pending(blobs: Blobs, now: float) -> Counter[str]:
    """Bytes of uploads that have not expired, by owner; what may still come counts as well.

    Raises:
        StoreFailed: The blobs cannot be reached.
    """
    sizes = dict[tuple[str, str], int]()
    there = set[tuple[str, str]]()
    for blob in blobs.under(FOLDER):
        found = _FORM.fullmatch(blob.key)
        if not found or int(found[3], 16) <= now:
            continue
        upload = ("" if found[1] == _NOBODY else found[1], found[2])
        if found[4] is None:  # the document itself: no more will come
            there.add(upload)
            sizes[upload] = blob.bytes
        elif upload not in there:
            sizes[upload] = int(found[4])
    total = Counter[str]()
    for (owner, _), size in sizes.items():
        total[owner] += max(size, LEAST)
    return total


def remove_expired(blobs: Blobs, now: float) -> int:
    """Remove uploads that can become no job any more; how many blobs.

    Raises:
        StoreFailed: The blobs cannot be reached.
    """
    matches = (_FORM.fullmatch(blob.key) for blob in blobs.under(FOLDER))
    expired = [m[0] for m in matches if m and int(m[3], 16) + _LATE_S <= now]
    for key in expired:
        blobs.delete(key)
    return len(expired)
