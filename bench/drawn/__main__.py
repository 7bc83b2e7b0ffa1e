"""Draws documents with their ground truth, or reports how well they are read.

`python -m bench.drawn --seeds 0:24 --out FOLDER` writes a PDF, its truth as JSON and two
pictures of every page. `python -m bench.drawn --score` reads documents and prints a table.
Seeds below 1000 are for development; from 1000 on they are only for measuring.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.drawn.measuring import DEVELOP, HELD_OUT, measure
from bench.drawn.pictures import saved
from bench.drawn.printing import Drawn, documents
from bench.drawn.score import PageScore
from bench.drawn.totals import Total, rows, wrong
from bench.drawn.truth import written
from bench.rows import table


def main() -> None:
    """Run the requested command."""
    parser = argparse.ArgumentParser(prog="python -m bench.drawn", description=__doc__)
    parser.add_argument("--seeds", type=_seeds, action="append", metavar="FROM:TO")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write documents here")
    parser.add_argument("--score", action="store_true", help="read documents and score them")
    parser.add_argument("--pictures", action="store_true", help="read pictures, not PDFs")
    parser.add_argument("--model", default="structure-lite", help="the model that reads them")
    parser.add_argument("--pages", action="store_true", help="also every development page")
    arguments = parser.parse_args()
    seeds = [seed for part in arguments.seeds or (DEVELOP, HELD_OUT) for seed in part]
    if arguments.out:
        write(seeds if arguments.seeds else DEVELOP, arguments.out)
    if arguments.score:
        score(seeds, pictures=arguments.pictures, model=arguments.model, each=arguments.pages)
    if not (arguments.out or arguments.score):
        parser.error("say --out or --score")


def write(seeds: Sequence[int], folder: Path) -> None:
    """Write PDFs, their ground truth and pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for drawn in documents(seeds):
        (folder / f"{drawn.truth.name}.pdf").write_bytes(drawn.pdf)
        written(drawn.truth, folder)
        saved(drawn, folder)


def score(seeds: Sequence[int], *, pictures: bool, model: str, each: bool) -> None:
    """Read documents and print the table, and the errors in those for development."""
    sets = measure(seeds, pictures=pictures, model=model, tell=_tell if each else None)
    print(table(rows("pictures" if pictures else "PDFs", sets)))
    for kind, pages in sorted(sets.get("developed", {}).items()):
        print(f"{kind}, developed: {'; '.join(wrong(pages)) or 'nothing mistaken'}")


def _tell(drawn: Drawn, page: PageScore, number: int) -> None:
    mistaken = "; ".join(wrong([page], 3))
    print(f"{drawn.truth.name} p{number}: {Total((page,))}; {mistaken}", flush=True)


def _seeds(said: str) -> range:
    first, last = said.split(":")
    return range(int(first), int(last))


if __name__ == "__main__":
    main()
