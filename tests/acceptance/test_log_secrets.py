"""A day in small, at the log's most talkative: it names no text, document, person or secret."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pypdf
import pytest

from tests.loopback import Loopback, answering, loopback
from tests.served import Served, serving
from tests.waiting import until
from tests.written_pdf import text, written_pdf

WORD, TITLE, PERSON = "Zwiebelkuchen", "Diagnose-Quitte", "Patient-Holunder"
PASSWORD, WRONG, HOOK, LINK = "Kennwort-4711", "Passwort-0815", "hook-token-42", "sig-value-99"


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Loopback]:
    with loopback() as running:
        running.answers["/fetched"] = answering(document())
        running.answers[f"/{HOOK}"] = answering(status=500)
        yield running


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("data")
    with serving(folder, log_level="debug", allow_hosts="127.0.0.1") as running:
        yield running


def document(password: str = "") -> bytes:
    written = io.BytesIO()
    writer = pypdf.PdfWriter(io.BytesIO(written_pdf(text(WORD.encode()))))
    writer.add_metadata({"/Title": WORD})
    if password:
        writer.encrypt(password, algorithm="AES-256")
    writer.write(written)
    return written.getvalue()


def test_the_log_of_a_day_gives_nothing_away(served: Served, elsewhere: Loopback) -> None:
    hook = f"http://127.0.0.1:{elsewhere.port}/{HOOK}"
    told = {"webhook_url": hook, "metadata": json.dumps({"who": PERSON})}
    headers = {"Authorization": f"Bearer {served.key}"}
    with httpx.Client(
        base_url=served.url, headers=headers, timeout=60, trust_env=False
    ) as client:

        def submitted(content: bytes, **asked: Any) -> httpx.Response:
            files = {"file": (f"{TITLE}.pdf", content)}
            return client.post("/v1/jobs", files=files, data={**told, **asked})

        def ended(answer: httpx.Response) -> str:
            assert answer.status_code == 202, answer.text
            job = answer.json()["id"]
            until(lambda: client.get(f"/v1/jobs/{job}").json()["status"] == "succeeded")
            return str(job)

        plain = ended(submitted(document()))
        locked = ended(submitted(document(PASSWORD), password=PASSWORD))
        url = f"http://127.0.0.1:{elsewhere.port}/fetched?sig={LINK}"
        ended(client.post("/v1/jobs", json={"file_url": url, "webhook_url": hook}))
        assert WORD in client.get(f"/v1/jobs/{plain}/result").text
        assert client.get(f"/v1/jobs/{plain}/result?format=md").is_success
        until(lambda: any(HOOK in got.path for got in elsewhere.received))
        refusals = [
            submitted(document(PASSWORD), password=WRONG),
            submitted(document()[:200] + WORD.encode()),
            client.post("/v1/jobs", json={"file_url": f"http://10.0.0.1/{LINK}?{LINK}={LINK}"}),
            client.get(f"/v1/jobs/{PERSON}", params={"sig": LINK}),
            client.get("/v1/jobs", headers={"Authorization": f"Bearer pt_wrong_{LINK}"}),
            client.post("/v1/jobs", content=WORD.encode(), headers={"Content-Type": "text/x"}),
        ]
        assert all(400 <= answer.status_code < 500 for answer in refusals)
        for job in (plain, locked):
            assert client.delete(f"/v1/jobs/{job}").status_code == 204
        _name_nothing(served.log, served.keys)


def _name_nothing(log: Path, keys: tuple[str, ...]) -> None:
    said = log.read_text(encoding="utf-8")
    assert (
        "path=/v1/jobs/{job_id}" in said and "worker started" in said
    )  # it is the log, and talkative
    secrets = [key.split("_", 2)[2] for key in keys]  # a secret may hold "_" itself
    for secret in (WORD, TITLE, PERSON, PASSWORD, WRONG, HOOK, LINK, *secrets):
        found = [line for line in said.splitlines() if secret in line]
        assert found == []
