"""Official tables, drawn and read: `python -m bench.drawn.official --seeds 0:90`.

Prints how many came out with the right rows and columns, and how many with every text in its
place, for PDFs or pictures. Seeds below 1000 are for development: `--pages` prints the faults
in each of those. From 1000 on they are only counted.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bench.drawn.measuring import MEASURING, read_pdf, read_pictures
from bench.drawn.official.judging import exact_of, faults
from bench.drawn.official.pages import made
from bench.drawn.pictures import saved
from bench.drawn.printing import Drawn, documents, printed
from bench.drawn.score import PageScore
from bench.drawn.tree_edits import measured
from bench.drawn.truth import written
from bench.table_halves import right_of
from bench.teds import TablePage, scored
from pagetide import open_reader

DEVELOP, HELD_OUT = range(270), range(MEASURING, MEASURING + 270)


def main() -> None:
    """Run the requested command."""
    parser = argparse.ArgumentParser(prog="python -m bench.drawn.official", description=__doc__)
    parser.add_argument("--seeds", type=_seeds, action="append", metavar="FROM:TO")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write documents here")
    parser.add_argument("--pictures", action="store_true", help="read pictures, not PDFs")
    parser.add_argument("--model", default="structure-lite", help="the model that reads them")
    parser.add_argument("--pages", action="store_true", help="also every development page")
    arguments = parser.parse_args()
    seeds = [seed for part in arguments.seeds or (DEVELOP, HELD_OUT) for seed in part]
    if arguments.out:
        write([seed for seed in seeds if seed < MEASURING], arguments.out)
    else:
        score(seeds, arguments.model, pictures=arguments.pictures, each=arguments.pages)


def write(seeds: Sequence[int], folder: Path) -> None:
    """Write PDFs, their ground truth and pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for drawn in documents(seeds, DRAW):
        (folder / f"{drawn.truth.name}.pdf").write_bytes(drawn.pdf)
        written(drawn.truth, folder)
        saved(drawn, folder)


DRAW = partial(printed, make=made)


def score(seeds: Sequence[int], model: str, *, pictures: bool, each: bool) -> None:
    """Read documents and print the correct tables, over all and by kind."""
    read = read_pictures if pictures else read_pdf
    kinds: dict[tuple[str, str], list[TablePage]] = defaultdict(list)
    causes: Counter[str] = Counter()
    looks: dict[str, list[bool]] = defaultdict(list)
    with open_reader(model) as reader:
        for drawn in documents(seeds, DRAW):
            held = drawn.truth.seed >= MEASURING
            for number, page in enumerate(read(reader, drawn), 1):
                for kind in ("all", drawn.truth.kind):
                    kinds["measured" if held else "developed", kind].append(page.tables)
                if not held and page.tables.truth:
                    said = faults(page.tables)
                    causes.update(said)
                    for name, value in drawn.truth.fields.items():
                        looks[f"{name}: {value}"].append(not said)
                    if each and said:
                        print(_told(drawn, page, number, said), flush=True)
    for (name, kind), pages in sorted(kinds.items()):
        print(f"{name:9} {kind:11} {summed(pages)}")
    for cause, count in causes.most_common():
        print(f"developed, {count:4} {cause}")
    for look, right in sorted(looks.items()):
        print(f"developed, {look}: {sum(right)} of {len(right)} pages without a fault")


def summed(pages: Sequence[TablePage]) -> str:
    """Tables that are right, as text."""
    there = sum(len(page.truth) for page in pages)
    scores = scored(pages, measured)
    return (
        f"{there} tables: right rows and columns {_share(sum(map(right_of, pages)), there)}, "
        f"exactly right {_share(sum(map(exact_of, pages)), there)}, TEDS {scores.text:.3f}, "
        f"{scores.missed} missed, {scores.extra} extra"
    )


def _share(count: int, of: int) -> str:
    return f"{count} ({count / of:.1%})"


def _told(drawn: Drawn, page: PageScore, number: int, said: Sequence[str]) -> str:
    look = ", ".join(f"{name} {value}" for name, value in drawn.truth.fields.items())
    return f"{drawn.truth.name} p{number}: {'; '.join(said)} [{look}]"


def _seeds(said: str) -> range:
    first, last = said.split(":")
    return range(int(first), int(last))


if __name__ == "__main__":
    main()
