"""The callers of a cluster under faults: they submit, poll, read, erase, and record it all."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from bench.cluster_client import Client, Try
from bench.history import ENDED, Erased, History, Listed, Looked, Read, Submitted, Wanted

OPEN_JOBS = 6  # at once: anything sent again queues behind what already waits
LOOKS = 40  # at a job, of ten seconds at most
AGAIN = 0.2  # of the submits are made twice, as by a client that never saw the answer
ERASED = 0.2  # of the jobs, half of them as soon as they were submitted


@dataclass(frozen=True, kw_only=True)
class Errand:
    """What a caller does with a job.

    Attributes:
        wanted: The job.
        document: Its PDF.
        fields: What is submitted with it.
        again: It is submitted twice, and once more when it has ended.
        erased: Whether it is erased: `now`, once it has ended (`late`), or not at all.
    """

    wanted: Wanted
    document: bytes
    fields: dict[str, str]
    again: bool = False
    erased: str = ""


def habits(chance: random.Random) -> dict[str, Any]:
    """A caller's random behaviour: `Errand`'s last attributes."""
    drawn = chance.random()
    erased = "now" if drawn < ERASED / 2 else "late" if drawn < ERASED else ""
    return {"again": chance.random() < AGAIN, "erased": erased}


class Callers:
    """Run errands in parallel, each recorded in a history.

    Attributes:
        done: Number of finished errands.
    """

    def __init__(self, client: Client, history: History) -> None:
        self._client, self._history = client, history
        self._lock = threading.Lock()
        self.done = 0

    def run(self, errands: Sequence[Errand]) -> None:
        """Run all of them."""
        waiting = list(reversed(errands))

        def work() -> None:
            while True:
                with self._lock:
                    if not waiting:
                        return
                    errand = waiting.pop()
                self._do(errand)
                self.done += 1

        threads = [threading.Thread(target=work, daemon=True) for _ in range(OPEN_JOBS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def look_back(self, jobs: Sequence[str]) -> None:
        """List all jobs, and check each once more, and its result."""
        for job in self._client.listed():
            self._history.add(Listed(job=job))
        for job in jobs:
            self._look(job)
            self._read(job)

    def _do(self, errand: Errand) -> None:
        jobs = {self._submit(errand) for _ in range(2 if errand.again else 1)} - {""}
        for job in jobs:
            if errand.erased == "now":
                self._erase(job)
                continue
            for _ in range(LOOKS):
                if self._look(job, wait_s=10) in (*ENDED, ""):
                    break
            self._read(job)
            if errand.erased:
                self._erase(job)
        if errand.again and not errand.erased:
            self._submit(errand)

    def _submit(self, errand: Errand) -> str:
        key, job = errand.wanted.key, ""
        for made in self._client.tries(
            "POST",
            "/v1/jobs",
            files={"file": (f"{errand.wanted.mark}.pdf", errand.document)},
            data=errand.fields,
            headers={"Idempotency-Key": key},
        ):
            if made.answer and made.code in (200, 202):
                job = str(made.answer.json()["id"])
            self._history.add(
                Submitted(key=key, code=made.code, job=job, began=made.began, ended=made.ended)
            )
        return job

    def _look(self, job: str, wait_s: int = 0) -> str:
        """A job's status; empty if it is unavailable."""
        made, answer = self._asked("GET", f"/v1/jobs/{job}", params={"wait": wait_s})
        told = answer.json() if answer and answer.status_code == 200 else {}
        self._history.add(
            Looked(
                job=job,
                code=made.code or 0,
                status=told.get("status", ""),
                finished_at=told.get("finished_at"),
                began=made.began,
                ended=made.ended,
            )
        )
        return str(told.get("status", ""))

    def _read(self, job: str) -> None:
        made, answer = self._asked("GET", f"/v1/jobs/{job}/result")
        pages = answer.json()["pages"] if answer and answer.status_code == 200 else []
        texts = tuple(
            (page["number"], "\n".join(line["text"] for line in page.get("lines", [])))
            for page in pages
        )
        self._history.add(Read(job=job, code=made.code or 0, pages=texts, began=made.began))

    def _erase(self, job: str) -> None:
        for made in self._client.tries("DELETE", f"/v1/jobs/{job}"):
            self._history.add(Erased(job=job, code=made.code, ended=made.ended))

    def _asked(self, method: str, path: str, **given: Any) -> tuple[Try, httpx.Response | None]:
        """The last try, and its answer if that was final."""
        made = list(self._client.tries(method, path, **given))[-1]
        return made, made.answer if made.final else None
