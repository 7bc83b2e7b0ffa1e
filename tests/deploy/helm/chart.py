"""What Helm itself makes of the chart: its documents, its refusals, its package."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import yaml

from tests.deploy.kubernetes.rendering import ROOT, Document, parsed, program

CHART = ROOT / "deploy" / "helm" / "pagetide"
SETS = sorted(each.name.removesuffix("-values.yaml") for each in (CHART / "ci").iterdir())
HOOK = "helm.sh/hook"


def values_of(name: str) -> dict[str, Any]:
    """A set of values as its file has it."""
    text = (CHART / "ci" / f"{name}-values.yaml").read_text(encoding="utf-8")
    values: dict[str, Any] = yaml.safe_load(text)
    return values


def helm(*arguments: str, given: dict[str, Any] | None = None) -> str:
    """What Helm prints, told further values.

    Raises:
        CalledProcessError: It refuses, and says why in `stderr`.
    """
    told = () if given is None else ("--values", "-")
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [program("helm"), *arguments, *told],
        check=True,
        input=None if given is None else yaml.safe_dump(given),
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.stdout


def templated(
    given: dict[str, Any], chart: Path = CHART, namespace: str = "pagetide"
) -> list[Document]:
    """The documents that the chart makes of values; its tests among them."""
    text = helm("template", "pagetide", str(chart), "--namespace", namespace, given=given)
    return [each for each in parsed(text) if each]


def refused(given: dict[str, Any]) -> str:
    """What Helm says of values that it does not take; empty where it does."""
    try:
        templated(given)
    except subprocess.CalledProcessError as error:
        return str(error.stderr)
    return ""


def is_hook(document: Document) -> bool:
    """Whether it is there for `helm test` alone."""
    return HOOK in document["metadata"].get("annotations", {})
