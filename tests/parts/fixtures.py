"""The real servers as fixtures: one of each for the whole run, started when first asked for.

Each test has a database, a vhost or a prefix of its own there. Who stops a server, or empties
it, asks for an `own_` one, which no other process sees.

`make test` runs what it finds and says what it left out; where `PAGETIDE_TEST_REQUIRE` is
`all`, a missing part fails.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.parts import keeper
from tests.parts.server import PartMissing, Server

PARTS = {
    "redis": "Redis",
    "rabbitmq": "RabbitMQ",
    "postgres": "Postgres",
    "azurite": "Azurite",
    "moto": "Moto",
}


def _kind(name: str) -> type[Server]:
    kind: type[Server] = getattr(importlib.import_module(f"tests.parts.{name}"), PARTS[name])
    return kind


def required(missing: object) -> None:
    """Skip the test for want of something, or fail it where everything is to be there."""
    if os.environ.get("PAGETIDE_TEST_REQUIRE") == "all":
        pytest.fail(str(missing))
    pytest.skip(str(missing))


def _shared(name: str) -> Callable[[], Iterator[Server]]:
    def part() -> Iterator[Server]:
        try:
            server = keeper.given(_kind(name))
        except PartMissing as missing:
            required(missing)
        with server.used():
            yield server

    part.__doc__ = f"The {PARTS[name]} that all tests share."
    return part


def _own(name: str) -> Callable[[], Iterator[Server]]:
    def part() -> Iterator[Server]:
        with ExitStack() as ends:
            try:
                server = ends.enter_context(keeper.lent(_kind(name)))
            except PartMissing as missing:
                required(missing)
            yield server

    part.__doc__ = f"A {PARTS[name]} that only these tests use: they may stop and empty it."
    return part


for _name in PARTS:
    globals()[_name] = pytest.fixture(scope="session", name=_name)(_shared(_name))
    globals()[f"own_{_name}"] = pytest.fixture(scope="module", name=f"own_{_name}")(_own(_name))
