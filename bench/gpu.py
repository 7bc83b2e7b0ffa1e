"""A GPU's table: errors beside the CPU's, milliseconds a page, pages a second, utilisation.

`python -m bench.gpu --draw FOLDER` draws the pages (with the browser that tests use);
`python -m bench.gpu FOLDER` reads them on the local GPU, on any machine.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from bench.accuracy import error_row, percent, read_all
from bench.corpus import CORPUS, pages
from bench.gpu_card import Card
from bench.gpu_processes import Crowd, many, opened, read
from bench.rows import Row, table

FORM_SIDE = 1000  # pixels, as in the scanned forms of FUNSD
FORMS = ("form", "receipt")
SEEDS = {"pages": range(1000, 1030), "forms": range(1000, 1168)}
UNREAD = ("zh", "ar")  # languages that are left out
CALLERS = 16
PAGES_PER_S, PAGE_MS = 200, 15
ERRORS = 0.05  # points


def main() -> None:
    """Draw, or read and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.gpu", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draw", action="store_true", help="draw the pages into the folder")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 4, 8, 16])
    parser.add_argument("--seconds", type=float, default=10.0, help="of each run of many pages")
    parser.add_argument("--runtime", default="cuda")
    parser.add_argument("--models", nargs="+", default=["structure-lite", "pp-ocrv6"])
    parser.add_argument("--sets", nargs="+", choices=SEEDS, default=[*SEEDS])
    parser.add_argument("--no-errors", action="store_true", help="do not compare with the CPU")
    arguments = parser.parse_args()
    if arguments.draw:
        return draw(arguments.folder)
    card = Card.here()
    print(card.described(), flush=True)
    rows: list[Row] = [] if arguments.no_errors else errors(arguments.runtime)
    sets = {name: sorted((arguments.folder / name).iterdir()) for name in arguments.sets}
    for model in arguments.models:
        for name, paths in sets.items():
            rows.append(latency(model, name, paths, arguments.runtime))
            print(table(rows[-1:]), flush=True)
            for processes in arguments.processes:
                crowd = Crowd(model, arguments.runtime, processes, CALLERS, arguments.seconds)
                rows.append(throughput(crowd, name, paths, card))
                print(table(rows[-1:]), flush=True)
    print(table(rows))


def draw(folder: Path) -> None:
    """Write pictures of drawn pages: whole documents, and forms as small as FUNSD's."""
    from bench.drawn.pictures import clean, degraded  # they need the browser's library
    from bench.drawn.printing import documents, kind_of

    for name, seeds in SEEDS.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        wanted = [seed for seed in seeds if name != "forms" or kind_of(seed) in FORMS]
        for drawn in documents(wanted):
            if drawn.truth.language in UNREAD:
                continue
            for number, page in enumerate(clean(drawn.pdf, drawn.truth.seed), 1):
                jpeg = degraded(page, drawn.truth.seed + number).jpeg
                file = folder / name / f"{drawn.truth.name}-{number}.jpg"
                file.write_bytes(_small(jpeg) if name == "forms" else jpeg)


def _small(jpeg: bytes) -> bytes:
    pixels = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert pixels is not None
    scale = FORM_SIDE / max(pixels.shape)
    size = (round(pixels.shape[1] * scale), round(pixels.shape[0] * scale))
    small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    return cv2.imencode(".jpg", small)[1].tobytes()


def errors(runtime: str) -> list[Row]:
    """Character errors on the corpus, if it is beside the checkout."""
    if not CORPUS.is_dir():
        print(f"No corpus at {CORPUS}: errors are not compared.")
        return []
    rows = []
    here, there = opened("pp-ocrv6", runtime), opened("pp-ocrv6", "onnxruntime")
    for name in ("digital", "degraded", "icdar2013"):
        truth = pages(name)
        ours, cpu = (percent(truth, read_all(engine, truth)) for engine in (here, there))
        rows.append(error_row(f"{name}, the CPU in f32", ours, cpu, ERRORS))
        print(table(rows[-1:]), flush=True)
    here.close()
    there.close()
    return rows


def latency(model: str, name: str, paths: Sequence[Path], runtime: str) -> Row:
    """One caller, one page at a time, every page shape already met."""
    engine = opened(model, runtime)
    started = time.perf_counter()
    for path in paths:
        read(engine, [path])
    first = time.perf_counter() - started
    times = []
    for path in paths:
        started = time.perf_counter()
        read(engine, [path])
        times.append(1000 * (time.perf_counter() - started))
    engine.close()
    middle = statistics.median(times)
    worst = statistics.quantiles(times, n=20)[-1]
    return Row(
        measure=f"{model}, {name}: one caller, warm, decoding and all",
        ours=f"{middle:.0f} ms",
        peer="",
        value=f"P95 {worst:.0f} ms; all {len(paths)} for the first time {first:.0f} s",
        bar=f"≤ {PAGE_MS} ms",
        holds=middle <= PAGE_MS,
    )


def throughput(crowd: Crowd, name: str, paths: Sequence[Path], card: Card) -> Row:
    """Sixteen callers in this many processes that share the GPU."""
    with card.watched() as used:
        rate = many(crowd, paths, used.begin)
    return Row(
        measure=f"{crowd.model}, {name}: {crowd.callers} callers, {crowd.processes} processes",
        ours=f"{rate:.0f} pages/s",
        peer="",
        value=f"GPU at work {used.share:.0f} % of the time, {used.memory_gib:.1f} GiB",
        bar=f"≥ {PAGES_PER_S}/s",
        holds=rate >= PAGES_PER_S,
    )


if __name__ == "__main__":
    main()
