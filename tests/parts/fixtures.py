"""The real servers as fixtures: one of each a session, started when first asked for.

`make test` runs what it finds and says what it left out; where `PAGETIDE_TEST_REQUIRE` is
`all`, a missing part fails.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.parts.server import PartMissing, Server


def _running(module: str, name: str) -> Iterator[Server]:
    try:
        server: Server = getattr(importlib.import_module(f"tests.parts.{module}"), name)()
        server.__enter__()
    except PartMissing as missing:
        if os.environ.get("PAGETIDE_TEST_REQUIRE") == "all":
            pytest.fail(str(missing))
        pytest.skip(str(missing))
    try:
        yield server
    finally:
        server.__exit__(None, None, None)


@pytest.fixture(scope="session")
def redis() -> Iterator[Any]:
    """A Redis server."""
    yield from _running("redis", "Redis")


@pytest.fixture(scope="session")
def rabbitmq() -> Iterator[Any]:
    """A RabbitMQ node."""
    yield from _running("rabbitmq", "RabbitMQ")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A PostgreSQL server."""
    yield from _running("postgres", "Postgres")


@pytest.fixture(scope="session")
def azurite() -> Iterator[Any]:
    """Azurite: Azure's blobs and queues."""
    yield from _running("azurite", "Azurite")


@pytest.fixture(scope="session")
def moto() -> Iterator[Any]:
    """Moto's server: AWS."""
    yield from _running("moto", "Moto")
