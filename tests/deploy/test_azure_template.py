"""The Azure template, deployed on paper in every shape that is documented."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.deploy.arm import rendered
from tests.deploy.azure_processes import processes
from tests.deploy.azure_rules import FOLDER, USES, complaints, parameters, read

TEMPLATE = read("template.json")
CANARY = {
    "name": "gpu-next",
    "run": "app",
    "profile": "gpu",
    "image": "pagetide-worker-paddle",
    "tag": "0.2.0-cuda",
    "cpu": 8,
    "memory": "56Gi",
    "tasksPerWorker": 2,
    "least": 0,
    "most": 15,
    "warm": "pp-structurev3",
    "trustFirstUse": True,
}
NETWORK = (
    "/subscriptions/1/resourceGroups/hub/providers/Microsoft.Network/virtualNetworks/offices"
)


def pools(use: str, **changed: Any) -> list[dict[str, Any]]:
    """A use's pools, each with something else."""
    return [pool | changed for pool in parameters(use)["pools"]]


SHAPES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "as jobs": {"run": "job"},
    "by the backlog": {"scaleBy": "backlog", "apiUrl": "https://ocr.example.com"},
    "secrets in a vault": {"keyVault": "documents-vault"},
    "a registry": {"registry": "documents", "tag": "0.1.1"},
    "an API elsewhere": {"apiPrincipalId": "6c1e4b0a-0000-0000-0000-0000elsewhere"},
    "an account's name": {"account": "mydocuments"},
    "a larger database": {"postgresSize": "Standard_D2ds_v5", "apiMost": 30},
    "a network": {"network": NETWORK, "appsSubnet": "ocr", "postgresSubnet": "databases"},
    "a canary": {"canary": "{gpu-next = 0.1}", "postgresSize": "Standard_D2ds_v5"},
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_sound(use: str, shape: str) -> None:
    more = dict(SHAPES[shape])
    if run := more.pop("run", ""):
        more["pools"] = pools(use, run=run)
    if "canary" in more:
        more["pools"] = [*pools(use), CANARY]
    assert complaints(TEMPLATE, parameters(use, **more)) == []


def test_where_there_are_no_gpus_there_is_no_profile_for_them() -> None:
    given = parameters(
        "all", gpuProfile="", models='{cpu = "structure-lite,pp-ocrv6,text-layer"}'
    )
    given["pools"] = given["pools"][:1]
    assert complaints(TEMPLATE, given) == []
    [apps] = rendered(TEMPLATE, given).of_type("Microsoft.App/managedEnvironments")
    assert [each["name"] for each in apps.properties["workloadProfiles"]] == ["Consumption"]


def test_two_installations_in_a_group_do_not_change_each_others_rights() -> None:
    """A right by the name of another one's would be changed, which Azure refuses."""
    shared = {"registry": "documents", "keyVault": "vault", "account": "mydocuments"}
    one, other = (
        rendered(TEMPLATE, parameters("all", name=name, **shared)) for name in ("one", "other")
    )
    kind = "Microsoft.Authorization/roleAssignments"
    names = {each.id for each in one.of_type(kind)} & {each.id for each in other.of_type(kind)}
    assert names == set()


def test_a_key_is_for_an_api_elsewhere_alone() -> None:
    key = {"allowSharedKey": True}
    assert complaints(TEMPLATE, parameters("gpu", **key)) == []
    for given in (
        parameters("gpu", **key, **SHAPES["an API elsewhere"]),
        parameters("all", **key),
    ):
        assert complaints(TEMPLATE, given) == [
            "the account's allowSharedKeyAccess is not False"
        ]


def test_a_shape_is_what_it_says() -> None:
    """That the shapes above differ in what they are about."""
    jobs = rendered(TEMPLATE, parameters("gpu", pools=pools("gpu", run="job")))
    assert [each.name for each in jobs.of_type("Microsoft.App/jobs")] == ["pagetide-job-gpu"]
    assert jobs.of_type("Microsoft.App/containerApps") == []
    whole = rendered(TEMPLATE, parameters("all"))
    assert {each.name for each in whole.of_type("Microsoft.App/containerApps")} == {
        "pagetide-api",
        "pagetide-sweep",
        "pagetide-worker-cpu",
        "pagetide-worker-gpu",
    }
    assert whole.of_type("Microsoft.DBforPostgreSQL/flexibleServers")
    part = rendered(TEMPLATE, parameters("gpu"))
    assert not part.of_type("Microsoft.DBforPostgreSQL/flexibleServers")
    queues = part.of_type("Microsoft.Storage/storageAccounts/queueServices/queues")
    assert {each.name for each in queues} == {
        "pagetide-gpu-first",
        "pagetide-gpu-interactive",
        "pagetide-gpu-batch",
        "pagetide-dead",
    }
    backlog = parameters("all", scaleBy="backlog")
    for app in rendered(TEMPLATE, backlog).of_type("Microsoft.App/containerApps"):
        if "worker" in app.name:
            [rule] = app.properties["template"]["scale"]["rules"]
            pool = app.name.rpartition("-")[2]
            url = f"https://pagetide-api.defaultDomain-of-pagetide-apps/v1/backlog/{pool}"
            assert rule["custom"]["metadata"]["url"] == url


def test_a_server_is_reached_from_the_network_that_is_made_with_it() -> None:
    deployment = rendered(TEMPLATE, parameters("all"))
    [network] = deployment.of_type("Microsoft.Network/virtualNetworks")
    [server] = deployment.of_type("Microsoft.DBforPostgreSQL/flexibleServers")
    [zone] = deployment.of_type("Microsoft.Network/privateDnsZones")
    assert server.properties["network"] == {
        "publicNetworkAccess": "Disabled",
        "delegatedSubnetResourceId": f"{network.id}/subnets/postgres",
        "privateDnsZoneArmResourceId": zone.id,
    }
    assert of_apps(parameters("all")) == f"{network.id}/subnets/apps"


def test_without_a_server_no_network_is_made() -> None:
    deployment = rendered(TEMPLATE, parameters("gpu"))
    assert not [each for each in deployment.resources if "Microsoft.Network" in each.type]
    assert of_apps(parameters("gpu")) is None


@pytest.mark.parametrize("use", USES)
def test_a_network_that_is_there_is_used(use: str) -> None:
    given = parameters(use, **SHAPES["a network"])
    deployment = rendered(TEMPLATE, given)
    assert not deployment.of_type("Microsoft.Network/virtualNetworks")
    assert of_apps(given) == f"{NETWORK}/subnets/ocr"
    for server in deployment.of_type("Microsoft.DBforPostgreSQL/flexibleServers"):
        subnet = server.properties["network"]["delegatedSubnetResourceId"]
        assert subnet == f"{NETWORK}/subnets/databases"


def of_apps(given: dict[str, Any]) -> str | None:
    """The subnet that the apps are in."""
    [apps] = rendered(TEMPLATE, given).of_type("Microsoft.App/managedEnvironments")
    inside = apps.properties["vnetConfiguration"]
    return str(inside["infrastructureSubnetId"]) if inside else None


def test_a_vault_takes_the_place_of_values() -> None:
    deployment = rendered(TEMPLATE, parameters("all", keyVault="documents-vault"))
    secrets = [
        secret
        for app in deployment.of_type("Microsoft.App/containerApps")
        for secret in app.properties["configuration"]["secrets"]
    ]
    assert {secret["keyVaultUrl"] for secret in secrets} == {
        f"https://documents-vault.vault.azure.net/secrets/{name}"
        for name in ("store", "secret")
    }
    assert {secret["value"] for secret in secrets} == {None}


def test_the_postgres_password_is_written_for_a_url() -> None:
    given = parameters("all", postgresPassword="a/b@c:d %")
    [api] = [
        app
        for app in rendered(TEMPLATE, given).of_type("Microsoft.App/containerApps")
        if app.name == "pagetide-api"
    ]
    store, _ = api.properties["configuration"]["secrets"]
    assert store["value"].startswith("postgresql://pagetide:a%2Fb%40c%3Ad%20%25@pagetide-")


def test_without_a_secret_for_passwords_none_is_named() -> None:
    deployment = rendered(TEMPLATE, parameters("all", secret=""))
    for app in deployment.of_type("Microsoft.App/containerApps"):
        assert [each["name"] for each in app.properties["configuration"]["secrets"]] == [
            "store"
        ]
        assert "PAGETIDE_SECRET" not in str(app.properties["template"])


def test_no_file_holds_a_secret() -> None:
    for use in USES:
        said = read(f"parameters.{use}.json")["parameters"]
        declared = TEMPLATE["parameters"]
        assert not [name for name in said if declared[name]["type"] == "securestring"]
    for name, parameter in TEMPLATE["parameters"].items():
        if parameter["type"] == "securestring":
            assert parameter["defaultValue"] == "", name


def test_processes_are_sent_to_containers_that_are_made() -> None:
    made = {f"az://{name}" for name in TEMPLATE["variables"]["containers"]}
    kinds = processes(rendered(TEMPLATE, parameters("all")))
    for process in kinds:
        for value in process.environment.values():
            if value.startswith("az://"):
                assert re.match(r"az://[^/?]+", value)[0] in made, value  # type: ignore[index]


def test_the_gpu_is_the_one_whose_cost_the_guide_tells() -> None:
    guide = (FOLDER.parents[1] / "docs" / "how-to" / "deploy-azure.md").read_text()
    usual = TEMPLATE["parameters"]["gpuProfile"]["defaultValue"]
    [told] = re.findall(r"^Per 1,000 pages with \S+ on an? (\w+),", guide, re.MULTILINE)
    assert usual.endswith(f"-{told}")
