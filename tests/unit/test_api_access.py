"""The API: who may ask, from where, and what goes with every answer."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagetide.server.jobs.keys import SCOPES
from tests.unit.api_fake import Desk, Part, Site, play

FILES: list[Part] = [("model", "fake"), ("file", b"%PDF 2 x", "a.pdf")]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


WITH_KEY = [
    "/v1/jobs",
    "/v1/models",
    "/v1/languages",
    "/v1/backlog",
    "/v1/backlog/cpu",
    "/metrics",
    "/v1/jobs/job_1",
]


@pytest.mark.parametrize("path", WITH_KEY)
def test_without_a_key_nothing_is_told(desk: Desk, path: str) -> None:
    key = desk.key("ada", scopes=SCOPES)
    wrong = [
        {},
        {"authorization": "Bearer"},
        {"authorization": "Bearer "},
        {"authorization": key},
        {"authorization": f"Basic {key}"},
        {"authorization": f"Bearer {key[:-1]}"},
        {"authorization": f"Bearer {key}x"},
        {"authorization": f"Bearer pt_zzzzzzzz_{'x' * 43}"},
        {"authorization": "Bearer ä"},
    ]

    async def steps(site: Site) -> None:
        for headers in wrong:
            reply = await site.ask("GET", path, headers=headers)
            assert (reply.status, reply.code) == (401, "unauthorized"), headers
            assert reply.headers["www-authenticate"] == "Bearer"
        right = await site.get(path, authorization=f"bearer  {key}")
        assert right.status == (404 if path.endswith("job_1") else 200)

    play(desk, steps, keys_needed=True)


def test_without_a_key_no_body_is_taken(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        head = {"content-type": "multipart/form-data; boundary=x", "expect": "100-continue"}
        sending = site.begin("POST", "/v1/jobs", headers=head, body=[bytes(1000)] * 100)
        assert (await sending.ended()).status == 401
        assert sending.taken == 0

    play(desk, steps, keys_needed=True)


def test_some_things_need_no_key(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        for path in ("/health/live", "/health/ready", "/docs", "/openapi.json"):
            assert (await site.get(path)).status == 200

    play(desk, steps, keys_needed=True)


def test_a_key_sees_its_own_jobs_alone(desk: Desk) -> None:
    ada, bob = desk.key("ada"), desk.key("bob")

    async def steps(site: Site) -> None:
        made = await site.post_form("/v1/jobs", FILES, authorization=f"Bearer {ada}")
        job_id = made.json()["id"]
        desk.finish(job_id)
        own = {"authorization": f"Bearer {ada}"}
        other = {"authorization": f"Bearer {bob}"}
        for method, rest in [
            ("GET", ""),
            ("GET", "/events"),
            ("GET", "/result"),
            ("GET", "/pages/1"),
            ("GET", "/pages/1/image"),
            ("GET", "/deliveries"),
            ("POST", "/deliveries"),
            ("POST", "/cancel"),
            ("DELETE", ""),
        ]:
            url = f"/v1/jobs/{job_id}{rest}"
            reply = await site.ask(method, url, headers=other)
            assert (reply.status, reply.code) == (404, "job_unknown"), (method, rest)
        for key, count in ((own, 1), (other, 0)):
            listed = await site.ask("GET", "/v1/jobs", headers=key)
            assert len(listed.json()["jobs"]) == count
        assert (await site.ask("GET", f"/v1/jobs/{job_id}", headers=own)).status == 200
        again = await site.post_form("/v1/jobs", FILES, authorization=f"Bearer {bob}")
        assert again.json()["cached"] is False

    play(desk, steps, keys_needed=True)


def test_a_key_has_its_own_limits(desk: Desk) -> None:
    small = desk.key("small", max_bytes=5)
    few = desk.key("few", max_pages=1)
    one = desk.key("one", max_active=1)

    async def steps(site: Site) -> None:
        for key, status, code in (
            (small, 413, "too_large"),
            (few, 413, "too_many_pages"),
            (one, 202, ""),
            (one, 429, "busy"),
        ):
            reply = await site.post_form("/v1/jobs", FILES, authorization=f"Bearer {key}")
            assert reply.status == status
            assert not code or reply.code == code

    play(desk, steps, keys_needed=True)


def test_a_revoked_key_no_longer_opens(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagetide.server.api.context.FRESH_S", 0.0)
    key = desk.key("ada")

    async def steps(site: Site) -> None:
        assert (await site.get("/v1/jobs", authorization=f"Bearer {key}")).status == 200
        kept = desk.service.store.keys()[0]
        desk.service.store.put_key(replace(kept, revoked_at=time.time()))
        refused = await site.get("/v1/jobs", authorization=f"Bearer {key}")
        assert (refused.status, "revoked" in refused.json()["detail"]) == (401, True)

    play(desk, steps, keys_needed=True)


def test_a_key_opens_as_soon_as_it_is_made(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagetide.server.api.context.FRESH_S", 1000.0)
    first = desk.key("ada")

    async def steps(site: Site) -> None:
        assert (await site.get("/v1/jobs", authorization=f"Bearer {first}")).status == 200
        made = desk.key("grace")
        assert (await site.get("/v1/jobs", authorization=f"Bearer {made}")).status == 200

    play(desk, steps, keys_needed=True)


def test_keys_are_read_once_a_second_at_most(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagetide.server.api.context.FRESH_S", 1000.0)
    key, asked = desk.key("ada"), 0
    keys = desk.service.store.keys

    def counted() -> object:
        nonlocal asked
        asked += 1
        return keys()

    monkeypatch.setattr(desk.service.store, "keys", counted)

    async def steps(site: Site) -> None:
        await asyncio.gather(
            *(site.get("/v1/jobs", authorization=f"Bearer {key}") for _ in range(20))
        )
        assert asked == 1

    play(desk, steps, keys_needed=True)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.1", "", "a b"]
)
def test_without_keys_only_own_names_are_answered(desk: Desk, host: str) -> None:
    async def steps(site: Site) -> None:
        for path in ("/v1/jobs", "/docs", "/health/live"):
            reply = await site.get(path, host=host)
            assert (reply.status, reply.code) == (403, "forbidden")

    play(desk, steps)


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST:8000", "127.0.0.1", "127.1.2.3:80", "[::1]:8000", "a.localhost"],
)
def test_own_names_are_answered(desk: Desk, host: str) -> None:
    async def steps(site: Site) -> None:
        assert (await site.get("/v1/jobs", host=host)).status == 200

    play(desk, steps)


def test_without_keys_but_told_to_listen_elsewhere(tmp_path: Path) -> None:
    desk = Desk(tmp_path, host="0.0.0.0", public_url="https://read.example")  # noqa: S104

    async def steps(site: Site) -> None:
        for host, status in {
            "10.1.2.3:8000": 200,
            "api:8000": 200,
            "[fd00::1]": 200,
            "read.example": 200,
            "evil.example": 403,
        }.items():
            assert (await site.get("/v1/jobs", host=host)).status == status, host

    play(desk, steps)


CROSSING = {
    "another origin": {"origin": "https://evil.example"},
    "another port": {"origin": "http://127.0.0.1:3000"},
    "a sandboxed page": {"origin": "null"},
    "another site": {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
    "a frame": {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "iframe",
    },
}


@pytest.mark.parametrize("headers", CROSSING.values(), ids=CROSSING)
def test_without_keys_other_sites_are_refused(desk: Desk, headers: dict[str, str]) -> None:
    async def steps(site: Site) -> None:
        for method in ("GET", "POST"):
            reply = await site.ask(method, "/v1/jobs", headers=headers)
            assert (reply.status, reply.code) == (403, "forbidden")

    play(desk, steps)


def test_own_pages_and_followed_links_are_answered(desk: Desk) -> None:
    followed = {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
    }

    async def steps(site: Site) -> None:
        own = {"origin": "http://127.0.0.1:8000", "sec-fetch-site": "same-origin"}
        assert (await site.ask("GET", "/v1/jobs", headers=own)).status == 200
        assert (await site.ask("GET", "/docs", headers=followed)).status == 200
        assert (await site.ask("POST", "/v1/read", headers=followed)).status == 403

    play(desk, steps)


def test_with_keys_any_name_is_answered(desk: Desk) -> None:
    key = desk.key("ada")

    async def steps(site: Site) -> None:
        headers = {"host": "read.example", "authorization": f"Bearer {key}"}
        assert (await site.ask("GET", "/v1/jobs", headers=headers)).status == 200

    play(desk, steps, keys_needed=True)


def test_no_made_up_host_goes_into_a_link(desk: Desk) -> None:
    key = desk.key("ada")

    async def steps(site: Site) -> None:
        headers = {"host": 'evil"><script>', "authorization": f"Bearer {key}"}
        job = desk.submit(owner=key[3:11])
        reply = await site.ask("GET", f"/v1/jobs/{job.id}", headers=headers)
        assert reply.json()["links"]["self"] == f"/v1/jobs/{job.id}"

    play(desk, steps, keys_needed=True)


@pytest.mark.parametrize(
    "path", ["/v1/jobs", "/nothing", "/v1/jobs/x", "/metrics", "/v1/jobs?x=1"]
)
def test_every_answer_has_security_headers(desk: Desk, path: str) -> None:
    async def steps(site: Site) -> None:
        headers = (await site.get(path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers

    play(desk, steps)


def test_other_methods_and_paths_are_problems(desk: Desk) -> None:
    async def steps(site: Site) -> None:
        reply = await site.ask("PUT", "/v1/jobs")
        assert (reply.status, reply.code) == (405, "method_not_allowed")
        assert reply.headers["allow"] == "GET, HEAD, POST"
        for path in ("/ui", "/v1", "/v1/jobs/", "/v1/nothing", "/docs/x"):
            reply = await site.get(path)
            assert (reply.status, reply.code) == (404, "not_found"), path
            assert reply.json()["instance"] == path

    play(desk, steps)


def test_the_log_has_the_template_and_no_secret(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    key = desk.key("ada")

    async def steps(site: Site) -> None:
        job = desk.submit(owner=key[3:11], name="secret-name.pdf")
        auth = {"authorization": f"Bearer {key}"}
        await site.ask("GET", f"/v1/jobs/{job.id}?wait=0", headers=auth)
        await site.get(f"/v1/files/{job.id}/json?expires=1&signature=sesame")
        await site.ask("PURGE", "/v1/secret-path")

    play(desk, steps, keys_needed=True)
    lines = [
        (record.__dict__["method"], record.__dict__["path"], record.__dict__["status"])
        for record in caplog.records
        if record.name == "pagetide.access"
    ]
    assert lines == [
        ("GET", "/v1/jobs/{job_id}", 200),
        ("GET", "/v1/files/{job_id}/{format}", 403),
        ("PURGE", "unknown", 404),
    ]
    told = " ".join(str(record.__dict__) for record in caplog.records)
    assert not re.search("sesame|secret-|wait=|pt_", told)
