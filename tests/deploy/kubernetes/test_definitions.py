"""Our list of fields against KEDA's and Prometheus's own definitions."""

from __future__ import annotations

import pytest

from tests.deploy.kubernetes import schemas
from tests.deploy.kubernetes.cluster import Cluster
from tests.deploy.kubernetes.definitions import (
    FOLDER,
    custom_schema,
    definition,
    every_trigger,
    kedas_triggers,
)
from tests.deploy.kubernetes.narrower import wider
from tests.deploy.kubernetes.rendering import COMBINATIONS, documents, named
from tests.deploy.kubernetes.test_faults import FAULTS

if not FOLDER.exists():
    reason = "KEDA's and Prometheus's definitions are not beside this checkout"
    pytest.skip(reason, allow_module_level=True)

# A job's pods are held against Kubernetes's own schema.
ELSEWHERE = ".spec.jobTargetRef.template:"
WHOLE = {"allowed_schema": custom_schema, "allowed_triggers": kedas_triggers}


@pytest.mark.parametrize("kind", schemas.allowed_kinds())
def test_what_our_list_allows_the_definition_does(kind: str) -> None:
    ours = schemas.allowed_kinds()[kind]
    theirs = definition(kind, ours["properties"]["apiVersion"]["const"])
    found = [each for each in wider(ours, theirs) if not each.startswith(ELSEWHERE)]
    assert found == []


def test_the_triggers_of_our_list_are_kedas() -> None:
    whole = every_trigger()
    for kind, keys in schemas.allowed_triggers().items():
        known = whole[kind] | schemas.OURS.get(kind, {})
        for key, values in keys.items():
            theirs = known[key]
            assert theirs is None or (values and values <= theirs), (kind, key)


@pytest.mark.parametrize("combination", COMBINATIONS, ids=named)
def test_keda_and_prometheus_would_take_it(combination: tuple[str, tuple[str, ...]]) -> None:
    cluster = Cluster(documents(*combination))
    assert [*custom_schema(cluster), *kedas_triggers(cluster)] == []


@pytest.mark.parametrize("name", [name for name in FAULTS if FAULTS[name].rule in WHOLE])
def test_a_slip_that_our_list_sees_they_see(name: str) -> None:
    fault = FAULTS[name]
    cluster = Cluster(documents(fault.place, fault.chosen))
    fault.slip(cluster)
    assert any(fault.said in each for each in WHOLE[fault.rule](cluster))
