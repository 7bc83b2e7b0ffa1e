"""Webhooks: what is posted, signed so that the public library verifies it, and what is not."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from http.server import BaseHTTPRequestHandler
from typing import Any

import anyio
import pytest
from msgspec.structs import replace
from standardwebhooks import Webhook, WebhookVerificationError

from pagetide.document import SourceInfo
from pagetide.net.network import Outside
from pagetide.server.jobs.job import Delivery, Job, JobOptions
from pagetide.server.maintenance.webhook import note, post, sign
from pagetide.server.service.webhook_secrets import secret_as_text
from tests.loopback import Loopback, answering, loopback, redirecting
from tests.parts.server import silent_port

SECRET = bytes(range(32))
OTHER = bytes(range(100, 132))
LONG_S = 60.0
JOB = Job(
    id="job_1",
    owner="key_1",
    status="partial",
    created_at=1_700_000_000,
    finished_at=1_700_000_060.5,
    expires_at=1_800_000_000,
    pool="cpu",
    options=JobOptions(model="fake"),
    source=SourceInfo(
        name="secret name.pdf",
        sha256="0" * 64,
        bytes=1,
        media_type="application/pdf",
        page_count=9,
    ),
    input="jobs/job_1/input",
    password="hunter2",  # noqa: S106
    page_count=9,
    pages_done=9,
    pages_failed=2,
    metadata={"invoice": "4711"},
)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as running:
        running.answers["/hook"] = answering(status=204)
        yield running


def posted(url: str, body: bytes, headers: Mapping[str, str], **given: Any) -> Delivery:
    return anyio.run(partial(post, url, body, headers, **given))


def deliver(server: Loopback, path: str = "/hook", timeout_s: float = LONG_S) -> Delivery:
    body = note(JOB, "https://ocr.example.com")
    return posted(
        f"http://127.0.0.1:{server.port}{path}",
        body,
        sign([SECRET], "msg_1", time.time(), body),
        timeout_s=timeout_s,
        now=1234.5,
        allowed_hosts=frozenset({"127.0.0.1"}),
    )


def test_what_is_posted_is_verified_by_the_public_library(server: Loopback) -> None:
    delivery = deliver(server)
    (request,) = server.received
    verified = Webhook(secret_as_text(SECRET)).verify(request.body, dict(request.headers))
    assert verified == json.loads(request.body)
    assert (request.method, request.headers["Content-Type"]) == ("POST", "application/json")
    assert (delivery.status, delivery.error, delivery.at) == (204, "", 1234.5)
    assert delivery.succeeded and 0 < delivery.elapsed_ms < LONG_S * 1000
    with pytest.raises(WebhookVerificationError):
        Webhook(secret_as_text(OTHER)).verify(request.body, dict(request.headers))
    with pytest.raises(WebhookVerificationError):
        Webhook(secret_as_text(SECRET)).verify(request.body + b" ", dict(request.headers))


def test_the_signature_is_that_of_the_public_library() -> None:
    now = time.time()
    headers = sign([SECRET], "msg_1", now, b'{"a": 1}')
    theirs = Webhook(secret_as_text(SECRET)).sign(
        "msg_1", datetime.fromtimestamp(int(now), UTC), '{"a": 1}'
    )
    assert headers == {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(now)),
        "webhook-signature": theirs,
    }


def test_while_secrets_are_rotated_both_verify() -> None:
    headers = sign([OTHER, SECRET], "msg_1", time.time(), b"{}")
    assert len(headers["webhook-signature"].split()) == 2
    for secret in (SECRET, OTHER):
        assert Webhook(secret_as_text(secret)).verify("{}", headers) == {}


def test_an_old_note_cannot_be_sent_again() -> None:
    headers = sign([SECRET], "msg_1", time.time() - 3600, b"{}")
    with pytest.raises(WebhookVerificationError):
        Webhook(secret_as_text(SECRET)).verify("{}", headers)


def test_a_secret_has_a_text() -> None:
    """As receivers' libraries take it: `standardwebhooks` in the tests around."""
    begin, _, rest = secret_as_text(SECRET).partition("_")
    assert (begin, base64.b64decode(rest)) == ("whsec", SECRET)


def test_a_note_says_how_it_ended_and_nothing_of_the_document() -> None:
    body = note(JOB, "https://ocr.example.com/")
    assert json.loads(body) == {
        "type": "job.partial",
        "timestamp": "2023-11-14T22:14:20.500000Z",
        "data": {
            "id": "job_1",
            "status": "partial",
            "pages_total": 9,
            "pages_done": 9,
            "pages_failed": 2,
            "metadata": {"invoice": "4711"},
            "links": {
                "self": "https://ocr.example.com/v1/jobs/job_1",
                "result": "https://ocr.example.com/v1/jobs/job_1/result",
            },
        },
    }
    assert body == note(JOB, "https://ocr.example.com")
    assert b"hunter2" not in body and b"secret name" not in body


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_note_of_a_job_without_a_result_links_to_none(status: str) -> None:
    ended = json.loads(note(replace(JOB, status=status), "http://h"))
    assert ended["type"] == f"job.{status}"
    assert set(ended["data"]["links"]) == {"self"}


@pytest.mark.parametrize("status", [400, 404, 410, 500, 503])
def test_another_status_is_a_failure(server: Loopback, status: int) -> None:
    server.answers["/hook"] = answering(b"text of theirs", status)
    delivery = deliver(server)
    assert delivery.status == status and not delivery.succeeded
    assert delivery.error == f"The webhook answered with status {status}."


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_a_failure_and_not_followed(server: Loopback, status: int) -> None:
    server.answers["/away"] = redirecting("/hook", status)
    delivery = deliver(server, "/away")
    assert delivery.status == status and not delivery.succeeded
    assert "redirects" in delivery.error
    assert [request.path for request in server.received] == ["/away"]


def test_a_webhook_inside_is_not_called(server: Loopback) -> None:
    for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"):
        delivery = posted(
            f"http://{host}:{server.port}/hook?token=SECRET",
            b"{}",
            {},
            timeout_s=LONG_S,
            now=1.0,
        )
        assert delivery.status is None and delivery.error and not delivery.succeeded
        assert "SECRET" not in delivery.error
    inside = Outside(resolve=lambda *_: ["127.0.0.1"])
    url = f"http://hook.example.test:{server.port}/hook"
    refused = posted(url, b"{}", {}, timeout_s=LONG_S, now=1.0, outside=inside)
    assert refused.status is None and "does not contact" in refused.error
    assert server.received == []


def test_a_webhook_that_is_not_there_is_a_failure() -> None:
    with silent_port() as port:
        delivery = deliver(Loopback(port=port))
    assert delivery.status is None and "No connection" in delivery.error


def test_a_slow_webhook_is_a_failure(server: Loopback) -> None:
    server.answers["/hook"] = lambda _: server.closing.wait(LONG_S)
    delivery = deliver(server, timeout_s=0.2)
    assert delivery.status is None and "too long" in delivery.error
    assert 150 < delivery.elapsed_ms < LONG_S * 500


def test_what_a_webhook_says_is_not_read(server: Loopback) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while True:  # until the client goes
            handler.wfile.write(b"x" * 65536)

    server.answers["/hook"] = endless
    assert deliver(server).succeeded
