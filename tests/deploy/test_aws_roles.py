"""Roles of the template for AWS: all that is asked is allowed, and nothing else is."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.deploy import aws_agreement, aws_roles
from tests.deploy.aws_iam import Call, Grant, allowed
from tests.deploy.aws_roles import SELDOM, SHAPES, Roles, recorded


def roles(shape: str) -> Roles:
    """The roles of a shape."""
    return aws_roles.of_shape(shape, recorded(*SHAPES[shape][1]))


@pytest.mark.parametrize("shape", SHAPES)
def test_all_that_is_asked_is_allowed(shape: str) -> None:
    assert list(roles(shape).refused()) == []


def test_nothing_is_allowed_that_nobody_asks() -> None:
    """In no shape, that is; what no run can be made to ask has its reason."""
    seen: dict[tuple[str, Grant], bool] = {}
    for made in map(roles, SHAPES):
        idle = set(made.unneeded())
        for role, granted in made.granted.items():
            for grant in granted:
                used = seen.get((role, grant), False) or (role, grant) not in idle
                seen[role, grant] = used
    unneeded = [(role, grant) for (role, grant), used in seen.items() if not used]
    seldom = {(role, grant.action) for role, grant in unneeded}
    assert seldom == set(SELDOM), [
        one for one in unneeded if (one[0], one[1].action) not in SELDOM
    ]


@pytest.mark.parametrize("shape", SHAPES)
def test_functions_let_in_who_is_sent_to_them(shape: str) -> None:
    made = roles(shape)
    needed = sorted(aws_roles.entries_needed(made.resources, made.resolver))
    assert sorted(aws_roles.entries_given(made.resources, made.resolver)) == needed


@pytest.mark.parametrize("shape", SHAPES)
def test_a_role_is_its_parts_alone(shape: str) -> None:
    assert list(aws_roles.trusted(roles(shape))) == []


@pytest.mark.parametrize("shape", SHAPES)
def test_the_parts_agree(shape: str) -> None:
    assert aws_agreement.complaints(roles(shape)) == []


KEYS = "arn:aws:dynamodb:us-east-1:123456789012:table/pt-jobs"
# What nobody may do whose job it is not, whatever was recorded.
NEVER: Mapping[str, tuple[Call, ...]] = {
    "ReadRole": (
        Call("dynamodb:PutItem", KEYS, ("keys",)),
        Call("dynamodb:Query", KEYS, ("keys",)),
        Call("dynamodb:GetItem", KEYS, ("value#links",)),
        Call("dynamodb:BatchGetItem", KEYS, ("job#1", "keys")),
        Call("s3:PutObject", "arn:aws:s3:::documents/pagetide/jobs/1/input"),
        Call("s3:GetObject", "arn:aws:s3:::documents/pagetide/uploads/1/2/input"),
    ),
    "GpuRole": (
        Call("dynamodb:PutItem", KEYS, ("keys",)),
        Call("dynamodb:GetItem", KEYS, ("value#links",)),
        Call("s3:PutObject", "arn:aws:s3:::mirror/networks/a/inference.onnx"),
        Call("s3:PutObject", "arn:aws:s3:::documents/pagetide/jobs/1/input"),
        Call("s3:GetObject", "arn:aws:s3:::documents/pagetide/uploads/1/2/input"),
    ),
    "SweepRole": (
        Call("dynamodb:Query", KEYS, ("keys",)),
        Call("s3:GetObject", "arn:aws:s3:::documents/pagetide/jobs/1/input"),
    ),
    "ApiRole": (Call("dynamodb:PutItem", KEYS, ("keys",)),),
    "GpuReaperRole": (Call("dynamodb:PutItem", KEYS, ("job#1",)),),
}


@pytest.mark.parametrize("role", NEVER)
def test_keys_mirror_and_other_peoples_documents_are_out_of_reach(role: str) -> None:
    made = roles("aws with a key")
    assert [str(call) for call in NEVER[role] if allowed(made.granted[role], call)] == []
