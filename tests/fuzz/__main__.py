"""Try so many wrong requests: `python -m tests.fuzz [--cases N] [--seed N] [--only TEXT]`.

It prints how they were answered, and each request that was answered wrongly; then it ends
with 1.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.playing import play
from tests.fuzz.seeds import seeds
from tests.fuzz.world import world


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="the routes whose names have this in them")
    parser.add_argument("--most", type=int, default=20, help="so many faults are shown")
    given = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, world(Path(folder)) as place:
        some = [each for each in seeds(place) if given.only in each.name]
        played = asyncio.run(play(place, some, given.cases, given.seed))
    for fault in played.faults[: given.most]:
        print(fault, end="\n\n")
    told = ", ".join(f"{count} × {status}" for status, count in sorted(played.statuses.items()))
    print(f"{played.cases} cases of {len(some)} routes, seed {given.seed}: {told}")
    print(f"{len(played.faults)} wrong answers in {time.monotonic() - began:.0f} s")
    sys.exit(1 if played.faults else 0)


if __name__ == "__main__":
    main()
