"""Lists whose bullets were not read: text indented from its column's edge."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from pagetide.geometry import Box, union
from pagetide.structure.areas.kinds import Page
from pagetide.structure.areas.rows import EDGE
from pagetide.structure.draft import Draft
from pagetide.structure.rows import Row

INSET = 0.6  # typical line heights from a column's edge to a list's, at least
MOST_INSET = 5.0
APART = 2.0  # typical line heights between two items, at most
WIDE = 0.8  # of its column's width: a row that shows where the column's edges are
WIDE_ROWS = 3


def homes(columns: Sequence[Sequence[Row]], page: Page) -> list[Box]:
    """The boxes around rows that fill their columns; columns with equal edges are merged.

    A column that few rows fill is ignored: a few short rows may be anywhere.
    """
    found: list[tuple[Box, int]] = []
    for rows in columns:
        left, right = min(row.box[0] for row in rows), max(row.box[2] for row in rows)
        wide = [row.box for row in rows if row.box[2] - row.box[0] >= WIDE * (right - left)]
        if not wide:
            continue
        box, count = union(wide), len(wide)
        same = [each for each in found if _shares_edges(each[0], box, page)]
        found = [each for each in found if each not in same]
        found.append((union([box, *(b for b, _ in same)]), count + sum(n for _, n in same)))
    return [box for box, count in found if count >= WIDE_ROWS]


def _shares_edges(a: Box, b: Box, page: Page) -> bool:
    return abs(a[0] - b[0]) < INSET * page.line / 2 and abs(a[2] - b[2]) < EDGE * page.line


def with_lists(drafts: Sequence[Draft], edges: Sequence[Box], page: Page) -> list[Draft]:
    """The drafts, with a list's consecutive items joined into one.

    Text is an item if it is indented from its column's left edge and so is the text right above
    or below it, or that is a list. Text indented from both edges is a quotation, or centred.

    Args:
        drafts: Text, lists and headings.
        edges: The page's `homes`.
        page: What is usual on the page.
    """
    ordered = sorted(drafts, key=lambda draft: draft.box[1])
    inset = [draft.kind == "text" and _is_inset(draft.box, edges, page) for draft in ordered]
    follows = {
        b: a
        for a, b in ((a, _below(ordered, a, page)) for a in range(len(ordered)))
        if b is not None
    }
    lists = {place for place, draft in enumerate(ordered) if draft.kind == "list"}
    for b, a in sorted(follows.items()):
        both = inset[a] and inset[b]
        near = _stand_alike(ordered[a], ordered[b], INSET * page.line)
        if both and near:
            lists |= {a, b}
    for b, a in [*sorted(follows.items()), *sorted(follows.items(), reverse=True)]:
        for item, text in ((a, b), (b, a)):
            starts = ordered[text].box[0] - ordered[item].box[0]
            if item in lists and inset[text] and starts > -INSET * page.line / 2:
                lists.add(text)
    lists |= _between(ordered, lists, follows, page)
    return _joined(ordered, lists, follows, page)


def _between(
    ordered: Sequence[Draft], lists: set[int], follows: dict[int, int], page: Page
) -> set[int]:
    """Text between two lists that is left-aligned with them, however short it is."""
    under = {above: place for place, above in follows.items()}
    return {
        place
        for place, above in follows.items()
        if {above, under.get(place)} <= lists
        and _stand_alike(ordered[above], ordered[place], INSET * page.line)
    }


def _is_inset(box: Box, edges: Sequence[Box], page: Page) -> bool:
    near, step = EDGE * page.line, INSET * page.line
    for each in edges:
        before, after = box[0] - each[0], each[2] - box[2]
        same = -near < after and box[2] > each[0] and box[0] < each[2]
        if same and step < before < MOST_INSET * page.line and after < before - step / 2:
            return True
    return False


def _below(ordered: Sequence[Draft], place: int, page: Page) -> int | None:
    """The text or list right below a draft, if there is one."""
    upper = ordered[place].box
    if ordered[place].kind not in ("text", "list"):
        return None
    for number in range(place + 1, len(ordered)):
        lower = ordered[number].box
        if lower[1] - upper[3] > APART * page.line:
            return None
        beside = lower[0] >= upper[2] or lower[2] <= upper[0]
        if not beside and lower[1] > (upper[1] + upper[3]) / 2:
            return number if ordered[number].kind in ("text", "list") else None
    return None


def _stand_alike(a: Draft, b: Draft, most: float) -> bool:
    return abs(a.box[0] - b.box[0]) < most


def _joined(
    ordered: Sequence[Draft], lists: set[int], follows: dict[int, int], page: Page
) -> list[Draft]:
    """The drafts, each run of consecutive lists as one draft."""
    first: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    for place in range(len(ordered)):
        above = follows.get(place)
        runs_on = (
            above is not None
            and {above, place} <= lists
            and _stand_alike(ordered[above], ordered[place], MOST_INSET * page.line)
            and (ordered[place].text[:1].isdigit() <= ordered[above].text[:1].isdigit())
        )
        first[place] = first[above] if runs_on and above is not None else place
        members.setdefault(first[place], []).append(place)
    found = []
    for start, run in members.items():
        rows = tuple(itertools.chain(*(ordered[place].rows for place in run)))
        kind = "list" if start in lists else ordered[start].kind
        found.append(replace(ordered[start], kind=kind, rows=rows))
    return found
