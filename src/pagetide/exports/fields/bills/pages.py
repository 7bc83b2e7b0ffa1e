"""The pages of a document's first bill, and where further bills start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pagetide.document import Notice, Page
from pagetide.document.field import Field
from pagetide.exports.fields.bills.parties.titles import has_title
from pagetide.languages.labels import plain


class BillPages(NamedTuple):
    """Page numbers.

    Attributes:
        own: The first bill's.
        others: Where further bills start.
        whole: The number of pages in the document.
    """

    own: frozenset[int]
    others: tuple[int, ...]
    whole: int

    def notices(self) -> tuple[Notice, ...]:
        """Notices about further bills, or pages of something else."""
        own = ", ".join(map(str, sorted(self.own)))
        if self.others:
            more = ", ".join(map(str, self.others))
            first = min(self.own)
            message = f"Bills begin on pages {first}, {more}; that of page {first} is told."
            return (Notice(code="several_bills", message=message),)
        if len(self.own) < self.whole:
            message = f"Of {self.whole} pages the bill is on {own}; the others were left out."
            return (Notice(code="bill_on_some_pages", message=message),)
        return ()


def bill_pages(pages: Sequence[Page], pairs: Sequence[Field]) -> BillPages:
    """The pages of the first bill: from its title to its total, and those that name its number.

    Args:
        pages: All of the document.
        pairs: Its labels and values.
    """
    numbers = [page.number for page in pages]
    totals = sorted({pair.value.page for pair in pairs if pair.name == "total"})
    examined = pages if totals and len(pages) > 1 else ()
    titled = [
        page.number for page in examined if any(has_title(line.text) for line in page.lines)
    ]
    if not titled:
        return BillPages(frozenset(numbers), (), len(numbers))
    by_page: dict[int, str] = {}
    for pair in pairs:
        if pair.name == "number":
            by_page.setdefault(pair.value.page, plain(pair.value.text))
    first = _first(pages, min(titled), totals, by_page)
    number = by_page.get(first, "")
    others = _others(titled, totals, by_page, number)
    end = max((page for page in totals if not others or page < others[0]), default=first)
    own = {n for n in numbers if first <= n <= end}
    for page in pages:
        follows = page.number == end + 1 == numbers[-1] and page.number not in others
        if page.number > end and (follows or (number and _names(page, number))):
            own.add(page.number)
    return BillPages(frozenset(own), others, len(numbers))


def _first(
    pages: Sequence[Page], titled: int, totals: Sequence[int], by_page: Mapping[int, str]
) -> int:
    """The first page with the bill's title, or one before with a total and the same number."""
    [page] = [page for page in pages if page.number == titled]
    earlier = (n for n in totals if n < titled and by_page.get(n))
    return next((n for n in earlier if _names(page, by_page[n])), titled)


def _others(
    titled: Sequence[int], totals: Sequence[int], by_page: Mapping[int, str], number: str
) -> tuple[int, ...]:
    """The pages with a title, a different number, and a total at or after them."""
    found: list[int] = []
    numbers = {number}
    for page in titled[1:]:
        own = by_page.get(page, "")
        if own and own not in numbers and any(total >= page for total in totals):
            found.append(page)
            numbers.add(own)
    return tuple(found) if number else ()


def _names(page: Page, number: str) -> bool:
    return any(number in plain(line.text) for line in page.lines)
