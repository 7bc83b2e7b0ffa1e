"""Splits lines that tables take only in part, so that every line has one owner."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set

import msgspec

from pagetide.document import Line, Table, TextStyle
from pagetide.geometry import oriented, part_of, stretch_of
from pagetide.layout.words import spaced_words
from pagetide.structure.grids import renumbered
from pagetide.structure.tables import FoundTable

_PAGE = -1  # the owner of words in no table


def parted(
    lines: Sequence[Line], members: Sequence[int], tables: Sequence[FoundTable]
) -> tuple[list[Line], list[int], list[Table]]:
    """Lines that have one owner each.

    Args:
        lines: In page coordinates.
        members: The indexes into `lines` of those that the tables refer to.
        tables: No word is in two of them.

    Returns:
        The lines, where a cut line is its first part and the other parts are at the end; the
        members, with those parts at the end; and the tables, which refer to them.
    """
    found, places = list(lines), list(members)
    moved: dict[int, dict[int, int]] = defaultdict(dict)
    for place, parts in _cut([lines[index] for index in members], tables):
        for number, (owner, part) in enumerate(parts):
            if number == 0:
                found[places[place]] = part
                continue
            moved[owner][place] = len(places)
            places.append(len(found))
            found.append(part)
    return (
        found,
        places,
        [_counted(each.table, moved[owner]) for owner, each in enumerate(tables)],
    )


def _counted(table: Table, moved: dict[int, int]) -> Table:
    """The table, with the new indexes of moved line parts in its cells."""
    if not moved:
        return table
    owned = {index for cell in table.cells for index in cell.line_indexes}
    return renumbered(table, {index: moved.get(index, index) for index in owned})


def _cut(
    lines: Sequence[Line], tables: Sequence[FoundTable]
) -> Iterator[tuple[int, list[tuple[int, Line]]]]:
    """The indexes of lines with several owners, and each owner's words, in reading order."""
    owners: dict[int, dict[int, int]] = defaultdict(dict)
    for owner, table in enumerate(tables):
        for of_line in table.held:
            for piece in of_line:
                owners[piece.line][piece.place] = owner
    for index, owned in owners.items():
        own: dict[int, list[int]] = defaultdict(list)
        for place, word in enumerate(lines[index].words):
            if word.text.strip():
                own[owned.get(place, _PAGE)].append(place)
        if len(own) > 1:
            yield index, [(who, part(lines[index], each)) for who, each in own.items()]


def part(line: Line, places: Sequence[int]) -> Line:
    """Some words of a line, given by their indexes, as a line."""
    at = _kept(line, set(places))
    text = "".join(" " if index is None else line.text[index] for index in at)
    words = tuple(line.words[place] for place in places)
    points = tuple(point for word in words for point in word.polygon)
    whole = line.polygon if len(line.polygon) == 4 else oriented(line.polygon)
    return msgspec.structs.replace(
        line,
        text=text,
        polygon=part_of(whole, *stretch_of(whole, points)),
        words=words,
        styles=tuple(style for each in line.styles if (style := _moved(each, at))),
    )


def _kept(line: Line, places: Set[int]) -> list[int | None]:
    """Where each letter of the text of some words is in their line's; None for a space."""
    found: list[int | None] = []
    end, is_after_space = 0, False
    for place, (word, spaced) in enumerate(spaced_words(line)):
        start = max(line.text.find(word.text, end), end)
        end = start + len(word.text)
        if place in places:
            found += [None] * (is_after_space and bool(found)) + list(range(start, end))
            is_after_space = False
        is_after_space |= spaced
    return found


def _moved(style: TextStyle, at: Sequence[int | None]) -> TextStyle | None:
    """A line's style where its letters are in a part of the line's text; None if none are."""
    own = [n for n, i in enumerate(at) if i is not None and style.start <= i < style.end]
    return msgspec.structs.replace(style, start=own[0], end=own[-1] + 1) if own else None
