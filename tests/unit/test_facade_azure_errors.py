"""Azure's facade: whatever goes wrong is told in the protocol's own form."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from pagetide.errors import StoreFailed
from tests.unit.api_fake import Desk, Reply, Site, play

MODELS = "/documentintelligence/documentModels"
VERSION = "?api-version=2024-11-30"
ANALYZE = f"{MODELS}/big:analyze{VERSION}"
BATCH = f"{MODELS}/big:analyzeBatch{VERSION}"
JSON = {"content-type": "application/json"}
SIGNED = "http://10.0.0.1/scans?sig=secret-signature"


def code(reply: Reply) -> tuple[int, str, str]:
    error = reply.json()["error"]
    assert reply.headers["content-type"] == "application/json"
    assert error["message"] and error["innererror"]["message"]
    return reply.status, error["code"], error["innererror"]["code"]


async def send(site: Site, path: str, body: object, **headers: str) -> Reply:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return await site.ask("POST", path, headers={**JSON, **headers}, body=sent)


@pytest.mark.parametrize("path", [ANALYZE, BATCH])
@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff", b"[" * 100_000, [], {}, {"other": 1}, {"urlSource": 1}],
    ids=["empty", "half", "no text", "deep", "a list", "nothing", "unknown", "a number"],
)
def test_bodies_that_are_wrong(tmp_path: Path, path: str, body: object) -> None:
    async def steps(site: Site) -> None:
        status, kind, _ = code(await send(site, path, body))
        assert (status, kind in ("InvalidArgument", "InvalidRequest")) == (400, True)

    play(Desk(tmp_path, aliases={"big": "fake"}), steps)


def test_an_empty_url_is_none(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        reply = await send(site, ANALYZE, {"urlSource": ""})
        assert code(reply) == (403, "Forbidden", "OutboundAccessForbidden")

    play(Desk(tmp_path, aliases={"big": "fake"}), steps)


def test_documents_that_are_wrong(tmp_path: Path) -> None:
    async def steps(site: Site) -> None:
        for content, kind in ((b"", "image/png"), (b"words", "multipart/form-data")):
            reply = await send(site, ANALYZE, content, **{"content-type": kind})
            assert code(reply) == (400, "InvalidRequest", "InvalidContent")
        large = {"content-type": "application/pdf", "content-length": str(1 << 40)}
        reply = await send(site, ANALYZE, b"%PDF 1", **large)
        assert code(reply) == (400, "InvalidRequest", "InvalidContentLength")
        private = await send(site, ANALYZE, {"urlSource": SIGNED})
        assert code(private) == (403, "Forbidden", "OutboundAccessForbidden")
        assert b"secret" not in private.body

    play(Desk(tmp_path, aliases={"big": "fake"}), steps)


def test_containers_where_this_server_does_not_go(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    public = "https://host.example/read?sig=secret-signature"
    pairs = ((SIGNED, public), (public, SIGNED), ("file:///etc", public), (public, "scans"))

    async def steps(site: Site) -> None:
        for source, target in pairs:
            body = {
                "azureBlobSource": {"containerUrl": source},
                "resultContainerUrl": target,
            }
            reply = await send(site, BATCH, body)
            assert code(reply)[0] in (400, 403)
            assert b"secret" not in reply.body

    play(Desk(tmp_path, aliases={"big": "fake"}), steps)
    assert "secret" not in caplog.text


def test_what_is_full_or_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk(tmp_path, aliases={"big": "fake"}, max_active=1)
    document: dict[str, Any] = {"content-type": "application/pdf"}

    def down(*_: object) -> None:
        raise StoreFailed

    def broken(*_: object) -> None:
        raise ZeroDivisionError("something from inside")

    async def steps(site: Site) -> None:
        reply = await send(site, ANALYZE, b"%PDF 1 a", **document)
        assert reply.status == 202
        where = (
            "/documentintelligence"
            + reply.headers["operation-location"].partition("/documentintelligence")[2]
        )
        busy = await send(site, ANALYZE, b"%PDF 1 b", **document)
        assert code(busy) == (429, "TooManyRequests", "RequestRateLimitExceeded")
        assert int(busy.headers["retry-after"]) > 0
        monkeypatch.setattr(desk.service, "job", down)
        reply = await site.get(where)
        assert code(reply) == (503, "ServiceUnavailable", "StoreFailed")
        assert int(reply.headers["retry-after"]) > 0
        monkeypatch.setattr(desk.service, "job", broken)
        reply = await site.get(where)
        assert code(reply) == (500, "InternalServerError", "Unknown")
        assert b"inside" not in reply.body

    play(desk, steps)
    assert "something from inside" in caplog.text
