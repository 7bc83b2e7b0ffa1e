"""Processes that share a GPU, and callers within them that read page after page."""

from __future__ import annotations

import itertools
import multiprocessing
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import cv2

from bench.peers import load
from pagetide.engine import Engine, PageImage
from pagetide.engines import structure_lite
from pagetide.engines.ppocr import open_engine
from pagetide.settings import Settings, available_cores

DPI = 150


@dataclass(frozen=True)
class Crowd:
    """The readers.

    Attributes:
        model: `structure-lite` or `pp-ocrv6`.
        runtime: As in the setting.
        processes: Number of processes, each with an engine of its own.
        callers: Number in all of them; each reads one endless document.
        seconds: How long they read.
    """

    model: str
    runtime: str
    processes: int
    callers: int
    seconds: float


def opened(model: str, runtime: str, threads: int = 0) -> Engine:
    """The engine."""
    settings = Settings(runtime=runtime, threads=threads)
    if model == "structure-lite":
        return structure_lite.open_engine(settings, "")
    return open_engine(settings)


def read(engine: Engine, paths: Iterable[Path]) -> int:
    """Read pictures as one document; how many pages were read."""
    images = (PageImage(pixels=load(path), dpi=DPI) for path in paths)
    count = 0
    for reading in engine.read(images, "en"):
        assert not reading.error, reading.error
        count += 1
    return count


def many(crowd: Crowd, paths: Sequence[Path], begin: Callable[[], object]) -> float:
    """Pages a second of all callers together, once every process has met every page.

    Args:
        crowd: Who reads.
        paths: Pictures; each caller begins with another one.
        begin: Called when the processes are warm.
    """
    context = multiprocessing.get_context("spawn")
    warm = context.Barrier(crowd.processes + 1)
    counts: Any = context.Queue()
    processes = [
        context.Process(target=_reading, args=(crowd, n, [*map(str, paths)], warm, counts))
        for n in range(crowd.processes)
    ]
    for process in processes:
        process.start()
    warm.wait(timeout=300)
    begin()
    rates = [counts.get(timeout=crowd.seconds + 120) for _ in processes]
    for process in processes:
        process.join()
    return float(sum(rates))


def _reading(crowd: Crowd, number: int, names: list[str], warm: Barrier, counts: Any) -> None:
    cv2.setNumThreads(1)
    paths = [Path(name) for name in names]
    engine = opened(crowd.model, crowd.runtime, max(1, available_cores() // crowd.processes))
    callers = [n for n in range(crowd.callers) if n % crowd.processes == number]
    with ThreadPoolExecutor(len(callers)) as pool:
        read(engine, paths)
        warm.wait(timeout=300)
        started = time.perf_counter()
        until = started + crowd.seconds
        own = [_coming(paths, caller / crowd.callers, until) for caller in callers]
        count = sum(pool.map(partial(read, engine), own))
        counts.put(count / (time.perf_counter() - started))
    engine.close()


def _coming(paths: Sequence[Path], share: float, until: float) -> Iterable[Path]:
    start = int(share * len(paths))
    endless = itertools.cycle([*paths[start:], *paths[:start]])
    return itertools.takewhile(lambda _: time.perf_counter() < until, endless)
