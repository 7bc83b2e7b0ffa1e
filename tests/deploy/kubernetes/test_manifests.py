"""Every place, with and without components, as kustomize renders it."""

from __future__ import annotations

import subprocess

import pytest

from tests.deploy.kubernetes.cluster import Cluster
from tests.deploy.kubernetes.rendering import APART, COMBINATIONS, documents, named, rendered
from tests.deploy.kubernetes.rules import RULES

Combination = tuple[str, tuple[str, ...]]


@pytest.fixture(params=COMBINATIONS, ids=named)
def combination(request: pytest.FixtureRequest) -> Combination:
    chosen: Combination = request.param
    return chosen


def test_all_that_must_hold_does(combination: Combination) -> None:
    cluster = Cluster(documents(*combination))
    assert cluster.workers()
    found = {name: list(rule(cluster)) for name, rule in RULES.items()}
    assert {name: told for name, told in found.items() if told} == {}


@pytest.mark.parametrize("chosen", APART, ids="+".join)
def test_two_scalers_of_the_same_workers_are_refused(chosen: tuple[str, ...]) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        rendered("base", chosen)
    assert "pagetide-worker-gpu" in refused.value.stderr
