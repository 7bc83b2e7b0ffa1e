"""Lists from any source of rows: where items start, and items joined together."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pagetide.structure.draft import Draft
from pagetide.structure.headings.outline import STATED
from pagetide.structure.margins.edges import is_dashed_number
from pagetide.structure.paragraphs import ENDS, LOOSE_PITCH, STARTS
from pagetide.structure.rows import Row, is_mark

SET_IN, HANGING = 0.8, 3.0  # line heights: indentation of an item's further rows
NEXT_ITEM = 2.0  # line heights between the middles of two items; headings have more space
FAR_ITEM = 3.0  # the same if one of the two is known to be an item
SHORT = 0.75  # of its column's width: with space left for the next word

Start = tuple[int, re.Match[str]]
"""The index of a row that starts like an item, and its start."""

_PAST = 12  # how many items may be nested below one, before the next that counts up
_EAST = "一二三四五六七八九十"
_ARABIC = "أبجدهوزحطي"
_RINGED = "\u2460-\u249b"  # in a circle, in brackets or with a full stop: one letter
_ITEM = re.compile(
    rf"\s*(?P<open>[(（]?)(?P<mark>\d{{1,2}}|[a-zA-Z]|[ivx]{{2,4}}|[IVX]{{2,4}}"
    rf"|[{_EAST}]|[{_ARABIC}]|[{_RINGED}])"
    rf"(?:(?P<close>[.)])(?:\s|$)|(?P<wide>[）、．])|(?<=\([^)])(?P<tight>\))|(?<=[{_RINGED}]))"
)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_CAPITAL = tuple(map(str.upper, _ROMAN))


def starts_item(row: Row) -> bool:
    """Whether a list item starts with the row."""
    if row.bulleted:
        return not is_dashed_number(row.text)
    return len(row.lines) > 1 and is_mark(row.lines[0].text)


def is_numbered(text: str) -> bool:
    """Whether a text starts like a numbered or lettered item."""
    return bool(_ITEM.match(text))


def hangs(part: Sequence[Row]) -> bool:
    """Whether a part is a list item: a number, and all other rows indented below its text."""
    if len(part) < 2 or not is_numbered(part[0].text):
        return False
    return all(row.box[0] > part[0].box[0] + row.height / 2 for row in part[1:])


def goes_on(first: Row, rows: Sequence[Row]) -> bool:
    """Whether rows belong to an item: its first row with others, or rows indented below it.

    A bullet may be of larger type than the text.
    """
    height = min(first.height, rows[0].height) if first.bulleted else first.height
    set_in = SET_IN * height, HANGING * first.height
    return rows[0] is first or all(
        set_in[0] < row.box[0] - first.box[0] < set_in[1] for row in rows
    )


def items(rows: list[Row]) -> list[tuple[list[Row], bool]]:
    """The rows split before each item of a list whose items count up.

    Returns:
        Rows, and whether they start with an item.
    """
    matches = [_ITEM.match(row.text) for row in rows]
    starts = [
        (place, match)
        for place, match in enumerate(matches)
        if match and (_counts_on(matches, place) or not _heads(rows, place))
    ]
    pairs = list(_counting(starts, rows))
    cuts = {place for pair in pairs for place in pair}
    cuts |= {n for n, match in starts if not _is_initial(match) and _hangs_at(rows, n)}
    edges = sorted({0, *cuts, *_ends(rows, pairs, cuts), len(rows)})
    return [(rows[start:end], start in cuts) for start, end in itertools.pairwise(edges)]


def _ends(rows: Sequence[Row], pairs: Iterable[tuple[int, int]], edges: set[int]) -> set[int]:
    """Where items end: before rows farther below than the item was below the one before.

    The last item also ends before a row below its number, after a sentence's short row.
    """
    steps = [below.middle - above.middle for above, below in itertools.pairwise(rows)]
    right = max((row.box[2] for row in rows), default=0.0)
    found = set[int]()
    for earlier, place in pairs:
        far = LOOSE_PITCH * max(steps[earlier:place])
        end = min((edge for edge in edges if edge > place), default=len(rows))
        last = end == len(rows)
        ends = (
            at + 1
            for at in range(place, end - 1)
            if steps[at] > far
            or (last and _is_past(rows[place], rows[at], rows[at + 1], right))
        )
        found |= set(itertools.islice(ends, 1))
    return found


def _is_past(item: Row, above: Row, row: Row, right: float) -> bool:
    """Whether a paragraph starts below an item's number, where its last row had room."""
    room = right - above.box[2]
    return (
        abs(row.box[0] - item.box[0]) < row.height / 2
        and room > row.first_word + row.height + (right - item.box[0]) / 4
        and bool(ENDS.search(above.text) and STARTS.match(row.text))
    )


def _counts_on(matches: Sequence[re.Match[str] | None], place: int) -> bool:
    """Whether the row right above has the previous number: headings have text between them."""
    above, match = matches[place - 1] if place else None, matches[place]
    if not above or not match or not _is_alike(above, match):
        return False
    return _follows(above["mark"], match["mark"])


def joined_lists(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts, with consecutive list items joined.

    A lone start with an asterisk is a note.
    """
    found: list[Draft] = []
    for kind, run in itertools.groupby(drafts, key=lambda draft: draft.kind):
        same = list(run)
        if kind == "list" and len(same) == 1 and same[0].text.lstrip().startswith("* "):
            same = [replace(same[0], kind="text")]
        elif kind == "list":
            same = [replace(same[0], rows=tuple(row for each in same for row in each.rows))]
        found += same
    return found


def with_counted(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts; what follows an item and counts up from it becomes a list.

    That is a list, or an apparent heading after another; or text above or below a list.
    """
    found: list[Draft] = []
    for draft in drafts:
        last = found[-1] if found else None
        if last is not None and (_goes_on_counting(last, draft) or _is_next(last, draft)):
            found[-1] = replace(last, kind="list", rows=(*last.rows, *draft.rows))
        else:
            found.append(draft)
    return found


def _goes_on_counting(last: Draft, draft: Draft) -> bool:
    """Whether a heading has the number after that of a heading, or item, right above it."""
    if last.kind not in ("heading", "list") or draft.kind != "heading" or draft.label == STATED:
        return False
    above, row = last.rows[-1], draft.rows[0]
    before, match = _ITEM.match(above.text), _ITEM.match(row.text)
    return (
        bool(before and match and _is_alike(before, match))
        and _follows(before["mark"] if before else "", match["mark"] if match else "")
        and last.label != STATED
        and abs(above.box[0] - row.box[0]) < row.height
        and 0 <= row.middle - above.middle < NEXT_ITEM * row.height
        and not row.bold
    )


def _is_next(last: Draft, draft: Draft) -> bool:
    """Whether a draft right below a list has its next number, or a list that of a text's."""
    if {last.kind, draft.kind} not in ({"list"}, {"list", "text"}):
        return False
    first, above = draft.rows[0], last.rows[-1]
    if (
        not 0 < first.middle - above.middle < FAR_ITEM * first.height
        or first.bold != above.bold
    ):
        return False
    starts = last.rows[::-1] if last.kind == "list" else last.rows[:1]
    level = (row for row in starts if abs(row.box[0] - first.box[0]) < first.height / 2)
    before, match = _ITEM.match(next(level, above).text), _ITEM.match(first.text)
    if not before or not match or not _is_alike(before, match):
        return False
    return _follows(before["mark"], match["mark"])


def _counting(starts: Sequence[Start], rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
    """The places of items of which one counts up from the other, skipping nested ones."""
    for at, (place, match) in enumerate(starts):
        for earlier, before in reversed(starts[max(0, at - _PAST) : at]):
            near = abs(rows[earlier].box[0] - rows[place].box[0]) < rows[earlier].height
            if near and _is_alike(before, match):
                if _follows(before["mark"], match["mark"]):
                    yield earlier, place
                break


def _hangs_at(rows: list[Row], place: int) -> bool:
    """Whether an item starts at a place though none follows: its next row is indented."""
    following = rows[place + 1 : place + 2]
    step = rows[place].height / 2
    return bool(following) and step < following[0].box[0] - rows[place].box[0] < 4 * step


def _is_initial(match: re.Match[str]) -> bool:
    """Whether the start of a row may be a name's, and no list's: `J. R. Hartley`."""
    mark = match["mark"]
    return match["close"] == "." and mark.isupper() and len(mark) == 1 and mark not in "AI"


def _heads(rows: list[Row], place: int) -> bool:
    """Whether a numbered row is a heading: though it is short, the text starts below it."""
    row, following = rows[place], rows[place + 1 : place + 2]
    if row.bold and not all(each.bold for each in rows):
        return True
    if not following or is_numbered(following[0].text) or following[0].bulleted:
        return False
    right = max(each.box[2] for each in rows)
    left = min(each.box[0] for each in rows)
    is_flush = abs(following[0].box[0] - row.box[0]) < row.height / 2
    return is_flush and row.box[2] - left < SHORT * (right - left)


def _is_alike(one: re.Match[str], two: re.Match[str]) -> bool:
    same = all(bool(one[part]) == bool(two[part]) for part in ("open", "wide"))
    return same and one["mark"].isdecimal() == two["mark"].isdecimal()


def _follows(one: str, two: str) -> bool:
    if one.isdecimal() and two.isdecimal():
        return int(two) == int(one) + 1
    for known in (_ROMAN, _CAPITAL, _EAST, _ARABIC):
        if one in known and two in known and known.index(two) == known.index(one) + 1:
            return True
    return len(one) == len(two) == 1 and ord(two) == ord(one) + 1
