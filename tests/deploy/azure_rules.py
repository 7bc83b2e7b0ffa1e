"""All that is checked of the Azure template, as one list of complaints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.deploy import arm_schema, azure_network, azure_places, azure_processes, azure_scaling
from tests.deploy.arm import Deployment, rendered
from tests.deploy.arm_expressions import BadTemplate

FOLDER = Path(__file__).parents[2] / "deploy" / "azure"
USES = ("all", "gpu")
SECRETS: Mapping[str, str] = {
    "storeUrl": "dynamodb://eu-central-1/SECRETSTORE",
    "postgresPassword": "SECRETPASSWORD",
    "awsAccessKeyId": "SECRETKEYID",
    "awsSecretAccessKey": "SECRETKEY",
    "scalerKey": "SECRETSCALER",
    "secret": "SECRETOFTHEPASSWORDSOFDOCUMENTS0",
}
_APPS, _STORAGE = "azure.mgmt.appcontainers", "azure.mgmt.storage"
MODELS: Mapping[str, tuple[str, str]] = {
    "Microsoft.App/containerApps": (_APPS, "ContainerApp"),
    "Microsoft.App/jobs": (_APPS, "Job"),
    "Microsoft.App/managedEnvironments": (_APPS, "ManagedEnvironment"),
    "Microsoft.Storage/storageAccounts": (_STORAGE, "StorageAccountCreateParameters"),
    "Microsoft.Storage/storageAccounts/blobServices": (_STORAGE, "BlobServiceProperties"),
    "Microsoft.Storage/storageAccounts/blobServices/containers": (_STORAGE, "BlobContainer"),
    "Microsoft.Storage/storageAccounts/managementPolicies": (_STORAGE, "ManagementPolicy"),
    "Microsoft.Storage/storageAccounts/queueServices": (_STORAGE, "QueueServiceProperties"),
    "Microsoft.Storage/storageAccounts/queueServices/queues": (_STORAGE, "StorageQueue"),
}
_ENVELOPE = {"type", "apiVersion", "name", "scope"}
_SAID = frozenset({"location", "tags", "sku", "properties"})
# What has no model here: the keys that it may have, and its version.
PLAIN: Mapping[str, tuple[str, frozenset[str]]] = {
    "Microsoft.OperationalInsights/workspaces": (
        "2023-09-01",
        frozenset({"sku", "retentionInDays"}),
    ),
    "Microsoft.ManagedIdentity/userAssignedIdentities": ("2023-01-31", frozenset()),
    "Microsoft.Authorization/roleAssignments": (
        "2022-04-01",
        frozenset({"roleDefinitionId", "principalId", "principalType"}),
    ),
    "Microsoft.Insights/diagnosticSettings": (
        "2021-05-01-preview",
        frozenset({"workspaceId", "logs"}),
    ),
    "Microsoft.Insights/scheduledQueryRules": (
        "2023-12-01",
        frozenset(
            [
                "displayName",
                "description",
                "severity",
                "enabled",
                "evaluationFrequency",
                "windowSize",
                "autoMitigate",
                "skipQueryValidation",
                "scopes",
                "criteria",
                "actions",
            ]
        ),
    ),
    "Microsoft.DBforPostgreSQL/flexibleServers": (
        "2024-08-01",
        frozenset(
            [
                "version",
                "administratorLogin",
                "administratorLoginPassword",
                "storage",
                "backup",
                "network",
            ]
        ),
    ),
    "Microsoft.DBforPostgreSQL/flexibleServers/databases": (
        "2024-08-01",
        frozenset({"charset", "collation"}),
    ),
    "Microsoft.DBforPostgreSQL/flexibleServers/firewallRules": (
        "2024-08-01",
        frozenset({"startIpAddress", "endIpAddress"}),
    ),
    "Microsoft.Network/virtualNetworks": (
        "2024-05-01",
        frozenset({"addressSpace", "subnets"}),
    ),
    "Microsoft.Network/privateDnsZones": ("2020-06-01", frozenset()),
    "Microsoft.Network/privateDnsZones/virtualNetworkLinks": (
        "2020-06-01",
        frozenset({"registrationEnabled", "virtualNetwork"}),
    ),
}


def read(name: str) -> Any:
    """A file of `deploy/azure`, parsed."""
    return json.loads((FOLDER / name).read_text())


def parameters(use: str, **more: Any) -> dict[str, Any]:
    """What a use of the template is deployed with, secrets included."""
    said = read(f"parameters.{use}.json")["parameters"]
    return {name: each["value"] for name, each in said.items()} | dict(SECRETS) | more


def complaints(template: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    """All that is wrong with a template and what it is deployed with; none if it is good."""
    declared = template["parameters"]
    if plain := [name for name in SECRETS if declared[name]["type"] != "securestring"]:
        return [f"{', '.join(plain)}: a secret that every reader of the group is told"]
    try:
        deployment = rendered(template, given)
    except BadTemplate as error:
        return [f"not deployed: {error}"]
    if found := [*_of_schemas(deployment)]:
        return found  # what has the wrong form cannot be looked into
    secrets = {name: str(given[name]) for name in SECRETS if given.get(name)}
    found = [*azure_processes.complaints(deployment)]
    scaling = [] if found else [*azure_scaling.complaints(deployment)]
    network = azure_network.complaints(deployment)
    return [*found, *scaling, *network, *azure_places.complaints(deployment, secrets)]


def _of_schemas(deployment: Deployment) -> Iterator[str]:
    for resource in deployment.resources:
        body = {key: part for key, part in resource.body.items() if key not in _ENVELOPE}
        if resource.type in MODELS:
            version, found = _checked(resource.type, body)
        elif resource.type in PLAIN:
            version, keys = PLAIN[resource.type]
            unknown = (body.keys() - _SAID) | (body.get("properties", {}).keys() - keys)
            found = [f"there is no {key}" for key in sorted(unknown)]
        else:
            version, found = "", [f"{resource.type} is not known"]
        if resource.body["apiVersion"] != version:
            found.append(f"it is checked as of {version}, not {resource.body['apiVersion']}")
        yield from (f"{resource.name}: {complaint}" for complaint in found)


def _checked(kind: str, body: Any) -> tuple[str, list[str]]:
    package, model = MODELS[kind]
    found = list(arm_schema.complaints(_schema(package, model), body))
    return arm_schema.api_version(package), found


@cache
def _schema(package: str, model: str) -> dict[str, Any]:
    return arm_schema.schema_of(package, model)
