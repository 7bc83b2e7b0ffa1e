"""The template of `deploy/aws`: read, and deployed into Moto as far as Moto goes.

What Moto has no part for is left out; the tests of the template look at that in the file.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pagetide.net.aws_session import open_session
from tests.parts.moto import REGION

TEMPLATE = Path(__file__).parents[2] / "deploy" / "aws" / "template.yaml"
IMAGE = "123456789012.dkr.ecr.us-east-1.amazonaws.com/pagetide-lambda:0.1.0"
# Of Moto 5.2.5.
UNKNOWN_TO_MOTO = frozenset(
    {
        "AWS::ApplicationAutoScaling::ScalableTarget",
        "AWS::ApplicationAutoScaling::ScalingPolicy",
        "AWS::CloudWatch::Alarm",
        "AWS::Lambda::EventInvokeConfig",
        "AWS::Lambda::Url",
        "AWS::S3::BucketPolicy",
        "AWS::SNS::TopicPolicy",
    }
)
NO_VALUE = {"Ref": "AWS::NoValue"}
URL = "https://abc123.lambda-url.us-east-1.on.aws/"


def template(path: Path = TEMPLATE) -> dict[str, Any]:
    """The template, its short forms written out."""
    from cfnlint.decode import cfn_yaml

    read: dict[str, Any] = json.loads(json.dumps(cfn_yaml.load(str(path))))
    return read


@dataclass(frozen=True)
class Stack:
    """A stack on Moto.

    Attributes:
        name: Its name.
        resources: Names of what was made, by their names in the template.
    """

    name: str
    endpoint: str
    resources: Mapping[str, str]

    def client(self, service: str) -> Any:
        """boto3's client of a service."""
        return client(self.endpoint, service)

    def environment(self, function: str) -> dict[str, str]:
        """What a function was given, and where its SDKs find Moto."""
        asked = self.client("lambda").get_function_configuration(
            FunctionName=self.resources[function]
        )["Environment"]["Variables"]
        given = {name: str(value) for name, value in asked.items()}
        given["PAGETIDE_BLOBS"] += f"&endpoint={self.endpoint}"
        return {**given, "AWS_ENDPOINT_URL": self.endpoint}

    def taken_sources(self) -> list[dict[str, Any]]:
        """The event source mappings; Moto heeds them no more, for it would want Docker."""
        with closing(self.client("lambda")) as asking:
            found: list[dict[str, Any]]
            found = asking.list_event_source_mappings(
                FunctionName=self.resources["ReadFunction"]
            )["EventSourceMappings"]
            for one in found:
                asking.update_event_source_mapping(UUID=one["UUID"], Enabled=False)
        return found


def client(endpoint: str, service: str) -> Any:
    """boto3's client of one of Moto's services."""
    return open_session(REGION).create_client(service, endpoint_url=endpoint)


def deploy(endpoint: str, **parameters: str) -> Stack:
    """Make a stack of the template."""
    name = f"pt-{secrets.token_hex(4)}"
    given = {"LambdaImage": IMAGE, **parameters}
    making = client(endpoint, "cloudformation")
    making.create_stack(
        StackName=name,
        TemplateBody=json.dumps(for_moto(template(), given)),
        Parameters=[
            {"ParameterKey": key, "ParameterValue": value} for key, value in given.items()
        ],
        Capabilities=["CAPABILITY_IAM"],
    )
    status = making.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]
    assert status == "CREATE_COMPLETE", status
    pages = making.get_paginator("list_stack_resources").paginate(StackName=name)
    made = [one for page in pages for one in page["StackResourceSummaries"]]
    named = {one["LogicalResourceId"]: one["PhysicalResourceId"] for one in made}
    return Stack(name, endpoint, named)


def for_moto(whole: Mapping[str, Any], parameters: Mapping[str, str]) -> dict[str, Any]:
    """The template without its conditions, and without what Moto does not know."""
    kept = {
        name: resource
        for name, resource in resources(whole, parameters).items()
        if resource["Type"] not in UNKNOWN_TO_MOTO
    }
    for one in kept.values():
        if one["Type"] == "AWS::KMS::Key":
            one["Properties"].pop("Tags", None)  # which Moto takes for KMS's own, and stumbles
    shown = {"Parameters": whole["Parameters"], "Resources": kept}
    shortened: dict[str, Any] = _replaced(shown, {"Fn::GetAtt": ["ApiUrl", "FunctionUrl"]}, URL)
    return shortened


def resources(
    whole: Mapping[str, Any], parameters: Mapping[str, str]
) -> dict[str, dict[str, Any]]:
    """The resources that there are with these parameters, and what they then say."""
    told = {name: str(one.get("Default", "")) for name, one in whole["Parameters"].items()}
    told |= parameters
    conditions = Conditions(whole["Conditions"], told)
    return {
        name: {
            key: value for key, value in conditions.chosen(one).items() if key != "Condition"
        }
        for name, one in whole["Resources"].items()
        if "Condition" not in one or conditions.holds({"Condition": one["Condition"]})
    }


class Conditions:
    """The conditions of a template with the parameters of a stack."""

    def __init__(self, conditions: Mapping[str, Any], parameters: Mapping[str, str]) -> None:
        self._conditions, self._parameters = conditions, parameters

    def holds(self, said: Mapping[str, Any]) -> bool:
        """Whether a condition holds."""
        ((kind, parts),) = said.items()
        match kind:
            case "Condition":
                return self.holds(self._conditions[parts])
            case "Fn::Not":
                return not self.holds(parts[0])
            case "Fn::And":
                return all(map(self.holds, parts))
            case "Fn::Or":
                return any(map(self.holds, parts))
        assert kind == "Fn::Equals", kind
        one, other = map(self._value, parts)
        return one == other

    def chosen(self, part: Any) -> Any:
        """A part of the template with every `Fn::If` decided, and without what has no value."""
        if isinstance(part, dict) and list(part) == ["Fn::If"]:
            name, yes, no = part["Fn::If"]
            return self.chosen(yes if self.holds({"Condition": name}) else no)
        if isinstance(part, dict):
            found = {key: self.chosen(value) for key, value in part.items()}
            return {key: value for key, value in found.items() if value != NO_VALUE}
        if isinstance(part, list):
            return [value for value in map(self.chosen, part) if value != NO_VALUE]
        return part

    def _value(self, part: Any) -> str:
        return self._parameters[part["Ref"]] if isinstance(part, dict) else str(part)


def _replaced(part: Any, old: Any, new: Any) -> Any:
    if part == old:
        return new
    if isinstance(part, dict):
        return {key: _replaced(value, old, new) for key, value in part.items()}
    if isinstance(part, list):
        return [_replaced(value, old, new) for value in part]
    return part
