"""What of a document a person should look at: what was read badly, and sums that are wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from pagetide.document import Document, Line, Page
from pagetide.document.field import Bill, Check, Value
from pagetide.exports.fields import fields_of
from pagetide.geometry import Polygon
from pagetide.languages.labels import SUMS

Why = Literal["confidence", "sum", "sampled"]


class Doubt(Struct, frozen=True, kw_only=True, gc=False):
    """A place on a page that may be wrong.

    Attributes:
        reason: It was read with little confidence, or belongs to a sum that does not come out;
            `sampled` of what is shown without a doubt.
        line: Its place in the page's `lines`; None where the text belongs to no single one.
        name: What the text is known to be, such as `total`; or empty.
        text: As it was read: the whole line, where there is one.
        confidence: The least of what was read, 0–1; None where that is not known.
    """

    reason: Why
    page: int
    line: int | None
    name: str = ""
    text: str
    polygon: Polygon
    dpi: float
    confidence: float | None = None


def doubts(document: Document, below: float, *, sums: bool) -> tuple[Doubt, ...]:
    """What is doubtful, page by page from above.

    Args:
        document: As read.
        below: Lines and cells that were read with less confidence than this.
        sums: Whether the values of a bill's sums that do not come out.
    """
    found = [each for page in document.pages for each in _badly_read(page, below)]
    if sums and (bill := fields_of(document).bill):
        found += _wrong_sums(bill, {page.number: page for page in document.pages})
    once = {(each.page, each.polygon): each for each in found}  # a line of a sum as one of that
    return tuple(sorted(once.values(), key=lambda each: (each.page, each.polygon[0][1])))


def every_line(document: Document) -> tuple[Doubt, ...]:
    """All lines: what a person goes through where nothing in particular is doubtful."""
    return tuple(
        _of_line(page, index, line, "sampled")
        for page in document.pages
        for index, line in enumerate(page.lines)
    )


def confidence_of(line: Line) -> float | None:
    """The least confidence of a line and its words."""
    confidences = [line.confidence, *(word.confidence for word in line.words)]
    return min((one for one in confidences if one is not None), default=None)


def _badly_read(page: Page, below: float) -> Iterator[Doubt]:
    for index, line in enumerate(page.lines):
        if _is_under(confidence_of(line), below):
            yield _of_line(page, index, line, "confidence")
    cells = (cell for block in page.blocks if block.table for cell in block.table.cells)
    for cell in cells:
        if cell.polygon and not cell.line_indexes and _is_under(cell.confidence, below):
            yield Doubt(
                reason="confidence",
                page=page.number,
                line=None,
                text=cell.text,
                polygon=cell.polygon,
                dpi=page.dpi,
                confidence=cell.confidence,
            )


def _is_under(confidence: float | None, below: float) -> bool:
    return confidence is not None and confidence < below


def _of_line(page: Page, index: int, line: Line, reason: Why, name: str = "") -> Doubt:
    return Doubt(
        reason=reason,
        page=page.number,
        line=index,
        name=name,
        text=line.text,
        polygon=line.polygon,
        dpi=page.dpi,
        confidence=confidence_of(line),
    )


def _wrong_sums(bill: Bill, pages: dict[int, Page]) -> Iterator[Doubt]:
    """The values of all sums that do not come out."""
    wrong = [check for check in bill.checks if not check.holds]
    for name, value in (each for check in wrong for each in _of(bill, check)):
        page = pages[value.page]
        if len(value.lines) == 1:
            [index] = value.lines
            yield _of_line(page, index, page.lines[index], "sum", name)
        else:
            yield Doubt(
                reason="sum",
                page=value.page,
                line=None,
                name=name,
                text=value.text,
                polygon=value.polygon,
                dpi=page.dpi,
                confidence=value.confidence,
            )


def _of(bill: Bill, check: Check) -> Iterator[tuple[str, Value]]:
    """What a check adds up, and what it should come to."""
    if check.row is not None:
        item = bill.items[check.row]
        parts = {"quantity": item.quantity, "price": item.price, "amount": item.amount}
        yield from ((name, value) for name, value in parts.items() if value)
        return
    if check.name == "items":
        yield from (("amount", item.amount) for item in bill.items if item.amount)
    yield from ((name, bill.fields[name]) for name in sorted(SUMS & set(bill.fields)))
