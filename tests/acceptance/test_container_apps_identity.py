"""Blobs and queues with the identity of a Container App, and no key anywhere.

Such an app finds where its identity is told in `IDENTITY_ENDPOINT`, and what to show there in
`IDENTITY_HEADER`; `AZURE_CLIENT_ID` says which of its identities is meant.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from pagetide.errors import StoreFailed
from pagetide.server.blobs import open_blobs

TOKEN, CLIENT, HEADER = "a-token", "00000000-client", "a-header"
SIGNING_KEY = b"""<?xml version="1.0" encoding="utf-8"?>
<UserDelegationKey>
  <SignedOid>00000000-0000-0000-0000-000000000001</SignedOid>
  <SignedTid>00000000-0000-0000-0000-000000000002</SignedTid>
  <SignedStart>2026-11-21T12:00:00Z</SignedStart>
  <SignedExpiry>2026-11-21T13:00:00Z</SignedExpiry>
  <SignedService>b</SignedService>
  <SignedVersion>2023-11-03</SignedVersion>
  <Value>c2lnbmluZyBrZXk=</Value>
</UserDelegationKey>"""


@dataclass
class Cloud:
    """What a Container App sees: where identities are told, and a storage account.

    Attributes:
        url: Of both.
        asked: What identities were asked for: the path's parameters and the header.
        shown: What the account was shown.
    """

    url: str = ""
    asked: list[tuple[dict[str, list[str]], str | None]] = field(default_factory=list)
    shown: list[str | None] = field(default_factory=list)


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cloud]:
    """A stand-in for both, and the environment of a Container App."""
    seen = Cloud()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/msi/token":
                seen.asked.append((parse_qs(parts.query), self.headers["X-IDENTITY-HEADER"]))
                told = {
                    "access_token": TOKEN,
                    "expires_on": str(int(time.time()) + 3600),
                    "resource": "https://storage.azure.com",
                    "token_type": "Bearer",
                }
                self._answer(200, json.dumps(told).encode())
            else:
                seen.shown.append(self.headers["Authorization"])
                right = self.headers["Authorization"] == f"Bearer {TOKEN}"
                self._answer(200 if right else 403, b"a page" if right else b"")

        def do_POST(self) -> None:
            """A key to sign links with, for who shows the identity's token."""
            seen.shown.append(self.headers["Authorization"])
            self.rfile.read(int(self.headers["Content-Length"] or 0))
            right = self.path.endswith("restype=service&comp=userdelegationkey")
            self._answer(200 if right else 400, SIGNING_KEY if right else b"")

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Last-Modified", "Sat, 21 Nov 2026 12:00:00 GMT")
            self.send_header("ETag", '"1"')
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    seen.url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("IDENTITY_ENDPOINT", f"{seen.url}/msi/token")
    monkeypatch.setenv("IDENTITY_HEADER", HEADER)
    monkeypatch.setenv("AZURE_CLIENT_ID", CLIENT)
    try:
        yield seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_blobs_are_read_with_the_apps_identity(cloud: Cloud) -> None:
    blobs = open_blobs(f"az://results/pagetide?account=tide&endpoint={cloud.url}/tide")
    assert blobs.get("jobs/1/page") == b"a page"
    [(asked, header)] = cloud.asked
    assert asked["client_id"] == [CLIENT]
    assert asked["resource"] == ["https://storage.azure.com"]
    assert header == HEADER
    assert set(cloud.shown) == {f"Bearer {TOKEN}"}


def test_links_are_signed_with_the_apps_identity(cloud: Cloud) -> None:
    """Which is what the API needs the role Storage Blob Delegator for."""
    blobs = open_blobs(f"az://results/pagetide?account=tide&endpoint={cloud.url}/tide")
    key, kind = "jobs/1/results/document.json", "application/json"
    link = blobs.link(key, expires_s=600, name="document.json", media_type=kind)
    assert link
    signed = parse_qs(urlsplit(link).query)
    assert signed["skoid"] == ["00000000-0000-0000-0000-000000000001"]
    assert signed["sp"] == ["r"]
    assert cloud.shown == [f"Bearer {TOKEN}"]


def test_without_an_identity_they_are_not(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_STORAGE_TOKEN", "another")
    blobs = open_blobs(f"az://results/pagetide?account=tide&endpoint={cloud.url}/tide")
    with pytest.raises(StoreFailed):
        blobs.get("jobs/1/page")
    assert cloud.asked == []


def test_the_queues_client_finds_the_same_identity(cloud: Cloud) -> None:
    """What `queues.azure` shows to the account; that is done over https alone."""
    from azure.identity import DefaultAzureCredential

    with closing(DefaultAzureCredential()) as credential:
        token = credential.get_token("https://storage.azure.com/.default")
    assert token.token == TOKEN
    [(asked, header)] = cloud.asked
    assert asked["client_id"] == [CLIENT]
    assert header == HEADER
