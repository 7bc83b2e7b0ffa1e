"""Roles of the Azure template: all that is asked is allowed, by the least role that does."""

from __future__ import annotations

import pytest

from tests.deploy import azure_roles
from tests.deploy.azure_roles import Grant, granted


def test_each_part_has_the_least_that_it_needs() -> None:
    calls = azure_roles.recorded()
    found = granted()
    assert {grant.to for grant in found} == {"worker", "api", "sweep"}
    assert list(azure_roles.complaints(found, calls)) == []


def test_so_has_the_api_of_another_cloud() -> None:
    found = granted(apiPrincipalId=azure_roles.PRINCIPAL)
    calls = {"elsewhere": azure_roles.recorded()["elsewhere"]}
    assert any(grant.to == "elsewhere" for grant in found)
    assert list(azure_roles.complaints(found, calls)) == []


def test_workers_may_not_write_the_mirror() -> None:
    own = [grant for grant in granted() if grant.to == "worker"]
    assert any(grant.allows("blobs/read models") for grant in own)
    assert not any(grant.allows("blobs/write models") for grant in own)


@pytest.mark.parametrize(
    ("grants", "said"),
    [
        ([], []),
        ([Grant("api", "Storage Blob Data Reader", "a")], ["api may not blobs/write a."]),
        (
            [Grant("api", "Storage Blob Data Contributor", "account")],
            [],
        ),
        (
            [
                Grant("api", "Storage Blob Data Contributor", "a"),
                Grant("api", "Storage Queue Data Reader", "account"),
            ],
            ["api has Storage Queue Data Reader on account, and nothing does."],
        ),
    ],
)
def test_too_little_and_too_much(grants: list[Grant], said: list[str]) -> None:
    calls = {"api": {"blobs/read a", "blobs/write a"}}
    assert list(azure_roles.complaints(grants, calls)) == said


def test_a_weaker_role_that_does_is_named() -> None:
    calls = {"api": {"blobs/read a"}}
    [said] = azure_roles.complaints([Grant("api", "Storage Blob Data Contributor", "a")], calls)
    assert said == (
        "api has Storage Blob Data Contributor on a, and Storage Blob Data Reader does."
    )
