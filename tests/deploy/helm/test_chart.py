"""The chart by Helm itself: the Kustomize tree's own objects, for every set of values."""

from __future__ import annotations

import json
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.helm.chart import CHART, SETS, helm, refused, templated, values_of
from tests.deploy.helm.kustomized import by_kustomize
from tests.deploy.helm.rules import complaints
from tests.deploy.kubernetes.cluster import Cluster
from tests.deploy.kubernetes.definitions import FOLDER, custom_schema, kedas_triggers
from tests.deploy.kubernetes.rendering import CLOUDS, COMPONENTS, PLACES, ROOT
from tests.deploy.kubernetes.rules import RULES

SCHEMA = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))
TOLD = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SETS)
def test_the_chart_makes_what_the_tree_does(name: str) -> None:
    assert complaints(values_of(name)) == []


@pytest.mark.parametrize("name", SETS)
def test_what_a_set_of_values_installs_is_as_it_must_be(name: str) -> None:
    cluster = Cluster(by_kustomize(values_of(name)))
    found = {rule: list(check(cluster)) for rule, check in RULES.items()}
    assert {rule: told for rule, told in found.items() if told} == {}


@pytest.mark.skipif(
    not FOLDER.exists(), reason="KEDA's definitions are not beside the checkout"
)
@pytest.mark.parametrize("name", SETS)
def test_keda_and_prometheus_would_take_it(name: str) -> None:
    cluster = Cluster(templated(values_of(name)))
    assert [*custom_schema(cluster), *kedas_triggers(cluster)] == []


@pytest.mark.parametrize("name", SETS)
def test_helm_finds_nothing_to_say_of_it(name: str) -> None:
    said = helm("lint", str(CHART), "--strict", given=values_of(name))
    assert "[WARNING]" not in said
    assert "[ERROR]" not in said


def test_the_sets_take_every_queue_cloud_and_component() -> None:
    sets = [values_of(name) for name in SETS]
    assert {each.get("queue", "store") for each in sets} == set(enum_of("queue"))
    assert {each["cloud"] for each in sets if "cloud" in each} == set(CLOUDS)
    assert {one for each in sets for one in each.get("components", ())} == set(COMPONENTS)


def test_the_schema_knows_what_the_tree_has() -> None:
    overlays = {place.partition("/")[2] for place in PLACES} - {"", "dev"}
    assert set(enum_of("queue")) == {"store", *overlays}
    assert set(enum_of("cloud")) == {"", *CLOUDS}
    assert set(SCHEMA["properties"]["components"]["items"]["enum"]) == set(COMPONENTS)
    values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    assert {*values, "global"} == set(SCHEMA["properties"])


def enum_of(name: str) -> list[str]:
    found: list[str] = SCHEMA["properties"][name]["enum"]
    return found


def test_its_version_is_the_programs_and_the_images() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert TOLD["version"] == TOLD["appVersion"] == project["version"]
    images = {
        each.spec["image"]
        for pod in Cluster(templated(values_of("vllm"))).pods()
        for each in pod.containers
        if each.ours
    }
    tag = project["version"]
    assert images == {f"pagetide-api:{tag}", f"pagetide-worker:{tag}"}


def test_a_package_makes_what_the_folder_does(tmp_path: Path) -> None:
    helm("package", str(CHART), "--destination", str(tmp_path))
    package = tmp_path / f"pagetide-{TOLD['version']}.tgz"
    with tarfile.open(package) as files:
        names = files.getnames()
    assert not [name for name in names if "/dev/" in name or "/ci/" in name]
    given = values_of("rabbitmq")
    assert templated(given, package) == templated(given)


GIVEN = {
    "blobs": "s3://my-documents",
    "secrets": {"store": "postgresql://db.example.com/pagetide"},
}


def test_the_least_values_are_taken() -> None:
    assert refused(GIVEN) == ""


BAD: list[tuple[dict[str, Any], str]] = [
    ({"queue": "kafka"}, "at '/queue': value must be one of 'store', 'redis'"),
    ({"components": ["gpus"]}, "at '/components/0': value must be one of 'canary'"),
    ({"components": ["gpu", "gpu"]}, "at '/components': items at 0 and 1 are equal"),
    ({"component": ["gpu"]}, "additional properties 'component' not allowed"),
    ({"cloud": "azure"}, "at '/cloud': value must be one of '', 'eks'"),
    ({"blobs": "/var/documents"}, "at '/blobs': '/var/documents' does not match"),
    ({"host": "https://ocr.example.com"}, "at '/host'"),
    ({"secrets": {"secret": "short"}}, "at '/secrets/secret'"),
    ({"settings": {"languages": "ru"}}, "'languages' does not match pattern"),
    ({"patches": [{"target": {"kind": "Job"}, "patch": {}}]}, "missing property 'name'"),
    ({"blobs": ""}, "blobs must say where documents are kept"),
    ({"secrets": {"store": ""}}, "secrets.store must say where jobs are kept"),
    ({"queue": "redis"}, "queue: redis needs secrets.queue"),
    ({"queue": "sqs", "secrets": {"queue": "sqs://a/b"}}, "sqs.region and sqs.account"),
    (
        {"queue": "azure-queue", "secrets": {"queue": "azurequeue://a/b"}},
        "needs azure.account",
    ),
    ({"queue": "rabbitmq", "secrets": {"queue": "amqp://a/b"}}, "needs secrets.rabbitmq"),
    ({"components": ["ingress-tls"]}, "need host"),
    ({"components": ["gateway"], "host": "a.example.com"}, "needs gatewayClass"),
    ({"components": ["gpu", "hpa-gpu"]}, "choose one of them"),
    ({"cloud": "gke"}, "cloud: gke needs identity"),
    ({"identity": "somebody"}, "identity needs cloud"),
    ({"settings": {"PAGETIDE_STORE": "sqlite:///x"}}, "PAGETIDE_STORE is a secret"),
]


@pytest.mark.parametrize(("values", "said"), BAD, ids=[said for _, said in BAD])
def test_a_bad_value_is_refused_in_a_sentence(values: dict[str, Any], said: str) -> None:
    secrets = GIVEN["secrets"] | values.get("secrets", {})
    assert said in refused(GIVEN | values | {"secrets": secrets})


def test_secrets_that_are_there_already_are_not_made() -> None:
    given = values_of("rabbitmq") | {"secrets": {"create": False}}
    cluster = Cluster(templated(given))
    assert cluster.of("Secret") == []
    mounted = {
        volume["secret"]["secretName"]
        for pod in cluster.pods()
        for volume in pod.spec["volumes"]
        if "secret" in volume
    }
    assert mounted == {"pagetide"}
