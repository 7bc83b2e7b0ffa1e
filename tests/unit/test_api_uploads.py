"""Uploads: sent before they are submitted; for one key, one job, and a while."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.errors import NotFound
from pagetide.server.api.bodies import upload_ids
from pagetide.server.maintenance.maintenance import Sweeper
from pagetide.server.ports import Blob
from pagetide.server.service.submitting.pending_uploads import document_key
from tests.unit.api_fake import Desk, Reply, Site, play

PDF = b"%PDF 2 uploaded"
SECRET = bytes(32)
RANDOM = "0123456789abcdef0123"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, max_bytes=1000)


async def asked(site: Site, **headers: str) -> dict[str, Any]:
    reply = await site.ask("POST", "/v1/uploads", headers=headers)
    assert reply.status == 201
    told: dict[str, Any] = reply.json()
    return told


async def sent(site: Site, upload: dict[str, Any], content: bytes = PDF) -> Reply:
    assert upload["method"] == "PUT"
    path = upload["url"].partition("8000")[2]
    return await site.ask("PUT", path, body=content)


async def submitted(site: Site, upload_id: str, *, by: str = "", **fields: Any) -> Reply:
    headers = {"authorization": by} if by else {}
    headers |= {name: fields.pop(name) for name in ("idempotency_key",) if name in fields}
    body = {"upload": upload_id, "model": "fake", "name": "scan.pdf", **fields}
    return await site.post_json("/v1/jobs", body, **headers)


def keys_of(desk: Desk) -> set[str]:
    blobs = desk.service.blobs
    return {blob.key for place in ("jobs/", "uploads/") for blob in blobs.under(place)}


def test_what_was_uploaded_becomes_a_job_and_is_gone(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        upload = await asked(site)
        assert (upload["max_bytes"], upload["fields"]) == (1000, {})
        assert (await sent(site, upload)).status == 204
        reply = await submitted(site, upload["id"])
        assert reply.status == 202
        job = desk.service.job(reply.json()["id"])
        assert (job.source.name, job.source.bytes) == ("scan.pdf", len(PDF))
        assert desk.service.blobs.get(job.input) == PDF
        assert keys_of(desk) == {job.input, f"jobs/{upload['id']}/used"}

    play(desk, steps)


def test_an_upload_makes_one_job(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        upload = await asked(site)
        await sent(site, upload)
        first = (await submitted(site, upload["id"])).json()["id"]
        for more in ({}, {"idempotency_key": "mine"}):
            again = await submitted(site, upload["id"], **more)
            assert (again.status, again.json()["id"]) == (202, first)
        other = await submitted(site, upload["id"], pages="1")
        assert (other.status, other.code) == (409, "idempotency_conflict")
        assert (await sent(site, upload)).code == "not_found"
        assert len((await site.get("/v1/jobs")).json()["jobs"]) == 1

    play(desk, steps)


def test_an_upload_is_of_the_key_that_asked_for_it(desk: Desk) -> None:
    ada, bob = (f"Bearer {desk.key(name)}" for name in ("ada", "bob"))

    async def steps(site: Site) -> None:
        upload = await asked(site, authorization=ada)
        assert (await sent(site, upload)).status == 204  # without a key
        theirs = await submitted(site, upload["id"], by=bob)
        assert (theirs.status, theirs.code) == (404, "not_found")
        assert (await submitted(site, upload["id"], by=ada)).status == 202
        assert (await site.ask("POST", "/v1/uploads")).code == "unauthorized"

    play(desk, steps, keys_needed=True)


def test_hostile_ids_are_not_there(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        upload = await asked(site)
        await sent(site, upload)
        good = upload["id"]
        last = "0" if good[-1] != "0" else "1"
        hostile = ["", "../x", "up_", good[:-1] + last, good.upper(), f"{good}0", "job_1"]
        for upload_id in [*hostile, f"../{good}", f"{good}/x", "up_" + "é" * 61]:
            reply = await submitted(site, upload_id)
            assert (reply.status, reply.code) == (404, "not_found"), upload_id
        assert (await submitted(site, "x" * 101)).status == 422
        for path in (f"/v1/uploads/{good}", f"/v1/uploads/{good[:-1]}{last}?x"):
            assert (await site.ask("PUT", path, body=PDF)).status in (403, 404, 422)
        wrong = upload["url"].partition("8000")[2].replace(good, good[:-1] + last)
        assert (await site.ask("PUT", wrong, body=PDF)).code == "forbidden"

    play(desk, steps)


def test_what_is_too_large_is_refused_and_not_kept(desk: Desk) -> None:
    small = f"Bearer {desk.key('small', max_bytes=50)}"

    async def steps(site: Site) -> None:
        upload = await asked(site, authorization=small)
        assert upload["max_bytes"] == 50
        large = await sent(site, upload, b"%PDF 1 " + bytes(994))
        assert (large.status, large.code) == (413, "too_large")
        assert (await sent(site, upload, b"")).status == 422
        assert keys_of(desk) == set()
        over = b"%PDF 1 " + bytes(44)
        assert (await sent(site, upload, over)).code == "too_large"
        key = document_key(upload["id"], small.split("_")[1])
        desk.service.blobs.put(key, over)  # as S3 may have let it through
        reply = await submitted(site, upload["id"], by=small)
        assert (reply.status, reply.code) == (413, "too_large")
        assert keys_of(desk) == set()

    play(desk, steps, keys_needed=True)


def test_a_refused_submission_can_be_made_again(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        upload = await asked(site)
        assert (await submitted(site, upload["id"])).code == "not_found"  # nothing sent yet
        await sent(site, upload)
        assert (await submitted(site, upload["id"], model="no-such")).status == 422
        both = await submitted(site, upload["id"], file_url="http://example.com/a.pdf")
        assert (both.status, both.code) == (422, "bad_option")
        assert (await submitted(site, upload["id"])).status == 202
        assert list(desk.uploads.iterdir()) == []

    play(desk, steps)


def test_what_is_never_submitted_is_swept_away(desk: Desk) -> None:
    ahead = 0.0

    async def steps(site: Site) -> None:
        await sent(site, await asked(site))
        used = await asked(site)
        await sent(site, used)
        await submitted(site, used["id"])

    play(desk, steps)
    service = desk.service
    sweeper = Sweeper(
        store=service.store,
        blobs=service.blobs,
        notifier=service.notifier,
        settings=desk.settings,
        clock=lambda: time.time() + ahead,
    )
    assert sweeper.remove_uploads() == 0
    assert len([key for key in keys_of(desk) if "/up_" in key]) == 2
    ahead = upload_ids.USABLE_S + 61
    assert sweeper.remove_uploads() == 1
    ahead = 3700.0  # notes of which job one became go as what is no job's does
    sweeper.remove_orphans()
    ahead = 7400.0
    sweeper.remove_orphans()
    assert [key for key in keys_of(desk) if "/up_" in key] == []
    assert len(keys_of(desk)) == 1


def test_an_upload_expires() -> None:
    upload_id = upload_ids.new_id(SECRET, "ada", expires=1000, random=RANDOM)
    upload_ids.check(SECRET, upload_id, "ada", now=999.9)
    with pytest.raises(NotFound):
        upload_ids.check(SECRET, upload_id, "ada", now=1000.0)


@given(
    st.integers(0, 60),
    st.characters(codec="utf-8"),
    st.sampled_from([str.upper, str.strip, lambda text: text]),
)
def test_an_id_that_was_changed_is_nobodys(
    place: int, letter: str, change: Callable[[str], str]
) -> None:
    upload_id = upload_ids.new_id(SECRET, "ada", expires=1 << 35, random=RANDOM)
    changed = change(upload_id[: 3 + place] + letter + upload_id[4 + place :])
    if changed != upload_id:
        with pytest.raises(NotFound):
            upload_ids.check(SECRET, changed, "ada", now=0.0)


@given(st.text(max_size=20), st.text(max_size=20))
def test_an_id_is_one_owners(owner: str, other: str) -> None:
    upload_id = upload_ids.new_id(SECRET, owner, expires=1 << 35, random=RANDOM)
    upload_ids.check(SECRET, upload_id, owner, now=0.0)
    if other != owner:
        with pytest.raises(NotFound):
            upload_ids.check(SECRET, upload_id, other, now=0.0)


def test_who_submits_beside_another_is_told_of_its_job(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a client that asks again, because its first request takes long."""

    async def steps(site: Site) -> None:
        upload = await asked(site)
        await sent(site, upload)
        loop, find, first = asyncio.get_running_loop(), desk.service.blobs.find, Future[Reply]()

        def find_late(key: str) -> Blob | None:
            if key == document_key(upload["id"], ""):
                monkeypatch.undo()
                other = submitted(site, upload["id"])
                first.set_result(asyncio.run_coroutine_threadsafe(other, loop).result())
            return find(key)

        monkeypatch.setattr(desk.service.blobs, "find", find_late)
        second = await submitted(site, upload["id"])
        assert (second.status, second.json()["id"]) == (202, first.result().json()["id"])

    play(desk, steps)
