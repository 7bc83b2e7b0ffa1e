"""What each part of `deploy/aws` asks of AWS, recorded anew while it does all that it does.

`tests/deploy/test_aws_roles.py` holds the record against the roles of the template.
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
def test_the_record_of_calls_is_of_today(shape: str) -> None:
    try:
        found = aws_recorded.recorded(shape)
    except PartMissing as missing:
        required(missing)
    told = aws_roles.recorded(shape)
    assert found.keys() == told.keys()
    for part, calls in found.items():
        assert sorted(map(str, calls - told[part])) == [], AGAIN
        # Not call by call: some come only when two meet.
        actions = {call.action for call in calls}
        assert {call.action for call in told[part]} - actions == set(), AGAIN
