"""A real `pagetide serve` for tests, with keys, in a folder of its own."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pagetide.keys import new_key
from pagetide.settings import Settings
from pagetide.wiring import open_store

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
    made = _new_keys(keys, environment)
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
        server.wait(120)
        draining.join()
        server.stderr.close()


def _new_keys(count: int, environment: dict[str, str]) -> tuple[str, ...]:
    """What `pagetide keys create` would make, without the second that each process takes."""
    if not count:
        return ()
    made = [
        new_key(
            f"key{i}",
            key_id=secrets.token_hex(4),
            secret=secrets.token_urlsafe(32),
            now=time.time(),
        )
        for i in range(count)
    ]
    with closing(open_store(Settings.from_environment(environment))) as store:
        for _, kept in made:
            store.put_key(kept)
    return tuple(key for key, _ in made)
