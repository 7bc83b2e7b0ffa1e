"""What the acceptance tests need that is not in this Python."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def paddle_python() -> str:
    """A Python with PaddleOCR: that of `make paddle`, or of `PAGETIDE_TEST_PADDLE_PYTHON`.

    The test is skipped where there is none, and fails where `PAGETIDE_TEST_REQUIRE` is `all`.
    """
    named = os.environ.get("PAGETIDE_TEST_PADDLE_PYTHON")
    python = Path(named) if named else CHECKOUT / ".venv-paddle" / "bin" / "python"
    if python.exists() and (named or (CHECKOUT / ".venv-paddle" / "ready").exists()):
        return str(python)
    missing = "there is no Python with PaddleOCR: `make paddle` installs one"
    if os.environ.get("PAGETIDE_TEST_REQUIRE") == "all":
        pytest.fail(missing)
    pytest.skip(missing)
