"""What a document was read from, as long as the process knows it that read it.

It is no part of the result: JSON, pickles and changed copies are without it.
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
        sha256: Of its bytes, in hex; empty where nobody has looked.
    """

    source: str | PathLike[str] | bytes
    password: str | None = field(default=None, repr=False)
    sha256: str = ""


def remember(known: KnownSource, *read: Written) -> None:
    """Let documents and pages know what they were read from."""
    for one in read:
        vars(one)[_NAME] = known


def source_of(one: Written) -> KnownSource | None:
    """What a document or a page was read from, where it is known."""
    known: KnownSource | None = vars(one).get(_NAME)
    return known
