"""A value that is kept for a second, and read again for those who must know it as it is now."""

import asyncio

from pagetide.server.api.context import Fresh


class Kept:
    """Counts how often it is read."""

    def __init__(self) -> None:
        self.value, self.readings = 0, 0

    def load(self) -> int:
        self.readings += 1
        return self.value


def test_what_was_put_after_the_last_reading_is_seen_by_those_who_ask_anew() -> None:
    async def ask() -> tuple[int, int]:
        await fresh.get()
        kept.value = 1
        return await fresh.renewed(), await fresh.get()

    kept = Kept()
    fresh = Fresh(kept.load)
    assert asyncio.run(ask()) == (1, 1)


def test_a_thousand_who_guess_share_one_reading() -> None:
    async def ask() -> set[int]:
        await fresh.get()
        kept.value = 1
        return set(await asyncio.gather(*(fresh.renewed() for _ in range(1000))))

    kept = Kept()
    fresh = Fresh(kept.load)
    assert asyncio.run(ask()) == {1}
    assert kept.readings == 2
