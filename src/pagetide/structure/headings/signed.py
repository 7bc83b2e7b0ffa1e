"""Signatures, and names at the rules to sign on: these look like headings and head nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from pagetide.geometry import Box
from pagetide.structure.draft import Draft
from pagetide.structure.headings.outline import STATED
from pagetide.structure.margins.edges import MARGINAL
from pagetide.structure.tables.ruled.frames import Stroke

MOST = 1000  # blocks of a page: those near a rule are looked for among all
SHORT = 0.55  # of the page's width: a rule to sign on; longer ones part sections
ROWS = 3  # of what is below a signer's name: who that is, and where
SMALLER = 1.15  # how much smaller than a signature the words below its rule are
# In heights of a row.
ROOM = 1.5  # above a rule, to sign in
NEAR = 1.0  # from a rule to what is right above or below it
AFTER = 6.0  # from a letter's last line to its signature


def with_signatures(drafts: Sequence[Draft], rules: Sequence[Stroke], page: Box) -> list[Draft]:
    """The drafts; signatures and the names of those who sign become text.

    Args:
        drafts: In reading order, with their kinds.
        rules: Those across the page that touch no other.
        page: Its box.
    """
    own = [draft for draft in drafts if draft.kind not in MARGINAL]
    heads = {id(d): d for d in own if _may_sign(d)}
    if not heads or len(own) > MOST:
        return list(drafts)
    short = [rule for rule in rules if rule.end - rule.start < SHORT * (page[2] - page[0])]
    signing = {n for n, d in heads.items() if any(_is_at(d, rule, own) for rule in short)}
    pairs = list(pairwise(own))
    signing |= {id(d) for above, d in pairs if id(d) in heads and _ends_letter(above, d)}
    signing |= {id(d) for d, below in pairs if id(d) in heads and _is_repeated(d, below)}
    return [replace(d, kind="text", level=None) if id(d) in signing else d for d in drafts]


def _may_sign(draft: Draft) -> bool:
    return draft.kind == "heading" and draft.label != STATED and 0 < len(draft.rows) <= 2


def _is_at(draft: Draft, rule: Stroke, own: Sequence[Draft]) -> bool:
    """Whether it is right below or above a rule to sign on, and no longer than that."""
    near = draft.line_height
    if draft.box[0] < rule.start - near or draft.box[2] > rule.end + near:
        return False
    others = [
        each
        for each in own
        if each is not draft and each.box[0] < rule.end and rule.start < each.box[2]
    ]
    if -near / 4 < draft.box[1] - rule.at < NEAR * near:
        return _is_free(rule, others, near) and not _has_prose(draft, rule, others)
    on_it = -near / 4 < rule.at - draft.box[3] < NEAR * near / 2
    return on_it and not draft.rows[0].bold and _is_explained(draft, rule, others)


def _is_free(rule: Stroke, others: Sequence[Draft], height: float) -> bool:
    """Whether nothing is right above a rule."""
    top = rule.at - ROOM * height
    return not any(each.box[1] < rule.at and top < each.box[3] for each in others)


def _has_prose(draft: Draft, rule: Stroke, others: Sequence[Draft]) -> bool:
    """Whether what is right below a name is more than a few rows, or wider than its rule."""
    near, foot = draft.line_height, draft.box[3]
    below = sorted(
        (each for each in others if each.box[1] > foot - near / 2), key=lambda d: d.box[1]
    )
    count = 0
    for each in below:
        if each.box[1] - foot > NEAR * near:
            break
        is_wider = each.box[2] > rule.end + near or each.box[0] < rule.start - near
        count += len(each.rows)
        if is_wider or count > ROWS or each.kind in ("table", "figure"):
            return True
        foot = each.box[3]
    return False


def _is_explained(draft: Draft, rule: Stroke, others: Sequence[Draft]) -> bool:
    """Whether one row in smaller type is right below a rule, such as `Signature`."""
    near = draft.line_height
    return any(
        -near / 4 < each.box[1] - rule.at < NEAR * near / 2
        and len(each.rows) == 1
        and rule.start - near / 2 < each.box[0]
        and each.box[2] < rule.end + near / 2
        and SMALLER * each.size < draft.size
        for each in others
    )


def _ends_letter(above: Draft, draft: Draft) -> bool:
    """Whether it is in larger type below a line that ends with a comma, as in a letter."""
    room, near = draft.box[1] - above.box[3], draft.line_height
    return (
        above.kind == "text"
        and above.text.rstrip().endswith((",", "，"))
        and draft.size > above.size
        and not draft.rows[0].bold
        and 0 < room < AFTER * near
        and abs(above.box[0] - draft.box[0]) < near
    )


def _is_repeated(draft: Draft, below: Draft) -> bool:
    """Whether the first row below it, in smaller type, is the same name."""
    if below.kind != "text" or not below.rows or draft.rows[0].bold:
        return False
    return draft.text.strip() == below.rows[0].text.strip() and below.size < draft.size
