"""A client of several APIs, any of which may be down: it tries another, and retries."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx

ENDED = {"succeeded", "partial", "failed", "cancelled", "expired"}
PATIENCE_S = 120.0
PAUSE_S = 0.1


@dataclass(frozen=True)
class Try:
    """A request that was made once, and its answer; None if there was none.

    Attributes:
        began: When, by the monotonic clock.
        ended: Likewise.
    """

    answer: httpx.Response | None
    said: str
    began: float
    ended: float

    @property
    def code(self) -> int | None:
        """The answer's status."""
        return self.answer.status_code if self.answer else None

    @property
    def final(self) -> bool:
        """Whether it is neither "not now" nor the server's own failure."""
        return self.code is not None and self.code < 500 and self.code != 429


class Client:
    """Asks the APIs in turn until one answers.

    Attributes:
        retries: Number of repeated requests.
    """

    def __init__(self, urls: list[str]) -> None:
        self._http = httpx.Client(timeout=30, trust_env=False)
        self._urls = itertools.cycle(urls)
        self.retries = 0

    def tries(self, method: str, path: str, **given: Any) -> Iterator[Try]:
        """Ask one API after the other, until one gives its final answer or time is up."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            made = self._try(method, path, given)
            yield made
            if made.final:
                return
            self.retries += 1
            time.sleep(PAUSE_S)

    def ask(self, method: str, path: str, **given: Any) -> httpx.Response:
        """The first answer that is neither "not now" nor the server's own failure.

        Raises:
            TimeoutError: There was none in two minutes.
        """
        said = "nothing"
        for made in self.tries(method, path, **given):
            if made.final and made.answer:
                return made.answer
            said = made.said
        raise TimeoutError(f"{method} {path}: {said}")

    def _try(self, method: str, path: str, given: dict[str, Any]) -> Try:
        began, answer = time.monotonic(), None
        try:
            answer = self._http.request(method, f"{next(self._urls)}{path}", **given)
        except httpx.TransportError as error:
            said = type(error).__name__
        else:
            said = f"{answer.status_code} {answer.text[:200]}"
        return Try(answer, said, began, time.monotonic())

    def submit(self, document: bytes, key: str, **fields: str) -> str:
        """A new job's id, or that of the job submitted before with this key."""
        answer = self.ask(
            "POST",
            "/v1/jobs",
            files={"file": ("scan.pdf", document)},
            data=fields,
            headers={"Idempotency-Key": key},
        )
        assert answer.status_code in (200, 202), answer.text
        return str(answer.json()["id"])

    def status(self, job_id: str, wait_s: int = 0) -> dict[str, Any]:
        """A job's status, once it has ended or this many seconds have passed."""
        answer = self.ask("GET", f"/v1/jobs/{job_id}", params={"wait": wait_s})
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def ended(self, job_id: str, seconds: float = 180.0) -> dict[str, Any]:
        """A job's status once it has ended.

        Raises:
            TimeoutError: It has not.
        """
        deadline = time.monotonic() + seconds
        while (status := self.status(job_id, wait_s=10))["status"] not in ENDED:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{job_id} is stuck: {status['status']}")
        return status

    def document(self, job_id: str) -> dict[str, Any]:
        """A job's document."""
        answer = self.ask("GET", f"/v1/jobs/{job_id}/result")
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def texts(self, job_id: str) -> list[tuple[int, str]]:
        """Each page's number and text, as often as they are in the result."""
        return [
            (page["number"], "\n".join(line["text"] for line in page.get("lines", [])))
            for page in self.document(job_id)["pages"]
        ]

    def listed(self) -> list[str]:
        """The ids of all jobs, as often as they are listed."""
        found: list[str] = []
        cursor = None
        while True:
            asked = {"limit": "100", **({"cursor": cursor} if cursor else {})}
            answer = self.ask("GET", "/v1/jobs", params=asked).json()
            found += [job["id"] for job in answer["jobs"]]
            cursor = answer["next_cursor"]
            if not cursor:
                return found

    def close(self) -> None:
        """Close connections."""
        self._http.close()
