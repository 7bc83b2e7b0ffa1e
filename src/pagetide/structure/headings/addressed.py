"""Names above addresses in bold or larger letters: lines of the address, not headings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pagetide.layout.addresses import is_address
from pagetide.structure.draft import Draft

LARGER = 1.15  # times the height of the address: a company name over its own
NEAR = 0.8  # of a row's height, from the name to the address
LEVEL = 0.5  # of a row's height, between the left edges of both


def with_addressees(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts; an address, or its first line, that looks like a heading becomes text."""
    found: list[Draft] = []
    for draft in drafts:
        if draft.kind == "heading" and is_address([row.text for row in draft.rows]):
            draft = replace(draft, kind="text", level=None)
        if found and _names(found[-1], draft):
            name = found.pop()
            draft = replace(draft, rows=(*name.rows, *draft.rows))
        found.append(draft)
    return found


def _names(name: Draft, address: Draft) -> bool:
    """Whether a heading of one row is the first line of an address right below it.

    Above an address that is complete without it, it says whose that is.
    """
    if name.kind != "heading" or len(name.rows) > 1 or name.label or address.kind != "text":
        return False
    first, below = name.rows[0], address.rows[0]
    is_near = below.box[1] - first.box[3] < NEAR * below.height
    is_level = abs(below.box[0] - first.box[0]) < LEVEL * below.height
    if not (is_near and is_level) or first.size > LARGER * below.size:
        return False
    lines = [row.text for row in address.rows]
    return is_address([first.text, *lines]) and not is_address(lines)
