"""What all tests share: the corpus, and no network.

Only this process is kept off the network: a child that a test starts is not, but no program
of ours opens a connection, and what the sandbox child runs has no reason to.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# A slow machine is no failure, and CI tries the same cases every time; new cases are found at
# the desk, where a failure can be looked at.
settings.register_profile(
    "pagetide",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("pagetide")

pytest_plugins = ["tests.parts.fixtures"]

CHECKOUT = Path(__file__).parents[1]
CORPUS = CHECKOUT.parent / "shared" / "corpus"


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The shared corpus; the test is skipped where it is absent."""
    if not (CORPUS / "manifest.jsonl").exists():
        pytest.skip("the shared corpus is not beside this checkout")
    return CORPUS


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


@pytest.fixture(scope="session")
def clients_python() -> str:
    """A Python with other people's clients: that of `make clients`.

    The test is skipped where there is none, and fails where `PAGETIDE_TEST_REQUIRE` is `all`.
    """
    folder = CHECKOUT / ".venv-clients"
    if (folder / "ready").exists():
        return str(folder / "bin" / "python")
    missing = "there is no Python with other people's clients: `make clients` installs one"
    if os.environ.get("PAGETIDE_TEST_REQUIRE") == "all":
        pytest.fail(missing)
    pytest.skip(missing)


def _refuse_others(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse every connection that leaves this machine, whatever library makes it."""
    if event != "socket.connect":
        return
    connecting, address = arguments
    if connecting.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(address[0]):
        raise AssertionError(f"a test tried to connect to {address[0]}")


sys.addaudithook(_refuse_others)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
