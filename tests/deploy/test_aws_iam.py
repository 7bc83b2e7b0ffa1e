"""The evaluator of IAM's policies, and what is made of a request: small cases by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.deploy.aws_iam import Call, Grant, Resolver, allowed, grants
from tests.parts.aws_calls import calls_of
from tests.parts.passing import Request

TABLE = "arn:aws:dynamodb:us-east-1:123456789012:table/pt-jobs"
BUCKET = "arn:aws:s3:::documents"


def granted(**told: Any) -> list[Grant]:
    """What one statement grants."""
    statement = {"Sid": "One", "Effect": "Allow", "Resource": TABLE, **told}
    policy = {"PolicyDocument": {"Statement": [statement]}}
    made = {"Role": {"Type": "AWS::IAM::Role", "Properties": {"Policies": [policy]}}}
    return grants(made, "Role", Resolver(made, {}))


@pytest.mark.parametrize(
    ("told", "call", "may"),
    [
        ({"Action": "dynamodb:Get*"}, Call("dynamodb:GetItem", TABLE), True),
        ({"Action": "DynamoDB:GETITEM"}, Call("dynamodb:GetItem", TABLE), True),
        ({"Action": ["dynamodb:GetItem"]}, Call("dynamodb:PutItem", TABLE), False),
        ({"Action": "dynamodb:Query"}, Call("dynamodb:Query", f"{TABLE}/index/lines"), False),
        (
            {"Action": "dynamodb:Query", "Resource": [f"{TABLE}/index/*"]},
            Call("dynamodb:Query", f"{TABLE}/index/lines"),
            True,
        ),
        (
            {"Action": "s3:GetObject", "Resource": f"{BUCKET}/jobs/*/pages/*"},
            Call("s3:GetObject", f"{BUCKET}/jobs/1/input"),
            False,
        ),
    ],
)
def test_actions_and_resources(told: dict[str, Any], call: Call, may: bool) -> None:
    assert allowed(granted(**told), call) is may


@pytest.mark.parametrize(
    ("keys", "may"),
    [(("job#1",), True), (("job#1", "job#2"), True), (("job#1", "keys"), False), ((), True)],
)
def test_all_partition_keys_must_be_among_those_of_a_condition(
    keys: tuple[str, ...], may: bool
) -> None:
    """What has none, such as a look at the table itself, is not held by it."""
    condition = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["job#*", "clock"]}}
    found = granted(Action="dynamodb:BatchGetItem", Condition=condition)
    assert allowed(found, Call("dynamodb:BatchGetItem", TABLE, keys)) is may


@pytest.mark.parametrize(
    ("keys", "may"), [(("jobs/1/",), True), (("up/",), False), ((), False)]
)
def test_a_listing_without_a_prefix_is_like_none(keys: tuple[str, ...], may: bool) -> None:
    """So is the look that S3 takes at who asks for an object which is not there."""
    condition = {"StringLike": {"s3:prefix": "jobs/*"}}
    found = granted(Action="s3:ListBucket", Resource=BUCKET, Condition=condition)
    assert allowed(found, Call("s3:ListBucket", BUCKET, keys)) is may


def test_what_is_denied_is_not_allowed() -> None:
    call = Call("dynamodb:PutItem", TABLE, ("keys",))
    yes, no = granted(Action="dynamodb:*"), granted(Action="dynamodb:PutItem", Effect="Deny")
    assert allowed(yes, call) and not allowed([*yes, *no], call)


@pytest.mark.parametrize(
    "condition",
    [{"StringEquals": {"aws:SourceAccount": "1"}}, {"Bool": {"s3:prefix": "true"}}],
)
def test_what_it_does_not_know_it_does_not_judge(condition: dict[str, Any]) -> None:
    found = granted(Action="s3:ListBucket", Resource=BUCKET, Condition=condition)
    with pytest.raises(NotImplementedError):
        allowed(found, Call("s3:ListBucket", BUCKET))


def dynamodb(action: str, **asked: Any) -> Request:
    target = {"x-amz-target": f"DynamoDB_20120810.{action}"}
    return Request("POST", "/", target, json.dumps(asked).encode(), 200)


def test_a_transaction_is_its_items_own_actions() -> None:
    job, name = {"pk": {"S": "job#1"}}, {"pk": {"S": "named#me"}}
    asked = [
        {"Put": {"TableName": "pt-jobs", "Item": job}},
        {"Delete": {"TableName": "pt-jobs", "Key": name}},
    ]
    found = calls_of(dynamodb("TransactWriteItems", TransactItems=asked), str)
    assert list(map(str, found)) == [
        f"dynamodb:PutItem {TABLE} job#*",
        f"dynamodb:DeleteItem {TABLE} named#*",
    ]


FORM = b'--b\r\nname="key"\r\n\r\nuploads/a/input\r\n--b--'


@pytest.mark.parametrize(
    ("method", "path", "status", "said"),
    [
        ("HEAD", "/documents/jobs/1/input", 200, ["s3:GetObject {}/jobs/*/input"]),
        (
            "GET",
            "/documents/a?X-Amz-Signature=1",
            404,
            ["s3:GetObject {}/a", "s3:ListBucket {}"],
        ),
        (
            "GET",
            "/documents?list-type=2&prefix=jobs%2F",
            200,
            ["s3:ListBucket {} jobs/"],
        ),
        ("POST", "/documents/a?uploads", 200, ["s3:PutObject {}/a"]),
        ("PUT", "/documents/a?partNumber=1&uploadId=x", 200, ["s3:PutObject {}/a"]),
        ("DELETE", "/documents/a?uploadId=x", 204, ["s3:AbortMultipartUpload {}/a"]),
        ("DELETE", "/documents/a", 204, ["s3:DeleteObject {}/a"]),
        ("POST", "/documents", 201, ["s3:PutObject {}/uploads/a/input"]),
    ],
)
def test_requests_to_s3_by_what_roles_call_them(
    method: str, path: str, status: int, said: list[str]
) -> None:
    found = calls_of(Request(method, path, {}, FORM, status), str)
    assert list(map(str, found)) == [each.format(BUCKET) for each in said]


def test_a_copy_reads_as_well() -> None:
    head = {"x-amz-copy-source": "documents/a"}
    found = calls_of(Request("PUT", "/documents/b", head, b"", 200), str)
    assert list(map(str, found)) == [f"s3:PutObject {BUCKET}/b", f"s3:GetObject {BUCKET}/a"]
