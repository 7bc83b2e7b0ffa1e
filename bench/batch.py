"""The cost of a batch compared with the library: the same pages, the same cores.

`python -m bench.batch [--pages N] [--ray]`: scanned pages (the samples, drawn as pictures) by
`read_many` with all cores, by `pagetide batch`, and with `--ray` on two nodes as processes, for
which `make batch-env` is needed. All include their model's start.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pagetide

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "samples"
ENGINES = ROOT / ".venv-batch" / "bin" / "python"
NODES = ROOT / "tests" / "clients" / "ray_nodes.py"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--model", default="structure-lite")
    parser.add_argument("--ray", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        fill(folder / "in", asked.pages)
        cores = len(os.sched_getaffinity(0))
        print(f"{asked.pages} pages, {cores} cores, load {os.getloadavg()[0]:.1f}")
        alone = told("read_many", asked.pages, lambda: library(folder / "in", asked.model))
        words = [str(folder / "in"), "--model", asked.model, "-f", "jsonl"]
        words += ["--text-layer", "never", "--documents-per-shard", "4"]
        batch = [sys.executable, "-m", "pagetide", "batch", *words]
        local = told("pagetide batch", asked.pages, lambda: run([*batch, str(folder / "out")]))
        print(f"  {alone / local:.2f}× read_many")
        if asked.ray:
            on_ray(words, folder / "ray", asked.pages, alone, cores)


def on_ray(words: list[str], target: Path, pages: int, alone: float, cores: int) -> None:
    """The same batch by actors on two nodes of a core each."""
    quiet = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    holder = subprocess.Popen(
        [ENGINES, NODES],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=quiet,
    )
    assert holder.stdout
    try:
        line = next(line for line in holder.stdout if line.startswith(b"{"))
        address = json.loads(line)["address"]
        ray = [*words, "--ray", address, "--workers", str(cores), str(target)]
        command = [str(ENGINES), "-m", "pagetide", "batch", *ray]
        took = told("pagetide batch --ray", pages, lambda: run(command))
        print(f"  {alone / took:.2f}× read_many")
    finally:
        holder.communicate()


def fill(folder: Path, pages: int) -> None:
    """Sample pictures, repeated as needed."""
    folder.mkdir()
    pictures = sorted(path for path in SAMPLES.rglob("*.png"))
    for number in range(pages):
        source = pictures[number % len(pictures)]
        shutil.copyfile(source, folder / f"{number:05d}{source.suffix}")


def library(folder: Path, model: str) -> None:
    """Read all pictures in this process."""
    how = pagetide.ReadOptions(text_layer="never")
    with pagetide.open_reader(model) as reader:
        for _, document in reader.read_many(sorted(map(str, folder.iterdir())), how):
            assert isinstance(document, pagetide.Document), document


def run(command: list[str]) -> None:
    """Run a program to completion."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def told(name: str, pages: int, work: Callable[[], None]) -> float:
    """Elapsed seconds."""
    began = time.monotonic()
    work()
    took = time.monotonic() - began
    print(f"{name:24} {took:7.1f} s  {60 * pages / took:7.1f} pages/min", flush=True)
    return took


if __name__ == "__main__":
    main()
