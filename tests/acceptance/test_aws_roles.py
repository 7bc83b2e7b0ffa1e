"""What each part of `deploy/aws` asks of AWS while it does all that it does.

The roles of the template allow it. `tests/deploy/test_aws_roles.py` holds a record of it
against them, and shows what nobody asks; so the record has nothing that is no longer asked.
"""

from __future__ import annotations

import pytest

from tests.deploy import aws_roles
from tests.parts import aws_recorded
from tests.parts.fixtures import required
from tests.parts.server import PartMissing

AGAIN = "write it anew: python -m tests.parts.aws_recorded"


@pytest.mark.slow("runs every part of three stacks on what plays AWS: minutes for each")
@pytest.mark.parametrize("shape", aws_recorded.SHAPES)
def test_what_is_asked_is_allowed_and_recorded(shape: str) -> None:
    try:
        found = aws_recorded.recorded(shape)
    except PartMissing as missing:
        required(missing)
    told = aws_roles.recorded(shape)
    assert found.keys() == told.keys()
    # Not against the record: some calls come only when two meet.
    assert list(aws_roles.of_shape(shape, found).refused()) == []
    for part, calls in found.items():
        actions = {call.action for call in calls}
        assert {call.action for call in told[part]} - actions == set(), AGAIN
