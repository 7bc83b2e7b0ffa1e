"""Unit tests start the sandbox's processes in a tenth of the time; others start them cold."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pagetide.inputs import sandbox
from tests.parts import forks


@pytest.fixture(scope="session", autouse=True)
def warm_sandboxes() -> Iterator[None]:
    """Have the sandbox's processes forked from one that has made their imports."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "subprocess", forks.SUBPROCESS)
        yield
