"""`pagetide autoscaler` beside a cluster without workers, and what its log shows afterwards."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

from bench.cluster_places import Place
from bench.cluster_processes import Cluster
from tests.parts.server import free_port


@dataclass(frozen=True, kw_only=True)
class Lived:
    """A worker that an autoscaler had; times in seconds since the epoch.

    Attributes:
        ready: When it accepted work; None if it never did.
        told: When it was told to stop; None if it left by itself.
        ended: When it was seen to have ended; None if it has not.
        exit: Its exit code; 0 is expected.
        reason: Why, as the autoscaler understood it.
    """

    name: str
    started: float
    ready: float | None
    told: float | None
    ended: float | None
    exit: int | str | None
    reason: str


class Scaling:
    """An autoscaler.

    Attributes:
        place: Where it runs.
    """

    def __init__(self, running: Cluster, folder: Path, *options: str) -> None:
        """Create it; it is not started yet.

        Args:
            running: The cluster, whose settings name `log_format=json`.
            folder: For its log, and those of its workers, which are one file.
            options: Of the command line.
        """
        port = free_port()
        server = f"http://127.0.0.1:{running.apis[0].port}"
        words = ["autoscaler", "--health-port", str(port), *options]
        self.place = Place(
            name="autoscaler",
            command=[sys.executable, "-P", "-m", "pagetide", *words],
            environment=running.environment(server=server, log_format="json"),
            port=port,
            log=folder / "autoscaler.log",
        )

    def lines(self) -> list[dict[str, Any]]:
        """All lines of the log."""
        text = self.place.log.read_text(errors="replace") if self.place.log.exists() else ""
        whole = text[: text.rfind("\n") + 1].splitlines()
        return [json.loads(line) for line in whole if line.startswith("{")]

    def told(self, message: str) -> list[dict[str, Any]]:
        """The autoscaler's own log entries with these words; its workers write there, too."""
        ours = (
            line
            for line in self.lines()
            if line["logger"].startswith(
                ("pagetide.server.scaling", "pagetide.server.supervisor")
            )
        )
        return [line for line in ours if line["message"] == message]

    def exits(self) -> list[int | str]:
        """How workers have ended."""
        return [line["exit"] for line in self.told("worker ended")]

    def lived(self) -> list[Lived]:
        """All workers that were started, in that order."""
        said = {
            what: {line["worker"]: line for line in self.told(what)}
            for what in ("worker is ready", "worker told to go", "worker ended")
        }

        def at(what: str, name: str) -> float | None:
            return moment(said[what][name]["time"]) if name in said[what] else None

        return [
            Lived(
                name=line["worker"],
                started=moment(line["time"]),
                ready=at("worker is ready", line["worker"]),
                told=at("worker told to go", line["worker"]),
                ended=at("worker ended", line["worker"]),
                exit=said["worker ended"].get(line["worker"], {}).get("exit"),
                reason=said["worker ended"].get(line["worker"], {}).get("reason", ""),
            )
            for line in self.told("worker started")
        ]

    def metric(self, name: str) -> str:
        """The line of a metric."""
        url = f"http://127.0.0.1:{self.place.port}/metrics"
        text = httpx.get(url, trust_env=False, timeout=10).text
        return next((line for line in text.splitlines() if line.startswith(name)), "")


def moment(text: str) -> float:
    """A time as our logs and answers write it, in seconds since the epoch."""
    return datetime.fromisoformat(text).timestamp()
