"""Workers as containers, by `podman` or `docker`; found again by their label."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pagetide.server.supervisor.drivers.ports import Condition

LABEL = "pagetide.autoscaler"
EVERY_S = 2.0  # to list containers takes podman a tenth of a second of a core
LIST_S = 20.0  # longest that it may take
_CODE = re.compile(r"Exited \((-?\d+)\)")
_NAME = re.compile(r"(?P<pool>[a-z][a-z0-9-]*)-[0-9a-z]+")


@dataclass(frozen=True, kw_only=True)
class Running:
    """How containers are run.

    Attributes:
        tool: `podman` or `docker`, or a path of one.
        name: By which an autoscaler knows its own.
        images: The image of each pool, whose entry point is `pagetide`.
        options: Further options of `run` for a pool, such as `--network=…`.
        words: The command line of a pool's workers.
        grace_s: How long `stop` waits before it kills.
    """

    tool: str
    name: str
    images: Mapping[str, str]
    options: Callable[[str], Sequence[str]]
    words: Callable[[str], Sequence[str]]
    grace_s: float

    def run(self, pool: str, name: str) -> list[str]:
        """The command that starts a worker."""
        return [
            self.tool,
            "run",
            "--detach",
            f"--name={self.name}-{name}",
            f"--label={LABEL}={self.name}",
            f"--stop-timeout={self.grace_s:.0f}",
            *self.options(pool),
            self.images[pool],
            "worker",
            "--pool",
            pool,
            *self.words(pool),
        ]

    def listing(self) -> list[str]:
        """The command that lists its containers: name, and how it is.

        What podman says as `State` is what docker says as `Status`; that both have.
        """
        shown = "{{.Names}}\t{{.Status}}"
        mine = f"label={LABEL}={self.name}"
        return [self.tool, "ps", "--all", f"--filter={mine}", f"--format={shown}"]


class Containers:
    """A `Host` of containers, which outlive the autoscaler if they are let."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self._starting: dict[str, tuple[str, subprocess.Popen[bytes]]] = {}
        self._calls: list[subprocess.Popen[bytes]] = []
        self._owed: set[str] = set()  # those to be stopped once they are there
        self._removed: set[str] = set()  # those that may be listed for a moment yet
        self._listed: dict[str, Condition] | None = None
        self._listed_at = float("-inf")

    def start(self, pool: str, name: str) -> None:
        """See `Host`."""
        self._starting[name] = (pool, self._called(self._running.run(pool, name)))

    def look(self, now: float) -> Mapping[str, Condition] | None:
        """See `Host`; containers are listed every two seconds as long as there are any."""
        self._calls = [call for call in self._calls if call.poll() is None]
        if self._listed_at == float("-inf") or self._is_time(now):
            self._listed, self._listed_at = self._list(), now
            self._settle()
        if self._listed is None:
            return None
        pending = {name: Condition(pool=pool) for name, (pool, _) in self._starting.items()}
        return {**self._listed, **pending, **self._failed()}

    def ask(self, name: str) -> None:
        """See `Host`."""
        if name in self._starting and self._starting[name][1].poll() is None:
            self._owed.add(name)
            return
        grace = f"--time={self._running.grace_s:.0f}"
        self._call("stop", grace, name)

    def kill(self, name: str) -> None:
        """See `Host`."""
        self._call("kill", "--signal=KILL", name)

    def forget(self, name: str) -> None:
        """See `Host`: the container is removed."""
        self._starting.pop(name, None)
        self._owed.discard(name)
        self._removed.add(name)
        if self._listed:
            self._listed.pop(name, None)
        self._call("rm", "--force", name)

    def close(self) -> None:
        """See `Host`; what was begun is finished, else a container might be half there."""
        for call in (*self._calls, *(call for _, call in self._starting.values())):
            call.wait()

    def _is_time(self, now: float) -> bool:
        """Whether to list: there is something to see, and not only just seen."""
        there = self._starting or self._listed is None or self._listed
        return bool(there) and now - self._listed_at >= EVERY_S

    def _list(self) -> dict[str, Condition] | None:
        listing = self._listing()
        if listing is None:
            return None
        rows = (line.split("\t") for line in listing.splitlines())
        found = (self._seen(*row) for row in rows if len(row) == 2)
        listed = {name: condition for name, condition in found if name}
        self._removed &= set(listed)
        return {name: listed[name] for name in listed if name not in self._removed}

    def _listing(self) -> str | None:
        try:
            done = subprocess.run(  # noqa: S603 - the tool that the user chose
                self._running.listing(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=LIST_S,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return None if done.returncode else done.stdout.decode("utf-8", "replace")

    def _seen(self, full: str, status: str) -> tuple[str, Condition]:
        name = full.removeprefix(f"{self._running.name}-")
        known = _NAME.fullmatch(name)
        if known is None or name == full or known["pool"] not in self._running.images:
            return "", Condition(pool="")
        code = _CODE.match(status)
        return name, Condition(
            pool=known["pool"],
            ready=status.startswith("Up "),
            ended=bool(code) or status.startswith("Dead"),
            code=int(code[1]) if code else None,
        )

    def _settle(self) -> None:
        """Note that containers which are listed are no longer starting."""
        for name, (_, call) in list(self._starting.items()):
            if self._listed is not None and name in self._listed and call.poll() == 0:
                del self._starting[name]
        for name in self._owed - set(self._starting):
            self._owed.discard(name)
            self.ask(name)

    def _failed(self) -> dict[str, Condition]:
        """The containers whose start failed."""
        return {
            name: Condition(pool=pool, ended=True, code=call.returncode)
            for name, (pool, call) in self._starting.items()
            if call.poll()
        }

    def _call(self, verb: str, option: str, name: str) -> None:
        full = f"{self._running.name}-{name}"
        self._calls.append(self._called([self._running.tool, verb, option, full]))

    def _called(self, words: Sequence[str]) -> subprocess.Popen[bytes]:
        """The tool at work; what it complains of is seen where our logs are."""
        return subprocess.Popen(  # noqa: S603 - the tool that the user chose
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, process_group=0
        )
