"""Every check of the project in one command, and one summary: what `make test` runs.

`python -m tests.run [PART ...] [--slow]`: Ruff, mypy, import-linter and the tests side by side.
A part is a folder of `tests`; with parts named, only their tests run. `--slow` runs those that
are marked as slow instead of the others. Further options are pytest's.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
# Slow ones start first, so that small ones fill the end of a run.
PARTS = ("acceptance", "contract", "golden", "deploy", "docs", "fuzz", "simulation", "unit")
CHECKS = {
    "ruff check": ("ruff", "check", "--quiet", "."),
    "ruff format": ("ruff", "format", "--quiet", "--check", "."),
    "mypy": ("mypy", "--no-error-summary"),
    "import-linter": ("lint-imports", "--no-cache"),
}
# Tests with servers and browsers spend half of their time waiting.
PROCESSES_PER_CORE = 2


@dataclass
class Summary:
    """The outcome of the tests, reported by pytest as they end."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test, or what went wrong around it."""
        if report.failed:
            self.failed.append(report.nodeid)
        elif report.skipped:
            self._skip(report.longrepr)
        elif report.when == "call":
            self.passed += 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Count a file that could not be read, or that is skipped as a whole."""
        if report.failed:
            self.failed.append(report.nodeid)
        elif report.skipped:
            self._skip(report.longrepr)

    def _skip(self, why: object) -> None:
        reason = why[2] if isinstance(why, tuple) else str(why)
        self.skipped[reason.removeprefix("Skipped: ")] += 1


@dataclass(frozen=True)
class Check:
    """A static check; its output goes to a file."""

    name: str
    process: subprocess.Popen[bytes]
    said: Path

    @classmethod
    def start(cls, name: str, folder: Path) -> Check:
        """Start one of `CHECKS`."""
        program, *words = CHECKS[name]
        said = folder / name.replace(" ", "-")
        with said.open("wb") as out:
            process = subprocess.Popen(
                [BIN / program, *words], cwd=ROOT, stdout=out, stderr=subprocess.STDOUT
            )
        return cls(name, process, said)

    def ended_well(self) -> bool:
        """Wait for it; show its findings."""
        found = self.process.wait() != 0
        if found:
            print(f"\n{self.name}:\n{self.said.read_text()}")  # noqa: T201
        return not found


def main() -> int:
    """Run what was requested; 0 if everything passed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.run", description=__doc__, allow_abbrev=False
    )
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--processes", type=int, default=PROCESSES_PER_CORE * _cores())
    parts = list(takewhile(PARTS.__contains__, sys.argv[1:]))
    asked, options = parser.parse_known_args(sys.argv[1 + len(parts) :])
    began, summary = time.monotonic(), Summary()
    with tempfile.TemporaryDirectory() as folder:
        names = [] if parts or asked.slow else list(CHECKS)
        checks = [Check.start(name, Path(folder)) for name in names]
        code = pytest.main(
            [
                *(f"tests/{part}" for part in PARTS if part in (parts or PARTS)),
                *("-n", str(asked.processes), "-m", "slow" if asked.slow else "not slow"),
                *options,
            ],
            plugins=[summary],
        )
        wrong = [check.name for check in checks if not check.ended_well()]
    _show(summary, names, wrong, time.monotonic() - began)
    return int(bool(code or wrong or summary.failed))


def _show(summary: Summary, checks: list[str], wrong: list[str], seconds: float) -> None:
    """Print the one summary."""
    lines = [f"passed: {summary.passed:,} tests", f"failed: {len(summary.failed)}"]
    lines += [f"  {name}" for name in summary.failed]
    lines += [f"skipped: {summary.skipped.total()}"]
    lines += [f"  {count} × {reason}" for reason, count in summary.skipped.most_common()]
    lines += [f"{name}: {'faults, see above' if name in wrong else 'well'}" for name in checks]
    minutes, rest = divmod(round(seconds), 60)
    lines += [f"took {minutes} min {rest} s, and {_processor_s():.0f} processor seconds"]
    print("", *lines, sep="\n")  # noqa: T201


def _processor_s() -> float:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def _cores() -> int:
    return len(os.sched_getaffinity(0))


if __name__ == "__main__":
    sys.exit(main())
