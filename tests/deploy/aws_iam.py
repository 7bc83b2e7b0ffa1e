"""What roles of the template for AWS may do: a small evaluator of IAM's policies.

It knows what our policies use: Allow and Deny, wildcards, and conditions on the partition keys
of DynamoDB and the prefix of a listing. What it does not know, it refuses to judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from tests.deploy.aws_rules import Resources, listed, of_type

ACCOUNT, REGION, STACK = "123456789012", "us-east-1", "pt"
_PSEUDO = {
    "AWS::Partition": "aws",
    "AWS::Region": REGION,
    "AWS::AccountId": ACCOUNT,
    "AWS::StackName": STACK,
}
_NAMED = {
    "AWS::DynamoDB::Table": ("dynamodb", "table/", "TableName"),
    "AWS::SQS::Queue": ("sqs", "", "QueueName"),
    "AWS::Lambda::Function": ("lambda", "function:", "FunctionName"),
    "AWS::SNS::Topic": ("sns", "", ""),
    "AWS::KMS::Key": ("kms", "key/", ""),
    "AWS::Events::Rule": ("events", "rule/", ""),
    "AWS::IAM::Role": ("iam", "role/", ""),
}
_KEYS = {"dynamodb:LeadingKeys", "s3:prefix"}  # the conditions that are known


class Call(NamedTuple):
    """Something that is asked of AWS.

    Attributes:
        action: As roles name it.
        resource: Its ARN, or `*` where there is none.
        keys: Partition keys of DynamoDB, or the prefix of a listing.
    """

    action: str
    resource: str
    keys: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.action, self.resource, *self.keys))

    @classmethod
    def of(cls, text: str) -> Call:
        """A call as it is written."""
        action, resource, *keys = text.split(" ")
        return cls(action, resource, tuple(keys))


class Resolver:
    """Gives references of a template the names that its resources have in the stack `pt`."""

    def __init__(self, resources: Resources, parameters: Mapping[str, str]) -> None:
        self._resources, self._parameters = resources, parameters

    def text(self, value: Any) -> str:
        """A value of the template."""
        if not isinstance(value, dict):
            return str(value)
        ((kind, said),) = value.items()
        match kind:
            case "Ref":
                return self._ref(said)
            case "Fn::GetAtt":
                return self.arn(said[0]) if said[1] == "Arn" else self._ref(said[0])
            case "Fn::Sub":
                text, more = said if isinstance(said, list) else (said, {})
                return re.sub(r"\$\{([^}]+)\}", lambda m: self._named(m[1], more), text)
            case "Fn::Select":
                return self._list(said[1])[int(said[0])]
        raise NotImplementedError(kind)

    def arn(self, name: str) -> str:
        """The ARN of a resource."""
        kind = self._resources[name]["Type"]
        if kind == "AWS::S3::Bucket":
            return f"arn:aws:s3:::{name.lower()}"
        service, before, property_ = _NAMED[kind]
        told = self._resources[name].get("Properties", {}).get(property_)
        account = f"{'' if service == 'iam' else REGION}:{ACCOUNT}"
        return f"arn:aws:{service}:{account}:{before}{self.text(told) if told else name}"

    def _ref(self, name: str) -> str:
        if name in _PSEUDO:
            return _PSEUDO[name]
        if name in self._parameters:
            return self._parameters[name]
        kind = self._resources[name]["Type"]
        if kind == "AWS::SNS::Topic":
            return self.arn(name)
        if kind == "AWS::S3::Bucket":
            return name.lower()
        told = (
            self._resources[name].get("Properties", {}).get(_NAMED.get(kind, ("", "", ""))[2])
        )
        return self.text(told) if told else name

    def _named(self, name: str, more: Mapping[str, Any]) -> str:
        if name in more:
            return self.text(more[name])
        found, dot, attribute = name.partition(".")
        return self.arn(found) if dot and attribute == "Arn" else self._ref(found)

    def _list(self, value: Any) -> list[str]:
        separator, text = value["Fn::Split"]
        return self.text(text).split(separator)


def statements(resources: Resources, role: str) -> Iterator[Mapping[str, Any]]:
    """All that the policies of a role say; a managed policy may stand in a role's place."""
    own = resources[role]["Properties"]
    for policy in own.get("Policies", ()):
        yield from policy["PolicyDocument"]["Statement"]
    if resources[role]["Type"] == "AWS::IAM::ManagedPolicy":
        yield from own["PolicyDocument"]["Statement"]
    for _, policy in of_type(resources, "AWS::IAM::Policy"):
        if {"Ref": role} in policy["Roles"]:
            yield from policy["PolicyDocument"]["Statement"]


class Grant(NamedTuple):
    """One action of one statement, on one resource.

    Attributes:
        conditions: Each an operator, what it is about, and the values to compare with.
    """

    sid: str
    effect: str
    action: str
    resource: str
    conditions: tuple[tuple[str, str, tuple[str, ...]], ...]

    def covers(self, call: Call) -> bool:
        """Whether it speaks of a call."""
        return (
            _like(self.action.lower(), call.action.lower())
            and _like(self.resource, call.resource)
            and all(_holds(*condition, call) for condition in self.conditions)
        )


def grants(resources: Resources, role: str, resolver: Resolver) -> list[Grant]:
    """All that a role's policies say, one by one."""
    return [
        Grant(told["Sid"], told["Effect"], action, resolver.text(place), _conditions(told))
        for told in statements(resources, role)
        for action in listed(told["Action"])
        for place in listed(told["Resource"])
    ]


def allowed(granted: list[Grant], call: Call) -> bool:
    """Whether a role's policies allow a call: one does, and none denies it."""
    about = [each.effect for each in granted if each.covers(call)]
    return "Allow" in about and "Deny" not in about


def _conditions(told: Mapping[str, Any]) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    return tuple(
        (how, key, tuple(listed(values)))
        for how, said in told.get("Condition", {}).items()
        for key, values in said.items()
    )


def _holds(how: str, key: str, values: tuple[str, ...], call: Call) -> bool:
    """Whether a condition holds; one that is about what a call does not have does not."""
    if key not in _KEYS:
        raise NotImplementedError(f"conditions on {key}")
    every, _, test = how.rpartition(":")
    if every not in ("", "ForAllValues") or test not in ("StringLike", "StringEquals"):
        raise NotImplementedError(how)
    if not every and len(call.keys) != 1:
        return False  # an empty set is like nothing, and of several no single one is
    match = _like if test == "StringLike" else str.__eq__
    return all(any(match(each, found) for each in values) for found in call.keys)


@cache
def _pattern(form: str) -> re.Pattern[str]:
    parts = (".*" if c == "*" else "." if c == "?" else re.escape(c) for c in form)
    return re.compile("".join(parts), re.DOTALL)


def _like(form: str, text: str) -> bool:
    return _pattern(form).fullmatch(text) is not None
