"""Calls made by a script with a third-party client, in a process of that client's Python."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.parts import forks


def answers_of(
    python: str, script: Path, arguments: Sequence[str], calls: Sequence[Any]
) -> list[Any]:
    """The answers that the script prints as JSON, one for each call that it reads as JSON."""
    done = forks.run(
        [python, str(script), *arguments],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    answers: list[Any] = json.loads(done.stdout)
    return answers
