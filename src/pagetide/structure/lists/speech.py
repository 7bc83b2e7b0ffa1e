"""What someone says, after a dash or a name: paragraphs, and no list and no headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pagetide.structure.draft import Draft
from pagetide.structure.headings.outline import STATED
from pagetide.structure.lists.entries import speeches
from pagetide.structure.rows import Row

_DASH = re.compile(r"\s*[–—]\s")
_SAID = re.compile(r"\s*[–—]\s+[\"'«“‘¿¡(]*[^\Wa-zß-öø-ÿ_]")
_STOPS = (".", "!", "?", "。", "！", "？")
_QUOTED = re.compile(r"[\"”»’]\s*$")


def returns(first: Row, row: Row) -> bool:
    """Whether a row starts left of another's mark, or level with it: no item's text does."""
    return row.box[0] < first.box[0] + first.height / 2


def spoken(parts: Sequence[Sequence[Row]]) -> set[int]:
    """The places of parts that start with a dash because someone speaks, or is named.

    The further rows of such a paragraph return to the margin, which shows it for the others,
    too. A dash right below a quotation precedes the speaker's name.
    """
    shown = {place for place, part in enumerate(parts) if _is_said(part) and len(part) > 1}
    alone = {place for place, part in enumerate(parts) if _is_said(part) and len(part) == 1}
    named = {
        place
        for place in range(1, len(parts))
        if _DASH.match(parts[place][0].text) and _is_quoted(parts[place - 1])
    }
    return (shown | alone if shown else set()) | named


def _is_said(part: Sequence[Row]) -> bool:
    """Whether a sentence starts after a dash, and no row hangs below it."""
    return (
        bool(_SAID.match(part[0].text))
        and not part[-1].text.rstrip().endswith(";")
        and all(returns(part[0], row) for row in part[1:])
    )


def _is_quoted(part: Sequence[Row]) -> bool:
    return not _DASH.match(part[0].text) and bool(_QUOTED.search(part[-1].text))


def with_speeches(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts; sentences after a speaker's name are no headings, unless in bold type."""
    running = [draft for draft in drafts if draft.kind in ("text", "list", "heading")]
    said = {id(running[place]) for place in speeches([draft.text for draft in running])}
    return [
        replace(draft, kind="text", level=None)
        if id(draft) in said and draft.kind == "heading" and _is_sentence(draft)
        else draft
        for draft in drafts
    ]


def _is_sentence(draft: Draft) -> bool:
    """Whether it ends like one, not in bold type, and the document names it no heading."""
    ends = draft.text.rstrip().endswith(_STOPS)
    return ends and draft.label != STATED and not draft.rows[0].bold
