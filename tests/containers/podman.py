"""Podman with a store, networks and settings of its own, all in one folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from tests.parts.server import PartMissing
from tests.waiting import until

CHECKOUT = Path(__file__).parents[2]
PROGRAMS = ("podman", "buildah", "runc", "mmdebstrap", "netavark", "aardvark-dns", "iptables")
PLACES = ("/usr/lib/podman", "/usr/libexec/podman", "/usr/sbin", "/sbin")
CERTIFICATES = Path("/etc/ssl/certs")
BUILD_S, RUN_S = 600.0, 120.0
# What any cluster may insist on.
LOCKED_UP = ("--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges")

# crun knows no mixed cgroups, and a limit that is raised needs a right that a container that
# runs this may not have.
ENGINE = """\
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=20000:20000"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
tmp_dir = "{folder}/run/libpod"
image_copy_tmp_dir = "{folder}/tmp"
[network]
network_backend = "netavark"
network_config_dir = "{folder}/networks"
"""
STORE = """\
[storage]
driver = "overlay"
graphroot = "{folder}/store"
runroot = "{folder}/run/store"
"""


class Podman:
    """Runs podman apart from whatever else this machine runs with it.

    As a context manager it leaves nothing behind.

    Args:
        kept: A folder whose images of an earlier time are used again, and stay.

    Attributes:
        folder: Where everything of it lies.
    """

    def __init__(self, kept: Path | None = None) -> None:
        search = os.pathsep.join([os.environ.get("PATH", ""), *PLACES])
        if missing := [name for name in PROGRAMS if not shutil.which(name, path=search)]:
            raise PartMissing(f"{', '.join(missing)}: apt-get install {' '.join(PROGRAMS)}")
        self._kept = kept
        self.folder = kept or Path(tempfile.mkdtemp(prefix="pagetide-podman-", dir="/var/tmp"))
        for name in ("tmp", "run", "networks", "store"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for name, text in (("containers.conf", ENGINE), ("storage.conf", STORE)):
            (self.folder / name).write_text(text.format(folder=self.folder))
        (self.folder / "pip.conf").write_text(_pip_settings())

    @property
    def environment(self) -> dict[str, str]:
        """What podman, and what calls it, is run with."""
        return {
            **os.environ,
            "CONTAINERS_CONF": str(self.folder / "containers.conf"),
            "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf"),
            "TMPDIR": str(self.folder / "tmp"),
        }

    def run(
        self, *words: str, check: bool = True, seconds: float = RUN_S, said: bytes | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run podman; what it printed and how it ended."""
        command = ["podman", *words]
        done = subprocess.run(
            command, capture_output=True, env=self.environment, timeout=seconds, input=said
        )
        out, err = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
        assert not check or done.returncode == 0, (
            f"{' '.join(words)}\n{out[-3000:]}{err[-6000:]}"
        )
        return subprocess.CompletedProcess(command, done.returncode, out, err)

    def told(self, *words: str, **given: Any) -> str:
        """What it printed, without the line's end."""
        return self.run(*words, **given).stdout.strip()

    def build(
        self,
        name: str,
        dockerfile: Path,
        context: Path = CHECKOUT,
        arguments: Mapping[str, str] | None = None,
        *,
        with_pip: bool = True,
    ) -> None:
        """Build an image; pip, if it needs any, goes by this machine's settings."""
        told = [f"--build-arg={key}={value}" for key, value in (arguments or {}).items()]
        settings = {CERTIFICATES: CERTIFICATES, self.folder / "pip.conf": Path("/etc/pip.conf")}
        if with_pip:
            told += [f"--volume={here}:{there}:ro" for here, there in settings.items()]
        self.run(
            "build",
            "--format=docker",  # the other has no HEALTHCHECK
            "--network=host",
            "--pull-never",
            "--layers",
            *told,
            f"--tag={name}",
            f"--file={dockerfile}",
            str(context),
            seconds=BUILD_S,
        )

    def inspect(self, name: str) -> dict[str, Any]:
        """What podman knows of an image or a container."""
        found: dict[str, Any] = json.loads(self.told("inspect", name))[0]
        return found

    @contextmanager
    def running(self, *words: str, remove: bool = True) -> Iterator[str]:
        """A container that runs beside the test; its id."""
        container = self.told("run", "--detach", *words)
        try:
            yield container
        finally:
            if remove:
                self.run("rm", "--force", "--time=0", "--volumes", container, check=False)

    def log(self, container: str) -> str:
        """What its process has said."""
        done = self.run("logs", container, check=False)
        return done.stdout + done.stderr

    def until_ready(self, container: str, ports: Sequence[int] = (8000, 8001)) -> None:
        """Wait until the container's own probe says that it is."""
        probe = ["python", "-I", "/opt/pagetide/probe.py", *map(str, ports)]

        def ready() -> bool:
            assert self.state(container)["Running"], self.log(container)
            return self.run("exec", container, *probe, check=False).returncode == 0

        until(ready, 60, f"{container} is not ready")

    def state(self, container: str) -> dict[str, Any]:
        """Whether it runs, and its exit code."""
        state: dict[str, Any] = self.inspect(container)["State"]
        return state

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for words in (
            ("pod", "rm", "--all", "--force", "--time=0"),
            ("rm", "--all", "--force", "--time=0", "--volumes"),
            ("network", "prune", "--force"),
            ("volume", "prune", "--force"),
            *(() if self._kept else (("rmi", "--all", "--force"),)),
        ):
            self.run(*words, check=False, seconds=300)
        if not self._kept:
            shutil.rmtree(self.folder)


def _pip_settings() -> str:
    """This machine's settings of pip that mean anything in a container, as one file."""
    told = subprocess.run(
        ["python3", "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    kept = {}
    for line in told.splitlines():
        name, _, value = line.partition("=")
        key = name.rpartition(".")[2]
        if key in (
            "cert",
            "index-url",
            "extra-index-url",
            "timeout",
            "default-timeout",
            "proxy",
        ):
            values = [each for each in value.strip("'").split() if not each.startswith("file:")]
            kept[key.removeprefix("default-")] = " ".join(values)
    lines = [f"{key} = {value}" for key, value in kept.items() if value]
    return "\n".join(["[global]", "disable-pip-version-check = true", *lines, ""])
