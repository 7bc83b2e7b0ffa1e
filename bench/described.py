"""Whether a running service conforms to its own description: schemathesis, all checks.

`python -m bench.described` starts a server, gives it a job to query, and shows what
schemathesis finds; it exits with schemathesis' exit code.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.served import served, wait_for_all

SAMPLE = Path(__file__).parents[1] / "samples" / "table.png"
# No schema says which bytes are a document, which pages it has, or which URLs are public; and
# a job may be gone, or have ended, when it is queried.
CONFIG = """\
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", 403, 404, 409, 410, 413, 415, 416, 422, 429]
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 416, 422, 428]
[[operations]]
include-operation-id = {about}
[operations.parameters]
"path.job_id" = "{job_id}"
"""


ABOUT_A_JOB = (
    "show_job",
    "watch_job",
    "get_result",
    "list_deliveries",
)


def main() -> int:
    """Run schemathesis: without erasing, so that the job stays, then erasing; its exit code."""
    with (
        served(workers=1, test_models=True) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        job_id = server.submit(SAMPLE, "described", model="fake", formats="md,txt")
        wait_for_all(server, [job_id])
        config = Path(folder) / "schemathesis.toml"
        about = json.dumps(ABOUT_A_JOB)
        config.write_text(CONFIG.format(job_id=job_id, about=about), encoding="utf-8")
        program = Path(sys.executable).with_name("schemathesis")
        command = [str(program), "--config-file", str(config), "run", "--no-color"]
        command += ["--max-examples", "40", "--request-timeout", "90"]
        every = ("--exclude-operation-id", "erase_job")
        erasing = ("--include-operation-id", "erase_job", "--phases", "coverage,fuzzing")
        for which in (every, erasing):
            asked = [*command, *which, f"{server.url}/openapi.json"]
            if failed := subprocess.run(asked, check=False, cwd=folder).returncode:
                return failed
    return 0


if __name__ == "__main__":
    sys.exit(main())
