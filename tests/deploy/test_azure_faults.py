"""Every check of the Azure template catches what it is for: a fault is put in, and named."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.deploy.azure_rules import FOLDER, complaints, parameters
from tests.deploy.seeded import faults

TEXT = (FOLDER / "template.json").read_text()
FAULTS = {each.name: each for each in faults("azure") if each.set == "kept"}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_template_is_caught(name: str) -> None:
    fault = FAULTS[name]
    template = json.loads(fault.into(TEXT))
    found = complaints(template, parameters("all"))
    for more in ({"pools": as_jobs("all")}, {"scaleBy": "backlog"}):
        if not any(fault.said in said for said in found):
            found += complaints(template, parameters("all", **more))
    assert any(fault.said in said for said in found), found


def as_jobs(use: str) -> list[dict[str, Any]]:
    return [pool | {"run": "job"} for pool in parameters(use)["pools"]]


POOL_FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "a number in quotes": ({"cpu": "8"}, "'8' is not"),
    "more than there is": ({"profile": "Consumption"}, "more than the profile Consumption has"),
    "no such profile": ({"profile": "GPU"}, "there is no workload profile None"),
    "another's model": (
        {"warm": "structure-lite"},
        "warms structure-lite, which its pool does",
    ),
    "no such pool": ({"name": "cuda"}, "PAGETIDE_POOLS has no pool 'cuda'"),
    "half a core": ({"cpu": 0.5}, "PAGETIDE_THREADS must be a whole number"),
    "too long a name": ({"name": "gpu-abcdefghijklmnop"}, "no name for an app or a job"),
    "no such image": ({"image": "pagetide-gpu"}, "is no image of its"),
    "an image without CUDA": ({"tag": "0.1.0"}, "in the image: False"),
    "no version": ({"tag": "latest"}, "the image has no version"),
    "too many": ({"most": 100}, "it scales from 0 to 100"),
    "always one": ({"least": 1}, "it scales from 1 to 15"),
    "no tasks": ({"tasksPerWorker": 0}, "queueLength is '0'"),
    "neither app nor job": ({"run": "App"}, "the pool gpu has no workers"),
}


@pytest.mark.parametrize("name", POOL_FAULTS)
def test_a_fault_of_a_pool_is_caught(name: str) -> None:
    changed, said = POOL_FAULTS[name]
    given = copy.deepcopy(parameters("all"))
    given["pools"][1] |= changed
    found = complaints(json.loads(TEXT), given)
    assert any(said in each for each in found), found


GIVEN_FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "no such parameter": ({"pool": []}, "there is no parameter pool"),
    "another type": ({"apiMost": "4"}, "the parameter apiMost must be a int"),
    "none of those there are": (
        {"gpuProfile": "T4"},
        "the parameter gpuProfile may not be 'T4'",
    ),
    "too long a name": ({"name": "pagetide-production"}, "name is out of its bounds"),
    "no GPU where one is used": ({"gpuProfile": ""}, "there is no workload profile None"),
    "no such model": (
        {"models": '{cpu = "structure-light", gpu = "pp-structurev3"}'},
        "no model 'structure-light'",
    ),
    "a canary without workers": (
        {"canary": "{gpu-next = 0.1}"},
        "the pool gpu-next has no workers",
    ),
    "a canary that is no share": ({"canary": "{gpu-next = 10}"}, "PAGETIDE_CANARY must be"),
    "a name that no account may have": (
        {"account": "my-documents"},
        "my-documents is no name for a storage account",
    ),
    "blobs that go while their job is there": (
        {"removeAfterDays": 45},
        "the parameter removeAfterDays is out of its bounds",
    ),
    "no store": ({"makePostgres": False, "storeUrl": ""}, "the secret store needs a value"),
    "too many connections": (
        {"apiMost": 12},
        "43 processes may open more connections than the 414 there are",
    ),
    "the account's key": ({"allowSharedKey": True}, "allowSharedKeyAccess is not False"),
}


@pytest.mark.parametrize("name", GIVEN_FAULTS)
def test_a_fault_of_the_parameters_is_caught(name: str) -> None:
    changed, said = GIVEN_FAULTS[name]
    found = complaints(json.loads(TEXT), parameters("all", **changed))
    assert any(said in each for each in found), found
