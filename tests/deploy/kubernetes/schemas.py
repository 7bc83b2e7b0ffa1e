"""Documents against schemas: Kubernetes's own, KEDA's and Prometheus's, and a list of ours.

Ours (`allowed.yaml`) names what these manifests use of kinds that are not Kubernetes's own,
and of KEDA's triggers, so that the checks run without anything beside the checkout.
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

from tests.deploy.kubernetes.rendering import ROOT, Document, parsed

VERSION = "v1.34.0-local-strict"  # of Kubernetes; see `PACKAGE`
PACKAGE = "kubernetes_validate"
SHARED = ROOT.parent / "shared" / "schemas"
ALLOWED = Path(__file__).with_name("allowed.yaml")
# KEDA's list leaves these out: they are said once for all scalers that ask over http.
AUTHENTICATION = {
    kind: {"authMode": {"apiKey", "basic", "tls", "bearer", "custom"}}
    for kind in ("metrics-api", "prometheus")
}
# What else a `pushing` scaler of ours is told.
OURS = {"external-push": {"pool": None, "tasksPerWorker": None}}
CUSTOM = ("keda.sh/", "monitoring.coreos.com/")

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
    if document["kind"] not in _allowed()["kinds"]:
        return [f"{document['kind']} is not in {ALLOWED.name}"]
    return _ours(document["kind"]).errors(document)


def custom_errors(document: Document, folder: Path = SHARED) -> list[str]:
    """What the kinds' own definitions refuse or drop; they stand in a folder of CRDs."""
    if not document["apiVersion"].startswith(CUSTOM):
        return []
    return _custom(folder, document["kind"], document["apiVersion"]).errors(document)


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


def allowed_triggers() -> dict[str, Keys]:
    """Those on our list."""
    return {
        kind: {key: set(values) if values else None for key, values in keys.items()}
        for kind, keys in _allowed()["triggers"].items()
    }


def kedas_triggers(folder: Path = SHARED) -> dict[str, Keys]:
    """All that KEDA has, by its own list; what that says to be required is not always so."""
    told = json.loads((folder / "keda_scalers.json").read_text(encoding="utf-8"))
    return {
        scaler["type"]: {
            each["name"]: set(each["allowedValue"]) if each.get("allowedValue") else None
            for each in scaler["parameters"]
            if each.get("metadataVariableReadable")
        }
        for scaler in told["scalers"]
    }


def strict(schema: Any) -> Any:
    """A CRD's schema as JSON Schema in which a field that is not named is an error."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items()}
    if made.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    if "properties" in made and not made.get("x-kubernetes-preserve-unknown-fields"):
        made.setdefault("additionalProperties", False)
    if made.pop("nullable", False) and isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
    return made


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
def _custom(folder: Path, kind: str, api_version: str) -> Checker:
    group, _, version = api_version.partition("/")
    file = folder / f"{group}_{kind.lower()}s.yaml"
    (definition,) = parsed(file.read_text(encoding="utf-8"))
    served = {each["name"]: each for each in definition["spec"]["versions"]}
    schema = strict(served[version]["schema"]["openAPIV3Schema"])
    schema["properties"]["metadata"] = {"type": "object"}
    return Checker(jsonschema.Draft7Validator(schema))


@functools.cache
def _ours(kind: str) -> Checker:
    schema = {**_allowed()["kinds"][kind], **_allowed()["shared"]}
    return Checker(jsonschema.Draft7Validator(schema))


@functools.cache
def _allowed() -> Any:
    return yaml.safe_load(ALLOWED.read_text(encoding="utf-8"))
