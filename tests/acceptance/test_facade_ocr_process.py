"""Clients of `/api/v1/ocr` and of `/predict` against a running server."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagetide.document import Document
from tests.digital import digital_pdf
from tests.parts import forks
from tests.served import Served, serving
from tests.serving import pdf, text_of_page

CLIENTS = Path(__file__).parents[1] / "clients"
FAILING, LINES, PAGES = 8, 100, 110  # page 8 of what is read at once fails
FIRST = 1190  # the first page's width, by which no earlier document's pages are named
Json = dict[str, Any]
Talk = Callable[..., Json]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("ocr-process")
    fake = f"fake?lines={LINES}&fail={FAILING}"
    aliases = {"ocr-process": "structure-lite", "predict": fake}
    with serving(folder, aliases=aliases) as running:
        yield running


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "digital.pdf").write_bytes(digital_pdf())
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing follows")
    (tmp_path / "three.pdf").write_bytes(pdf(3))
    (tmp_path / "five.pdf").write_bytes(pdf(5, first=FIRST))
    return tmp_path


@pytest.fixture(scope="module")
def run(served: Served, clients_python: str) -> Talk:
    """Runs the client of `/api/v1/ocr`; what it prints."""

    def ran(file: Path, key: str = served.key) -> Json:
        script = str(CLIENTS / "ocr_process.py")
        done = forks.run(
            [clients_python, script, served.url, key, str(file)],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        printed: Json = json.loads(done.stdout)
        return printed

    return ran


def get(served: Served, path: str, key: str = "") -> httpx.Response:
    headers = {"Authorization": f"Bearer {key or served.key}"}
    return httpx.get(served.url + path, headers=headers, timeout=60)


def send(served: Served, path: str, content: bytes, name: str = "file") -> httpx.Response:
    headers = {"X-Api-Key": served.key}
    return httpx.post(served.url + path, files={name: content}, headers=headers, timeout=120)


def test_detections_are_the_lines_of_the_document(
    served: Served, files: Path, run: Talk
) -> None:
    told = run(files / "digital.pdf")
    assert told["sent"][0] == 202
    assert told["sent"][1]["status"] == "pending"
    assert set(told["seen"][:-1]) <= {"PENDING", "STARTED"}
    status, answer = told["answer"]
    assert (status, answer["status"], answer["pending_tasks"]) == (200, "SUCCESS", 0)
    task = told["sent"][1]["task_id"]
    assert answer["task_id"] == task
    document = Document.from_json(get(served, f"/v1/jobs/{task}/result").content)
    assert answer["result"]["model"] == document.model.name
    assert answer["result"]["errors"] == []
    assert answer["result"]["detections"] == [
        {
            "text": line.text,
            "box": [list(point) for point in line.polygon],
            "confidence": 1.0 if line.source == "text_layer" else line.confidence,
            "page_number": page.number,
        }
        for page in document.pages
        for line in page.lines
    ]
    assert len(answer["result"]["detections"]) > 100


def test_what_cannot_be_read_is_refused(files: Path, run: Talk) -> None:
    assert run(files / "broken.pdf")["sent"][0] == 422
    status, error = run(files / "digital.pdf", "pt_nobody")["sent"]
    assert status == 401
    assert "unknown" in error["detail"]


def test_other_fields_and_no_file_are_refused(served: Served) -> None:
    refused = send(served, "/api/v1/ocr/process", b"x", "picture")
    assert (refused.status_code, refused.json()["code"]) == (422, "bad_option")
    assert "'picture'" in refused.json()["detail"]


def test_only_tasks_that_are_there_are_told_of(served: Served) -> None:
    result = "/api/v1/ocr/results"
    unknown = get(served, f"{result}/a0cbcc44-7857-45a9-b6d2-f0cf91b81cce")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "job_unknown")

    task = send(served, "/api/v1/ocr/process", pdf(2)).json()["task_id"]
    assert get(served, f"{result}/{task}", served.keys[1]).status_code == 404
    headers = {"Authorization": f"Bearer {served.key}"}
    erased = httpx.delete(f"{served.url}/v1/jobs/{task}", headers=headers, timeout=60)
    assert erased.is_success
    gone = get(served, f"{result}/{task}")
    assert (gone.status_code, gone.json()["code"]) == (410, "job_gone")


def test_predict_answers_with_every_page(served: Served) -> None:
    answer = send(served, "/predict", pdf(PAGES), "image")
    assert len(answer.content) > 1_000_000
    told = answer.json()
    assert (told["status"], len(told["pages"])) == ("partial", PAGES)
    failed = [page["page_number"] for page in told["pages"] if page["error"]]
    assert FAILING in failed
    document = Document.from_json(get(served, f"/v1/jobs/{told['task_id']}/result").content)
    assert failed == [page.number for page in document.failed_pages]
    for number, page in enumerate(told["pages"], 1):
        wanted = [] if number in failed else [text_of_page(number)] * LINES
        assert [one["text"] for one in page["detections"]] == wanted


def test_locust_finds_no_failure(served: Served, files: Path, clients_python: str) -> None:
    expected = {"three.pdf": text_of_page(1), "five.pdf": text_of_page(1, first=FIRST)}
    lines = {files / name: "\n".join([text] * LINES) for name, text in expected.items()}
    done = subprocess.run(
        [
            *(clients_python, "-m", "locust", "-f", str(CLIENTS / "predict_locust.py")),
            *("--headless", "--host", served.url, "-u", "4", "-r", "4"),
            *("-t", "500s", "--stop-timeout", "60s", "--json"),
        ],
        env={
            **os.environ,
            "PREDICT_KEY": served.key,
            "PREDICT_REQUESTS": "40",
            "PREDICT_FILES": "|".join(f"{file}={text}" for file, text in lines.items()),
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    (predicted,) = json.loads(done.stdout)
    assert predicted["num_failures"] == 0, done.stderr[-2000:]
    assert predicted["num_requests"] >= 40
    assert done.returncode == 0


def test_locust_sees_what_is_wrong(served: Served, files: Path, clients_python: str) -> None:
    done = subprocess.run(
        [
            *(clients_python, "-m", "locust", "-f", str(CLIENTS / "predict_locust.py")),
            *("--headless", "--host", served.url, "-u", "1", "-t", "500s", "--json"),
        ],
        env={
            **os.environ,
            "PREDICT_KEY": served.key,
            "PREDICT_REQUESTS": "2",
            "PREDICT_FILES": f"{files / 'three.pdf'}=something else",
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    (predicted,) = json.loads(done.stdout)
    assert predicted["num_failures"] == predicted["num_requests"] > 0
    assert done.returncode == 1
