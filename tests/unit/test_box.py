"""The box goes on where the store cannot be reached for a while."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from pagetide.errors import StoreFailed
from pagetide.server.supervisor import one_box as box
from pagetide.server.supervisor.forked_workers import ForkedWorkers
from pagetide.server.supervisor.one_box import Supervisor
from pagetide.settings import Settings
from pagetide.telemetry import metrics


class NoApi:
    """Stands in for the API process, which a test of the box alone does not need."""

    def __init__(self, settings: Settings, listening: socket.socket) -> None:
        self._ours, theirs = socket.socketpair()
        self._theirs = theirs
        self.sentinel = self._ours.fileno()

    def revive(self) -> None:
        """It never ends."""

    def stop(self) -> None:
        self._ours.close()
        self._theirs.close()


def test_a_store_that_fails_does_not_end_the_box(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: list[str] = []
    running: list[Supervisor] = []

    def scale(_: ForkedWorkers) -> float:
        rounds.append("tried")
        if len(rounds) == 1:
            raise StoreFailed
        running[0].end()
        return 0.0

    monkeypatch.setattr(box, "ApiProcess", NoApi)
    monkeypatch.setattr(box, "RETRY_S", 0.01)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.setattr(ForkedWorkers, "warm", lambda _: None)
    monkeypatch.setattr(ForkedWorkers, "scale", scale)
    listening = socket.create_server(("127.0.0.1", 0))
    running.append(Supervisor(Settings(data_dir=str(tmp_path)), listening))
    running[0].run()
    assert rounds == ["tried", "tried"]
    metrics.workers(pool="after-the-box", count=1)
    assert b"after-the-box" in metrics.render(), (
        "it still reports by notifications that are gone"
    )
