"""A copy of the working tree, to be changed and tested while the checkout stays unchanged."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.corpus import PROJECT

PYTEST = ("-m", "pytest", "-x", "-q")
GOING_S = 30.0  # for pytest to stop the servers that it has started
_FIRST_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Scratch:
    """A copy of the working tree.

    Neither the corpus nor another Python is beside it: what only those would show is never
    seen.
    """

    root: Path

    @property
    def package(self) -> Path:
        """Where the copy's `pagetide` is."""
        return self.root / "src" / "pagetide"

    def files(self, tests: Iterable[str]) -> list[Path]:
        """The test files in these folders, and the files among these, as given."""
        places = [self.root / each for each in tests]
        return [
            file
            for place in places
            for file in (sorted(place.glob("test_*.py")) if place.is_dir() else [place])
        ]

    def first_failed(
        self,
        files: Iterable[Path],
        timeout_s: float | None = None,
        words: Iterable[str] = (),
    ) -> str:
        """The first test that fails; empty if none does.

        Args:
            files: Of tests.
            timeout_s: How long they may take.
            words: Further arguments for pytest, such as which tests to leave out.

        Raises:
            TimeoutError: They do not end in time.
        """
        names = (str(file.relative_to(self.root)) for file in files)
        code, said = self.run(*PYTEST, *words, *names, timeout_s=timeout_s)
        found = _FIRST_FAILED.search(said)
        return found[1] if found else f"pytest, which ended with {code}" if code else ""

    def run(self, *words: str, timeout_s: float | None = None) -> tuple[int, str]:
        """Run the copy's Python; its exit code, and its output.

        Raises:
            TimeoutError: It did not end in time, and was killed.
        """
        command = [str(self.root / ".venv" / "bin" / "python"), *words]
        # To a file: a process left behind would keep a pipe open.
        with tempfile.TemporaryFile("w+") as said:
            with subprocess.Popen(
                command, cwd=self.root, stdout=said, stderr=subprocess.STDOUT
            ) as process:
                _wait(process, timeout_s)
            said.seek(0)
            return process.returncode, said.read()


@contextmanager
def scratch() -> Iterator[Scratch]:
    """A copy of the working tree, including new files, removed at the end."""
    with tempfile.TemporaryDirectory(prefix="pagetide-scratch-") as folder:
        root = Path(folder).resolve() / "main"
        _copy(root)
        _make_environment(root)
        copied = Scratch(root)
        _, said = copied.run("-I", "-c", "import pagetide; print(pagetide.__file__)")
        if Path(said.strip()).parent != copied.package:
            raise SystemExit(f"The copy does not import its own pagetide: {said}")
        yield copied


def _copy(root: Path) -> None:
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=PROJECT, capture_output=True, text=True, check=True)
    for name in filter(None, names.stdout.split("\0")):
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if (PROJECT / name).exists():
            shutil.copy(PROJECT / name, place, follow_symlinks=False)  # the chart has some
    if (PROJECT / ".parts").exists():
        (root / ".parts").symlink_to(PROJECT / ".parts")


def _make_environment(root: Path) -> None:
    """An environment with our packages, except the installed `pagetide`, which is the copy's.

    A variable would not do: tests start processes with variables of their own, or with none.
    """
    place = root / ".venv"
    make = [sys.executable, "-m", "venv", "--without-pip", str(place)]
    subprocess.run(make, check=True)
    variables = {"base": str(place), "platbase": str(place)}
    site = Path(sysconfig.get_path("purelib", vars=variables))
    places = (root / "src", sysconfig.get_path("purelib"))
    (site / "scratch.pth").write_text("".join(f"{each}{os.linesep}" for each in places))


def _wait(process: subprocess.Popen[bytes], timeout_s: float | None) -> None:
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(GOING_S)
        except subprocess.TimeoutExpired:
            process.kill()
        raise TimeoutError from None
