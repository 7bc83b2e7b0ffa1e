"""What the guide says of Helm is so: its values, its words, its commands."""

from __future__ import annotations

import re

import pytest
import yaml

from tests.deploy.helm.chart import CHART, helm, refused, templated, values_of
from tests.deploy.kubernetes.cluster import Cluster
from tests.deploy.kubernetes.rendering import ROOT

GUIDE = (ROOT / "docs" / "how-to" / "deploy-helm.md").read_text(encoding="utf-8")
[MINE] = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", GUIDE, flags=re.DOTALL))
VALUES = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))


def test_the_values_of_the_guide_are_taken() -> None:
    cluster = Cluster(templated(MINE))
    scaled = {each["metadata"]["name"]: each["spec"] for each in cluster.of("ScaledObject")}
    assert scaled["pagetide-worker"]["maxReplicaCount"] == 30
    assert cluster.entries("ConfigMap", "pagetide")["PAGETIDE_LANGUAGES"] == "ru,ar"
    assert cluster.of("Gateway")[0]["spec"]["listeners"][0]["hostname"] == "ocr.example.com"


def test_an_object_can_be_taken_out() -> None:
    target = {"kind": "HorizontalPodAutoscaler", "name": "pagetide-.*"}
    given = values_of("cpu") | {"patches": [{"target": target, "patch": {"$patch": "delete"}}]}
    kinds = {each["kind"] for each in templated(values_of("cpu"))}
    assert kinds - {each["kind"] for each in templated(given)} == {"HorizontalPodAutoscaler"}


def test_every_value_is_in_the_table() -> None:
    table = GUIDE.partition("## Values")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.+?`) \|", table, flags=re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == set(VALUES)


def test_the_chart_and_the_package_of_the_guide_are_there() -> None:
    version = yaml.safe_load((CHART / "Chart.yaml").read_text(encoding="utf-8"))["version"]
    assert f"out/pagetide-{version}.tgz" in GUIDE
    for path in set(re.findall(r"deploy/helm/[\w/]+", GUIDE)):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize(("key", "asked"), [("none", True), ("pt_0", False)])
def test_the_notes_ask_for_what_is_missing(key: str, asked: bool) -> None:
    given = values_of("cpu")
    given["secrets"]["key"] = key
    said = helm(
        "install", "mine", str(CHART), "--namespace", "ocr", "--dry-run=client", given=given
    )
    notes = said.partition("\nNOTES:\n")[2]
    assert "helm test mine -n ocr" in notes
    assert "https://ocr.example.com" in notes
    assert ("keys create watch --scope operate" in notes) is asked


def test_the_least_of_the_guide_says_what_is_missing() -> None:
    assert "blobs must say where documents are kept" in refused({})
