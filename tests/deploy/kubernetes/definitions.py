"""KEDA's and Prometheus's own definitions, where they stand beside the checkout."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema

from tests.deploy.kubernetes.cluster import Cluster, name_of
from tests.deploy.kubernetes.rendering import ROOT, parsed
from tests.deploy.kubernetes.schemas import CUSTOM, Checker, Keys, trigger_errors

FOLDER = ROOT.parent / "shared" / "schemas"


def custom_schema(cluster: Cluster) -> Iterator[str]:
    """What the kinds' own definitions refuse or drop."""
    for each in cluster.documents:
        if each["apiVersion"].startswith(CUSTOM) and defined(each["kind"], each["apiVersion"]):
            for error in _checker(each["kind"], each["apiVersion"]).errors(each):
                yield f"{name_of(each)}: {error}"


def kedas_triggers(cluster: Cluster) -> Iterator[str]:
    """Triggers that KEDA's own list does not have, or not so."""
    for owner, trigger in cluster.triggers():
        for error in trigger_errors(trigger, every_trigger()):
            yield f"{name_of(owner)}: {error}"


@functools.cache
def every_trigger() -> dict[str, Keys]:
    """All that KEDA has, by its own list; what that says to be required is not always so."""
    told = json.loads((FOLDER / "keda_scalers.json").read_text(encoding="utf-8"))
    return {
        scaler["type"]: {
            each["name"]: set(each["allowedValue"]) if each.get("allowedValue") else None
            for each in scaler["parameters"]
            if each.get("metadataVariableReadable")
        }
        for scaler in told["scalers"]
    }


def defined(kind: str, api_version: str) -> bool:
    """Whether a kind's definition is there: those of Gateway API are not."""
    return _file(kind, api_version).exists()


@functools.cache
def definition(kind: str, api_version: str) -> Any:
    """A kind's schema, in which a field that is not named is an error."""
    version = api_version.rpartition("/")[2]
    (told,) = parsed(_file(kind, api_version).read_text(encoding="utf-8"))
    served = {each["name"]: each for each in told["spec"]["versions"]}
    schema = _strict(served[version]["schema"]["openAPIV3Schema"])
    schema["properties"]["metadata"] = {"type": "object"}
    return schema


@functools.cache
def _checker(kind: str, api_version: str) -> Checker:
    return Checker(jsonschema.Draft7Validator(definition(kind, api_version)))


def _file(kind: str, api_version: str) -> Path:
    return FOLDER / f"{api_version.partition('/')[0]}_{kind.lower()}s.yaml"


def _strict(schema: Any) -> Any:
    """A CRD's schema as JSON Schema in which a field that is not named is an error."""
    if isinstance(schema, list):
        return [_strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _strict(value) for key, value in schema.items()}
    if made.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    if "properties" in made and not made.get("x-kubernetes-preserve-unknown-fields"):
        made.setdefault("additionalProperties", False)
    if made.pop("nullable", False) and isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
    return made
