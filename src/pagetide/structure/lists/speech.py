"""Dashes that start what someone says: paragraphs, and no items of a list."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pagetide.structure.rows import Row

_DASH = re.compile(r"\s*[–—]\s")
_SAID = re.compile(r"\s*[–—]\s+[\"'«“‘¿¡(]*[^\Wa-zß-öø-ÿ_]")
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
