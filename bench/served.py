"""A real `pagetide serve` for the benchmarks, and their requests to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

ENDED = {"succeeded", "partial", "failed", "cancelled", "expired"}


class Server:
    """A separate `pagetide serve`, and the processes below it."""

    def __init__(self, folder: Path, workers: int, settings: dict[str, object]) -> None:
        variables = {f"PAGETIDE_{name.upper()}": str(value) for name, value in settings.items()}
        environment = {**os.environ, "PAGETIDE_DATA_DIR": str(folder), **variables}
        command = [sys.executable, "-m", "pagetide", "serve", "--port", "0"]
        command += ["--max-workers", str(workers)]
        self.log = (folder / "serve.log").open("w+b")
        self.process = subprocess.Popen(command, env=environment, stderr=self.log)
        self.url = self._url()
        self.client = httpx.Client(
            base_url=self.url, timeout=60, transport=httpx.HTTPTransport(retries=3)
        )

    def submit(self, document: Path, key: str, **fields: str) -> str:
        """A job's id; retried with the same key until there is an answer."""
        while True:
            with suppress(httpx.TransportError):
                with document.open("rb") as file:
                    answer = self.client.post(
                        "/v1/jobs",
                        files={"file": file},
                        data=fields,
                        headers={"Idempotency-Key": key},
                    )
                if answer.status_code == 202:
                    return str(answer.json()["id"])
                if answer.status_code < 500 and answer.status_code != 429:
                    raise SystemExit(f"refused: {answer.text}")
            time.sleep(0.2)

    def submitted(self, content: bytes, **fields: str) -> str:
        """The id of a job that is submitted once."""
        answer = self.client.post("/v1/jobs", files={"file": ("a.pdf", content)}, data=fields)
        answer.raise_for_status()
        return str(answer.json()["id"])

    def status(self, job_id: str, wait_s: int = 0) -> dict[str, object]:
        """A job's status, once it has ended or this many seconds have passed."""
        while True:
            with suppress(httpx.TransportError):
                answer = self.client.get(f"/v1/jobs/{job_id}", params={"wait": wait_s})
                if answer.status_code == 200:
                    return dict(answer.json())
            time.sleep(0.2)

    def document(self, job_id: str) -> dict[str, object]:
        """A job's document."""
        while True:
            with suppress(httpx.TransportError):
                answer = self.client.get(f"/v1/jobs/{job_id}/result")
                if answer.status_code == 200:
                    return dict(answer.json())
            time.sleep(0.2)

    def stop(self) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)

    def _url(self) -> str:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            self.log.seek(0)
            for line in self.log.read().decode().splitlines():
                if "answers at" in line:
                    return line.split("answers at ")[1].split(";")[0]
            time.sleep(0.1)
        raise SystemExit("the server did not start")


@contextmanager
def served(*, workers: int, **settings: object) -> Iterator[Server]:
    """A server in a folder of its own; its log is shown if it fails."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = Server(Path(folder), workers, settings)
        try:
            yield server
        except BaseException:
            server.log.seek(0)
            print(server.log.read().decode()[-8000:], file=sys.stderr)
            raise
        finally:
            if server.process.poll() is None:
                server.process.kill()


def wait_for_all(server: Server, ids: Sequence[str]) -> dict[str, dict[str, object]]:
    """Every job's status once it has ended; stops with a message if nothing progresses.

    Jobs are waited for one after the other, each by a long poll, so that polling costs little
    of the processor that is being measured.
    """
    statuses: dict[str, dict[str, object]] = {}
    moved = time.monotonic()
    while len(statuses) < len(ids):
        for job_id in ids:
            if job_id in statuses:
                continue
            status = server.status(job_id, wait_s=20)
            if status["status"] not in ENDED:
                break
            statuses[job_id] = status
            moved = time.monotonic()
        if time.monotonic() - moved > 180:
            raise SystemExit(f"nothing has ended for 180 s; {len(statuses)} of {len(ids)} had")
    return statuses
