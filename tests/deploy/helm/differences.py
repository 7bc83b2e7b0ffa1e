"""The chart's documents beside Kustomize's, field by field, but for what is named here."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

from tests.deploy.helm.chart import is_hook
from tests.deploy.kubernetes.cluster import WITHOUT_NAMESPACE
from tests.deploy.kubernetes.rendering import Document

# What the chart's alone have: whose they are; what starts pods anew; a job's content in its
# name.
LABELS = {"app.kubernetes.io/managed-by", "helm.sh/chart"}
CHECKSUM = "checksum/settings"
JOB = re.compile(r"(pagetide-models)-[0-9a-f]{8}")
# What Kustomize's alone have: the namespace, also as that of what is in none; a hash of their
# content in the names of these; folds in Base64.
ONLY_KUSTOMIZES = "Namespace"
HASHED = {"ConfigMap", "Secret"}
HASH = re.compile(r"(pagetide(?:-[a-z]+)?)-[a-z0-9]{10}")


def differences(chart: list[Document], tree: list[Document]) -> Iterator[str]:
    """What the two make that is not the same, with its place."""
    ours, theirs = _named(of_the_chart(chart)), _named(of_the_tree(tree))
    for name in sorted(ours.keys() ^ theirs.keys()):
        yield f"{name}: only {'the chart' if name in ours else 'kustomize'} has it"
    for name in sorted(ours.keys() & theirs.keys()):
        yield from _between(ours[name], theirs[name], name)


def of_the_chart(documents: list[Document]) -> list[Document]:
    """The chart's documents without what they alone have."""
    made = copy.deepcopy([each for each in documents if not is_hook(each)])
    for each in made:
        metadata = each["metadata"]
        metadata["labels"] = {k: v for k, v in metadata["labels"].items() if k not in LABELS}
        metadata["name"] = JOB.sub(r"\1", metadata["name"])
        for node in (metadata, _template(each).get("metadata", {})):
            node.get("annotations", {}).pop(CHECKSUM, None)
            for key in ("labels", "annotations"):
                if not node.get(key, True):
                    del node[key]
    return made


def of_the_tree(documents: list[Document]) -> list[Document]:
    """Kustomize's documents without what they alone have."""
    hashed = {
        each["metadata"]["name"]: found[1]
        for each in documents
        if each["kind"] in HASHED and (found := HASH.fullmatch(each["metadata"]["name"]))
    }
    text = json.dumps([each for each in documents if each["kind"] != ONLY_KUSTOMIZES])
    for name, bare in hashed.items():
        text = text.replace(f'"{name}"', f'"{bare}"')
    made: list[Document] = json.loads(text)
    for each in made:
        if each["kind"] in WITHOUT_NAMESPACE:
            each["metadata"].pop("namespace", None)
        if each["kind"] == "Secret":
            each["data"] = {k: "".join(folded.split()) for k, folded in each["data"].items()}
    return made


def _named(documents: list[Document]) -> dict[str, Document]:
    return {
        f"{each['kind']} {told.get('namespace', '')}/{told['name']}": each
        for each in documents
        for told in (each["metadata"],)
    }


def _template(document: Document) -> Document:
    spec = document.get("spec", {})
    found: Document = spec.get("jobTargetRef", spec).get("template", {})
    return found


def _between(ours: Any, theirs: Any, place: str) -> Iterator[str]:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            if key in ours and key in theirs:
                yield from _between(ours[key], theirs[key], f"{place}.{key}")
            else:
                whose = "the chart" if key in ours else "kustomize"
                yield f"{place}.{key}: only {whose} has it"
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from _between(one, other, f"{place}.{number}")
    elif ours != theirs:
        yield f"{place}: {ours!r} in the chart, {theirs!r} of kustomize"
