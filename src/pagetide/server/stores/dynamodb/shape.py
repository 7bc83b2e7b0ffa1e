"""The table: its key, its indexes, and whether one that is there has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

GONE_AT: Final = "gone_at"  # DynamoDB itself deletes an item some days after this time


@dataclass(frozen=True, kw_only=True)
class Index:
    """A global index: holds only the items that have its partition's attribute.

    Attributes:
        partition: The attribute that is searched for.
        order: The attribute that it is sorted by.
        more: What it copies of an item beside the keys.
    """

    partition: str
    order: str
    more: tuple[str, ...] = ()


# Keys alone, wherever that does: what an index copies is written again with every change.
INDEXES: Final[Mapping[str, Index]] = {
    # Tasks: `waiting#POOL` by turn, `leased` by the lease's end.
    "lines": Index(partition="line", order="place", more=("alone", "due", "pool", "priority")),
    "workers": Index(partition="worker", order="sk"),
    # Jobs: all, those of an owner, both by id.
    "jobs": Index(partition="listed", order="pk", more=("status",)),
    "owners": Index(partition="owner", order="pk", more=("status",)),
    # Jobs that are `active`, `kept` or `erased`, and `chore`s, by time.
    "states": Index(partition="state", order="state_at"),
    # Jobs: `active#OWNER`, or `same#OWNER#FINGERPRINT` to be used again; by id.
    "known": Index(partition="known", order="pk"),
}


def definition(name: str) -> dict[str, Any]:
    """The parameters to create the table with."""
    attributes = {"pk", "sk"}
    for index in INDEXES.values():
        attributes |= {index.partition, index.order}
    return {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _keys("pk", "sk"),
        "AttributeDefinitions": [
            {"AttributeName": attribute, "AttributeType": "S"}
            for attribute in sorted(attributes)
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": index_name,
                "KeySchema": _keys(index.partition, index.order),
                "Projection": _projection(index),
            }
            for index_name, index in INDEXES.items()
        ],
    }


def fits(described: Mapping[str, Any]) -> bool:
    """Whether a table, as DynamoDB describes it, has our key and our indexes."""
    there = {index["IndexName"]: index for index in described.get("GlobalSecondaryIndexes", ())}
    return described["KeySchema"] == _keys("pk", "sk") and all(
        name in there
        and there[name]["KeySchema"] == _keys(index.partition, index.order)
        and _has(there[name]["Projection"], index)
        for name, index in INDEXES.items()
    )


def active(described: Mapping[str, Any]) -> bool:
    """Whether a table and its indexes can be used."""
    indexes = described.get("GlobalSecondaryIndexes", ())
    # While a table is changed it can be used as before.
    return described["TableStatus"] in ("ACTIVE", "UPDATING") and all(
        index.get("IndexStatus", "ACTIVE") in ("ACTIVE", "UPDATING") for index in indexes
    )


def _keys(partition: str, order: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": order, "KeyType": "RANGE"},
    ]


def _projection(index: Index) -> dict[str, Any]:
    if not index.more:
        return {"ProjectionType": "KEYS_ONLY"}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(index.more)}


def _has(projection: Mapping[str, Any], index: Index) -> bool:
    copied = set(projection.get("NonKeyAttributes", ()))
    return projection["ProjectionType"] == "ALL" or set(index.more) <= copied
