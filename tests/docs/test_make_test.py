"""`make test` runs every test once, though it runs them in parts."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
ELSEWHERE = {"tests/containers"}  # `make verify-deploy`: they need podman


def handed_to_pytest() -> Iterator[str]:
    """The files and folders that the parts of `make test` give to pytest."""
    command = ["make", "--dry-run", "--always-make", "test"]
    # Not as a part of the `make test` that runs this very test.
    alone = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    shown = subprocess.run(
        command, cwd=ROOT, env=alone, capture_output=True, text=True, check=True
    )
    for line in shown.stdout.splitlines():
        program, *given = shlex.split(line, comments=True) or [""]
        if program.endswith("/pytest"):
            yield from (name for name in given if not name.startswith("-"))


def test_every_file_of_tests_is_in_exactly_one_part() -> None:
    parts = Counter(
        str(path.relative_to(ROOT))
        for name in handed_to_pytest()
        for path in (
            [ROOT / name] if name.endswith(".py") else (ROOT / name).rglob("test_*.py")
        )
    )
    wanted = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests").rglob("test_*.py")
        if str(path.relative_to(ROOT).parent) not in ELSEWHERE
    }
    assert parts == Counter(wanted)
