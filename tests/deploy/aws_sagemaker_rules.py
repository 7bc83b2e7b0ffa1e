"""What the SageMaker part of the template for AWS must hold to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from pagetide.server.aws_lambda.endpoint_size import IDLE_S
from pagetide.server.queues.sagemaker.address import PORT, VARIANT, parse_address
from pagetide.settings import Settings
from tests.deploy.aws_rules import Resources, listed, of_type

MOST_AT_ONCE = 4  # invocations of an instance, and tasks of a worker
KILLED_S = 30  # after SIGTERM, whatever the container still does
ENDPOINT = {"Fn::GetAtt": ["GpuEndpoint", "EndpointName"]}


def complaints(resources: Resources) -> list[str]:
    """What is wrong with the SageMaker part of a stack, each as a sentence."""
    return [said for rule in RULES for said in rule(resources)]


def _only(resources: Resources, kind: str) -> Any:
    ((_, found),) = of_type(resources, kind)
    return found


def _at_once(resources: Resources) -> Iterator[str]:
    config = _only(resources, "AWS::SageMaker::EndpointConfig")
    client = config["AsyncInferenceConfig"].get("ClientConfig", {})
    handed = client.get("MaxConcurrentInvocationsPerInstance")
    held = _container(resources).get("PAGETIDE_CONCURRENCY")
    if (handed, held) != (MOST_AT_ONCE, str(MOST_AT_ONCE)):
        yield f"SageMaker hands over {handed} at once, the worker holds {held}."


def _container(resources: Resources) -> Any:
    return _only(resources, "AWS::SageMaker::Model")["PrimaryContainer"]["Environment"]


def _container_settings(resources: Resources) -> Iterator[str]:
    given = _container(resources)
    known = {one.variable for one in Settings.known().values()} | {"AWS_REGION"}
    for variable in sorted(given.keys() - known):
        yield f"The container is given {variable}, which is no setting."
    if int(given.get("PAGETIDE_RECYCLE_PAGES", 5000)) < 1_000_000:
        yield "The container leaves when it has read much, and is taken for broken."
    drain_s = float(given.get("PAGETIDE_DRAIN_S", "inf"))
    if drain_s >= KILLED_S:
        yield f"The container drains for {drain_s:g} s, and is killed after {KILLED_S} s."


def _variant(resources: Resources) -> Iterator[str]:
    config = _only(resources, "AWS::SageMaker::EndpointConfig")
    (variant,) = config["ProductionVariants"]
    target = _only(resources, "AWS::ApplicationAutoScaling::ScalableTarget")
    if variant["VariantName"] != VARIANT or not _text(target["ResourceId"]).endswith(VARIANT):
        yield "The variant is not the one that the queue wakes."
    if target["MinCapacity"] != 0:
        yield "The endpoint never rests."


def _queues(resources: Resources) -> Iterator[str]:
    endpoint = _text(_only(resources, "AWS::SageMaker::Endpoint")["EndpointName"])
    for name, url in _urls(resources):
        address = parse_address(url)
        if address.name("gpu") != endpoint.replace("${AWS::StackName}", "stack"):
            yield f"{name} is sent to another endpoint."
        if address.port != PORT:
            yield f"{name} is asked at another port than SageMaker asks."


def _urls(resources: Resources) -> Iterator[tuple[str, str]]:
    """Whose queue is on SageMaker, and its URL with names in place of references."""
    given = [
        (name, one["Environment"]["Variables"].get("PAGETIDE_QUEUES", ""))
        for name, one in of_type(resources, "AWS::Lambda::Function")
    ]
    known = {"${AWS::Region}": "eu-central-1", "${AWS::StackName}": "stack", "${Wakes}": "wks"}

    def named(value: Any) -> str:
        return re.sub(r"\$\{[^}]*\}", lambda found: known[found[0]], _text(value))

    for name, value in given:
        yield name, Settings.from_environment({"PAGETIDE_QUEUES": named(value)}).queues["gpu"]
    yield "The container", named(_container(resources)["PAGETIDE_QUEUE"])


def _text(value: Any) -> str:
    return str(value.get("Fn::Sub", "")) if isinstance(value, dict) else str(value)


def _notes(resources: Resources) -> Iterator[str]:
    config = _only(resources, "AWS::SageMaker::EndpointConfig")
    told = config["AsyncInferenceConfig"]["OutputConfig"].get("NotificationConfig", {})
    for how in ("SuccessTopic", "ErrorTopic"):
        topic = told.get(how, {}).get("Ref", "")
        heard = resources.get(topic, {}).get("Properties", {}).get("Subscription", ())
        if "GpuDoneFunction" not in str(heard):
            yield f"Nobody hears the {how}."
        if not any(
            one.get("SourceArn") == {"Ref": topic}
            for _, one in of_type(resources, "AWS::Lambda::Permission")
        ):
            yield f"The {how} may not call the function."


def _alarms(resources: Resources) -> Iterator[str]:
    alarms = dict(of_type(resources, "AWS::CloudWatch::Alarm"))
    idle, stuck = alarms["GpuIdleAlarm"], alarms["GpuWaitedForAlarm"]
    wanted = ("ApproximateBacklogSize", 60, 10, 0.1, "LessThanThreshold", "breaching")
    if _asked(idle) != wanted or "GpuScaleInFunction" not in str(idle["AlarmActions"]):
        yield "The alarm of an idle endpoint is not ten minutes under 0.1."
    if idle["Period"] * idle["EvaluationPeriods"] != IDLE_S:
        yield "The alarm waits for another time than the reaper."
    if stuck["MetricName"] != "HasBacklogWithoutCapacity" or stuck["Threshold"] != 1:
        yield "No alarm sees work without an instance."
    if stuck["AlarmActions"] != [{"Ref": "GpuScaleOut"}]:
        yield "Work without an instance scales nothing out."
    for name in ("GpuIdleAlarm", "GpuWaitedForAlarm"):
        if alarms[name]["Dimensions"] != [{"Name": "EndpointName", "Value": ENDPOINT}]:
            yield f"{name} looks at another endpoint."


def _asked(alarm: Any) -> tuple[Any, ...]:
    how = ("MetricName", "Period", "EvaluationPeriods", "Threshold", "ComparisonOperator")
    return tuple(alarm.get(name) for name in (*how, "TreatMissingData"))


def _told(resources: Resources) -> Iterator[str]:
    """Somebody is told of work that gets no instance, and of sizes that nobody looks after."""
    alarms = dict(of_type(resources, "AWS::CloudWatch::Alarm"))
    reaper = {"Name": "FunctionName", "Value": {"Ref": "GpuReaperFunction"}}
    for name, metric, dimension in (
        (
            "GpuStuckAlarm",
            "HasBacklogWithoutCapacity",
            {"Name": "EndpointName", "Value": ENDPOINT},
        ),
        ("GpuReaperErrorsAlarm", "Errors", reaper),
    ):
        alarm = alarms.get(name, {})
        seen = alarm.get("MetricName"), alarm.get("Dimensions"), alarm.get("AlarmActions")
        if seen != (metric, [dimension], [{"Ref": "Alerts"}]):
            yield f"Nobody is told by {name}."
    (variant,) = _only(resources, "AWS::SageMaker::EndpointConfig")["ProductionVariants"]
    stuck = alarms.get("GpuStuckAlarm", {"Period": 0, "EvaluationPeriods": 0})
    start_s = variant["ContainerStartupHealthCheckTimeoutInSeconds"]
    if stuck["Period"] * stuck["EvaluationPeriods"] <= start_s:
        yield "A container that is being started is an alarm."


def _documents(resources: Resources) -> Iterator[str]:
    """S3 says that a key is missing, and not forbidden, to who may list without condition."""
    for policy in resources["GpuRole"]["Properties"]["Policies"]:
        for statement in policy["PolicyDocument"]["Statement"]:
            if "s3:ListBucket" in listed(statement["Action"]) and "Condition" in statement:
                yield "A page that is missing seems forbidden to the container."


def _provisioned(resources: Resources) -> Iterator[str]:
    """The container fetches what its models need."""
    given = _container(resources)
    for name in ("PAGETIDE_PULL", "PAGETIDE_TRUST_FIRST_USE"):
        if given.get(name) != "yes":
            yield f"The container starts without its models: {name}."
    if "AWS_REGION" not in given:
        yield "The container does not know in which region its mirror is."
    if given.get("PAGETIDE_LANGUAGES") != _languages(resources):
        yield "The API takes other languages than the container fetches."


def _languages(resources: Resources) -> object:
    api = resources["ApiFunction"]["Properties"]["Environment"]["Variables"]
    return api.get("PAGETIDE_LANGUAGES")


def _sizes(resources: Resources) -> Iterator[str]:
    rules = dict(of_type(resources, "AWS::Events::Rule"))
    reaper = rules.get("GpuReaperIsCalled", {})
    if reaper.get("ScheduleExpression") != "rate(5 minutes)":
        yield "The reaper does not come every five minutes."
    for name, policy in of_type(resources, "AWS::ApplicationAutoScaling::ScalingPolicy"):
        tracking = policy.get("TargetTrackingScalingPolicyConfiguration")
        if tracking is not None and tracking.get("DisableScaleIn") is not True:
            yield f"{name} takes instances away from what is being read."
        steps = policy.get("StepScalingPolicyConfiguration")
        if steps is not None and _step(steps) != ("ExactCapacity", [1]):
            yield f"{name} does not go from none to one."


def _step(said: Any) -> tuple[Any, list[Any]]:
    adjustments = [step["ScalingAdjustment"] for step in said["StepAdjustments"]]
    return said["AdjustmentType"], adjustments


def _privileges(resources: Resources) -> Iterator[str]:
    """Who only looks after the size may neither send work nor read any."""
    for name, policy in of_type(resources, "AWS::IAM::Policy"):
        sized = {"GpuScaleInRole", "GpuReaperRole"} & {
            one.get("Ref") for one in policy["Roles"]
        }
        allowed = str(policy["PolicyDocument"])
        if sized and ("Invoke" in allowed or "s3:" in allowed):
            yield f"{name} allows the looking after sizes too much."


RULES: tuple[Callable[[Resources], Iterator[str]], ...] = (
    _at_once,
    _container_settings,
    _variant,
    _queues,
    _notes,
    _alarms,
    _told,
    _documents,
    _provisioned,
    _sizes,
    _privileges,
)
