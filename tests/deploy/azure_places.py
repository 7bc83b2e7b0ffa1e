"""What we demand of the Azure template beside its processes: places, rights, secrets, order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from tests.deploy.arm import Deployment, Resource
from tests.deploy.azure_processes import APP, JOB, processes

ROLES = {
    "974c5e8b-45b9-4653-ba55-5f855dd0fb88": "Storage Queue Data Contributor",
    "19e7f393-937e-4f77-808e-94535e297925": "Storage Queue Data Reader",
    "c6a89b2d-59bc-44d0-9896-0f6e12d7b80a": "Storage Queue Data Message Sender",
    "ba92f5b4-2d11-453d-a403-e96b0029c9fe": "Storage Blob Data Contributor",
    "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1": "Storage Blob Data Reader",
    "db58b8e5-c6ad-4a2a-8342-4190687cbf4a": "Storage Blob Delegator",
    "7f951dda-4ed3-4680-a7ca-43fe172d538d": "AcrPull",
    "4633458b-17de-408a-b874-0445c86b69e6": "Key Vault Secrets User",
}
# Where each needs what. To hide a message for longer is to write it, which a Message Processor
# may not: with that role every renewal would be refused.
NEEDS: Mapping[str, frozenset[tuple[str, str]]] = {
    "worker": frozenset(
        {
            ("Storage Queue Data Contributor", "account"),
            ("Storage Blob Data Reader", "documents"),
            ("Storage Blob Data Contributor", "results"),
            ("Storage Blob Data Reader", "models"),
        }
    ),
    "api": frozenset(
        {
            ("Storage Queue Data Message Sender", "account"),
            ("Storage Blob Data Contributor", "documents"),
            ("Storage Blob Data Contributor", "results"),
            ("Storage Blob Delegator", "account"),
        }
    ),
    "sweep": frozenset(
        {
            ("Storage Queue Data Message Sender", "account"),
            ("Storage Queue Data Reader", "account"),
            ("Storage Blob Data Contributor", "documents"),
            ("Storage Blob Data Contributor", "results"),
        }
    ),
}
ELSEWHERE = frozenset(
    {
        ("Storage Queue Data Message Sender", "account"),
        ("Storage Queue Data Reader", "account"),
        ("Storage Blob Data Contributor", "results"),
        ("Storage Blob Delegator", "account"),
    }
)
# How many connections a server has for its users, and how many a process of ours may open:
# eight for work, one to listen and one to ring.
CONNECTIONS = {"Standard_B2s": 414, "Standard_D2ds_v5": 844, "Standard_D4ds_v5": 1703}
OF_A_PROCESS = 10
_UNTAGGED = re.compile(
    r"roleAssignments|diagnosticSettings|flexibleServers/|storageAccounts/(blob|queue|management)"
)
_SECRET_PLACES = re.compile(
    r"properties/configuration/secrets/\d+/value|properties/administratorLoginPassword"
)


def complaints(deployment: Deployment, secrets: Mapping[str, str]) -> Iterator[str]:
    """What is wrong.

    Args:
        deployment: What is deployed.
        secrets: The values that the secure parameters were given.
    """
    yield from _storage(deployment)
    yield from _rights(deployment)
    yield from _order(deployment)
    yield from _connections(deployment)
    yield from _one_by_one(deployment)
    for resource in deployment.resources:
        for complaint in (*_told(resource, secrets), *_secrets(resource)):
            yield f"{resource.name}: {complaint}"
        if not _UNTAGGED.search(resource.type) and not resource.body.get("tags"):
            yield f"{resource.name}: it has no tags"
    for name, value in deployment.outputs.items():
        if any(secret in str(value) for secret in secrets.values()):
            yield f"the output {name} tells a secret"


def _storage(deployment: Deployment) -> Iterator[str]:
    [account] = deployment.of_type("Microsoft.Storage/storageAccounts")
    demanded = {
        "allowBlobPublicAccess": False,
        "allowSharedKeyAccess": False,
        "minimumTlsVersion": "TLS1_2",
        "supportsHttpsTrafficOnly": True,
    }
    if not _senders(deployment):  # an API elsewhere that has no identity here
        del demanded["allowSharedKeyAccess"]
    if not re.fullmatch(r"[a-z0-9]{3,24}", account.name):
        yield f"{account.name} is no name for a storage account"
    for name, value in demanded.items():
        if account.properties.get(name) != value:
            yield f"the account's {name} is not {value}"
    for container in deployment.of_type(
        "Microsoft.Storage/storageAccounts/blobServices/containers"
    ):
        if container.properties.get("publicAccess") != "None":
            yield f"the container {container.name} is public"
    [blobs] = deployment.of_type("Microsoft.Storage/storageAccounts/blobServices")
    if blobs.properties["deleteRetentionPolicy"]["enabled"]:
        yield "what was erased is kept"
    if not deployment.of_type("Microsoft.Storage/storageAccounts/managementPolicies"):
        yield "nothing removes what was forgotten"


def _senders(deployment: Deployment) -> bool:
    """Whether somebody may send messages with an identity."""
    sender = next(role for role, name in ROLES.items() if name.endswith("Message Sender"))
    return any(
        each.properties["roleDefinitionId"].endswith(sender)
        for each in deployment.of_type("Microsoft.Authorization/roleAssignments")
    )


def _connections(deployment: Deployment) -> Iterator[str]:
    """A server that is made along has room for all processes there may be."""
    most = sum(each.most for each in processes(deployment) if not each.initial)
    for server in deployment.of_type("Microsoft.DBforPostgreSQL/flexibleServers"):
        there = CONNECTIONS.get(server.body["sku"]["name"], 0)
        if most * OF_A_PROCESS > there:
            yield f"{most} processes may open more connections than the {there} there are"


def _rights(deployment: Deployment) -> Iterator[str]:
    found: dict[str, set[tuple[str, str]]] = {}
    for each in deployment.of_type("Microsoft.Authorization/roleAssignments"):
        role = each.properties["roleDefinitionId"].rpartition("/")[2]
        if role not in ROLES:
            yield f"the role {role} is none that a process needs"
            continue
        scope = each.body["scope"]
        place = "account" if "/containers/" not in scope else scope.rpartition("/")[2]
        if scope.count("/") < 8:
            yield f"the role {ROLES[role]} is given on {scope}"
        who = each.properties["principalId"].rpartition("-")[2]
        if each.properties["principalType"] != "ServicePrincipal":
            yield f"{who} is no service principal"
        if ROLES[role] not in ("AcrPull", "Key Vault Secrets User"):
            found.setdefault(who, set()).add((ROLES[role], place))
    running = {each.command for each in processes(deployment)} & NEEDS.keys()
    for who in sorted(running | found.keys()):
        needed = NEEDS.get(who, ELSEWHERE)
        have = found.get(who, set())
        yield from (f"{who} lacks the role {r} on {p}" for r, p in sorted(needed - have))
        yield from (f"{who} has the role {r} on {p} for nothing" for r, p in have - needed)


def _order(deployment: Deployment) -> Iterator[str]:
    """Whatever a resource names has been deployed before it."""
    by_id = {each.id: each for each in deployment.resources}
    for resource in deployment.resources:
        needed = {used for used in resource.uses if used in by_id and used != resource.id}
        scope = resource.body.get("scope")
        needed |= {scope} if scope in by_id else set()
        parent, _, _ = resource.id.rpartition("/")[0].rpartition("/")
        needed |= {parent} if parent in by_id else set()
        before = _all_before(resource, by_id)
        for missing in sorted(needed - before):
            yield f"{resource.name} does not wait for {missing.partition('/providers/')[2]}"
        if resource.type in (APP, JOB):
            yield from _waits_for_rights(resource, before, by_id)


def _one_by_one(deployment: Deployment) -> Iterator[str]:
    """A server of PostgreSQL takes one change at a time: ServerIsBusy."""
    by_id = {each.id: each for each in deployment.resources}
    of_server = [each for each in deployment.resources if "flexibleServers/" in each.type]
    for one, other in combinations(of_server, 2):
        in_order = one.id in _all_before(other, by_id) or other.id in _all_before(one, by_id)
        if not in_order:
            yield f"{one.name} and {other.name} change the server at the same time"


def _waits_for_rights(
    resource: Resource, before: set[str], by_id: Mapping[str, Resource]
) -> Iterator[str]:
    kinds = {by_id[each].type for each in before}
    there = {each.type for each in by_id.values()}
    for kind in (
        "Microsoft.Authorization/roleAssignments",
        "Microsoft.Storage/storageAccounts/queueServices/queues",
        "Microsoft.DBforPostgreSQL/flexibleServers/databases",
    ):
        if kind in there and kind not in kinds:
            yield f"{resource.name} does not wait for any {kind}"


def _all_before(resource: Resource, by_id: Mapping[str, Resource]) -> set[str]:
    found: set[str] = set()
    left = [resource]
    while left:
        for each in left.pop().after - found:
            found.add(each)
            left.append(by_id[each])
    return found


def _told(resource: Resource, secrets: Mapping[str, str]) -> Iterator[str]:
    """Where a secret's value is told though it should not be."""
    for place, text in _texts(resource.body, ""):
        for name, value in secrets.items():
            if value in text and not _SECRET_PLACES.fullmatch(place):
                yield f"{place} tells {name}"


def _texts(said: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(said, str):
        yield place, said
    elif isinstance(said, dict):
        for key, value in said.items():
            yield from _texts(value, f"{place}/{key}".lstrip("/"))
    elif isinstance(said, list):
        for index, value in enumerate(said):
            yield from _texts(value, f"{place}/{index}")


def _secrets(resource: Resource) -> Iterator[str]:
    """A secret has a value, or an address in a vault and an identity that may read it."""
    if resource.type not in (APP, JOB):
        return
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,30}[a-z0-9]", resource.name):
        yield "that is no name for an app or a job: 32 small letters, digits and dashes at most"
    assigned = resource.body["identity"]["userAssignedIdentities"]
    for each in resource.properties["configuration"]["secrets"]:
        vault, value = each.get("keyVaultUrl"), each.get("value")
        if (vault is None) == (value is None) or value == "":
            yield f"the secret {each['name']} needs a value or a place in a vault"
        if "postgres.database.azure.com" in str(value) and "=verify-full" not in str(value):
            yield "the server of PostgreSQL is not asked who it is"
        if vault is not None and each.get("identity") not in assigned:
            yield f"the secret {each['name']} is read with no identity of its app"
    for registry in resource.properties["configuration"]["registries"]:
        if registry.get("identity") not in assigned:
            yield "images are pulled with no identity of its app"
