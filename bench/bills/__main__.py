"""`python -m bench.bills`: whether items are in their table as a careful person writes them.

Beside this module is `written/developed`: bills and statements of many programs, each a PDF
and the Markdown that its author would want. Unseen sets go into
`written/unseen`, and only their figures are printed.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from bench.bills.markdown import Table, tables_in
from bench.rows import Row, table
from pagetide import open_reader

FOLDER = Path(__file__).parent / "written"
SETS = ("developed", "unseen")
LEAST = 0.9

_AMOUNT = re.compile(r"\d[.,]\d\d(?!\d)")


def main() -> None:
    """Measure one set or both; for the developed one print the wrong rows."""
    parser = argparse.ArgumentParser(prog="python -m bench.bills", description=__doc__)
    parser.add_argument("--set", choices=SETS, help="only this one")
    only = parser.parse_args().set
    with open_reader("structure-lite") as reader:
        for name in [only] if only else [each for each in SETS if (FOLDER / each).is_dir()]:
            told = {
                path.stem: wrong_rows(
                    tables_in(path.with_suffix(".md").read_text(encoding="utf-8")),
                    tables_in(reader.read(path).to_markdown()),
                )
                for path in sorted((FOLDER / name).glob("*.pdf"))
            }
            if name == "developed":
                print(
                    "\n".join(
                        f"{bill}: {'; '.join(said)}" for bill, said in told.items() if said
                    )
                )
            measure = f"{name}: bills whose items are all in one table, and nothing else"
            print(table([row_of(measure, [not said for said in told.values()])]), flush=True)


def wrong_rows(wanted: list[Table], found: list[Table]) -> list[str]:
    """The rows of the items' table that are not found in one, and others that are in it.

    The items' table has most amounts. It may continue as another on the next page, and the sums
    may be in it.
    """
    items = max(wanted, key=_amounts, default=[])
    own = rows_of(items, found)
    known = {row for rows in wanted for row in rows}
    missing = [f"not found: {' | '.join(row)}" for row in items if row not in own]
    return missing + [f"not of it: {' | '.join(row)}" for row in own if row not in known]


def rows_of(items: Table, found: list[Table]) -> Table:
    """The rows of the tables that have most of the items, or little else."""
    most = max((_shared(rows, items) for rows in found), default=0)
    parts = [
        rows
        for rows in found
        if most and (_shared(rows, items) == most or 2 * _shared(rows, items) > len(rows))
    ]
    return [row for rows in parts for row in rows]


def _amounts(rows: Table) -> int:
    return sum(_AMOUNT.search(text) is not None for row in rows for text in row)


def _shared(rows: Table, items: Table) -> int:
    return sum(row in items for row in rows)


def row_of(measure: str, right: list[bool]) -> Row:
    """How many bills of a set are right, of how many."""
    return Row(
        measure=measure,
        ours=f"{sum(right)} of {len(right)}",
        peer="",
        value=f"{sum(right) / len(right):.1%}",
        bar=f"≥ {LEAST:.0%}",
        holds=sum(right) >= LEAST * len(right),
    )


if __name__ == "__main__":
    main()
