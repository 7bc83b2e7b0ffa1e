"""A server whose log nobody reads goes on answering."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import httpx

from tests.parts import forks
from tests.served import PAGETIDE

REQUESTS = 3000  # some 300 KB of lines: a pipe holds 64


def test_requests_are_answered_though_nobody_reads_the_log(tmp_path: Path) -> None:
    environment = {**os.environ, "PAGETIDE_DATA_DIR": str(tmp_path)}
    server = forks.Popen(
        [*PAGETIDE, "serve", "--port", "0"], env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        assert server.stderr
        url = None
        while url is None:
            line = server.stderr.readline()
            assert line, "the server has ended"
            found = re.search(r"answers at (\S+?)/?;", line)
            url = found and found[1]
        with httpx.Client(base_url=url, timeout=60, trust_env=False) as client:
            for _ in range(REQUESTS):
                assert client.get("/v1/nothing").status_code == 404
            assert client.get("/health/live").status_code == 200
    finally:
        server.kill()
        server.wait(120)
        if server.stderr:
            server.stderr.close()
