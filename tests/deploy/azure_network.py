"""The server of PostgreSQL is reached from the network of the Azure template's apps alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network, ip_network
from typing import Any

from tests.deploy.arm import Deployment, Resource

POSTGRES, APPS = "Microsoft.DBforPostgreSQL/flexibleServers", "Microsoft.App/environments"
# The longest prefix that each may have.
LONGEST: Mapping[str, int] = {POSTGRES: 28, APPS: 27}
# What Container Apps keep for themselves.
RESERVED = tuple(
    ip_network(each)
    for each in ("169.254.0.0/16", "172.30.0.0/15", "192.0.2.0/24", "100.100.0.0/16")
)


def complaints(deployment: Deployment) -> Iterator[str]:
    """What is wrong with the network, and with who reaches the server that is made along."""
    for apps in deployment.of_type("Microsoft.App/managedEnvironments"):
        if (apps.properties.get("vnetConfiguration") or {}).get("internal"):
            yield "the API is reached from the network alone"
    for server in deployment.of_type(POSTGRES):
        yield from _doors(server, deployment)
        yield from _names(server, deployment)
    for network in deployment.of_type("Microsoft.Network/virtualNetworks"):
        yield from _addresses(network)
        for subnet, delegate in _delegates(deployment):
            yield from _delegation(network, subnet, delegate)


def _doors(server: Resource, deployment: Deployment) -> Iterator[str]:
    [apps] = deployment.of_type("Microsoft.App/managedEnvironments")
    inside = (apps.properties.get("vnetConfiguration") or {}).get("infrastructureSubnetId", "")
    subnet = _network(server).get("delegatedSubnetResourceId", "")
    if _network(server).get("publicNetworkAccess") != "Disabled" or not subnet:
        yield "the server of PostgreSQL has a public door"
    if deployment.of_type(f"{POSTGRES}/firewallRules"):
        yield "a firewall rule lets addresses in to the server of PostgreSQL"
    if _of(inside) != _of(subnet):
        yield "the apps are not in the network of the server of PostgreSQL"
    elif inside == subnet:
        yield "the apps have no subnet of their own"


def _names(server: Resource, deployment: Deployment) -> Iterator[str]:
    """The server's name leads to its private address wherever an app asks."""
    zone = _network(server).get("privateDnsZoneArmResourceId", "")
    linked = {
        each.properties["virtualNetwork"]["id"]
        for each in deployment.of_type("Microsoft.Network/privateDnsZones/virtualNetworkLinks")
        if each.id.startswith(f"{zone}/")
    }
    name = zone.rpartition("/")[2]
    if not name.endswith(".postgres.database.azure.com"):
        yield f"{name!r} is no zone for a server of PostgreSQL"
    if name == f"{server.name}.postgres.database.azure.com":
        yield "the zone has the name of the server itself"
    if _of(_network(server).get("delegatedSubnetResourceId", "")) not in linked:
        yield "the apps cannot look up the server of PostgreSQL"


def _delegates(deployment: Deployment) -> Iterator[tuple[str, str]]:
    """The subnets that are used, and whom each is for."""
    for server in deployment.of_type(POSTGRES):
        yield _network(server).get("delegatedSubnetResourceId", ""), POSTGRES
    for apps in deployment.of_type("Microsoft.App/managedEnvironments"):
        used = apps.properties.get("vnetConfiguration") or {}
        yield used.get("infrastructureSubnetId", ""), APPS


def _delegation(network: Resource, place: str, delegate: str) -> Iterator[str]:
    name = place.rpartition("/")[2]
    found = [each for each in network.properties["subnets"] if each["name"] == name]
    if not found:
        yield f"{network.name} has no subnet {name!r}"
    for each in found:
        to = [one["properties"]["serviceName"] for one in each["properties"]["delegations"]]
        if to != [delegate]:
            yield f"the subnet {name} is not delegated to {delegate}"
        if _prefix(each).prefixlen > LONGEST[delegate]:
            yield f"the subnet {name} is too small"


def _addresses(network: Resource) -> Iterator[str]:
    [whole] = map(IPv4Network, network.properties["addressSpace"]["addressPrefixes"])
    parts = [_prefix(each) for each in network.properties["subnets"]]
    if not whole.is_private or any(whole.overlaps(each) for each in RESERVED):
        yield f"{whole} is not for a network of ours"
    yield from (f"{each} is not in {whole}" for each in parts if not each.subnet_of(whole))
    if any(each.overlaps(other) for each in parts for other in parts if each is not other):
        yield "two subnets overlap"


def _network(server: Resource) -> Mapping[str, Any]:
    found: Mapping[str, Any] = server.properties.get("network", {})
    return found


def _prefix(subnet: Mapping[str, Any]) -> IPv4Network:
    return IPv4Network(subnet["properties"]["addressPrefix"])


def _of(subnet: str) -> str:
    """The id of a subnet's network; empty if it is in none."""
    return subnet.partition("/subnets/")[0]
