"""The process that PaddleOCR runs in, seen from ours.

PaddleOCR needs another OpenCV than we do, may run in one thread only, and can take its whole
process down. So it runs in a process of its own, with a Python of its own where one is set:
`runner.py` beside this module, started as a program. It hears

    {"class": …, "pipeline": …, "arguments": …, "config": …, "engine_config": …, "predict": …}

which is the pipeline to make (`request`), and answers `{"versions": …}`; then, for every page,
`{"height": …, "width": …}` with the pixels as payload, says at once that it has it, and answers
`{"ms": …}` with the pipeline's own result as payload. `{"error": KIND, "type": …}` is the
answer to what failed.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import select
import shutil
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pagetide.engines.paddle.interpreter import command, not_installed
from pagetide.engines.paddle.pipes import Pipes
from pagetide.errors import (
    EngineFailed,
    ModelUnavailable,
    OutOfMemory,
    PageFailed,
    PagetideError,
    PageTimeout,
)
from pagetide.telemetry.logs import blotted

_OVERLOOKED = (
    "A network of the pipeline is missing, and PaddleOCR may not download it: set"
    " its folder in the file given as paddlex_config, or switch it off."
)
_DYING_S = 5.0
_KEPT_BYTES = 8000  # of what the process wrote to its log
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_PATH = re.compile(r"(?:~|\.{0,2})/[^\s:'\",)\]]*/")
_log = logging.getLogger("pagetide.paddle")


@dataclass(frozen=True, kw_only=True)
class Answered:
    """A page's result: the pipeline's own JSON, and how long it took in milliseconds."""

    raw: bytes
    ms: float


class DiedBefore(EngineFailed):
    """PaddleOCR's process had ended when a page came."""


class PaddleProcess:
    """One process with one pipeline; for one thread at a time.

    Args:
        python: The Python that has PaddleOCR.
        order: The first message.
        page_s: Longest that a page may take, and the start with the first.

    Attributes:
        versions: Of the packages in it, once it has answered.
    """

    def __init__(self, python: str, order: dict[str, Any], page_s: float) -> None:
        self._python, self._page_s = python, page_s
        self.versions: dict[str, str] = {}
        self._home = tempfile.mkdtemp(prefix="pagetide-paddle-")
        try:
            self.child = subprocess.Popen(  # noqa: S603  # our own program
                command(python, self._home, self._home),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
            )
        except OSError:
            shutil.rmtree(self._home, ignore_errors=True)
            raise EngineFailed("PaddleOCR's process could not be started.") from None
        stdin, stdout, stderr = self.child.stdin, self.child.stdout, self.child.stderr
        assert stdin and stdout and stderr  # noqa: S101  # for the type
        self._pipes = Pipes(stdout.fileno(), stdin.fileno())
        self._log = _Tail(stderr)
        self._order: dict[str, Any] | None = order
        self._lost = False  # nobody knows what it will answer next

    @property
    def is_usable(self) -> bool:
        """Whether the process runs, and what it says next would be the answer to a question."""
        return not self._lost and self.child.poll() is None

    def start(self, deadline: float) -> None:
        """Wait until the pipeline is made; the first page does so by itself.

        Raises:
            ModelUnavailable: PaddleOCR is not installed there, or misses a network.
            EngineFailed: It cannot be started.
        """
        if self._order is None:
            return
        self._lost = True
        try:
            self._pipes.send(self._order, b"", deadline)
            answer, _ = self._pipes.receive(deadline)
        except (TimeoutError, EOFError, ValueError, OSError) as error:
            raise self._start_failure(error) from None
        if "error" in answer:
            raise self._refusal(answer)
        self.versions, self._order, self._lost = answer["versions"], None, False

    def read(self, pixels: NDArray[np.uint8]) -> Answered:
        """A page's result.

        Args:
            pixels: Height × width × 3, blue-green-red.

        Raises:
            PageTimeout: It takes longer than the limit; the process is ended.
            OutOfMemory: It needs more memory than there is.
            PageFailed: PaddleOCR fails on it, or it took the process down.
            DiedBefore: The process was gone before it had the page.
            ModelUnavailable: It misses a network; see `start`.
            EngineFailed: See `start`.
        """
        deadline = time.monotonic() + self._page_s
        self.start(deadline)
        height, width = pixels.shape[:2]
        payload = np.ascontiguousarray(pixels).data
        self._lost = True
        try:
            self._hand_over({"height": height, "width": width}, payload, deadline)
            answer, raw = self._pipes.receive(deadline)
        except (TimeoutError, EOFError, ValueError, OSError) as error:
            raise self._page_failure(error) from None
        self._lost = False
        if "error" in answer:
            raise self._page_error(answer)
        return Answered(raw=raw, ms=float(answer["ms"]))

    def _hand_over(self, message: dict[str, int], pixels: memoryview, deadline: float) -> None:
        try:
            self._pipes.send(message, pixels, deadline)
            self._pipes.receive(deadline)
        except EOFError:
            raise DiedBefore from None

    def end(self) -> None:
        """Kill the process, wait for it, and remove what it left."""
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        self._log.join()
        for pipe in (self.child.stdin, self.child.stdout, self.child.stderr):
            if pipe:
                pipe.close()
        shutil.rmtree(self._home, ignore_errors=True)

    def _status(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(_DYING_S)  # to learn what of, before we kill it
        return self.child.poll()

    def _start_failure(self, error: Exception) -> PagetideError:
        if isinstance(error, TimeoutError):
            self._log_failure("took too long to start")
            return EngineFailed(
                f"PaddleOCR took longer than {self._page_s:g} s to start: raise"
                " PAGETIDE_PAGE_DEADLINE_S or use smaller networks."
            )
        self._log_failure(f"ended while it started, with {self._status()}")
        return EngineFailed("PaddleOCR's process ended during its start: see the log.")

    def _refusal(self, answer: dict[str, Any]) -> PagetideError:
        if answer["error"] == "missing":
            return not_installed(self._python, str(answer.get("type", "")))
        self._log_failure(f"could not be started: {answer.get('type')}")
        if answer["error"] == "network":
            return ModelUnavailable(_OVERLOOKED)
        return EngineFailed(
            f"PaddleOCR could not create the pipeline ({answer.get('type')}): see the log."
        )

    def _page_failure(self, error: Exception) -> PagetideError:
        if isinstance(error, TimeoutError):
            self._log_failure("took too long over a page")
            return PageTimeout(f"PaddleOCR took longer than {self._page_s:g} s over this page.")
        if isinstance(error, ValueError):
            self._log_failure("answered what is no result")
            return PageFailed("PaddleOCR's process gave an answer that is not a result.")
        status = self._status()
        self._log_failure(f"ended while it read a page, with {status}")
        if status == -9:  # nobody but the kernel, short of memory, and an operator kill so
            return OutOfMemory("PaddleOCR's process was killed while it read this page.")
        return PageFailed(f"PaddleOCR's process ended while it read this page ({status}).")

    def _page_error(self, answer: dict[str, Any]) -> PagetideError:
        kind = answer["error"]
        if kind == "count":
            return PageFailed(f"PaddleOCR returned {answer.get('count')} results for one page.")
        if kind == "memory":
            return OutOfMemory("PaddleOCR needs more memory for this page than is available.")
        self._log_failure(f"failed on a page: {answer.get('type')}")
        if kind == "network":
            return ModelUnavailable(_OVERLOOKED)
        return PageFailed(f"PaddleOCR failed on this page ({answer.get('type')}).")

    def _log_failure(self, what: str) -> None:
        """Write to our log what happened, and the end of the process's own, cleaned."""
        output = self._log.text()
        _log.warning("PaddleOCR %s", what, extra={"reason": without_places(output)[-600:]})


class _Tail:
    """The end of what the process writes to its log, read as it comes."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept = b""
        self._lock = threading.Lock()
        os.set_blocking(stream.fileno(), False)
        self._thread = threading.Thread(target=self._follow, name="paddle-log", daemon=True)
        self._thread.start()

    def text(self) -> str:
        """What is kept, as text: all that the process wrote before it answered."""
        with contextlib.suppress(OSError, ValueError):
            self._take()
        return self._kept.decode(errors="replace").strip()

    def join(self) -> None:
        """Wait until the process's end of the pipe is closed."""
        self._thread.join(_DYING_S)

    def _follow(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            poll = select.poll()
            poll.register(self._stream, select.POLLIN)
            while poll.poll() and self._take():
                pass

    def _take(self) -> bool:
        """Keep what has come; False where nothing more will."""
        with self._lock, contextlib.suppress(BlockingIOError):
            while chunk := os.read(self._stream.fileno(), 4096):
                self._kept = (self._kept + chunk)[-_KEPT_BYTES:]
            return False
        return True


def without_places(text: str) -> str:
    """The text without secrets, and of every path only its last name."""
    return _PATH.sub("…/", blotted(_COLOUR.sub("", text)))
