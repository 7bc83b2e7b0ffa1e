"""Page ranges as people write them: `1-3,7,-1`.

A range is a list of parts with commas between them. `n` counts from 1 at the start, `-n`
from 1 at the end.

    7       page 7            -1      the last page
    2-4     pages 2 to 4      2--2    page 2 to the last but one
    5-      page 5 to the end  -3-    the last three pages

What comes back is in document order, each page once, however the parts were written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pagetide.errors import BadOption, PageOutOfRange

_PART = re.compile(r"\s*(-?[0-9]{1,9})\s*(-)?\s*(-?[0-9]{1,9})?\s*", re.ASCII)
_FORM = 'write pages like "1-3,7,-1", "5-" or "-3-"'


def parse(text: str, page_count: int) -> tuple[int, ...]:
    """The pages of a range, ascending, each once.

    Args:
        text: A page range as in the module's table.
        page_count: Pages in the document.

    Returns:
        Numbers from 1 to `page_count`; at least one.

    Raises:
        BadOption: The text is not a page range, names page 0 or runs backwards.
        PageOutOfRange: It names a page that the document does not have.
    """
    pages: set[int] = set()
    for part in text.split(","):
        first, last = _ends(part, page_count)
        pages.update(range(first, last + 1))
    return tuple(sorted(pages))


def chosen(text: str | None, page_count: int) -> tuple[int, ...]:
    """Like `parse`; without a range, all pages."""
    return parse(text, page_count) if text else tuple(range(1, page_count + 1))


def check(number: int, text: str | None, page_count: int) -> None:
    """Check that a page is in a range.

    Raises:
        PageOutOfRange: It is not.
    """
    if number not in chosen(text, page_count):
        raise PageOutOfRange(f"Page {number} is not one of the pages to read.")


def written(numbers: Iterable[int]) -> str:
    """Ascending numbers as people write them: `1-3,7`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


def _ends(part: str, page_count: int) -> tuple[int, int]:
    match = _PART.fullmatch(part)
    if match is None or (match[3] and not match[2]):
        raise BadOption(f"{part.strip()!r} is not a page range; {_FORM}.")
    first = _page(match[1], page_count)
    if not match[2]:
        return first, first
    last = _page(match[3] or "-1", page_count)
    if last < first:
        raise BadOption(f"The page range {part.strip()} runs backwards; {_FORM}.")
    return first, last


def _page(written: str, page_count: int) -> int:
    number = int(written)
    if number == 0:
        raise BadOption(f"There is no page 0: page numbers start at 1; {_FORM}.")
    page = number if number > 0 else page_count + 1 + number
    if not 1 <= page <= page_count:
        pages = "1 page" if page_count == 1 else f"{page_count} pages"
        raise PageOutOfRange(f"Page {number} is outside the document, which has {pages}.")
    return page
