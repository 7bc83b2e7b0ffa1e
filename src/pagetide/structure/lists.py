"""Lists, wherever their rows come from: where an item begins, and items put together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from pagetide.structure.draft import Draft
from pagetide.structure.paragraphs import Row, is_mark


def starts_item(row: Row) -> bool:
    """Whether a list's item begins with the row."""
    return row.bulleted or (len(row.lines) > 1 and is_mark(row.lines[0].text))


def joined_lists(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts, those of list items that follow each other as one."""
    found: list[Draft] = []
    for kind, run in itertools.groupby(drafts, key=lambda draft: draft.kind):
        same = list(run)
        if kind == "list":
            same = [replace(same[0], rows=tuple(row for each in same for row in each.rows))]
        found += same
    return found
