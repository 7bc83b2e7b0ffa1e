"""Fits which lines above and below a table belong to it: `python -m bench.fitted_edges`.

Examples are the lines next to tables as first found: of drawn official tables, of
other drawn documents, and of real ones used for development. A line is the table's if a
row of the true table has its words. Figures are for documents that had no part in the fit.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from unittest import mock

from bench.drawn import printing
from bench.drawn.official.pages import made
from bench.drawn.printing import documents
from bench.fitted_heads import Example, fitted, folds
from bench.fitted_rows import drawn_tables, rows_of_lines
from bench.table_halves import PDFS, PICTURES, documents_developed_on
from pagetide import open_reader
from pagetide.geometry import Box
from pagetide.reading import Reader
from pagetide.structure.tables.baseline import Baseline
from pagetide.structure.tables.ends import headed
from pagetide.structure.tables.ends.edge_lines import Edge
from pagetide.structure.tables.line_words import Words, inside_of
from pagetide.structure.tables.pieces import baselines, chunks_of
from pagetide.structure.tables.ruled.frames import Stroke

OFFICIAL, OTHERS = range(560), range(144)
REAL = 3.0  # the weight of an example of a real document
MOST, BODY = 14, 12  # lines beyond a table, and rows of it, that are examined
KINDS = {"heads above": headed.HEADS, "rows below": headed.FEET}
WRITTEN = Path(headed.__file__).with_name("edge_weights.py")
HEAD = '''"""What lines next to a table are told by (`python -m bench.fitted_edges --write`).

Of each feature, for heads above and for rows below.
"""

WEIGHTS: dict[str, tuple[float, float]] = {
'''

Seen = tuple[Box, Words, float, Sequence[Stroke]]
Source = tuple[str, str, Callable[[], object], Sequence[str]]


def main() -> None:
    """Fit the weights, print how often they are right, and write them."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.fitted_edges", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--write", action="store_true", help="write the fitted weights")
    arguments = parser.parse_args()
    with open_reader("structure-lite") as reader:
        every = list(chain.from_iterable(map(_examples, sources(reader, OFFICIAL))))
    parts = [[each for at, each in every if at == kind] for kind in KINDS.values()]
    for name, part in zip(KINDS, parts, strict=True):
        print(f"{name}: {gains(part)}")
    if arguments.write:
        WRITTEN.write_text(_as_module(*map(fitted, parts)))


def sources(reader: Reader, official: range) -> Iterator[Source]:
    """The training documents, except written ones: kinds, names, readers and true tables.

    Args:
        reader: Reads them.
        official: The seeds of drawn official tables.
    """
    draw = partial(printing.printed, make=made)
    for kind, drawn in chain(
        (("official", each) for each in documents(official, draw)),
        (("other drawn", each) for each in documents(OTHERS)),
    ):
        tables = drawn_tables(drawn.truth.pages)
        yield kind, f"{kind} {drawn.truth.seed}", partial(reader.read, drawn.pdf), tables
    for kind, sets in (("real PDFs", PDFS), ("real pictures", PICTURES)):
        for name, read, true in documents_developed_on(reader, sets):
            yield kind, name, read, true


def _examples(source: Source) -> Iterator[tuple[int, Example]]:
    kind, document, read, tables = source
    with told() as seen:
        read()
    weight = REAL if kind.startswith("real") else 1.0
    for at, each in seen:
        for example in _lines(each, at, tables):
            yield at, Example(kind, document, False, *example, weight)


@contextmanager
def told() -> Iterator[list[tuple[int, Seen]]]:
    """Records, once each, the tables beyond whose edges lines are looked for."""
    noted: dict[tuple[int, ...], tuple[int, Seen]] = {}
    grow = headed.grown

    def noting(box: Box, words: Words, line: float, across: Sequence[Stroke], kind: int) -> Box:
        noted.setdefault((kind, *map(round, box)), (kind, (box, words, line, across)))
        return grow(box, words, line, across, kind)

    found: list[tuple[int, Seen]] = []
    with mock.patch.object(headed, "grown", noting):
        yield found
        found += noted.values()


def _lines(
    seen: Seen, kind: int, tables: Sequence[str]
) -> Iterator[tuple[bool, dict[str, float]]]:
    """Whether each line, up to the first that is not the table's, is, and its features."""
    box, words, line, across = seen
    edge = Edge.of(box, words, line, across)
    if edge is None:
        return
    beyond = headed.lines_above(box, words, line)[:MOST]
    inside = baselines(c for own in inside_of(box, words, line) for c in chunks_of(own))[:BODY]
    rows = [Baseline(tuple(row), frozenset()) for row in (*beyond[::-1], *inside)]
    ordered = rows[::-1] if kind == headed.FEET else rows
    places = rows_of_lines(ordered, tables)
    places = places[::-1] if kind == headed.FEET else places
    if 2 * sum(place is not None for place in places[len(beyond) :]) < len(inside):
        return
    ours = [place is not None for place in places[: len(beyond)]][::-1]
    for row, above, true in zip(beyond, [*beyond[1:], None], ours, strict=False):
        yield true, edge.features(row, above)
        if not true:
            return
        edge = edge.beyond(row)


def gains(every: Sequence[Example]) -> str:
    """How often lines are predicted right, by kind of document."""
    right: dict[str, list[bool]] = {}
    for weights, held_out in folds(every):
        for _, each in held_out:
            said = sum(weights.get(n, 0.0) * v for n, v in each.features.items()) > 0
            right.setdefault(each.kind, []).append(said == each.true)
    return ", ".join(
        f"{k} {sum(told) / len(told):.1%} of {len(told)}" for k, told in right.items()
    )


def _as_module(heads: dict[str, float], feet: dict[str, float]) -> str:
    pairs = ((name, heads.get(name, 0.0), feet.get(name, 0.0)) for name in {**heads, **feet})
    return (
        HEAD + "".join(f'    "{n}": ({a:.2f}, {b:.2f}),\n' for n, a, b in sorted(pairs)) + "}\n"
    )


if __name__ == "__main__":
    main()
