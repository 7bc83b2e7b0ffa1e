"""Who stops in the middle of a write keeps nobody from reading, and others not for long."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.parts import forks
from tests.served import serving
from tests.serving import pdf
from tests.waiting import until

WITHIN_S = 30.0  # what every answer comes within, though the file is held for longer
SUBMITS = 60  # more than a server has threads
OURS = """
from pathlib import Path
from pagetide.server.stores.sqlite import Database
with Database(Path(sys.argv[1])).writing() as connection:
    connection.exec_driver_sql("UPDATE owners SET active = active")
    stop()
"""
ANOTHERS = """
import sqlite3
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
connection.execute("UPDATE owners SET active = active")
stop()
connection.execute("COMMIT")
"""
STOP = "import os, signal, sys\ndef stop(): os.kill(os.getpid(), signal.SIGSTOP)\n"


@contextmanager
def _held(database: Path, program: str) -> Iterator[None]:
    """A database that a stopped process writes to, until the end."""
    holder = forks.Popen([sys.executable, "-c", STOP + program, str(database)])
    try:
        until(lambda: _stopped(holder))
        yield
        os.kill(holder.pid, signal.SIGCONT)
        assert holder.wait(60) == 0
    finally:
        holder.kill()
        holder.wait()


def _stopped(process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None
    state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state == "T"


def _submit(client: httpx.Client) -> httpx.Response:
    return client.post(
        "/v1/jobs",
        files={"file": ("a.pdf", pdf(1), "application/pdf")},
        data={"model": "fake"},
        headers={"cache-control": "no-cache"},
    )


def _is_not_ready(client: httpx.Client) -> None:
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["code"]) == (503, "store_failed")
    assert answer.json()["detail"].startswith("The job store accepts no writes: ")


def _ended(client: httpx.Client, place: str) -> bool:
    return bool(client.get(place).json()["status"] == "succeeded")


@pytest.mark.parametrize("program", [OURS, ANOTHERS], ids=["ours", "another program"])
def test_reads_are_answered_and_writes_refused(tmp_path: Path, program: str) -> None:
    with (
        serving(tmp_path, keys=0) as served,
        httpx.Client(base_url=served.url, timeout=WITHIN_S, trust_env=False) as client,
        ThreadPoolExecutor(SUBMITS) as threads,
    ):
        place = f"/v1/jobs/{_submit(client).json()['id']}"
        until(lambda: _ended(client, place))
        with _held(tmp_path / "pagetide.db", program):
            submits = [threads.submit(_submit, client) for _ in range(SUBMITS)]
            for path in (place, "/v1/jobs", "/health/live") * 5:
                assert client.get(path).status_code == 200
            _is_not_ready(client)
            for answer in (each.result() for each in submits):
                assert answer.status_code == 503
                assert answer.json()["code"] == "store_failed"
                assert "retry-after" in answer.headers
            _is_not_ready(client)  # nor where no other writer waits
        assert client.get("/health/ready").status_code == 200
        again = _submit(client)
        assert again.status_code == 202
        until(lambda: _ended(client, f"/v1/jobs/{again.json()['id']}"))
