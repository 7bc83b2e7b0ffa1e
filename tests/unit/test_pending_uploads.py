"""What is sent and never submitted is counted, and may not be too much."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from pagetide.server.api.bodies import upload_ids
from pagetide.server.blobs import ObjectBlobs
from pagetide.server.blobs.apart import ResultsApart
from pagetide.server.ports import Blobs, PostForm
from pagetide.server.service.submitting.pending_uploads import (
    LEAST,
    document_key,
    form_key,
    pending,
    remove_expired,
)
from tests.unit.api_fake import Desk, Part, Reply, Site, play

PDF = b"%PDF 2 uploaded"
TWO, FOUR = 2 * LEAST, 4 * LEAST


def desk_of(folder: Path, **changed: Any) -> Desk:
    return Desk(
        folder, **{"max_pending_bytes_per_key": TWO, "max_pending_bytes": FOUR, **changed}
    )


async def link_of(site: Site, key: str) -> tuple[str, str]:
    """Where a new upload goes, and its id."""
    reply = await site.ask("POST", "/v1/uploads", headers={"authorization": f"Bearer {key}"})
    assert reply.status == 201, reply.json()
    told = reply.json()
    return str(told["url"].partition("8000")[2]), str(told["id"])


async def sent(site: Site, key: str, content: bytes = PDF) -> Reply:
    link, _ = await link_of(site, key)
    return await site.ask("PUT", link, body=content)


def refused(reply: Reply, whose: str) -> bool:
    told = reply.json()
    assert (reply.status, told["code"]) == (429, "busy"), told
    assert int(reply.headers["retry-after"]) > 0
    return str(told["detail"]).startswith(whose)


def test_a_key_that_has_sent_enough_is_refused_until_it_submits(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    ada, bob = desk.key("ada"), desk.key("bob")

    async def steps(site: Site) -> None:
        link, upload = await link_of(site, ada)
        assert (await site.ask("PUT", link, body=PDF)).status == 204
        assert (await site.ask("PUT", link, body=PDF)).status == 204  # in place of the first
        assert (await sent(site, ada)).status == 204
        assert refused(await sent(site, ada), "This key has")
        assert (await sent(site, bob)).status == 204
        body = {"upload": upload, "model": "fake", "name": "scan.pdf"}
        job = await site.post_json("/v1/jobs", body, authorization=f"Bearer {ada}")
        assert job.status == 202
        assert (await sent(site, ada)).status == 204

    play(desk, steps, keys_needed=True)


def test_all_keys_together_have_a_limit(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, max_pending_bytes=TWO)
    keys = [desk.key(name) for name in ("ada", "bob", "cyd")]

    async def steps(site: Site) -> None:
        assert [(await sent(site, key)).status for key in keys[:2]] == [204, 204]
        assert refused(await sent(site, keys[2]), "All keys together have")

    play(desk, steps, keys_needed=True)


def test_what_has_expired_is_counted_no_more(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    ada = desk.key("ada")
    for number in range(2):
        blobs, owner = desk.service.blobs, ada.split("_")[1]
        blobs.put(document_key(upload_id(time.time() - 1, number), owner), PDF)

    async def steps(site: Site) -> None:
        assert (await sent(site, ada)).status == 204

    play(desk, steps, keys_needed=True)


def test_what_is_coming_is_counted_before_it_is_there(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    ada = desk.key("ada")

    async def steps(site: Site) -> None:
        links = [(await link_of(site, ada))[0] for _ in range(6)]
        replies = await asyncio.gather(
            *(site.ask("PUT", link, body=PDF + bytes(LEAST)) for link in links)
        )
        assert sorted({reply.status for reply in replies}) in ([204, 429], [429])
        assert sum(reply.status == 204 for reply in replies) <= 1  # each is more than half
        assert (await sent(site, ada)).status in (204, 429)
        assert sum(pending(desk.service.blobs, time.time()).values()) <= TWO

    play(desk, steps, keys_needed=True)


def test_a_form_that_passes_the_api_counts_until_the_document_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desk_of(tmp_path, max_bytes=LEAST)
    blobs, ada = desk.service.blobs, desk.key("ada")

    def form(key: str, **_: Any) -> PostForm:
        return PostForm(url="https://cloud/", fields={"key": key})

    monkeypatch.setattr(blobs, "post_form", form)

    async def steps(site: Site) -> None:
        headers = {"authorization": f"Bearer {ada}"}
        forms = [await site.ask("POST", "/v1/uploads", headers=headers) for _ in range(3)]
        assert [form.status for form in forms] == [201, 201, 429]
        upload, key = forms[0].json()["id"], forms[0].json()["fields"]["key"]
        blobs.put(key, PDF)  # as the cloud does
        assert (await site.ask("POST", "/v1/uploads", headers=headers)).status == 429
        body = {"upload": upload, "model": "fake", "name": "scan.pdf"}
        assert (await site.post_json("/v1/jobs", body, **headers)).status == 202
        assert (await site.ask("POST", "/v1/uploads", headers=headers)).status == 201

    play(desk, steps, keys_needed=True)


def test_a_file_for_mistrals_clients_counts_as_well(tmp_path: Path) -> None:
    desk = desk_of(tmp_path, max_pending_bytes_per_key=LEAST)
    ada = desk.key("ada")

    async def steps(site: Site) -> None:
        async def kept() -> Reply:
            parts: list[Part] = [("purpose", "ocr"), ("file", PDF, "a.pdf")]
            return await site.post_form("/v1/files", parts, authorization=f"Bearer {ada}")

        first = await kept()
        assert first.status == 200
        assert (await kept()).status == 429
        path = f"/v1/files/{first.json()['id']}"
        headers = {"authorization": f"Bearer {ada}"}
        assert (await site.ask("DELETE", path, headers=headers)).status == 200
        assert (await kept()).status == 200

    play(desk, steps, keys_needed=True)


def upload_id(expires: float, number: int = 0) -> str:
    return upload_ids.new_id(b"", "", expires=int(expires), random=f"{number:020x}")


@pytest.mark.parametrize("apart", [False, True])
def test_it_is_counted_by_what_is_there(apart: bool) -> None:
    blobs: Blobs = ObjectBlobs.in_memory()
    if apart:
        blobs = ResultsApart(blobs, ObjectBlobs.in_memory())
    one, two, old = upload_id(2000, 1), upload_id(2000, 2), upload_id(1000, 3)
    blobs.put(form_key(one, "ada", 5 * LEAST), b"-")
    assert pending(blobs, 1000.0) == {"ada": 5 * LEAST}
    blobs.put(document_key(one, "ada"), bytes(LEAST + 1))
    blobs.put(document_key(two, "ada"), b"x")
    blobs.put(document_key(two, ""), b"x")
    blobs.put(document_key(old, "ada"), b"x")
    blobs.put("uploads/strange", b"x")
    blobs.put("jobs/job_a/input", bytes(LEAST))
    assert pending(blobs, 1000.0) == {"ada": 2 * LEAST + 1, "": LEAST}
    assert remove_expired(blobs, 1059.0) == 0
    assert remove_expired(blobs, 1060.0) == 1
    assert blobs.find(document_key(old, "ada")) is None
    assert remove_expired(blobs, 3000.0) == 4
    assert [blob.key for blob in blobs.under("uploads/")] == ["uploads/strange"]
