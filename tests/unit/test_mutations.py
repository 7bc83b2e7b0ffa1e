"""The faults of the mutation check stand where they say, however the code has changed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import pagetide
from bench.mutations import TESTS, Fault, faults

PACKAGE = Path(pagetide.__file__).parent


@pytest.mark.parametrize("fault", faults(), ids=lambda fault: fault.name)
def test_a_fault_changes_one_place_to_what_is_still_python(fault: Fault) -> None:
    text = (PACKAGE / fault.path).read_text()
    compile(fault.into(text), fault.path, "exec")
    assert fault.into(text) != text


def test_a_fault_that_has_lost_its_place_is_told() -> None:
    fault = faults()[0]
    for text in ("", 2 * fault.old):
        with pytest.raises(ValueError, match="exactly once"):
            fault.into(text)


def test_every_area_has_six_faults_and_tests_that_must_notice() -> None:
    assert Counter(fault.area for fault in faults()) == dict.fromkeys(TESTS, 6)
