"""A driver that scales workers by a user's command, such as `docker compose up`."""

from __future__ import annotations

import logging
import shlex
import shutil
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pagetide.errors import BadOption
from pagetide.server.supervisor.drivers.ports import Counts
from pagetide.server.supervisor.restarts import PAUSE_S

log = logging.getLogger(__name__)

_STDERR = 2
LEAST_PAUSE_S = 0.5  # before a command that failed is run again


def words_of(text: str, pools: Collection[str]) -> tuple[str, ...]:
    """A command as words, split as a shell would, but run by none.

    Raises:
        BadOption: It cannot be split, does not say how many or of which pool, or its program
            is not there.
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError:
        raise BadOption("--command has a quote that is not closed.") from None
    if not any("{replicas}" in word for word in words):
        raise BadOption("--command must contain {replicas}: the wanted number of workers.")
    if len(pools) > 1 and not any("{pool}" in word for word in words):
        raise BadOption("--command must contain {pool}, because there are several pools.")
    if shutil.which(words[0]) is None:
        raise BadOption(f"--command: there is no program {words[0][:80]!r}.")
    return words


@dataclass
class LastCommand:
    """The last command for a pool.

    Attributes:
        wanted: So many workers; None as long as nobody has said.
        done: So many the command was last run for with success.
        call: The command that runs now, and for how many.
        failures: How often it has failed in a row.
    """

    wanted: int | None = None
    done: int | None = None
    call: tuple[int, subprocess.Popen[bytes]] | None = None
    failures: int = 0
    not_before: float = float("-inf")


class Command:
    """A `Driver` that runs a command whenever the number changes.

    What the workers do is not seen: those that the command was run for count as there and
    ready. A command that fails is run again, after a pause that grows.
    """

    def __init__(
        self, words: Sequence[str], least: Mapping[str, int], spare: Collection[str] = ()
    ) -> None:
        """Make it.

        Args:
            words: The program and its arguments; `{pool}` and `{replicas}` are filled in.
            least: Fewest workers of each pool.
            spare: Pools that come to fewer workers only when their policy wants the fewest:
                as long as there is work, nobody knows which workers the command would end.
        """
        self._words, self._least, self._spare = tuple(words), least, frozenset(spare)
        self._commands = {pool: LastCommand() for pool in least}

    def reconcile(self, now: float) -> Collection[str]:
        """See `Driver`."""
        for pool, command in self._commands.items():
            self._poll(pool, command, now)
        return ()

    def counts(self, pool: str) -> Counts:
        """See `Driver`."""
        done = self._commands[pool].done or 0
        return Counts(staying=done, ready=done)

    def scale(self, pool: str, replicas: int, now: float) -> None:
        """See `Driver`."""
        command = self._commands[pool]
        command.wanted = self._kept(pool, command, replicas)
        self._run(pool, command, now)

    def end(self, now: float) -> None:
        """See `Driver`."""
        for pool, command in self._commands.items():
            if command.wanted is not None:
                command.wanted, command.not_before = 0, now
                self._run(pool, command, now)

    @property
    def gone(self) -> bool:
        """See `Driver`: the last command has gone well, or failed for good."""
        return all(
            command.call is None
            and (command.done == command.wanted or command.failures >= len(PAUSE_S))
            for command in self._commands.values()
        )

    def close(self) -> None:
        """See `Driver`."""
        for command in self._commands.values():
            if command.call:
                command.call[1].wait()

    def _kept(self, pool: str, command: LastCommand, replicas: int) -> int:
        """How many to run it for."""
        fewer = command.done is not None and self._least[pool] < replicas < command.done
        return command.done if command.done and fewer and pool in self._spare else replicas

    def _run(self, pool: str, command: LastCommand, now: float) -> None:
        if command.call or command.wanted is None or command.wanted == command.done:
            return
        if now < command.not_before:
            return
        try:
            command.call = command.wanted, self._called(pool, command.wanted)
        except OSError:
            self._fail(pool, command, 127, now)

    def _called(self, pool: str, replicas: int) -> subprocess.Popen[bytes]:
        filled = [
            word.replace("{pool}", pool).replace("{replicas}", str(replicas))
            for word in self._words
        ]
        return subprocess.Popen(  # noqa: S603 - the user's own command
            filled, stdin=subprocess.DEVNULL, stdout=_STDERR, process_group=0
        )

    def _poll(self, pool: str, command: LastCommand, now: float) -> None:
        if command.call is None:
            return
        replicas, process = command.call
        code = process.poll()
        if code is None:
            return
        command.call = None
        if code:
            self._fail(pool, command, code, now)
        else:
            command.done, command.failures = replicas, 0
            log.info("command has run", extra={"pool": pool, "replicas": replicas})
        if command.wanted is not None:
            self._run(pool, command, now)

    def _fail(self, pool: str, command: LastCommand, code: int, now: float) -> None:
        command.failures += 1
        pause = PAUSE_S[min(command.failures, len(PAUSE_S) - 1)]
        command.not_before = now + max(LEAST_PAUSE_S, pause)
        log.error(
            "command failed", extra={"pool": pool, "exit": code, "count": command.failures}
        )
