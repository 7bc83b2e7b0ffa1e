"""Draws documents with their truth.

`python -m bench.drawn --seeds 0:24 --out FOLDER` writes a PDF, its truth as JSON and two
pictures of every page. Seeds below 1000 are for developing; from 1000 on they are for
measuring alone.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.drawn.pictures import saved
from bench.drawn.printing import documents
from bench.drawn.truth import written


def main() -> None:
    """Do what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.drawn", description=__doc__)
    parser.add_argument(
        "--seeds", type=_seeds, action="append", metavar="FROM:TO", required=True
    )
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", required=True, help="write documents here"
    )
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for drawn in documents([seed for seeds in arguments.seeds for seed in seeds]):
        (arguments.out / f"{drawn.truth.name}.pdf").write_bytes(drawn.pdf)
        written(drawn.truth, arguments.out)
        saved(drawn, arguments.out)


def _seeds(said: str) -> range:
    first, last = said.split(":")
    return range(int(first), int(last))


if __name__ == "__main__":
    main()
