"""Every rule sees the slips that it is there for."""

from __future__ import annotations

import pytest

from tests.deploy.kubernetes import (
    faults_clouds,
    faults_names,
    faults_network,
    faults_pods,
    faults_scaling,
    faults_triggers,
)
from tests.deploy.kubernetes.cluster import Cluster
from tests.deploy.kubernetes.rendering import documents
from tests.deploy.kubernetes.rules import RULES

FAULTS = {
    name: fault
    for part in (
        faults_scaling,
        faults_triggers,
        faults_pods,
        faults_names,
        faults_network,
        faults_clouds,
    )
    for name, fault in part.FAULTS.items()
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_slip_is_seen(name: str) -> None:
    fault = FAULTS[name]
    cluster = Cluster(documents(fault.place, fault.chosen))
    rule = RULES[fault.rule]
    assert not list(rule(cluster))
    fault.slip(cluster)
    seen = list(rule(cluster))
    assert any(fault.said in each for each in seen), seen


def test_each_rule_has_a_slip() -> None:
    assert {fault.rule for fault in FAULTS.values()} == set(RULES)
