"""What the parts of the template for AWS say of the same thing, and whether they agree.

A message is hidden for as long as its function may take, a function has room for what the
settings let in, and every place that a setting names is one that the roles are about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pagetide.server.aws_lambda import sweep
from pagetide.server.aws_lambda.webhooks import BRIEF_S
from pagetide.server.jobs.job import URGENCIES
from pagetide.server.queues.cloud import parse_address
from pagetide.settings import Settings
from tests.deploy.aws_roles import Roles
from tests.deploy.aws_rules import of_type

MIB = 1 << 20
PROGRAM_MB = (
    600  # what a process of ours takes beside the sandbox, in which documents are opened
)
HIDDEN = 6  # times as long as a function may take, as Lambda wants it
# What a part has of its own: the API does not know its URL before it is made.
OWN = {"PAGETIDE_PUBLIC_URL"}
OPENING = {
    "pagetide.server.aws_lambda.api.handle",
    "pagetide.server.aws_lambda.read_tasks.handle",
}
CALLING = {
    "pagetide.server.aws_lambda.read_tasks.handle",
    "pagetide.server.aws_lambda.sagemaker_done.handle",
}


def complaints(roles: Roles) -> list[str]:
    """What does not agree, each as a sentence."""
    return [said for rule in RULES for said in rule(roles)]


def environments(roles: Roles) -> Iterator[tuple[str, dict[str, str]]]:
    """What functions and the container are given."""
    for name, one in of_type(roles.resources, "AWS::Lambda::Function"):
        yield name, _texts(roles, one["Environment"]["Variables"])
    yield from _containers(roles)


def _containers(roles: Roles) -> Iterator[tuple[str, dict[str, str]]]:
    for name, one in of_type(roles.resources, "AWS::SageMaker::Model"):
        yield name, _texts(roles, one["PrimaryContainer"]["Environment"])


def _texts(roles: Roles, told: Mapping[str, Any]) -> dict[str, str]:
    known = {k: v for k, v in told.items() if v != {"Fn::GetAtt": ["ApiUrl", "FunctionUrl"]}}
    return {name: roles.resolver.text(value) for name, value in known.items()}


def same_settings(roles: Roles) -> Iterator[str]:
    """A setting has the same value wherever it stands; the container's pools are among all."""
    seen: dict[str, tuple[str, str]] = {}
    containers = {name for name, _ in _containers(roles)}
    for part, given in environments(roles):
        for variable, value in given.items():
            apart = part in containers and variable in ("PAGETIDE_QUEUE", "PAGETIDE_POOLS")
            if variable in OWN or apart:
                continue
            first, known = seen.setdefault(variable, (part, value))
            if known != value:
                yield f"{part} has {variable} {value}, and {first} has {known}."
    for part, given in _containers(roles):
        named = pools_of(seen["PAGETIDE_POOLS"][1])
        if not pools_of(given["PAGETIDE_POOLS"]).items() <= named.items():
            yield f"{part} reads for {given['PAGETIDE_POOLS']}, which nobody sends work to."


def pools_of(value: str) -> Mapping[str, tuple[str, ...]]:
    """The pools that a value of PAGETIDE_POOLS names, with their models."""
    return Settings.from_environment({"PAGETIDE_POOLS": value}).pools


def places(roles: Roles) -> Iterator[str]:
    """Each place that a setting names is one that somebody was seen to use."""
    used = {call.resource for asked in roles.needed.values() for call in asked}
    for part, given in environments(roles):
        for place in _places(given):
            if not any(one == place or one.startswith(f"{place}/") for one in used):
                yield f"{part} is sent to {place}, where nobody has been."


def _places(given: Mapping[str, str]) -> Iterator[str]:
    settings = Settings.from_environment(
        {k: v for k, v in given.items() if k in ("PAGETIDE_POOLS", "PAGETIDE_QUEUES")}
    )
    for variable in ("PAGETIDE_STORE", "PAGETIDE_BLOBS", "PAGETIDE_QUEUE"):
        yield from _place(given.get(variable, ""), settings)
    for url in (*settings.queues.values(), given.get("PAGETIDE_MODELS_MIRROR", "")):
        yield from _place(url, settings)


def _place(url: str, settings: Settings) -> Iterator[str]:
    parts, account = urlsplit(url), "us-east-1:123456789012"
    match parts.scheme:
        case "s3":
            yield f"arn:aws:s3:::{parts.netloc}{parts.path}"
        case "dynamodb":
            yield f"arn:aws:dynamodb:{account}:table{parts.path}"
        case "sagemaker":
            endpoint, _, prefix = parts.path[1:].partition("/")
            yield f"arn:aws:sagemaker:{account}:endpoint/{endpoint}"
            yield f"arn:aws:s3:::{parse_qs(parts.query)['bucket'][0]}/{prefix}"
        case "sqs":
            pools = set(settings.pools) - set(settings.queues)
            for pool in pools:
                for urgency in URGENCIES:
                    yield f"arn:aws:sqs:{account}:{parts.path[1:]}-{pool}-{urgency}"


def no_further(roles: Roles) -> Iterator[str]:
    """A role reaches no object but those below the places that its part is told of."""
    told = {part: set(_places(given)) for part, given in environments(roles)}
    answers = {call.resource.rpartition("/")[0] for call in roles.answers}
    for role, granted in roles.granted.items():
        own = {
            place
            for part, of in roles.parts.items()
            for place in told.get(part, ())
            if of == role
        }
        for place in {one.resource.partition("*")[0] for one in granted if "/" in one.resource}:
            known = (own or set().union(*told.values())) | answers
            if place.startswith("arn:aws:s3:") and not place.startswith(
                tuple(f"{k}/" for k in known)
            ):
                yield f"{role} reaches {place}, which its part is not told of."


def dead_letters(roles: Roles) -> Iterator[str]:
    """What nobody could hear goes to the queue that the program itself puts things away in."""
    queues = dict(of_type(roles.resources, "AWS::SQS::Queue"))
    for _, given in environments(roles):
        if not given.get("PAGETIDE_QUEUE", "").startswith("sqs:"):
            continue
        address = parse_address(given["PAGETIDE_QUEUE"], "", ".*", ".*")
        for name, queue in queues.items():
            target = queue.get("RedrivePolicy", {}).get("deadLetterTargetArn")
            if target and not roles.resolver.text(target).endswith(f":{address.dead}"):
                yield f"{name} puts away in another queue than {address.dead}."


def hidden(roles: Roles) -> Iterator[str]:
    """A message is hidden for six times as long as the function that hears it may take."""
    functions = dict(of_type(roles.resources, "AWS::Lambda::Function"))
    queues = dict(of_type(roles.resources, "AWS::SQS::Queue"))
    for name, source in of_type(roles.resources, "AWS::Lambda::EventSourceMapping"):
        limit = functions[source["FunctionName"]["Ref"]]["Timeout"]
        shown = queues[source["EventSourceArn"]["Fn::GetAtt"][0]]["VisibilityTimeout"]
        if shown != HIDDEN * limit:
            yield f"What {name} brings is hidden for {shown} s, and may take {limit} s."


def _functions(roles: Roles) -> Iterator[tuple[str, str, Any]]:
    for name, one in of_type(roles.resources, "AWS::Lambda::Function"):
        yield name, one["ImageConfig"]["Command"][0], one


def room(roles: Roles) -> Iterator[str]:
    """Who takes documents in has room for the largest, on the disk and beside the sandbox."""
    largest = int(roles.parameter("MaxBytes", "MaxValue")) // MIB
    for name, command, one in _functions(roles):
        if command not in OPENING:
            continue
        given = _texts(roles, one["Environment"]["Variables"])
        told = {k: v for k, v in given.items() if k == "PAGETIDE_SANDBOX_MEMORY_MB"}
        memory = int(roles.resolver.text(one["MemorySize"]))
        needed = Settings.from_environment(told).sandbox_memory_mb + PROGRAM_MB
        if memory < needed:
            yield f"{name} has {memory} MB, and opens documents with {needed}."
        disk = one.get("EphemeralStorage", {}).get("Size", 512)
        if disk < 2 * largest:  # as it arrives, and as it was decoded
            yield f"{name} has a disk of {disk} MB for documents of {largest} MB."


def times(roles: Roles) -> Iterator[str]:
    """Functions live as long as what they do may take, and come as often as they think."""
    rules = {
        roles.resolver.text(target["Arn"]): rule["ScheduleExpression"]
        for _, rule in of_type(roles.resources, "AWS::Events::Rule")
        for target in rule["Targets"]
    }
    for name, command, one in _functions(roles):
        least = BRIEF_S if command in CALLING else 0
        if command == f"{sweep.__name__}.handle":
            least = sweep.TIDY_S + BRIEF_S
            every = f"rate({sweep.EVERY_S / 60:g} minute)"
            if rules.get(roles.resolver.arn(name)) != every:
                yield f"{name} is called by {rules.get(roles.resolver.arn(name))}."
        if one["Timeout"] < least:
            yield f"{name} is killed after {one['Timeout']} s, and may take {least:g} s."
        given = _texts(roles, one["Environment"]["Variables"])
        if float(given["PAGETIDE_LEASE_S"]) > 6 * 60:
            yield f"{name} has leases of {given['PAGETIDE_LEASE_S']} s: who dies holds work up."


def first_letter(roles: Roles) -> Iterator[str]:
    """An alarm rings with the first dead letter."""
    for name, alarm in of_type(roles.resources, "AWS::CloudWatch::Alarm"):
        if alarm["Namespace"] == "AWS/SQS":
            over = alarm["ComparisonOperator"] == "GreaterThanThreshold"
            if alarm["Threshold"] != (0 if over else 1):
                yield f"{name} does not ring with the first letter."


def forgotten(roles: Roles) -> Iterator[str]:
    """What a bucket forgets by its prefix are objects that are there."""
    written = {
        call.resource
        for asked in roles.needed.values()
        for call in asked
        if call.action == "s3:PutObject"
    }
    for name, bucket in of_type(roles.resources, "AWS::S3::Bucket"):
        for rule in bucket["LifecycleConfiguration"]["Rules"]:
            place = f"{roles.resolver.arn(name)}/{rule.get('Prefix', '')}"
            if not any(one.startswith(place) for one in written):
                yield f"{name} forgets what nobody writes, {rule['Prefix']}."


RULES: tuple[Callable[[Roles], Iterator[str]], ...] = (
    same_settings,
    places,
    no_further,
    dead_letters,
    hidden,
    room,
    times,
    first_letter,
    forgotten,
)
