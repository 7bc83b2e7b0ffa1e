"""What the template for AWS must hold to, beyond what cfn-lint looks at."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pagetide.client.requests import SUBMIT_S
from pagetide.server.queues.cloud import MOST_RECEIVED
from pagetide.server.queues.sqs.service import RETENTION_S
from pagetide.server.stores.dynamodb.shape import GONE_AT, definition
from pagetide.settings import Settings

Resources = Mapping[str, Mapping[str, Any]]
API = "pagetide.server.aws_lambda.api.handle"

# These take no tags.
BARE = {
    "AWS::ApplicationAutoScaling::ScalableTarget",
    "AWS::ApplicationAutoScaling::ScalingPolicy",
    "AWS::IAM::ManagedPolicy",
    "AWS::IAM::Policy",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::Lambda::Permission",
    "AWS::Lambda::Url",
    "AWS::S3::BucketPolicy",
    "AWS::SNS::Subscription",
    "AWS::SNS::TopicPolicy",
}
# What is of other programs, in a function's environment.
OTHERS = {"AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID"}
_POLICIES = ("DeletionPolicy", "UpdateReplacePolicy")
# Actions of which no resource can be named.
NAMELESS = {
    "cloudwatch:GetMetricStatistics",
    "cloudwatch:PutMetricData",
    "ecr:GetAuthorizationToken",
}


def complaints(resources: Resources) -> list[str]:
    """What is wrong with the resources of a stack, each as a sentence."""
    return [said for rule in RULES for said in rule(resources)]


def of_type(resources: Resources, kind: str) -> Iterator[tuple[str, Any]]:
    """Names and properties of all resources of a type."""
    for name, one in resources.items():
        if one["Type"] == kind:
            yield name, one.get("Properties", {})


def _tags(resources: Resources) -> Iterator[str]:
    for name, one in resources.items():
        tags = one.get("Properties", {}).get("Tags")
        if one["Type"] not in BARE and not _is_cost_tag(tags):
            yield f"{name} has no tag `cost`."


def _is_cost_tag(tags: Any) -> bool:
    pairs = (
        [{"Key": key, "Value": value} for key, value in tags.items()]
        if (isinstance(tags, dict))
        else (tags or [])
    )
    return {"Key": "cost", "Value": {"Ref": "CostTag"}} in pairs


def _privileges(resources: Resources) -> Iterator[str]:
    for name, policy in _policies(resources):
        for statement in policy["Statement"]:
            actions, places = listed(statement["Action"]), listed(statement["Resource"])
            if "*" in str(actions) or "NotAction" in statement:
                yield f"{name} allows more actions than it names."
            if "*" in places and not set(actions) <= NAMELESS:
                yield f"{name} names no resource for {actions[0]}."


def _policies(resources: Resources) -> Iterator[tuple[str, Any]]:
    for name, role in of_type(resources, "AWS::IAM::Role"):
        if role.get("ManagedPolicyArns"):
            yield name, {"Statement": [{"Action": "*", "Resource": "*"}]}
        for policy in role.get("Policies", ()):
            yield name, policy["PolicyDocument"]
    for kind in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"):
        for name, policy in of_type(resources, kind):
            yield name, policy["PolicyDocument"]


def listed(value: Any) -> list[Any]:
    """A list as it is, and a single thing as a list."""
    return value if isinstance(value, list) else [value]


def _roles(resources: Resources) -> Iterator[str]:
    roles = [str(one["Role"]) for _, one in of_type(resources, "AWS::Lambda::Function")]
    if len(set(roles)) < len(roles):
        yield "Two functions share a role."


def _logs(resources: Resources) -> Iterator[str]:
    named = {}
    for name, group in of_type(resources, "AWS::Logs::LogGroup"):
        named[str(group.get("LogGroupName"))] = name
        if "RetentionInDays" not in group:
            yield f"{name} keeps logs for ever."
    for name, function in of_type(resources, "AWS::Lambda::Function"):
        wanted = function["FunctionName"]["Fn::Sub"]
        if str({"Fn::Sub": f"/aws/lambda/{wanted}"}) not in named:
            yield f"{name} has no log group of its own, and its logs are kept for ever."


def _buckets(resources: Resources) -> Iterator[str]:
    barred = {
        bucket["Bucket"]["Ref"] for _, bucket in of_type(resources, "AWS::S3::BucketPolicy")
    }
    for name, bucket in of_type(resources, "AWS::S3::Bucket"):
        blocks = bucket.get("PublicAccessBlockConfiguration", {})
        if list(blocks.values()) != [True] * 4:
            yield f"{name} may become public."
        if "BucketEncryption" not in bucket or name not in barred:
            yield f"{name} is not encrypted, at rest or on the way."
        if "LifecycleConfiguration" not in bucket or "VersioningConfiguration" in bucket:
            yield f"{name} keeps what should be gone."


def _queues(resources: Resources) -> Iterator[str]:
    longest = max(
        [one["Timeout"] for _, one in of_type(resources, "AWS::Lambda::Function")], default=0
    )
    for name, queue in of_type(resources, "AWS::SQS::Queue"):
        if not (queue.get("SqsManagedSseEnabled") or queue.get("KmsMasterKeyId")):
            yield f"{name} is not encrypted."
        redrive = queue.get("RedrivePolicy")
        if redrive is None:
            if queue.get("MessageRetentionPeriod") != RETENTION_S:
                yield f"{name} has no dead letters, and does not keep its own long enough."
        elif redrive["maxReceiveCount"] != MOST_RECEIVED:
            yield f"{name} gives up after another number of tries than the queue's own code."
        elif queue.get("VisibilityTimeout", 30) < 6 * longest:
            yield f"{name} hides a message for less than six times a function's time."


def _sources(resources: Resources) -> Iterator[str]:
    heard = set()
    for name, source in of_type(resources, "AWS::Lambda::EventSourceMapping"):
        heard.add(source["EventSourceArn"]["Fn::GetAtt"][0])
        if source.get("BatchSize") != 1:
            yield f"{name} hands over more than one task at once."
        if source.get("FunctionResponseTypes") != ["ReportBatchItemFailures"]:
            yield f"{name} does not listen to which messages are not done."
        if "MaximumConcurrency" not in source.get("ScalingConfig", {}):
            yield f"{name} has no limit, so that what is throttled becomes a dead letter."
    queues = {
        name for name, one in of_type(resources, "AWS::SQS::Queue") if "RedrivePolicy" in one
    }
    if heard != queues:
        yield f"Nobody hears {queues - heard}."


def _alarms(resources: Resources) -> Iterator[str]:
    watched = set()
    for name, alarm in of_type(resources, "AWS::CloudWatch::Alarm"):
        if not alarm.get("AlarmActions"):
            yield f"{name} tells nobody."
        watched |= {str(one["Value"]) for one in alarm.get("Dimensions", ())}
    for name, queue in of_type(resources, "AWS::SQS::Queue"):
        dead = "RedrivePolicy" not in queue
        if dead and str({"Fn::GetAtt": [name, "QueueName"]}) not in watched:
            yield f"No alarm watches {name}."


def _tables(resources: Resources) -> Iterator[str]:
    for name, table in of_type(resources, "AWS::DynamoDB::Table"):
        for part, value in definition("any").items():
            if part != "TableName" and table.get(part) != value:
                yield f"{name} has another {part} than the store's table."
        if table.get("TimeToLiveSpecification") != {"AttributeName": GONE_AT, "Enabled": True}:
            yield f"{name} does not forget."
        recovery = table.get("PointInTimeRecoverySpecification", {})
        if recovery.get("PointInTimeRecoveryEnabled") is not True:
            yield f"{name} has no backup."


def _functions(resources: Resources) -> Iterator[str]:
    known = {one.variable for one in Settings.known().values()} | OTHERS
    for name, function in of_type(resources, "AWS::Lambda::Function"):
        given = function["Environment"]["Variables"]
        for variable in sorted(given.keys() - known):
            yield f"{name} is given {variable}, which is no setting."
        (command,) = function["ImageConfig"]["Command"]
        if not _is_there(command):
            yield f"{name} runs what is not there."
        if command == API and function["Timeout"] < SUBMIT_S:
            yield f"{name} is killed while it fetches a document."


def _is_there(command: str) -> bool:
    module, _, function = command.rpartition(".")
    try:
        return callable(getattr(importlib.import_module(module), function))
    except (ImportError, AttributeError):
        return False


def _kept(resources: Resources) -> Iterator[str]:
    for kind in ("AWS::S3::Bucket", "AWS::DynamoDB::Table", "AWS::KMS::Key"):
        for name, _ in of_type(resources, kind):
            deleted, replaced = (resources[name].get(policy) for policy in _POLICIES)
            if deleted == "Retain":
                yield f"{name} outlives a first deployment that fails, and stops the second."
            if (deleted, replaced) != ("RetainExceptOnCreate", "Retain"):
                yield f"{name} goes with the stack, and what is in it."


RULES: tuple[Callable[[Resources], Iterator[str]], ...] = (
    _tags,
    _privileges,
    _roles,
    _logs,
    _buckets,
    _queues,
    _sources,
    _alarms,
    _tables,
    _functions,
    _kept,
)
