"""What each part of `deploy/azure` asks of its storage account while it does all that it does.

The roles of the template allow it. `tests/deploy/test_azure_roles.py` holds a record of it
against them, and shows what nobody asks; so the record has nothing that is no longer asked.
"""

from __future__ import annotations

import json

import pytest

from tests.deploy import azure_roles
from tests.parts import azure_recorded
from tests.parts.fixtures import required
from tests.parts.server import PartMissing


@pytest.mark.slow("runs the API, workers and sweeps on Azurite: a minute")
def test_what_is_asked_is_allowed_and_recorded() -> None:
    try:
        found = azure_recorded.recorded()
    except PartMissing as missing:
        required(missing)
    granted = azure_roles.granted(apiPrincipalId=azure_roles.PRINCIPAL)
    # Not against the record: some calls come only when two meet.
    assert list(azure_roles.refused(granted, found)) == []
    told = json.loads(azure_recorded.CALLS.read_text())
    assert found.keys() == told.keys()
    again = "write it anew: python -m tests.parts.azure_recorded"
    assert {part: sorted({*calls} - found[part]) for part, calls in told.items()} == {
        part: [] for part in told
    }, again
