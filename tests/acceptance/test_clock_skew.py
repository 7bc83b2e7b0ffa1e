"""A worker whose clock is minutes off reads what is due, and holds it no longer than others."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pagetide.server.jobs.job import JobOptions
from pagetide.server.service.submitting.submission import Submission
from pagetide.server.wiring import open_service
from pagetide.settings import Settings
from tests.parts import forks
from tests.parts.postgres import Postgres
from tests.serving import pdf
from tests.waiting import until

OFF_S = 600.0
# The worker's own wall clock; nothing else of it is changed.
WORKER = """
import sys, time
real, off = time.time, float(sys.argv[1])
time.time = lambda: real() + off
from pagetide.cli import program
program(["worker", "--pool", "cpu"])
"""


@pytest.fixture
def environment(tmp_path: Path, postgres: Postgres) -> Iterator[dict[str, str]]:
    yield {
        **os.environ,
        "PAGETIDE_STORE": postgres.database(),
        "PAGETIDE_DATA_DIR": str(tmp_path),
        "PAGETIDE_TEST_MODELS": "yes",
    }


@pytest.mark.parametrize("off_s", [OFF_S, -OFF_S], ids=["ahead", "behind"])
def test_a_worker_that_is_minutes_off_works(
    environment: dict[str, str], tmp_path: Path, off_s: float
) -> None:
    document = tmp_path / "scan.pdf"
    document.write_bytes(pdf(3))
    settings = Settings.from_environment(environment)
    with closing(open_service(settings)) as service:
        options = JobOptions(model="fake?slow=0.2")
        job = service.submit(Submission(document=document, name="scan.pdf", options=options))
        worker = forks.Popen([sys.executable, "-c", WORKER, str(off_s)], env=environment)
        try:
            leases: list[float] = []

            def ended() -> bool:
                tasks = service.store.tasks(job.id)
                leases.extend(task.lease.until for task in tasks if task.lease)
                return service.job(job.id).ended

            until(ended)
        finally:
            worker.terminate()
            worker.wait(60)
        found = service.job(job.id)
        assert found.status == "succeeded"
        assert abs((found.finished_at or 0) - time.time()) < OFF_S / 2
        assert all(abs(end - time.time()) < OFF_S / 2 for end in leases)
