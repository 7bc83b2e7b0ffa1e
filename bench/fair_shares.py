"""The cost of a flooding key to the others: `python -m bench.fair_shares [--store postgres]`.

A real `pagetide serve` with keys and two workers, whose model takes a fixed time per page. Ten
keys each submit a page a second: at first alone, then while an eleventh has thousands waiting.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path

import httpx

from bench.cluster_rows import percentile
from bench.rows import Row, table
from bench.served import ENDED, Server, served
from bench.strangers import DOCUMENT
from pagetide.system.cpu import model_name
from tests.parts.postgres import Postgres

BAR = 1.5
OTHERS = tuple(f"other {n}" for n in range(10))
SLOW_S = 0.02
MODEL = f"fake?slow={SLOW_S}"


def main() -> None:
    """Measure and print the table; exit with 1 if the bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.fair_shares", description=__doc__)
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--jobs", type=int, default=10_000, help="of the flooding key")
    parser.add_argument("--seconds", type=int, default=30)
    given = parser.parse_args()
    with store_of(given.store) as settings, served(workers=2, **settings) as server:
        keys = {name: made(server, settings, name) for name in (*OTHERS, "flood")}
        operator = made(server, settings, "operator", "operate")
        row = asyncio.run(measured(server, keys, operator, given))
        server.process.kill()  # the rest of the flood is not waited for
    print(f"{table([row])}\n\n{model_name()}; load {os.getloadavg()[0]:.1f}")
    sys.exit(0 if row.holds else 1)


@contextmanager
def store_of(name: str) -> Iterator[dict[str, object]]:
    """The settings of a server on this store."""
    settings: dict[str, object] = {"auth": "keys", "test_models": 1, "cache": 0}
    if name == "sqlite":
        yield settings
        return
    postgres = Postgres(durable=True)
    postgres.start()
    try:
        yield {**settings, "store": postgres.database()}
    finally:
        postgres.stop()


def made(server: Server, settings: dict[str, object], name: str, scope: str = "") -> str:
    """A new API key."""
    command = [sys.executable, "-m", "pagetide", "keys", "create", name]
    command += ["--scope", scope] if scope else []
    environment = {f"PAGETIDE_{key.upper()}": str(value) for key, value in settings.items()}
    environment |= {**os.environ, "PAGETIDE_DATA_DIR": str(Path(server.log.name).parent)}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


async def measured(
    server: Server, keys: dict[str, str], operator: str, given: argparse.Namespace
) -> Row:
    """The others' P95 while one key floods, against the P95 without."""
    store, jobs, seconds = given.store, given.jobs, given.seconds
    asking = [keys[name] for name in OTHERS]
    limits = httpx.Limits(max_connections=400)
    async with httpx.AsyncClient(base_url=server.url, timeout=120, limits=limits) as client:
        calm = await others(client, asking, seconds)
        await flood(client, keys["flood"], jobs)
        before = await waiting(client, operator)
        beside = await others(client, asking, seconds)
        left = await waiting(client, operator)
    if not left:
        raise SystemExit("the flood ended before the measurement did: use more --jobs")
    p95 = partial(percentile, share=0.95)
    ratio = p95(beside) / p95(calm)
    return Row(
        measure=f"{len(OTHERS)} keys beside one with {before:,} jobs ({store})",
        ours=f"P50 {shown(statistics.median(beside))}, P95 {shown(p95(beside))}",
        peer=f"alone P50 {shown(statistics.median(calm))}, P95 {shown(p95(calm))}",
        value=f"{ratio:.2f}×",
        bar=f"≤ {BAR}×",
        holds=ratio <= BAR,
        note=f"{len(beside)} pages, one a second and key; meanwhile {before - left:,} jobs of "
        "the flood ended",
    )


async def others(client: httpx.AsyncClient, keys: Sequence[str], seconds: int) -> list[float]:
    """How long each page took from the submit until the job had ended, in seconds."""
    waits: list[asyncio.Task[float]] = []
    began = time.monotonic()
    for tick in range(seconds * len(keys)):
        await asyncio.sleep(max(0.0, began + tick / len(keys) - time.monotonic()))
        waits.append(asyncio.create_task(read(client, keys[tick % len(keys)])))
    return await asyncio.gather(*waits)


async def read(client: httpx.AsyncClient, key: str) -> float:
    """Submit a page and wait for its end."""
    began = time.monotonic()
    job_id = await submitted(client, key)
    while True:
        answer = await client.get(
            f"/v1/jobs/{job_id}", params={"wait": 20}, headers=bearer(key)
        )
        if answer.json()["status"] in ENDED:
            return time.monotonic() - began


async def flood(client: httpx.AsyncClient, key: str, jobs: int) -> None:
    """Submit this many jobs, as fast as the server accepts them."""
    numbers = count()

    async def submitting() -> None:
        while next(numbers) < jobs:
            await submitted(client, key)

    await asyncio.gather(*(submitting() for _ in range(12)))


async def submitted(client: httpx.AsyncClient, key: str) -> str:
    """A job's id; retried if the server is busy."""
    while True:
        answer = await client.post(
            "/v1/jobs",
            files={"file": ("a.pdf", DOCUMENT)},
            data={"model": MODEL},
            headers=bearer(key),
        )
        if answer.status_code == 202:
            return str(answer.json()["id"])
        if answer.status_code not in (429, 503):
            raise SystemExit(f"refused: {answer.text}")
        await asyncio.sleep(0.1)


async def waiting(client: httpx.AsyncClient, key: str) -> int:
    """Number of waiting tasks, as reported to an operator's key."""
    answer = await client.get("/v1/backlog/cpu", headers=bearer(key))
    return int(answer.json()["waiting"])


def bearer(key: str) -> dict[str, str]:
    """The headers of a key."""
    return {"Authorization": f"Bearer {key}"}


def shown(seconds: float) -> str:
    """In milliseconds."""
    return f"{seconds * 1000:.0f} ms"


if __name__ == "__main__":
    main()
