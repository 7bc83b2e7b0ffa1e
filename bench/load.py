"""Users in steps against a server of its own: `python -m bench.load [--users N] [--seconds N]`.

Needs Locust, which stands in no other test: `pip install locust`.
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

from bench.corpus import SAMPLES  # noqa: E402
from bench.served import ENDED, served  # noqa: E402
from pagetide.cpu import model_name  # noqa: E402

STEPS = (10, 25, 50)
DOCUMENTS = ("receipt.jpg", "table.png", "mixed.pdf", "chinese_english.png")
SUBMIT = "POST /v1/jobs"


class Caller(FastHttpUser):  # type: ignore[misc]  # Locust is not installed with the rest
    """Submits a document, looks at it a few times, reads what is there of it."""

    wait_time = between(0.5, 2.0)
    abstract = True

    @task  # type: ignore[untyped-decorator]
    def read(self) -> None:
        """One document."""
        name = random.choice(DOCUMENTS)  # noqa: S311 - not for secrets
        content = (SAMPLES / name).read_bytes()
        with self.client.post(
            "/v1/jobs", files={"file": (name, content)}, name=SUBMIT, catch_response=True
        ) as answer:
            if answer.status_code == 429:
                counted["429"] += 1
                answer.success()
                return
            if answer.status_code != 202:
                return
            job_id = answer.json()["id"]
        for _ in range(3):
            status = self.client.get(f"/v1/jobs/{job_id}?wait=2", name="GET /v1/jobs/ID")
            if status.status_code == 200 and status.json()["status"] in ENDED:
                self.client.get(f"/v1/jobs/{job_id}/result?format=json", name="GET …/result")
                return


counted = {"429": 0}


def main() -> None:
    """Run the steps, print a table, end with 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("--seconds", type=int, default=40, help="for each step")
    parser.add_argument("--users", type=int, action="append", help="a step; may be repeated")
    arguments = parser.parse_args()
    rows, held = [], True
    with served(workers=1, max_active=400, cache="no") as server:
        for users in arguments.users or STEPS:
            pages = _pages(server)
            environment = Environment(user_classes=[Caller], events=events, host=server.url)
            environment.create_local_runner().start(users, spawn_rate=5)
            started = time.monotonic()
            gevent.sleep(arguments.seconds)
            environment.runner.quit()
            seconds = time.monotonic() - started
            total, submit = environment.stats.total, environment.stats.get(SUBMIT, "POST")
            p50, p95 = (submit.get_response_time_percentile(share) for share in (0.5, 0.95))
            failed = total.num_failures / max(1, total.num_requests)
            rows.append(
                f"| {users} | {total.num_requests / seconds:.1f} "
                f"| {(_pages(server) - pages) / seconds:.2f} | {p50} | {p95} "
                f"| {100 * failed:.2f} % | {counted['429']} |"
            )
            held &= failed < 0.005 and (users != 50 or p95 <= 100)
            for error in environment.stats.errors.values():
                print(error.to_name(), error.occurrences, file=sys.stderr)
        server.process.terminate()
        server.process.wait(60)
    print("| users | requests/s | pages/s | submit P50 ms | submit P95 ms | errors | 429 |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    print("\n".join(rows))
    print(f"\nbars: errors < 0.5 %, submit P95 ≤ 100 ms at 50 users: {held}")
    print(f"{model_name()}; load {os.getloadavg()[0]:.1f}")
    sys.exit(0 if held else 1)


def _pages(server: object) -> float:
    """Pages read so far, as the metrics say."""
    import httpx

    text = httpx.get(f"{server.url}/metrics").text  # type: ignore[attr-defined]
    lines = [line for line in text.splitlines() if line.startswith("pagetide_pages_total")]
    return sum(float(line.rpartition(" ")[2]) for line in lines)


if __name__ == "__main__":
    main()
