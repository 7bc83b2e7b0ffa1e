"""Whatever fails, and whoever is killed when: jobs come to their one end, and nothing is left.

`python -m tests.simulation` runs as many schedules as are asked for, and shrinks what fails.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from tests.simulation.schedule import breaches

BATCH = 250


@pytest.fixture(autouse=True)
def silent() -> Iterator[None]:
    logging.disable(logging.CRITICAL)  # every fault is logged, and there are a hundred thousand
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("first", range(0, 2000, BATCH))
def test_schedules_keep_every_promise(first: int) -> None:
    assert {s: f for s in range(first, first + BATCH) if (f := breaches(s))} == {}


def test_the_same_seed_gives_the_same_schedule() -> None:
    trace: list[str] = []
    again: list[str] = []
    assert breaches(7, trace) == breaches(7, again)
    assert trace == again and len(trace) > 10


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_fewer_steps_of_a_schedule_are_its_beginning(seed: int) -> None:
    whole: list[str] = []
    part: list[str] = []
    breaches(seed, whole, steps=40)
    breaches(seed, part, steps=10)
    assert part == whole[:10]
