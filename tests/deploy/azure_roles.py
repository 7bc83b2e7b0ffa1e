"""Roles on Azure against what is asked by those that have them.

What our programs ask of the storage account was recorded (`tests.parts.azure_recorded`). A role
is one of Azure's own, so the least of those that allow what is asked is the right one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.deploy.arm import rendered
from tests.deploy.azure_rules import FOLDER, parameters

CALLS = Path(__file__).with_name("azure_calls.json")
# Of an API in another cloud, as its parameter takes it.
PRINCIPAL = "11111111-2222-3333-4444-555555555555"
# What Azure's built-in roles allow, of blobs and of queues, and the GUIDs that they go by.
ROLES: Mapping[str, tuple[str, frozenset[str]]] = {
    "Storage Blob Data Reader": (
        "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1",
        frozenset({"blobs/read", "containers/read", "key"}),
    ),
    "Storage Blob Data Contributor": (
        "ba92f5b4-2d11-453d-a403-e96b0029c9fe",
        frozenset({"blobs/read", "blobs/write", "blobs/delete", "containers/read", "key"}),
    ),
    "Storage Blob Delegator": ("db58b8e5-c6ad-4a2a-8342-4190687cbf4a", frozenset({"key"})),
    "Storage Queue Data Reader": (
        "19e7f393-937e-4f77-808e-94535e297925",
        frozenset({"queues/read", "messages/read"}),
    ),
    "Storage Queue Data Message Sender": (
        "c6a89b2d-59bc-44d0-9896-0f6e12d7b80a",
        frozenset({"messages/add"}),
    ),
    "Storage Queue Data Message Processor": (
        "8a0f0c08-91a1-4084-bc3d-661d67233fed",
        frozenset({"messages/read", "messages/process"}),
    ),
    "Storage Queue Data Contributor": (
        "974c5e8b-45b9-4653-ba55-5f855dd0fb88",
        frozenset(
            {"queues/read", "queues/write", "messages/read", "messages/write"}
            | {"messages/add", "messages/process"}
        ),
    ),
}
# What Azure itself asks in their names, and what an account's key does in place of an identity.
BESIDE: Mapping[str, tuple[str, ...]] = {
    "worker": ("queues/read account", "messages/read account"),  # KEDA counts for its rule
    "api": ("key account",),  # links to results are signed with one
    "elsewhere": ("key account",),
}


PARTS = ("worker", "api", "sweep")


class Grant(NamedTuple):
    """A role that somebody has on the storage account, or on one container of it."""

    to: str
    role: str
    on: str

    def allows(self, asked: str) -> bool:
        """Whether it allows an action on a place; what is on the account is on all of it."""
        action, _, place = asked.partition(" ")
        return action in ROLES[self.role][1] and self.on in ("account", place)


def recorded() -> dict[str, set[str]]:
    """What each part asks: an action and the container, or the account."""
    told = json.loads(CALLS.read_text())
    return {part: {*calls, *BESIDE.get(part, ())} for part, calls in told.items()}


def granted(**more: object) -> list[Grant]:
    """What the shipped template grants, given all its parts."""
    template = json.loads((FOLDER / "template.json").read_text())
    return list(grants(template, parameters("all", **more)))


def grants(template: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[Grant]:
    """The grants that a template makes on its storage account."""
    named = {guid: name for name, (guid, _) in ROLES.items()}
    for one in rendered(template, given).of_type("Microsoft.Authorization/roleAssignments"):
        role = named.get(one.properties["roleDefinitionId"].rpartition("/")[2])
        if role:
            who = one.properties["principalId"].rpartition("-")[2]
            container = one.body["scope"].partition("/containers/")[2]
            yield Grant(who if who in PARTS else "elsewhere", role, container or "account")


def complaints(found: list[Grant], calls: Mapping[str, set[str]]) -> Iterator[str]:
    """What is asked and not allowed, and what is granted and not the least that does."""
    yield from refused(found, calls)
    for part, asked in calls.items():
        own = [grant for grant in found if grant.to == part]
        for grant in own:
            rest = [other for other in own if other != grant]
            for name in (None, *_less_than(grant.role)):
                instead = rest if name is None else [*rest, grant._replace(role=name)]
                if all(any(each.allows(one) for each in instead) for one in asked):
                    does = name or "nothing"
                    yield f"{part} has {grant.role} on {grant.on}, and {does} does."


def refused(found: list[Grant], calls: Mapping[str, set[str]]) -> Iterator[str]:
    """What is asked and not allowed, of those that are granted anything."""
    for part, asked in calls.items():
        own = [grant for grant in found if grant.to == part]
        for one in sorted(asked) if own else ():
            if not any(grant.allows(one) for grant in own):
                yield f"{part} may not {one}."


def _less_than(role: str) -> Iterator[str]:
    for name, (_, actions) in ROLES.items():
        if actions < ROLES[role][1]:
            yield name
