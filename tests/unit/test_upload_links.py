"""A link for an upload takes what its key may send, and ends with it."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagetide.server.api import context
from tests.unit.api_fake import Desk, Reply, Site, play

PDF = b"%PDF 2 uploaded"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, max_bytes=10_000)


async def link_of(site: Site, key: str) -> str:
    asked = await site.ask("POST", "/v1/uploads", headers={"authorization": f"Bearer {key}"})
    assert asked.status == 201
    return str(asked.json()["url"].partition("8000")[2])


async def sent(site: Site, link: str, content: bytes) -> Reply:
    return await site.ask("PUT", link, body=content)


def kept(desk: Desk) -> int:
    return len(list(desk.service.blobs.under("uploads/")))


def change(desk: Desk, **fields: float) -> None:
    [key] = desk.service.store.keys()
    desk.service.store.put_key(replace(key, **fields))


def test_a_link_takes_no_more_than_its_key_may_send(desk: Desk) -> None:
    key = desk.key("small", max_bytes=1000)

    async def steps(site: Site) -> None:
        link = await link_of(site, key)
        large = await sent(site, link, PDF + bytes(1000))
        assert (large.status, large.code) == (413, "too_large")
        assert kept(desk) == 0
        assert (await sent(site, link, PDF)).status == 204

    play(desk, steps, keys_needed=True)


def test_nobody_can_change_what_a_link_says(desk: Desk) -> None:
    small, other = desk.key("small", max_bytes=1000), desk.key("other")

    async def steps(site: Site) -> None:
        link = await link_of(site, small)
        assert re.search(r"most_bytes=1000\b", link)
        other_id = other.split("_")[1]
        for changed in (
            re.sub(r"most_bytes=\d+", "most_bytes=9000", link),
            re.sub(r"owner=\w+", f"owner={other_id}", link),
            re.sub(r"owner=\w+&", "", link),
            re.sub(r"most_bytes=\d+&", "", link),
        ):
            assert changed != link
            assert (await sent(site, changed, PDF)).status in (403, 422)
        assert kept(desk) == 0

    play(desk, steps, keys_needed=True)


def test_a_link_ends_with_its_key_and_follows_its_limit(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "FRESH_S", 0.0)
    key = desk.key("ada")

    async def steps(site: Site) -> None:
        link = await link_of(site, key)
        change(desk, max_bytes=10)
        assert (await sent(site, link, PDF)).code == "too_large"
        change(desk, max_bytes=1000, revoked_at=time.time())
        assert (await sent(site, link, PDF)).code == "forbidden"
        assert kept(desk) == 0

    play(desk, steps, keys_needed=True)
