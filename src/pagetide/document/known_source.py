"""The source of a document, as long as the process that read it knows it.

It is not part of the result: JSON, pickles and changed copies do not have it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagetide.document.written import Written

_NAME = "known_source"


@dataclass(frozen=True, kw_only=True)
class KnownSource:
    """An input that can be opened again.

    Attributes:
        source: Its path, or its bytes.
        sha256: Of its bytes, in hex; empty if not computed.
    """

    source: str | PathLike[str] | bytes
    password: str | None = field(default=None, repr=False)
    sha256: str = ""


def remember(known: KnownSource, *read: Written) -> None:
    """Record the source of documents and pages."""
    for one in read:
        vars(one)[_NAME] = known


def source_of(one: Written) -> KnownSource | None:
    """The source of a document or a page, if known."""
    known: KnownSource | None = vars(one).get(_NAME)
    return known
