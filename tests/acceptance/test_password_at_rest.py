"""A PDF's password is in no file of a server, while its job is open and after."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.served import Served, serving
from tests.serving import pdf, text_of_page
from tests.waiting import until

PASSWORD = "Kennwort-4711-ganz-geheim"  # noqa: S105
SLOW = "fake?slow=30"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("data"), log_level="debug") as running:
        yield running


def holding(served: Served) -> list[str]:
    """The files of the server, its log among them, that hold the password in clear."""
    files = [served.log, *(path for path in served.folder.rglob("*") if path.is_file())]
    return [str(path) for path in files if PASSWORD.encode() in read(path)]


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:  # an upload that has become a job
        return b""


def test_the_password_lies_nowhere_in_clear(served: Served) -> None:
    headers = {"Authorization": f"Bearer {served.key}"}
    with httpx.Client(
        base_url=served.url, headers=headers, timeout=60, trust_env=False
    ) as client:

        def submitted(model: str) -> str:
            files = {"file": ("scan.pdf", pdf(2, password=PASSWORD))}
            asked = {"password": PASSWORD, "model": model, "formats": "pdf"}
            answer = client.post("/v1/jobs", files=files, data=asked)
            assert answer.status_code == 202, answer.text
            return str(answer.json()["id"])

        def status(job: str) -> str:
            return str(client.get(f"/v1/jobs/{job}").json()["status"])

        still_open = submitted(SLOW)
        until(lambda: status(still_open) == "running")
        assert holding(served) == []
        assert client.get(f"/v1/jobs/{still_open}/pages/1/image").is_success
        assert client.post(f"/v1/jobs/{still_open}/cancel").is_success
        job = submitted("fake")
        until(lambda: status(job) == "succeeded")
        assert text_of_page(1) in client.get(f"/v1/jobs/{job}/result").text
        assert client.get(f"/v1/jobs/{job}/result?format=pdf").is_success
        assert client.delete(f"/v1/jobs/{job}").status_code == 204
    assert holding(served) == []
    secret = served.folder / "secret"
    assert secret.stat().st_mode & 0o777 == 0o600
