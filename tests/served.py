"""A real `pagetide serve` for tests, with keys, in a folder of its own."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pagetide.server.jobs.keys import LEAST, Scope, new_key
from pagetide.server.wiring import open_store
from pagetide.settings import Settings
from tests.parts import forks
from tests.parts.server import logs_folder
from tests.waiting import until

PAGETIDE = [sys.executable, "-m", "pagetide"]


@dataclass(frozen=True)
class Served:
    """A server, while it runs.

    Attributes:
        url: Its address, without a slash at the end.
        keys: API keys that it knows.
        environment: For a process that should see the same data.
        folder: Its data.
        log: Its output.
        pid: Its process.
    """

    url: str
    keys: tuple[str, ...]
    environment: dict[str, str]
    folder: Path
    log: Path
    pid: int = 0

    @property
    def key(self) -> str:
        """The first key."""
        return self.keys[0]


@contextmanager
def serving(
    folder: Path,
    *,
    keys: int = 2,
    scopes: Iterable[Scope] = LEAST,
    within: Sequence[str] = (),
    **settings: object,
) -> Iterator[Served]:
    """Run a server on a free port; test models are on.

    Args:
        folder: For its data.
        keys: How many API keys exist; 0 means that none is needed.
        scopes: Theirs.
        within: A command that runs the server directly, such as `prlimit`.
        settings: Such as `idle_s=1` or `aliases={"big": "fake"}`.
    """
    known = Settings.known()
    given = {
        known[name].variable: value if isinstance(value, str) else known[name].text(value)
        for name, value in settings.items()
    }
    environment = {
        **os.environ,
        "PAGETIDE_DATA_DIR": str(folder),
        "PAGETIDE_TEST_MODELS": "yes",
        **given,
    }
    made = _new_keys(keys, scopes, environment)
    log = (logs_folder() or folder) / f"serve-{secrets.token_hex(4)}.log"
    with log.open("wb") as said:
        server = forks.Popen(
            [*within, *PAGETIDE, "serve", "--port", "0", *(["--keys"] if keys else [])],
            env=environment,
            stderr=said,
        )
    try:
        url = until(partial(_answers_at, log, server))
        yield Served(url, made, environment, folder, log, server.pid)
    finally:
        server.terminate()
        server.wait(120)


def _answers_at(log: Path, server: subprocess.Popen[Any]) -> str | None:
    """The URL at which a server reports that it answers."""
    said = log.read_text(errors="replace")
    assert server.poll() is None, f"the server has ended:\n{said}"
    found = re.search(r"answers at (\S+?)/?;", said)
    return found and found[1]


def _new_keys(
    count: int, scopes: Iterable[Scope], environment: dict[str, str]
) -> tuple[str, ...]:
    """What `pagetide keys create` would create, without the second that each process takes."""
    if not count:
        return ()
    made = [
        new_key(
            f"key{i}",
            key_id=secrets.token_hex(4),
            secret=secrets.token_urlsafe(32),
            now=time.time(),
            scopes=scopes,
        )
        for i in range(count)
    ]
    with closing(open_store(Settings.from_environment(environment))) as store:
        for _, kept in made:
            store.put_key(kept)
    return tuple(key for key, _ in made)
