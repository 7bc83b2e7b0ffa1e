"""The rendered documents as what they make: pods, and who names whom."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.deploy.kubernetes.rendering import Document

TEMPLATES = {
    "Deployment": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "Job": ("spec", "template"),
    "ScaledJob": ("spec", "jobTargetRef", "template"),
}
WITHOUT_NAMESPACE = {
    "Namespace",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
}


@dataclass(frozen=True)
class Container:
    """A container of a pod.

    Attributes:
        first: Whether it runs to its end: before the others, or as a job.
        settings: Its environment as far as it is known before it runs.
    """

    what: str
    spec: Document
    first: bool
    settings: dict[str, str] = field(hash=False)

    @property
    def args(self) -> list[str]:
        """What Pagetide is told; nothing where it is not what runs."""
        return [] if "command" in self.spec else list(self.spec.get("args", ()))

    @property
    def known(self) -> dict[str, str]:
        """Its settings without what is in files of its secrets, which are not here."""
        return {k: v for k, v in self.settings.items() if k != "PAGETIDE_SECRETS_DIR"}

    @property
    def ours(self) -> bool:
        """Whether it runs Pagetide."""
        return _image_name(self.spec.get("image", "")).startswith("pagetide-")

    @property
    def pool(self) -> str:
        """The pool it works for; empty where it is no worker."""
        return self.option("--pool") if self.args[:1] == ["worker"] else ""

    def option(self, name: str) -> str:
        """What stands behind an option; empty where it is not given."""
        args = self.args
        return str(args[args.index(name) + 1]) if name in args[:-1] else ""


@dataclass(frozen=True)
class Pod:
    """A template of pods, and whose it is."""

    owner: Document
    spec: Document
    labels: dict[str, str]
    containers: tuple[Container, ...]

    @property
    def what(self) -> str:
        """Whose it is, for a person."""
        return name_of(self.owner)

    @property
    def pool(self) -> str:
        """The pool it works for; empty where it has no worker."""
        return next((each.pool for each in self.containers if each.pool), "")


class Cluster:
    """All documents of an installation."""

    def __init__(self, documents: list[Document]) -> None:
        self.documents = documents

    def of(self, *kinds: str) -> list[Document]:
        """The documents of these kinds."""
        return [each for each in self.documents if each["kind"] in kinds]

    def find(self, kind: str, name: str) -> Document | None:
        """The document of this kind and name."""
        return next((d for d in self.of(kind) if d["metadata"]["name"] == name), None)

    def generated(self, kind: str, name: str) -> Document | None:
        """The same, where the name has the hash of the content behind it."""
        form = re.compile(re.escape(name) + r"-[a-z0-9]{10}")
        return next((d for d in self.of(kind) if form.fullmatch(d["metadata"]["name"])), None)

    def entries(self, kind: str, name: str) -> dict[str, str]:
        """What a ConfigMap or Secret holds; empty where there is none."""
        found = self.find(kind, name) or {}
        held = dict(found.get("data") or {})
        if kind == "Secret":
            held = {key: base64.b64decode(value).decode() for key, value in held.items()}
        return held | dict(found.get("stringData") or {})

    def pods(self) -> Iterator[Pod]:
        """All templates of pods."""
        for owner in self.of(*TEMPLATES):
            template: Any = owner
            for step in TEMPLATES[owner["kind"]]:
                template = template[step]
            spec = template["spec"]
            yield Pod(
                owner,
                spec,
                template.get("metadata", {}).get("labels", {}),
                tuple(self._containers(owner, spec)),
            )

    def workers(self) -> list[Pod]:
        """The pods that take tasks."""
        return [each for each in self.pods() if each.pool]

    def triggers(self) -> Iterator[tuple[Document, Document]]:
        """Each trigger of KEDA's, behind the object that has it."""
        for each in self.of("ScaledObject", "ScaledJob"):
            for trigger in each["spec"]["triggers"]:
                yield each, trigger

    def _containers(self, owner: Document, spec: Document) -> Iterator[Container]:
        for kind in ("initContainers", "containers"):
            for each in spec.get(kind, ()):
                yield Container(
                    f"{name_of(owner)}, container {each['name']}",
                    each,
                    kind == "initContainers" or owner["kind"] == "Job",
                    self._environment(each),
                )

    def _environment(self, container: Document) -> dict[str, str]:
        known: dict[str, str] = {}
        for source in container.get("envFrom", ()):
            for key, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
                if key in source:
                    known |= self.entries(kind, source[key]["name"])
        for each in container.get("env", ()):
            if "value" in each:
                known[each["name"]] = each["value"]
        return known


def name_of(document: Document) -> str:
    """A document, for a person."""
    return f"{document['kind']} {document['metadata']['name']}"


def matches(selector: Document, labels: dict[str, str]) -> bool:
    """Whether a selector of labels chooses them; an empty one chooses all."""
    for key, value in selector.get("matchLabels", {}).items():
        if labels.get(key) != value:
            return False
    for each in selector.get("matchExpressions", ()):
        if each["operator"] != "In":
            raise NotImplementedError(each["operator"])
        if labels.get(each["key"]) not in each["values"]:
            return False
    return True


def _image_name(image: str) -> str:
    return re.split(r"[:@]", image.rpartition("/")[2])[0]
