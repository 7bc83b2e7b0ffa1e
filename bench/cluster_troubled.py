"""The parts of a cluster as in `cluster_parts`, each prepared for faults."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench.cluster_database import Replicated
from bench.cluster_parts import OwnServers, Parts, S, parts
from bench.relay import Relay
from bench.skewed import clock_off
from bench.small_disk import small_disk
from tests.parts.azurite import Azurite
from tests.parts.postgres import Postgres

OFF_S = 600.0
OFF = {0: OFF_S, 1: -OFF_S}  # by the worker's number


@contextmanager
def troubled(store: str, queue: str, folder: Path) -> Iterator[Parts]:
    """Start the parts of a combination; they are stopped at the end.

    PostgreSQL has a standby; documents are in S3 beside SQS, in Azure's blobs beside its
    queues, and like DynamoDB behind a relay; SQLite is on a small disk. The clocks of two
    workers are off, unless all are on one machine.

    Args:
        store: One of `cluster_parts.STORES`.
        queue: One of `cluster_parts.QUEUES`.
        folder: For the data of parts that need no server.
    """
    with ExitStack() as ends:
        if store == "sqlite":
            ends.enter_context(small_disk(folder / "data"))
        servers = _Servers(ends)
        made = ends.enter_context(
            parts(store, queue, folder, s3=queue == "sqs", servers=servers)
        )
        made.disk = folder / "data" if store == "sqlite" else None
        made.database = servers.database
        if store != "sqlite":  # processes that share a file share a machine, and its clock
            made.of_worker = {number: clock_off(seconds) for number, seconds in OFF.items()}
        if store == "dynamodb":
            made.table = _behind_relay(made, "store", ends)
        if queue == "azurequeue":
            _azure_blobs(made, servers(Azurite))
        if "blobs" in made.settings:
            made.objects = _behind_relay(made, "blobs", ends)
        os.environ.update(made.environment)  # this program checks the parts as well
        yield made


class _Servers(OwnServers):
    """As those, except for PostgreSQL, which has a standby."""

    def __init__(self, ends: ExitStack) -> None:
        super().__init__(ends)
        self._stack = ends
        self.database: Replicated | None = None

    def __call__(self, kind: type[S]) -> S:
        """Start one."""
        if kind is Postgres:
            self.database = Replicated(self._stack)
            stands_in: Any = self.database
            return stands_in  # type: ignore[no-any-return]
        return super().__call__(kind)


def _behind_relay(made: Parts, setting: str, ends: ExitStack) -> Relay:
    """Put a relay before a setting's endpoint."""
    url = str(made.settings[setting])
    found = re.search(r"endpoint=http://127\.0\.0\.1:(\d+)", url)
    assert found
    relay = ends.enter_context(Relay(int(found[1])))
    made.settings[setting] = url.replace(f":{found[1]}", f":{relay.port}")
    return relay


def _azure_blobs(made: Parts, server: Azurite) -> None:
    container = f"results-{secrets.token_hex(6)}"
    server.make_container(container)
    where = f"account={server.account}&endpoint={server.blob_endpoint}"
    made.settings["blobs"] = f"az://{container}/blobs?{where}"
    made.environment = {**made.environment, "AZURE_STORAGE_ACCOUNT_KEY": server.key}
