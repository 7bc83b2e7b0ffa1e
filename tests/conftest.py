"""What all tests share: the corpus, and no network.

Only this process is kept off the network: child processes are not, but no program
of ours opens a connection, and code in the sandbox child has no reason to.
"""

from __future__ import annotations

import gc
import ipaddress
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import certifi
import pytest
from hypothesis import HealthCheck, settings

from pagetide.inputs import sandbox_child
from pagetide.server.service.submitting.inspection import Inspector
from tests.parts import forks, keeper
from tests.parts.server import LOGS, logs_folder
from tests.scheduling import ByFile

# A slow machine is no failure, and CI tries the same cases every time; new cases are found on
# a developer's machine, where a failure can be examined.
settings.register_profile(
    "pagetide",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("pagetide")

# Keep compiled Python, whatever the environment says: otherwise each of some hundred processes
# compiles us again, which was a third of all processor time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Processes with a bare environment may be forked only where ours sets nothing either.
os.environ.pop("PYTHONUNBUFFERED", None)

pytest_plugins = ["tests.parts.fixtures"]

CHECKOUT = Path(__file__).parents[1]
COLD_SANDBOXES = ("test_sandbox.py", "test_hostile.py", "test_pdf_pages.py")
CORPUS = CHECKOUT.parent / "shared" / "corpus"


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Keep the servers that all test processes share; their own workers start later."""
    # Programs that tests interrupt inherit it; in a shell's background job it is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.option.collectonly or hasattr(config, "workerinput"):
        return
    ends = ExitStack()
    config.add_cleanup(ends.close)
    folder = Path(tempfile.mkdtemp(prefix="pagetide-tests-"))
    ends.callback(_clear, config, folder)
    logs = folder / "logs"
    logs.mkdir()
    os.environ[LOGS] = str(logs)
    os.environ["SSL_CERT_FILE"] = str(_one_authority(folder))
    ends.enter_context(keeper.keeping(folder))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report which logs were written during a failed test; they are kept."""
    report = yield
    if report.failed and (logs := logs_folder()):
        recent = [log for log in sorted(logs.iterdir()) if log.stat().st_mtime >= call.start]
        said = "\n".join(map(str, recent)) or "nothing that was running said anything"
        report.sections.append((f"logs, kept in {logs}", said))
    return report


def pytest_collection_finish() -> None:
    """Existing objects stay: the garbage collector need not examine them again."""
    gc.collect()
    gc.freeze()


def _one_authority(folder: Path) -> Path:
    """A file with one authority: reading all 140 takes 25 ms for every client created."""
    end = "-----END CERTIFICATE-----\n"
    first = Path(certifi.where()).read_text(encoding="ascii").partition(end)[0] + end
    authority = folder / "authority.pem"
    authority.write_text(first, encoding="ascii")
    return authority


def _clear(config: pytest.Config, folder: Path) -> None:
    """Remove temporary data of the tests, but keep the logs if one failed."""
    session = config.pluginmanager.get_plugin("session")
    failed = getattr(session, "testsfailed", True)
    for path in folder.iterdir():
        if path.name != "logs":
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
    if not failed:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile:
    """The tests of a file share what it starts, so one process runs them."""
    return ByFile(config, log)


@pytest.fixture(scope="module", autouse=True)
def warm_sandboxes(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fork the sandbox's processes from one that has done their imports: 20 ms, not 160.

    Tests of how such a process starts, ends and fails start it as it is shipped.
    """
    if request.path.name in COLD_SANDBOXES:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox_child, "subprocess", forks.SUBPROCESS)
        yield


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The shared corpus; the test is skipped where it is absent."""
    if not (CORPUS / "manifest.jsonl").exists():
        pytest.skip("the shared corpus is not beside this checkout")
    return CORPUS


@pytest.fixture(scope="session")
def paddle_python() -> str:
    """A Python with PaddleOCR: from `make paddle`, or `PAGETIDE_TEST_PADDLE_PYTHON`.

    The test is skipped without one, and fails where `PAGETIDE_TEST_REQUIRE` is `all`.
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
    """A Python with third-party clients: from `make clients`.

    The test is skipped without one, and fails where `PAGETIDE_TEST_REQUIRE` is `all`.
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


@pytest.fixture(scope="module")
def inspecting() -> Iterator[Inspector]:
    """The component that opens a service's documents, for the tests of a file."""
    from tests.serving import inspector

    with closing(inspector()) as opened:
        yield opened
