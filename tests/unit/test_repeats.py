"""A request that is repeated gets its first answer, whatever would refuse a new one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pagetide import errors
from pagetide.server.service.submitting.inspection import Inspector
from tests.serving import Place, pdf


def test_a_repeat_is_answered_where_a_new_job_is_refused(
    tmp_path: Path, inspecting: Inspector
) -> None:
    place = Place(tmp_path, inspecting)
    first = place.submit(pdf(1), idempotency_key="k", owner="ada")
    limits: Any = {"owner": "ada", "max_active": 1}
    with pytest.raises(errors.Busy):
        place.submit(pdf(2), **limits)
    again = place.submit(pdf(1), idempotency_key="k", **limits)
    assert again.id == first.id
    with pytest.raises(errors.IdempotencyConflict):
        place.submit(pdf(2), idempotency_key="k", **limits)
    assert len(place.blob_keys()) == 1
