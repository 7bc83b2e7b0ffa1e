"""The similarity of two tables, as trees of rows and cells: TEDS, our own implementation.

Adding or leaving out a node of a row or a cell costs 1; replacing a cell by another costs 1
if its spans differ, otherwise Levenshtein's distance of the texts over the longer one's length.
TEDS is 1 minus the costs divided by the nodes of the larger table.

Sources: the measure, https://arxiv.org/abs/1911.10683; the distance of trees, Zhang and Shasha,
SIAM Journal on Computing 18 (1989) 1245; bits for strings, Myers, JACM 46 (1999) 395.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from bench.teds import Pair, Teds, rows_of

_Cell = tuple[str, int, int]  # text, row span, column span


def measured(pairs: Sequence[Pair]) -> list[Teds]:
    """The TEDS of pairs of tables in HTML: with text, and of the structure alone."""
    return [(teds(*pair), teds(*pair, text=False)) for pair in pairs]


def teds(found: str, truth: str, *, text: bool = True) -> float:
    """The similarity of a table to the true one, 0–1; both as HTML of rows and cells."""
    if found == truth:
        return 1.0
    a, b = _tree(found, text=text), _tree(truth, text=text)
    most = max(len(a.nodes), len(b.nodes)) - 1
    return 1 - _distance(a, b) / most if most else 1.0


@dataclass(frozen=True)
class _Tree:
    """Nodes, children before parents.

    Attributes:
        nodes: A cell, or None for a row or the table.
        kinds: Of each node: 0 a cell, 1 a row, 2 the table.
        first: For each node, the place of its leftmost leaf.
    """

    nodes: tuple[_Cell | None, ...]
    kinds: tuple[int, ...]
    first: tuple[int, ...]

    @property
    def roots(self) -> list[int]:
        """The last node of each leftmost one."""
        return sorted({leaf: place for place, leaf in enumerate(self.first)}.values())


def _tree(html: str, *, text: bool) -> _Tree:
    nodes: list[_Cell | None] = []
    kinds, first = [], []
    for row in rows_of(html):
        start = len(nodes)
        for said, rows, columns in row:
            first.append(len(nodes))
            nodes.append((said if text else "", rows, columns))
            kinds.append(0)
        first.append(start)
        nodes.append(None)
        kinds.append(1)
    return _Tree((*nodes, None), (*kinds, 2), (*first, 0))


def _distance(a: _Tree, b: _Tree) -> float:
    known = [[0.0] * len(b.nodes) for _ in a.nodes]
    for i in a.roots:
        for j in b.roots:
            _between(a, b, i, j, known)
    return known[-1][-1]


def _between(a: _Tree, b: _Tree, i: int, j: int, known: list[list[float]]) -> None:
    """Fill in the distances of the trees below two nodes that share their leftmost ones."""
    left, right = a.first[i], b.first[j]
    wide = j - right + 2
    rows = [[float(column) for column in range(wide)]]
    for x in range(left, i + 1):
        above, row = rows[-1], [float(x - left + 1)]
        for place in range(1, wide):
            y = right + place - 1
            least = min(above[place] + 1, row[-1] + 1)
            if a.first[x] == left and b.first[y] == right:
                least = min(least, above[place - 1] + _change(a, b, x, y))
                known[x][y] = least
            else:
                before = rows[a.first[x] - left][b.first[y] - right]
                least = min(least, before + known[x][y])
            row.append(least)
        rows.append(row)


def _change(a: _Tree, b: _Tree, x: int, y: int) -> float:
    if a.kinds[x] != b.kinds[y]:
        return 1.0
    one, other = a.nodes[x], b.nodes[y]
    if one is None or other is None:
        return 0.0
    return 1.0 if one[1:] != other[1:] else _apart(one[0], other[0])


@cache
def _apart(a: str, b: str) -> float:
    """Edits between two texts, over the length of the longer one."""
    if a == b:
        return 0.0
    return letters_apart(a, b) / max(len(a), len(b))


def letters_apart(a: str, b: str) -> int:
    """Levenshtein's distance."""
    return edits_by_end(a, b)[-1]


def edits_by_end(a: str, b: str, *, anywhere: bool = False) -> list[int]:
    """Edits between `a` and each beginning of `b`, the empty one first.

    A column of the matrix is stored in the bits of two numbers.

    Args:
        a: Its letters are the bits.
        b: The other text, of `n` letters; returns n + 1 figures.
        anywhere: Whether a match that ends at a place in `b` may begin anywhere.
    """
    if not a:
        return [0] * (len(b) + 1) if anywhere else [*range(len(b) + 1)]
    where: dict[str, int] = {}
    for place, letter in enumerate(a):
        where[letter] = where.get(letter, 0) | 1 << place
    every, last, top = (1 << len(a)) - 1, 1 << len(a) - 1, not anywhere
    up, down, edits = every, 0, [len(a)]
    for letter in b:
        same = where.get(letter, 0)
        level = (((same & up) + up) ^ up) | same | down
        more, less = down | ~(level | up) & every, up & level
        edits.append(edits[-1] + bool(more & last) - bool(less & last))
        more, less = (more << 1 | top) & every, less << 1 & every
        up, down = less | ~(level | more) & every, more & level
    return edits
