"""Labels in large letters with an amount beside or below: amounts due, not headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pagetide.structure.draft import Draft
from pagetide.structure.tables.baseline import is_number

WORDS = 9  # of a label
NEAR = 1.5  # of the amount's height, from the label down to it
FAR = 30.0  # of its height, from the label to an amount at the other end of a line

_MONEY = re.compile(r"[$€£¥₹]|\d[.,]\d\d\b")


def with_amounts(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts; a short heading right before a lone amount becomes text together with it."""
    found: list[Draft] = []
    for draft in drafts:
        if found and _is_amount(draft) and _labels(found[-1], draft):
            label = found.pop()
            draft = replace(draft, kind="text", level=None, rows=(*label.rows, *draft.rows))
        found.append(draft)
    return found


def _is_amount(draft: Draft) -> bool:
    is_row = draft.kind in ("text", "heading") and len(draft.rows) == 1 and not draft.label
    return is_row and is_number(draft.text) and _MONEY.search(draft.text) is not None


def _labels(label: Draft, amount: Draft) -> bool:
    """Whether a heading of one row is right before an amount, or above it."""
    if label.kind != "heading" or len(label.rows) > 1 or label.label:
        return False
    if len(label.text.split()) > WORDS or label.text[:1].isdigit():
        return False
    (x0, y0, x1, y1), (left, top, right, bottom) = label.box, amount.box
    high = bottom - top
    level = min(y1, bottom) - max(y0, top) > 0 and 0 <= left - x1 < FAR * high
    below = 0 <= top - y1 < NEAR * high and left < x1 and x0 < right
    return level or below
