"""Running numbers of a table's rows, although they are as close as words to what follows."""

from __future__ import annotations

from collections.abc import Sequence

from pagetide.structure.tables.pieces import Piece, has_figures

LEAST = 3  # rows numbered one after another
LEVEL = 0.2  # of a word's height: edges at one position
NEXT = 6.0  # line heights from one numbered row to the next, at most


def with_numbers_apart(words: Sequence[Sequence[Piece]]) -> Sequence[Sequence[Piece]]:
    """Each line's words, with `apart` those that follow the running numbers of rows.

    Numbers run by one from row to row, end or start at one position, and are followed by codes
    or figures that all start at another: `1 2104 8813`, `2 2104 8819`. Text after numbers may
    be a list's.

    Args:
        words: Of each line, in the text's order.
    """
    numbered = sorted(
        ((own[0].middle, line) for line, own in enumerate(words) if _may_be_numbered(own)),
    )
    found: list[Sequence[Piece]] = list(words)
    run: list[int] = []
    for _, line in numbered:
        if run and not _follow(words[run[-1]], words[line]):
            _part(found, run)
            run = []
        run.append(line)
    _part(found, run)
    return found


def _may_be_numbered(words: Sequence[Piece]) -> bool:
    return len(words) > 1 and words[0].text.isdecimal() and has_figures(words[1].text)


def _follow(above: Sequence[Piece], below: Sequence[Piece]) -> bool:
    """Whether a row has the next number, in the same column, and its text in another."""
    (one, first), (other, second) = above[:2], below[:2]
    height = one.y1 - one.y0
    near = LEVEL * height
    is_level = abs(first.x0 - second.x0) < near
    in_column = min(abs(one.x0 - other.x0), abs(one.x1 - other.x1)) < near
    is_next = int(other.text) == int(one.text) + 1 and other.y0 - one.y1 < NEXT * height
    return is_next and in_column and is_level


def _part(words: list[Sequence[Piece]], run: Sequence[int]) -> None:
    """Mark the words after a run's numbers, if it is long enough."""
    for line in run if len(run) >= LEAST else ():
        number, first, *others = words[line]
        words[line] = [number, first._replace(apart=True), *others]
