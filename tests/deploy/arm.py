"""An Azure template as Azure would deploy it: parameters put in, loops written out.

What Azure itself makes (ids, domains) has made-up values, the same at every rendering.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.deploy.arm_expressions import BadTemplate, Function, evaluated, is_expression
from tests.deploy.arm_functions import GROUP, PLAIN

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "securestring": (str,),
    "int": (int,),
    "bool": (bool,),
    "array": (list,),
    "object": (dict,),
}
_LEFT = {"copy", "condition", "dependsOn"}


@dataclass(kw_only=True)
class Resource:
    """A resource that is deployed.

    Attributes:
        body: All that is said of it, but for what steers the deployment.
        after: The ids of what is deployed before it.
        uses: The ids that are named in it.
    """

    id: str
    body: dict[str, Any]
    after: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)

    @property
    def type(self) -> str:
        """Such as `Microsoft.App/jobs`."""
        return str(self.body["type"])

    @property
    def name(self) -> str:
        """The last part of its name."""
        return str(self.body["name"]).rpartition("/")[2]

    @property
    def properties(self) -> dict[str, Any]:
        """Its properties."""
        found: dict[str, Any] = self.body.get("properties", {})
        return found


@dataclass(frozen=True)
class Deployment:
    """What a template comes to with its parameters."""

    resources: tuple[Resource, ...]
    outputs: Mapping[str, Any]

    def of_type(self, kind: str) -> list[Resource]:
        """All resources of a type."""
        return [each for each in self.resources if each.type == kind]


def rendered(template: Mapping[str, Any], parameters: Mapping[str, Any]) -> Deployment:
    """What is deployed.

    Args:
        template: As parsed from JSON.
        parameters: Their values.

    Raises:
        BadTemplate: Azure would refuse it, or it uses what is not known here.
    """
    return _Rendering(template, parameters).deployment()


class _Rendering:
    def __init__(self, template: Mapping[str, Any], parameters: Mapping[str, Any]) -> None:
        self._template, self._given = template, parameters
        self._indices: dict[str, int] = {}
        self._uses: set[str] = set()
        self._left_out: set[str] = set()
        self._known: dict[str, tuple[Any, set[str]]] = {}
        self._functions = {**PLAIN, **self._own()}
        self._variables = dict(template.get("variables", {}))
        for loop in self._variables.pop("copy", ()):
            self._variables[loop["name"]] = loop
        for name in parameters:
            if name not in template["parameters"]:
                raise BadTemplate(f"there is no parameter {name}")
        for name in template["parameters"]:
            self._parameter(name)

    def deployment(self) -> Deployment:
        """All that is deployed, and what the template says in the end."""
        made: list[Resource] = []
        ordered: list[tuple[Resource, list[str]]] = []
        loops: dict[str, set[str]] = {}
        for each in self._template["resources"]:
            loop = each.get("copy", {}).get("name", "")
            loops.setdefault(loop, set())
            for resource, after in self._copies(each, loop):
                ordered.append((resource, after))
                loops[loop].add(resource.id)
                made.append(resource)
        ids = [resource.id for resource in made]
        if len(set(ids)) < len(ids):
            raise BadTemplate("a resource is there twice")
        for resource, after in ordered:
            for named in after:
                resource.after |= self._before(named, loops, set(ids))
        outputs = self._value(self._template.get("outputs", {}))
        return Deployment(tuple(made), {name: each["value"] for name, each in outputs.items()})

    def _before(self, named: str, loops: Mapping[str, set[str]], ids: set[str]) -> set[str]:
        if named in loops:
            return loops[named]
        if named in ids:
            return {named}
        if named in self._left_out:
            return set()
        raise BadTemplate(f"dependsOn names {named}, which is not there")

    def _copies(self, each: dict[str, Any], loop: str) -> Iterator[tuple[Resource, list[str]]]:
        count = self._value(each["copy"]["count"]) if loop else 1
        for index in range(count):
            self._indices = {"": index, loop: index} if loop else {}
            name, kind = self._value(each["name"]), each["type"]
            scope = self._value(each["scope"]) if "scope" in each else ""
            place = f"{scope or GROUP}/providers/{_path(kind, name)}"
            if not self._value(each.get("condition", True)):
                self._left_out.add(place)
                continue
            self._uses = set()
            said = {key: part for key, part in each.items() if key not in _LEFT}
            resource = Resource(id=place, body=self._value(said), uses=self._uses)
            self._uses = set()  # what is named from here on is not in its body
            yield resource, self._value(each.get("dependsOn", []))
        self._indices = {}

    def _value(self, said: Any) -> Any:
        if isinstance(said, str):
            return evaluated(said, self._functions) if is_expression(said) else said
        if isinstance(said, list):
            return [self._value(each) for each in said]
        if not isinstance(said, dict):
            return said
        found = {self._value(k): self._value(v) for k, v in said.items() if k != "copy"}
        for loop in said.get("copy", ()):
            found[loop["name"]] = self._looped(loop)
        return found

    def _looped(self, loop: Mapping[str, Any]) -> list[Any]:
        name, values = loop["name"], []
        for index in range(self._value(loop["count"])):
            self._indices[name] = index
            values.append(self._value(loop["input"]))
        self._indices.pop(name, None)
        return values

    def _parameter(self, name: str) -> Any:
        if name not in self._template["parameters"]:
            raise BadTemplate(f"there is no parameter {name}")
        declared = self._template["parameters"][name]
        if name not in self._given and "defaultValue" not in declared:
            raise BadTemplate(f"the parameter {name} is needed")
        value = self._given.get(name, self._value(declared.get("defaultValue")))
        kinds = _TYPES[declared["type"]]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise BadTemplate(f"the parameter {name} must be a {declared['type']}")
        _check_bounds(name, value, declared)
        return value

    def _variable(self, name: str) -> Any:
        """A variable's value; what it names is named by whatever uses it."""
        if name not in self._known:
            before, self._uses = self._uses, set()
            self._known[name] = self._variable_value(name), self._uses
            self._uses = before
        value, uses = self._known[name]
        self._uses |= uses
        return value

    def _variable_value(self, name: str) -> Any:
        if name not in self._variables:
            raise BadTemplate(f"there is no variable {name}")
        said = self._variables[name]
        if isinstance(said, dict) and said.keys() == {"name", "count", "input"}:
            return self._looped(said)
        return self._value(said)

    def _copy_index(self, name: str = "") -> int:
        if name not in self._indices:
            raise BadTemplate(f"copyIndex({name!r}) is outside its loop")
        return self._indices[name]

    def _resource_id(self, kind: str, *names: str) -> str:
        found = f"{GROUP}/providers/{_path(kind, '/'.join(names))}"
        self._uses.add(found)
        return found

    def _reference(self, place: str) -> dict[str, str]:
        self._uses.add(place)
        kind, _, name = place.partition("/providers/")[2].rpartition("/")
        if kind not in _MADE:
            raise BadTemplate(f"what {kind} tells after it was made is not known")
        return {what: f"{what}-of-{name}" for what in _MADE[kind]}

    def _own(self) -> dict[str, Function]:
        return {
            "parameters": self._parameter,
            "variables": self._variable,
            "copyindex": self._copy_index,
            "resourceid": self._resource_id,
            "reference": self._reference,
        }


def _path(kind: str, name: str) -> str:
    """`Microsoft.A/b/c` and `x/y` as `Microsoft.A/b/x/c/y`."""
    provider, *kinds = kind.split("/")
    names = name.split("/")
    if len(kinds) != len(names):
        raise BadTemplate(f"{kind} does not fit the name {name}")
    pairs = (f"{kind}/{name}" for kind, name in zip(kinds, names, strict=True))
    return "/".join((provider, *pairs))


def _check_bounds(name: str, value: Any, declared: Mapping[str, Any]) -> None:
    size = len(value) if isinstance(value, str | list) else value
    low = declared.get("minLength", declared.get("minValue"))
    high = declared.get("maxLength", declared.get("maxValue"))
    if (low is not None and size < low) or (high is not None and size > high):
        raise BadTemplate(f"the parameter {name} is out of its bounds")
    if value not in declared.get("allowedValues", [value]):
        raise BadTemplate(f"the parameter {name} may not be {value!r}")


_MADE = {
    "Microsoft.ManagedIdentity/userAssignedIdentities": ("clientId", "principalId"),
    "Microsoft.App/managedEnvironments": ("defaultDomain",),
}
