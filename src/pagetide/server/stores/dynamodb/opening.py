"""Opens a store by its URL: the client, and the table, created where it is missing."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from pagetide.errors import BadOption, StoreFailed, installing
from pagetide.net.aws_session import open_session

if TYPE_CHECKING:
    from pagetide.server.stores.dynamodb.requests import Table
    from pagetide.server.stores.dynamodb.store import DynamoStore

_FORM = "dynamodb://REGION/TABLE?endpoint=URL&create=yes|no"
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]+")
_TABLE = re.compile(r"[A-Za-z0-9_.-]{3,255}")
_READY_S = 180.0  # DynamoDB takes 10 s or so to make a table, and longer for its indexes
_LOOK_S = 1.0
_CONNECTIONS = 50  # the API answers 40 requests at once


@dataclass(frozen=True, kw_only=True)
class Address:
    """The parts of the store's URL.

    Attributes:
        endpoint: Where DynamoDB is; None means where AWS has it.
        create: Whether the table is made where it is missing.
    """

    region: str
    table: str
    endpoint: str | None = None
    create: bool = True


def open_store(url: str) -> DynamoStore:
    """The store in a DynamoDB table; close it when done.

    Credentials are those that AWS's own tools would find: of the environment, of a profile,
    or of the machine's role.

    Args:
        url: `dynamodb://REGION/TABLE`; behind a `?` may follow `endpoint=URL`, and
            `create=no` where the table must be there already.

    Raises:
        BadOption: The URL is not of this form, boto3 is not installed, the table is not
            there and may not be made, or it is no job store's.
        StoreFailed: DynamoDB cannot be reached, or does not take the credentials.
    """
    address = address_of(url)
    client = client_for(address)
    from pagetide.server.stores.dynamodb.requests import Table
    from pagetide.server.stores.dynamodb.store import DynamoStore

    table = Table(client, address.table)
    try:
        prepare(table, create=address.create)
    except BaseException:
        table.close()
        raise
    return DynamoStore(table)


def address_of(url: str) -> Address:
    """Parse a store's URL.

    Raises:
        BadOption: It is not of the form.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise BadOption(f"The store's URL must have the form {_FORM}.") from None
    table = parts.path.removeprefix("/")
    asked = parse_qsl(parts.query, keep_blank_values=True)
    if parts.scheme != "dynamodb" or "@" in parts.netloc or parts.fragment:
        raise BadOption(f"The store's URL must have the form {_FORM}, without credentials.")
    if not _REGION.fullmatch(parts.netloc) or not _TABLE.fullmatch(table):
        raise BadOption(f"The store's URL lacks a region or table: write {_FORM}.")
    return Address(region=parts.netloc, table=table, **_options(asked))


def prepare(table: Table, *, create: bool) -> None:
    """Check that the table is there and ours, or create it.

    Raises:
        BadOption: It is not there and may not be made, or is no job store's.
        StoreFailed: DynamoDB cannot be reached, or the table does not become ready.
    """
    from pagetide.server.stores.dynamodb.failures import Missing
    from pagetide.server.stores.dynamodb.shape import active, fits

    try:
        described = _describe(table)
    except Missing:
        if not create:
            raise BadOption(
                f"There is no DynamoDB table {table.name}, and create=no is set."
            ) from None
        described = _make(table)
    if not fits(described):
        raise BadOption(f"The DynamoDB table {table.name} is not a job store.")
    if not active(described):
        _ready(table)


def _make(table: Table) -> dict[str, Any]:
    from pagetide.server.stores.dynamodb.failures import Exists
    from pagetide.server.stores.dynamodb.shape import GONE_AT, definition

    try:
        table.call("create_table", **definition(table.name))
    except Exists:  # somebody else is making it
        return _ready(table)
    described = _ready(table)
    forgetting = {"Enabled": True, "AttributeName": GONE_AT}
    table.call("update_time_to_live", TableName=table.name, TimeToLiveSpecification=forgetting)
    return described


def _ready(table: Table) -> dict[str, Any]:
    """Wait until the table can be used; at first it may not even be known of."""
    from pagetide.server.stores.dynamodb.failures import Missing
    from pagetide.server.stores.dynamodb.shape import active

    until = time.monotonic() + _READY_S
    while time.monotonic() < until:
        with suppress(Missing):
            described = _describe(table)
            if active(described):
                return described
        table.pause(_LOOK_S)
    raise StoreFailed(f"The DynamoDB table {table.name} did not become ready.")


def _describe(table: Table) -> dict[str, Any]:
    described: dict[str, Any] = table.call("describe_table", TableName=table.name)["Table"]
    return described


def client_for(address: Address) -> Any:
    """The client of boto3's for an address; any number of threads may use it.

    Raises:
        BadOption: boto3 is not installed, or cannot be set up like this.
    """
    try:
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError
    except ImportError:
        raise BadOption(f"DynamoDB needs boto3: {installing('aws')}.") from None
    config = Config(
        connect_timeout=3,
        read_timeout=5,
        max_pool_connections=_CONNECTIONS,
        retries={"mode": "standard", "total_max_attempts": 1},  # `Table` tries again itself
    )
    try:
        return open_session().create_client(
            "dynamodb",
            region_name=address.region,
            endpoint_url=address.endpoint,
            config=config,
        )
    except (BotoCoreError, ValueError):
        raise BadOption("DynamoDB's client cannot be created with these settings.") from None


def _options(asked: list[tuple[str, str]]) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for name, value in asked:
        if name == "endpoint" and urlsplit(value).scheme in ("http", "https"):
            found["endpoint"] = value
        elif name == "create" and value in ("yes", "no"):
            found["create"] = value == "yes"
        elif name in ("endpoint", "create"):
            raise BadOption(f"{name} in the store's URL does not have the form {_FORM}.")
        else:
            raise BadOption(
                f"The store's URL has an unknown parameter {name!r}: write {_FORM}."
            )
    return found
