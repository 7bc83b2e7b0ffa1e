"""`python -m tests.simulation --schedules N --first SEED`: runs schedules, shrinks breaches."""

from __future__ import annotations

import argparse
import logging
import time

from tests.simulation.schedule import STEPS, breaches


def main() -> int:
    """The exit code: 0 where every promise was kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schedules", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    asked = parser.parse_args()
    logging.disable(logging.CRITICAL)
    began, broken = time.monotonic(), 0
    for seed in range(asked.first, asked.first + asked.schedules):
        if found := breaches(seed):
            broken += 1
            print(f"seed {seed}, {_shortest(seed)} of {STEPS} steps: {'; '.join(found)}")
    seconds = time.monotonic() - began
    rate = 60 * asked.schedules / seconds
    last = asked.first + asked.schedules - 1
    print(
        f"seeds {asked.first} to {last}: {broken} broke a promise"
        f" ({seconds:.0f} s, {rate:,.0f} schedules a minute)"
    )
    return 1 if broken else 0


def _shortest(seed: int) -> int:
    """With how few steps of trouble a seed still breaks a promise."""
    return next(steps for steps in range(STEPS + 1) if breaches(seed, steps=steps))


if __name__ == "__main__":
    raise SystemExit(main())
