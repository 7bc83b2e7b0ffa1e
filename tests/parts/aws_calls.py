"""What asks AWS, as who: a server before the ones that play AWS, which passes on and notes.

Every request is signed with the id of a key: so each process that is watched has one of its
own, its name, and what it signs for others to open (links, forms) is noted as its own, too.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.deploy.aws_iam import ACCOUNT, REGION, Call
from tests.parts.moto import environment_for_clients
from tests.parts.passing import Passing, Request

_SIGNED = re.compile(rb"(?:Credential=|Credential%3D|[Cc]redential\"\r\n\r\n)([\w-]+)(?:/|%2F)")
_TESTS_OWN = environment_for_clients()["AWS_ACCESS_KEY_ID"]
_OF_JOB = re.compile(r"\b(pages|results)/.+")
_NUMBERED = re.compile(r"[0-9a-f]*\d[0-9a-f]*(?:[._-][0-9a-f]*\d[0-9a-f]*)*")
_SAGEMAKERS = {
    "DescribeEndpoint",
    "GetMetricStatistics",
    "UpdateEndpointWeightsAndCapacities",
}
_SQS = {"SendMessageBatch": "SendMessage"}
_WRITES = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}


class Recorder:
    """Passes requests on to Moto and SageMaker, and knows what was asked by whom.

    Attributes:
        named: Names of a stack's resources in place of those they have there.
        buckets: Those that SageMaker has.
        calls: By the id of the key that signed, but for the tests' own.
    """

    def __init__(self, moto: int, sagemaker: int | None = None) -> None:
        self.named: dict[str, str] = {}
        self.buckets: set[str] = set()
        self.calls: dict[str, set[Call]] = defaultdict(set)
        self._moto, self._sagemaker = moto, sagemaker or moto
        self._passing = Passing(self._port, self.note, frozenset({"host"}))
        self.running = self._passing.running

    @property
    def endpoint(self) -> str:
        """Where all of it answers."""
        return f"http://127.0.0.1:{self._passing.port}"

    def note(self, request: Request) -> None:
        """Note what a request asked."""
        told = request.headers.get("authorization", "").encode() + request.path.encode()
        found = _SIGNED.search(told) or _SIGNED.search(request.body)
        if found is None:
            raise AssertionError(f"nobody signed {request.method} {request.path}")
        who = found[1].decode()
        if who != _TESTS_OWN:
            self.calls[who] |= set(calls_of(request, self._renamed))

    def _renamed(self, text: str) -> str:
        for there, name in self.named.items():
            text = text.replace(there, name)
        return text

    def _port(self, request: Request) -> int:
        bucket = request.path.split("/")[1].partition("?")[0]
        target = request.headers.get("x-amz-target", "")
        ours = bucket in {"endpoints", *self.buckets} or target.partition(".")[2] in _SAGEMAKERS
        return self._sagemaker if ours else self._moto


def calls_of(request: Request, named: Callable[[str], str]) -> Iterator[Call]:
    """What a request asks, as roles speak of it.

    Args:
        request: As it came.
        named: Gives a resource the name that it has in the template.
    """
    service, _, action = request.headers.get("x-amz-target", "").rpartition(".")
    if service.startswith("DynamoDB"):
        found = _dynamodb(action, json.loads(request.body))
    elif service == "AmazonSQS":
        found = _sqs(action, json.loads(request.body))
    elif service == "SageMaker":
        found = iter([_sagemaker(action, json.loads(request.body)["EndpointName"])])
    elif request.path.startswith("/endpoints/"):
        found = iter([_sagemaker("InvokeEndpointAsync", request.path.split("/")[2])])
    elif service.startswith("Granite"):
        found = iter([Call(f"cloudwatch:{action}", "*")])
    else:
        assert not service, service
        found = _s3(request)
    for call in found:
        keys = tuple(sorted({_general(named(key)) for key in call.keys}))
        yield Call(call.action, _general_place(named(call.resource)), keys)


def _arn(service: str, name: str) -> str:
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{name}"


def _dynamodb(action: str, asked: dict[str, Any]) -> Iterator[Call]:
    def on(table: str, action: str, *keys: str, index: str = "") -> Call:
        place = _arn("dynamodb", f"table/{table}{index and f'/index/{index}'}")
        return Call(f"dynamodb:{action}", place, keys)

    if action == "TransactWriteItems":
        for write in asked["TransactItems"]:
            ((kind, told),) = write.items()
            item = told.get("Item") or told["Key"]
            yield on(told["TableName"], _WRITES[kind], item["pk"]["S"])
    elif action == "BatchGetItem":
        for table, told in asked["RequestItems"].items():
            yield on(table, action, *(key["pk"]["S"] for key in told["Keys"]))
    elif action == "Query":
        values = asked["ExpressionAttributeValues"]
        index = asked.get("IndexName", "")
        key = values[":in" if index else ":pk"]["S"]
        yield on(asked["TableName"], action, key, index=index)
    else:
        item = asked.get("Item") or asked.get("Key")
        keys = (item["pk"]["S"],) if item else ()
        yield on(asked["TableName"], action, *keys)


def _sqs(action: str, asked: dict[str, Any]) -> Iterator[Call]:
    name = asked.get("QueueName") or asked["QueueUrl"].rpartition("/")[2]
    yield Call(f"sqs:{_SQS.get(action, action)}", _arn("sqs", name))


def _sagemaker(action: str, endpoint: str) -> Call:
    return Call(f"sagemaker:{action}", _arn("sagemaker", f"endpoint/{endpoint}"))


def _s3(request: Request) -> Iterator[Call]:
    parts = urlsplit(request.path)
    bucket, _, key = unquote(parts.path).removeprefix("/").partition("/")
    query = parse_qs(parts.query, keep_blank_values=True)

    def on(action: str, key: str) -> Call:
        return Call(f"s3:{action}", f"arn:aws:s3:::{bucket}/{key}")

    listing = Call("s3:ListBucket", f"arn:aws:s3:::{bucket}")
    if not key and request.method == "GET":
        yield listing._replace(keys=tuple(query.get("prefix", ())))
    elif not key and "delete" in query:
        for each in re.findall(rb"<Key>([^<]*)</Key>", request.body):
            yield on("DeleteObject", each.decode())
    elif not key:  # a form
        [posted] = re.findall(rb'name="key"\r\n\r\n(.*?)\r\n', request.body)
        yield on("PutObject", posted.decode())
    elif request.method in ("GET", "HEAD"):
        yield on("GetObject", key)
        if request.status == 404:  # which S3 says only to who may list
            yield listing
    elif request.method == "DELETE":
        yield on("AbortMultipartUpload" if "uploadId" in query else "DeleteObject", key)
    else:
        yield on("PutObject", key)
        if copied := request.headers.get("x-amz-copy-source"):
            yield Call("s3:GetObject", f"arn:aws:s3:::{unquote(copied).removeprefix('/')}")


def _general_place(arn: str) -> str:
    """An ARN with whatever is of one job alone as `*`; what is before it stays."""
    *head, name = arn.split(":", 5)
    first, slash, rest = name.partition("/")
    rest = _OF_JOB.sub(r"\1/*", rest)
    return ":".join([*head, first]) + (f"/{_general(rest)}" if slash else "")


def _general(text: str) -> str:
    """A name with whatever is of one job, owner, worker or pool alone as `*`."""
    kind, mark, rest = text.partition("#")
    if kind == "value":  # the small values of the store go by names of our own
        name, mark, rest = rest.partition(":")
        return f"value#{name}{mark}{rest and '*'}"
    if mark:
        return f"{kind}#*"
    return re.sub(r"\*[*._-]*\*", "*", _NUMBERED.sub("*", kind))
