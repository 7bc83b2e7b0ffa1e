"""Blocks alike in form are all headings or none, by what most are or are likely to be."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pagetide.document import BlockKind
from pagetide.structure.draft import Draft
from pagetide.structure.headings.features import Features
from pagetide.structure.headings.levels import SAME_SIZE

LEAST = 4  # that are alike: fewer may be so by chance
# How it is set, how it begins and ends, and how it stands over what is below.
FORM = (
    "bold",
    "italic",
    "capitals",
    "two_rows",
    "more_rows",
    "begins_small",
    "ends_colon",
    "ends_sentence",
    "over_level",
    "over_centred",
)
# How bold blocks are set, of however many rows, and what they stand over.
BOLD_FORM = (
    "italic",
    "capitals",
    "begins_small",
    "ends_colon",
    "over_level",
    "over_centred",
    "below_text",
    "below_list",
    "below_table",
    "below_heading",
    "below_none",
)


def agreed(drafts: Sequence[Draft], features: Mapping[int, Features]) -> list[Draft]:
    """The drafts; of those alike, all are headings if half of them or more are.

    Args:
        drafts: As decided one by one.
        features: Of those that the rules name headings, by place.
    """
    found = list(drafts)
    for places in _alike(drafts, features, FORM):
        others = [place for place in places if drafts[place].kind == "text"]
        if len(places) < LEAST or not others:
            continue
        are_heads = 2 * len(others) <= len(places)
        for place in others if are_heads else places:
            found[place] = replace(drafts[place], kind="heading" if are_heads else "text")
    return found


def decided_together(
    drafts: Sequence[Draft], features: Mapping[int, Features], likely: Mapping[int, float]
) -> list[Draft]:
    """The drafts; bold ones alike in form are all headings if that is likely on the whole.

    Args:
        drafts: As decided one by one.
        features: Of those that are open to a decision, by place.
        likely: How likely it is that each of these is a heading: above 0, below 1.
    """
    found = list(drafts)
    bold = {
        place: own
        for place, own in features.items()
        if own["bold"] == 1 and drafts[place].kind in ("text", "heading")
    }
    for places in _alike(drafts, bold, BOLD_FORM):
        if len(places) >= LEAST and len({drafts[place].kind for place in places}) > 1:
            odds = sum(math.log(likely[place] / (1 - likely[place])) for place in places)
            kind: BlockKind = "heading" if odds > 0 else "text"
            for place in places:
                found[place] = replace(drafts[place], kind=kind)
    return found


def _alike(
    drafts: Sequence[Draft], features: Mapping[int, Features], form: Sequence[str]
) -> Iterator[list[int]]:
    """The places of drafts in one form, and of one size but for what accents add."""
    of_form: dict[tuple[float, ...], list[int]] = defaultdict(list)
    for place, own in features.items():
        of_form[tuple(own.get(name, 0.0) for name in form)].append(place)
    for places in of_form.values():
        group: list[int] = []
        for place in sorted(places, key=lambda place: drafts[place].size):
            if group and drafts[place].size >= SAME_SIZE * drafts[group[0]].size:
                yield group
                group = []
            group.append(place)
        yield group
