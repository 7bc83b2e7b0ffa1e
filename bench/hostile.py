"""Every hostile file through the whole program: `python -m bench.hostile [FOLDER …]`.

`pagetide read` with OCR, every page, one file after the other: our drawn ones, and those of
the folders. Each must end within time and bounds, with a result or one clear sentence.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from bench.chaos import family
from bench.rows import Row, table
from pagetide.system.cpu import model_name
from tests.drawn.hostile_pdfs import ENDLESS, PDFS
from tests.drawn.hostile_pictures import PICTURES

MOST_S, MOST_MB = 30.0, 1536.0
LOOK_S = 0.05
GIVEN_UP_S = 300.0
RESULT = (0, 3)  # whole, and partial


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a file ended: the exit code, its cost, and its message."""

    name: str
    code: int
    seconds: float
    megabytes: float
    said: str

    @property
    def wrong(self) -> str:
        """What is wrong with it; empty if nothing is."""
        if self.seconds > MOST_S:
            return f"took {self.seconds:.0f} s"
        if self.megabytes > MOST_MB:
            return f"took {self.megabytes:.0f} MB"
        if self.code < 0 or "Traceback" in self.said:
            return f"ended with {self.code}: {self.said[-200:]}"
        if self.code not in RESULT and len(self.said.strip().splitlines()) != 1:
            return f"did not say one sentence: {self.said!r}"
        return ""


def main() -> None:
    """Read all, print the table and the faults; exit with 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m bench.hostile", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = [
            *drawn(Path(folder)),
            *(path for each in given.folders for path in each.iterdir()),
        ]
        ended = [read(path) for path in sorted(files) if path.is_file()]
    wrong = [each for each in ended if each.wrong]
    for each in wrong:
        print(f"wrong: {each.name}: {each.wrong}")
    print(f"{table([row(ended, wrong)])}\n\n{model_name()}; load {os.getloadavg()[0]:.1f}")
    sys.exit(1 if wrong else 0)


def drawn(folder: Path) -> Iterator[Path]:
    """Our own, written there."""
    for name, (make, _) in (PDFS | PICTURES).items():
        path = folder / name
        path.write_bytes(make())
        yield path
    for name, endless in ENDLESS.items():
        path = folder / name
        path.write_bytes(endless())
        yield path


def read(path: Path) -> Ended:
    """Read a file by the program, with its memory sampled all the while."""
    command = [sys.executable, "-m", "pagetide", "read", str(path), "--format", "json"]
    began, most = time.monotonic(), 0.0
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said)
        while process.poll() is None:
            below = chain.from_iterable(family(process.pid))
            most = max(most, megabytes([process.pid, *below]))
            if time.monotonic() - began > GIVEN_UP_S:
                process.kill()
            time.sleep(LOOK_S)
        said.seek(0)
        text = said.read().decode(errors="replace")
    return Ended(
        name=path.name,
        code=process.returncode,
        seconds=time.monotonic() - began,
        megabytes=most,
        said=text,
    )


def megabytes(pids: Iterable[int]) -> float:
    """Memory of these processes, shared pages counted in part."""
    total = 0.0
    for pid in pids:
        with suppress(OSError, StopIteration, ValueError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            total += int(next(line for line in lines if line.startswith("Pss:")).split()[1])
    return total / 1024


def row(ended: Sequence[Ended], wrong: Sequence[Ended]) -> Row:
    """The slowest, the largest, and how many were wrong."""
    slowest = max(ended, key=lambda each: each.seconds)
    largest = max(ended, key=lambda each: each.megabytes)
    results = sum(each.code in RESULT for each in ended)
    return Row(
        measure=f"{len(ended)} hostile files, whole, with OCR",
        ours=f"{results} results, {len(ended) - results} refused",
        peer="",
        value=f"slowest {slowest.seconds:.1f} s ({slowest.name}), most memory "
        f"{largest.megabytes:.0f} MB ({largest.name})",
        bar=f"≤ {MOST_S:.0f} s, ≤ {MOST_MB:.0f} MB, 0 wrong",
        holds=not wrong,
    )


if __name__ == "__main__":
    main()
