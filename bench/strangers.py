"""How clients affect others: `python -m bench.strangers [--rounds N] [--connections N]`.

A real `pagetide serve` on loopback, with keys. One key requests more than it may have, in four
ways, from a server that accepts connections and never answers: downloads, downloads whose
clients leave, Azure batches, and thousands of connections that send half a request. Meanwhile
another key submits documents one after the other, and the health is polled.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from bench.rows import Row, table
from bench.served import Server, served
from pagetide.server.api.callers.fetches import OF_A_KEY
from pagetide.system.cpu import model_name

SUBMIT_S, HEALTH_S = 0.5, 0.1
REQUESTS = 60  # of the key that requests too much, at once
BATCH = "/documentintelligence/documentModels/prebuilt-read:analyzeBatch?api-version=2024-11-30"
HALF = b"POST /v1/jobs HTTP/1.1\r\nHost: localh"
# An empty page, so that its submission is what is measured.
DOCUMENT = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>endobj\n"
    b"trailer<</Root 1 0 R>>\n"
)
Flood = Callable[[ExitStack], object]


def main() -> None:
    """Measure and print the table; exit with 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.strangers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--connections", type=int, default=2000)
    given = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 65_536)), hard))
    settings = {"auth": "keys", "allow_hosts": "127.0.0.1", "test_models": 1, "cache": 0}
    with silent() as away, served(workers=1, **settings) as server:
        flooding = Flooding(server, key_of(server, "ada"), away)
        floods: dict[str, Flood] = {
            "nobody": lambda _: None,
            f"{REQUESTS} downloads": flooding.downloads,
            f"{REQUESTS} downloads, sockets closed": flooding.left,
            f"{REQUESTS} Azure batches": flooding.batches,
            f"{given.connections} half-open connections": lambda ends: flooding.halves(
                ends, given.connections
            ),
        }
        other = key_of(server, "bob")
        rows = [
            row
            for name, flood in floods.items()
            for row in under(server, name, flood, other, given.rounds)
        ]
        server.stop()
    print(f"{table(rows)}\n\n{model_name()}; load {os.getloadavg()[0]:.1f}")
    sys.exit(0 if all(row.holds for row in rows) else 1)


def under(server: Server, name: str, flood: Flood, key: str, rounds: int) -> Iterator[Row]:
    """The rows of one flood, which has ended with the last."""
    submits, healths = [], []
    with ExitStack() as ends:
        flood(ends)
        for number in range(rounds):
            began = time.perf_counter()
            server.client.get("/health/live").raise_for_status()
            healths.append(time.perf_counter() - began)
            submits.append(submitted(server, key, number))
    yield row(f"another key's submit, beside {name}", submits, SUBMIT_S)
    yield row(f"health, beside {name}", healths, HEALTH_S)


def submitted(server: Server, key: str, number: int) -> float:
    """Seconds until a document of the other key was accepted."""
    began = time.perf_counter()
    answer = server.client.post(
        "/v1/jobs",
        files={"file": (f"{number}.pdf", DOCUMENT)},
        data={"model": "fake"},
        headers={"Authorization": f"Bearer {key}"},
    )
    if answer.status_code != 202:
        raise SystemExit(f"refused: {answer.text}")
    return time.perf_counter() - began


def row(measure: str, seconds: Sequence[float], bar_s: float) -> Row:
    """P50 and P95; the bar applies to the second."""
    ordered = sorted(seconds)
    p95 = ordered[int(0.95 * (len(ordered) - 1))]
    return Row(
        measure=measure,
        ours=f"P50 {statistics.median(ordered) * 1000:.0f} ms of {len(ordered)}",
        peer="",
        value=f"P95 {p95 * 1000:.0f} ms",
        bar=f"≤ {bar_s * 1000:.0f} ms",
        holds=p95 <= bar_s,
    )


class Flooding:
    """The actions of the key that requests too much.

    Args:
        server: The server it uses.
        key: Its key.
        away: The server that never answers.
    """

    def __init__(self, server: Server, key: str, away: Silent) -> None:
        parts = urlsplit(server.url)
        self._place = (parts.hostname or "", parts.port or 0)
        self._key, self._away = key, away

    def downloads(self, ends: ExitStack) -> None:
        """Documents from the server that never answers."""
        body = {"model": "fake", "file_url": f"{self._away.url}/a.pdf"}
        with self._away.asked(OF_A_KEY):
            for _ in range(REQUESTS):
                self._ask(ends, "/v1/jobs", body)

    def left(self, ends: ExitStack) -> None:
        """The same, by clients that leave at once."""
        with ExitStack() as soon:
            self.downloads(soon)

    def batches(self, ends: ExitStack) -> None:
        """Lists of a container there."""
        body = {
            "azureBlobSource": {"containerUrl": f"{self._away.url}/box"},
            "resultContainerUrl": f"{self._away.url}/out",
        }
        with self._away.asked(OF_A_KEY):
            for _ in range(REQUESTS):
                self._ask(ends, BATCH, body)

    def halves(self, ends: ExitStack, count: int) -> None:
        """Connections that send half a request."""
        for _ in range(count):
            self._send(ends, HALF)

    def _ask(self, ends: ExitStack, path: str, body: object) -> None:
        sent = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self._key}\r\n"
        )
        head += f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
        self._send(ends, head.encode() + sent)

    def _send(self, ends: ExitStack, sent: bytes) -> None:
        wire = socket.create_connection(self._place, timeout=60)
        ends.callback(wire.close)
        wire.sendall(sent)


def key_of(server: Server, name: str) -> str:
    """A new API key of the server's."""
    command = [sys.executable, "-m", "pagetide", "keys", "create", name]
    environment = {**os.environ, "PAGETIDE_DATA_DIR": str(Path(server.log.name).parent)}
    made = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return next(word for word in made.stdout.split() if word.startswith("pt_"))


class Silent:
    """A server that accepts connections and never answers."""

    def __init__(self, listening: socket.socket) -> None:
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self._listening, self._taken = listening, list[socket.socket]()
        threading.Thread(target=self._take, daemon=True).start()

    @contextmanager
    def asked(self, count: int) -> Iterator[None]:
        """After the block, wait until this many connect; earlier ones are given up."""
        self.drop()
        yield
        until = time.monotonic() + 30
        while len(self._taken) < count:
            if time.monotonic() > until:
                raise SystemExit(f"only {len(self._taken)} ask the server that never answers")
            time.sleep(0.01)

    def drop(self) -> None:
        """Close the connections so far."""
        while self._taken:
            self._taken.pop().close()

    def _take(self) -> None:
        with suppress(OSError):  # it is closed at the end
            while True:
                self._taken.append(self._listening.accept()[0])


@contextmanager
def silent() -> Iterator[Silent]:
    """Such a server."""
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as listening:
        found = Silent(listening)
        yield found
        found.drop()


if __name__ == "__main__":
    main()
