"""Run a model's server and, once it answers, a worker beside it: two programs in one container.

    python beside.py URL 'SERVER WITH WORDS' 'WORKER WITH WORDS'

SageMaker runs one container on an instance, and PaddleOCR-VL needs a server. URL is what the
server answers with 200 once its model is loaded. SIGTERM drains the worker, then ends the
server. Exits as the worker did, or with 1 if the server ended first: then nothing can be
read.
"""

from __future__ import annotations

import http.client
import os
import shlex
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from multiprocessing import connection

LOOK_S = 0.5
GRACE_S = 2.0  # for the server, which has no work left by then


class Ending:
    """Whether SIGTERM has come, and what to do then."""

    def __init__(self) -> None:
        self.asked = False
        self.then: Callable[[], None] = lambda: None
        signal.signal(signal.SIGTERM, self._end)

    def _end(self, *_: object) -> None:
        self.asked = True
        self.then()


def run(url: str, server: list[str], worker: list[str]) -> int:
    """Run both; returns the exit status."""
    ending = Ending()
    with subprocess.Popen(server) as serving:  # noqa: S603 - as the image says
        try:
            while not answers(url):
                if serving.poll() is not None:
                    return told(
                        f"the server ended with {serving.returncode} before it answered"
                    )
                if ending.asked:
                    return 0
            return work(ending, serving, worker)
        finally:
            end(serving)


def work(ending: Ending, serving: subprocess.Popen[bytes], worker: list[str]) -> int:
    """Run the worker until one of them ends."""
    with subprocess.Popen(worker) as working:  # noqa: S603 - as the image says
        ending.then = working.terminate
        if ending.asked:
            working.terminate()
        until_one_ends(serving, working)
        if working.poll() is not None:
            return working.returncode
        working.terminate()
        working.wait()
    return told(f"the server ended with {serving.returncode}: so does the worker")


def until_one_ends(*programs: subprocess.Popen[bytes]) -> None:
    """Wait without polling."""
    handles = [os.pidfd_open(program.pid) for program in programs]
    connection.wait(handles)
    for handle in handles:
        os.close(handle)
    for program in programs:
        program.poll()


def answers(url: str) -> bool:
    """Whether the server is ready; takes at least as long as one pause if it is not."""
    try:
        with urllib.request.urlopen(url, timeout=LOOK_S) as answer:  # noqa: S310 - our own
            return bool(answer.status == 200)
    except (OSError, http.client.HTTPException):
        time.sleep(LOOK_S)
        return False


def end(program: subprocess.Popen[bytes]) -> None:
    """Ask it to stop; kill it if it takes too long."""
    program.terminate()
    try:
        program.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        program.kill()


def told(reason: str) -> int:
    """Print why it exits; returns 1."""
    sys.stderr.write(f"beside: {reason}\n")
    return 1


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], shlex.split(sys.argv[2]), shlex.split(sys.argv[3])))
