"""What a key may do: every route says it, and holds to it before it looks at the request."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from msgspec.structs import replace

from pagetide.errors import StoreFailed
from pagetide.server.api.callers.scopes import OPEN, Need, needs
from pagetide.server.jobs.keys import SCOPES, Scope, rotated
from tests.unit.api_fake import Desk, Site, play

OPERATIONS = {  # Textract's routes have one path, and are told apart by this
    "Textract's Detect": "Textract.DetectDocumentText",
    "Textract's Start": "Textract.StartDocumentAnalysis",
    "Textract's Get": "Textract.GetDocumentAnalysis",
}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def asked(need: Need) -> tuple[str, str, dict[str, str]]:
    """A request to a route: method, path and headers."""
    method, _, path = need.route.partition(" ")
    headers = {"content-type": "application/octet-stream", "expect": "100-continue"}
    for beginning, target in OPERATIONS.items():
        if need.does.startswith(beginning):
            headers["x-amz-target"] = target
    if path == "/" and method == "POST":
        headers.setdefault("x-amz-target", "Textract.Nothing")
    return method, re.sub(r"{\w+}", "1", path), headers


def locked(desk: Desk) -> list[Need]:
    return [need for need in needs(desk.app().routes) if need.scopes is not None]


def test_every_route_declares_its_scopes_or_why_it_needs_no_key(desk: Desk) -> None:
    found = needs(desk.app().routes)
    assert {need.route for need in found if need.scopes is None} == OPEN.keys()
    assert {scope for need in found for scope in need.scopes or ()} == set(SCOPES)


@pytest.mark.parametrize("path", ["/v1/new", "/docs/new"])
def test_a_route_that_says_nothing_is_a_mistake(path: str) -> None:
    app = FastAPI(openapi_url=None)
    app.get(path)(_silent)
    with pytest.raises(LookupError, match=f"GET {path}"):
        needs(app.routes)


async def _silent() -> None:
    """Say nothing."""


def test_a_key_without_the_scope_is_refused_before_anything_is_read(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    others: dict[Scope, str] = {
        scope: desk.key(scope, scopes=[one for one in SCOPES if one != scope])
        for scope in SCOPES
    }
    wanted = locked(desk)

    def touched(*_: object, **__: object) -> None:
        raise AssertionError("work was done for a key that may not ask for it")

    for name in ("job", "jobs", "submit", "change", "backlog", "put_value"):
        monkeypatch.setattr(desk.service.store, name, touched)

    async def steps(site: Site) -> None:
        for need in wanted:
            method, path, headers = asked(need)
            for scope in need.scopes or ():
                key = {"authorization": f"Bearer {others[scope]}"}
                sending = site.begin(method, path, {**headers, **key}, [bytes(1000)] * 100)
                reply = await sending.ended()
                refused = 400 if "x-amz-target" in headers else 403  # AWS tells it so
                assert reply.status == refused, (need.route, scope)
                assert f"`{scope}`" in reply.body.decode(), (need.route, scope)
                assert sending.taken == 0, (need.route, scope)
                assert not list(desk.uploads.iterdir()), (need.route, scope)

    play(desk, steps, keys_needed=True)


def test_a_key_with_just_the_scopes_is_let_through(desk: Desk) -> None:
    wanted = locked(desk)
    keys = {need.scopes: desk.key("just", scopes=need.scopes or ()) for need in wanted}

    async def steps(site: Site) -> None:
        for need in wanted:
            method, path, headers = asked(need)
            headers["authorization"] = f"Bearer {keys[need.scopes]}"
            del headers["expect"]
            reply = await site.ask(method, path, headers=headers, body=b"x")
            assert reply.status not in {401, 403}, (need.route, reply.body)
            assert b"does not have the required scope" not in reply.body, (
                need.route,
                reply.body,
            )

    play(desk, steps, keys_needed=True)


def test_what_is_missing_has_a_code_of_its_own(desk: Desk) -> None:
    key = {"authorization": f"Bearer {desk.key('new')}"}  # read and submit, as any new one

    async def steps(site: Site) -> None:
        for path in ("/metrics", "/v1/backlog", "/v1/backlog/cpu", "/v1/history"):
            reply = await site.get(path, **key)
            assert (reply.status, reply.code) == (403, "scope_missing")
            assert reply.json()["detail"] == (
                "This API key does not have the required scope `operate`."
            )
        reply = await site.post_json("/v1/pools/cpu/warm", {"workers": 100}, **key)
        assert (reply.status, reply.code) == (403, "scope_missing")
        assert (await site.get("/v1/jobs", **key)).status == 200
        assert (await site.get("/v1/limits", **key)).json()["scopes"] == ["read", "submit"]

    play(desk, steps, keys_needed=True)


def test_a_key_made_before_there_were_scopes_may_do_all(desk: Desk) -> None:
    key = {"authorization": f"Bearer {desk.key('old')}"}
    change(desk, scopes=None)

    async def steps(site: Site) -> None:
        for path in ("/metrics", "/v1/backlog", "/v1/jobs"):
            assert (await site.get(path, **key)).status == 200
        reply = await site.post_json("/v1/pools/cpu/warm", {}, **key)
        assert reply.status == 200

    play(desk, steps, keys_needed=True)


def test_where_keys_are_off_anybody_may_do_all(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        for path in ("/metrics", "/v1/backlog", "/v1/jobs", "/v1/history"):
            assert (await site.get(path)).status == 200
        assert (await site.get("/v1/limits")).json()["scopes"] == list(SCOPES)

    play(desk, steps)


def test_an_expired_key_opens_nothing(desk: Desk) -> None:
    key = {"authorization": f"Bearer {desk.key('short', expires_at=time.time() - 1)}"}

    async def steps(site: Site) -> None:
        reply = await site.get("/v1/jobs", **key)
        assert (reply.status, reply.code) == (401, "unauthorized")
        assert "expired" in reply.json()["detail"]

    play(desk, steps, keys_needed=True)


@pytest.mark.parametrize(("grace_s", "status"), [(3600.0, 200), (0.0, 401)])
def test_after_a_rotation_the_old_secret_opens_for_the_grace_time(
    desk: Desk, grace_s: float, status: int
) -> None:
    old = desk.key("ada")
    [kept] = desk.service.store.keys()
    new, kept = rotated(kept, secret="n" * 43, now=time.time(), grace_s=grace_s)
    desk.service.store.put_key(kept)

    async def steps(site: Site) -> None:
        assert (await site.get("/v1/jobs", authorization=f"Bearer {new}")).status == 200
        assert (await site.get("/v1/jobs", authorization=f"Bearer {old}")).status == status

    play(desk, steps, keys_needed=True)


def test_the_description_names_the_scopes(desk: Desk) -> None:
    paths = desk.app(keys_needed=True).openapi()["paths"]
    assert paths["/v1/read"]["post"]["security"] == [{"key": ["submit", "read"]}]
    assert "needs `scale`" in paths["/v1/pools/{pool}/warm"]["post"]["description"]
    assert paths["/v1/limits"]["get"]["security"] == [{"key": []}]
    assert "security" not in paths["/health/live"]["get"]


def change(desk: Desk, **fields: Any) -> None:
    """Change what is kept of the only key."""
    [kept] = desk.service.store.keys()
    desk.service.store.put_key(replace(kept, **fields))


def used(desk: Desk) -> bytes:
    [kept] = desk.service.store.keys()
    return desk.service.store.value(f"key_use:{kept.id}", b"")


def test_the_use_of_a_key_is_noted_to_the_hour_and_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, writes = desk.key("ada"), []
    put_value = desk.service.store.put_value

    def counted(name: str, value: bytes) -> None:
        writes.append(name)
        put_value(name, value)

    monkeypatch.setattr(desk.service.store, "put_value", counted)

    async def steps(site: Site) -> None:
        for _ in range(20):
            assert (await site.get("/v1/jobs", authorization=f"Bearer {key}")).status == 200

    began = time.time()
    play(desk, steps, keys_needed=True)
    assert int(used(desk)) in {int(at) // 3600 * 3600 for at in (began, time.time())}
    assert 1 <= len(writes) <= 2  # two, where an hour ends meanwhile


def test_a_use_that_cannot_be_noted_fails_no_request(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    key, tries = desk.key("ada"), 0

    def broken(*_: object) -> None:
        nonlocal tries
        tries += 1
        raise StoreFailed

    monkeypatch.setattr(desk.service.store, "put_value", broken)

    async def steps(site: Site) -> None:
        for _ in range(20):
            assert (await site.get("/v1/jobs", authorization=f"Bearer {key}")).status == 200

    play(desk, steps, keys_needed=True)
    assert tries == 1
    assert "could not be noted" in caplog.text
    assert used(desk) == b""
