"""The requests to one table: each is retried until it is answered or patience ends."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from pagetide.errors import StoreFailed
from pagetide.server.stores.dynamodb.failures import SDK_ERRORS, Missing, overloaded, verdict
from pagetide.server.stores.dynamodb.shape import INDEXES

Item = dict[str, Any]  # attributes as DynamoDB's types: {"pk": {"S": "job#1"}}
Place = tuple[str, str]  # an item's `pk` and `sk`

PATIENCE_S = 10.0
MOST_KEYS = 100  # of one BatchGetItem
MOST_WRITES = 100  # of one TransactWriteItems
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 1.0


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A condition on an item, without which nothing of the transaction is written."""

    says: str
    values: Item = field(default_factory=dict)


ABSENT = Condition(says="attribute_not_exists(pk)")


@dataclass(frozen=True, kw_only=True)
class Write:
    """One write of a transaction.

    Attributes:
        kind: What to do.
        item: The whole item to put; of others, its key.
        where: Its condition, if there is one.
        change: Of an update, what it does.
        values: What that names.
    """

    kind: Literal["Put", "Update", "Delete", "ConditionCheck"]
    item: Item
    where: Condition | None = None
    change: str = ""
    values: Item = field(default_factory=dict)

    def of(self, table: str) -> dict[str, Any]:
        """As DynamoDB wants it."""
        body = {"TableName": table, "Item" if self.kind == "Put" else "Key": self.item}
        if self.where:
            body["ConditionExpression"] = self.where.says
        if self.change:
            body["UpdateExpression"] = self.change
        if values := self.values | (self.where.values if self.where else {}):
            body["ExpressionAttributeValues"] = values
        return {self.kind: body}


@dataclass(frozen=True, kw_only=True)
class Search:
    """A part of an index, in its order.

    Attributes:
        partition: The value of the index's partition.
        up_to: Only what is sorted by this or less.
        below: Only what is sorted by less than this.
        newest_first: In the reverse order.
        only: An attribute and the value that it must have.
        due: Only what is due by this stamp.
    """

    index: str
    partition: str
    up_to: str | None = None
    below: str | None = None
    newest_first: bool = False
    only: tuple[str, str] | None = None
    due: str | None = None

    def parameters(self) -> dict[str, Any]:
        """As DynamoDB wants it."""
        index = INDEXES[self.index]
        names, values = {"#in": index.partition}, {":in": {"S": self.partition}}
        parameters: dict[str, Any] = {"IndexName": self.index}
        condition = "#in = :in"
        for sign, edge in (("<=", self.up_to), ("<", self.below)):
            if edge is not None:
                condition += f" AND #by {sign} :by"
                names["#by"], values[":by"] = index.order, {"S": edge}
        if self.only is not None:
            names["#only"], values[":only"] = self.only[0], {"S": self.only[1]}
            parameters["FilterExpression"] = "#only = :only"
        if self.due is not None:
            names["#due"], values[":due"] = "due", {"S": self.due}
            parameters["FilterExpression"] = "#due <= :due"
        return parameters | {
            "KeyConditionExpression": condition,
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
            "ScanIndexForward": not self.newest_first,
        }


def place_of(item: Item) -> Place:
    """Where an item is, or what a key leads to."""
    return item["pk"]["S"], item["sk"]["S"]


def key_of(place: Place) -> Item:
    """The key of an item."""
    return {"pk": {"S": place[0]}, "sk": {"S": place[1]}}


def pauses(
    first_s: float = _FIRST_PAUSE_S, longest_s: float = _LONGEST_PAUSE_S
) -> Iterator[float]:
    """How long to wait before each further try, in seconds: longer each time, at random."""
    while True:
        yield random.uniform(0, first_s)  # noqa: S311 - no secret
        first_s = min(first_s * 2, longest_s)


class Table:
    """One table, and the client that talks to it; for any number of threads.

    Args:
        client: boto3's, which must not retry by itself.
        name: The table's.
        patience_s: How long a request is tried again before it has failed.
        pause: Waits so many seconds.
    """

    def __init__(
        self,
        client: Any,
        name: str,
        *,
        patience_s: float = PATIENCE_S,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self._client, self._patience_s, self.pause = client, patience_s, pause

    def call(self, operation: str, **arguments: Any) -> dict[str, Any]:
        """Make a request.

        Raises:
            Conflict: A condition does not hold.
            Missing: There is no such table.
            Exists: There is such a table already.
            StoreFailed: It was not answered in time, or refused.
        """
        until = time.monotonic() + self._patience_s
        for pause_s in pauses():
            try:
                answer: dict[str, Any] = getattr(self._client, operation)(**arguments)
                return answer
            except SDK_ERRORS as error:
                found = verdict(error)
                if not found.again or time.monotonic() + pause_s > until:
                    raise found.error from None
            self.pause(pause_s)
        raise AssertionError("pauses never end")

    def get(self, place: Place) -> Item | None:
        """An item as it is now, or None."""
        found = self._ask("get_item", Key=key_of(place), ConsistentRead=True).get("Item")
        return found or None

    def get_many(self, places: Iterable[Place]) -> dict[Place, Item]:
        """The items that are there, each as it is now; not all at one moment."""
        left = [key_of(place) for place in dict.fromkeys(places)]
        found: dict[Place, Item] = {}
        while left:
            for item in self._get_batch(left[:MOST_KEYS]):
                found[place_of(item)] = item
            left = left[MOST_KEYS:]
        return found

    def partition(self, pk: str) -> list[Item]:
        """All items of a partition by `sk`, each as it is now."""
        parameters: dict[str, Any] = {
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": pk}},
            "ConsistentRead": True,
        }
        return [item for page in self._pages(parameters) for item in page["Items"]]

    def entries(self, search: Search, page: int = 16) -> Iterator[Item]:
        """The entries of an index, a little behind the table; so many with each request."""
        for answer in self._pages(search.parameters() | {"Limit": page}):
            yield from answer["Items"]

    def count(self, search: Search, limit: int | None = None) -> int:
        """How many an index has; counting stops at a limit."""
        parameters, found = search.parameters() | {"Select": "COUNT"}, 0
        if limit is not None:
            parameters["Limit"] = max(1, limit)
        for answer in self._pages(parameters):
            found += answer["Count"]
            if limit is not None and found >= limit:
                return limit
        return found

    def write(self, *writes: Write) -> None:
        """Write all or nothing; a write that is tried again counts once.

        Raises:
            Conflict: A condition does not hold, or somebody is just writing one of them.
        """
        self._call(
            "transact_write_items",
            TransactItems=[write.of(self.name) for write in writes],
            ClientRequestToken=secrets.token_hex(16),
        )

    def put(self, item: Item) -> None:
        """Write an item over whatever is there.

        Raises:
            Conflict: Somebody is just writing it.
        """
        self._ask("put_item", Item=item)

    def date(self) -> float:
        """DynamoDB's time in seconds since the epoch, to the second."""
        answer = self._ask("get_item", Key=key_of(("clock", "clock")))
        header = answer["ResponseMetadata"]["HTTPHeaders"]["date"]
        return parsedate_to_datetime(header).timestamp() + 0.5

    def close(self) -> None:
        """Close connections."""
        self._client.close()

    def _ask(self, operation: str, **arguments: Any) -> dict[str, Any]:
        return self._call(operation, TableName=self.name, **arguments)

    def _call(self, operation: str, **arguments: Any) -> dict[str, Any]:
        try:
            return self.call(operation, **arguments)
        except Missing as missing:
            raise StoreFailed(str(missing)) from None

    def _pages(self, parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
        answer = self._ask("query", **parameters)
        yield answer
        while start := answer.get("LastEvaluatedKey"):
            answer = self._ask("query", **parameters, ExclusiveStartKey=start)
            yield answer

    def _get_batch(self, keys: Sequence[Item]) -> Iterator[Item]:
        """DynamoDB may leave some of the keys for another time."""
        until = time.monotonic() + self._patience_s
        for pause_s in pauses():
            wanted = {self.name: {"Keys": list(keys), "ConsistentRead": True}}
            answer = self._call("batch_get_item", RequestItems=wanted)
            yield from answer["Responses"].get(self.name, ())
            keys = answer.get("UnprocessedKeys", {}).get(self.name, {}).get("Keys", ())
            if not keys:
                return
            if time.monotonic() + pause_s > until:
                raise overloaded()
            self.pause(pause_s)
