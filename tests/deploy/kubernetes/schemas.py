"""Documents against schemas: Kubernetes's own, and a list of ours for KEDA's and Prometheus's.

Ours (`allowed.yaml`) names what these manifests use of kinds that are not Kubernetes's own,
and of KEDA's triggers. `test_definitions.py` holds it against the whole definitions.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from jsonschema.exceptions import ValidationError
from referencing import Registry, Resource

from tests.deploy.kubernetes.rendering import Document

VERSION = "v1.37.0-local-strict"  # of Kubernetes; see `PACKAGE`
PACKAGE = "kubernetes_validate"
ALLOWED = Path(__file__).with_name("allowed.yaml")
# KEDA's list leaves these out: they are said once for all scalers that ask over http.
AUTHENTICATION = {
    kind: {"authMode": {"apiKey", "basic", "tls", "bearer", "custom"}}
    for kind in ("metrics-api", "prometheus")
}
# What else a `pushing` scaler of ours is told.
OURS = {"external-push": {"pool": None, "tasksPerWorker": None}}
CUSTOM = ("keda.sh/", "monitoring.coreos.com/", "gateway.networking.k8s.io/")

Keys = dict[str, set[str] | None]  # what a trigger takes; None where any text will do


def core_errors(document: Document) -> list[str]:
    """What Kubernetes would refuse, or drop without a word."""
    if document["kind"] == "ScaledJob":
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": document["metadata"]}
        return core_errors({**job, "spec": document["spec"]["jobTargetRef"]})
    if document["apiVersion"].startswith(CUSTOM):
        return []
    return _core(document["kind"], document["apiVersion"]).errors(document)


def allowed_errors(document: Document) -> list[str]:
    """What is not on our list, though it may be right: it is then put there."""
    if not document["apiVersion"].startswith(CUSTOM):
        return []
    if document["kind"] not in allowed_kinds():
        return [f"{document['kind']} is not in {ALLOWED.name}"]
    return _ours(document["kind"]).errors(document)


def trigger_errors(trigger: Document, known: dict[str, Keys]) -> Iterator[str]:
    """Keys of a trigger's metadata that KEDA does not know, and values it does not take."""
    kind = trigger["type"]
    if kind not in known:
        yield f"there is no trigger {kind}"
        return
    keys = known[kind] | OURS.get(kind, {}) | AUTHENTICATION.get(kind, {})
    for key, value in trigger["metadata"].items():
        if key not in keys:
            yield f"{kind} knows no {key}"
        elif (values := keys[key]) is not None and value not in values:
            yield f"{key} of {kind} is none of {', '.join(sorted(values))}: {value}"


def allowed_kinds() -> dict[str, Any]:
    """The schema of each kind on our list."""
    told = _allowed()
    return {kind: {**schema, **told["shared"]} for kind, schema in told["kinds"].items()}


def allowed_triggers() -> dict[str, Keys]:
    """Those on our list."""
    return {
        kind: {key: set(values) if values else None for key, values in keys.items()}
        for kind, keys in _allowed()["triggers"].items()
    }


class Checker:
    """A schema that documents are held against; the same ones come again and again."""

    def __init__(self, validator: Any) -> None:
        self._validator = validator
        self._known: dict[str, list[str]] = {}

    def errors(self, document: Document) -> list[str]:
        """What is wrong with a document."""
        text = json.dumps(document)
        if text not in self._known:
            self._known[text] = [_said(each) for each in self._validator.iter_errors(document)]
        return self._known[text]


def _said(error: ValidationError) -> str:
    place = ".".join(map(str, error.absolute_path))
    return f"{place}: {error.message[:200]}"


@functools.cache
def _core(kind: str, api_version: str) -> Checker:
    group, _, version = api_version.rpartition("/")
    name = "-".join(filter(None, (kind.lower(), group.partition(".")[0], version)))
    schema = Resource.from_contents(_core_file(f"{name}.json"))
    registry = Registry().with_resources(
        [(each.id() or "", each) for each in (schema, _definitions())]
    )
    return Checker(jsonschema.Draft202012Validator(schema.contents, registry=registry))


@functools.cache
def _definitions() -> Resource[Any]:
    return Resource.from_contents(_core_file("_definitions.json"))


def _core_file(name: str) -> Any:
    folder = importlib.resources.files(PACKAGE) / "kubernetes-json-schema" / VERSION
    return json.loads((folder / name).read_text(encoding="utf-8"))


@functools.cache
def _ours(kind: str) -> Checker:
    return Checker(jsonschema.Draft7Validator(allowed_kinds()[kind]))


@functools.cache
def _allowed() -> Any:
    return yaml.safe_load(ALLOWED.read_text(encoding="utf-8"))
