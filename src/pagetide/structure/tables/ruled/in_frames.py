"""Tables in frames of rules."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.geometry import Box, area
from pagetide.structure.tables.baseline import is_value
from pagetide.structure.tables.between.names import is_rule
from pagetide.structure.tables.between.stacks import begins_with_head, stacked
from pagetide.structure.tables.ends.headed import below_rule, between_rows, footed, headed
from pagetide.structure.tables.found import FoundTable, shares, words_in
from pagetide.structure.tables.judge import density, is_form, is_table
from pagetide.structure.tables.line_words import Words, inside_of
from pagetide.structure.tables.pieces import baselines
from pagetide.structure.tables.ruled.bars import are_bars
from pagetide.structure.tables.ruled.block_boxes import block_boxes
from pagetide.structure.tables.ruled.frames import (
    SHADES,
    Frame,
    Stroke,
    clipped,
    is_lattice,
    is_plain,
    shade_pitch,
)
from pagetide.structure.tables.ruled.notches import without_notch
from pagetide.structure.tables.ruled.side_by_side import side_by_side
from pagetide.structure.tables.ruled.titles import below_title
from pagetide.structure.tables.ruled.widened import has_names_left, widened, with_names
from pagetide.structure.tables.sheet import Sheet
from pagetide.structure.tables.unruled.columns_of_text import (
    are_pairs,
    are_prose,
    below_caption,
)
from pagetide.structure.tables.unruled.parted import parted

EDGES = 0.7  # of the page: a frame this large, without rules inside, is its edges
HEADS = 2  # between two rules, below which a table continues without one
RULES = 3  # horizontal: of a table with a header
OF_HEAD = 0.4  # of a frame's height: vertical rules that end higher part only its headers
AS_DENSE = 0.75  # of the inner tables' density: an outer table this dense is kept


def with_ruled(sheet: Sheet, found: list[FoundTable]) -> list[FoundTable]:
    """Adds tables in frames of rules; of nested frames, the ones that are tables."""
    candidates = []
    left = sheet.left(found)
    whole = stacked(sheet.frames, sheet.words, sheet.line, sheet.charts)
    named = [with_names(frame, left, sheet.line, sheet.frames) for frame in whole]
    if named != whole:  # below headers, or a header's rule, that are as wide
        whole = stacked(
            [*named, *_lone_rules(sheet, named)], sheet.words, sheet.line, sheet.charts
        )
    beside = (part for each in whole for part in side_by_side(each, sheet.ordered, sheet.line))
    parts = [part for each in beside for part in parted(each, sheet.words, sheet.line)]
    for frame in parts:
        frame = below_title(frame, sheet.words, sheet.line)
        is_large = area(frame.box) > EDGES * sheet.size
        if sheet.size and is_large and len(frame.across) < RULES:
            continue  # the sheet's own edges, on a photograph
        if are_bars(frame, sheet.fills, sheet.words, sheet.line):
            continue
        each = framed_table(sheet, frame, left, beside=parts)
        if each and not shares(each.box, found):
            candidates.append((each, frame))
    candidates.sort(key=lambda each: -area(each[0].box))
    kept: list[FoundTable] = []
    for place, (each, frame) in enumerate(candidates):
        if shares(each.box, kept):
            continue
        smaller = [o for o, _ in candidates[place + 1 :] if shares(o.box, [each])]
        best = max((density(o.table) for o in smaller), default=0.0)
        plain = is_plain(frame, sheet.line)
        if not smaller or (not plain and density(each.table) >= AS_DENSE * best):
            if not words_in([each]).isdisjoint(words_in(kept)):
                each = framed_table(sheet, frame, sheet.left([*found, *kept]), beside=parts)
            kept += [each] if each else []
    return [*found, *kept]


def _lone_rules(sheet: Sheet, frames: Sequence[Frame]) -> list[Frame]:
    """The single rules that are in none of the frames."""
    held = {rule for frame in frames for rule in frame.across}
    singles = (frame for frame in sheet.frames if is_rule(frame, sheet.line))
    return [frame for frame in singles if held.isdisjoint(frame.across)]


def framed_table(
    sheet: Sheet, frame: Frame, words: Words, beside: Sequence[Frame] = ()
) -> FoundTable | None:
    """The table in a frame, if it is one.

    Args:
        sheet: The page.
        frame: Rules around it.
        words: Those that no other table has.
        beside: The page's frames.
    """
    if _is_head_alone(frame, words, sheet.line) or block_boxes(frame, words, sheet.line):
        return None
    words = without_notch(frame, words, sheet.line)
    pitch, is_ruled = shade_pitch(frame), len(frame.down) > 2
    lowest = (1 - OF_HEAD) * frame.box[1] + OF_HEAD * frame.box[3]
    is_open = sum(s.thickness > 0 and s.end > lowest for s in frame.down) <= 2
    box, across = _within_rules(frame, sheet.line), list(frame.across)
    if not frame.down:
        box = widened(box, words, sheet.line, sheet.frames)
    if pitch or not begins_with_head(frame, sheet.ordered, sheet.line):
        whole = _with_heads(sheet, frame, box, words)
        is_below = has_names_left(frame, sheet.line) and _is_below(beside, box, whole)
        box = box if is_below else whole
    if pitch or (is_open and _has_rows(frame, words, sheet.line, beside)):
        box = footed(box, words, sheet.line, sheet.across)
    if pitch:
        above = (*box[:3], frame.box[1])
        places = between_rows(above, words, sheet.line)
        across = [*(Stroke(at, box[0], box[2], 0.0) for at in places), *across]
    else:  # rules under headers that are above the frame
        heads = clipped(sheet.across, (box[1], frame.box[1]), (box[0], box[2]))
        across = [*(rule for rule in heads if rule not in across), *across]
    if (below := below_caption(box, words, sheet.line)) != box:
        box, across = below, [rule for rule in across if rule.at > below[1]]
    found = sheet.built(box, across, frame.down, words)
    if found and is_lattice(frame) and is_form(found.table):
        return found
    if found is None or not is_table(found.table, ruled=is_ruled):
        return None
    if not is_ruled and are_pairs(found.table):
        return None
    is_closed = is_ruled and len(frame.across) > 2
    return None if not is_closed and are_prose(found.table, found.held) else found


def _with_heads(sheet: Sheet, frame: Frame, box: Box, words: Words) -> Box:
    """A frame's box with the headers above it: above a lattice, only those without figures."""
    within = below_rule(box, words, sheet.line, sheet.across)
    whole = headed(box, within, sheet.line, sheet.across)
    added = inside_of((*whole[:3], box[1]), within, sheet.line)
    texts = [chunk.text for own in added for chunk in own.phrases]
    valued = any(is_value(text) for text in texts)
    return box if valued and is_lattice(frame) else whole


def _is_below(frames: Sequence[Frame], box: Box, whole: Box) -> bool:
    """Whether one of the frames, as wide as a box, is among the headers above it."""
    return any(
        x1 - x0 >= box[2] - box[0] and whole[1] < bottom <= box[1]
        for x0, _, x1, bottom in (frame.box for frame in frames)
    )


def _is_head_alone(frame: Frame, words: Words, line: float) -> bool:
    """Whether a frame is one shade behind one row: the rows below this header are outside."""
    is_shade = len(frame.across) == SHADES and not any(s.thickness for s in frame.across)
    return (
        is_shade
        and len(baselines(w for own in inside_of(frame.box, words, line) for w in own)) == 1
    )


def _has_one_beside(frame: Frame, others: Sequence[Frame]) -> bool:
    """Whether a frame has another beside it, as high: headers of tables side by side."""
    x0, y0, x1, y1 = frame.box
    beside = (each.box for each in others if each.box[2] < x0 or x1 < each.box[0])
    return any(abs(top - y0) < 2 and abs(bottom - y1) < 2 for _, top, _, bottom in beside)


def _has_rows(frame: Frame, words: Words, line: float, beside: Sequence[Frame]) -> bool:
    """Whether a frame surrounds rows, or headers beside others as high."""
    inside = inside_of(frame.box, words, line)
    rows = baselines(chunk for of_line in inside for chunk in of_line.phrases)
    if len(rows) == 1:
        return len(rows[0]) >= HEADS and _has_one_beside(frame, beside)
    return bool(rows)


def _within_rules(frame: Frame, line: float) -> Box:
    """A frame's box, not enlarged by vertical rules protruding less than a line height.

    In an image they run into letters above and below.
    """
    x0, y0, x1, y1 = frame.box
    if frame.across:
        top, bottom = frame.across[0].at, frame.across[-1].at
        y0 = top if top - y0 < line else y0
        y1 = bottom if y1 - bottom < line else y1
    return (x0, y0, x1, y1)
