"""AWS Lambda here: its Runtime API, under which its own Python runtime client runs functions.

What Lambda does and this does, too: a process serves one call at a time and is frozen between
calls, and is killed at its deadline. What calls functions is in `lambda_events`.
"""

from __future__ import annotations

import json
import os
import queue
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from tests.parts import forks
from tests.parts.moto import REGION, environment_for_clients

ACCOUNT = "123456789012"  # Moto's
STARTED_S = 180.0
MOST_BYTES = 6_291_556  # of what a function is called with, and of what it answers
_NEXT = "/2018-06-01/runtime/invocation/next"


class FunctionFailed(Exception):
    """The function has raised, ended, or not begun."""


class TimedOut(FunctionFailed):
    """It was not done by its deadline, and was killed."""


class TooMuch(FunctionFailed):
    """What it was called with, or what it answers, is larger than Lambda takes."""


class Throttled(Exception):
    """As many calls as are allowed are in hand."""


@dataclass(frozen=True)
class _Call:
    id: str
    event: bytes
    deadline: float


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A function that was killed has not said good-bye."""


class Process:
    """One execution environment: a process that serves a call at a time, frozen between."""

    def __init__(self, handler: str, environment: Mapping[str, str]) -> None:
        """Start it.

        Args:
            handler: `MODULE.FUNCTION`.
            environment: The function's.
        """
        self.folder = Path(tempfile.mkdtemp(prefix="lambda-"))
        self._calls: queue.Queue[_Call] = queue.Queue()
        self._ended: queue.Queue[tuple[str, str, bytes]] = queue.Queue()
        self._asked = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self._answering())
        serving = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        serving.start()
        self.log = self.folder / "log"
        with self.log.open("wb") as log:
            self._process = forks.Popen(
                [sys.executable, "-P", "-m", "awslambdaric", handler],
                env=self._environment(handler, environment),
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def invoke(self, event: object, timeout_s: float) -> Any:
        """Call it; what it returns.

        Raises:
            FunctionFailed: It has raised or ended; the message says what it said.
            TimedOut: It was killed at its deadline.
            TooMuch: It was called with too much, or answered too much.
        """
        sent = json.dumps(event).encode()
        if len(sent) > MOST_BYTES:
            raise TooMuch(f"called with {len(sent)} bytes")
        self._wait_until_it_asks()
        deadline = time.time() + timeout_s
        call = _Call(secrets.token_hex(8), sent, deadline)
        self._asked.clear()
        self._signal(signal.SIGCONT)
        self._calls.put(call)
        how, _, body = self._ending(deadline)
        if how == "error":
            raise FunctionFailed(body.decode())
        with suppress(FunctionFailed):
            self._wait_until_it_asks()
            self._signal(signal.SIGSTOP)
        if len(body) > MOST_BYTES:
            raise TooMuch(f"answered {len(body)} bytes")
        return json.loads(body)

    def kill(self) -> None:
        """End it as a crash would, in the middle of whatever it does."""
        self._signal(signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        """End it, and forget it."""
        self.kill()
        self._server.shutdown()
        self._server.server_close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def alive(self) -> bool:
        """Whether it can take a call."""
        return self._process.poll() is None

    def _ending(self, deadline: float) -> tuple[str, str, bytes]:
        while time.time() < deadline:
            with suppress(queue.Empty):
                return self._ended.get(timeout=0.05)
            if not self.alive:
                raise FunctionFailed(f"Runtime exited: {self.said()}")
        self.kill()
        raise TimedOut(self.said())

    def _wait_until_it_asks(self) -> None:
        until = time.monotonic() + STARTED_S
        while not self._asked.wait(0.02):
            if not self.alive or time.monotonic() > until:
                raise FunctionFailed(f"Runtime not up: {self.said()}")

    def said(self) -> str:
        """The end of its log."""
        return self.log.read_text(errors="replace")[-3000:]

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)

    def _environment(self, handler: str, given: Mapping[str, str]) -> dict[str, str]:
        """What Lambda gives a function; no home, and little else."""
        return {
            "PATH": os.environ["PATH"],
            "LANG": "en_US.UTF-8",
            "TZ": ":UTC",
            "TMPDIR": str(self.folder),
            "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{self._server.server_port}",
            "AWS_LAMBDA_FUNCTION_NAME": handler.split(".")[-2],
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "4096",
            "AWS_REGION": REGION,
            "_HANDLER": handler,
            "PAGETIDE_DATA_DIR": str(self.folder / "home"),
            **environment_for_clients(),
            **given,
        }

    def _answering(self) -> type[BaseHTTPRequestHandler]:
        process = self

        class Answering(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                assert self.path == _NEXT
                process._asked.set()
                call = process._calls.get()
                arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:tested"
                headers = {
                    "Lambda-Runtime-Aws-Request-Id": call.id,
                    "Lambda-Runtime-Deadline-Ms": str(int(call.deadline * 1000)),
                    "Lambda-Runtime-Invoked-Function-Arn": arn,
                    "Lambda-Runtime-Trace-Id": "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700",
                }
                self._say(200, call.event, headers)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                *_, call_id, how = self.path.split("/")
                self._say(202, b"{}", {})
                process._ended.put((how, call_id, body))

            def _say(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
                # In one write: what comes in two waits 40 ms for an acknowledgement.
                lines = [f"HTTP/1.1 {status} -", f"Content-Length: {len(body)}"]
                lines += ["Content-Type: application/json"]
                lines += [f"{name}: {value}" for name, value in headers.items()]
                self.wfile.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

            def log_message(self, format: str, *args: Any) -> None: ...

        return Answering


class Function:
    """A function with as many processes as calls are made at once.

    Attributes:
        name: Its module's.
        throttled: How many calls were refused.
        idle: The processes that wait for a call, frozen.
        busy: Those that have one in hand.
    """

    def __init__(
        self,
        handler: str,
        environment: Mapping[str, str],
        *,
        timeout_s: float = 60.0,
        concurrency: int = 1000,
    ) -> None:
        """Make it.

        Args:
            handler: `MODULE.FUNCTION`.
            environment: Its variables.
            timeout_s: When a call is killed.
            concurrency: Most calls at once; more are throttled.
        """
        self.name = handler.split(".")[-2]
        self.timeout_s, self.concurrency = timeout_s, concurrency
        self.throttled = 0
        self._handler, self._variables = handler, dict(environment)
        self._lock = threading.Lock()
        self.idle: list[Process] = []
        self.busy: list[Process] = []

    def invoke(self, event: object) -> Any:
        """Call it; see `Process.invoke`.

        Raises:
            Throttled: As many calls as are allowed are in hand.
            FunctionFailed: See `Process.invoke`.
        """
        process = self._process()
        try:
            return process.invoke(event, self.timeout_s)
        finally:
            with self._lock:
                self.busy.remove(process)
                if process.alive:
                    self.idle.append(process)
                else:
                    process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            for process in (*self.idle, *self.busy):
                process.close()

    def _process(self) -> Process:
        with self._lock:
            if len(self.busy) >= self.concurrency:
                self.throttled += 1
                raise Throttled
            process = self.idle.pop() if self.idle else Process(self._handler, self._variables)
            self.busy.append(process)
        return process
