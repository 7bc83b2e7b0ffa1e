"""What became of each input of a command, told line by line."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pagetide.cli.ending import complain, emit, printable
from pagetide.errors import PagetideError

PARTIAL, MIXED = 3, 1


@dataclass(kw_only=True)
class Outcome:
    """What became of one input.

    Attributes:
        job: The id of the job that reads it, where a server was not waited for.
    """

    source: str
    status: str
    pages: int = 0
    failed_pages: list[int] = field(default_factory=list)
    lines_left_out: int = 0
    files: list[str] = field(default_factory=list)
    job: str = ""
    error: dict[str, str] | None = None
    exit_code: int = 0


def failed(source: str, error: PagetideError) -> Outcome:
    """Say what is wrong with an input; the outcome."""
    complain(_said(source, error.message))
    problem = {"code": error.code, "message": error.message}
    return Outcome(source=source, status="failed", error=problem, exit_code=error.exit_code)


def _said(source: str, message: str) -> str:
    """A message about an input, with its name once."""
    if message.startswith(f"{source} "):
        return message
    rest = message.removeprefix("The input ")
    return f"{source}: {message}" if rest == message else f"{source} {rest}"


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """0, the code that all failures share, 1 for several codes, 3 for failed pages only."""
    codes = {outcome.exit_code for outcome in outcomes if outcome.error}
    if codes:
        return codes.pop() if len(codes) == 1 else MIXED
    parts = (one.failed_pages or one.status == "partial" for one in outcomes)
    return PARTIAL if any(parts) else 0


def summary(outcomes: Sequence[Outcome]) -> str:
    """How many inputs were read, and how many failed of which kind, the most first."""
    count = Counter(outcome.status for outcome in outcomes)
    kinds = Counter(outcome.error["code"] for outcome in outcomes if outcome.error)
    told = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
    return (
        f"{count['succeeded']} read, {count['partial']} partial, {count['failed']}"
        f" failed{f' ({told})' if told else ''}{skipped}"
    )


def tell(outcome: Outcome) -> None:
    """Write an outcome's line to the standard output: words on a terminal, else JSON."""
    emit(_line(outcome).encode(errors="backslashreplace") + b"\n")


def _line(outcome: Outcome) -> str:
    if not sys.stdout.isatty():
        return json.dumps(dict(_fields(outcome)), ensure_ascii=False)
    return printable(_words(outcome))


def _words(outcome: Outcome) -> str:
    if outcome.error:
        return f"{outcome.source}: failed"
    if outcome.status == "skipped":
        return f"{outcome.source}: skipped, its results exist"
    if outcome.job:
        files = f"{outcome.status} -> {', '.join(outcome.files)}"
        return f"{outcome.source}: {files if outcome.files else outcome.job}"
    pages = f"{outcome.pages} page{'s' if outcome.pages != 1 else ''}"
    failed = f", {len(outcome.failed_pages)} failed" if outcome.failed_pages else ""
    unsure = f", {outcome.lines_left_out} lines left out" if outcome.lines_left_out else ""
    return f"{outcome.source}: {pages}{failed}{unsure} -> {', '.join(outcome.files)}"


def _fields(outcome: Outcome) -> Iterator[tuple[str, Any]]:
    yield "source", outcome.source
    yield "status", outcome.status
    if outcome.error:
        yield "error", outcome.error
    elif outcome.status == "skipped":
        return
    elif outcome.job:
        yield "job", outcome.job
        if outcome.files:
            yield "files", outcome.files
    else:
        yield "pages", outcome.pages
        yield "failed_pages", outcome.failed_pages
        yield "lines_left_out", outcome.lines_left_out
        yield "files", outcome.files
