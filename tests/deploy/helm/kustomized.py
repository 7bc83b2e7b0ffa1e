"""The same installation by Kustomize: an overlay as a person would write it for the values."""

from __future__ import annotations

import functools
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import yaml

from tests.deploy.helm.chart import CHART
from tests.deploy.kubernetes.rendering import KUBERNETES, Document, kustomized, parsed

Patch = dict[str, Any]
ACCOUNTS = {
    "eks": "eks.amazonaws.com/role-arn",
    "gke": "iam.gke.io/gcp-service-account",
    "aks": "azure.workload.identity/client-id",
}
IMAGES = ("pagetide-api", "pagetide-worker", "pagetide-worker-next", "pagetide-worker-paddle")
QUEUES = ("first", "interactive", "batch")
PULLING = {"Deployment": "/spec/template/spec", "Job": "/spec/template/spec"}
PULLING |= {"ScaledJob": "/spec/jobTargetRef/template/spec"}


def by_kustomize(values: dict[str, Any]) -> list[Document]:
    """The documents of an overlay for a chart's values, parsed anew with every call."""
    return parsed(_rendered(json.dumps(values)))


@functools.cache
def _rendered(values: str) -> str:
    given = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    for name, value in json.loads(values).items():
        within = isinstance(value, dict) and isinstance(given[name], dict)
        given[name] = {**given[name], **value} if within else value
    with tempfile.TemporaryDirectory() as folder:
        above = Path(folder).resolve()
        (above / "kustomization.yaml").write_text(yaml.safe_dump(_overlay(given, above)))
        return kustomized(above)


def _overlay(given: dict[str, Any], folder: Path) -> Patch:
    place = "base" if given["queue"] == "store" else f"overlays/{given['queue']}"
    clouds = [given["cloud"]] if given["cloud"] else []
    chosen = [f"components/{each}" for each in [*given["components"], *clouds]]
    return {
        "resources": [_beside(folder, place)],
        "components": [_beside(folder, each) for each in chosen],
        "configMapGenerator": [_settings(given)],
        "secretGenerator": list(_secrets(given)),
        "images": list(_images(given)),
        "patches": [
            {"target": target, "patch": yaml.safe_dump(patch)}
            for target, patch in _patches(given)
        ],
    }


def _beside(folder: Path, place: str) -> str:
    return os.path.relpath(KUBERNETES / place, folder)


def _settings(given: dict[str, Any]) -> Patch:
    settings = {"PAGETIDE_BLOBS": given["blobs"], **given["settings"]}
    if given["queue"] == "sqs":
        settings["AWS_REGION"] = given["sqs"]["region"]
    literals = [f"{name}={value}" for name, value in settings.items()]
    return {"name": "pagetide", "behavior": "merge", "literals": literals}


def _secrets(given: dict[str, Any]) -> list[Patch]:
    told = given["secrets"]
    entries = {
        "pagetide": {name: told[name] for name in ("store", "queue", "secret")},
        "pagetide-key": {"token": told["key"]},
        "pagetide-rabbitmq": {"host": told["rabbitmq"]},
    }
    return [
        {
            "name": name,
            "behavior": "replace",
            "literals": [f"{key}={text}" for key, text in held.items() if text],
        }
        for name, held in entries.items()
        if name != "pagetide-rabbitmq" or given["queue"] == "rabbitmq"
    ]


def _images(given: dict[str, Any]) -> list[Patch]:
    registry, tag = given["image"]["registry"], given["image"]["tag"]
    found: list[Patch] = []
    for name in IMAGES:
        if name in given["images"]:
            new_name, _, new_tag = given["images"][name].rpartition(":")
            found.append({"name": name, "newName": new_name, "newTag": new_tag})
            continue
        image = {"name": name, "newName": f"{registry}/{name}" if registry else name}
        if tag:
            image["newTag"] = f"{tag}-cuda" if name.endswith("-paddle") else tag
        found.append(image)
    return found


def _patches(given: dict[str, Any]) -> list[tuple[Patch, Any]]:
    found: list[tuple[Patch, Any]] = []
    account = {"kind": "ServiceAccount", "name": "pagetide(-worker)?"}
    if given["identity"]:
        annotation = {ACCOUNTS[given["cloud"]]: given["identity"]}
        found.append((account, [_put("/metadata/annotations", annotation)]))
    if given["host"]:
        found += _doors(given)
    found += _triggers(given)
    if given["image"]["pullSecrets"]:
        names = [{"name": each} for each in given["image"]["pullSecrets"]]
        for kind, path in PULLING.items():
            found.append(({"kind": kind}, [_put(f"{path}/imagePullSecrets", names)]))
    for each in given["patches"]:
        any_one = {"apiVersion": "any", "kind": "any", "metadata": {"name": "any"}}
        found.append((each["target"], any_one | each["patch"]))
    return found


def _doors(given: dict[str, Any]) -> list[tuple[Patch, Any]]:
    host = given["host"]
    url = [_put("/data/PAGETIDE_PUBLIC_URL", f"https://{host}")]
    gateway = [
        _put("/spec/gatewayClassName", given["gatewayClass"]),
        _put("/spec/listeners/0/hostname", host),
    ]
    ingress = [_put("/spec/rules/0/host", host), _put("/spec/tls/0/hosts/0", host)]
    return [
        ({"kind": "ConfigMap", "name": "pagetide"}, url),
        ({"kind": "Gateway"}, gateway),
        ({"kind": "Ingress"}, ingress),
    ]


def _triggers(given: dict[str, Any]) -> list[tuple[Patch, Any]]:
    """Where the queues of a cloud are, which its three triggers look at."""
    steps: list[Patch] = []
    for number, queue in enumerate(QUEUES, start=1):
        told = f"/spec/triggers/{number}/metadata"
        if given["queue"] == "sqs":
            region, account = given["sqs"]["region"], given["sqs"]["account"]
            url = f"https://sqs.{region}.amazonaws.com/{account}/pagetide-cpu-{queue}"
            steps += [_put(f"{told}/queueURL", url), _put(f"{told}/awsRegion", region)]
        elif given["queue"] == "azure-queue":
            steps.append(_put(f"{told}/accountName", given["azure"]["account"]))
    return [({"kind": "ScaledObject", "name": "pagetide-worker"}, steps)] if steps else []


def _put(path: str, value: object) -> Patch:
    return {"op": "replace" if path[-1].isdigit() else "add", "path": path, "value": value}
