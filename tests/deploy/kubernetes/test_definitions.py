"""Our list of fields against KEDA's and Prometheus's own definitions."""

from __future__ import annotations

import pytest

from tests.deploy.kubernetes import schemas
from tests.deploy.kubernetes.cluster import Cluster
from tests.deploy.kubernetes.definitions import (
    FOLDER,
    custom_schema,
    defined,
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


KINDS = {
    kind: schema["properties"]["apiVersion"]["const"]
    for kind, schema in schemas.allowed_kinds().items()
}


def test_only_gateway_apis_definitions_may_be_missing() -> None:
    missing = {kind for kind, version in KINDS.items() if not defined(kind, version)}
    assert missing <= {"Gateway", "HTTPRoute"}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if defined(kind, KINDS[kind])])
def test_what_our_list_allows_the_definition_does(kind: str) -> None:
    ours = schemas.allowed_kinds()[kind]
    theirs = definition(kind, KINDS[kind])
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


def theirs_too(name: str) -> bool:
    """Whether a slip is in what KEDA or Prometheus define."""
    return FAULTS[name].rule in WHOLE and "gateway" not in FAULTS[name].chosen


@pytest.mark.parametrize("name", [each for each in FAULTS if theirs_too(each)])
def test_a_slip_that_our_list_sees_they_see(name: str) -> None:
    fault = FAULTS[name]
    cluster = Cluster(documents(fault.place, fault.chosen))
    fault.slip(cluster)
    assert any(fault.said in each for each in WHOLE[fault.rule](cluster))
