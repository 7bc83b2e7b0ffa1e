"""What the guide says of Kubernetes is so: its overlay, its commands, its figures."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from pagetide.engines.provision import networks
from pagetide.settings import Settings
from tests.deploy.kubernetes.cluster import Cluster
from tests.deploy.kubernetes.rendering import (
    CLOUDS,
    COMPONENTS,
    KUBERNETES,
    PLACES,
    ROOT,
    documents,
    kustomized,
    parsed,
    rendered,
)
from tests.deploy.kubernetes.rules import RULES
from tests.deploy.kubernetes.rules_clouds import GOOGLES
from tests.deploy.kubernetes.rules_pods import cores_of
from tests.deploy.kubernetes.test_alerts import NAMES

GUIDE = (ROOT / "docs" / "how-to" / "deploy-kubernetes.md").read_text(encoding="utf-8")
MINE, CLOUD, LANGUAGES, NEWER, CANARY = re.findall(r"```yaml\n(.*?)```", GUIDE, flags=re.DOTALL)
CHAPTER = GUIDE.partition("### EKS, GKE, AKS")[2].partition("\n```")[0]
SECRETS = {
    "pagetide": "store=postgresql://u:p@db.example.com/pagetide\nqueue=amqps://u:p@mq.example.com/x\n"
    f"secret={'s' * 32}\n",
    "rabbitmq": "host=https://u:p@mq.example.com:15671/x\n",
    "key": "token=pt_0\n",
}
MEMORY = {"Mi": 1 / 1024, "Gi": 1.0}


def rendered_as_told(folder: Path, *blocks: str) -> list[dict[str, Any]]:
    """The guide's overlay with further pieces, as if it stood beside the others."""
    told: dict[str, Any] = {}
    for block in blocks:
        for key, value in yaml.safe_load(block).items():
            # A newer image takes the place of the older one with its name.
            old = {each["name"]: each for each in told.get(key, ())} if key == "images" else {}
            new = {each["name"]: each for each in value} if key == "images" else {}
            added = [*told.get(key, []), *value] if isinstance(value, list) else value
            told[key] = [*(old | new).values()] if new else added
    beside = KUBERNETES / "overlays" / "mine"
    for key in ("resources", "components"):
        told[key] = [
            os.path.relpath(os.path.normpath(beside / each), folder.resolve())
            for each in told[key]
        ]
    (folder / "secrets").mkdir()
    for name, text in SECRETS.items():
        (folder / "secrets" / f"{name}.env").write_text(text)
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(told))
    return parsed(kustomized(folder))


def test_the_overlay_of_the_guide_is_as_it_must_be(tmp_path: Path) -> None:
    cluster = Cluster(rendered_as_told(tmp_path, MINE))
    found = {name: list(rule(cluster)) for name, rule in RULES.items()}
    assert {name: told for name, told in found.items() if told} == {}
    shared = cluster.generated("ConfigMap", "pagetide")
    assert shared and shared["data"]["PAGETIDE_BLOBS"].startswith("s3://my-documents/")
    secret = cluster.generated("Secret", "pagetide")
    assert secret
    entries = cluster.entries("Secret", secret["metadata"]["name"])
    assert entries["queue"] == "amqps://u:p@mq.example.com/x"
    assert {each.spec["image"] for pod in cluster.pods() for each in pod.containers} == {
        "registry.example.com/pagetide-api:0.1.0",
        "registry.example.com/pagetide-worker:0.1.0",
    }


def test_the_identity_of_the_guide_is_that_of_all_pods(tmp_path: Path) -> None:
    cluster = Cluster(rendered_as_told(tmp_path, MINE, CLOUD))
    assert [told for rule in RULES.values() for told in rule(cluster)] == []
    account = {GOOGLES: "pagetide@my-project.iam.gserviceaccount.com"}
    assert [each["metadata"]["annotations"] for each in cluster.of("ServiceAccount")] == [
        account,
        account,
    ]


def test_what_the_guide_says_of_clouds_is_in_their_components() -> None:
    rows = re.findall(r"^\| (\w.*?) \| (.*) \| (.*) \| (.*) \|$", CHAPTER, flags=re.MULTILINE)
    assert len(rows) == 6
    for number, cloud in enumerate(("eks", "gke", "aks"), start=1):
        text = rendered("base", ("gpu", "vllm", cloud))
        for taint in re.findall(r"`(\w+=\w+)`", rows[2][number]):
            key, _, value = taint.partition("=")
            assert re.search(rf"key: {key}\n +operator: Equal\n +value: {value}\n", text), taint
        for row in rows[2:]:
            for said in re.findall(r"`([\w-]+)`", row[number]):
                ending = said in ("g5", "g6", "xlarge", "2xlarge")
                assert re.search(rf"\b{said}\b" if ending else rf"\b{said}\n", text), said
        opened = re.findall(r"169\.254\.\d+\.\d+", rows[1][number])
        assert set(re.findall(r"cidr: (169\.254\.\d+\.\d+)/32", text)) == set(opened)


def test_languages_of_the_guide_are_fetched_by_workers(tmp_path: Path) -> None:
    cluster = Cluster(rendered_as_told(tmp_path, MINE, LANGUAGES))
    assert [told for rule in RULES.values() for told in rule(cluster)] == []
    for pod in cluster.workers():
        for each in pod.containers:
            settings = Settings.from_environment(each.known)
            assert settings.pull and len(networks(settings, each.pool)) == 3


def test_the_upgrades_of_the_guide_change_the_images(tmp_path: Path) -> None:
    cluster = Cluster(rendered_as_told(tmp_path, MINE, CANARY))
    images = {pod.what: pod.containers[-1].spec["image"] for pod in cluster.workers()}
    assert images == {
        "Deployment pagetide-worker": "registry.example.com/pagetide-worker:0.1.0",
        "Deployment pagetide-worker-next": "registry.example.com/pagetide-worker:0.2.0",
    }
    (tmp_path / "newer").mkdir()
    cluster = Cluster(rendered_as_told(tmp_path / "newer", MINE, NEWER))
    tags = {
        c.spec["image"].rpartition(":")[2] for pod in cluster.pods() for c in pod.containers
    }
    assert tags == {"0.2.0"}


def test_paths_and_names_of_the_guide_are_there() -> None:
    for path in set(re.findall(r"(?:-k|kustomize) (deploy/kubernetes/\S+)", GUIDE)):
        assert path.endswith("/mine") or (ROOT / path / "kustomization.yaml").exists(), path
    first_cells = set(re.findall(r"^\| `([^`]+)`", GUIDE, flags=re.MULTILINE))
    assert {*PLACES, *COMPONENTS, *CLOUDS} <= first_cells
    named = set(re.findall(r"`(Pagetide\w+)`", GUIDE))
    assert named == set(NAMES)


def test_the_most_of_the_api_is_as_the_guide_says() -> None:
    cluster = Cluster(documents("base"))
    [most] = {each["spec"]["maxReplicas"] for each in cluster.of("HorizontalPodAutoscaler")}
    assert f"| 2, and up to {most} while they are busy |" in GUIDE


def kept(cluster: Cluster, owner: dict[str, Any]) -> int:
    """How many pods of an owner there are without work."""
    least = {
        each["spec"]["scaleTargetRef"]["name"]: each["spec"]["minReplicas"]
        for each in cluster.of("HorizontalPodAutoscaler")
    }
    found: int = owner["spec"].get("replicas", least.get(owner["metadata"]["name"], 0))
    return found


@pytest.mark.parametrize("name", ["api", "sweep", "scaler", "worker"])
def test_pods_ask_for_what_the_guide_says(name: str) -> None:
    cells = re.search(
        rf"^\| `pagetide-{name}` \| (\d+).* \| ([\d.]+) cores, (\d+) (\wi)B \|$",
        GUIDE,
        flags=re.MULTILINE,
    )
    assert cells
    deployment = Cluster(documents("base")).find("Deployment", f"pagetide-{name}")
    assert deployment
    asked = deployment["spec"]["template"]["spec"]["containers"][0]["resources"]["requests"]
    assert kept(Cluster(documents("base")), deployment) == int(cells[1])
    assert cores_of(asked["cpu"]) == float(cells[2])
    assert asked["memory"] == f"{cells[3]}{cells[4]}"


def test_at_rest_the_guide_says_their_sum() -> None:
    said = re.search(r"Without work that is ([\d.]+) cores and ([\d.]+) GiB", GUIDE)
    cores = memory = 0.0
    cluster = Cluster(documents("base"))
    for pod in cluster.pods():
        asked = pod.containers[-1].spec["resources"]["requests"]
        replicas = kept(cluster, pod.owner)
        cores += replicas * cores_of(asked["cpu"])
        memory += replicas * float(asked["memory"][:-2]) * MEMORY[asked["memory"][-2:]]
    assert said and (float(said[1]), float(said[2])) == (round(cores, 3), memory)
