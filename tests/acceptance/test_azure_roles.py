"""What each part of `deploy/azure` asks of its storage account, recorded anew.

`tests/deploy/test_azure_roles.py` holds the record against the roles of the template.
"""

from __future__ import annotations

import json

import pytest

from tests.parts import azure_recorded
from tests.parts.fixtures import required
from tests.parts.server import PartMissing


@pytest.mark.slow("runs the API, workers and sweeps on Azurite: a minute")
def test_the_record_of_calls_is_of_today() -> None:
    try:
        found = azure_recorded.recorded()
    except PartMissing as missing:
        required(missing)
    told = json.loads(azure_recorded.CALLS.read_text())
    again = "write it anew: python -m tests.parts.azure_recorded"
    assert {part: sorted(calls) for part, calls in found.items()} == told, again
