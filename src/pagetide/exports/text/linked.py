"""Which words are on a link, and how formats write its target."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from urllib.parse import quote, urlsplit

from pagetide.document import Document, Link, Page, Word
from pagetide.geometry import box_of, center, contains

_SCHEMES = frozenset({"http", "https", "mailto", "tel", "ftp"})  # those that run nothing
_UNSAFE = re.compile(r"[^!-~]|[()<>\\\"'`|\[\]*$]")
_ENTITY = re.compile(r"&(?=#?\w+;)")


class Links:
    """The links of a page that may be followed.

    Args:
        page: As read.
        numbers: Of the pages that a link may point to.
    """

    def __init__(self, page: Page, numbers: Collection[int]) -> None:
        first: dict[tuple[str | None, int | None], int] = {}
        self._boxes = sorted(
            (
                (box_of(link.polygon), first.setdefault((link.address, link.page), place))
                for place, link in enumerate(page.links)
                if _may_be_followed(link, numbers)
            ),
            key=lambda each: each[0][1],
        )
        self._tops = [box[1] for box, _ in self._boxes]

    def __bool__(self) -> bool:
        return bool(self._boxes)

    def under(self, word: Word) -> int | None:
        """The link under a word: of several, the one that starts lowest.

        Returns:
            Its index among the page's; of links with one target, that of the first.
        """
        point = center(box_of(word.polygon))
        for box, place in reversed(self._boxes[: bisect_right(self._tops, point[1])]):
            if contains(box, point):
                return place
        return None


def aims(document: Document) -> frozenset[int]:
    """The numbers of the pages that links point to."""
    return frozenset(
        link.page for page in document.pages for link in page.links if link.page is not None
    )


def target(link: Link) -> str:
    """A link's target, without characters that end an address in Markdown or HTML."""
    if link.page is not None:
        return f"#page-{link.page}"
    return _UNSAFE.sub(lambda found: quote(found[0], safe=""), link.address or "")


def in_markdown(address: str) -> tuple[str, str]:
    """What opens and closes a link in Markdown."""
    return "[", "](" + _ENTITY.sub(r"\\&", address) + ")"


def in_html(address: str) -> tuple[str, str]:
    """What opens and closes a link in HTML."""
    return f'<a href="{address.replace("&", "&amp;")}">', "</a>"


def _may_be_followed(link: Link, numbers: Collection[int]) -> bool:
    if link.page is not None:
        return link.page in numbers
    try:
        return urlsplit(link.address or "").scheme in _SCHEMES
    except ValueError:
        return False
