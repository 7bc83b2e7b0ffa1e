"""Users in steps against a separate server: `python -m bench.load [--users N] [--seconds N]`.

Needs Locust, which no test needs: `pip install locust`.
"""

from __future__ import annotations

import gevent.monkey

gevent.monkey.patch_all()

import argparse  # noqa: E402 - gevent must come first
import os  # noqa: E402
import random  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402

import gevent  # noqa: E402
from locust import FastHttpUser, between, events, task  # noqa: E402
from locust.env import Environment  # noqa: E402

from bench.cluster_rows import Line, table  # noqa: E402
from bench.corpus import SAMPLES  # noqa: E402
from bench.served import ENDED, Server, served  # noqa: E402
from pagetide.system.cpu import model_name  # noqa: E402

STEPS = (50, 100, 200, 500)
DOCUMENTS = ("receipt.jpg", "table.png", "mixed.pdf", "chinese_english.png")
SUBMIT = "POST /v1/jobs"
MOST_PAUSE_S = 10  # for a user who is told to come back later
ACTIVE = 400  # jobs that a key may have at once: more are refused
BUSY = (429, 503)

accepted: list[str] = []
refused = {"told": 0}


class Caller(FastHttpUser):  # type: ignore[misc]  # Locust is not installed with the rest
    """Submits a document, polls it a few times, reads the pages so far."""

    wait_time = between(1, 3)
    abstract = True

    @task  # type: ignore[untyped-decorator]
    def read(self) -> None:
        """One document."""
        job_id = self._submit(random.choice(DOCUMENTS))  # noqa: S311 - not for secrets
        for _ in range(3 if job_id else 0):
            status = self.client.get(f"/v1/jobs/{job_id}?wait=2", name="GET /v1/jobs/ID")
            if status.status_code == 200 and status.json()["status"] in ENDED:
                self.client.get(f"/v1/jobs/{job_id}/result?format=json", name="GET …/result")
                return

    def _submit(self, name: str) -> str | None:
        """The job's id; after a refusal with a retry time, a pause and none."""
        files = {"file": (name, (SAMPLES / name).read_bytes())}
        asked = self.client.post("/v1/jobs", files=files, name=SUBMIT, catch_response=True)
        with asked as answer:
            if answer.status_code == 202:
                accepted.append(answer.json()["id"])
                return accepted[-1]
            pause = answer.headers.get("Retry-After") if answer.status_code in BUSY else None
            if pause is None:
                return None  # counted as a failure
            answer.success()
        refused["told"] += 1
        gevent.sleep(min(float(pause), MOST_PAUSE_S))
        return None


def main() -> None:
    """Run the steps, print a table, exit with 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("--seconds", type=int, default=40, help="for each step")
    parser.add_argument("--users", type=int, action="append", help="a step; may be repeated")
    arguments = parser.parse_args()
    with served(workers=1, max_active=ACTIVE, cache="no") as server:
        steps = [step(server, users, arguments.seconds) for users in arguments.users or STEPS]
        lines = [line for several in steps for line in several]
        lines.append(Line.none_of("accepted jobs that were not read", unread(server)))
        lines.append(Line.none_of("exit code of the server", server.stop()))
    print(f"{table(lines)}\n\n{model_name()}; load {os.getloadavg()[0]:.1f}")
    sys.exit(0 if all(line.holds for line in lines) else 1)


def step(server: Server, users: int, seconds: int) -> list[Line]:
    """This many users for this long; a refusal without Retry-After is an error."""
    pages, jobs, told = pages_read(server), len(accepted), refused["told"]
    environment = Environment(user_classes=[Caller], events=events, host=server.url)
    environment.create_local_runner().start(users, spawn_rate=max(5, users / 10))
    began = time.monotonic()
    gevent.sleep(seconds)
    environment.runner.quit()
    took_s = time.monotonic() - began
    total, submit = environment.stats.total, environment.stats.get(SUBMIT, "POST")
    p50, p95 = (submit.get_response_time_percentile(share) for share in (0.5, 0.95))
    for error in environment.stats.errors.values():
        print(error.to_name(), error.occurrences, file=sys.stderr)
    return [
        Line(
            measure=f"{users} users: {total.num_requests / took_s:.0f} requests/s, "
            f"{(pages_read(server) - pages) / took_s:.2f} pages/s, "
            f"{len(accepted) - jobs} jobs accepted, {refused['told'] - told} put off; "
            "submit P50, P95",
            figure=f"{p50:.0f}, {p95:.0f} ms",
            bar="P95 ≤ 100 ms at 50 users",
            holds=users != 50 or p95 <= 100,
        ),
        Line.none_of(
            f"{users} users: errors, also refusals without Retry-After", total.num_failures
        ),
    ]


def unread(server: Server) -> int:
    """How many of the accepted jobs fail, after all have ended."""
    return sum(ended(server, job_id) != "succeeded" for job_id in accepted)


def ended(server: Server, job_id: str) -> object:
    """How a job has ended, once it has."""
    while (status := server.status(job_id, 20)["status"]) not in ENDED:
        continue
    return status


def pages_read(server: Server) -> float:
    """Pages read so far, as the metrics say."""
    text = server.client.get("/metrics").text
    lines = [line for line in text.splitlines() if line.startswith("pagetide_pages_total")]
    return sum(float(line.rpartition(" ")[2]) for line in lines)


if __name__ == "__main__":
    main()
