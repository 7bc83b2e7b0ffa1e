"""Ranges of seeds on a command line, each measured, as one table."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Sequence

from bench.rows import Row, table

Measured = Callable[[Sequence[int], str], list[Row]]


def print_measured(parser: ArgumentParser, usual: Sequence[str], measured: Measured) -> None:
    """Measure the ranges that the command line names, and print the table.

    Args:
        parser: Of a command without other arguments.
        usual: The default ranges, `A:B` each.
        measured: Returns the rows of some seeds, as read by a model.
    """
    parser.add_argument("seeds", nargs="*", default=usual, metavar="A:B")
    parser.add_argument("--model", default="structure-lite", help="the model that reads them")
    arguments = parser.parse_args()
    rows: list[Row] = []
    for span in arguments.seeds:
        first, end = map(int, span.split(":"))
        rows += measured(range(first, end), arguments.model)
    print(table(rows))
