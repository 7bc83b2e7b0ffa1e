"""What lines that were not read look like; see `tests/golden/test_scripts.py` for real ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagetide.engines.ppocr.lines.script_shape import features_of, looks_like
from pagetide.engines.ppocr.lines.unread import notice


def test_nothing_is_said_of_no_line_and_of_lines_without_ink() -> None:
    blank = np.full((48, 400, 3), 255, np.uint8)
    assert looks_like([]) is None
    assert looks_like([blank, np.zeros_like(blank)]) is None


@given(st.integers(0, 2**32 - 1), st.integers(8, 900), st.floats(0, 1))
def test_whatever_a_line_shows_its_shapes_are_numbers(
    seed: int, width: int, dark: float
) -> None:
    chance = np.random.default_rng(seed)
    line = np.where(chance.random((48, width, 1)) < dark, 0, 255).repeat(3, 2).astype(np.uint8)
    features = features_of(line)
    assert features is None or np.isfinite(features).all()


@pytest.mark.parametrize(
    ("family", "says"),
    [
        (None, "left out. Set its language, such as ru, ko or ar,"),
        ("Latin", "left out. Set its language, such as ru, ko or ar,"),
        ("Thai", "left out. It looks like Thai. Set its language, th,"),
        ("Hebrew", "left out. It looks like Hebrew. None of the known models reads it."),
    ],
)
def test_only_a_script_that_is_not_read_is_named(family: str | None, says: str) -> None:
    assert says in notice(4, family).message
