"""Moto's server: AWS in memory, for DynamoDB, SQS and S3.

`python -m tests.parts.moto PORT` is that server, with its DynamoDB put right.
"""

from __future__ import annotations

import copy
import importlib.util
import logging
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from tests.parts.server import PartMissing, Server, listens

REGION = "us-east-1"
KINDS = frozenset(("S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"))  # of values


class Moto(Server):
    """Takes any credentials; a restart loses all data.

    Clients refuse to go without credentials, so from its first use on there are some in the
    environment of this process and its children. They stay: who put back what was before would
    take them from another fixture whose time overlaps.
    """

    @contextmanager
    def used(self) -> Iterator[None]:
        """See `Server`: credentials."""
        os.environ.update(environment_for_clients())
        yield

    def stop(self) -> None:
        """End it at once: it has nothing to put away, and took 10 s when it was asked."""
        self.kill()

    def command(self) -> list[str]:
        """See `Server`."""
        if importlib.util.find_spec("moto") is None:
            raise PartMissing("moto is not installed: pip install 'moto[server]'")
        return [sys.executable, "-m", __name__, str(self.port)]

    def environment(self) -> Mapping[str, str]:
        """See `Server`."""
        return {"PYTHONPATH": str(Path(__file__).parents[2])}

    def ready(self) -> bool:
        """See `Server`."""
        return listens(self.port)

    @property
    def endpoint(self) -> str:
        """Where all of its services answer."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """A DynamoDB table that all tests share."""
        return self._url_of("pagetide")

    def table(self) -> str:
        """The URL of a DynamoDB table that is nobody else's; the store makes it."""
        return self._url_of(f"test-{secrets.token_hex(6)}")

    def _url_of(self, table: str) -> str:
        return f"dynamodb://{REGION}/{table}?endpoint={self.endpoint}"

    def wipe(self) -> None:
        """Lose all data."""
        asking = HTTPConnection("127.0.0.1", self.port, timeout=60)
        with closing(asking):
            asking.request("POST", "/moto-api/reset")
            assert asking.getresponse().status == 200


def environment_for_clients() -> Mapping[str, str]:
    """What a client's environment must have: credentials, though any will do."""
    return {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


@pytest.fixture
def aws_credentials() -> None:
    """This process's clients have credentials; `pytestmark = usefixtures` asks for it."""
    os.environ.update(environment_for_clients())


def serve(port: int) -> None:
    """Run Moto with one request at a time of DynamoDB and one of SQS, until it is killed.

    Moto 5.2 has no lock around a transaction, and one that is refused puts the whole table
    back to what it was, so two at once lost what a third had written. Nor has it one around
    the choice of a message: one in two thousand was handed to two receivers. It also copies the
    table for every transaction and sorts it for every query: with 400 items, 20 ms each. It
    looks through its own folder for every request, writes a line for each, and looks for each
    of the ten kinds of a value under four names: half of its time.
    """
    from moto.core.serialize import ResponseSerializer
    from moto.dynamodb.models import DynamoDBBackend, table
    from moto.moto_server import werkzeug_app
    from moto.sqs.models import SQSBackend

    tables: Any = table.Table
    application: Any = werkzeug_app.DomainDispatcherApplication
    dispatch = application.__call__
    turns = {"DynamoDB": threading.Lock(), "AmazonSQS": threading.Lock()}

    def one_at_a_time(
        self: Any, environ: dict[str, Any], respond: Callable[..., Any]
    ) -> Iterable[bytes]:
        service, _, action = environ.get("HTTP_X_AMZ_TARGET", "").partition(".")
        turn = turns.get(service.partition("_")[0])
        if turn is None or action == "ReceiveMessage":  # which waits, see `_in_turn`
            answer: Iterable[bytes] = dispatch(self, environ, respond)
            return answer
        with turn:
            return list(dispatch(self, environ, respond))

    application.__call__ = one_at_a_time
    application.get_backend_for_host = cache(application.get_backend_for_host)
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    serializer: Any = ResponseSerializer
    serializer._serialize_structure_member = _but_for_absent(
        serializer._serialize_structure_member
    )
    tables.__deepcopy__, tables.all_items = _copied, _all_items
    backend: Any = DynamoDBBackend
    backend.update_item = _on_a_copy(backend.update_item)
    queues: Any = SQSBackend
    queues.receive_message = _in_turn(queues.receive_message, turns["AmazonSQS"])
    from moto.server import main

    main(["-H", "127.0.0.1", "-p", str(port)])


def _but_for_absent(method: Callable[..., None]) -> Callable[..., None]:
    """Without the kinds that a value, such as `{"S": "text"}`, is not of."""

    def one(self: Any, serialized: Any, value: Any, shape: Any, key: str) -> None:
        if type(value) is dict and key not in value and value.keys() <= KINDS:
            return
        method(self, serialized, value, shape, key)

    return one


def _in_turn(method: Callable[..., list[Any]], turn: threading.Lock) -> Callable[..., Any]:
    """Wait for messages without the lock, choose among them with it."""

    def receive(self: Any, queue_name: str, count: int, wait_s: int, *asked: Any) -> list[Any]:
        deadline = time.monotonic() + wait_s
        while True:
            with turn:
                found = method(self, queue_name, count, 0, *asked)
            if found or (left := deadline - time.monotonic()) <= 0:
                return found
            self.get_queue(queue_name).wait_for_messages(min(left, 1))

    return receive


def _on_a_copy(method: Callable[..., Any]) -> Callable[..., Any]:
    """Change another item in the place of the one that `_copied` may go back to."""
    from moto.dynamodb.models.dynamo_type import DynamoType

    def update(self: Any, table_name: str, key: dict[str, Any], **asked: Any) -> Any:
        table = self.get_table(table_name)
        names = (table.hash_key_attr, table.range_key_attr)
        partition, order = (DynamoType(key[name]) for name in names)
        items = table.items[partition]
        if order in items:
            items[order] = copy.deepcopy(items[order])
        return method(self, table_name, key, **asked)

    return update


def _copied(table: Any, memo: object) -> Any:
    """A table to go back to; transactions leave its items as they are, see `_on_a_copy`."""
    copied = copy.copy(table)
    copied.items = type(table.items)(table.items.default_factory)
    copied.items.update({partition: dict(items) for partition, items in table.items.items()})
    return copied


def _all_items(table: Any) -> list[Any]:
    return [item for items in table.items.values() for item in items.values()]


if __name__ == "__main__":
    serve(int(sys.argv[1]))
