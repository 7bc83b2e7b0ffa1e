"""Whether a block is a heading: a logistic model of named features.

The weights were fitted by `python -m bench.fitted_heads` on drawn and real pages; it prints the
gain over the earlier rules, cross-validated by document.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from pagetide.document import BlockKind
from pagetide.geometry import Box
from pagetide.structure.draft import Draft
from pagetide.structure.headings.features import Features, Sheet, features_of
from pagetide.structure.headings.outline import STATED
from pagetide.structure.headings.sisters import agreed, decided_together
from pagetide.structure.headings.weights import WEIGHTS
from pagetide.structure.pairs.row_ends import row_ends
from pagetide.structure.rows import has_word, is_bracketed

MOST_DRAFTS = 400  # a page with more is a map or an index, and features are quadratic
MOST_ROWS = 4
MOST_LETTERS = 250
HEADS: frozenset[BlockKind] = frozenset({"heading", "title"})
DECIDED: frozenset[BlockKind] = HEADS | {"text", "list"}
# To be a heading against the rules, to be none against them, and against a layout model too:
# these are right more often on real pages than on the drawn ones that most weights were fitted
# on.
LIKELY, UNLIKELY, LEAST = 0.5, 0.25, 0.05
NAMES = 2  # with raised marks: a title may have one note

_NAME = re.compile(r"[^\W\d_]{3}\s?$")  # longer than a symbol of an element or a unit


def decided(drafts: Sequence[Draft], seen: Sequence[BlockKind], page: Box) -> list[Draft]:
    """The drafts; short ones that are probably headings become headings, the others do not.

    Args:
        drafts: As named by rules.
        seen: The kind that the layout model, if any, gave each.
        page: The page's box.
    """
    if len(drafts) > MOST_DRAFTS:
        return list(drafts)
    sheet, ends = Sheet.of(drafts, page), row_ends(drafts)
    features = {
        place: features_of(draft, sheet, kind)
        for place, (draft, kind) in enumerate(zip(drafts, seen, strict=True))
        if is_open(draft) and place not in ends
    }
    found = [
        ruled(draft, features[place]) if place in features else draft
        for place, draft in enumerate(drafts)
    ]
    by_rules = {n: own for n, own in features.items() if drafts[n].kind in HEADS}
    likely = {n: likelihood(own) for n, own in features.items()}
    return decided_together(agreed(found, by_rules), features, likely)


def is_open(draft: Draft) -> bool:
    """Whether the model decides: for short text that the document itself does not name."""
    return (
        draft.kind in DECIDED
        and draft.label != STATED
        and draft.table is None
        and 0 < len(draft.rows) <= MOST_ROWS
        and len(draft.text) <= MOST_LETTERS
        and has_word(draft.text)
        and not is_bracketed(draft.text)
    )


def _has_authors(draft: Draft) -> bool:
    """Whether several of its words have raised marks, as authors' names do."""
    marked = (
        style
        for row in draft.rows
        for line in row.lines
        for style in line.styles
        if style.kind == "superscript" and _NAME.search(line.text, 0, style.start)
    )
    return sum(1 for _ in marked) >= NAMES


def likelihood(features: Features) -> float:
    """The probability, 0–1, that something is a heading."""
    total = sum(WEIGHTS.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-min(max(total, -40.0), 40.0)))


def ruled(draft: Draft, features: Features) -> Draft:
    """The draft: a heading if its features make that likely."""
    is_head = draft.kind in HEADS
    if draft.kind == "heading" and _has_authors(draft):
        return replace(draft, kind="text")
    if is_likely(features, ruled=is_head) == is_head:
        return draft
    is_text = is_head or _has_authors(draft)
    return replace(draft, kind="text" if is_text else "heading")


def is_likely(features: Features, *, ruled: bool) -> bool:
    """Whether something is a heading, given the rules' decision and its features."""
    doubt = LEAST if "modelled" in features else UNLIKELY
    return likelihood(features) > (doubt if ruled else LIKELY)
