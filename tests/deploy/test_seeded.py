"""The faults of `python -m tests.deploy.seeded`: each is about what is still there."""

from __future__ import annotations

import pytest

from tests.deploy.kubernetes.rendering import ROOT
from tests.deploy.seeded import KINDS, faults

SETS = {"kept", "told", "new"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_changes_what_the_file_says(kind: str) -> None:
    for fault in faults(kind):
        text = (ROOT / fault.file).read_text()
        assert fault.into(text) != text, fault.name
        assert fault.set in SETS, fault.name


def test_there_are_forty_new_ones_and_ten_of_each_kind() -> None:
    new = [fault.kind for kind in KINDS for fault in faults(kind) if fault.set == "new"]
    assert len(new) >= 40
    for kind in ("aws", "aws_permissions", "compose", "kubernetes"):
        assert new.count(kind) >= 10


def test_what_is_not_there_is_no_fault() -> None:
    fault = faults("aws")[0]
    with pytest.raises(ValueError, match="does not say"):
        fault.into("nothing of it")
