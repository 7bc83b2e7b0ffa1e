"""Every route takes what is right and refuses what is wrong: some of `python -m tests.fuzz`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.fuzz.playing import exchange, play
from tests.fuzz.seeds import Seed, seeds
from tests.fuzz.world import World, world

CASES, SEED = 7_000, 1
# What even a right request comes to here: there is no bucket, no figure, nothing to cancel.
REFUSED = (
    *("POST /v1/jobs/{job_id}/cancel", "POST /v1/jobs/{job_id}/deliveries"),
    "POST /v1/jobs/{job_id}/review",  # nobody has claimed it
    *("POST /ocr", "POST /layout-parsing", "POST /service/Textract/operation/{operation}"),
    *("POST / StartDocument", "POST / GetDocument", "GET /documentintelligence/documentClass"),
    "GET /documentintelligence/documentModels/{model_id}/analyzeResults/{result_id}/figures",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world(tmp_path_factory.mktemp("fuzz")) as made:
        yield made


@pytest.fixture(scope="module")
def every(place: World) -> list[Seed]:
    return seeds(place)


def test_right_requests_are_right(place: World, every: list[Seed]) -> None:
    async def ask() -> None:
        async with place.app.router.lifespan_context(place.app):
            for seed in every:
                answer = await exchange(place, await asyncio.to_thread(seed.made))
                assert answer.status < 400 or seed.name.startswith(REFUSED), (seed.name, answer)
                assert answer.status < 500, (seed.name, answer)

    asyncio.run(ask())


def test_every_route_is_among_them(place: World, every: list[Seed]) -> None:
    asked = {(seed.name.split()[0].lower(), seed.path) for seed in every}
    described = place.app.openapi()["paths"]
    known = {(method, path) for path, methods in described.items() for method in methods}
    assert known <= asked, known - asked


def test_wrong_requests_are_refused_and_nothing_fails(place: World, every: list[Seed]) -> None:
    played = asyncio.run(play(place, every, CASES, SEED))
    assert played.cases >= CASES
    assert not played.faults, "\n\n".join(map(str, played.faults[:5]))
