"""Roles of the template for AWS against what is asked by those that have them.

What our programs ask was recorded (`tests.parts.aws_recorded`); what AWS itself asks in a
role's name follows from the template. Roles must allow both, and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.deploy.aws_iam import ACCOUNT, REGION, Call, Grant, Resolver, allowed, grants
from tests.deploy.aws_rules import Resources, listed, of_type
from tests.parts.cloudformation import resources, template

CALLS = Path(__file__).with_name("aws_calls.json")
_LAMBDA, _SAGEMAKER = "lambda.amazonaws.com", "sagemaker.amazonaws.com"
_READS = {"s3:GetObject", "sqs:ReceiveMessage", "dynamodb:GetItem", "dynamodb:Query"}
_READS |= {"dynamodb:BatchGetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"}
_READS |= {"dynamodb:ConditionCheckItem"}
_WRITES = {"s3:PutObject", "sqs:SendMessage", "sns:Publish"}

# What no run can be made to ask, by role and action.
SELDOM: Mapping[tuple[str, str], str] = {
    ("ApiRole", "s3:AbortMultipartUpload"): "an upload that breaks off in the middle",
    ("ReadRole", "s3:AbortMultipartUpload"): "a result that breaks off in the middle",
    ("SweepRole", "dynamodb:UpdateItem"): "a key with limits, whose page is given up",
    ("GpuDoneRole", "dynamodb:UpdateItem"): "a key with limits, whose page is given up",
    ("GpuRole", "s3:AbortMultipartUpload"): "a result that breaks off in the middle",
    ("ReadRole", "s3:DeleteObject"): "a job that is erased just as its result is put together",
    ("GpuRole", "s3:DeleteObject"): "a job that is erased just as its result is put together",
    ("GpuRole", "sagemaker:UpdateEndpointWeightsAndCapacities"): (
        "the endpoint is put to sleep just as one of its containers has work to hand on"
    ),
}

GPU = {
    "GpuImage": "123456789012.dkr.ecr.us-east-1.amazonaws.com/pagetide-worker-sagemaker:1",
    "GpuMirror": "s3://mirror/networks",
}
KEY = {"OwnKey": "yes"}
TWO_CLOUDS = {"Shape": "two-clouds", "AzureSecret": "azure"}
# Parameters, and what was recorded with such.
SHAPES: Mapping[str, tuple[Mapping[str, str], tuple[str, ...]]] = {
    "aws": ({}, ("aws",)),
    "aws with a GPU": (GPU, ("aws", "aws with a GPU")),
    "aws with a key": ({**GPU, **KEY}, ("aws", "aws with a GPU")),
    "two-clouds": (TWO_CLOUDS, ("two-clouds",)),
    "two-clouds with a key": ({**TWO_CLOUDS, **KEY}, ("two-clouds",)),
}


def recorded(*shapes: str) -> dict[str, set[Call]]:
    """What each part asks in these shapes of the template."""
    told = json.loads(CALLS.read_text())
    found: dict[str, set[Call]] = {}
    for shape in shapes:
        for part, calls in told[shape].items():
            found.setdefault(part, set()).update(map(Call.of, calls))
    return found


class Roles:
    """The roles of a stack, and what is asked in their names.

    Args:
        whole: The template.
        given: The parameters of the stack.
        calls: Of each part, as recorded.

    Attributes:
        told: The template's parameters.
        needed: By role, what is asked.
        granted: By role, what its policies say.
    """

    def __init__(
        self,
        whole: Mapping[str, Any],
        given: Mapping[str, str],
        calls: Mapping[str, set[Call]],
    ) -> None:
        self.told, self.resources = whole["Parameters"], resources(whole, given)
        usual = {name: str(one.get("Default", "")) for name, one in self.told.items()}
        self._parameters = {**usual, **given}
        self.resolver = Resolver(self.resources, self._parameters)
        self.needed: dict[str, set[Call]] = {role: set() for role in self._roles()}
        for part, asked in calls.items():
            if part in self.parts:
                self.needed[self.parts[part]] |= asked
        for role, call in (*self._of_functions(), *self._of_endpoints()):
            self.needed[role].add(call)
        for asked in self.needed.values():
            asked |= set(self._of_keys(asked))
        self.granted = {
            role: grants(self.resources, role, self.resolver) for role in self.needed
        }

    @property
    def parts(self) -> dict[str, str]:
        """Whose role is which."""
        found = {name: name for name, _ in of_type(self.resources, "AWS::IAM::ManagedPolicy")}
        for name, one in of_type(self.resources, "AWS::Lambda::Function"):
            found[name] = one["Role"]["Fn::GetAtt"][0]
        for name, one in of_type(self.resources, "AWS::SageMaker::Model"):
            found[name] = one["ExecutionRoleArn"]["Fn::GetAtt"][0]
        return found

    def parameter(self, name: str, what: str) -> Any:
        """What the template says of a parameter."""
        return self.told[name][what]

    def refused(self) -> Iterator[str]:
        """What is asked and not allowed."""
        for role, asked in self.needed.items():
            for call in sorted(asked):
                if not allowed(self.granted[role], call):
                    yield f"{role} does not allow {call}."

    def unneeded(self) -> Iterator[tuple[str, Grant]]:
        """What is allowed and not asked."""
        for role, granted in self.granted.items():
            for grant in granted:
                if not any(grant.covers(call) for call in self.needed[role]):
                    yield role, grant

    def _roles(self) -> list[str]:
        kinds = ("AWS::IAM::Role", "AWS::IAM::ManagedPolicy")
        return [name for kind in kinds for name, _ in of_type(self.resources, kind)]

    def _of_functions(self) -> Iterator[tuple[str, Call]]:
        """Their logs, and the queues that Lambda polls in their names."""
        for name, one in of_type(self.resources, "AWS::Lambda::Function"):
            group = f"/aws/lambda/{self.resolver.text(one['FunctionName'])}"
            yield from _logging(self.parts[name], group, "CreateLogStream", "PutLogEvents")
        for _, one in of_type(self.resources, "AWS::Lambda::EventSourceMapping"):
            role = self.parts[one["FunctionName"]["Ref"]]
            for action in ("DeleteMessage", "GetQueueAttributes", "ReceiveMessage"):
                queue = self.resolver.text(one["EventSourceArn"])
                yield role, Call(f"sqs:{action}", queue)

    def _of_endpoints(self) -> Iterator[tuple[str, Call]]:
        """An endpoint's image, logs and measures; what it is sent, and what it answers."""
        for name, _ in of_type(self.resources, "AWS::SageMaker::Model"):
            role = self.parts[name]
            yield role, Call("cloudwatch:PutMetricData", "*")
            yield from ((role, call) for call in _image(self._parameters["GpuImage"]))
            for _, one in of_type(self.resources, "AWS::SageMaker::Endpoint"):
                group = f"/aws/sagemaker/Endpoints/{self.resolver.text(one['EndpointName'])}"
                streams = ("CreateLogStream", "DescribeLogStreams", "PutLogEvents")
                yield from _logging(role, group, *streams)
            for asked in self.needed.values():
                for call in asked:
                    if call.action == "s3:PutObject" and "/wakes/" in call.resource:
                        yield role, call._replace(action="s3:GetObject")
            for call in self.answers:
                yield role, call
                yield role, Call("s3:ListBucket", call.resource.partition("/")[0])
            for _, one in of_type(self.resources, "AWS::SageMaker::EndpointConfig"):
                told = one["AsyncInferenceConfig"]["OutputConfig"]["NotificationConfig"]
                for topic in told.values():
                    yield role, Call("sns:Publish", self.resolver.text(topic))

    @property
    def answers(self) -> Iterator[Call]:
        """Where an endpoint puts what its container answered."""
        for _, one in of_type(self.resources, "AWS::SageMaker::EndpointConfig"):
            told = one["AsyncInferenceConfig"]["OutputConfig"]
            for path in (told["S3OutputPath"], told["S3FailurePath"]):
                place = self.resolver.text(path).replace("s3://", "arn:aws:s3:::")
                yield Call("s3:PutObject", f"{place}/*.out")

    def _of_keys(self, asked: set[Call]) -> Iterator[Call]:
        """What the key of the stack is used for, by who asks for what it encrypts."""
        encrypted = dict(self._encrypted())
        for call in tuple(asked):
            key = encrypted.get(re.split(r"/(?!pt-jobs)", call.resource)[0])
            if key and call.action in _READS | _WRITES:
                yield Call("kms:Decrypt", key)
            if key and call.action in _WRITES:
                yield Call("kms:GenerateDataKey", key)

    def _encrypted(self) -> Iterator[tuple[str, str]]:
        """What is encrypted with a key of ours, and with which."""
        for name, one in self.resources.items():
            told = one.get("Properties", {})
            for inner in ("BucketEncryption", "SSESpecification"):
                told = {**told, **_flat(told.get(inner, {}))}
            keys = [value for key, value in told.items() if key.lower() == "kmsmasterkeyid"]
            if keys and one["Type"].split("::")[1] in ("S3", "SQS", "SNS", "DynamoDB"):
                yield self.resolver.arn(name), self.resolver.text(keys[0])


def of_shape(shape: str, calls: Mapping[str, set[Call]]) -> Roles:
    """The roles of a stack of this shape, in which this is asked."""
    return Roles(template(), SHAPES[shape][0], calls)


def _flat(told: Any) -> dict[str, Any]:
    if isinstance(told, list):
        return {k: v for each in told for k, v in _flat(each).items()}
    found = {}
    for key, value in told.items() if isinstance(told, dict) else ():
        found[key] = value
        if not key.lower().startswith("kms"):
            found |= _flat(value)
    return found


def _logging(role: str, group: str, *actions: str) -> Iterator[tuple[str, Call]]:
    place = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:{group}:log-stream:*"
    for action in actions:
        yield role, Call(f"logs:{action}", place)


def _image(uri: str) -> Iterator[Call]:
    yield Call("ecr:GetAuthorizationToken", "*")
    name = uri.partition("/")[2].partition(":")[0]
    place = f"arn:aws:ecr:{REGION}:{ACCOUNT}:repository/{name}"
    for action in ("BatchCheckLayerAvailability", "BatchGetImage", "GetDownloadUrlForLayer"):
        yield Call(f"ecr:{action}", place)


class Entry(NamedTuple):
    """Who may call a function of ours, and what for."""

    function: str
    action: str
    principal: str
    source: str = ""
    account: str = ""
    more: str = ""


def entries_needed(of: Resources, resolver: Resolver) -> Iterator[Entry]:
    """Whom functions must let in, as the template sends them."""
    functions = {resolver.arn(n): n for n, _ in of_type(of, "AWS::Lambda::Function")}
    invoke = "lambda:InvokeFunction"
    for name, rule in of_type(of, "AWS::Events::Rule"):
        for target in rule["Targets"]:
            function = functions[resolver.text(target["Arn"])]
            yield Entry(function, invoke, "events.amazonaws.com", resolver.arn(name))
    for name, topic in of_type(of, "AWS::SNS::Topic"):
        for one in topic.get("Subscription", ()):
            if one["Protocol"] == "lambda":
                function = functions[resolver.text(one["Endpoint"])]
                yield Entry(function, invoke, "sns.amazonaws.com", resolver.arn(name))
    for _, alarm in of_type(of, "AWS::CloudWatch::Alarm"):
        for action in map(resolver.text, listed(alarm["AlarmActions"])):
            if action in functions:
                named = resolver.text(alarm["AlarmName"])
                place = f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:{named}"
                who = "lambda.alarms.cloudwatch.amazonaws.com"
                yield Entry(functions[action], invoke, who, place, ACCOUNT)
    for _, url in of_type(of, "AWS::Lambda::Url"):
        function = functions[resolver.text(url["TargetFunctionArn"])]
        yield Entry(function, "lambda:InvokeFunctionUrl", "*", more=f"Url {url['AuthType']}")
        yield Entry(function, invoke, "*", more="ViaUrl")


def entries_given(of: Resources, resolver: Resolver) -> Iterator[Entry]:
    """Whom functions let in."""
    functions = {resolver.arn(n): n for n, _ in of_type(of, "AWS::Lambda::Function")}
    for _, one in of_type(of, "AWS::Lambda::Permission"):
        more = "ViaUrl" if one.get("InvokedViaFunctionUrl") else ""
        if "FunctionUrlAuthType" in one:
            more = f"Url {one['FunctionUrlAuthType']}"
        yield Entry(
            functions[resolver.text(one["FunctionName"])],
            one["Action"],
            one["Principal"],
            resolver.text(one.get("SourceArn", "")),
            resolver.text(one.get("SourceAccount", "")),
            more,
        )


def trusted(roles: Roles) -> Iterator[str]:
    """Each role is taken by the one service that runs its part, and by nobody else."""
    for part, role in roles.parts.items():
        if part == role:
            continue
        function = roles.resources[part]["Type"] == "AWS::Lambda::Function"
        wanted = {"Service": _LAMBDA if function else _SAGEMAKER}
        told = roles.resources[role]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
        if [one["Principal"] for one in told] != [wanted]:
            yield f"{role} may be taken by others than {wanted['Service']}."
