"""A real `pagetide serve` for tests, with keys, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PAGETIDE = [sys.executable, "-m", "pagetide"]


@dataclass(frozen=True)
class Served:
    """A server, while it runs.

    Attributes:
        url: Where it answers, without a slash at the end.
        keys: API keys that it knows.
        environment: For a process that is to see the same data.
        folder: Its data.
    """

    url: str
    keys: tuple[str, ...]
    environment: dict[str, str]
    folder: Path

    @property
    def key(self) -> str:
        """The first key."""
        return self.keys[0]


@contextmanager
def serving(folder: Path, *, keys: int = 2, **settings: object) -> Iterator[Served]:
    """Run a server on a free port; test models are on.

    Args:
        folder: For its data.
        keys: How many API keys there are; 0 means that none is needed.
        settings: Such as `idle_s=1`.
    """
    given = {f"PAGETIDE_{name.upper()}": str(value) for name, value in settings.items()}
    environment = {
        **os.environ,
        "PAGETIDE_DATA_DIR": str(folder),
        "PAGETIDE_TEST_MODELS": "yes",
        **given,
    }
    made = tuple(_new_key(f"key{i}", environment) for i in range(keys))
    server = subprocess.Popen(
        [*PAGETIDE, "serve", "--port", "0", *(["--keys"] if keys else [])],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stderr is not None
    said = next(line for line in server.stderr if "answers at" in line)
    url = said.split("answers at ")[1].split(";")[0].strip().rstrip("/")
    draining = threading.Thread(target=server.stderr.read)
    draining.start()
    try:
        yield Served(url, made, environment, folder)
    finally:
        server.terminate()
        server.wait(60)
        draining.join()
        server.stderr.close()


def _new_key(name: str, environment: dict[str, str]) -> str:
    create = [*PAGETIDE, "keys", "create", name]
    made = subprocess.run(create, env=environment, capture_output=True, check=True)
    return made.stdout.decode().strip()
